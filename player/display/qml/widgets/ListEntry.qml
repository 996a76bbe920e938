// A row, a card or a heading of a list.
import QtQuick

Item {
    id: root

    required property var entry
    required property QtObject list
    // 1 on the page that shows, less while it comes or leaves.
    required property real presence
    // Pixels of the display per canvas unit.
    required property real pixels
    readonly property var facts: entry.facts ?? list.facts
    readonly property bool glides: list.layout.glides
    readonly property int glide: 260
    property real arrived: 1
    // Of everything but the tag that says why.
    readonly property real strength: entry.soldOut ? facts.soldOutStrength : 1
    signal pictureSettled(string part, bool drawn)

    objectName: entry.kind
    x: entry.x
    y: entry.y
    width: entry.width
    height: entry.height
    visible: presence > 0
    opacity: presence * arrived
    Component.onCompleted: {
        if (entry.arrives && entry.page === list.page) {
            arrived = 0;
            arrival.start();
        }
    }

    // What comes back waits until the others have made room for it.
    SequentialAnimation {
        id: arrival

        PauseAnimation { duration: root.glide }
        NumberAnimation { target: root; property: "arrived"; from: 0; to: 1; duration: root.glide }
    }

    Behavior on x {
        enabled: root.glides
        NumberAnimation { duration: root.glide; easing.type: Easing.OutCubic }
    }
    Behavior on y {
        enabled: root.glides
        NumberAnimation { duration: root.glide; easing.type: Easing.OutCubic }
    }

    Loader {
        active: root.entry.kind === "card" && root.facts.panel.a > 0
        anchors.fill: parent
        sourceComponent: Rectangle {
            objectName: "cardPanel"
            color: root.facts.panel
        }
    }

    Loader {
        readonly property var panel: root.entry.panel

        active: panel !== null && panel !== undefined
        sourceComponent: Rectangle {
            objectName: "featuredPanel"
            x: root.entry.panel.x
            y: root.entry.panel.y
            width: root.entry.panel.width
            height: root.entry.panel.height
            radius: Math.min(width, height) / 10
            color: root.facts.featured
        }
    }

    Loader {
        readonly property var place: root.entry.picture

        active: place !== null && place !== undefined
        x: active ? place.x : 0
        y: active ? place.y : 0
        width: active ? place.width : 0
        height: active ? place.height : 0
        opacity: root.strength
        sourceComponent: Rectangle {
            objectName: "picture"
            // Nothing shows through a cut-out but what is behind the card.
            color: picture.ready || letter.text === "" ? "transparent" : root.facts.ground

            Text {
                id: letter
                objectName: "monogram"
                anchors.centerIn: parent
                visible: !picture.ready
                text: root.entry.picture.letter
                textFormat: Text.PlainText
                font: root.entry.picture.font ?? Qt.font({ pixelSize: 1 })
                color: root.facts.letter ?? "transparent"
            }

            BoxedImage {
                id: picture
                anchors.fill: parent
                plan: root.entry.picture.plan
                onSettled: drawn => root.pictureSettled(root.entry.picture.part, drawn)
            }
        }
    }

    Loader {
        readonly property var leader: root.entry.leader

        active: leader !== null && leader !== undefined
        x: active ? leader.x : 0
        y: active ? leader.y - leader.dot : 0
        sourceComponent: Row {
            objectName: "leader"
            opacity: root.strength
            spacing: root.entry.leader.step - root.entry.leader.dot

            Repeater {
                model: root.entry.leader.dots

                Rectangle {
                    width: root.entry.leader.dot
                    height: width
                    radius: width / 2
                    color: root.facts.secondary
                }
            }
        }
    }

    Typeset {
        typeset: root.entry
        facts: root.facts
        strength: root.strength
        pixels: root.pixels
        canvasX: root.facts.x + root.entry.x
        canvasY: root.facts.y + root.entry.y
    }
}
