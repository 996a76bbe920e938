"""Calls for playlists, their versions, approvals, overrides and planned changes."""
