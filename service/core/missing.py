"""Libraries that are not installed, and the packages that install them."""


class MissingLibraryError(Exception):
    """Raised if a required library is not installed; the message says what to install."""

    def __init__(self, needed_by: str, library: str, *, debian: str, pip: str) -> None:
        super().__init__(f"{needed_by} needs {library}: apt-get install {debian}, or pip install '{pip}'")
