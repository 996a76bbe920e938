"""Time limits of tests that wait."""

PATIENCE_SECONDS = 120
"""Generous, and free while things work: only a failure takes as long."""
