"""Drawn cases are the same in every run, and no clock judges them: what fails here fails everywhere."""

from hypothesis import settings

from tests.support.examples import examples

settings.register_profile("steady", examples(100))
settings.load_profile("steady")
