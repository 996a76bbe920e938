// The badges of an item: tags in their frames, icons, the letters of allergens.
import QtQuick

Repeater {
    id: root

    required property var facts
    // Where the parent is on the canvas, and pixels of the display per canvas unit.
    required property real parentX
    required property real parentY
    required property real pixels
    property real strength: 1

    Badge {
        required property var modelData

        badge: modelData
        foreground: root.facts[modelData.ink]
        opacity: modelData.strong ? 1 : root.strength
        pixels: root.pixels
        parentX: root.parentX
        parentY: root.parentY
    }
}
