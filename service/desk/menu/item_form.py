"""Form of an item: its fields as texts, the document that they make, and the field of each fault.

Rows of variants, modifiers and translations are numbered: `variants.0.name`. Empty rows are omitted.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, get_args
from zoneinfo import ZoneInfo

from menu.documents.manifest import MAX_MODIFIERS, MAX_VARIANTS
from menu.documents.scene import MAX_LANGUAGES
from service.core.amounts import Notation
from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError
from service.desk.amounts import Amounts
from service.desk.documents import DocumentForm
from service.desk.formats import plain_price
from service.desk.forms import Form
from service.desk.problems import sentence_of_fault
from service.desk.words import Phrase, phrase
from service.schema.content.item import Allergen, ItemPatch, ItemResponse

ALLERGENS: tuple[str, ...] = get_args(Allergen)
FREE_ROWS = 2
"""Empty rows below those that an item has."""
ROWS = {
    "variants": (("id", "name", "price", "regularPrice"), MAX_VARIANTS),
    "modifiers": (("name", "priceDelta"), MAX_MODIFIERS),
    "translations": (("language", "name", "description"), MAX_LANGUAGES),
}
"""Fields of the rows of each list, and how many there are at most."""
_PLAIN = DocumentForm(ItemPatch, "name", "category", "description", "sku", "priceKind", "priceUnit", words="tags")
_PRICES = ("price", "regularPrice")
_WHOLE = ("energy", "energyTo", "sortIndex")
_MOMENTS = ("offerStartsAt", "offerEndsAt")


@dataclass(frozen=True, slots=True)
class Reading:
    """A parsed form: the document of the API, and the form's field of each pointer into it."""

    document: dict[str, object]
    places: dict[str, str] = field(default_factory=dict)
    amounts: Amounts = field(default_factory=Amounts)

    def faults(self, problem: ProblemError) -> dict[str, Phrase]:
        """Returns the first fault of each field, in a sentence; those without a field are under an empty name."""
        found: dict[str, Phrase] = {}
        for fault in problem.faults:
            name = self._field(fault.pointer or "")
            found.setdefault(name, _sentence(self.amounts.faults.get(name, fault)))
        return found

    def _field(self, pointer: str) -> str:
        path = pointer
        while path:
            if path in self.places:
                return self.places[path]
            path = path.rpartition("/")[0]
        return ""


def fields_of(item: ItemResponse, *, currency: str, zone: str, language: str) -> dict[str, str]:
    """Returns the fields of the form, as texts."""
    shown = item.document()
    fields = _PLAIN.shown(item)
    fields |= {"price": plain_price(item.price, currency, language=language)}
    fields |= {"regularPrice": plain_price(item.regular_price, currency, language=language)}
    fields |= {name: "" if shown[name] is None else str(shown[name]) for name in _WHOLE}
    fields |= {name: _local(shown[name], zone) for name in _MOMENTS}
    fields |= {"featured": "1" if item.featured else ""}
    fields |= {f"allergen.{one}": "1" if one in item.allergens else "" for one in ALLERGENS}
    for at, part in enumerate(item.variants):
        regular = plain_price(part.regular_price, currency, language=language)
        told = {"id": part.id, "name": part.name, "price": plain_price(part.price, currency, language=language)}
        fields |= {f"variants.{at}.{name}": text for name, text in {**told, "regularPrice": regular}.items()}
    for at, one in enumerate(item.modifiers):
        fields[f"modifiers.{at}.name"] = one.name
        fields[f"modifiers.{at}.priceDelta"] = plain_price(one.price_delta, currency, language=language)
    for at, (tag, text) in enumerate(item.translations.items()):
        fields[f"translations.{at}.language"] = tag
        fields[f"translations.{at}.name"] = text.name or ""
        fields[f"translations.{at}.description"] = text.description or ""
    return fields


def rows_of(given: Form, name: str) -> list[int]:
    """Returns the numbers of the rows that a form shows: filled ones, and some free ones."""
    parts, most = ROWS[name]
    used = [at for at in range(most) if any(given.get(f"{name}.{at}.{part}") for part in parts)]
    following = used[-1] + 1 if used else 0
    return list(range(min(most, following + FREE_ROWS)))


