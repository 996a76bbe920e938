"""Calls for locations, groups of them, and items with their values there."""
