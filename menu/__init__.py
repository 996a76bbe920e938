"""What both programs read, reckon and say of a menu board: its documents, its rules and its texts. Imports neither."""
