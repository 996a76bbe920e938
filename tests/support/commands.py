"""The commands of a program, read from its parser."""

from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator


def commands_of(parser: ArgumentParser) -> Iterator[tuple[str, ...]]:
    """Every command as it is typed, the program itself first."""
    yield tuple(parser.prog.split())
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for command in action.choices.values():
                yield from commands_of(command)
