"""Modules that import Qt. They take orders, draw them and report what was presented."""
