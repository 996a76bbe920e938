// Hairlines, and lines that strike texts.
import QtQuick

Repeater {
    id: root

    required property var facts
    // Where the parent's top is on the canvas, and pixels of the display per canvas unit.
    required property real parentY
    required property real pixels
    property real strength: 1

    Hairline {
        required property var modelData

        objectName: modelData.name
        opacity: modelData.ink === "rule" ? 1 : root.strength
        x: modelData.x
        at: modelData.y
        parentY: root.parentY
        width: modelData.width
        thickness: modelData.thickness
        color: root.facts[modelData.ink]
        pixels: root.pixels
    }
}
