"""Findings by subject: each module reads the snapshot and reports faults of its subject; pure."""
