"""Avatars in one place: they see each other or targets, choose, strike, and give way when struck.

A session of timeline/session.py. All the work is in kernels/avatars.py; here is what it works on.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from randori import __version__
from randori.body.capsules import CAPSULES
from randori.body.capsules import fit as fit_capsules
from randori.errors import RandoriError
from randori.graph.joining import JOIN_SECONDS, Walk
from randori.graph.library import EFFECTORS
from randori.kernels import avatars, avatars_pose
from randori.motion.parts import SIDES
from randori.motion.placement import Placement
from randori.policy.model import Model
from randori.policy.table import PolicyTable
from randori.timeline.bake import bake_timeline
from randori.timeline.session import Frame, Input
from randori.timeline.timeline import Event, Placed, Timeline, Track

PARTS = ("head", "upper_torso", "lower_torso")  # what can be hit; the first is what others aim at
_CHAINS = {"head": ("spine", "chest", "neck"), "upper_torso": ("spine", "chest"), "lower_torso": ("spine",)}
_FIST = 0.05  # metres, radius
CLEARANCE = 0.68  # metres between two pelvises that nobody chooses to go below
_NEARLY = 0.15  # of the best score, that one of the few best may be worth less
AHEAD = 16  # states that one looks at before one chooses
# A struck part moves at this share of the fist's speed, no farther than this, and is back in half a second.
_PUSH_GAIN, _PUSH_MOST = 0.7, 0.22  # , metres
_PUSH_STIFFNESS, _PUSH_DAMPING = 144.0, 24.0  # 1/s², 1/s: it does not swing past its place
# A struck target swings: three times to and fro before it hangs still.
_PROP_GAIN = 0.35
_PROP_STIFFNESS, _PROP_DAMPING = 30.0, 2.2  # 1/s², 1/s
TARGET_RADIUS = 0.1  # metres, as it is drawn
_LOGGED = 4096  # choices, and hits, that are kept between two looks at them


class Body(NamedTuple):
    """What never changes, for kernels. Frames F, joints J, actions A, hits K, parts that can be hit H."""

    fps: float
    join_seconds: float
    root: np.ndarray  # (F, 3) metres, as recorded
    rotations: np.ndarray  # (F, J, 4)
    clip: np.ndarray  # (F,) int64
    places: np.ndarray  # (F, 3) the avatar's frame, as recorded
    parents: np.ndarray  # (J,) int64
    offsets: np.ndarray  # (J, 3) metres
    tips: np.ndarray  # (J, 3) metres
    first: np.ndarray  # (A,) int64
    fit: np.ndarray  # (A, 3)
    spot_start: np.ndarray  # (A + 1,) int64
    spots: np.ndarray  # (…, 3) x and z that an action leads over, as the avatar sees them at its start
    hit_start: np.ndarray  # (F + 1,) int64
    hit_joint: np.ndarray  # (K,) int64
    hit_effector: np.ndarray  # (K,) int64
    hit_strike: np.ndarray  # (K,) int64
    hit_velocity: np.ndarray  # (K, 3) metres per second, as recorded
    part_joint: np.ndarray  # (H,) int64
    part_end: np.ndarray  # (H, 2, 3) metres, of the capsule in the joint's frame
    part_radius: np.ndarray  # (H,) metres
    chains: np.ndarray  # (H, 3) int64, joints that turn when the part is pushed
    chain_lengths: np.ndarray  # (H,) int64
    hands: np.ndarray  # (2,) int64
    hand_tips: np.ndarray  # (2, 3) metres
    at_fist: np.ndarray  # (B,) bool: the behaviour's target is the other one's fist
    fist: float  # metres


class World(NamedTuple):
    """What changes. Avatars N, behaviours B, targets P."""

    state: np.ndarray  # (N,) int64, that the running action leads to
    frame: np.ndarray  # (N,) int64, of the library
    left: np.ndarray  # (N,) int64, ticks of the running action
    since: np.ndarray  # (N,) int64, ticks since the last join
    place: np.ndarray  # (N, 3) moves the recording to where it happens
    ends: np.ndarray  # (N, 2) x and z where the running action ends
    spent: np.ndarray  # (N,) int64, the strike that has met something
    root: np.ndarray  # (N, 3) shown
    rotations: np.ndarray  # (N, J, 4) before blows
    shown: np.ndarray  # (N, J, 4)
    last_root: np.ndarray  # (N, 3) in the tick before
    last_rotations: np.ndarray  # (N, J, 4)
    join: np.ndarray  # (N, J + 1, 7) offset, its velocity, seconds in which that dies away
    position: np.ndarray  # (N, J, 3)
    turned: np.ndarray  # (N, J, 4)
    push: np.ndarray  # (N, H, 3) metres that blows have displaced parts by
    push_velocity: np.ndarray  # (N, H, 3)
    props: np.ndarray  # (P, 3, 3) where it hangs, how far it has swung, and how fast
    solid: np.ndarray  # (P,) bool: it can be hit
    aims: np.ndarray  # (N,) int64: the avatar that one fights, or -1 - target
    weights: np.ndarray  # (N, B)
    few: np.ndarray  # (N,) int64, actions of which one is drawn
    ahead: np.ndarray  # (N,) int64, states that one looks at before one chooses
    seeds: np.ndarray  # (N,) int64
    share: float
    clearance: float
    reach: float  # metres from the fist to a target's middle
    push_gain: float
    push_most: float
    push_stiffness: float
    push_damping: float
    prop_gain: float
    prop_stiffness: float
    prop_damping: float


class Room(NamedTuple):
    """Room to decide in. Choices C, states N that are looked at, ways W that lead on from them."""

    here: np.ndarray  # (3,)
    targets: np.ndarray  # (B, 3)
    scores: np.ndarray  # (C,)
    rewards: np.ndarray  # (C,)
    landed: np.ndarray  # (C,) bool
    distance: np.ndarray  # (C,) metres, of the target after the action
    angle: np.ndarray  # (C,) radians
    node_targets: np.ndarray  # (N, B, 3)
    way_value: np.ndarray  # (W,)
    way_earned: np.ndarray  # (W,) rewards on the way
    way_later: np.ndarray  # (W,) γ^t, t its duration
    way_landed: np.ndarray  # (W,) bool: its last action hits
    way_node: np.ndarray  # (W,) int64, the state that its last action leaves
    way_action: np.ndarray  # (W,) int64, its last action
    way_root: np.ndarray  # (W,) int64, the choice that it begins with


class Log(NamedTuple):
    """What was chosen and hit since the last look."""

    counts: np.ndarray  # (2,) int64: choices, hits
    chosen: np.ndarray  # (…, 3) int64: tick, who, action
    placed: np.ndarray  # (…, 3)
    hits: np.ndarray  # (…, 5) int64: tick, who, whom (-1 - target), effector, part
    hit_velocity: np.ndarray  # (…, 3) metres per second
    hit_point: np.ndarray  # (…, 3)


# The approach is worth what the punch will be: one scale, so that ways that end in either can be compared.
WEIGHTS = {"approach": 1.0, "punch": 1.0, "evade": 0.02}


@dataclass(frozen=True)
class Avatar:
    """Somebody who takes part."""

    name: str
    place: Placement  # of the way that it looks
    aim: int = 0  # the avatar that it fights, or -1 - k for target k
    weights: dict[str, float] = field(default_factory=lambda: dict(WEIGHTS))
    few: int = 1  # actions of which one is drawn; 1 is always the best
    ahead: int = AHEAD
    outfit: int = 0


class Arena:
    """A live session of avatars and targets; see timeline/session.py."""

    def __init__(
        self,
        table: PolicyTable,
        cast: Sequence[Avatar],
        targets: Sequence[tuple[float, float, float]] = (),
        seed: int = 1,
        name: str = "arena",
        solid: bool = True,
    ) -> None:
        if not cast:
            raise RandoriError("there is nobody in the arena: at least one avatar is needed")
        self.table, self.name, self.seed = table, name, seed
        self.cast = tuple(cast)
        self._body = _body(table)
        self._world = _world(table, self._body, self.cast, targets, seed, solid)
        self._room = make_room(table, max(avatar.ahead for avatar in self.cast))
        self._log = Log(
            np.zeros(2, dtype=np.int64),
            np.zeros((_LOGGED, 3), dtype=np.int64),
            np.zeros((_LOGGED, 3)),
            np.zeros((_LOGGED, 5), dtype=np.int64),
            np.zeros((_LOGGED, 3)),
            np.zeros((_LOGGED, 3)),
        )
        self._blows: list[tuple[int, int, int, np.ndarray]] = []  # tick, whom, part, metres per second
        self._inputs: list[Input] = []
        self._placed: list[list[tuple[int, int, int, Placement]]] = [[] for _ in cast]
        self._events: list[Event] = []
        self.tick = 0

    @property
    def fps(self) -> float:
        return self.table.model.library.fps

    @property
    def inputs(self) -> Sequence[Input]:
        return self._inputs

    @property
    def events(self) -> Sequence[Event]:
        """All hits so far."""
        return self._events

    @property
    def prop_places(self) -> np.ndarray:
        """(P, 3) metres, where the targets are now."""
        return self._world.props[:, 0] + self._world.props[:, 1]

    @property
    def world(self) -> World:
        """Everything that changes, as it is now."""
        return self._world

    def send(self, what: str, **values: Any) -> Input:
        """`target` (which, place), `weight` (who, behaviour, value), `aim` (who, at), `few` (who, value)."""
        world = self._world
        if what == "target":
            which = self._number(what, "which", values, len(world.props))
            world.props[which, 0] = self._point(what, values)
        elif what == "weight":
            who = self._number(what, "who", values, len(self.cast))
            name = values.get("behaviour")
            if name not in self.table.names:
                known = ", ".join(self.table.names)
                raise RandoriError(f"weight: the table has no behaviour {name!r}; it has {known}")
            value = self._real(what, "value", values)
            world.weights[who, self.table.names.index(name)] = value
        elif what == "aim":
            who = self._number(what, "who", values, len(self.cast))
            at = values.get("at")
            if not isinstance(at, int) or not -len(world.props) <= at < len(self.cast) or at == who:
                raise RandoriError(
                    f"aim: at {at!r} is nobody; give another avatar's number, 0 to {len(self.cast) - 1}, "
                    f"or -1 - k for target k of {len(world.props)}"
                )
            world.aims[who] = at
        elif what == "few":
            who = self._number(what, "who", values, len(self.cast))
            world.few[who] = self._number(what, "value", values, 1000) or 1
        else:
            raise RandoriError(f"nobody knows what {what!r} means; send target, weight, aim or few")
        return self._note(what, values)

    def _note(self, what: str, values: dict[str, Any]) -> Input:
        """Write an input down."""
        sent = Input(self.tick, what, values)
        self._inputs.append(sent)
        return sent

    def step(self) -> Frame:
        """The next tick."""
        seen = len(self._events)
        self.run(1)
        world = self._world
        return Frame(
            self.tick,
            world.root.copy(),
            world.shown.copy(),
            self.prop_places,
            tuple(self._events[seen:]),
        )

    def run(self, ticks: int) -> None:
        """Some ticks that nobody looks at."""
        most = _LOGGED // (2 * len(self.cast))  # no tick writes down more than that
        while ticks > 0:
            now = min(ticks, most)
            avatars.advance(self.tick, now, self.table.hot, self._body, self._world, self._room, self._log)
            self.tick += now
            ticks -= now
            if self._log.counts.any():
                self._read_log()

    def timeline(self) -> Timeline:
        """What has happened so far: the stretches that were played and the hits."""
        library = self.table.model.library
        tracks = []
        for avatar, rows in zip(self.cast, self._placed):
            stops = [start for start, *_ in rows[1:]] + [self.tick]
            placed = tuple(
                Placed(-1, first, start, stop, placement)
                for (start, first, _, placement), stop in zip(rows, stops)
                if stop > start
            )
            tracks.append(Track(avatar.name, library, placed, avatar.outfit))
        words: dict[str, object] = {"scene": self.name, "seed": self.seed, "version": __version__}
        return Timeline(self.fps, self.tick, tuple(tracks), tuple(self._events), words=words)

    def baking(self) -> Generator[float, None, list[Walk]]:
        """The clips of all avatars so far, joins and feet refined, bodies displaced by what hit them."""
        walks = yield from bake_timeline(self.timeline())
        return [self._struck(who, walk) for who, walk in enumerate(walks)]

    def _struck(self, who: int, walk: Walk) -> Walk:
        """A clip with the displacements of all blows that an avatar has taken."""
        body, clip = self._body, walk.clip
        blows = [(tick, part, velocity) for tick, whom, part, velocity in self._blows if whom == who]
        if not blows:
            return walk
        push = np.zeros((len(clip), len(PARTS), 3))
        avatars_pose.displacements(
            np.array([tick for tick, _, _ in blows], dtype=np.int64),
            np.array([part for _, part, _ in blows], dtype=np.int64),
            np.array([velocity for _, _, velocity in blows]),
            _PUSH_STIFFNESS,
            _PUSH_DAMPING,
            _PUSH_MOST,
            1.0 / self.fps,
            push,
        )
        rotations = np.array(clip.rotations)
        avatars_pose.displace(
            push,
            body.chains,
            body.chain_lengths,
            body.part_joint,
            body.part_end,
            body.parents,
            body.offsets,
            np.array(clip.root_position),
            rotations,
            np.empty((*rotations.shape[:2], 3)),
            np.empty(rotations.shape),
        )
        return replace(walk, clip=clip.with_frames(clip.root_position, rotations))

    def _read_log(self) -> None:
        """Take what the kernels wrote down."""
        log, moves = self._log, self.table.model.moves
        for row in range(log.counts[0]):
            tick, who, action = log.chosen[row].tolist()
            place = Placement(*log.placed[row].tolist())
            self._placed[who].append((tick, int(moves.first[action]), action, place))
        for row in range(log.counts[1]):
            tick, who, whom, effector, part = log.hits[row].tolist()
            if whom >= 0:
                self._blows.append((tick, whom, part, _PUSH_GAIN * log.hit_velocity[row]))
            self._events.append(
                Event(
                    tick,
                    "hit" if whom >= 0 else "target",
                    who,
                    whom if whom >= 0 else -1,
                    EFFECTORS[effector],
                    PARTS[part] if part >= 0 else f"target {-1 - whom}",
                    float(np.linalg.norm(log.hit_velocity[row])),
                    tuple(log.hit_point[row].tolist()),
                )
            )
        log.counts[:] = 0

    def _number(self, what: str, key: str, values: dict[str, Any], count: int) -> int:
        value = values.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < count:
            raise RandoriError(f"{what}: {key} must be a number from 0 to {count - 1}, not {value!r}")
        return value

    def _real(self, what: str, key: str, values: dict[str, Any]) -> float:
        value = values.get(key)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0.0 <= value <= 1e6:
            raise RandoriError(f"{what}: {key} must be a number, 0 or more, not {value!r}")
        return float(value)

    def _point(self, what: str, values: dict[str, Any]) -> np.ndarray:
        try:
            point = np.array(values.get("place"), dtype=float)
        except (TypeError, ValueError):
            point = np.zeros(0)
        if point.shape != (3,) or not (np.abs(point) < 1e6).all():
            raise RandoriError(f"{what}: place must be x, y, z in metres, not {values.get('place')!r}")
        return point


def make_room(table: PolicyTable, ahead: int) -> Room:
    """Room for the decisions of a table that look at so many states."""
    behaviours, choices = len(table.behaviours), int(np.diff(table.hot.indptr).max())
    states = max(ahead, 1)
    ways = states * choices
    return Room(
        np.zeros(3),
        np.zeros((behaviours, 3)),
        np.zeros(choices),
        np.zeros(choices),
        np.zeros(choices, dtype=bool),
        np.zeros(choices),
        np.zeros(choices),
        np.zeros((states, behaviours, 3)),
        np.zeros(ways),
        np.zeros(ways),
        np.zeros(ways),
        np.zeros(ways, dtype=bool),
        np.zeros(ways, dtype=np.int64),
        np.zeros(ways, dtype=np.int64),
        np.zeros(ways, dtype=np.int64),
    )


def _body(table: PolicyTable) -> Body:
    """The library of a table, as the kernels want it."""
    model = table.model
    library, skeleton, moves, hits = model.library, model.library.skeleton, model.moves, model.hits
    capsules = fit_capsules(skeleton)
    parts = [CAPSULES.index(name) for name in PARTS]
    chains = np.zeros((len(PARTS), 3), dtype=np.int64)
    lengths = np.zeros(len(PARTS), dtype=np.int64)
    for row, name in enumerate(PARTS):
        chain = sorted({skeleton.parts[part] for part in _CHAINS[name] if part in skeleton.parts} - {0})
        chains[row, : len(chain)], lengths[row] = chain, len(chain)
    spot_start, spots = _spots(model)
    joints = np.array([model.striking_joint(int(effector)) for effector in range(len(EFFECTORS))])
    hands = np.array([skeleton.joint(f"{side}_hand") for side in SIDES])
    return Body(
        library.fps,
        JOIN_SECONDS,
        library.frames.root_position,
        library.frames.rotations,
        library.frames.clip,
        model.places,
        skeleton.parents,
        skeleton.offsets,
        skeleton.tips,
        moves.first,
        moves.fit,
        spot_start,
        spots,
        np.searchsorted(hits.frame, np.arange(len(library.frames.clip) + 1)).astype(np.int64),
        joints[hits.effector],
        hits.effector,
        hits.strike,
        hits.velocity,
        capsules.joints[parts],
        np.ascontiguousarray(capsules.ends[parts]),
        capsules.radii[parts],
        chains,
        lengths,
        hands,
        skeleton.tips[hands],
        np.array([behaviour.at_fist for behaviour in table.behaviours]),
        _FIST,
    )


def _spots(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Where actions lead over: a third, two thirds and the whole of each, as its start sees them."""
    moves = model.moves
    shares = np.array([1, 2, 3])
    frames = moves.first[:, None] + (moves.ticks[:, None] * shares + 2) // 3
    points = model.seen_at_start(frames)
    return np.arange(len(frames) + 1) * len(shares), np.ascontiguousarray(points.reshape(-1, 2))


