"""A data folder with the café in it: its owner made it by six calls, once, and tests begin with a copy."""

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path

from service.core.permissions import Role
from tests.service.support.application import Cafe, VirtualClock, open_cafe, running


@dataclass(frozen=True)
class OpenedCafe:
    """The café in a stopped service's data folder, and the secret of its owner's key."""

    folder: Path
    secret: str
    cafe: Cafe

    def copy(self, folder: Path) -> None:
        """Write the data folder there. Its database is in one file, as the service has stopped."""
        shutil.copytree(self.folder, folder)


def opened_cafe(folder: Path) -> OpenedCafe:
    """Make the café in this folder, where no event loop runs."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(_opened(folder))
    finally:
        loop.close()


async def _opened(folder: Path) -> OpenedCafe:
    async with running(folder, clock=VirtualClock()) as service:
        owner = service.caller(Role.OWNER)
        return OpenedCafe(folder, owner.secret, await open_cafe(owner))
