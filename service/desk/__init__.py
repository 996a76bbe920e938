"""Desk, the operator's web pages: routes of a few lines, templates and static files; no rules of its own.

docs/desk.md says how a page, a part, an act or a sentence is added.
"""
