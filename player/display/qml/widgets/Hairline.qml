// A hairline of a widget: on whole pixels of the display, and never thinner than one.
import QtQuick

Item {
    id: root

    // From the parent's top, which is at parentY on the canvas; canvas units.
    required property real at
    required property real parentY
    required property real thickness
    required property color color
    // Pixels of the display per canvas unit.
    required property real pixels

    y: Math.round((parentY + at) * pixels) / pixels - parentY
    height: Math.max(1, Math.round(thickness * pixels)) / pixels

    // In pixels: the software scene graph draws an item that is scaled on whole units of the item.
    Rectangle {
        width: Math.round(root.width * root.pixels)
        height: Math.round(root.height * root.pixels)
        transformOrigin: Item.TopLeft
        scale: 1 / root.pixels
        color: root.color
    }
}
