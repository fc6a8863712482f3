"""The quality of a take: feet, joins, penetration, strikes, the floor, and the fight (docs/quality.md).

How the fighters of a single fight behave is measured in `behaviour.py`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from randori.body import mannequin
from randori.body.capsules import CAPSULES, fit
from randori.graph.joining import Walk
from randori.graph.library import EFFECTORS, ActionLibrary
from randori.graph.walk_quality import NOTICED, join_peaks, planted_slides
from randori.kernels import overlap
from randori.kernels.nearness import near_pairs
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.timeline.behaviour import Behaviour, measure_behaviour
from randori.timeline.bodies import body_figures
from randori.timeline.crowds import Crowd
from randori.timeline.limits import LIMITS
from randori.timeline.obstruction import before_impact, obstacle_depths
from randori.timeline.timeline import CHOSEN, FORCED, Event, Timeline, shown

DEEP = 0.02  # metres inside another body that are counted
_TOUCHING_DISTANCE = 2.6  # metres between pelvises within which bodies can touch, outstretched
DRAWN_BACK = 0.3  # seconds after a strike in which its limb is still on the way back
_MOMENTS = 8  # that a tick is divided into to find the moment of a touch
_RECENT_CHOICES = 4  # choices back, within which a choice repeats itself
_AWAY_ANGLE = np.radians(90.0)  # past the opponent: from there on, a character turns its back
_UPRIGHT_HEIGHT = 0.75  # of the usual height of a pelvis: a lower character has fallen
_LIMBS = {"hand": "forearm", "forearm": "hand", "foot": "shin", "shin": "foot"}  # that strike together


@dataclass(frozen=True, kw_only=True)
class Quality(Behaviour, Crowd):
    """Figures of one take: metres, seconds, radians per second²; shares from 0 to 1."""

    seconds: float
    # feet
    planted_phases: int
    slide_usual: float  # median
    slide_worst: float
    excess_usual: float  # more than the recordings slide in the same frames
    excess_high: float  # 95 % of the phases are below
    excess_worst: float
    unnoticed: float  # share of the phases that slide less than 21 mm more than their source
    # joins
    joins: int
    join_acceleration: float  # the highest about a join, where it is not the recording's own
    source_acceleration: float  # that 99.9 % of the recordings' joints and frames are below
    smooth_joins: float  # share of the joins that stay below it
    # bodies in each other, without what strikes
    penetration_deepest: float
    penetration_mean: float  # of the frames in which there is any
    penetration_frames: int  # deeper than 2 cm
    strike_deepest: float  # that a striking limb gets into a body
    obstacles: int  # cars and walls
    obstacle_deepest: float  # that a body is in one of them
    # strikes that hit
    strike_error_usual: (
        float  # from what strikes to the surface that is struck, at its nearest in the tick of the hit
    )
    strike_error_worst: float
    lowest_point: float  # height over the floor; below it if negative
    source_lowest: float  # of the recordings in the same frames
    # limits of bodies, see bodies.py
    trunk_angle: float  # radians from upright, of the trunk that leans most on its feet
    head_speed: float  # m/s, of the fastest head
    joint_acceleration: float  # m/s², of the most hasty joint outside impacts
    # the fight
    attacks: int
    hits: int
    blocks: int
    hits_per_minute: float
    landed: float  # share of the attacks that hit
    blocked: float  # share of the attacks that are blocked
    defences: int
    caught: int  # times that a character was caught
    first_caught: float  # seconds, or -1
    damage: tuple[float, ...]  # that each character gave
    responses: dict[str, int]
    choices: int
    repetition: float  # share of the choices that are one of the four before
    distance: float  # median, between a character and the nearest other one
    turned_away: float  # share of the time on its feet that a character looks 90° past its opponents

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)

    def in_words(self) -> str:
        """A line per figure that people care about, with a mark at those that miss their limit."""
        return "\n".join(f"{'ok  ' if fine else 'look'}  {sentence}" for fine, sentence in self._sentences())

    def __str__(self) -> str:
        return self.in_words()

    def misses(self) -> list[str]:
        """The sentences about what misses its limit."""
        return [sentence for fine, sentence in self._sentences() if not fine]

    def _sentences(self) -> Iterator[tuple[bool, str]]:
        yield (
            LIMITS["feet"].is_kept(self),
            f"feet: {100 * self.unnoticed:.1f} % of {self.planted_phases} planted phases slide at most 21 mm "
            f"more than their source; {1e3 * self.excess_usual:z.1f} mm usually, "
            f"{1e3 * self.excess_worst:.0f} mm at worst",
        )
        yield (
            LIMITS["joins"].is_kept(self),
            f"joins: {100 * self.smooth_joins:.1f} % of {self.joins} are as smooth as the source: "
            f"{self.join_acceleration:.0f} rad/s² at most, the source {self.source_acceleration:.0f}",
        )
        yield (
            LIMITS["bodies"].is_kept(self),
            f"bodies: {100 * self.penetration_deepest:.1f} cm inside each other at worst, "
            f"{self.penetration_frames} frames above 2 cm; striking limbs {100 * self.strike_deepest:.1f} cm",
        )
        if self.obstacles:
            yield (
                LIMITS["obstacles"].is_kept(self),
                f"obstacles: {100 * self.obstacle_deepest:.1f} cm inside a car or a wall at worst",
            )
        if self.hits:
            yield (
                LIMITS["strikes"].is_kept(self),
                f"strikes: {1e3 * self.strike_error_usual:.0f} mm off the struck surface usually, "
                f"{1e3 * self.strike_error_worst:.0f} mm at worst, in {self.hits} hits",
            )
        yield (
            LIMITS["floor"].is_kept(self),
            f"floor: the lowest point is {100 * self.lowest_point:z.1f} cm high, "
            f"in the source {100 * self.source_lowest:z.1f} cm",
        )
        yield (
            LIMITS["trunks"].is_kept(self),
            f"trunks: lean {np.degrees(self.trunk_angle):.0f}° at most on the feet",
        )
        yield LIMITS["heads"].is_kept(self), f"heads: {self.head_speed:.1f} m/s at most"
        yield (
            LIMITS["joints"].is_kept(self),
            f"joints: accelerate by {self.joint_acceleration:.0f} m/s² at most, outside impacts",
        )
        if self.attacks:
            yield (
                True,
                f"fight: {self.attacks} attacks, {self.hits} hits ({self.hits_per_minute:.1f} a minute), "
                f"{100 * self.landed:.0f} % land, "
                f"{100 * self.blocked:.0f} % are blocked, {self.defences} defences",
            )
        yield from self.behaviour_sentences()
        yield from self.crowd_sentences()
        if self.caught:
            yield True, f"chase: caught {self.caught} times, first after {self.first_caught:.1f} s"
        if self.responses:
            listed = ", ".join(f"{count} {name}" for name, count in self.responses.items())
            yield True, f"responses: {listed}"
        if self.choices:
            yield (
                self.repetition <= 0.15,
                f"choices: {self.choices}, {100 * self.repetition:.0f} % repeat one of the last four",
            )
        if self.distance > 0.0:
            yield (
                self.turned_away <= 0.05 or self.attacks == 0,  # a runner turns its back
                f"stage: {self.distance:.2f} m apart usually, a back turned "
                f"{100 * self.turned_away:.0f} % of the time",
            )


def measure(timeline: Timeline, walks: Sequence[Walk]) -> Quality:
    """Measure the clips that a timeline became."""
    tracks = timeline.tracks
    libraries = [track.library for track in tracks]
    planned = before_impact(timeline, walks)
    found = [planted_slides(walk, library) for walk, library in zip(planned, libraries)]
    slides, excess = (np.concatenate([rows[k] for rows in found]) for k in (0, 1))
    peaks = [join_peaks(walk, library) for walk, library in zip(planned, libraries)]
    smooth = [
        float(peak) <= library.usual_acceleration for rows, library in zip(peaks, libraries) for peak in rows
    ]
    bodies = [fit(walk.clip.skeleton) for walk in walks]
    placed = [
        body.place(walk.clip.positions, walk.clip.global_rotations) for body, walk in zip(bodies, walks)
    ]
    radii = [body.radii for body in bodies]
    strikes = [_striking_limbs(timeline, character) for character in range(len(placed))]
    deep, striking = penetration(placed, radii, strikes)
    hits = [event for event in timeline.events if event.kind == "hit"]
    errors = np.array([strike_error(event, placed, radii) for event in hits if event.tick > 0])
    distance, away = _stage(walks)
    return Quality(
        seconds=timeline.seconds,
        planted_phases=len(slides),
        slide_usual=_median(slides),
        slide_worst=_most(slides),
        excess_usual=_median(excess),
        excess_high=float(np.percentile(excess, 95)) if len(excess) else 0.0,
        excess_worst=_most(excess),
        unnoticed=float(np.mean(excess < NOTICED)) if len(excess) else 1.0,
        joins=len(smooth),
        join_acceleration=_most(np.concatenate(peaks)),
        source_acceleration=max(library.usual_acceleration for library in libraries),
        smooth_joins=float(np.mean(smooth)) if smooth else 1.0,
        penetration_deepest=_most(deep),
        penetration_mean=float(deep[deep > 0.0].mean()) if (deep > 0.0).any() else 0.0,
        penetration_frames=int((deep > DEEP).sum()),
        strike_deepest=striking,
        obstacles=len(timeline.obstacles),
        obstacle_deepest=_most(obstacle_depths(timeline.obstacles, placed, radii)),
        strike_error_usual=_median(errors),
        strike_error_worst=_most(errors),
        lowest_point=min(lowest_point(walk.clip) for walk in walks),
        source_lowest=min(_source_lowest(walk, library) for walk, library in zip(walks, libraries)),
        **asdict(body_figures(timeline, walks)),
        **fight_figures(timeline),
        **asdict(measure_behaviour(timeline, walks, placed)),
        **asdict(timeline.crowd),
        distance=distance,
        turned_away=away,
    )


def _median(values: np.ndarray) -> float:
    return float(np.median(values)) if len(values) else 0.0


def _most(values: np.ndarray) -> float:
    return float(values.max(initial=0.0))


def penetration(
    placed: Sequence[np.ndarray], radii: Sequence[np.ndarray], strikes: Sequence[np.ndarray]
) -> tuple[np.ndarray, float]:
    """(F,) metres that bodies are inside each other, and the most that a striking limb is in one.

    `placed` are capsules (F, 16, 2, 3), `strikes` says which of them strike (F, 16).
    """
    frames = min(len(body) for body in placed)
    deepest, striking = np.zeros(frames), 0.0
    middles = np.stack([body[:frames, CAPSULES.index("lower_torso"), 0][:, [0, 2]] for body in placed])
    for one, other in near_pairs(np.ascontiguousarray(middles), _TOUCHING_DISTANCE).tolist():
        near = np.flatnonzero(np.linalg.norm(middles[one] - middles[other], axis=-1) < _TOUCHING_DISTANCE)
        depth = np.empty((len(near), len(CAPSULES), len(CAPSULES)))
        overlap.depths(placed[one][near], radii[one], placed[other][near], radii[other], depth)
        struck = strikes[one][near][:, :, None] | strikes[other][near][:, None, :]
        striking = max(striking, float(depth[struck].max(initial=0.0)))
        depth[struck] = 0.0
        deepest[near] = np.maximum(deepest[near], depth.max(axis=(1, 2)))
    return np.maximum(deepest, 0.0), striking


def _striking_limbs(timeline: Timeline, character: int) -> np.ndarray:
    """(ticks + 1, 16) bool: the capsules that strike, or are on the way back from it."""
    track = timeline.tracks[character]
    library = track.library
    busy = np.zeros((timeline.ticks + 1, len(CAPSULES)), dtype=bool)
    back = round(DRAWN_BACK * timeline.fps)
    strikes = library.strikes
    for one in shown(track.placed, timeline.ticks):
        for k in np.flatnonzero((strikes.start < one.last) & (strikes.stop > one.first)):
            first, stop = int(strikes.start[k]) - one.first, int(strikes.stop[k]) - one.first + back
            ticks = slice(one.start + max(first, 0), one.start + stop)
            for name in limb(EFFECTORS[int(strikes.effector[k])]):
                busy[ticks, CAPSULES.index(name)] = True
    return busy


def limb(name: str) -> tuple[str, ...]:
    """A striking capsule and the one that carries it."""
    side, _, part = name.partition("_")
    if name == "weapon":
        return name, "left_hand", "right_hand", "left_forearm", "right_forearm"
    return (name, f"{side}_{_LIMBS[part]}") if part in _LIMBS else (name,)


def strike_error(event: Event, placed: Sequence[np.ndarray], radii: Sequence[np.ndarray]) -> float:
    """Metres between what strikes and the struck surface, where they are nearest to touching in the tick."""
    share = (np.arange(_MOMENTS + 1) / _MOMENTS)[:, None, None]
    moved = []
    for who, part in ((event.who, event.what), (event.whom, event.part)):
        before, after = placed[who][event.tick - 1 : event.tick + 1, CAPSULES.index(part)]
        moved.append(((1.0 - share) * before + share * after)[:, None])
    depth = np.empty((_MOMENTS + 1, 1, 1))
    sizes = [
        radii[who][[CAPSULES.index(part)]]
        for who, part in ((event.who, event.what), (event.whom, event.part))
    ]
    overlap.depths(moved[0], sizes[0], moved[1], sizes[1], depth)
    # a fist that is outside at first and inside at last has touched the surface in between
    if depth.min() <= 0.0 <= depth.max():
        return 0.0
    return float(np.abs(depth).min())


def lowest_point(clip: Clip) -> float:
    """Metres over the floor, of all that is drawn."""
    body = mannequin.outline(clip.skeleton)
    starts, stops = body.place(clip.positions, clip.global_rotations)
    return float(min((starts[..., 1] - body.start_radii).min(), (stops[..., 1] - body.stop_radii).min()))


def _source_lowest(walk: Walk, library: ActionLibrary) -> float:
    """The same of the recorded frames that a walk shows."""
    frames = np.unique(walk.frame)
    shown = walk.clip.with_frames(library.frames.root_position[frames], library.frames.rotations[frames])
    return lowest_point(shown)


def fight_figures(timeline: Timeline) -> dict[str, Any]:
    """Figures that follow from the timeline alone."""
    events = timeline.events
    placed = [
        (who, one) for who, track in enumerate(timeline.tracks) for one in shown(track.placed, timeline.ticks)
    ]
    kinds = Counter(
        timeline.tracks[who].library.tags[one.action].kind for who, one in placed if one.action >= 0
    )
    met: dict[str, set[tuple[int, int]]] = {"hit": set(), "block": set()}
    for event in events:
        if event.kind in met:
            met[event.kind].add((event.who, timeline.placed_at(event.who, max(event.tick - 1, 0)).start))
    hits = sum(event.kind == "hit" for event in events)
    caught = [event.tick / timeline.fps for event in events if event.kind == "caught"]
    chosen: list[list[int]] = [[] for _ in timeline.tracks]
    for who, one in placed:
        if one.cause == CHOSEN and one.action >= 0:
            chosen[who].append(one.action)
    repeats = [
        action in actions[max(number - _RECENT_CHOICES, 0) : number]
        for actions in chosen
        for number, action in enumerate(actions)
    ]
    attacks = kinds["attack"]
    return {
        "attacks": attacks,
        "hits": hits,
        "blocks": sum(event.kind == "block" for event in events),
        "hits_per_minute": 60.0 * hits / max(timeline.seconds, 1e-9),
        "landed": len(met["hit"]) / max(attacks, 1),
        "blocked": len(met["block"]) / max(attacks, 1),
        "defences": kinds["defence"],
        "caught": len(caught),
        "first_caught": caught[0] if caught else -1.0,
        "damage": tuple(
            float(sum(event.strength for event in events if event.kind == "hit" and event.who == who))
            for who in range(len(timeline.tracks))
        ),
        "responses": dict(
            Counter(
                timeline.tracks[who].library.describe(one.action)
                for who, one in placed
                if one.cause == FORCED
            ).most_common()
        ),
        "choices": len(repeats),
        "repetition": float(np.mean(repeats)) if repeats else 0.0,
    }


def _stage(walks: Sequence[Walk]) -> tuple[float, float]:
    """The median distance to the nearest character, and how often a character turns its back on it."""
    if len(walks) < 2:
        return 0.0, 0.0
    places = np.stack([walk.clip.root_position[:, [0, 2]] for walk in walks])
    looking = np.stack([walk.clip.heading() for walk in walks])
    nearest, away = [], []
    for one in range(len(walks)):
        between = places - places[one]
        apart = np.linalg.norm(between, axis=-1)
        apart[one] = np.inf
        other = apart.argmin(axis=0)
        x, z = np.take_along_axis(between, other[None, :, None], axis=0)[0].T
        nearest.append(apart.min(axis=0))
        clip = walks[one].clip
        height = clip.positions[:, clip.skeleton.joint("pelvis"), 1]
        upright = height > _UPRIGHT_HEIGHT * np.quantile(height, 0.9)
        away.append((np.abs(rot.wrap_angle(np.arctan2(x, z) - looking[one])) > _AWAY_ANGLE)[upright])
    return float(np.median(nearest)), float(np.concatenate(away).mean())
