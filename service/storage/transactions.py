"""Execution options for transactions; imports nothing."""

WRITES = "writes"
"""The transaction writes: it takes the write lock when it begins."""

CONCURRENT = "concurrent"
"""The transaction locks its rows itself, and does not wait for other writers where the engine allows."""
