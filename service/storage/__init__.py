"""What is kept: the database and the files of assets. Imports nothing of the web framework."""
