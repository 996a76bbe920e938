"""Boards: scenes from templates, their editor, and their images and videos."""
