"""A take from beginning to end: plan it, add life, solve it, and write down what is in it."""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from randori.motion.clip import Clip, Source
from randori.motion.parts import SIDES
from randori.performer import falling, script, solver
from randori.performer.actor import Actor
from randori.performer.calming import calmed
from randori.performer.channels import INDEX
from randori.performer.flesh import above_floor, fists_outside
from randori.performer.liveliness import Manner, enliven
from randori.performer.proportions import Body
from randori.performer.standing import feet_held
from randori.performer.truth import Truth, measure_lying, measure_strikes, measure_travel

OFF_THE_FLOOR = 0.001  # metres

Plan = Callable[[Actor, float], Iterator[float]]


@dataclass(frozen=True)
class Recording:
    """A clip and what it contains."""

    clip: Clip
    truth: Truth


@dataclass(frozen=True)
class PerformanceSet:
    """One kind of take: what is done in it, and how."""

    name: str
    description: str
    seconds: float  # how long a take is unless the caller asks for another
    plan: Plan
    stance: str = "guard"
    manner: Manner = field(default_factory=Manner)
    armed: bool = False  # with a sword in both hands
    lead: str = "left"  # the foot in front at the beginning


def record(
    wanted: PerformanceSet, seconds: float, seed: int, body: Body, fps: float
) -> Generator[float, None, Recording]:
    """Record a take; yields the share that is done and returns the recording."""
    frames = max(round(seconds * fps), 2)
    body = body.armed() if wanted.armed else body
    # planning and liveliness draw from generators of their own: a longer take begins like a shorter one
    planning, living = (np.random.default_rng([seed, stream]) for stream in (1, 2))
    actor = Actor(body, script.stances()[wanted.stance], planning, wanted.manner, wanted.lead)
    for share in wanted.plan(actor, seconds):
        yield 0.4 * share
    values = actor.tracks.evaluate(frames, fps)
    for layer in actor.layers:
        layer(values, fps)
    enliven(values, fps, living, wanted.manner, body.size, wanted.armed)
    yield 0.6
    name = f"{wanted.name}-{body.name}-{seed}"
    solved = falling.take_over(body, solver.solve(body, values, fps, name), actor.simulated)
    contacts = {side: _standing(values, side, actor.simulated, fps) for side in SIDES}
    standing = np.zeros((frames, len(SIDES)), dtype=bool)
    for foot, side in enumerate(SIDES):
        for start, stop in contacts[side]:
            standing[start:stop, foot] = True
    for _ in range(2):  # moving a fist aside may cause a jolt
        solved = calmed(fists_outside(body, solved), standing)
    solved = feet_held(above_floor(solved))
    source = Source(licence="MIT", credit="Randori's built-in performer", notes=(wanted.description,))
    clip = solved.with_frames(solved.root_position, solved.rotations, source=source)
    yield 0.9
    actions = actor.finish(fps, frames)
    measure_lying(clip, actions)
    measure_strikes(clip, actions)
    measure_travel(clip, values[:, INDEX["heading"]], actions)
    things = [seen(clip) for seen in actor.things]
    truth = Truth(wanted.name, body.name, seed, script.VERSION, fps, frames, actions, things, contacts)
    return Recording(clip, truth)


def _standing(
    values: np.ndarray, side: str, simulated: Sequence[falling.Simulated], fps: float
) -> list[tuple[int, int]]:
    """The stretches of frames in which a foot is on its lock and its lock is on the floor."""
    lifted, kicking = values[:, INDEX[f"{side}_foot_lift"]], values[:, INDEX[f"{side}_kick"]]
    stands = (np.abs(lifted) < OFF_THE_FLOOR) & (kicking < 1e-3)
    for fall in simulated:
        stands[int(fall.start * fps) : int(fall.stop * fps) + 1] = False
    edges = np.flatnonzero(np.diff(np.concatenate([[0], stands.astype(np.int8), [0]])))
    return [(int(start), int(stop)) for start, stop in edges.reshape(-1, 2)]
