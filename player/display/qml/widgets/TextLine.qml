// A text or clock widget: lines on their baseline, within their box.
import QtQuick

Item {
    id: box

    required property var place
    property alias text: said.text
    property alias font: said.font
    property real baselineAt
    property real line

    x: place.x
    y: place.y
    z: place.z
    width: place.width
    height: place.height
    opacity: place.opacity

    Text {
        id: said
        y: box.baselineAt - baselineOffset
        width: box.width
        horizontalAlignment: box.place.align === "right" ? Text.AlignRight
                           : box.place.align === "center" ? Text.AlignHCenter : Text.AlignLeft
        color: box.place.color
        textFormat: Text.PlainText
        lineHeightMode: Text.FixedHeight
        lineHeight: box.line
    }
}
