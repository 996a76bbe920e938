// The quiet banner of a board that goes on although it has to be paired again: for staff, at the lower edge.
import QtQuick

Banner {
    id: root

    facts: banners.notice
    readonly property bool upright: over.height > over.width

    objectName: "notice"
    quiet: true

    component Line: BannerLine {
        color: "#D8DDE3"
        font: root.banners.font(root.facts.locale, "body", 24 * root.unit)
    }

    Column {
        spacing: 8 * root.unit

        Grid {
            id: first
            columns: root.upright ? 1 : 2
            columnSpacing: 18 * root.unit
            rowSpacing: 8 * root.unit
            verticalItemAlignment: Grid.AlignVCenter

            Line {
                objectName: "noticeName"
                width: Math.min(implicitWidth, root.upright ? root.mostContent : 560 * root.unit, root.mostContent - (root.upright ? 0 : fault.implicitWidth + first.columnSpacing))
                text: root.facts.name
                color: "#F4EFE6"
                font: root.banners.font(root.facts.locale, "title", 24 * root.unit)
            }

            Line {
                id: fault
                objectName: "noticeFault"
                width: Math.min(implicitWidth, root.mostContent)
                wrapMode: Text.Wrap
                maximumLineCount: 2
                text: root.facts.fault
            }
        }

        Grid {
            columns: 4
            columnSpacing: 12 * root.unit
            verticalItemAlignment: Grid.AlignVCenter

            Line {
                id: advice
                objectName: "noticeAdvice"
                width: Math.min(implicitWidth, root.mostContent)
                wrapMode: Text.Wrap
                maximumLineCount: 2
                text: root.facts.advice
            }

            Line {
                id: code
                objectName: "noticeCode"
                text: root.facts.code
                color: "#E9B44C"
                font: root.banners.font(root.facts.locale, "title", 30 * root.unit)
            }

            Line {
                id: at
                visible: code.visible
                text: root.facts.at
            }

            Line {
                objectName: "noticeAddress"
                visible: code.visible
                width: Math.min(implicitWidth, root.mostContent - advice.width - code.width - at.width - 36 * root.unit)
                elide: Text.ElideMiddle
                text: root.facts.address
            }
        }
    }
}
