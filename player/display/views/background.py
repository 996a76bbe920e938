"""Owns what lies behind a scene's widgets, as QML sees it: colour, gradient, picture and scrim."""

from __future__ import annotations

import math

from player.display.media.asset_images import AssetImages
from player.display.typography.theme import color
from player.domain.scene import Background, Gradient, Scene

BACKGROUND_PART = "background"


def describe_background(scene: Scene, images: AssetImages) -> dict[str, object]:
    """The canvas and its background for QML."""
    background = scene.background
    gradient, asset = background.gradient, background.asset
    return {
        "width": scene.width,
        "height": scene.height,
        # What the canvas leaves free takes the gradient's first colour, so that a light scene gets no dark bars.
        "color": color(gradient.start if gradient else background.color, Background().color),
        "gradient": _describe_gradient(gradient, scene) if gradient else None,
        "image": images.plan(BACKGROUND_PART, asset, scene.width, scene.height, fit=background.fit) if asset else None,
        "scrim": color(background.scrim, "#00000000"),
    }


def _describe_gradient(gradient: Gradient, scene: Scene) -> dict[str, object]:
    """A rectangle, turned by the angle, that is just long enough for its ends to touch the canvas's corners."""
    turn = math.radians(gradient.angle)
    across, down = abs(math.cos(turn)), abs(math.sin(turn))
    return {
        "from": color(gradient.start, scene.background.color),
        "to": color(gradient.end, scene.background.color),
        "angle": gradient.angle,
        "length": scene.width * across + scene.height * down,
        "breadth": scene.width * down + scene.height * across,
    }
