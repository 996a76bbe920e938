"""How long tests wait for what should happen."""

PATIENCE_SECONDS = 120
"""Generous, and free while things work: only a failure takes as long."""
