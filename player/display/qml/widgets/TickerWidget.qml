// A ticker: copies of one line, side by side, that move by one copy and begin again, so that no seam shows. The scene
// graph runs the animation: no code of ours runs per frame.
import QtQuick

Item {
    id: root

    // Of the Loader in Scene.qml.
    readonly property var ticker: widget.facts
    readonly property bool running: scene.phase !== "preparing"
    readonly property bool mirrored: ticker.rightToLeft
    readonly property real begun: movement.from

    objectName: "ticker"
    clip: true

    function begin() {
        movement.stop();
        movement.from = widget.start(ticker.period);
        movement.running = running && ticker.messages.length > 0;
    }

    // What runs goes on to where it was told to go when it began.
    onTickerChanged: begin()
    onRunningChanged: begin()
    Component.onCompleted: begin()

    Connections {
        target: widget

        function onBegun() {
            root.begin();
        }
    }

    Rectangle {
        anchors.fill: parent
        visible: root.ticker.panel.a > 0
        color: root.ticker.panel
    }

    Item {
        id: line
        objectName: "tickerLine"
        property real run: 0
        readonly property real moved: run > root.ticker.period ? run - root.ticker.period : run
        // The line enters on the right; on a right-to-left board, on the left.
        x: root.mirrored ? moved : -moved
        height: parent.height

        NumberAnimation on run {
            id: movement
            running: false
            to: from + root.ticker.period
            duration: root.ticker.milliseconds
            loops: Animation.Infinite
        }

        Repeater {
            model: root.ticker.copies

            Item {
                id: copy

                required property int index
                readonly property real at: index * root.ticker.period

                Repeater {
                    model: root.ticker.messages

                    Item {
                        id: message

                        required property var modelData
                        readonly property real textX: copy.at + modelData.x
                        readonly property real dotX: copy.at + modelData.dotX

                        Text {
                            objectName: "tickerText"
                            x: root.mirrored ? root.width - message.textX - message.modelData.width : message.textX
                            y: root.ticker.baseline - baselineOffset
                            text: message.modelData.text
                            textFormat: Text.PlainText
                            font: root.ticker.font
                            color: root.ticker.color
                        }

                        Rectangle {
                            x: root.mirrored ? root.width - message.dotX - width : message.dotX
                            y: root.ticker.dotY
                            width: root.ticker.dot
                            height: width
                            radius: width / 2
                            color: root.ticker.accent
                        }
                    }
                }
            }
        }
    }
}
