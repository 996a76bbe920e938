// A countdown: its lines, or the words and figures of a line, each on its baseline.
import QtQuick

Item {
    id: root

    // Of the Loader in Scene.qml.
    readonly property QtObject countdown: widget
    readonly property var facts: countdown.facts
    readonly property var parts: countdown.parts
    readonly property font textFont: countdown.font

    objectName: "countdown"
    x: facts.x
    y: facts.y
    width: facts.width
    height: facts.height
    opacity: facts.opacity

    Repeater {
        // A number, so that a new figure makes no new item.
        model: root.parts.length

        Text {
            required property int index
            readonly property var part: root.parts[index] ?? { text: "", x: 0, width: 0, align: "left", baseline: 0 }

            objectName: "countdownPart"
            x: part.x
            y: part.baseline - baselineOffset
            width: part.width
            horizontalAlignment: part.align === "right" ? Text.AlignRight
                               : part.align === "center" ? Text.AlignHCenter : Text.AlignLeft
            text: part.text
            textFormat: Text.PlainText
            font: root.textFont
            color: root.facts.color
        }
    }
}
