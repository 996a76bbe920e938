// A text or clock widget: lines on their baseline, within their box.
import QtQuick

Item {
    id: root

    // Of the Loader in Scene.qml.
    readonly property var facts: widget.facts
    readonly property string text: content.text
    readonly property font font: content.font

    objectName: facts.kind

    Text {
        id: content
        y: root.facts.baseline - baselineOffset
        width: root.width
        horizontalAlignment: root.facts.align === "right" ? Text.AlignRight
                           : root.facts.align === "center" ? Text.AlignHCenter : Text.AlignLeft
        text: root.facts.text
        font: root.facts.font
        color: root.facts.color
        textFormat: Text.PlainText
        lineHeightMode: Text.FixedHeight
        lineHeight: root.facts.line
    }
}
