"""The documents of a menu board, and the rules and texts that both programs have for them. Imports neither program."""
