"""Libraries that are not installed, and what installs them."""


class MissingLibraryError(Exception):
    """A library that is not installed is needed; the message says what to install."""

    def __init__(self, needed_by: str, library: str, *, debian: str, pip: str) -> None:
        super().__init__(f"{needed_by} needs {library}: apt-get install {debian}, or pip install '{pip}'")
