// A scene: the canvas, scaled as a whole, and its widgets in drawing order.
import QtQuick
import "../widgets"

Rectangle {
    id: root

    // Of the Loader in Stage.qml.
    readonly property QtObject view: shown
    readonly property var base: view.base
    // Whole pixels, as the canvas's corner: so many units of the canvas lie left of what this screen draws.
    readonly property real hidden: Math.round(base.part.x * canvas.pixels) / canvas.pixels

    color: base.color

    // The background, on the canvas and beyond it, to the panel's edge.
    Item {
        id: backdrop
        objectName: "backdrop"
        readonly property real across: width / canvas.scale
        readonly property real down: height / canvas.scale
        // How much larger the panel is than its part of the canvas.
        readonly property real reach: Math.max(across / canvas.width, down / canvas.height)
        // What the stage keeps free around the view: the background reaches beneath it.
        x: -glass.marginX
        y: -glass.marginY
        width: root.width + 2 * glass.marginX
        height: root.height + 2 * glass.marginY
        clip: true

        Item {
            x: canvas.x - backdrop.x - root.hidden * canvas.scale
            y: canvas.y - backdrop.y
            width: root.base.width
            height: canvas.height
            transformOrigin: Item.TopLeft
            scale: canvas.scale

            Rectangle {
                id: wash
                // Its own edge, which a rotation blurs, stays outside.
                readonly property real edge: 8
                readonly property real turn: root.base.gradient ? root.base.gradient.angle * Math.PI / 180 : 0
                readonly property real cosine: Math.abs(Math.cos(turn))
                readonly property real sine: Math.abs(Math.sin(turn))
                // From 0 to 1 on the canvas; the ends' colours go on beyond it.
                readonly property real share: root.base.gradient && width > 0 ? root.base.gradient.length / width : 1
                anchors.centerIn: parent
                visible: root.base.gradient !== null
                width: root.base.gradient ? backdrop.reach * (parent.width * cosine + parent.height * sine) + edge : 0
                height: root.base.gradient ? backdrop.reach * (parent.width * sine + parent.height * cosine) + edge : 0
                rotation: root.base.gradient ? root.base.gradient.angle : 0
                gradient: Gradient {
                    orientation: Gradient.Horizontal
                    GradientStop { position: (1 - wash.share) / 2; color: root.base.gradient ? root.base.gradient.from : "transparent" }
                    GradientStop { position: (1 + wash.share) / 2; color: root.base.gradient ? root.base.gradient.to : "transparent" }
                }
            }

            BoxedImage {
                anchors.fill: parent
                visible: root.base.image !== null
                plan: root.base.image
                scale: root.base.bleeds && backdrop.reach <= root.base.mostReach ? backdrop.reach : 1
                onSettled: drawn => root.view.imageSettled("background", drawn)
            }
        }

        Rectangle {
            anchors.fill: parent
            visible: root.base.scrim.a > 0
            color: root.base.scrim
        }
    }

    // What this screen draws of the canvas.
    Item {
        id: canvas
        objectName: "canvas"
        // Begins on a whole pixel, so that content on whole pixels of the canvas is crisp.
        readonly property real pixels: scale * Screen.devicePixelRatio
        x: Math.round((root.width - width * scale) / 2)
        y: Math.round((root.height - height * scale) / 2)
        width: root.base.part.width
        height: root.base.part.height
        transformOrigin: Item.TopLeft
        scale: Math.min(root.width / width, root.height / height)
        clip: true

        Repeater {
            model: root.view.widgets

            Loader {
                required property QtObject modelData
                // What it loads reads these by their names. Not by setSource(): Qt 6.8 never frees the values that it
                // is given.
                readonly property QtObject widget: modelData
                readonly property QtObject scene: root.view
                readonly property real pixelsPerUnit: canvas.pixels
                readonly property var box: modelData.facts

                x: box.x - root.hidden
                y: box.y
                width: box.width
                height: box.height
                opacity: box.opacity
                source: `../widgets/${modelData.file}`
                onStatusChanged: if (status === Loader.Error) root.view.fail()
            }
        }
    }
}
