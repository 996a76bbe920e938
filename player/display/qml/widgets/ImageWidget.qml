// An image widget.
import QtQuick

BoxedImage {
    // Of the Loader in Scene.qml.
    readonly property var facts: widget.facts

    objectName: "image"
    placeholder: facts.placeholder
    plan: facts.image
    onSettled: drawn => scene.imageSettled(facts.id, drawn)
}
