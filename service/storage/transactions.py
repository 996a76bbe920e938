"""Names of what a transaction may ask of its engine (execution options); imports nothing."""

WRITES = "writes"
"""The connection will write: its transactions take the write lock when they begin."""

BESIDE_OTHERS = "beside_others"
"""The transaction locks the rows it works on by itself, and need not wait for other writers where the engine allows."""
