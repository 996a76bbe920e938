"""Problems of services as sentences for users; one without a sentence here is shown in the service's own English."""

from collections.abc import Sequence
from decimal import Decimal

from service.core.errors import Fault, ProblemError
from service.desk.words import Phrase, as_it_is, phrase

TWO = 2
"""Amounts that an ambiguous one may be."""
HDR_FILM = phrase(
    "This film is HDR: screens would show its colours wrong. Export it as SDR, or turn HDR video off in the camera."
)
_SENTENCES = {
    "forbidden": phrase("Your role does not allow this."),
    "not_found": phrase("This is no longer there."),
    "no_such_path": phrase("There is no such page."),
    "wrong_password": phrase("The e-mail address or the password is not right."),
    "too_many_requests": phrase("Too many attempts. Wait a while, then try again."),
    "wrong_code": phrase("This code is not right. It changes every 30 seconds, and each works once."),
    "sign_in_again": phrase("This took too long. Sign in again."),
    "second_factor_on": phrase("The second factor is turned on already."),
    "member_elsewhere": phrase(
        "They are in another team here as well: the operator of the service turns their second factor off."
    ),
    "provider_refused": phrase("The sign-in was refused. Try again, or sign in another way."),
    "provider_unanswered": phrase("The identity provider does not answer. Try again, or sign in by password."),
    "not_a_member": phrase("Nobody has invited this e-mail address. Whoever manages your team can."),
    "link_used": phrase("This link does not work any more. Ask for a new one."),
    "other_site": phrase("This form came from another site. Open the page again, and repeat it."),
    "stale_page": phrase("This page is of an earlier session. Open it again, and repeat it."),
    "precondition_failed": phrase("Somebody has changed this meanwhile. Look at it again."),
    "too_many_commands": phrase("The screen has enough to do. It fetches that first."),
    "command_sent": phrase("The screen has it already."),
    "device_in_use": phrase("This device is another screen. Remove that screen first, if the device has left it."),
    "already_a_member": phrase("They are a member already."),
    "team_full": phrase("The team is full."),
    "no_mail_server": phrase("The service has no mail server."),
    "password_needed": phrase(
        "You are in another team here. Sign in there first, and choose a password in your profile."
    ),
    "invite_accepted": phrase("This invitation was accepted already."),
    "invite_expired": phrase("This invitation has expired. Ask to be invited again."),
    "invite_replaced": phrase("There is a newer invitation. Use the newest."),
    "invite_withdrawn": phrase("This invitation was taken back."),
    "delivery_pending": phrase("It is on its way already."),
    "webhook_disabled": phrase("The webhook is disabled. Enable it first."),
    "no_feed": phrase("Nothing is read here: items are pushed."),
    "disabled": phrase("The connection is switched off. Switch it on first."),
    "preview_busy": phrase("Too many previews are being made. Try again in a moment."),
    "unsupported_media_type": phrase(
        "Only PNG, JPEG, WebP, HEIC and AVIF pictures, MP4, WebM, MOV and MKV films and TTF and OTF fonts can be shown."
    ),
    "media_type_mismatch": phrase(
        "Only PNG, JPEG, WebP, HEIC and AVIF pictures, MP4, WebM, MOV and MKV films and TTF and OTF fonts can be shown."
    ),
    "photo_not_readable_here": phrase(
        "Photos in HEIC and AVIF cannot be read on the service's machine. Export this one as JPEG, or ask whoever runs "
        "the service to install libheif-examples."
    ),
    "asset_undecodable": phrase("This file is damaged, animated or too large for screens. Export it again."),
    "video_hdr": HDR_FILM,
    "font_unusable": phrase(
        "Screens cannot draw with this font. Upload it as one whole TTF or OTF, not as WOFF or a collection."
    ),
    "video_unsupported": phrase("No screen could play this film. Export it as H.264 with 8 bits, in Full HD."),
    "too_large": phrase("This is too large: a picture has at most 25 MiB, a film 512 MiB, a font 5 MiB."),
    "too_many_uploads": phrase("Too many uploads are not finished. They are removed after a day."),
    "upload_lost": phrase("A part of the upload is lost. Begin it again."),
    "in_use": phrase("This is in use. Take it out of the playlists, or off the screens, that have it; then remove it."),
    "playlist_empty": phrase("The playlist has no board: its screens would have nothing to show. Add one first."),
    "too_many_scenes": phrase("The playlist is full."),
    "already_decided": phrase("Somebody has decided this already."),
    "version_gone": phrase("This version is not stored any more."),
    "too_many_overrides": phrase("Too many boards are shown in place of others. Withdraw one that is not needed."),
    "has_taken_effect": phrase("This has taken effect already. Plan another change."),
    "too_many_rollouts": phrase("There are too many rollouts. Remove old ones."),
    "too_many_planned_changes": phrase("Too much is planned. Withdraw what is not needed."),
    "undone_already": phrase("This import was undone already."),
    "too_late_to_undo": phrase("This import is more than a day old: boards and tills count on it by now."),
    "storage_full": phrase("The disk of the service is full. Nothing was changed."),
}
_FAULTS = {
    "precondition_failed": _SENTENCES["precondition_failed"],
    "not_a_number": phrase("This must be a price, such as 3.40."),
    "no_decimals": phrase("This currency has no decimals: write a whole amount."),
    "other_currency": phrase("This is another currency than that of the menu."),
    "negative": phrase("A price is not negative."),
    "too_precise": phrase("This price has too many decimals."),
    "out_of_range": phrase("This number is too large or too small."),
    "blank": phrase("This may not be blank."),
    "too_short": phrase("This is too short."),
    "too_long": phrase("This is too long."),
    "not_an_email": phrase("This must be an e-mail address such as kim@example.com."),
    "wrong_password": phrase("This is not the password until now."),
    "wrong_code": phrase("This code is not right. It changes every 30 seconds, and each works once."),
    "not_a_time": phrase("This must be a time such as 08:00."),
    "not_a_date": phrase("This must be a date such as 2026-12-25."),
    "not_whole": phrase("This must be a whole number."),
    "unknown_timezone": phrase("This is not a time zone, such as Europe/Berlin."),
    "unknown_locale": phrase("This is not a language with a country, such as de-DE."),
    "bad_url": phrase("This must be the https address of a server on the internet."),
    "not_a_feed": phrase(
        "This must be an https address on the internet, or the name of a file in the folder of feeds."
    ),
    "bad_version": phrase("A version begins with a digit, such as 0.2.0."),
    "not_a_color": phrase("A colour is # and six digits, such as #F5EFE6."),
    "not_a_local_time": phrase("This must be a date with its time."),
    "ends_before_start": phrase("The end lies after the start."),
    "not_in_the_future": phrase("This time has passed."),
    "outside_canvas": phrase("This would lie outside of the board."),
    "nothing_ticked": phrase("Tick the items first: up to 200."),
    "required": phrase("This is needed."),
    "not_above": phrase("The regular price is above the price of the offer."),
    "sku_taken": phrase("Another item has this SKU."),
    "market_price": phrase("At the market price, or without one, an item has no price of its own."),
    "has_variants": phrase("Each variant has a price of its own, and no unit."),
    "unknown_language": phrase("This is no language tag such as de, pt-BR or zh-Hant."),
    "no_offer": phrase("An offer needs a regular price."),
    "ends_before_it_begins": phrase("An offer ends after it begins."),
    "no_base": phrase("The item itself has no description that this would translate."),
    "empty": phrase("This may not be empty."),
    "duplicate": phrase("This stands here twice."),
    "skipped_hour": phrase("The clocks skip this time at one of the locations."),
    "nothing_changes": phrase("Name a price, or whether it is sold out."),
    "planned_already": phrase("Another planned change has a value here at the same time."),
    "not_a_code": phrase("A code has six characters, as the screen shows it."),
}

