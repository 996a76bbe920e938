"""What the player keeps on disk: identity, token, the last good programs, assets; imports domain only."""
