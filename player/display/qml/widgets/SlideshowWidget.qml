// A slideshow: the slide that shows, and the one that comes or leaves. A panel where none can be shown.
import QtQuick

Item {
    id: root

    // Of the Loader in Scene.qml.
    readonly property QtObject slideshow: widget
    readonly property var facts: slideshow.facts

    objectName: "slideshow"
    clip: true

    Rectangle {
        objectName: "slideshowPlaceholder"
        anchors.fill: parent
        visible: root.facts.empty
        color: root.facts.placeholder
    }

    Repeater {
        model: root.slideshow.slides

        Item {
            id: item

            required property var entry
            readonly property QtObject slide: entry.slide

            objectName: "slide"
            anchors.fill: parent
            z: slide.order
            opacity: slide.shown ? 1 : 0
            onOpacityChanged: if (opacity === 0) slide.fadedOut()

            Behavior on opacity {
                // A cut is one at once, also where nothing is drawn yet.
                enabled: item.slide.fade > 0

                SequentialAnimation {
                    PauseAnimation {
                        duration: item.slide.pause
                    }
                    NumberAnimation {
                        duration: item.slide.fade
                        easing.type: Easing.InOutQuad
                    }
                }
            }

            BoxedImage {
                objectName: "slideImage"
                anchors.fill: parent
                visible: plan !== null
                plan: item.slide.plan
                onSettled: drawn => {
                    scene.imageSettled(item.slide.part, drawn);
                    item.slide.imageSettled(drawn);
                }
            }

            Repeater {
                model: item.slide.films

                VideoWidget {
                    required property QtObject modelData

                    anchors.fill: parent
                    video: modelData
                }
            }
        }
    }
}
