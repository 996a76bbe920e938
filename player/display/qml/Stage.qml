// The views, one over the other, and the banners over them.
import QtQuick

Rectangle {
    id: root

    required property QtObject stage
    readonly property bool fadesPicture: stage.leavingPicture !== ""
    property real entered: 0
    color: "#101418"
    focus: true
    Keys.onEscapePressed: stage.escaped()
    Keys.onPressed: event => {
        if (event.key === Qt.Key_F1 && !event.isAutoRepeat)
            stage.detailsAsked();
    }

    // No cursor on a kiosk, even with a mouse connected. Not by a HoverHandler: over a pointer that rests, Qt 6.8 keeps
    // eight bytes of each frame.
    MouseArea {
        anchors.fill: parent
        acceptedButtons: Qt.NoButton
        cursorShape: root.Window.visibility === Window.FullScreen ? Qt.BlankCursor : Qt.ArrowCursor
    }

    // Differs from frame to frame where one is only asked for to see whether it is taken.
    Rectangle {
        z: 1
        width: 1
        height: 1
        visible: root.stage.mark > 0
        color: root.stage.mark === 1 ? "#01000000" : "#02000000"
    }

    // Everything as the guest sees it; the panel may be rotated.
    Item {
        id: glass
        objectName: "glass"

        readonly property QtObject banners: root.stage.banners
        readonly property int panelRotation: root.stage.rotation
        readonly property bool sideways: panelRotation % 180 !== 0
        readonly property int marginX: Math.round(width * root.stage.overscan / 100)
        readonly property int marginY: Math.round(height * root.stage.overscan / 100)
        readonly property real bannerGap: 20 * Math.min(width, height) / 1080
        // What a card leaves free for the strip, also before it shows.
        readonly property real foot: Math.max(9.5 * bannerGap, stripLoader.height + 2 * bannerGap)

        // Rotated about the corner rather than the middle, so that whole pixels stay whole.
        transformOrigin: Item.TopLeft
        rotation: panelRotation
        x: panelRotation === 90 || panelRotation === 180 ? root.width : 0
        y: panelRotation === 180 || panelRotation === 270 ? root.height : 0
        width: sideways ? root.height : root.width
        height: sideways ? root.width : root.height

        Repeater {
            model: root.stage

            Item {
                id: host

                required property QtObject view
                required property int index
                property string kind: "cut"
                property real progress: 1
                readonly property bool rightToLeft: view.rightToLeft
                readonly property bool entering: view.phase === "entering"
                readonly property bool moving: entering || view.phase === "leaving"
                readonly property real uncovered: glass.width * (1 - progress)

                objectName: "host"
                z: index
                // A slide comes from the end of the reading direction.
                x: entering && kind === "slide" ? (rightToLeft ? -uncovered : uncovered) : 0
                width: glass.width
                height: glass.height
                visible: view.phase !== "preparing"

                Connections {
                    target: host.view

                    function onEnterRequested(kind, milliseconds) {
                        host.kind = kind;
                        // Not from 0: the first frame of a transition shows some of the view that enters.
                        enterAnimation.duration = milliseconds;
                        enterAnimation.restart();
                    }
                }

                onProgressChanged: if (entering) root.entered = progress

                NumberAnimation {
                    id: enterAnimation
                    target: host
                    property: "progress"
                    from: 0.02
                    to: 1
                    easing.type: host.kind === "fade" ? Easing.InOutQuad : Easing.InOutCubic
                    onFinished: host.view.finish()
                }

                Rectangle {
                    width: glass.width
                    height: glass.height
                    color: root.stage.overscan > 0 ? host.view.backdrop : "transparent"
                    opacity: host.kind === "fade" && host.entering && !root.fadesPicture ? host.progress : 1
                    // Flattened while it enters, so that overlapping widgets do not shine through. The view below is opaque
                    // already.
                    layer.enabled: host.entering && !root.fadesPicture

                    // What it loads reads `shown` by its name. Not by setSource(): Qt 6.8 never frees the values that it is
                    // given, nor their wrappers.
                    Loader {
                        id: card
                        readonly property QtObject shown: host.view
                        x: glass.marginX
                        y: glass.marginY
                        width: glass.width - 2 * glass.marginX
                        height: glass.height - 2 * glass.marginY
                        asynchronous: host.view.asynchronous
                        source: host.view.source
                        onLoaded: host.view.built()
                        onStatusChanged: if (status === Loader.Error) host.view.fail()
                    }
                }
            }
        }

        // Loaded when it shows: a start has no time for its fonts. What it loads reads `glass` by its name, as views do.
        component Over: Loader {
            opacity: root.stage.banners.seen ? 1 : 0
        }

        Over {
            id: identityLoader
            active: root.stage.banners.identityShows
            z: 100
            x: (glass.width - width) / 2
            y: glass.marginY + 40 * Math.min(glass.width, glass.height) / 1080

            sourceComponent: Identity {}
        }

        Over {
            id: stripLoader
            active: root.stage.banners.stripShows
            z: 98
            x: (glass.width - width) / 2
            y: glass.height - glass.marginY - height - glass.bannerGap

            sourceComponent: Strip {}
        }

        Over {
            active: root.stage.banners.pin !== ""
            z: 101
            x: glass.width - glass.marginX - width - 2 * glass.bannerGap
            y: identityLoader.active ? identityLoader.y + identityLoader.height + glass.bannerGap : glass.marginY + 2 * glass.bannerGap

            sourceComponent: PinCard {}
        }

        Over {
            active: root.stage.banners.noticeShows
            z: 99
            x: (glass.width - width) / 2
            y: (stripLoader.active ? stripLoader.y : glass.height - glass.marginY) - height - glass.bannerGap

            sourceComponent: PairingNotice {}
        }
    }

    // In a fade without a GPU: what was on the glass, banners and all, over what enters. A layer of the view that enters
    // would have four times its memory.
    Loader {
        active: root.fadesPicture
        anchors.fill: parent

        sourceComponent: Image {
            source: root.stage.leavingPicture
            cache: false
            smooth: false
            opacity: 1 - root.entered
        }
    }
}
