"""Recordings that need a person's word."""

from dataclasses import replace

from randori.motion.clip import Clip

HEAD = "J4"  # what the head of such a recording is called


def without_head(clip: Clip) -> Clip:
    """Joints whose names say nothing, and arms that hang on the head: nobody can tell that it is one."""
    skeleton, parents = clip.skeleton, clip.skeleton.parents.copy()
    head = skeleton.joint("head")
    for side in ("left", "right"):
        parents[skeleton.joint(f"{side}_shoulder")] = head
    names = tuple(f"J{number}" for number in range(len(skeleton)))
    assert names[head] == HEAD
    return replace(clip, skeleton=replace(skeleton, names=names, parents=parents))
