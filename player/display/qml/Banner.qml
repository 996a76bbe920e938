// A banner over the view: in the accent colour, or quiet. It is as wide as its content, which is at most `mostContent`.
import QtQuick

Rectangle {
    id: root

    // Of Stage.qml.
    readonly property Item over: glass
    readonly property QtObject banners: glass.banners
    property var facts: ({})
    property bool quiet: false
    readonly property real unit: Math.min(over.width, over.height) / 1080
    readonly property real padding: (quiet ? 28 : 60) * unit
    readonly property real mostContent: (over.width - 2 * over.marginX) * (quiet ? 0.96 : 0.9) - 2 * padding

    default property alias content: inner.data

    LayoutMirroring.enabled: facts.rightToLeft ?? false
    LayoutMirroring.childrenInherit: true
    width: inner.childrenRect.width + 2 * padding
    height: inner.childrenRect.height + (quiet ? 32 : 48) * unit
    radius: (quiet ? 16 : 44) * unit
    color: quiet ? "#E61B2129" : "#E9B44C"

    Item {
        id: inner
        anchors.centerIn: parent
        width: childrenRect.width
        height: childrenRect.height
    }
}
