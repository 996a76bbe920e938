// A video in its box; without a frame, its poster or a placeholder.
import QtQuick

Item {
    id: root

    // Of the Loader in Scene.qml, or of a slideshow.
    property QtObject video: widget
    readonly property var facts: video.facts

    objectName: "video"
    clip: true

    BoxedImage {
        id: poster
        objectName: "poster"
        anchors.fill: parent
        visible: !root.video.drawn
        placeholder: root.video.poster ? "transparent" : root.facts.placeholder
        plan: root.video.poster
        onSettled: drawn => {
            scene.imageSettled(`${root.facts.id}/poster`, drawn);
            root.video.notePoster();
        }
    }

    // Not by a Loader's setSource(): Qt 6.8 never frees the values that it is given.
    Item {
        id: frames
        anchors.fill: parent
        Component.onCompleted: Qt.createComponent(root.video.surface)
                                 .createObject(frames, { video: root.video, poster: poster })
    }

    Loader {
        active: root.facts.sound
        source: "VideoSound.qml"
        onLoaded: root.video.useSound(item)
    }
}
