"""Calls for items, scenes, assets and the feeds that keep items current."""
