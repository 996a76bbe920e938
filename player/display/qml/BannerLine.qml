// A line of a banner: plain text, cut off where it does not fit.
import QtQuick

Text {
    textFormat: Text.PlainText
    elide: Text.ElideRight
    visible: text !== ""
}
