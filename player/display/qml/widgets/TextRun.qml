// A run of text, each line on a baseline of its own: within one Text, a line's position depends on the fonts of its
// letters.
import QtQuick

Text {
    id: root

    required property var run
    // With the colours of the theme.
    required property var facts

    objectName: run.name
    visible: text !== ""
    x: run.x
    y: run.y - baselineOffset
    width: run.width
    height: (run.more.length + 1) * contentHeight
    text: run.text
    textFormat: Text.PlainText
    font: run.font
    color: facts[run.ink]
    horizontalAlignment: run.atRight ? Text.AlignRight : Text.AlignLeft
    lineHeight: run.line > 0 ? run.line : 1
    lineHeightMode: run.line > 0 ? Text.FixedHeight : Text.ProportionalHeight

    Repeater {
        model: root.run.more

        Text {
            required property int index
            required property string modelData

            y: root.baselineOffset + (index + 1) * root.run.line - baselineOffset
            width: root.width
            text: modelData
            textFormat: Text.PlainText
            font: root.font
            color: root.color
            horizontalAlignment: root.horizontalAlignment
            lineHeight: root.lineHeight
            lineHeightMode: root.lineHeightMode
        }
    }
}
