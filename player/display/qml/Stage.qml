// The pictures, one over the other, and the banner that names the screen.
import QtQuick

Rectangle {
    id: root

    required property QtObject stage

    color: "#101418"
    focus: true
    Keys.onEscapePressed: stage.escape()

    // No pointer on a kiosk, whoever left a mouse there.
    HoverHandler {
        cursorShape: root.Window.visibility === Window.FullScreen ? Qt.BlankCursor : Qt.ArrowCursor
    }

    // Everything as the guest sees it, on a panel that may hang on its side.
    Item {
        id: glass
        objectName: "glass"

        readonly property int turn: root.stage.turn
        readonly property bool sideways: turn % 180 !== 0
        readonly property int marginX: Math.round(width * root.stage.overscan / 100)
        readonly property int marginY: Math.round(height * root.stage.overscan / 100)

        // Corner by corner rather than about the middle, so that whole pixels stay whole.
        transformOrigin: Item.TopLeft
        rotation: turn
        x: turn === 90 || turn === 180 ? root.width : 0
        y: turn === 180 || turn === 270 ? root.height : 0
        width: sideways ? root.height : root.width
        height: sideways ? root.width : root.height

        Repeater {
            model: root.stage

            Item {
                id: host

                required property QtObject view
                required property int index
                property string kind: "cut"
                property real cover: 1
                readonly property bool rightToLeft: view.rightToLeft
                readonly property bool entering: view.phase === "entering"
                readonly property bool moving: entering || view.phase === "leaving"
                readonly property real bare: glass.width * (1 - cover)

                objectName: "host"
                z: index
                // What slides comes from where reading goes to, what wipes begins where reading begins.
                x: !entering ? 0
                 : kind === "slide" ? (rightToLeft ? -bare : bare)
                 : kind === "wipe" && rightToLeft ? bare : 0
                width: kind === "wipe" && entering ? glass.width * cover : glass.width
                height: glass.height
                clip: kind === "wipe" && entering
                visible: view.phase !== "preparing"

                Connections {
                    target: host.view

                    function onEnterRequested(kind, milliseconds) {
                        host.kind = kind;
                        // Not from 0: the first frame of a transition shows something of what comes in.
                        come.duration = milliseconds;
                        come.restart();
                    }
                }

                NumberAnimation {
                    id: come
                    target: host
                    property: "cover"
                    from: 0.02
                    to: 1
                    easing.type: host.kind === "fade" ? Easing.InOutQuad : Easing.InOutCubic
                    onFinished: host.view.finish()
                }

                Rectangle {
                    x: host.kind === "wipe" ? -host.x : 0
                    width: glass.width
                    height: glass.height
                    color: root.stage.overscan > 0 ? host.view.backdrop : "transparent"
                    opacity: host.kind === "fade" && host.entering ? host.cover : 1
                    // Flattened while it comes in, so that what overlaps in it does not shine through. The one below is
                    // whole anyway, and its layer would cost 16 MB at full HD.
                    layer.enabled: host.entering

                    Loader {
                        x: glass.marginX
                        y: glass.marginY
                        width: glass.width - 2 * glass.marginX
                        height: glass.height - 2 * glass.marginY
                        asynchronous: host.view.patient
                        onLoaded: host.view.built()
                        Component.onCompleted: setSource(host.view.source, { view: host.view })
                    }
                }
            }
        }

        Rectangle {
            id: banner
            objectName: "banner"
            readonly property real room: glass.width - 2 * glass.marginX
            readonly property real unit: Math.min(glass.width, glass.height) / 1080
            visible: root.stage.banner !== ""
            z: 100
            anchors.horizontalCenter: parent.horizontalCenter
            y: glass.marginY + 56 * unit
            width: Math.min(banner.room * 0.9, bannerText.implicitWidth + 120 * unit)
            height: 128 * unit
            radius: height / 2
            color: "#E9B44C"

            Text {
                id: bannerText
                objectName: "bannerText"
                anchors.centerIn: parent
                width: Math.min(implicitWidth, banner.room * 0.9 - 120 * banner.unit)
                elide: Text.ElideRight
                text: root.stage.banner
                textFormat: Text.PlainText
                color: "#1A1408"
                font { family: "Inter"; weight: Font.DemiBold; pixelSize: Math.max(12, 60 * banner.unit) }
            }
        }
    }
}
