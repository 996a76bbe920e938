"""The version of the service: the player's, because both are released together (tests/test_release.py)."""

VERSION = "0.1.0"
