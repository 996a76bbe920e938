// Lines of text, each on a baseline of its own: within one Text, a line's position depends on the fonts of its letters.
import QtQuick

Item {
    id: root

    property string text
    property font font
    property color color
    property real baselineAt
    property real lineHeight
    property bool mirrored: false
    readonly property real contentHeight: repeater.count * lineHeight

    visible: text !== ""
    baselineOffset: lineHeight * 0.75
    y: baselineAt - baselineOffset
    height: contentHeight

    Repeater {
        id: repeater
        model: root.text === "" ? [] : root.text.split("\n")

        Text {
            required property int index
            required property string modelData

            width: root.width
            y: root.baselineOffset + index * root.lineHeight - baselineOffset
            text: modelData
            textFormat: Text.PlainText
            font: root.font
            color: root.color
            horizontalAlignment: root.mirrored ? Text.AlignRight : Text.AlignLeft
            lineHeight: root.lineHeight
            lineHeightMode: Text.FixedHeight
        }
    }
}
