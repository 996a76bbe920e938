// The pictures, one over the other, and the banner that names the screen.
import QtQuick

Rectangle {
    id: root

    required property QtObject stage

    color: "#101418"
    focus: true
    Keys.onEscapePressed: stage.escape()

    Repeater {
        model: root.stage

        Item {
            id: host

            required property QtObject picture
            required property int index
            property string kind: "cut"
            property real cover: 1
            readonly property bool entering: picture.phase === "entering"
            readonly property bool moving: entering || picture.phase === "leaving"

            objectName: "host"
            z: index
            width: kind === "wipe" && entering ? root.width * cover : root.width
            height: root.height
            x: kind === "slide" && entering ? root.width * (1 - cover) : 0
            clip: kind === "wipe" && entering
            visible: picture.phase !== "preparing"

            Connections {
                target: host.picture

                function onEnterRequested(kind, milliseconds) {
                    host.kind = kind;
                    // Not from 0: the first frame of a transition shows something of what comes in.
                    come.duration = milliseconds;
                    come.restart();
                }
            }

            NumberAnimation {
                id: come
                target: host
                property: "cover"
                from: 0.02
                to: 1
                easing.type: host.kind === "fade" ? Easing.InOutQuad : Easing.InOutCubic
                onFinished: host.picture.finish()
            }

            Item {
                width: root.width
                height: root.height
                opacity: host.kind === "fade" && host.entering ? host.cover : 1
                // Flattened while it comes in, so that what overlaps in it does not shine through. The one below is whole
                // anyway, and its layer would cost 16 MB at full HD.
                layer.enabled: host.entering

                Loader {
                    anchors.fill: parent
                    asynchronous: host.picture.patient
                    onLoaded: host.picture.built()
                    Component.onCompleted: setSource(host.picture.source, { picture: host.picture })
                }
            }
        }
    }

    Rectangle {
        id: banner
        objectName: "banner"
        readonly property real unit: Math.min(root.width, root.height) / 1080
        visible: root.stage.banner !== ""
        z: 100
        anchors.horizontalCenter: parent.horizontalCenter
        y: 56 * unit
        width: Math.min(root.width * 0.9, bannerText.implicitWidth + 120 * unit)
        height: 128 * unit
        radius: height / 2
        color: "#E9B44C"

        Text {
            id: bannerText
            objectName: "bannerText"
            anchors.centerIn: parent
            width: Math.min(implicitWidth, root.width * 0.9 - 120 * banner.unit)
            elide: Text.ElideRight
            text: root.stage.banner
            textFormat: Text.PlainText
            color: "#1A1408"
            font { family: "Inter"; weight: Font.DemiBold; pixelSize: Math.max(12, 60 * banner.unit) }
        }
    }
}
