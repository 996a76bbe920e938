"""The menu display service: boards, items and playlists behind a REST API, and the protocol that players speak."""
