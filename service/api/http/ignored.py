"""Header `Ignored-Fields`: names the fields of a body that the service does not know.

Unknown fields are ignored (specification, section 2), and a misspelt one would go unnoticed. A list of strings (RFC
9651): pointers into the body, percent-encoded as in RFC 6901, section 6.
"""

from urllib.parse import quote

from starlette.datastructures import MutableHeaders

from service.core.ignored import ignored_fields

IGNORED_FIELDS = "Ignored-Fields"
MAX_CHARACTERS = 1000
"""Length of the header. Where more was ignored it ends with `more`."""


def name_ignored_fields(headers: MutableHeaders) -> None:
    """Sets the header if fields of the body were ignored. Does nothing in a response that has it from the store."""
    found = ignored_fields.get()
    if found is None or IGNORED_FIELDS in headers:
        return
    names: list[str] = []
    room = MAX_CHARACTERS - len("more")
    for pointer in found.pointers():
        name = f'"{quote(pointer[:MAX_CHARACTERS], safe="/~", errors="surrogatepass")}"'
        room -= len(name) + len(", ")
        if room < 0:
            names.append("more")
            break
        names.append(name)
    if names:
        headers[IGNORED_FIELDS] = ", ".join(names)
