// A QR widget: dark modules on a light card, each a whole number of the display's pixels wide, on whole pixels.
import QtQuick

Item {
    id: root

    // Of the Loader in Scene.qml; the canvas begins on a whole pixel.
    readonly property var code: widget.facts
    readonly property real pixels: pixelsPerUnit
    readonly property int module: Math.max(1, Math.floor(code.room * pixels / code.modules + 0.001))

    function onPixel(at: real, origin: real): real {
        return Math.round((at + origin) * pixels) / pixels - origin;
    }

    objectName: "qrCode"

    Rectangle {
        visible: root.code.source !== ""
        x: root.code.codeX
        y: root.code.codeY
        width: root.code.side
        height: root.code.side
        radius: root.code.radius
        color: "white"

        Image {
            objectName: "qrModules"
            width: root.module * root.code.modules / root.pixels
            height: width
            x: root.onPixel((parent.width - width) / 2, root.code.x + root.code.codeX)
            y: root.onPixel((parent.height - height) / 2, root.code.y + root.code.codeY)
            smooth: false
            cache: false
            source: root.code.source
        }
    }

    Text {
        objectName: "qrCaption"
        visible: text !== ""
        x: root.code.captionX
        y: root.code.baseline - baselineOffset
        width: root.code.captionWidth
        text: root.code.caption
        textFormat: Text.PlainText
        font: root.code.font
        color: root.code.color
        lineHeightMode: Text.FixedHeight
        lineHeight: root.code.line
        horizontalAlignment: root.code.align === "right" ? Text.AlignRight
                           : root.code.align === "center" ? Text.AlignHCenter : Text.AlignLeft
    }
}
