"""What the player learns from and says to the machine that it runs on; imports domain and the standard library only."""
