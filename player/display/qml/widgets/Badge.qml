// A small mark of a dish: a tag in its frame, or the letters of allergens without one.
import QtQuick

Rectangle {
    id: root

    required property var place
    required property font font
    required property color ink
    required property real stroke

    objectName: place.framed ? "tag" : "allergens"
    x: place.x
    y: place.y
    width: place.width
    height: place.height
    radius: height / 2
    color: "transparent"
    border.color: ink
    border.width: place.framed ? Math.max(1, stroke) : 0

    Text {
        anchors.centerIn: parent
        text: root.place.text
        textFormat: Text.PlainText
        font: root.font
        color: root.ink
    }
}
