"""The API document, its pages, and the calls of `/v0` that are gone."""