_IMPORTS = {
    "empty": phrase("There is no item with a price in it."),
    "no_columns": phrase("The first line has to name the columns: Name, Category, Price."),
    "too_large": phrase("This file is too large: it has at most 4 MiB."),
    "too_many_rows": phrase("This has too many rows: at most 10,000."),
    "too_many_columns": phrase("This has too many columns."),
    "no_docx": phrase("Word files cannot be read here: the operator of the service installs python3-docx."),
    "no_pypdf": phrase("PDFs cannot be read here: the operator of the service installs python3-pypdf."),
    "bad_document": phrase("This file is no document that can be read. Copy its text, and paste it."),
    "no_text": phrase("This PDF has pictures of its text only. Type the lines, or scan it with text recognition."),
    "too_many_pages": phrase("This document is too long: at most 100 pages."),
    "too_slow": phrase("This document takes too long to read. Copy its text, and paste it."),
    "bad_workbook": phrase("This file is no workbook that can be read. Save it as .xlsx or .csv."),
    "workspace_full": phrase("With these there would be too many items."),
    "two_prices": phrase("This line has two prices: write one item a line, or a table with variants."),
    "no_name": phrase("This line has a price without a name."),
    "spaced_number": phrase("This price may begin at the last number or the one before: write it without a space."),
    "required": phrase("This row has no price."),
    "unknown_allergen": phrase("An allergen here is not known, and was left out. Say what the codes of the menu mean."),
    "bad_encoding": phrase("The letters of this file cannot be read. Save it as UTF-8."),
    "mixed_encodings": phrase("This file is half UTF-8 and half not. Export it in one encoding."),
    "no_price": phrase("This line has no price, and no item is below it."),
    "sku_taken": phrase("Another item has this SKU."),
    "duplicate": phrase("This item stands in the table twice."),
    "too_many_cells": phrase("This row has more cells than columns."),
    "size_without_name": phrase("One of the sizes of this item has no name."),
    "size_of_refused": phrase("This is a size of an item that cannot be read."),
}


