// A scene: the canvas, scaled as a whole, and its widgets in drawing order.
import QtQuick
import "../widgets"

Rectangle {
    id: root

    required property QtObject view
    readonly property var base: view.base

    color: base.color

    Item {
        id: canvas
        objectName: "canvas"
        // Begins on a whole pixel, so that content on whole pixels of the canvas is crisp.
        readonly property real pixels: scale * Screen.devicePixelRatio
        x: Math.round((root.width - width * scale) / 2)
        y: Math.round((root.height - height * scale) / 2)
        width: root.base.width
        height: root.base.height
        transformOrigin: Item.TopLeft
        scale: Math.min(root.width / width, root.height / height)
        clip: true

        Rectangle {
            anchors.centerIn: parent
            visible: root.base.gradient !== null
            width: root.base.gradient ? root.base.gradient.length : 0
            height: root.base.gradient ? root.base.gradient.breadth : 0
            rotation: root.base.gradient ? root.base.gradient.angle : 0
            gradient: Gradient {
                orientation: Gradient.Horizontal
                GradientStop { position: 0; color: root.base.gradient ? root.base.gradient.from : "transparent" }
                GradientStop { position: 1; color: root.base.gradient ? root.base.gradient.to : "transparent" }
            }
        }

        BoxedImage {
            anchors.fill: parent
            visible: root.base.image !== null
            color: "transparent"
            plan: root.base.image
            onSettled: drawn => root.view.imageSettled("background", drawn)
        }

        Rectangle {
            anchors.fill: parent
            visible: root.base.scrim.a > 0
            color: root.base.scrim
        }

        Repeater {
            model: root.view.images

            BoxedImage {
                required property var modelData

                objectName: "image"
                x: modelData.x
                y: modelData.y
                z: modelData.z
                width: modelData.width
                height: modelData.height
                opacity: modelData.opacity
                color: modelData.placeholder
                plan: modelData.image
                onSettled: drawn => root.view.imageSettled(modelData.id, drawn)
            }
        }

        Repeater {
            model: root.view.videos

            VideoWidget {
                required property QtObject modelData

                video: modelData
                onPosterSettled: drawn => root.view.posterSettled(modelData.facts.id, drawn)
            }
        }

        Repeater {
            model: root.view.slideshows

            SlideshowWidget {
                required property QtObject modelData

                slideshow: modelData
            }
        }

        Repeater {
            model: root.view.texts

            TextLine {
                required property var modelData

                objectName: "text"
                facts: modelData
                text: modelData.text
                font: modelData.font
                baselineAt: modelData.baseline
                line: modelData.line
            }
        }

        Repeater {
            model: root.view.clocks

            TextLine {
                required property QtObject modelData

                objectName: "clock"
                facts: modelData.facts
                text: modelData.text
                font: modelData.font
                baselineAt: modelData.baseline
                line: modelData.line
            }
        }

        Repeater {
            model: root.view.countdowns

            CountdownWidget {
                required property QtObject modelData

                countdown: modelData
            }
        }

        Repeater {
            model: root.view.menus

            MenuWidget {
                required property QtObject modelData

                menu: modelData
            }
        }

        Repeater {
            model: root.view.items

            ItemWidget {
                required property QtObject modelData

                item: modelData
                onSettled: drawn => root.view.imageSettled(facts.id, drawn)
            }
        }

        Repeater {
            model: root.view.tickers

            TickerWidget {
                required property var modelData

                ticker: modelData
                running: root.view.phase !== "preparing"
            }
        }

        Repeater {
            model: root.view.codes

            QrWidget {
                required property var modelData

                code: modelData
                pixels: canvas.pixels
            }
        }

        Repeater {
            model: root.view.shapes

            ShapeWidget {
                required property var modelData

                shape: modelData
                pixels: canvas.pixels
            }
        }
    }
}
