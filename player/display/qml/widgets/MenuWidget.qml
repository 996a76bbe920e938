// A menu widget: everything stands where the plan says; nothing here measures or wraps.
import QtQuick

Item {
    id: root

    required property QtObject menu
    readonly property var facts: menu.facts
    readonly property var setting: menu.setting
    readonly property bool mirrored: facts.rightToLeft
    readonly property int side: mirrored ? Text.AlignRight : Text.AlignLeft
    readonly property int glide: 260

    // A page goes at once and the next one comes up: the two never lie over each other.
    property real arrival: 1

    Connections {
        target: root.menu

        function onPageTurned() {
            arrive.restart();
        }
    }

    NumberAnimation {
        id: arrive
        target: root
        property: "arrival"
        from: 0.1
        to: 1
        duration: root.glide
    }

    objectName: "menu"
    x: facts.x
    y: facts.y
    z: facts.z
    width: facts.width
    height: facts.height
    opacity: facts.opacity
    // Some scripts reach below their line: only what cannot fit is cut.
    clip: setting.overflows

    component Words: Text {
        property real baselineAt

        y: baselineAt - baselineOffset
        textFormat: Text.PlainText
        horizontalAlignment: root.side
        lineHeightMode: Text.FixedHeight
    }

    Rectangle {
        anchors.fill: parent
        visible: root.facts.panel.a > 0
        color: root.facts.panel
        radius: root.setting.padding * 0.6
    }

    Words {
        objectName: "title"
        visible: text !== ""
        x: root.setting.padding
        width: root.setting.width
        baselineAt: root.setting.titleBaseline
        text: root.setting.title
        font: root.setting.titleFont
        color: root.facts.text
        lineHeight: root.setting.line * 1.6
    }

    Rectangle {
        visible: root.setting.title !== ""
        width: root.setting.size * 1.9
        height: Math.max(2, root.setting.size * 0.1)
        radius: height / 2
        x: root.mirrored ? root.width - root.setting.padding - width : root.setting.padding
        y: root.setting.titleBaseline + root.setting.size * 0.55
        color: root.facts.accent
    }

    Words {
        objectName: "empty"
        visible: text !== ""
        anchors.centerIn: parent
        y: 0
        text: root.setting.empty
        font: root.setting.emptyFont ? root.setting.emptyFont : root.setting.detailFont
        color: root.facts.secondary
        horizontalAlignment: Text.AlignHCenter
        lineHeightMode: Text.ProportionalHeight
    }

    Repeater {
        model: root.menu.headings

        Item {
            id: heading

            required property var entry

            objectName: "heading"
            visible: entry.page === root.menu.page
            x: entry.x
            y: entry.y
            width: entry.width
            height: entry.height

            Behavior on y {
                enabled: root.setting.glides
                NumberAnimation { duration: root.glide; easing.type: Easing.OutCubic }
            }

            Words {
                objectName: "headingText"
                width: heading.width
                baselineAt: root.setting.headingBaseline
                text: heading.entry.text
                font: root.setting.headingFont
                color: root.facts.accent
                lineHeight: heading.height
            }

            Rectangle {
                x: root.mirrored ? 0 : heading.entry.textWidth + heading.entry.gap
                y: root.setting.headingBaseline - root.setting.size * 0.27
                width: Math.max(0, heading.width - heading.entry.textWidth - heading.entry.gap)
                height: Math.max(1, root.setting.size * 0.035)
                color: root.facts.rule
            }
        }
    }

    Repeater {
        model: root.menu.rows

        Item {
            id: row

            required property var entry
            readonly property bool here: entry.page === root.menu.page

            objectName: "row"
            x: entry.x
            y: entry.y
            width: entry.width
            height: entry.height
            visible: opacity > 0
            opacity: here ? root.arrival * (entry.soldOut ? root.facts.soldOutStrength : 1) : 0

            Behavior on x {
                enabled: root.setting.glides
                NumberAnimation { duration: root.glide; easing.type: Easing.OutCubic }
            }
            Behavior on y {
                enabled: root.setting.glides
                NumberAnimation { duration: root.glide; easing.type: Easing.OutCubic }
            }

            Loader {
                active: row.entry.image !== null && row.entry.image !== undefined
                x: root.mirrored ? row.width - width : 0
                width: root.setting.thumb
                height: root.setting.thumb
                sourceComponent: BoxedImage {
                    color: "transparent"
                    plan: row.entry.image
                }
            }

            TextLines {
                objectName: "name"
                mirrored: root.mirrored
                x: row.entry.nameX
                width: row.entry.nameWidth
                baselineAt: root.setting.baseline
                text: row.entry.name
                font: row.entry.soldOut ? root.setting.struckFont : root.setting.nameFont
                color: root.facts.text
                lineHeight: root.setting.line
            }

            Words {
                objectName: "price"
                x: row.entry.priceX
                baselineAt: root.setting.baseline
                text: row.entry.price
                font: root.setting.priceFont
                color: root.facts.text
                horizontalAlignment: Text.AlignLeft
                lineHeight: root.setting.line
            }

            Loader {
                active: row.entry.details !== ""
                sourceComponent: TextLines {
                    objectName: "details"
                    mirrored: root.mirrored
                    x: row.entry.detailsX
                    width: row.entry.detailsWidth
                    baselineAt: row.entry.detailsY + root.setting.detailLine * 0.76
                    text: row.entry.details
                    font: root.setting.detailFont
                    color: root.facts.secondary
                    lineHeight: root.setting.detailLine
                }
            }

            Loader {
                active: row.entry.leaderWidth > 0
                x: row.entry.leaderX
                y: root.setting.baseline - height
                sourceComponent: Row {
                    objectName: "leader"
                    spacing: root.setting.leaderStep - root.setting.size * 0.06
                    Repeater {
                        model: Math.round(row.entry.leaderWidth / root.setting.leaderStep)
                        Rectangle {
                            width: root.setting.size * 0.06
                            height: width
                            radius: width / 2
                            color: root.facts.secondary
                        }
                    }
                }
            }

            Repeater {
                model: row.entry.tags

                Badge {
                    required property var modelData

                    place: modelData
                    font: modelData.framed ? root.setting.tagFont : root.setting.marksFont
                    ink: modelData.framed ? root.facts.accent : root.facts.secondary
                    stroke: root.setting.size * 0.03
                }
            }
        }
    }

    Rectangle {
        visible: root.setting.legend !== ""
        x: root.setting.padding
        y: root.setting.legendY - root.setting.size * 0.2
        width: root.setting.width
        height: Math.max(1, root.setting.size * 0.035)
        color: root.facts.rule
    }

    TextLines {
        objectName: "legend"
        mirrored: root.mirrored
        x: root.setting.padding
        width: root.setting.width
        baselineAt: root.setting.legendBaseline
        text: root.setting.legend
        font: root.setting.detailFont
        color: root.facts.secondary
        lineHeight: root.setting.detailLine
    }

    Words {
        objectName: "pageMark"
        visible: root.menu.pages > 1
        x: root.setting.padding
        width: root.setting.width
        baselineAt: root.setting.pageBaseline
        text: root.menu.pageText
        font: root.setting.pageFont
        color: root.facts.accent
        horizontalAlignment: Text.AlignHCenter
        lineHeight: root.setting.line
    }
}
