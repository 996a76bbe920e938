"""The pure part of the player: what a menu board means; no clock, disk, network or Qt in here."""
