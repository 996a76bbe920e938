"""Stores data: the database and the files of assets. Imports nothing of the web framework."""
