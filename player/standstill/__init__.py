"""What is wrong with a player, also where none runs: looks, and changes nothing on the disk."""
