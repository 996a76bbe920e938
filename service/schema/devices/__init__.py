"""Screens, and the documents of their players."""
