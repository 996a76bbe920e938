// An item widget: one item as on a poster; draws the layout that Python computed.
import QtQuick

Item {
    id: root

    required property QtObject item
    // Pixels of the display per canvas unit.
    required property real pixels
    required property bool holdsImage
    readonly property var facts: item.facts
    readonly property var layout: item.layout
    readonly property bool shown: layout.shown
    signal settled(bool drawn)

    // A new item or price is visible from the first frame, faint at first.
    property real fadeIn: 1
    property real priceFadeIn: 1

    objectName: "item"
    x: facts.x
    y: facts.y
    z: facts.z
    width: facts.width
    height: facts.height
    opacity: facts.opacity
    visible: shown
    // Clips only what cannot fit: some scripts reach below their line.
    clip: layout.cut

    Connections {
        target: root.item

        function onReplaced() {
            fadeInAnimation.restart();
        }

        function onRepriced() {
            priceFadeInAnimation.restart();
        }
    }

    NumberAnimation {
        id: fadeInAnimation
        target: root
        property: "fadeIn"
        from: 0.1
        to: 1
        duration: 260
    }

    NumberAnimation {
        id: priceFadeInAnimation
        target: root
        property: "priceFadeIn"
        from: 0.2
        to: 1
        duration: 420
    }

    component ItemText: TextLines {
        required property var lines

        opacity: root.fadeIn
        mirrored: root.facts.rightToLeft
        x: lines.x
        width: lines.width
        baselineAt: lines.baseline
        text: lines.text
        font: lines.font
        lineHeight: lines.line
    }

    Rectangle {
        anchors.fill: parent
        visible: root.facts.panel.a > 0
        color: root.facts.panel
        radius: root.facts.radius
    }

    BoxedImage {
        objectName: "itemImage"
        visible: root.layout.hasImageBox
        opacity: root.fadeIn
        x: root.layout.imageBox.x
        y: root.layout.imageBox.y
        width: root.layout.imageBox.width
        height: root.layout.imageBox.height
        placeholder: root.facts.placeholder
        plan: root.layout.image
        held: root.holdsImage
        onSettled: drawn => root.settled(drawn)
    }

    ItemText {
        objectName: "itemName"
        lines: root.layout.name
        color: root.facts.text
    }

    Rectangle {
        opacity: root.fadeIn
        x: root.layout.bar.x
        y: root.layout.bar.y
        width: root.layout.bar.width
        height: root.layout.bar.height
        radius: height / 2
        color: root.facts.accent
    }

    ItemText {
        objectName: "itemDetails"
        lines: root.layout.details
        color: root.facts.secondary
    }

    Repeater {
        model: root.layout.tags

        Badge {
            required property var modelData

            opacity: root.fadeIn
            badge: modelData
            font: root.layout.tagFont
            foreground: root.facts.accent
            stroke: root.layout.tagsSize * 0.03
            pixels: root.pixels
            parentX: root.facts.x
            parentY: root.facts.y
        }
    }

    Text {
        objectName: "itemPrice"
        visible: text !== ""
        opacity: root.fadeIn * root.priceFadeIn
        x: root.layout.priceX
        y: root.layout.priceBaseline - baselineOffset
        text: root.layout.price
        textFormat: Text.PlainText
        font: root.layout.priceFont
        color: root.facts.accent
        horizontalAlignment: Text.AlignLeft
        lineHeight: root.layout.priceLine
        lineHeightMode: Text.FixedHeight
    }

    Repeater {
        model: root.layout.priceWords

        Text {
            required property var modelData

            objectName: "itemPriceWord"
            opacity: root.fadeIn * root.priceFadeIn
            x: modelData.x
            y: root.layout.priceBaseline - baselineOffset
            text: modelData.text
            textFormat: Text.PlainText
            font: root.layout.priceWordFont
            color: root.facts.secondary
            horizontalAlignment: Text.AlignLeft
        }
    }

    Text {
        objectName: "itemRegularPrice"
        visible: text !== ""
        opacity: root.fadeIn * root.priceFadeIn
        x: root.layout.regularX
        y: root.layout.priceBaseline - baselineOffset
        text: root.layout.regular
        textFormat: Text.PlainText
        font: root.layout.regularFont
        color: root.facts.secondary
        horizontalAlignment: Text.AlignLeft
    }

    Text {
        objectName: "itemSaving"
        visible: text !== ""
        opacity: root.fadeIn * root.priceFadeIn
        x: root.layout.savingX
        y: root.layout.savingBaseline - baselineOffset
        text: root.layout.saving
        textFormat: Text.PlainText
        font: root.layout.savingFont
        color: root.facts.text
        horizontalAlignment: Text.AlignLeft
    }

    Repeater {
        model: root.layout.variants

        Item {
            id: variant

            required property var modelData

            component VariantText: Text {
                property real baselineAt

                y: baselineAt - baselineOffset
                width: variant.width
                textFormat: Text.PlainText
                horizontalAlignment: root.facts.rightToLeft ? Text.AlignRight : Text.AlignLeft
            }

            opacity: root.fadeIn * root.priceFadeIn
            x: modelData.x
            y: modelData.y
            width: modelData.width

            VariantText {
                objectName: "itemVariant"
                baselineAt: root.layout.variantNameBaseline
                text: variant.modelData.name
                font: root.layout.variantNameFont
                color: root.facts.secondary
            }

            VariantText {
                objectName: "itemVariantPrice"
                baselineAt: root.layout.variantBaseline
                text: variant.modelData.price
                font: root.layout.variantFont
                color: root.facts.accent
            }

            Text {
                objectName: "itemVariantRegular"
                visible: text !== ""
                x: variant.modelData.regularX
                y: root.layout.variantBaseline - baselineOffset
                text: variant.modelData.regular
                textFormat: Text.PlainText
                font: root.layout.variantRegularFont
                color: root.facts.secondary
                horizontalAlignment: Text.AlignLeft
            }
        }
    }

    Repeater {
        model: root.layout.strikes

        Hairline {
            required property var modelData

            objectName: "strike"
            opacity: root.fadeIn * root.priceFadeIn
            x: modelData.x
            at: modelData.y - modelData.thickness / 2
            parentY: root.facts.y
            width: modelData.width
            thickness: modelData.thickness
            color: root.facts.secondary
            pixels: root.pixels
        }
    }

    Hairline {
        objectName: "itemRule"
        visible: root.layout.foot.text !== ""
        opacity: root.fadeIn
        x: root.layout.rule.x
        at: root.layout.rule.y
        parentY: root.facts.y
        width: root.layout.rule.width
        thickness: root.layout.rule.height
        color: root.facts.rule
        pixels: root.pixels
    }

    ItemText {
        objectName: "itemAllergens"
        lines: root.layout.foot
        color: root.facts.secondary
    }
}
