// What a row, a card, a heading, an item or a list has typeset: texts, lines and badges.
import QtQuick

Item {
    id: root

    anchors.fill: parent

    // With `runs`, `lines` and `tags`.
    required property var typeset
    // With the colours of the theme.
    required property var facts
    // Pixels of the display per canvas unit, and where this is on the canvas.
    required property real pixels
    required property real canvasX
    required property real canvasY
    property real strength: 1
    // So many texts keep their items when further ones come.
    property int least: 0
    // In place of a text that has just gone.
    readonly property var none: ({ name: "", text: "", first: "", more: [], hangs: [0], x: 0, y: 0, width: 0, line: 0, font: Qt.font({ pixelSize: 1 }), ink: "text", atRight: false, cells: [] })

    // Texts keep their items while their number stays.
    Repeater {
        model: Math.max(root.least, root.typeset.runs.length)

        TextRun {
            required property int index

            run: root.typeset.runs[index] ?? root.none
            facts: root.facts
            opacity: root.strength
        }
    }

    Repeater {
        model: root.typeset.lines

        Hairline {
            required property var modelData

            objectName: modelData.name
            // The box of a heading is behind its text, a line through a text above it.
            z: modelData.name === "headingBox" ? -1 : 0
            opacity: modelData.ink === "rule" ? 1 : root.strength
            x: modelData.x
            at: modelData.y
            parentY: root.canvasY
            width: modelData.width
            thickness: modelData.thickness
            color: root.facts[modelData.ink]
            pixels: root.pixels
        }
    }

    Repeater {
        model: root.typeset.tags

        Badge {
            required property var modelData

            badge: modelData
            foreground: root.facts[modelData.ink]
            opacity: modelData.strong ? 1 : root.strength
            pixels: root.pixels
            parentX: root.canvasX
            parentY: root.canvasY
        }
    }
}
