"""Draws a scene or a playlist from files, without a service, as a board would."""