_RECEIPTS = {
    "house": phrase("No board was due or could be shown: it showed the card of the house."),
    "pairing": phrase("It showed a pairing code."),
    "nothing": phrase("It showed nothing: its display had a fault."),
    "off": phrase("Its panel was off, outside of the opening hours."),
    "stopped": phrase("Its player was ended, and started later."),
    "cut": phrase("Its power was cut, or its player failed."),
    "clock": phrase("It did not know the time, or its clock was corrected."),
    "dropped": phrase("It had no room to note what it showed."),
    "not_reported": phrase("It has reported nothing of this time, or not yet."),
}


def sentence_of_receipts(problem: ProblemError) -> Phrase:
    """Returns the reason why there is no proof of play."""
    code = problem.faults[0].code if problem.faults else "not_reported"
    return _RECEIPTS.get(code, _RECEIPTS["not_reported"])


def sentence_of_import(code: str, detail: str, readings: Sequence[str] = ()) -> Phrase:
    """Returns the reason for which an import, or one of its rows, is refused."""
    if len(readings) == TWO:
        return _sentence_of_doubt(list(map(Decimal, readings)))
    return _IMPORTS.get(code) or _FAULTS.get(code) or as_it_is(detail)


def sentence_of(problem: ProblemError) -> Phrase:
    if problem.faults:
        return sentence_of_fault(problem.faults[0])
    return _SENTENCES.get(problem.code) or as_it_is(problem.detail)


def sentence_of_fault(fault: Fault) -> Phrase:
    if fault.code == "not_a_number" and "price" not in (fault.pointer or "").lower():
        return phrase("This must be a number.")
    if fault.code == "out_of_range" and fault.parameter in ("at", "from", "to"):
        return phrase("This is told of 400 days before and after now.")
    if len(fault.readings) == TWO:
        return _sentence_of_doubt(fault.readings)
    return _FAULTS.get(fault.code) or as_it_is(fault.detail)


def _sentence_of_doubt(readings: Sequence[Decimal]) -> Phrase:
    """Describes both possible readings of an ambiguous amount."""
    first, second = readings
    return phrase("This may be {first} or {second}: write the one that is meant.", first=first, second=second)
