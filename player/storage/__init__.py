"""State directory: identity, token, the last good manifests, assets; imports domain only."""
