// What the icons of a list mean: each beside its word.
import QtQuick

Repeater {
    id: root

    required property font font
    required property color ink
    required property color foreground
    // Pixels of the display per canvas unit.
    required property real pixels

    Item {
        id: line

        required property var modelData

        objectName: "iconLegend"

        TagIcon {
            icon: line.modelData.icon
            x: line.modelData.x
            y: line.modelData.y
            width: line.modelData.iconWidth
            height: line.modelData.iconHeight
            ink: root.ink
            pixels: root.pixels
        }

        Text {
            objectName: "iconMeaning"
            x: line.modelData.textX
            y: line.modelData.baseline - baselineOffset
            text: line.modelData.text
            textFormat: Text.PlainText
            font: root.font
            color: root.foreground
            horizontalAlignment: Text.AlignLeft
        }
    }
}
