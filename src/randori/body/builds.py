"""People of several heights and builds, who move like a person of average build.

The motions of a crowd are one body's. Other bodies turn every joint alike. Legs are as
long on every body, so that every step is kept as it is: people differ above the hips, where a few centimetres
matter to what touches, and refinement mends them.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from randori.motion.clip import Clip
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton


@dataclass(frozen=True)
class Build:
    """A body, against the average one."""

    name: str
    trunk: float = 1.0  # from the hips to the crown: a tenth more is 9 cm
    arms: float = 1.0
    shoulders: float = 1.0  # width
    girth: float = 1.0  # of the flesh


# Trunks within 8 %, so heights within 4 %: a head that is struck is at most 7 cm off, and a fist or a foot
# gets there. Widths and girths within 12 %: bodies that touch are 2 cm too near or too far at most.
BUILDS = (
    Build("average"),
    Build("tall", trunk=1.08, arms=1.04, shoulders=1.03),
    Build("stocky", trunk=0.97, shoulders=1.09, girth=1.12),
    Build("slim", trunk=1.04, arms=1.02, shoulders=0.94, girth=0.9),
    Build("short", trunk=0.92, arms=0.96, shoulders=0.97),
    Build("broad", trunk=1.06, arms=1.03, shoulders=1.1, girth=1.08),
    Build("slight", trunk=0.93, arms=0.96, shoulders=0.93, girth=0.92),
)
_STRIDE = 3  # neighbours differ


def build_of(number: int) -> int:
    """The build, of BUILDS, of the n-th of a crowd; the first, who leads, is average."""
    return (_STRIDE * number) % len(BUILDS)


@lru_cache(maxsize=64)
def _skeleton(skeleton: Skeleton, build: Build) -> Skeleton:
    """The bones of a build."""
    offsets, tips = skeleton.offsets.copy(), skeleton.tips.copy()
    legs, arms = ({skeleton.joint(f"{side}_{part}") for side in SIDES} for part in ("thigh", "upper_arm"))
    region = ["trunk"] * len(skeleton)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if joint in legs or (parent >= 0 and region[parent] == "leg"):
            region[joint] = "leg"
            continue
        if joint in arms:
            region[joint] = "arm"
            offsets[joint] *= build.shoulders
        elif parent >= 0 and region[parent] == "arm":
            region[joint] = "arm"
            offsets[joint] *= build.arms
        else:  # the head and the girdles that carry the arms go with the trunk
            offsets[joint] *= build.trunk
        tips[joint] *= build.arms if region[joint] == "arm" else build.trunk
    return replace(skeleton, offsets=offsets, tips=tips, girth=build.girth)


def wear(clip: Clip, number: int) -> Clip:
    """A clip of the average body on another build, one of BUILDS."""
    if number == 0:
        return clip
    skeleton = _skeleton(clip.skeleton, BUILDS[number])
    return clip.with_frames(clip.root_position, clip.rotations, skeleton=skeleton)
