// A video's frames without a GPU: Python creates the item that draws them.
import QtQuick

Item {
    id: root

    required property QtObject video

    Component.onCompleted: video.useCanvas(root)
}