def read_item(given: Form, *, zone: str, notation: Notation) -> Reading:
    """Parses the fields of the form; anything other than a number, date or language stays unchanged, for the schema to
    report."""
    amounts = Amounts()
    document = _PLAIN.read(given, in_part=True)
    document |= {name: amounts.read(name, given[name], notation) for name in _PRICES if name in given}
    document |= {name: _whole(given[name]) for name in _WHOLE if name in given}
    document |= {name: _moment(given[name], zone) for name in _MOMENTS if name in given}
    if "sortIndex" in given and not given["sortIndex"]:
        document["sortIndex"] = 0
    if document.get("price", 0) is None:
        # An item at the market price has none; of another the service says that it is missing.
        del document["price"]
    if "featured" in given:
        document["featured"] = given["featured"] == "1"
    if any(name.startswith("allergen.") for name in given):
        document["allergens"] = [one for one in ALLERGENS if given.get(f"allergen.{one}") == "1"]
    places = {f"/{name}": name for name in (*_PLAIN.names, *_PRICES, *_WHOLE, *_MOMENTS, "allergens")}
    for name in ROWS:
        if any(one.startswith(f"{name}.") for one in given):
            _read_rows(given, name, document, places, lambda at, text: amounts.read(at, text, notation))
    return Reading(document, places, amounts)


def completed(form: Form) -> dict[str, str]:
    """Adds the boxes that are not ticked, which browsers omit."""
    boxes = ("featured", *(f"allergen.{one}" for one in ALLERGENS)) if "boxes" in form else ()
    return {**dict.fromkeys(boxes, ""), **form}


def changed_fields(before: Mapping[str, str], given: Form) -> dict[str, str]:
    """Returns the fields of the form that differ from the item's, as the form has them."""
    return {name: text for name, text in given.items() if name in before and _same(text) != _same(before[name])} | {
        name: text for name, text in given.items() if name not in before and text and name.partition(".")[0] in ROWS
    }


def whole_rows(fields: Mapping[str, str], given: Form) -> dict[str, str]:
    """Adds all rows of the changed lists: the API takes a list as a whole."""
    lists = {name.partition(".")[0] for name in fields} & {*ROWS, "allergen"}
    return {**fields, **{name: text for name, text in given.items() if name.partition(".")[0] in lists}}


def _same(text: str) -> str:
    return text.replace("\r\n", "\n")


def _read_rows(
    given: Form,
    name: str,
    document: dict[str, object],
    places: dict[str, str],
    amount: Callable[[str, str], object],
) -> None:
    parts, most = ROWS[name]
    found: list[dict[str, Any]] = []
    by_language: dict[str, object] = {}
    for row in range(most):
        texts = {part: given.get(f"{name}.{row}.{part}", "") for part in parts}
        if not any(text for part, text in texts.items() if part != "id"):
            continue
        if name == "translations":
            language = texts["language"]
            by_language[language] = {part: texts[part] or None for part in ("name", "description")}
            places[f"/{name}/{language}"] = f"{name}.{row}.language"
            continue
        places |= {f"/{name}/{len(found)}": f"{name}.{row}.name"}
        places |= {f"/{name}/{len(found)}/{part}": f"{name}.{row}.{part}" for part in parts}
        prices = {one: amount(f"{name}.{row}.{one}", texts[one]) for one in parts if one not in ("id", "name")}
        found.append({"name": texts["name"], **prices})
    document[name] = by_language if name == "translations" else found
    places[f"/{name}"] = f"{name}.0.{'language' if name == 'translations' else 'name'}"


def _whole(text: str) -> object:
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        return text


def _moment(text: str, zone: str) -> object:
    """Parses a local date and time of the place as an instant."""
    if not text:
        return None
    try:
        return instant_text(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)))
    except ValueError:
        return text


def _local(instant: object, zone: str) -> str:
    if not isinstance(instant, str):
        return ""
    return datetime.fromisoformat(instant).astimezone(ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M")


def _sentence(fault: Fault) -> Phrase:
    name = (fault.pointer or "").rpartition("/")[2]
    if name in _WHOLE and fault.code == "not_a_number":
        return phrase("This must be a whole number.")
    if name == "energyTo" and fault.code == "not_above":
        return phrase("A range goes from a smaller number to a larger one.")
    return sentence_of_fault(fault)
