"""Menu: items, their shared fields, imports, and planned changes."""
