"""The menu: items, what many of them share, imports, and planned changes."""
