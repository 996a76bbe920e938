import QtQuick

// Three scenes of the same weight as the board's: a picture, a title and two columns of dishes. 2 and 3 fade in.
Rectangle {
    id: root
    required property var content
    color: "#101418"

    component Scene: Rectangle {
        id: scene
        required property var what
        anchors.fill: parent
        color: what.background
        visible: opacity > 0
        layer.enabled: opacity > 0 && opacity < 1

        Image { width: parent.width * 0.4; height: parent.height; source: scene.what.picture; fillMode: Image.PreserveAspectCrop }
        Text { x: parent.width * 0.45; y: 60; text: scene.what.title; color: "white"; font { pixelSize: 72; bold: true } }
        Repeater {
            model: scene.what.rows
            Item {
                id: row
                required property var modelData
                required property int index
                x: root.width * 0.45
                y: 200 + index * 70
                width: root.width * 0.5
                Text { text: row.modelData.name; color: "white"; font.pixelSize: 40 }
                Text { anchors.right: parent.right; text: row.modelData.price; color: "white"; font.pixelSize: 40 }
            }
        }
    }

    Scene { what: root.content[0] }
    Scene { id: second; what: root.content[1]; opacity: 0 }
    Scene { id: third; what: root.content[2]; opacity: 0 }

    SequentialAnimation {
        running: true
        loops: Animation.Infinite
        PauseAnimation { duration: 1500 }
        NumberAnimation { target: second; property: "opacity"; from: 0; to: 1; duration: 500 }
        PauseAnimation { duration: 1500 }
        NumberAnimation { target: third; property: "opacity"; from: 0; to: 1; duration: 500 }
        PropertyAction { target: second; property: "opacity"; value: 0 }
        PauseAnimation { duration: 1500 }
        NumberAnimation { target: third; property: "opacity"; from: 1; to: 0; duration: 500 }
    }
}
