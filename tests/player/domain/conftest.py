"""Hypothesis draws the same cases in every run, without a deadline: a failure can be repeated anywhere."""

from hypothesis import settings

from tests.support.examples import examples

settings.register_profile("steady", examples(100))
settings.load_profile("steady")
