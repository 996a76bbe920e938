"""API document, its pages, and the removed calls of `/v0`."""
