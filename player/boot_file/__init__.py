"""Reads `menu-player.toml` on the boot partition, at each boot and before the network: checks it, applies it, and
removes its secrets from there.

`run.py` is what systemd/menu-player-boot-file.service starts as root. The player reads its notes (`note.py`), and has
`used_token.py` delete the enrolment token once the board is paired.
"""
