"""Documents of a menu board, and the rules and texts that both programs share. Imports neither program."""
