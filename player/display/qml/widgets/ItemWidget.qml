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
    // Some scripts reach below their line: only what cannot fit is cut.
    clip: setting.cut

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

    component Words: TextLines {
        required property var words

        opacity: root.arrival
        mirrored: root.facts.rightToLeft
        x: words.x
        width: words.width
        baselineAt: words.baseline
        text: words.text
        font: words.font
        lineHeight: words.line
    }

    Rectangle {
        anchors.fill: parent
        visible: root.facts.panel.a > 0
        color: root.facts.panel
        radius: root.facts.radius
    }

    BoxedImage {
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
        words: root.setting.name
        color: root.facts.text
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
        words: root.setting.details
        color: root.facts.secondary
    }

    Repeater {
        model: root.setting.tags

        Badge {
            required property var modelData

            opacity: root.arrival
            place: modelData
            font: root.setting.tagFont
            ink: root.facts.accent
            stroke: root.setting.tagsSize * 0.03
        }
    }

    Text {
        objectName: "dishPrice"
        visible: text !== ""
        opacity: root.arrival * root.priceArrival
        x: root.setting.priceX
        y: root.setting.priceBaseline - baselineOffset
        text: root.setting.price
        textFormat: Text.PlainText
        font: root.setting.priceFont
        color: root.facts.accent
        horizontalAlignment: Text.AlignLeft
        lineHeight: root.setting.priceLine
        lineHeightMode: Text.FixedHeight
    }

    Rectangle {
        objectName: "dishRule"
        visible: root.setting.foot.text !== ""
        opacity: root.arrival
        x: root.setting.rule.x
        y: root.setting.rule.y
        width: root.setting.rule.width
        height: root.setting.rule.height
        color: root.facts.rule
    }

    Words {
        objectName: "dishAllergens"
        words: root.setting.foot
        color: root.facts.secondary
    }
}
