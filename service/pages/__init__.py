"""The HTML pages of the service: self-contained files."""
