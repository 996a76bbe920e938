"""Digests of scenes, by which a draft is compared with what is published. Reads no database."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from service.schema.scene import DEFAULTS


def scene_digest(scene: Mapping[str, Any]) -> str:
    """The digest of a scene document. Ids of the scene and its schedules, and fields with their default, do not count:
    a field that a later release adds changes no digest."""
    told = {name: value for name, value in scene.items() if name != "id" and DEFAULTS.get(name) != value}
    told["schedules"] = [{name: value for name, value in one.items() if name != "id"} for one in scene["schedules"]]
    return digest_of_json(told)


def digest_of_json(document: object) -> str:
    """The SHA-256 of a JSON document in hex, whatever the order of its fields."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
