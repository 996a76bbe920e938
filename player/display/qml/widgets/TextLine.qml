// A text or clock widget: lines on their baseline, within their box.
import QtQuick

Item {
    id: root

    required property var facts
    property alias text: content.text
    property alias font: content.font
    property real baselineAt
    property real line

    x: facts.x
    y: facts.y
    z: facts.z
    width: facts.width
    height: facts.height
    opacity: facts.opacity

    Text {
        id: content
        y: root.baselineAt - baselineOffset
        width: root.width
        horizontalAlignment: root.facts.align === "right" ? Text.AlignRight
                           : root.facts.align === "center" ? Text.AlignHCenter : Text.AlignLeft
        color: root.facts.color
        textFormat: Text.PlainText
        lineHeightMode: Text.FixedHeight
        lineHeight: root.line
    }
}
