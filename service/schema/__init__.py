"""Documents of the public API, in and out, and their bounds. Imports no storage, no services, no web framework."""
