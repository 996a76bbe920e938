// A video's frames without a GPU, in the middle of its box.
import QtQuick

Item {
    id: root

    required property QtObject video
    // Not `BoxedImage`: a type of ours is looked up among those of all engines of the process as it is handed over,
    // and Qt 6.8 has once not found it ("Could not set initial property").
    required property Item poster
    property var picture: ({ url: "", width: 0, height: 0, imageWidth: 0 })

    anchors.fill: parent

    // The last one stays until the poster, which takes its place when the film ends, is decoded.
    Binding {
        target: root
        property: "picture"
        value: root.video.picture
        when: root.video.picture.url !== "" || !root.poster.loading
        restoreMode: Binding.RestoreNone
    }

    Connections {
        target: root.Window.window
        enabled: root.picture.url !== ""

        // The picture's pixels are written to by another thread.
        function onBeforeSynchronizing() {
            root.video.finishPicture();
        }

        function onFrameSwapped() {
            root.video.pictureShown();
        }
    }

    Loader {
        anchors.centerIn: parent
        width: root.width * root.picture.width
        height: root.height * root.picture.height
        active: root.picture.url !== ""

        sourceComponent: Item {
            clip: frame.width > width

            Image {
                id: frame
                objectName: "frame"
                width: root.width * root.picture.imageWidth
                height: parent.height
                source: root.picture.url
                cache: false
            }
        }
    }
}
