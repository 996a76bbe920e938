"""Builds the service, starts and stops its parts. The only package that knows all of them."""
