// A badge of an item: a tag in its frame, its icon, or the letters of allergens.
import QtQuick

Item {
    id: root

    required property var badge
    required property color foreground
    // Pixels of the display per canvas unit, and where the parent is on the canvas: a frame lies on whole pixels.
    required property real pixels
    required property real parentX
    required property real parentY

    function snapped(at: real, parentAt: real): real {
        return Math.round((parentAt + at) * pixels) / pixels - parentAt;
    }

    objectName: badge.framed ? "tag" : badge.icon !== "" ? "icon" : "allergens"
    x: snapped(badge.x, parentX)
    y: snapped(badge.y, parentY)
    width: snapped(badge.x + badge.width, parentX) - x
    height: snapped(badge.y + badge.height, parentY) - y

    Text {
        id: letters
        anchors.centerIn: parent
        text: root.badge.text
        textFormat: Text.PlainText
        font: root.badge.font
        color: root.foreground

        Loader {
            active: root.badge.icon !== ""
            x: -letters.x
            y: -letters.y
            width: root.width
            height: root.height
            sourceComponent: TagIcon {
                icon: root.badge.icon
                ink: root.badge.own ?? root.foreground
                pixels: root.pixels
            }
        }

        // In pixels: the software scene graph draws the frame of an item that is scaled on whole units of the item.
        Rectangle {
            visible: root.badge.framed
            x: -letters.x
            y: -letters.y
            width: Math.round(root.width * root.pixels)
            height: Math.round(root.height * root.pixels)
            transformOrigin: Item.TopLeft
            scale: 1 / root.pixels
            radius: height / 2
            color: "transparent"
            border.color: root.foreground
            border.width: Math.max(1, Math.round(root.badge.stroke * root.pixels))
        }
    }
}
