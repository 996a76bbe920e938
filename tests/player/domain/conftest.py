"""Hypothesis draws the same cases in every run, without a deadline: a failure can be repeated anywhere."""

from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.load_profile("steady")
