// A shape: a filled box, or the parts that Python made. A line is at least one pixel of the display thick and lies on
// whole pixels, so that hairlines do not vanish.
import QtQuick

Item {
    id: root

    // Of the Loader in Scene.qml.
    readonly property var shape: widget.facts
    readonly property real pixels: pixelsPerUnit
    readonly property bool horizontal: shape.width >= shape.height

    function snapped(at: real): real {
        return Math.round(at * pixels) / pixels - at;
    }

    function thickness(extent: real): real {
        return Math.max(1, Math.round(extent * pixels)) / pixels;
    }

    Rectangle {
        objectName: "shape"
        visible: root.shape.parts.length === 0
        x: root.shape.line && !root.horizontal ? root.snapped(root.shape.x) : 0
        y: root.shape.line && root.horizontal ? root.snapped(root.shape.y) : 0
        width: root.shape.line && !root.horizontal ? root.thickness(root.shape.width) : root.width
        height: root.shape.line && root.horizontal ? root.thickness(root.shape.height) : root.height
        radius: root.shape.radius
        color: root.shape.color
        antialiasing: root.shape.radius > 0
    }

    Repeater {
        model: root.shape.parts

        Rectangle {
            required property var modelData

            objectName: "shapePart"
            x: modelData.x
            y: modelData.y
            width: modelData.width
            height: modelData.height
            radius: modelData.radius
            rotation: modelData.turned
            color: modelData.color
            border.color: modelData.border
            border.width: modelData.stroke
            antialiasing: true
        }
    }
}
