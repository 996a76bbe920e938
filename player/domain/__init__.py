"""Pure part of the player: the rules of a menu board, without clock, disk, network or Qt."""
