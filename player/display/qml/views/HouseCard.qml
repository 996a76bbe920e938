// The house card: the location's name and the time; never black.
import QtQuick

Rectangle {
    id: root

    // Of the Loader in Stage.qml, as `glass` is.
    readonly property QtObject view: shown
    readonly property var facts: view.facts
    readonly property real unit: Math.min(Math.min(width, height) / 1080, Math.max(width, height) / 1920, (height - foot) / 880)

    readonly property real foot: glass.foot
    color: "#14181D"

    Rectangle {
        anchors.fill: parent
        gradient: Gradient {
            GradientStop { position: 0; color: "#202932" }
            GradientStop { position: 0.55; color: "#171C22" }
            GradientStop { position: 1; color: "#0F1215" }
        }
    }

    component CardText: Text {
        width: parent.width
        textFormat: Text.PlainText
        horizontalAlignment: Text.AlignHCenter
        color: root.view.text
    }

    Repeater {
        model: 4
        Rectangle {
            required property int index

            width: (760 + index * 300) * root.unit
            height: width
            radius: width / 2
            anchors.centerIn: middle
            color: "transparent"
            border.color: root.view.accent
            border.width: Math.max(1, 2 * root.unit)
            opacity: 0.10 - index * 0.022
        }
    }

    Column {
        id: middle
        // Some scripts stand on lines twice as high: they become smaller before they leave their room.
        readonly property real room: lower.y - 40 * root.unit
        readonly property real seen: height * scale
        anchors.horizontalCenter: parent.horizontalCenter
        y: Math.min((root.height - root.foot - height) / 2, room - (height + seen) / 2)
        scale: Math.min(1, room / Math.max(1, height))
        width: parent.width * 0.86
        spacing: 18 * root.unit

        CardText {
            objectName: "houseName"
            visible: text !== ""
            text: root.facts.name
            wrapMode: Text.Wrap
            maximumLineCount: 2
            elide: Text.ElideRight
            font: root.view.font("title", 76 * root.unit)
        }

        Rectangle {
            anchors.horizontalCenter: parent.horizontalCenter
            width: 110 * root.unit
            height: Math.max(2, 5 * root.unit)
            radius: height / 2
            color: root.view.accent
        }

        CardText {
            objectName: "houseTime"
            text: root.facts.time
            font: root.view.font("thin", 270 * root.unit)
        }

        CardText {
            objectName: "houseDay"
            text: root.facts.day
            opacity: 0.72
            font: root.view.font("body", 46 * root.unit)
        }
    }

    Column {
        id: lower
        anchors { horizontalCenter: parent.horizontalCenter; bottom: parent.bottom; bottomMargin: root.foot + 30 * root.unit }
        width: parent.width * 0.86
        spacing: 10 * root.unit

        CardText {
            objectName: "houseNext"
            visible: text !== ""
            text: root.facts.next
            wrapMode: Text.Wrap
            color: root.view.accent
            font: root.view.font("body", 42 * root.unit)
        }

        CardText {
            objectName: "houseReason"
            visible: text !== ""
            text: root.facts.reason
            wrapMode: Text.Wrap
            maximumLineCount: 2
            elide: Text.ElideRight
            opacity: 0.5
            font: root.view.font("body", 28 * root.unit)
        }
    }
}
