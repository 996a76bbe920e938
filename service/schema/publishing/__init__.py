"""Playlists, their versions and schedules, approvals, overrides and planned changes."""
