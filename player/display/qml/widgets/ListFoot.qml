// What a list explains at its foot: its icons, what an adult needs in a day, its allergens.
import QtQuick

Item {
    id: root

    required property var facts
    required property var layout
    // Pixels of the display per canvas unit.
    required property real pixels
    // Between the hairline and the first line, in ems of the list.
    required property real apart

    Hairline {
        objectName: "legendRule"
        visible: root.layout.legend !== "" || root.layout.note !== "" || root.layout.icons.length > 0
        x: root.layout.left
        at: root.layout.footY - root.layout.size * root.apart
        parentY: root.facts.y
        width: root.layout.width
        thickness: root.layout.size * 0.035
        color: root.facts.rule
        pixels: root.pixels
    }

    IconLegend {
        model: root.layout.icons
        font: root.layout.detailFont
        ink: root.facts.accent
        foreground: root.facts.secondary
        pixels: root.pixels
    }

    TextLines {
        objectName: "energyNote"
        mirrored: root.facts.rightToLeft
        x: root.layout.left
        width: root.layout.width
        baselineAt: root.layout.noteBaseline
        text: root.layout.note
        font: root.layout.noteFont
        color: root.layout.largeEnergy ? root.facts.text : root.facts.secondary
        lineHeight: root.layout.noteLine
    }

    TextLines {
        objectName: "legend"
        mirrored: root.facts.rightToLeft
        x: root.layout.left
        width: root.layout.width
        baselineAt: root.layout.legendBaseline
        text: root.layout.legend
        font: root.layout.detailFont
        color: root.facts.secondary
        lineHeight: root.layout.detailLine
    }
}
