// Runs of text, which keep their items while their number stays.
import QtQuick

Repeater {
    id: root

    required property var runs
    required property var facts
    property real strength: 1
    // So many items stay when further texts come.
    property int least: 0
    // In place of a run that has just gone.
    readonly property var none: ({ name: "", text: "", first: "", more: [], x: 0, y: 0, width: 0, line: 0, font: Qt.font({ pixelSize: 1 }), ink: "text", atRight: false })

    model: Math.max(least, runs.length)

    TextRun {
        required property int index

        run: root.runs[index] ?? root.none
        facts: root.facts
        opacity: root.strength
    }
}
