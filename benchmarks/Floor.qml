import QtQuick

// The three scenes of content/menu.json, one over the other: 2 and 3 fade in, 3 fades out over the first.
Rectangle {
    id: root
    required property var menu
    readonly property var layout: menu.layout
    width: 1920
    height: 1080
    color: menu.scenes[0].background

    component Said: Text {
        color: "white"
        textFormat: Text.PlainText
        font { family: root.layout.font; pixelSize: root.layout.textSize }
    }

    component Scene: Rectangle {
        id: scene
        required property var content
        anchors.fill: parent
        color: content.background
        visible: opacity > 0
        // One flattened picture while it fades, as a browser does it; at rest the items are drawn straight.
        layer.enabled: opacity > 0 && opacity < 1

        Said {
            x: root.layout.title[0]
            y: root.layout.title[1]
            text: scene.content.title
            font { pixelSize: root.layout.titleSize; bold: true }
        }
        Rectangle {
            x: root.layout.bar[0]
            y: root.layout.bar[1]
            width: root.layout.bar[2]
            height: root.layout.bar[3]
            color: scene.content.accent
        }
        Image {
            x: root.layout.picture[0]
            y: root.layout.picture[1]
            width: root.layout.picture[2]
            height: root.layout.picture[3]
            source: scene.content.picture
            sourceSize.height: height
            fillMode: Image.PreserveAspectCrop
        }
        Repeater {
            model: scene.content.rows
            Item {
                id: row
                required property var modelData
                required property int index
                x: root.layout.columns[Math.floor(index / root.layout.rowsAColumn)]
                y: root.layout.rowTop + index % root.layout.rowsAColumn * root.layout.rowHeight
                width: root.layout.columnWidth
                height: root.layout.rowHeight
                Said { anchors.verticalCenter: parent.verticalCenter; text: row.modelData[0] }
                Said {
                    anchors { right: parent.right; verticalCenter: parent.verticalCenter }
                    text: row.modelData[1].toFixed(2)
                }
            }
        }
    }

    Scene { content: root.menu.scenes[0] }
    Scene { id: second; content: root.menu.scenes[1]; opacity: 0 }
    Scene { id: third; content: root.menu.scenes[2]; opacity: 0 }

    SequentialAnimation {
        running: true
        loops: Animation.Infinite
        PauseAnimation { duration: root.layout.hold }
        NumberAnimation { target: second; property: "opacity"; from: 0; to: 1; duration: root.layout.fade }
        PauseAnimation { duration: root.layout.hold }
        NumberAnimation { target: third; property: "opacity"; from: 0; to: 1; duration: root.layout.fade }
        PropertyAction { target: second; property: "opacity"; value: 0 }
        PauseAnimation { duration: root.layout.hold }
        NumberAnimation { target: third; property: "opacity"; from: 1; to: 0; duration: root.layout.fade }
    }
}
