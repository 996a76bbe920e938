"""Draws a scene from files, without a service, as a board would."""
