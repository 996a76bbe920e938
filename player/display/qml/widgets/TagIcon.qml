// An icon of a tag, drawn for the pixels on which it lies.
import QtQuick

Image {
    id: root

    required property string icon
    required property color ink
    // Pixels of the display per canvas unit.
    required property real pixels

    function hex(part: real): string {
        return Math.round(part * 255).toString(16).padStart(2, "0");
    }

    objectName: "tagIcon"
    source: icon === "" ? "" : `image://tag/${icon}/${hex(ink.a)}${hex(ink.r)}${hex(ink.g)}${hex(ink.b)}/${Math.max(1, Math.round(height * pixels))}`
    fillMode: Image.Stretch
}
