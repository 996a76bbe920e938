"""Describes the background of a scene to QML: colour, gradient, image and scrim."""

from __future__ import annotations

import math

from player.display.media.asset_images import AssetImages
from player.display.typography.theme import color
from player.domain.documents.scene import Background, Fit, Gradient, Scene

BACKGROUND_PART = "background"
MOST_REACH = 1.25
"""An image may be drawn larger than the canvas by this factor to cover the panel; beyond that, its cut would
surprise."""


def describe_background(scene: Scene, images: AssetImages) -> dict[str, object]:
    """The canvas and its background for QML."""
    background = scene.background
    gradient, asset = background.gradient, background.asset
    return {
        "width": scene.width,
        "height": scene.height,
        # The area around the canvas has the gradient's first colour, so that a light scene gets no dark bars.
        "color": color(gradient.start if gradient else background.color, Background().color),
        "gradient": _describe_gradient(gradient, scene) if gradient else None,
        "image": images.plan(BACKGROUND_PART, asset, scene.width, scene.height, fit=background.fit) if asset else None,
        "bleeds": background.fit is not Fit.CONTAIN,
        "mostReach": MOST_REACH,
        "scrim": color(background.scrim, "#00000000"),
    }


def _describe_gradient(gradient: Gradient, scene: Scene) -> dict[str, object]:
    """The angle, and the length at which the ends touch the canvas's corners."""
    angle = math.radians(gradient.angle)
    across, down = abs(math.cos(angle)), abs(math.sin(angle))
    return {
        "from": color(gradient.start, scene.background.color),
        "to": color(gradient.end, scene.background.color),
        "angle": gradient.angle,
        "length": scene.width * across + scene.height * down,
    }
