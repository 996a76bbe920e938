// The strip at the lower edge, for a technician: which screen this is, where its page is, and what is wrong.
import QtQuick

Banner {
    id: root

    facts: banners.strip
    readonly property real gap: 26 * unit
    readonly property real most: Math.min(980 * unit, mostContent - (tile.visible ? tile.width + gap : 0))

    objectName: "strip"
    quiet: true

    component Line: BannerLine {
        width: words.width
        horizontalAlignment: Text.AlignLeft
        color: "#D8DDE3"
        font: root.banners.font(root.facts.locale, "body", 28 * root.unit)
    }

    Row {
        spacing: root.gap

        Rectangle {
            id: tile
            objectName: "stripQr"
            anchors.verticalCenter: parent.verticalCenter
            visible: root.facts.qr !== ""
            width: code.width
            height: code.height
            radius: 6 * root.unit
            color: "white"

            Image {
                id: code
                // A whole number of pixels per module keeps every edge crisp. A phone reads 2 mm from 3 m away: that is
                // 4 of 1080 lines of a 43-inch panel.
                width: implicitWidth * Math.ceil(4 * root.unit)
                height: width
                smooth: false
                cache: false
                source: root.facts.qr
            }
        }

        Column {
            id: words
            anchors.verticalCenter: parent.verticalCenter
            width: Math.min(root.most, Math.max(name.implicitWidth + root.gap + version.implicitWidth, address.implicitWidth, finding.wanted))
            spacing: 5 * root.unit

            Item {
                width: parent.width
                height: name.height

                Line {
                    id: name
                    objectName: "stripName"
                    anchors.left: parent.left
                    width: Math.min(implicitWidth, parent.width - version.width - root.gap)
                    text: root.facts.name
                    color: "#F4EFE6"
                    font: root.banners.font(root.facts.locale, "title", 28 * root.unit)
                }

                Line {
                    id: version
                    objectName: "stripVersion"
                    anchors { right: parent.right; baseline: name.baseline }
                    width: implicitWidth
                    text: root.facts.version
                    color: "#8E98A4"
                    font: root.banners.font(root.facts.locale, "body", 22 * root.unit)
                }
            }

            Line {
                id: address
                objectName: "stripAddress"
                text: root.facts.address
                color: "#E9B44C"
                elide: Text.ElideMiddle
                font: root.banners.font(root.facts.locale, "title", 36 * root.unit)
            }

            Item {
                id: finding
                readonly property real mark: 14 * root.unit
                // Not the sentence's own implicitWidth: wrapped text works it out again at each width.
                readonly property real wanted: visible ? Math.ceil(whole.advanceWidth) + 2 * mark : 0
                visible: root.facts.finding !== ""
                width: parent.width
                height: sentence.height

                TextMetrics {
                    id: whole
                    font: sentence.font
                    text: sentence.text
                }

                Rectangle {
                    anchors { left: parent.left; top: parent.top; topMargin: (28 * 1.21 * root.unit - height) / 2 }
                    width: finding.mark
                    height: width
                    radius: width / 2
                    color: root.facts.is_fault ? "#F0864C" : "#E9B44C"
                }

                Line {
                    id: sentence
                    objectName: "stripFinding"
                    anchors.right: parent.right
                    width: parent.width - 2 * finding.mark
                    text: root.facts.finding
                    wrapMode: Text.Wrap
                    maximumLineCount: 3
                }
            }
        }
    }
}
