"""Locations, groups of them, and the values of items there."""
