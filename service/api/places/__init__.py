"""Calls for locations, groups of them, and items as they are there."""
