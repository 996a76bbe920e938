"""menu-player-guard: takes an update of the board back that does not come onto the glass.

A program of its own, which changes rarely and runs as root. It imports nothing but Python's standard library, and
nothing of the player or the service: it has to work when those do not. What it knows of a board is in docs/fleet.md.
"""
