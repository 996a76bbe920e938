// Each line stands on its own baseline: in one text, a line's place depends on which faces its letters come from.
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
