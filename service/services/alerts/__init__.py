"""Notifies people by e-mail: of screens that are offline, boards with a fault, and pending decisions."""
