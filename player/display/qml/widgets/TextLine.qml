// A text or clock widget: lines on their baseline, within their box.
import QtQuick

Item {
    id: root

    // Of the Loader in Scene.qml.
    readonly property var facts: widget.facts
    readonly property string text: content.text
    readonly property font font: content.font

    objectName: facts.kind

    component Lines: Text {
        y: root.facts.baseline - baselineOffset
        width: root.width
        horizontalAlignment: root.facts.align === "right" ? Text.AlignRight
                           : root.facts.align === "center" ? Text.AlignHCenter : Text.AlignLeft
        text: root.facts.text
        font: root.facts.font
        textFormat: Text.PlainText
        lineHeightMode: Text.FixedHeight
        lineHeight: root.facts.line
    }

    Lines {
        id: content
        color: root.facts.color

        Repeater {
            model: root.facts.shadows

            Lines {
                required property var modelData

                objectName: "shadow"
                z: -1
                x: modelData.x
                y: modelData.y
                color: root.facts.shadow
            }
        }
    }
}
