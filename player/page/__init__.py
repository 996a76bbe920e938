"""Local page for the technician in front of the screen: renders the snapshot, decides nothing."""
