"""Tells people by e-mail: of screens that are offline, boards with a fault, and what waits for them."""
