"""Playlists: their order, versions, playing through, and what plays in their place."""
