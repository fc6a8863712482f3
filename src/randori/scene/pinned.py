"""Takes with pins: everything before a pinned decision stays the same, byte for byte (docs/scenes.md).

Poses depend on the future: they blend towards the next action, and a planted foot is held at its mean place.
So the poses before a pin are taken from the take without it, and the difference begins at the pin.
"""

from collections.abc import Generator, Sequence

import numpy as np

from randori.graph.joining import JOIN_SECONDS, Walk, carry_on
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.feet import foot_points, leg_length
from randori.motion.foot_locking import EASE
from randori.motion.inverse_kinematics import find_limb, solve_limb
from randori.motion.parts import SIDES
from randori.motion.transition import decay
from randori.physics.refine import Refined, refining
from randori.scene.parallel_fights import ParallelFights
from randori.timeline.bake import bake_timeline
from randori.timeline.timeline import Timeline
from randori.work import part

_FARTHEST_HOLD = 0.1  # share of the leg by which a foot is held back at most; beyond it, the foot slides
_ALLOWANCE = 0.03  # metres that it may swing out by as it is let go of


def refining_pinned(
    timeline: Timeline, replaced: Sequence[tuple[int, ParallelFights]]
) -> Generator[float, None, list[Refined]]:
    """The refined clips of a timeline with pins; yields the share that is done.

    `replaced` has for every pin its tick, and all fighters just before the decision that it replaced.
    """
    share = 1.0 / (len(replaced) + 1)
    seen: list[Refined] | None = None
    for number in range(len(replaced) + 1):
        begin, line = number * share, timeline
        if number < len(replaced):  # the future without this pin and those after it
            others = replaced[number][1]
            line = yield from part(others.running(others.end), begin, 0.4 * share)
        walks = yield from part(bake_timeline(line), begin + 0.4 * share, 0.3 * share)
        refined = yield from part(refining(line, walks), begin + 0.7 * share, 0.3 * share)
        if seen is not None:
            tick = replaced[number - 1][0]
            refined = [go_on(was, now, tick) for was, now in zip(seen, refined)]
        seen = refined
    assert seen is not None
    return seen


def go_on(was: Refined, now: Refined, tick: int) -> Refined:
    """One character up to a tick, and from there on another, without a jump."""
    before, after = was.walk.clip, now.walk.clip
    head = slice(0, tick + 1)
    if np.array_equal(before.rotations[head], after.rotations[head]) and np.array_equal(
        before.root_position[head], after.root_position[head]
    ):
        return now
    # velocities of both about the tick: half a frame off, a fast limb would get a jerk
    tail = carry_on(before, tick, after, tick, JOIN_SECONDS)
    tail = _hold_feet(_frames(tail, slice(tick, None)), now.walk.contacts[tick:])
    root = np.concatenate([before.root_position[head], tail.root_position[1:]])
    rotations = np.concatenate([before.rotations[head], tail.rotations[1:]])
    blended = np.concatenate([was.walk.blended[head], now.walk.blended[tick + 1 :]])
    fading = slice(tick + 1, tick + 1 + round(JOIN_SECONDS * after.fps))
    blended[fading] = np.where(blended[fading] < 0, was.walk.frame[tick], blended[fading])
    earlier, later = was.walk.joins[was.walk.joins < tick], now.walk.joins[now.walk.joins > tick]
    walk = Walk(
        after.with_frames(root, rotations),
        np.concatenate([was.walk.frame[head], now.walk.frame[tick + 1 :]]),
        blended,
        np.concatenate([earlier, np.array([tick]), later]),
        np.concatenate([was.walk.contacts[head], now.walk.contacts[tick + 1 :]]),
    )
    return Refined(walk, np.concatenate([was.simulated[head], now.simulated[tick + 1 :]]))


def _frames(clip: Clip, frames: slice) -> Clip:
    return clip.with_frames(clip.root_position[frames], clip.rotations[frames])


def _hold_feet(clip: Clip, contacts: np.ndarray) -> Clip:
    """The clip with feet that stand in its first frame where they are then, until they are lifted."""
    points, farthest = foot_points(clip), _FARTHEST_HOLD * leg_length(clip)
    rotations, frames = clip.rotations, np.arange(len(clip))
    for foot, side in enumerate(SIDES):
        lifted = int(np.argmin(contacts[:, foot])) if not contacts[:, foot].all() else len(clip)
        ball = points[:, foot, 1] * np.array([1.0, 0.0, 1.0])
        moves = ball[0] - ball
        if lifted < 2 or np.linalg.norm(moves[:lifted], axis=-1).max() > farthest:
            continue
        velocity = (moves[lifted - 1] - moves[lifted - 2]) * clip.fps
        letting_go = (frames[lifted:] - lifted + 1) / clip.fps
        moves[lifted:] = decay(moves[lifted - 1], velocity, letting_go, EASE, _ALLOWANCE)
        held = 1.0 - np.clip((frames - lifted + 1) / (EASE * clip.fps), 0.0, 1.0) ** 2
        rotations = solve_limb(
            clip.skeleton,
            clip.positions,
            clip.global_rotations,
            rotations,
            find_limb(clip.skeleton, f"{side}_leg"),
            points[:, foot, 0] + moves,
            weight=held,
        )
    return clip.with_frames(clip.root_position, rot.unroll(rotations))
