// Which screen this is, for whoever looks for it from across the room: over the view, at the upper edge.
import QtQuick

Banner {
    id: root

    facts: banners.identity

    objectName: "banner"

    component Line: BannerLine {
        color: "#1A1408"
        font: root.banners.font(root.facts.locale, "title", 36 * root.unit)
    }

    Column {
        id: lines
        readonly property real wanted: Math.max(name.implicitWidth, place.visible ? place.implicitWidth : 0, tags.implicitWidth)
        width: Math.min(wanted, root.mostContent)
        spacing: 10 * root.unit

        Line {
            id: name
            objectName: "bannerText"
            width: parent.width
            horizontalAlignment: Text.AlignHCenter
            text: root.facts.name
            font: root.banners.font(root.facts.locale, "title", 60 * root.unit)
        }

        Line {
            id: place
            objectName: "bannerLocation"
            width: parent.width
            horizontalAlignment: Text.AlignHCenter
            text: root.facts.location
            font: root.banners.font(root.facts.locale, "body", 36 * root.unit)
        }

        Row {
            id: tags
            anchors.horizontalCenter: parent.horizontalCenter
            spacing: 24 * root.unit

            Rectangle {
                width: shortId.implicitWidth + 28 * root.unit
                height: shortId.implicitHeight + 6 * root.unit
                radius: 10 * root.unit
                color: "#1A1408"

                Line {
                    id: shortId
                    objectName: "bannerShortId"
                    anchors.centerIn: parent
                    text: root.facts.short_id
                    color: "#E9B44C"
                }
            }

            Line {
                objectName: "bannerAddress"
                anchors.verticalCenter: parent.verticalCenter
                width: Math.min(implicitWidth, root.mostContent - shortId.implicitWidth - 60 * root.unit)
                elide: Text.ElideMiddle
                text: root.facts.address
            }
        }
    }
}
