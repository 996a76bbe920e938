// A shape: a filled box. A line is never thinner than a pixel of the display, and lies on whole pixels: hairlines stay.
import QtQuick

Item {
    id: root

    required property var shape
    // Pixels of the display to a canvas unit.
    required property real pixels
    readonly property bool level: shape.width >= shape.height

    function snapped(at: real): real {
        return Math.round(at * pixels) / pixels;
    }

    function thick(extent: real): real {
        return Math.max(1, Math.round(extent * pixels)) / pixels;
    }

    objectName: "shape"
    x: shape.line && !level ? snapped(shape.x) : shape.x
    y: shape.line && level ? snapped(shape.y) : shape.y
    z: shape.z
    width: shape.line && !level ? thick(shape.width) : shape.width
    height: shape.line && level ? thick(shape.height) : shape.height
    opacity: shape.opacity

    Rectangle {
        anchors.fill: parent
        radius: root.shape.radius
        color: root.shape.color
        antialiasing: root.shape.radius > 0
    }
}
