// An item widget: one item as on a poster; draws the layout that Python computed.
import QtQuick

Item {
    id: root

    // Of the Loader in Scene.qml.
    readonly property QtObject item: widget
    readonly property real pixels: pixelsPerUnit
    readonly property var facts: item.facts
    readonly property var layout: item.layout
    readonly property bool shown: layout.shown

    // A new item or price is visible from the first frame, faint at first.
    property real fadeIn: 1
    property real priceFadeIn: 1

    objectName: "item"
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
        onSettled: drawn => scene.imageSettled(root.facts.id, drawn)
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

    Typeset {
        typeset: root.layout.texts
        facts: root.facts
        strength: root.fadeIn
        least: 3
        pixels: root.pixels
        canvasX: root.facts.x
        canvasY: root.facts.y
    }

    Typeset {
        typeset: root.layout.prices
        facts: root.facts
        strength: root.fadeIn * root.priceFadeIn
        pixels: root.pixels
        canvasX: root.facts.x
        canvasY: root.facts.y
    }
}
