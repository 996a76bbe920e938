// A menu widget: draws the layout that Python computed; measures and wraps nothing.
import QtQuick

Item {
    id: root

    required property QtObject menu
    // Pixels of the display per canvas unit.
    required property real pixels
    readonly property var facts: menu.facts
    readonly property var layout: menu.layout
    readonly property bool mirrored: facts.rightToLeft
    readonly property int side: mirrored ? Text.AlignRight : Text.AlignLeft
    readonly property int glide: 260
    signal pictureFailed(string url)

    // A page fades in while the one before it fades out; in milliseconds.
    property int turn: 400
    property real fadeIn: 1
    property int leavingPage: -1

    function presence(page: int): real {
        return page === menu.page ? fadeIn : page === leavingPage ? 1 - fadeIn : 0;
    }

    Connections {
        target: root.menu

        function onPageTurned(before: int) {
            root.leavingPage = before;
            fadeInAnimation.restart();
        }
    }

    NumberAnimation {
        id: fadeInAnimation
        target: root
        property: "fadeIn"
        // Not from 0: the first frame shows some of the page that comes.
        from: 0.02
        to: 1
        duration: root.turn
        onFinished: root.leavingPage = -1
    }

    // What comes back waits until the others have made room for it.
    component Arrival: SequentialAnimation {
        id: arrival
        required property Item arriving

        PauseAnimation { duration: root.glide }
        NumberAnimation { target: arrival.arriving; property: "arrived"; from: 0; to: 1; duration: root.glide }
    }

    objectName: "menu"
    x: facts.x
    y: facts.y
    z: facts.z
    width: facts.width
    height: facts.height
    opacity: facts.opacity
    // Clips only what cannot fit: some scripts reach below their line.
    clip: layout.overflows

    component BaselineText: Text {
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
        radius: root.layout.padding * 0.6
    }

    BaselineText {
        objectName: "title"
        visible: text !== ""
        x: root.layout.left
        width: root.layout.width
        baselineAt: root.layout.titleBaseline
        text: root.layout.title
        font: root.layout.titleFont
        color: root.facts.text
        lineHeight: root.layout.line * 1.6
    }

    Rectangle {
        visible: root.layout.title !== ""
        width: root.layout.size * 1.9
        height: Math.max(2, root.layout.size * 0.1)
        radius: height / 2
        x: root.mirrored ? root.layout.left + root.layout.width - width : root.layout.left
        y: root.layout.titleBaseline + root.layout.size * 0.55
        color: root.facts.accent
    }

    BaselineText {
        objectName: "empty"
        visible: text !== ""
        anchors.centerIn: parent
        y: 0
        text: root.layout.empty
        font: root.layout.emptyFont ? root.layout.emptyFont : root.layout.detailFont
        color: root.facts.secondary
        horizontalAlignment: Text.AlignHCenter
        lineHeightMode: Text.ProportionalHeight
    }

    Repeater {
        model: root.menu.headings

        Item {
            id: heading

            required property var entry

            property real arrived: 1

            objectName: "heading"
            visible: root.presence(entry.page) > 0
            opacity: root.presence(entry.page) * arrived
            Component.onCompleted: {
                if (entry.arrives && entry.page === root.menu.page) {
                    arrived = 0;
                    headingArrival.start();
                }
            }

            Arrival {
                id: headingArrival
                arriving: heading
            }

            x: entry.x
            y: entry.y
            width: entry.width
            height: entry.height

            Behavior on y {
                enabled: root.layout.glides
                NumberAnimation { duration: root.glide; easing.type: Easing.OutCubic }
            }

            BaselineText {
                objectName: "headingText"
                width: heading.width
                baselineAt: root.layout.headingBaseline
                text: heading.entry.text
                font: root.layout.headingFont
                color: root.facts.accent
                lineHeight: heading.height
            }

            Hairline {
                objectName: "headingRule"
                x: heading.entry.ruleX
                at: root.layout.headingBaseline - root.layout.size * 0.27
                parentY: root.facts.y + heading.entry.y
                width: heading.entry.ruleWidth
                thickness: root.layout.size * 0.035
                color: root.facts.rule
                pixels: root.pixels
            }

            Repeater {
                model: heading.entry.labels

                BaselineText {
                    required property var modelData

                    objectName: "label"
                    x: modelData.x
                    baselineAt: heading.entry.labelsY + root.layout.headingBaseline
                    text: modelData.text
                    font: root.layout.labelFont
                    color: root.facts.secondary
                    horizontalAlignment: Text.AlignLeft
                    lineHeight: heading.height
                }
            }
        }
    }

    Repeater {
        model: root.menu.rows

        Item {
            id: row

            required property var entry
            readonly property var fonts: entry.featured ? root.layout.featured : root.layout.plain
            property real arrived: 1
            // Of everything but the tag that says why.
            readonly property real strength: entry.soldOut ? root.facts.soldOutStrength : 1

            objectName: "row"
            x: entry.x
            y: entry.y
            width: entry.width
            height: entry.height
            visible: root.presence(entry.page) > 0
            opacity: root.presence(entry.page) * arrived
            Component.onCompleted: {
                if (entry.arrives && entry.page === root.menu.page) {
                    arrived = 0;
                    rowArrival.start();
                }
            }

            Arrival {
                id: rowArrival
                arriving: row
            }

            Behavior on x {
                enabled: root.layout.glides
                NumberAnimation { duration: root.glide; easing.type: Easing.OutCubic }
            }
            Behavior on y {
                enabled: root.layout.glides
                NumberAnimation { duration: root.glide; easing.type: Easing.OutCubic }
            }

            Loader {
                active: row.entry.image !== null && row.entry.image !== undefined
                x: root.mirrored ? row.width - width : 0
                opacity: row.strength
                width: root.layout.thumb
                height: root.layout.thumb
                sourceComponent: BoxedImage {
                    plan: row.entry.image
                    onSettled: drawn => { if (!drawn) root.pictureFailed(plan.url); }
                }
            }

            TextLines {
                objectName: "name"
                opacity: row.strength
                mirrored: root.mirrored
                x: row.entry.nameX
                width: row.entry.nameWidth
                baselineAt: row.entry.baseline
                text: row.entry.name
                font: row.fonts.name
                color: root.facts.text
                lineHeight: row.fonts.line
            }

            BaselineText {
                objectName: "price"
                opacity: row.strength
                x: row.entry.priceX
                baselineAt: row.entry.baseline
                text: row.entry.price
                font: row.fonts.price
                color: row.entry.onOffer ? root.facts.accent : root.facts.text
                horizontalAlignment: Text.AlignLeft
                lineHeight: root.layout.line
            }

            Repeater {
                model: row.entry.cells

                BaselineText {
                    required property var modelData
                    // Where the law wants energies as conspicuous as names, those of variants in lines are, too.
                    readonly property bool quiet: !(modelData.kind === "lineName" && root.layout.largeEnergy) && !["columnPrice", "columnLargeEnergy", "linePrice", "priceInWords"].includes(modelData.kind)

                    objectName: modelData.kind
                    opacity: row.strength
                    x: modelData.x
                    baselineAt: row.entry.baseline + modelData.y
                    text: modelData.text
                    font: row.fonts.cells[modelData.kind]
                    color: ["saving", "columnOffer", "lineOffer"].includes(modelData.kind) ? root.facts.accent : quiet ? root.facts.secondary : root.facts.text
                    horizontalAlignment: Text.AlignLeft
                    lineHeight: root.layout.line
                }
            }

            Repeater {
                model: row.entry.strikes

                Hairline {
                    required property var modelData

                    objectName: "strike"
                    opacity: row.strength
                    x: modelData.x
                    at: modelData.y - modelData.thickness / 2
                    parentY: root.facts.y + row.entry.y
                    width: modelData.width
                    thickness: modelData.thickness
                    color: modelData.quiet ? root.facts.secondary : root.facts.text
                    pixels: root.pixels
                }
            }

            Loader {
                active: row.entry.second !== ""
                sourceComponent: TextLines {
                    objectName: "second"
                    opacity: row.strength
                    mirrored: root.mirrored
                    x: row.entry.detailsX
                    width: row.entry.detailsWidth
                    baselineAt: row.entry.secondY + root.layout.secondBaseline
                    text: row.entry.second
                    font: root.layout.secondFont
                    color: root.facts.text
                    lineHeight: root.layout.secondLine
                }
            }

            Loader {
                active: row.entry.secondDetails !== ""
                sourceComponent: TextLines {
                    objectName: "secondDetails"
                    opacity: row.strength
                    mirrored: root.mirrored
                    x: row.entry.detailsX
                    width: row.entry.detailsWidth
                    baselineAt: row.entry.secondDetailsY + root.layout.detailLine * 0.76
                    text: row.entry.secondDetails
                    font: root.layout.secondDetailFont
                    color: root.facts.secondary
                    lineHeight: root.layout.detailLine
                }
            }

            Loader {
                active: row.entry.details !== ""
                sourceComponent: TextLines {
                    objectName: "details"
                    opacity: row.strength
                    mirrored: root.mirrored
                    x: row.entry.detailsX
                    width: row.entry.detailsWidth
                    baselineAt: row.entry.detailsY + root.layout.detailLine * 0.76
                    text: row.entry.details
                    font: root.layout.detailFont
                    color: root.facts.secondary
                    lineHeight: root.layout.detailLine
                }
            }

            Loader {
                active: row.entry.leaderWidth > 0
                x: row.entry.leaderX
                y: row.entry.baseline - height
                sourceComponent: Row {
                    objectName: "leader"
                    opacity: row.strength
                    spacing: root.layout.leaderStep - root.layout.size * 0.06
                    Repeater {
                        model: Math.round(row.entry.leaderWidth / root.layout.leaderStep)
                        Rectangle {
                            width: root.layout.size * 0.06
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

                    badge: modelData
                    opacity: modelData.strong ? 1 : row.strength
                    font: modelData.framed ? root.layout.tagFont : root.layout.marksFont
                    foreground: modelData.framed || modelData.icon !== "" ? root.facts.accent : root.facts.secondary
                    stroke: root.layout.badgeSize * 0.03
                    pixels: root.pixels
                    parentX: root.facts.x + row.entry.x
                    parentY: root.facts.y + row.entry.y
                }
            }
        }
    }

    ListFoot {
        facts: root.facts
        layout: root.layout
        pixels: root.pixels
        apart: 0.2
    }

    BaselineText {
        objectName: "pageMark"
        visible: root.menu.pages > 1
        x: root.layout.left
        width: root.layout.width
        baselineAt: root.layout.pageBaseline
        text: root.menu.pageText
        font: root.layout.pageFont
        color: root.facts.accent
        horizontalAlignment: Text.AlignHCenter
        lineHeight: root.layout.line
    }
}
