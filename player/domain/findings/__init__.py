"""Findings by subject: each module reads the snapshot and says what is wrong in its subject; pure."""
