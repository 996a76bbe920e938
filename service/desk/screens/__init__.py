"""Screens: their state, what each shows when, and the week."""
