// A run of text, each line on a baseline of its own: within one Text, a line's position depends on the fonts of its
// letters.
import QtQuick

Item {
    id: root

    required property var run
    // With the colours of the theme.
    required property var facts
    readonly property string text: run.text
    readonly property font font: run.font
    readonly property color color: facts[run.ink]
    readonly property real lineHeight: run.line

    component Line: Text {
        property int number: 0

        x: -root.run.hangs[number] || 0
        y: root.baselineOffset + number * root.lineHeight - baselineOffset
        width: root.width
        textFormat: Text.PlainText
        font: root.font
        color: root.color
        horizontalAlignment: root.run.atRight ? Text.AlignRight : Text.AlignLeft
        lineHeight: root.lineHeight > 0 ? root.lineHeight : 1
        lineHeightMode: root.lineHeight > 0 ? Text.FixedHeight : Text.ProportionalHeight
    }

    objectName: run.name
    visible: text !== ""
    // The scene graph adds positions in single precision: which way half a pixel is rounded depends on the sums.
    baselineOffset: lineHeight > 0 ? lineHeight * 0.75 : first.baselineOffset
    x: run.x
    y: run.y - baselineOffset
    width: run.width
    height: lineHeight > 0 ? (run.more.length + 1) * lineHeight : first.height

    Line {
        id: first
        text: root.run.cells.length > 0 ? "" : root.run.first
    }

    // Figures of a font that has them in several widths.
    Repeater {
        model: root.run.cells

        Line {
            required property var modelData

            x: modelData.x
            width: implicitWidth
            text: modelData.text
        }
    }

    Repeater {
        model: root.run.more

        Line {
            required property int index
            required property string modelData

            number: index + 1
            text: modelData
        }
    }
}
