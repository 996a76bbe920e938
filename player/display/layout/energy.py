"""Puts energies beside names, prices or descriptions, by the law of the location, and second languages into
descriptions; no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from menu.text.energy import is_declared_large
from menu.text.wording import Locality, joined
from player.display.layout.badges import DOT
from player.display.layout.text.bidi import join_isolated
from player.domain.view import MenuRow, MenuSection, VariantText

BESIDE = "\N{EN SPACE}"
"""Between a name or price and an energy as large."""


def sections_with_energy(sections: Sequence[MenuSection], locality: Locality) -> list[MenuSection]:
    """Puts each item's energy after its name, or before its description. Energies of variants stay where they are: what
    stands beside them depends on the layout."""
    return [
        replace(section, rows=tuple(row_with_energy(row, locality) for row in section.rows)) for section in sections
    ]


def row_with_energy(row: MenuRow, locality: Locality) -> MenuRow:
    """Puts the energy of a menu row into its texts."""
    if not row.energy:
        return row
    if is_declared_large(locality.law):
        return replace(row, name=f"{row.name}{BESIDE}{row.energy}")
    return _described(row, locality)


def poster_with_energy(row: MenuRow, locality: Locality) -> MenuRow:
    """Puts all energies into the texts of an item widget's row; where they are large, beside the prices."""
    large = is_declared_large(locality.law)
    variants = tuple(_variant(variant, locality, large=large) for variant in row.variants)
    row = replace(row, variants=variants)
    if not row.energy:
        return row
    if not large:
        return _described(row, locality)
    if row.price.text and not row.price.suffix and not row.price.in_words:
        return replace(row, price=replace(row.price, text=f"{row.price.text}{BESIDE}{row.energy}"))
    return replace(row, name=f"{row.name}{BESIDE}{row.energy}")


def named_variant(variant: VariantText, *, right_to_left: bool) -> str:
    """Returns the name of a variant that has a line of its own, with its energy."""
    parts = (variant.name, variant.energy) if variant.energy else (variant.name,)
    return DOT.join(join_isolated((part,), right_to_left=right_to_left) for part in parts)


def _variant(variant: VariantText, locality: Locality, *, large: bool) -> VariantText:
    if not variant.energy:
        return variant
    if large:
        return replace(
            variant, price=replace(variant.price, text=f"{variant.price.text}{BESIDE}{variant.energy}"), energy=""
        )
    return replace(variant, name=named_variant(variant, right_to_left=locality.right_to_left), energy="")


def _described(row: MenuRow, locality: Locality) -> MenuRow:
    energy = join_isolated((row.energy,), right_to_left=locality.right_to_left)
    return replace(row, description=f"{energy}{DOT}{row.description}" if row.description else energy)


def with_second_below(row: MenuRow) -> MenuRow:
    """Puts all languages into the description: the other names, the first description, the others."""
    if row.second is None:
        return row
    parts = (joined(row.second.name.split("\n")), row.description, row.second.description)
    return replace(row, description="\n".join(part for part in parts if part), second=None)
