"""Finds and shows why a player does not run or cannot start; changes nothing on the disk."""
