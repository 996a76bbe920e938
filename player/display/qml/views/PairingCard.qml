// The pairing card: a code to read from across the room, where to enter it, and how long it is valid.
import QtQuick

Rectangle {
    id: root

    // Of the Loader in Stage.qml, as `glass` is.
    readonly property QtObject view: shown
    readonly property var facts: view.facts
    readonly property bool upright: height > width
    readonly property real unit: upright ? Math.min(width / 1080, height / 1920) : Math.min(width / 1920, height / 1080)
    readonly property bool waiting: facts.code === ""
    LayoutMirroring.enabled: view.rightToLeft
    LayoutMirroring.childrenInherit: true

    readonly property real foot: glass.foot
    color: "#14181D"

    Rectangle {
        anchors.fill: parent
        gradient: Gradient {
            GradientStop { position: 0; color: "#222B35" }
            GradientStop { position: 0.6; color: "#171C22" }
            GradientStop { position: 1; color: "#0F1215" }
        }
    }

    component CardText: Text {
        textFormat: Text.PlainText
        horizontalAlignment: Text.AlignLeft
        wrapMode: Text.Wrap
        color: root.view.text
    }

    component Bar: Rectangle {
        height: Math.max(2, 6 * root.unit)
        radius: height / 2
        color: root.view.accent
    }

    Grid {
        id: layout
        anchors { horizontalCenter: parent.horizontalCenter; verticalCenter: parent.verticalCenter; verticalCenterOffset: -root.foot / 2 }
        scale: Math.min(1, (root.height - root.foot - 40 * root.unit) / Math.max(1, height))
        columns: root.upright ? 1 : 2
        columnSpacing: 130 * root.unit
        rowSpacing: 90 * root.unit
        horizontalItemAlignment: Grid.AlignHCenter
        verticalItemAlignment: Grid.AlignVCenter

        Column {
            width: (root.upright ? 920 : 1060) * root.unit
            spacing: 34 * root.unit

            // A tick, once the code was claimed.
            Rectangle {
                visible: root.facts.isPaired
                anchors.left: parent.left
                width: 132 * root.unit
                height: width
                radius: width / 2
                color: root.view.accent

                Bar {
                    x: 0.22 * parent.width
                    y: 0.51 * parent.height
                    width: 0.28 * parent.width
                    height: 0.1 * parent.width
                    rotation: 45
                    color: "#14181D"
                }

                Bar {
                    x: 0.35 * parent.width
                    y: 0.45 * parent.height
                    width: 0.46 * parent.width
                    height: 0.1 * parent.width
                    rotation: -45
                    color: "#14181D"
                }
            }

            CardText {
                objectName: "pairingTitle"
                width: parent.width
                text: root.facts.title
                maximumLineCount: 3
                elide: Text.ElideRight
                font: root.view.font("title", 84 * root.unit)
            }

            Bar {
                anchors.left: parent.left
                width: 110 * root.unit
            }

            CardText {
                objectName: "pairingAddress"
                width: parent.width
                text: root.facts.intro
                opacity: 0.75
                font: root.view.font("body", 42 * root.unit)
            }

            CardText {
                objectName: "address"
                visible: !root.waiting
                width: parent.width
                text: root.facts.address
                wrapMode: Text.WrapAnywhere
                maximumLineCount: 3
                elide: Text.ElideRight
                color: root.view.accent
                font: root.view.font("title", 52 * root.unit)
            }

            Row {
                id: tiles
                visible: !root.facts.isPaired
                // A code reads from left to right everywhere.
                LayoutMirroring.enabled: false
                LayoutMirroring.childrenInherit: true
                readonly property real tile: (parent.width - 5 * spacing - 50 * root.unit) / 6
                spacing: 14 * root.unit
                topPadding: 10 * root.unit

                Repeater {
                    model: (root.waiting ? "      " : root.facts.code).replace(/-/g, "").split("")

                    Row {
                        id: cell

                        required property string modelData
                        required property int index

                        Item {
                            width: cell.index === 3 ? 50 * root.unit : 0
                            height: tile.height
                            Bar {
                                anchors { verticalCenter: parent.verticalCenter; horizontalCenter: parent.horizontalCenter; horizontalCenterOffset: -tiles.spacing / 2 }
                                visible: cell.index === 3
                                width: 30 * root.unit
                                height: Math.max(2, 8 * root.unit)
                                color: root.view.text
                                opacity: 0.5
                            }
                        }

                        Rectangle {
                            id: tile
                            width: tiles.tile
                            height: tiles.tile * 1.36
                            radius: 18 * root.unit
                            color: "#10FFFFFF"
                            border.color: "#24FFFFFF"
                            border.width: Math.max(1, 2 * root.unit)

                            Text {
                                objectName: "codeLetter"
                                anchors.centerIn: parent
                                text: cell.modelData
                                textFormat: Text.PlainText
                                color: root.view.text
                                font: root.view.font("title", tiles.tile * 0.84)
                            }
                        }
                    }
                }
            }

            Column {
                visible: !root.waiting
                width: parent.width
                spacing: 16 * root.unit
                topPadding: 6 * root.unit

                Bar {
                    width: parent.width
                    color: "#1CFFFFFF"
                    Bar {
                        anchors.left: parent.left
                        width: parent.width * root.view.share
                    }
                }

                CardText {
                    objectName: "remaining"
                    width: parent.width
                    text: root.view.remaining
                    opacity: 0.62
                    font: root.view.font("body", 30 * root.unit)
                }
            }

            CardText {
                objectName: "trouble"
                visible: text !== ""
                width: parent.width
                text: root.facts.trouble
                maximumLineCount: 4
                elide: Text.ElideRight
                color: "#F0A36B"
                font: root.view.font("body", 32 * root.unit)
            }
        }

        Column {
            visible: root.facts.qr !== ""
            spacing: 26 * root.unit

            Rectangle {
                id: card
                width: 470 * root.unit
                height: width
                radius: 34 * root.unit
                color: "white"

                Image {
                    objectName: "qr"
                    // A whole number of pixels per module keeps every edge crisp.
                    readonly property int module: Math.max(1, Math.floor((card.width - 12 * root.unit) / Math.max(1, implicitWidth)))
                    anchors.centerIn: parent
                    width: implicitWidth * module
                    height: width
                    smooth: false
                    cache: false
                    source: root.facts.qr
                }
            }

            CardText {
                width: card.width
                horizontalAlignment: Text.AlignHCenter
                text: root.facts.scan || ""
                opacity: 0.62
                font: root.view.font("body", 30 * root.unit)
            }
        }
    }
}
