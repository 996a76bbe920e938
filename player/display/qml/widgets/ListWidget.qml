// A menu or grid widget: draws the layout that Python computed; measures and wraps nothing.
import QtQuick

Item {
    id: root

    // Of the Loader in Scene.qml.
    readonly property QtObject list: widget
    readonly property real pixels: pixelsPerUnit
    readonly property var facts: list.facts
    readonly property var layout: list.layout

    // A page fades in while the one before it fades out; in milliseconds.
    property int turn: 400
    property real fadeIn: 1
    property int leavingPage: -1

    Connections {
        target: root.list

        function onPageTurned(before: int) {
            root.leavingPage = before;
            fadeInAnimation.restart();
        }
    }

    NumberAnimation {
        id: fadeInAnimation
        target: root
        property: "fadeIn"
        // Not from 0: the first frame shows some of the page that comes.
        from: 0.02
        to: 1
        duration: root.turn
        onFinished: root.list.turned()
    }

    objectName: facts.kind
    // Clips only what cannot fit: some scripts reach below their line.
    clip: layout.overflows

    Rectangle {
        anchors.fill: parent
        visible: root.facts.kind === "menu" && root.facts.panel.a > 0
        color: root.facts.panel
        radius: root.layout.padding * 0.6
    }

    Rectangle {
        readonly property var bar: root.layout.bar

        visible: bar !== null
        x: bar ? bar.x : 0
        y: bar ? bar.y : 0
        width: bar ? bar.width : 0
        height: bar ? bar.height : 0
        radius: height / 2
        color: root.facts.accent
    }

    Text {
        objectName: "empty"
        visible: text !== ""
        anchors.centerIn: parent
        text: root.layout.empty
        textFormat: Text.PlainText
        font: root.layout.emptyFont ? root.layout.emptyFont : root.layout.pageFont
        color: root.facts.secondary
        horizontalAlignment: Text.AlignHCenter
    }

    Repeater {
        model: root.list.entries

        ListEntry {
            list: root.list
            presence: entry.page === root.list.page ? root.fadeIn : entry.page === root.leavingPage ? 1 - root.fadeIn : 0
            pixels: root.pixels
            onPictureSettled: (part, drawn) => scene.imageSettled(part, drawn)
        }
    }

    // Title and foot.
    Typeset {
        typeset: root.layout
        facts: root.facts
        pixels: root.pixels
        canvasX: root.facts.x
        canvasY: root.facts.y
    }

    Repeater {
        model: root.layout.icons

        TagIcon {
            required property var modelData

            icon: modelData.icon
            x: modelData.x
            y: modelData.y
            width: modelData.width
            height: modelData.height
            ink: modelData.own ?? root.facts.accent
            pixels: root.pixels
        }
    }

    Text {
        objectName: "pageMark"
        visible: root.list.pages > 1
        x: root.layout.left
        y: root.layout.pageBaseline - baselineOffset
        width: root.layout.width
        text: root.list.pageText
        textFormat: Text.PlainText
        font: root.layout.pageFont
        color: root.facts.accent
        horizontalAlignment: Text.AlignHCenter
    }
}
