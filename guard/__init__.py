"""menu-player-guard: reverts an update of the board that fails to show its content.

A separate program, which changes rarely and runs as root. It imports only Python's standard library, and nothing of the
player or the service: it has to work when those do not. Its knowledge of a board is in docs/fleet.md.
"""
