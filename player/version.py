"""Owns the version, in one place: the distribution takes it from here, because asking for it slows a board's start."""

VERSION = "0.1.0"
