"""Run with the player of 0.1.0 in front of the path: reads a state directory, writes to it as a board does that goes
on, and prints what it knew. It imports nothing of this version."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

player, folder, service, video, anchor = sys.argv[1:]
sys.path[:0] = [player]

# By name: for a type checker, these are this version's.
document: Any = import_module("player.domain.manifest_document")
StateStore: Any = import_module("player.storage.store").StateStore


def read(found: Any) -> Any:
    """Describes a stored manifest as its restore reads it."""
    if found is None:
        return None
    try:
        manifest = document.read_manifest(found.body, etag=found.etag)
    except document.ManifestError as error:
        return str(error)
    version = manifest.version
    return {
        "version": version and version.key.version,
        "revision": manifest.catalogue.revision,
        "items": len(manifest.catalogue.items),
        "rejected": [rejection.code for rejection in manifest.rejections],
        "anchor": found.anchor and found.anchor.isoformat(),
        "missing": sorted(store.assets.missing(version.assets)) if version else [],
    }


with StateStore.open(Path(folder)) as store:
    stored = store.load(service=service)
    manifests = stored.manifests
    told = {
        "identity": store.identity,
        "token": getattr(stored.credentials, "token", None),
        "screen": getattr(stored.credentials, "screen_id", None),
        "rejections": [[rejection.code, rejection.subject] for rejection in stored.rejections],
        "running": read(manifests.running),
        "latest": read(manifests.latest),
        "staged": read(manifests.staged),
        "previous": read(manifests.previous),
        "video": store.trials.begin(1, video, datetime.fromisoformat(anchor)).name,
    }
    # It goes on: what waited begins to run, and the credentials are stored again.
    if stored.credentials is not None and manifests.staged is not None:
        store.credentials.keep_credentials(stored.credentials)
        staged = manifests.staged
        store.manifests.keep_running(body=staged.body, etag=staged.etag, anchor=datetime.fromisoformat(anchor))
sys.stdout.write(json.dumps(told))
