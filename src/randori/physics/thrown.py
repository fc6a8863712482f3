"""The character that a car runs over: from the first touch on it is a ragdoll, until it lies.

The plan lets the character fall where it stood. Its poses are only what the muscles pull towards; the car,
the floor, walls and other bodies decide where it goes (kernels/ragdoll.py).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from randori.body.capsules import fit as fit_capsules
from randori.body.obstacles import Obstacle, boxes_of, cut_boxes
from randori.graph.joining import Walk
from randori.kernels import boxes as boxes_kernel
from randori.kernels import ragdoll
from randori.kernels.boxes import Boxes
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.performer.falling import FRICTION, REBOUND, SUBSTEPS_PER_SECOND
from randori.physics.doll import BodyDoll
from randori.physics.easing import bell, filtered
from randori.timeline.obstruction import AHEAD
from randori.timeline.timeline import Timeline

_TOUCHING_DEPTH = 0.01  # metres in a car from which on it touches
# (seconds since the touch, share of full strength): tense at first, then the body is limp
_EFFORTS = ((0.0, 0.6), (0.15, 0.3), (0.5, 0.08), (1.2, 0.02))
_MOST_SECONDS = 3.6  # seconds after which a body lies in any case: what still moves then only creeps
_RESTING_SPEED = 0.12  # m/s: slower than that in all joints, and for the next
_STILL_FOR = 0.2  # seconds, a body lies
_COMING_TO_REST = 0.1  # seconds over which the last of its speed dies away
_EDGES = 0.012  # seconds: flesh is softer than the contacts here


def throw(timeline: Timeline, walks: Sequence[Walk]) -> list[tuple[Walk, np.ndarray]]:
    """Each walk, thrown by the car that runs it over, and (F,) bool where it is simulated."""
    thrown = [(walk, np.zeros(len(walk.clip), dtype=bool)) for walk in walks]
    cars = [obstacle for obstacle in timeline.obstacles if obstacle.name == "car"]
    if not cars:
        return thrown
    for event in timeline.events:
        if event.kind == "run over" and 0 < event.tick < len(walks[event.whom].clip) - 1:
            walk = thrown[event.whom][0]
            others = [one.clip for who, (one, _) in enumerate(thrown) if who != event.whom]
            start = _first_touch(walk.clip, cars, event.tick)
            clip = fly(walk.clip, start, timeline.obstacles, others)
            simulated = np.arange(len(clip)) > start
            thrown[event.whom] = _without_plan(replace(walk, clip=clip), start), simulated
    return thrown


def fly(clip: Clip, start: int, obstacles: Sequence[Obstacle], others: Sequence[Clip] = ()) -> Clip:
    """A clip whose body is a ragdoll from a frame on, among obstacles and other bodies."""
    frames = min(len(clip) - start, round(_MOST_SECONDS * clip.fps))
    doll, step = BodyDoll.of(clip, start), 1.0 / clip.fps
    before = max(start - 1, 0)
    places, turned = doll.bones_in(clip, slice(before, start + 1))
    seconds = max(start - before, 1) * step
    velocity = (places[-1] - places[0]) / seconds
    spin = rot.to_rotation_vector(rot.multiply(turned[-1], rot.inverse(turned[0]))) / seconds

    times, levels = np.array(_EFFORTS).T
    effort = np.interp(np.arange(frames) * step, times, levels)
    substeps = max(round(SUBSTEPS_PER_SECOND * step), 1)
    wanted = ragdoll.Effort(
        doll.wanted(clip, np.arange(start, start + frames)),
        effort[:, None] * doll.strengths,
        np.full(frames, FRICTION),
        REBOUND,
        step,
        substeps,
    )
    hard = ragdoll.Hard.of(_in_the_way(obstacles, others, slice(start, start + frames)))
    touches = np.zeros(len(doll.doll.contacts), dtype=ragdoll.TOUCH)
    place, turn = places[-1].copy(), turned[-1].copy()
    state = ragdoll.State(place, turn, velocity, spin, place.copy(), turn.copy(), touches)
    bones = len(doll.joints)
    fall = ragdoll.Fall(np.empty((frames, bones, 3)), np.empty((frames, bones, 4)))
    ragdoll.simulate(doll.doll, wanted, hard, state, fall)

    # From where it lies it does not move any more
    lies = _lies_from(fall.places, clip.fps)
    fall.places[lies:], fall.rotations[lies:] = fall.places[lies], fall.rotations[lies]
    root, local = doll.posed(fall.places, fall.rotations)
    root, local = _softened(root, local, lies, clip.fps)
    left = len(clip) - start - frames
    own = slice(0, start + 1)
    roots = np.concatenate([clip.root_position[own], root[1:], np.repeat(root[-1:], left, axis=0)])
    rotations = np.concatenate([clip.rotations[own], local[1:], np.repeat(local[-1:], left, axis=0)])
    return clip.with_frames(roots, rot.unroll(rotations))


def _first_touch(clip: Clip, cars: Sequence[Obstacle], tick: int) -> int:
    """The last frame before a car touches a body, not later than the plan has it."""
    first = max(tick - round(AHEAD * clip.fps), 0)
    body = fit_capsules(clip.skeleton)
    ends = body.place(clip.positions[first : tick + 1], clip.global_rotations[first : tick + 1])
    depth = np.empty(ends.shape[:2])
    boxes_kernel.depths(ends, body.radii, cut_boxes(boxes_of(cars, tick + 1), slice(first, tick + 1)), depth)
    touched = np.flatnonzero(depth.max(axis=1) > _TOUCHING_DEPTH)
    return max(first + int(touched[0]) - 1, 0) if len(touched) else tick


def _in_the_way(obstacles: Sequence[Obstacle], others: Sequence[Clip], frames: slice) -> Boxes:
    """Obstacles, and the capsules of other bodies as boxes that are all edge."""
    solid = cut_boxes(boxes_of(obstacles, frames.stop), frames)
    rows = [(solid.middles, solid.turned, solid.halves, solid.radii)]
    for clip in others:
        body = fit_capsules(clip.skeleton)
        there = body.radii > 0.0
        ends = body.place(clip.positions[frames], clip.global_rotations[frames])[:, there]
        way = ends[:, :, 1] - ends[:, :, 0]
        half = np.zeros((int(there.sum()), 3))
        half[:, 2] = 0.5 * np.linalg.norm(way[0], axis=-1)
        turned = rot.between(np.broadcast_to(rot.Z_AXIS, way.shape), way)
        rows.append((ends.mean(axis=2), turned, half, body.radii[there]))
    middles, turns, halves, radii = zip(*rows)
    return Boxes(
        np.concatenate(middles, axis=1),
        np.concatenate(turns, axis=1),
        np.concatenate(halves),
        np.concatenate(radii),
    )


def _lies_from(places: np.ndarray, fps: float) -> int:
    """The frame from which on joints (F, B, 3) have stopped; the last one if they never do."""
    speed = np.linalg.norm(np.diff(places, axis=0), axis=-1).max(axis=-1) * fps
    reach = max(round(_STILL_FOR * fps), 1)
    calm = np.convolve(speed < _RESTING_SPEED, np.ones(reach), mode="valid") > reach - 0.5
    found = np.flatnonzero(calm)
    return int(found[0]) if len(found) else len(places) - 1


def _softened(root: np.ndarray, local: np.ndarray, lies: int, fps: float) -> tuple[np.ndarray, np.ndarray]:
    """Both without the hardest edges of the impacts, and coming to rest without a jolt at a frame."""
    gentle = np.exp(-(((np.arange(len(root)) - lies) / (_COMING_TO_REST * fps)) ** 2))[:, None]
    rows = np.concatenate([root, local.reshape(len(local), -1)], axis=1)
    sharp, soft = (filtered(rows, bell(width * fps)) for width in (_EDGES, _COMING_TO_REST))
    rows = np.concatenate([rows[:1], ((1.0 - gentle) * sharp + gentle * soft)[1:]])
    return rows[:, :3], rot.normalize(rows[:, 3:].reshape(local.shape))


def _without_plan(walk: Walk, start: int) -> Walk:
    """A walk that from a frame on neither stands on its feet nor joins pieces."""
    contacts = walk.contacts.copy()
    contacts[start:] = False
    return replace(walk, joins=walk.joins[walk.joins <= start], contacts=contacts)
