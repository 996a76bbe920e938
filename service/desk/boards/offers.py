"""Fields of boards, widgets, themes and slides that forms offer, with their labels, and words of their choices."""

from collections.abc import Mapping

from service.desk.words import Phrase, phrase

Offer = tuple[str, Phrase]
"""The JSON name of a field and its label."""

PLACE: tuple[Offer, ...] = (
    ("x", phrase("From the left")),
    ("y", phrase("From the top")),
    ("width", phrase("Width")),
    ("height", phrase("Height")),
    ("opacity", phrase("Opacity")),
)
LANGUAGES: Offer = ("languages", phrase("Languages together, such as de, en"))
_SHOWS: tuple[Offer, ...] = (
    ("showDescriptions", phrase("Descriptions")),
    ("showImages", phrase("Pictures")),
    ("showTags", phrase("Tags")),
    ("showAllergens", phrase("Allergens")),
    ("showEnergy", phrase("Energy")),
)
_LIST: tuple[Offer, ...] = (
    ("columns", phrase("Columns")),
    *_SHOWS,
    ("soldOut", phrase("What is sold out")),
    ("minTextSize", phrase("Smallest text")),
    ("maxTextSize", phrase("Largest text")),
    ("showPrices", phrase("Prices")),
    ("tagIcons", phrase("Tags as signs")),
    ("emptyText", phrase("Text when nothing can be had")),
    ("energyNote", phrase("Note on energy")),
    LANGUAGES,
)
_ITEMS: Offer = ("itemIds", phrase("Only these items, one a line"))
_VERTICAL: Offer = ("verticalAlign", phrase("Height of the text"))
_ZONE: Offer = ("timezone", phrase("Time zone"))
_TEXT: tuple[Offer, ...] = (("text", phrase("Text")),)
_ALIGN: tuple[Offer, ...] = (("align", phrase("Alignment")), ("size", phrase("Size of the text")))
_COLOR: tuple[Offer, ...] = (("color", phrase("Colour")),)
THEME: tuple[Offer, ...] = (
    ("textColor", phrase("Colour of texts")),
    ("accentColor", phrase("Colour of headings and prices")),
    ("panelColor", phrase("Colour of panels")),
    ("headingStyle", phrase("Headings")),
    ("headingSize", phrase("Size of headings, as a share of the names'")),
    ("headingFamily", phrase("Font of headings")),
    ("headingWeight", phrase("Weight of headings")),
    ("priceCents", phrase("Cents")),
    ("scale", phrase("Scale of the text")),
    ("fontFamily", phrase("Font")),
    ("titleFamily", phrase("Font of titles")),
    ("priceSymbol", phrase("Sign of the currency")),
    ("priceWord", phrase("Word of the currency, such as 円")),
    ("letterSpacing", phrase("Space between letters")),
    ("italic", phrase("In italics")),
    ("shadowColor", phrase("Colour of shadows")),
    ("featuredColor", phrase("Colour of what is featured")),
)
FOCUS: tuple[Offer, ...] = (
    ("x", phrase("What stays in sight, from the left (0 to 1)")),
    ("y", phrase("What stays in sight, from the top (0 to 1)")),
)
BOARD: tuple[Offer, ...] = (
    ("languages", phrase("Languages, such as de, en; without any that of the location")),
    ("languageMode", phrase("Several languages")),
    ("mirrorBoxes", phrase("Mirrored in languages that run from right to left")),
    ("width", phrase("Width")),
    ("height", phrase("Height")),
)
PANELS: Offer = ("panels", phrase("Screens side by side that show it together"))
SPAN: tuple[Offer, ...] = (PANELS, ("gap", phrase("Hidden by the frames between them")))
BACKGROUND: tuple[Offer, ...] = (("fit", phrase("Fit")),)
SLIDE: tuple[Offer, ...] = (
    ("asset", phrase("Picture or film")),
    ("durationSeconds", phrase("Seconds")),
    ("fit", phrase("Fit")),
)
GRADIENT: tuple[Offer, ...] = (("from", phrase("From")), ("to", phrase("To")), ("angle", phrase("Angle")))
WIDGETS: Mapping[str, tuple[Offer, ...]] = {
    "menu": (
        ("title", phrase("Title")),
        ("categories", phrase("Categories")),
        _ITEMS,
        *_LIST,
        ("groupByCategory", phrase("Headings of categories")),
        ("showModifiers", phrase("Extras")),
        ("leader", phrase("Dots up to the price")),
        ("division", phrase("Categories in columns")),
        ("columnsAt", phrase("Categories that begin a column, one a line")),
        _VERTICAL,
    ),
    "grid": (("categories", phrase("Categories")), _ITEMS, *_LIST),
    "item": (
        ("itemId", phrase("Item")),
        ("insteadItemId", phrase("Instead, while it is sold out")),
        ("showPrice", phrase("Price")),
        ("showDescription", phrase("Description")),
        ("showImage", phrase("Picture")),
        ("showTags", phrase("Tags")),
        ("showAllergens", phrase("Allergens")),
        ("showEnergy", phrase("Energy")),
        ("energyNote", phrase("Note on energy")),
        LANGUAGES,
    ),
    "image": (("asset", phrase("Picture")), ("fit", phrase("Fit"))),
    "video": (
        ("asset", phrase("Film")),
        ("fit", phrase("Fit")),
        ("poster", phrase("Picture until it plays")),
        ("muted", phrase("Without sound")),
    ),
    "slideshow": (("fadeMilliseconds", phrase("Milliseconds of a fade")),),
    "text": (*_TEXT, *_ALIGN, _VERTICAL, ("weight", phrase("Weight")), ("role", phrase("Style"))),
    "ticker": (*_TEXT, ("speed", phrase("Speed"))),
    "clock": (("pattern", phrase("Pattern")), _ZONE, *_ALIGN),
    "countdown": (
        *_TEXT,
        ("endText", phrase("Text after the end")),
        ("endsAt", phrase("To this date and time")),
        ("end", phrase("Or each day to this time")),
        ("start", phrase("From this time")),
        ("days", phrase("On these days")),
        _ZONE,
        ("showSeconds", phrase("Seconds")),
        *_ALIGN,
    ),
    "qr": (("data", phrase("Address or text of the code")), ("caption", phrase("Line below it"))),
    "shape": (
        ("shape", phrase("Shape")),
        *_COLOR,
        ("borderColor", phrase("Colour of the border")),
        ("borderWidth", phrase("Width of the border")),
        ("style", phrase("Line")),
        ("radius", phrase("Radius of the corners")),
    ),
}
"""The fields of each widget that a form offers; its place comes after them."""

