"""Playlists: their order, versions, playback in the browser, and overrides."""
