// A badge of an item: a tag in its frame, or the letters of allergens without one.
import QtQuick

Rectangle {
    id: root

    required property var badge
    required property font font
    required property color foreground
    required property real stroke

    objectName: badge.framed ? "tag" : "allergens"
    x: badge.x
    y: badge.y
    width: badge.width
    height: badge.height
    radius: height / 2
    color: "transparent"
    border.color: foreground
    border.width: badge.framed ? Math.max(1, stroke) : 0

    Text {
        anchors.centerIn: parent
        text: root.badge.text
        textFormat: Text.PlainText
        font: root.font
        color: root.foreground
    }
}
