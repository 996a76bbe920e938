"""Problems of services as sentences for people; one without a sentence here is said in the service's own English."""

from service.core.errors import ProblemError
from service.desk.words import Phrase, as_it_is, phrase

_SENTENCES = {
    "forbidden": phrase("Your role does not allow this."),
    "not_found": phrase("This is no longer there."),
    "no_such_path": phrase("There is no such page."),
    "wrong_password": phrase("The e-mail address or the password is not right."),
    "too_many_requests": phrase("Too many attempts. Wait a while, then try again."),
    "link_used": phrase("This link does not work any more. Ask for a new one."),
    "other_site": phrase("This form came from another site. Open the page again, and repeat it."),
    "stale_page": phrase("This page is of an earlier session. Open it again, and repeat it."),
    "precondition_failed": phrase("Somebody has changed this meanwhile. Look at it again."),
    "too_many_commands": phrase("The screen has enough to do. It fetches that first."),
    "command_sent": phrase("The screen has it already."),
    "device_in_use": phrase("This device is another screen. Remove that screen first, if the device has left it."),
    "storage_full": phrase("The disk of the service is full. Nothing was changed."),
}
_FAULTS = {
    "not_a_number": phrase("This must be a price, such as 3.40."),
    "negative": phrase("A price is not negative."),
    "too_precise": phrase("This price has too many decimals."),
    "out_of_range": phrase("This number is too large or too small."),
    "blank": phrase("This may not be blank."),
    "too_short": phrase("This is too short."),
    "too_long": phrase("This is too long."),
    "not_an_email": phrase("This must be an e-mail address such as kim@example.com."),
    "wrong_password": phrase("This is not the password until now."),
    "not_a_code": phrase("A code has six characters, as the screen shows it."),
}


def sentence_of(problem: ProblemError) -> Phrase:
    """The problem in a sentence."""
    if problem.faults:
        first = problem.faults[0]
        return _FAULTS.get(first.code) or as_it_is(first.detail)
    return _SENTENCES.get(problem.code) or as_it_is(problem.detail)
