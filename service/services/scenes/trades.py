"""Chooses the picture of the trade that the categories of a menu name, by a table of words in its language."""

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf

LEAST_SHARE = 0.2
"""The share of all items under a trade's categories below which it is not what the shop sells."""
LEAST_LEAD = 2
"""Items of a trade, as a multiple of those of any other; of one `BESIDE` others, just as many."""
BESIDE = frozenset({"bar", "beer", "cake", "coffee", "ice-cream", "juice", "salad", "sweets", "tea", "wine"})
"""Trades whose goods most shops sell beside their own."""
JOINED = frozenset({"ja", "ko", "th", "zh"})
"""Languages that write words without spaces between them."""

TradeWords = Mapping[str, Mapping[str, Sequence[str]]]
"""Words by trade and language."""


def trade_of(categories: Mapping[str, int], words: TradeWords, language: str, *, own: str | None = None) -> str | None:
    """Returns the trade that the categories, with the number of items in each, plainly name; None if none is, or more
    than one. A category that names several counts for the first; the template's `own` trade needs its share alone."""
    counted: Counter[str] = Counter()
    for category, items in categories.items():
        named = _named(category, words, language)
        if named is not None:
            counted[named] += items
    least = max(1, LEAST_SHARE * sum(categories.values()))
    if own is not None and counted[own] >= least:
        return own
    trade, items = max(counted.items(), key=lambda one: one[1], default=("", 0))
    leads = all(
        items >= other * (1 if name in BESIDE else LEAST_LEAD) for name, other in counted.items() if name != trade
    )
    return trade if items >= least and leads else None


def _named(category: str, words: TradeWords, language: str) -> str | None:
    text = _spaced(category)
    places = {
        trade: min(
            (at for word in by_language.get(language, ()) if (at := _place(word, text, language)) >= 0), default=inf
        )
        for trade, by_language in words.items()
    }
    first = min(places, key=lambda trade: places[trade], default="")
    return first if places.get(first, inf) < inf else None


def _place(word: str, text: str, language: str) -> int:
    spaced = _spaced(word)
    return text.find(spaced.strip() if language in JOINED else spaced)


def _spaced(text: str) -> str:
    """Returns the words of a text between single spaces, one before and one after; marks belong to their letters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    letters = (letter if unicodedata.category(letter)[0] in "LM" else " " for letter in folded)
    return f" {' '.join(''.join(letters).split())} "
