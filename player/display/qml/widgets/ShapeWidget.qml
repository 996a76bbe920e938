// A shape: a filled box. A line is at least one pixel of the display thick and lies on whole pixels, so that hairlines
// do not vanish.
import QtQuick

Item {
    id: root

    // Of the Loader in Scene.qml.
    readonly property var shape: widget.facts
    readonly property real pixels: pixelsPerUnit
    readonly property bool horizontal: shape.width >= shape.height

    function snapped(at: real): real {
        return Math.round(at * pixels) / pixels;
    }

    function thickness(extent: real): real {
        return Math.max(1, Math.round(extent * pixels)) / pixels;
    }

    objectName: "shape"
    x: shape.line && !horizontal ? snapped(shape.x) : shape.x
    y: shape.line && horizontal ? snapped(shape.y) : shape.y
    width: shape.line && !horizontal ? thickness(shape.width) : shape.width
    height: shape.line && horizontal ? thickness(shape.height) : shape.height
    opacity: shape.opacity

    Rectangle {
        anchors.fill: parent
        radius: root.shape.radius
        color: root.shape.color
        antialiasing: root.shape.radius > 0
    }
}
