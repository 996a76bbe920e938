"""Boards: scenes from templates, their editor, and the pictures and films that they show."""
