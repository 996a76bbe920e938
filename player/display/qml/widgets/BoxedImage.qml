// An image, clipped to its box; it is filled with the placeholder's colour until the image is loaded, or if it fails.
import QtQuick

Rectangle {
    id: root

    property var plan: null
    property color placeholder: "transparent"
    readonly property bool loading: image.status === Image.Loading
    readonly property bool ready: image.status === Image.Ready
    signal settled(bool drawn)

    clip: true
    color: image.status === Image.Ready ? "transparent" : placeholder

    Image {
        id: image
        readonly property bool sideways: root.plan ? root.plan.degrees % 180 !== 0 : false
        // About its middle it is turned and mirrored, where that was not done while the file was read.
        x: root.plan ? root.plan.x + (root.plan.width - width) / 2 : 0
        y: root.plan ? root.plan.y + (root.plan.height - height) / 2 : 0
        width: root.plan ? sideways ? root.plan.height : root.plan.width : 0
        height: root.plan ? sideways ? root.plan.width : root.plan.height : 0
        rotation: root.plan ? root.plan.degrees : 0
        mirror: root.plan ? root.plan.mirrored : false
        source: root.plan ? root.plan.url : ""
        sourceSize: root.plan ? Qt.size(root.plan.pixelWidth, root.plan.pixelHeight) : Qt.size(0, 0)
        sourceClipRect: root.plan ? Qt.rect(root.plan.cutLeft, root.plan.cutTop, root.plan.cutWidth, root.plan.cutHeight)
                                  : Qt.rect(0, 0, 0, 0)
        fillMode: Image.Stretch
        // Not decoded on the display's thread while anything shows.
        asynchronous: !(root.plan && root.plan.atOnce)
        autoTransform: true
        cache: false
        onStatusChanged: if (status === Image.Ready || status === Image.Error) root.settled(status === Image.Ready)
    }
}
