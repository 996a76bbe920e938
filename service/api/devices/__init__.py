"""Calls for screens and of their players."""