CHOICES: Mapping[str, Phrase] = {
    "": phrase("As it comes"),
    "auto": phrase("By itself"),
    "left": phrase("Left"),
    "center": phrase("Middle"),
    "right": phrase("Right"),
    "hide": phrase("Is not shown"),
    "mark": phrase("Is struck through"),
    "normal": phrase("Normal"),
    "bold": phrase("Bold"),
    "body": phrase("Text"),
    "title": phrase("Title"),
    "accent": phrase("In the colour of headings"),
    "inTurn": phrase("One after the other"),
    "together": phrase("Two at once"),
    "cover": phrase("Fills its place, cut"),
    "contain": phrase("Whole, with bars"),
    "stretch": phrase("Stretched"),
    "plain": phrase("Plain"),
    "underlined": phrase("Underlined"),
    "ruled": phrase("With a rule"),
    "boxed": phrase("In a box"),
    "whole": phrase("Whole"),
    "columnEach": phrase("A column each"),
    "always": phrase("Always"),
    "ifAny": phrase("Where there are any"),
    "raised": phrase("Small and raised"),
    "top": phrase("Top"),
    "middle": phrase("Middle"),
    "bottom": phrase("Bottom"),
    "rectangle": phrase("Rectangle"),
    "line": phrase("Line"),
    "circle": phrase("Circle"),
    "burst": phrase("Burst"),
    "ornament": phrase("Ornament"),
    "solid": phrase("Solid"),
    "dotted": phrase("Dotted"),
    "double": phrase("Double"),
    "none": phrase("None"),
    "titles": phrase("Titles"),
    "details": phrase("Details"),
    "all": phrase("All"),
    "true": phrase("Yes"),
    "false": phrase("No"),
}
DAYS: Mapping[str, Phrase] = {
    "mon": phrase("Monday"),
    "tue": phrase("Tuesday"),
    "wed": phrase("Wednesday"),
    "thu": phrase("Thursday"),
    "fri": phrase("Friday"),
    "sat": phrase("Saturday"),
    "sun": phrase("Sunday"),
}
