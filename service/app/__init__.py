"""Builds the service, starts and stops its parts. The only package that imports all of them."""