def _world(
    table: PolicyTable,
    body: Body,
    cast: Sequence[Avatar],
    targets: Sequence[tuple[float, float, float]],
    seed: int,
    solid: bool,
) -> World:
    """Everybody at the start: in states drawn from the seed, looking where they should."""
    model, people, joints = table.model, len(cast), len(body.parents)
    random = np.random.default_rng(seed)
    state = random.integers(len(table.values), size=people)
    frame = model.graph.state_frame[state]
    place = np.empty((people, 3))
    root, rotations = np.empty((people, 3)), np.empty((people, joints, 4))
    for who, avatar in enumerate(cast):
        moved = Placement(*body.places[frame[who]].tolist()).inverse().then(avatar.place)
        place[who] = moved.x, moved.z, moved.yaw
        root[who] = moved.move_points(body.root[frame[who]])
        rotations[who] = body.rotations[frame[who]]
        rotations[who, 0] = moved.turn(rotations[who, 0])
        if not -len(targets) <= avatar.aim < people or avatar.aim == who:
            raise RandoriError(
                f"{avatar.name} aims at {avatar.aim}, which is neither another avatar nor a target"
            )
    position, turned = model.library.skeleton.forward(root, rotations)
    props = np.zeros((len(targets), 3, 3))
    if len(targets):
        props[:, 0] = targets
    weights = np.array([[avatar.weights.get(name, 0.0) for name in table.names] for avatar in cast])
    zeros = np.zeros((people, len(PARTS), 3))
    return World(
        state,
        frame.copy(),
        np.zeros(people, dtype=np.int64),
        np.full(people, 10**6, dtype=np.int64),
        place,
        root[:, [0, 2]].copy(),
        np.full(people, -1, dtype=np.int64),
        root,
        rotations,
        rotations.copy(),
        root.copy(),
        rotations.copy(),
        np.zeros((people, joints + 1, 7)),
        position,
        turned,
        zeros,
        zeros.copy(),
        props,
        np.full(len(targets), solid),
        np.array([avatar.aim for avatar in cast], dtype=np.int64),
        weights,
        np.array([avatar.few for avatar in cast], dtype=np.int64),
        np.array([avatar.ahead for avatar in cast], dtype=np.int64),
        random.integers(1, 2**62, size=people),
        _NEARLY,
        CLEARANCE,
        table.settings.reach,
        _PUSH_GAIN,
        _PUSH_MOST,
        _PUSH_STIFFNESS,
        _PUSH_DAMPING,
        _PROP_GAIN,
        _PROP_STIFFNESS,
        _PROP_DAMPING,
    )
