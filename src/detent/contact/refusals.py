"""Why two kinds of shapes cannot touch each other, and what to give instead."""

from __future__ import annotations

from typing import Final

_NO_NORMAL: Final = "two points have no normal; give one of them a circle or a sphere"
_STRAIGHT: Final = (
    "lines and planes without ends, and hollows, do not stick out towards each other; give one of them ends"
)
_RIM: Final = "a rim has no faces, and touches planes, spheres and hollow spheres only; give a cylinder, or points"
_ROUND_EDGE: Final = (
    "how far the round edge of a cylinder is from a straight one or from another has no closed form; give a capsule in "
    "place of the cylinder, or spheres and points at the places that touch"
)
_SURFACE: Final = (
    "at a surface a run follows what is nearest to a point, a sphere or a plane; give spheres or points at the places "
    "that touch"
)
_FLAT: Final = ("plane", "hollow sphere", "line")
_WITH_ROUND_EDGE: Final = ("capsule", "cylinder", "box")


def why_not(first: str, second: str) -> str:
    """Why shapes of these kinds cannot touch.

    >>> why_not("point", "point")
    'two points have no normal; give one of them a circle or a sphere'
    """
    both = {first, second}
    if both == {"point"}:
        return _NO_NORMAL
    if both <= set(_FLAT):
        return _STRAIGHT
    if "rim" in both:
        return _RIM
    if "surface" in both:
        return _SURFACE
    assert both <= set(_WITH_ROUND_EDGE), both
    return _ROUND_EDGE
