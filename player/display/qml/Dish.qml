// An item widget: one dish as on a poster; everything stands where the plan says.
import QtQuick

Item {
    id: root

    required property QtObject dish
    readonly property var facts: dish.facts
    readonly property var setting: dish.setting
    readonly property bool shown: setting.shown
    signal settled(bool drawn)

    // What is new is seen in its first frame, and comes up from there.
    property real arrival: 1
    property real priceArrival: 1

    objectName: "dish"
    x: facts.x
    y: facts.y
    z: facts.z
    width: facts.width
    height: facts.height
    opacity: facts.opacity
    visible: shown
    clip: true

    Connections {
        target: root.dish

        function onReplaced() {
            arrive.restart();
        }

        function onRepriced() {
            reprice.restart();
        }
    }

    NumberAnimation {
        id: arrive
        target: root
        property: "arrival"
        from: 0.1
        to: 1
        duration: 260
    }

    NumberAnimation {
        id: reprice
        target: root
        property: "priceArrival"
        from: 0.2
        to: 1
        duration: 420
    }

    component Words: Text {
        property real baselineAt

        y: baselineAt - baselineOffset
        opacity: root.arrival
        textFormat: Text.PlainText
        horizontalAlignment: root.facts.rightToLeft ? Text.AlignRight : Text.AlignLeft
        lineHeightMode: Text.FixedHeight
    }

    Rectangle {
        anchors.fill: parent
        visible: root.facts.panel.a > 0
        color: root.facts.panel
        radius: root.facts.radius
    }

    Picture {
        objectName: "dishPicture"
        visible: root.setting.pictured
        opacity: root.arrival
        x: root.setting.picture.x
        y: root.setting.picture.y
        width: root.setting.picture.width
        height: root.setting.picture.height
        color: root.facts.calm
        plan: root.setting.image
        onSettled: drawn => root.settled(drawn)
    }

    Words {
        objectName: "dishName"
        x: root.setting.nameBox.x
        width: root.setting.nameBox.width
        baselineAt: root.setting.nameBaseline
        text: root.setting.name
        font: root.setting.nameFont
        color: root.facts.text
        lineHeight: root.setting.nameLine
    }

    Rectangle {
        opacity: root.arrival
        x: root.setting.bar.x
        y: root.setting.bar.y
        width: root.setting.bar.width
        height: root.setting.bar.height
        radius: height / 2
        color: root.facts.accent
    }

    Words {
        objectName: "dishDetails"
        visible: text !== ""
        x: root.setting.detailsBox.x
        width: root.setting.detailsBox.width
        baselineAt: root.setting.detailsBaseline
        text: root.setting.details
        font: root.setting.detailFont
        color: root.facts.secondary
        lineHeight: root.setting.detailsLine
    }

    Words {
        objectName: "dishPrice"
        visible: text !== ""
        opacity: root.arrival * root.priceArrival
        x: root.setting.priceX
        baselineAt: root.setting.priceBaseline
        text: root.setting.price
        font: root.setting.priceFont
        color: root.facts.accent
        horizontalAlignment: Text.AlignLeft
        lineHeight: root.setting.priceLine
    }
}
