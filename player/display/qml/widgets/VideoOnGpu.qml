// A video's frames, drawn by a GPU.
import QtQuick
import QtMultimedia

VideoOutput {
    id: root

    required property QtObject video
    required property Item poster

    anchors.fill: parent
    visible: video.drawn
    fillMode: video.facts.fit === "cover" ? VideoOutput.PreserveAspectCrop
            : video.facts.fit === "contain" ? VideoOutput.PreserveAspectFit : VideoOutput.Stretch
    Component.onCompleted: video.useSink(videoSink)
}
