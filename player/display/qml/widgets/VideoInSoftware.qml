// A video's frames where no GPU draws: Python makes the item that draws them.
import QtQuick

Item {
    id: root

    required property QtObject video

    Component.onCompleted: video.canvas(root)
}
