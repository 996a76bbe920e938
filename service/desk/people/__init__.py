"""People: ways to sign in, the second factor, invitations and profiles."""
