// A grid widget: cards of one size; draws the layout that Python computed.
import QtQuick

Item {
    id: root

    required property QtObject grid
    // Pixels of the display per canvas unit.
    required property real pixels
    readonly property var facts: grid.facts
    readonly property var layout: grid.layout
    readonly property bool mirrored: facts.rightToLeft
    readonly property int glide: 260
    signal settled(string part, bool drawn)

    // A page fades in while the one before it fades out; in milliseconds.
    property int turn: 400
    property real fadeIn: 1
    property int leavingPage: -1

    function presence(page: int): real {
        return page === grid.page ? fadeIn : page === leavingPage ? 1 - fadeIn : 0;
    }

    Connections {
        target: root.grid

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
        onFinished: root.leavingPage = -1
    }

    objectName: "grid"
    x: facts.x
    y: facts.y
    z: facts.z
    width: facts.width
    height: facts.height
    opacity: facts.opacity
    // Clips only what cannot fit: some scripts reach below their line.
    clip: layout.overflows

    component BaselineText: Text {
        property real baselineAt

        y: baselineAt - baselineOffset
        textFormat: Text.PlainText
        horizontalAlignment: Text.AlignLeft
    }

    BaselineText {
        objectName: "empty"
        visible: text !== ""
        anchors.centerIn: parent
        y: 0
        text: root.layout.empty
        font: root.layout.emptyFont ? root.layout.emptyFont : root.layout.detailFont
        color: root.facts.secondary
        horizontalAlignment: Text.AlignHCenter
    }

    Repeater {
        model: root.grid.cards

        Item {
            id: card

            required property var entry
            property real arrived: 1
            // Of everything but the tag that says why.
            readonly property real strength: entry.soldOut ? root.facts.soldOutStrength : 1

            objectName: "card"
            x: entry.x
            y: entry.y
            width: root.layout.cardWidth
            height: root.layout.cardHeight
            visible: root.presence(entry.page) > 0
            opacity: root.presence(entry.page) * arrived
            Component.onCompleted: {
                if (entry.arrives && entry.page === root.grid.page) {
                    arrived = 0;
                    arrival.start();
                }
            }

            // What comes back waits until the others have made room for it.
            SequentialAnimation {
                id: arrival

                PauseAnimation { duration: root.glide }
                NumberAnimation { target: card; property: "arrived"; from: 0; to: 1; duration: root.glide }
            }

            Behavior on x {
                enabled: root.layout.glides
                NumberAnimation { duration: root.glide; easing.type: Easing.OutCubic }
            }
            Behavior on y {
                enabled: root.layout.glides
                NumberAnimation { duration: root.glide; easing.type: Easing.OutCubic }
            }

            Rectangle {
                objectName: "cardPanel"
                anchors.fill: parent
                visible: root.facts.panel.a > 0
                color: root.facts.panel
            }

            Hairline {
                objectName: "cardRule"
                visible: root.layout.ruled
                at: 0
                parentY: root.facts.y + card.entry.y
                width: card.width
                thickness: root.layout.size * 0.035
                color: root.facts.rule
                pixels: root.pixels
            }

            Loader {
                active: root.layout.hasPictures
                x: root.layout.pictureX
                y: root.layout.pictureY
                width: root.layout.pictureWidth
                height: root.layout.pictureHeight
                opacity: card.strength
                sourceComponent: Rectangle {
                    objectName: "picture"
                    // Nothing shows through a cut-out but what is behind the card.
                    color: picture.ready ? "transparent" : root.facts.ground

                    Text {
                        objectName: "monogram"
                        anchors.centerIn: parent
                        visible: !picture.ready
                        text: card.entry.monogram
                        textFormat: Text.PlainText
                        font: root.layout.monogramFont
                        color: root.facts.letter
                    }

                    BoxedImage {
                        id: picture
                        anchors.fill: parent
                        color: "transparent"
                        plan: card.entry.image
                        onSettled: drawn => root.settled(card.entry.part, drawn)
                    }
                }
            }

            TextLines {
                objectName: "cardName"
                opacity: card.strength
                mirrored: root.mirrored
                x: root.layout.textX
                width: root.layout.textWidth
                baselineAt: root.layout.nameBaseline
                text: card.entry.name
                font: root.layout.nameFont
                color: root.facts.text
                lineHeight: root.layout.line
            }

            Loader {
                active: card.entry.details !== ""
                sourceComponent: TextLines {
                    objectName: "cardDetails"
                    opacity: card.strength
                    mirrored: root.mirrored
                    x: root.layout.textX
                    width: root.layout.textWidth
                    baselineAt: card.entry.detailsY + root.layout.detailBaseline
                    text: card.entry.details
                    font: root.layout.detailFont
                    color: root.facts.secondary
                    lineHeight: root.layout.detailLine
                }
            }

            Repeater {
                model: card.entry.tags

                Badge {
                    required property var modelData

                    badge: modelData
                    opacity: modelData.strong ? 1 : card.strength
                    font: modelData.framed ? root.layout.tagFont : root.layout.marksFont
                    foreground: modelData.framed || modelData.icon !== "" ? root.facts.accent : root.facts.secondary
                    stroke: root.layout.badgeSize * 0.03
                    pixels: root.pixels
                    parentX: root.facts.x + card.entry.x
                    parentY: root.facts.y + card.entry.y
                }
            }

            Repeater {
                model: card.entry.prices

                BaselineText {
                    required property var modelData

                    objectName: modelData.kind
                    opacity: card.strength
                    x: modelData.x
                    baselineAt: modelData.y
                    text: modelData.text
                    font: root.layout.priceFonts[modelData.kind]
                    color: ["price", "priceInWords", "variantPrice", "saving"].includes(modelData.kind) ? root.facts.accent
                         : modelData.kind === "variantName" ? root.facts.text : root.facts.secondary
                }
            }

            Repeater {
                model: card.entry.strikes

                Hairline {
                    required property var modelData

                    objectName: "strike"
                    opacity: card.strength
                    x: modelData.x
                    at: modelData.y - modelData.thickness / 2
                    parentY: root.facts.y + card.entry.y
                    width: modelData.width
                    thickness: modelData.thickness
                    color: modelData.quiet ? root.facts.secondary : root.facts.text
                    pixels: root.pixels
                }
            }
        }
    }

    ListFoot {
        facts: root.facts
        layout: root.layout
        pixels: root.pixels
        apart: 0.3
    }

    BaselineText {
        objectName: "pageMark"
        visible: root.grid.pages > 1
        x: root.layout.left
        width: root.layout.width
        baselineAt: root.layout.pageBaseline
        text: root.grid.pageText
        font: root.layout.pageFont
        color: root.facts.accent
        horizontalAlignment: Text.AlignHCenter
    }
}
