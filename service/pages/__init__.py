"""Web pages for people: self-contained files, nothing from elsewhere."""
