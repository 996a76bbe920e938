"""The version of both programs: service/version.py is a link to this file.

pyproject.toml and the packages read it here; asking the installed distribution for it would slow a board's start.
"""

VERSION = "0.5.0"
