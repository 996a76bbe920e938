// The PIN of the screen's page, small in a corner: for whoever stands in front of it with a phone.
import QtQuick

Banner {
    id: root

    objectName: "pinCard"
    // Opaque: a price must not shine through the digits.
    color: "#1B2129"
    border.color: "#4A525D"
    border.width: Math.max(1, 2 * unit)
    quiet: true

    Row {
        spacing: 20 * root.unit

        BannerLine {
            anchors.baseline: digits.baseline
            text: "PIN"
            color: "#D8DDE3"
            font: root.banners.font("en", "body", 28 * root.unit)
        }

        BannerLine {
            id: digits
            objectName: "pinDigits"
            text: root.banners.pin
            color: "#F4EFE6"
            font: root.banners.font("en", "title", 48 * root.unit)
        }
    }
}
