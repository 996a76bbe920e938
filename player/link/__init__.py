"""What the player says to the service, and hears from it; imports domain, and httpx in one place."""
