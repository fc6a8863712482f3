"""Avatars in one place: they see each other or targets, choose, strike, and give way when struck.

A session of timeline/session.py. All the work is in kernels/avatars.py; here is what it works on.
"""

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from randori import __version__
from randori.body.capsules import CAPSULES
from randori.body.capsules import fit as fit_capsules
from randori.errors import RandoriError
from randori.graph.joining import JOIN_SECONDS, Walk
from randori.graph.library import EFFECTORS
from randori.graph.places import compose
from randori.graph.similarity import distances_from, fit, poses_of
from randori.kernels import avatars, avatars_pose
from randori.kernels.avatars import Body, Log, Props, Rules, World
from randori.kernels.avatars_pose import Pose, Recorded, Spring
from randori.kernels.places import as_places
from randori.kernels.policy_choice import SCORED, WAY, Room
from randori.motion.parts import SIDES
from randori.motion.placement import Placement
from randori.motion.skeleton import Skeleton
from randori.policy.model import Model
from randori.policy.table import PolicyTable
from randori.timeline.bake import bake_timeline
from randori.timeline.impulse import FASTEST, gain_of_blow
from randori.timeline.session import Frame, Input
from randori.timeline.timeline import Event, Placed, Timeline, Track

PARTS = ("head", "upper_torso", "lower_torso")  # parts that can be hit; others aim at the first
_CHAINS = {"head": ("spine", "chest", "neck"), "upper_torso": ("spine", "chest"), "lower_torso": ("spine",)}
_FIST = 0.05  # metres, radius
CLEARANCE = 0.68  # least metres between two pelvises that an avatar chooses
_NEARLY_SHARE = 0.15  # of the best score, that one of the few best may be worth less
AHEAD = 16  # states that one looks at before one chooses
# A struck part is back in half a second, and does not swing past its place.
_PUSH = Spring(fastest=FASTEST, stiffness=49.0, damping=14.0, most=0.22)
# A struck target swings: three times to and fro before it hangs still.
_PROP = Spring(fastest=12.0, stiffness=30.0, damping=2.2, most=math.inf)
_PROP_GAIN = 0.35
TARGET_RADIUS = 0.1  # metres, as it is drawn
_LONG_AGO = 10**6  # ticks
_LOG_FIELDS = ("tick", "avatar", "struck", "effector", "part")
_LOG_LENGTH = 4096  # choices, and hits, that are kept between two looks at them


# The approach is worth what the punch will be: one scale, so that ways that end in either can be compared.
WEIGHTS = {"approach": 1.0, "punch": 1.0, "evade": 0.02}
# The paper does not give its weights. Being near is worth three times as much as the best blow there, because
# every action is rewarded for it: with equal weights an avatar that is near rather stays than strikes.
FAITHFUL_WEIGHTS = {"approach": 1.0, "punch": 10.0, "evade": 0.02}


@dataclass(frozen=True)
class Avatar:
    """A character in the arena."""

    name: str
    place: Placement  # of the way that it looks
    aim: int = 0  # the avatar that it fights, or -1 - k for target k
    weights: dict[str, float] = field(default_factory=dict)  # empty: the usual ones of the table
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
            raise RandoriError("there is no avatar in the arena: at least one avatar is needed")
        self.table, self.name, self.seed = table, name, seed
        usual = usual_weights(table)
        self.cast = tuple(replace(one, weights=one.weights or dict(usual)) for one in cast)
        self._body = _body(table)
        self._world = _world(table, self.cast, targets, seed, solid)
        self._rules = Rules(
            self.fps,
            JOIN_SECONDS,
            _NEARLY_SHARE,
            CLEARANCE,
            table.settings.reach,
            _FIST,
            _PUSH,
            _PROP,
            _PROP_GAIN,
        )
        self._room = make_room(table, max(avatar.ahead for avatar in self.cast))
        self._log = Log(
            np.zeros(2, dtype=np.int64),
            np.zeros(_LOG_LENGTH, avatars.CHOSEN),
            np.zeros(_LOG_LENGTH, avatars.LANDED),
        )
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
        return self._world.props.place + self._world.props.swung

    @property
    def world(self) -> World:
        """Everything that changes, as it is now."""
        return self._world

    def send(self, what: str, /, **values: Any) -> Input:
        """`target` (which, place), `weight` (who, behaviour, value), `aim` (who, at), `few` (who, value)."""
        world = self._world
        if what == "target":
            which = self._number(what, "which", values, len(world.props.solid))
            world.props.place[which] = self._point(what, values)
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
            if not isinstance(at, int) or not -len(world.props.solid) <= at < len(self.cast) or at == who:
                raise RandoriError(
                    f"aim: at {at!r} is nobody; give another avatar's number, 0 to {len(self.cast) - 1}, "
                    f"or -1 - k for target k of {len(world.props.solid)}"
                )
            world.avatars["aim"][who] = at
        elif what == "few":
            who = self._number(what, "who", values, len(self.cast))
            world.avatars["few"][who] = self._number(what, "value", values, 1000) or 1
        else:
            raise RandoriError(f"unknown input {what!r}; send target, weight, aim or few")
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
        shown = self._world.shown
        return Frame(
            self.tick,
            shown.root.copy(),
            shown.rotations.copy(),
            self.prop_places,
            tuple(self._events[seen:]),
        )

    def run(self, ticks: int) -> None:
        """Some ticks that are not shown."""
        most = _LOG_LENGTH // (2 * len(self.cast))  # no tick writes down more than that
        while ticks > 0:
            now = min(ticks, most)
            avatars.advance(
                self.tick, now, self.table.hot, self._body, self._world, self._rules, self._room, self._log
            )
            self.tick += now
            ticks -= now
            if self._log.counts.any():
                self._read_log()

    def shown(self) -> tuple[np.ndarray, np.ndarray]:
        """(N,) the frames that all avatars show now, and (N, 3) the placements of their recordings."""
        place = self._world.avatars["place"]
        return self._world.avatars["frame"].copy(), np.column_stack(
            [place[name] for name in ("x", "z", "yaw")]
        )

    def put(self, who: int, frame: int, place: np.ndarray) -> None:
        """Let a character that another controller moves show a frame in a place in the next tick."""
        avatar = self._world.avatars[who]
        avatar["frame"], avatar["left"], avatar["since"] = frame - 1, _LONG_AGO, _LONG_AGO
        avatar["place"] = tuple(place)
        avatar["end_x"], avatar["end_z"] = self._root(frame, place)

    def _root(self, frame: int, place: np.ndarray) -> tuple[float, float]:
        x, _, z = Placement(*place.tolist()).move_points(self.table.model.library.frames.root_position[frame])
        return float(x), float(z)

    def force(self, who: int, first: int, last: int, place: np.ndarray) -> None:
        """Let an avatar show a stretch of its library from now on, joined to its current action."""
        avatar, world = self._world.avatars[who], self._world
        avatar["place"] = tuple(place)
        before = first - 1 if first and self._body.clip[first - 1] == self._body.clip[first] else first
        avatars_pose.start_join(
            who, avatar["place"], (first, before), self._body.recorded, world, JOIN_SECONDS, self.fps
        )
        avatar["frame"], avatar["left"], avatar["since"] = first, last - first, 0
        avatar["end_x"], avatar["end_z"] = self._root(last, place)
        self._placed[who].append((self.tick, first, -1, Placement(*place.tolist())))

    def recover(self, who: int) -> None:
        """Let an avatar that has shown a stretch choose again, from the state most like its pose."""
        model, avatar = self.table.model, self._world.avatars[who]
        here, frames = int(avatar["frame"]), model.graph.state_frame
        poses = poses_of(model.library, np.concatenate([[here], frames]))
        state = int(np.argmin(distances_from(poses, 0)[1:]))
        moved = compose(fit(poses, np.array([0]), np.array([1 + state])), self.shown()[1][who : who + 1])[0]
        self.force(who, int(frames[state]), int(frames[state]), moved)
        self._placed[who].pop()
        avatar["state"] = state

    def timeline(self) -> Timeline:
        """The timeline so far: the stretches that were played, and the hits."""
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
        """The clips of all avatars so far; refinement decides what blows do to them."""
        return (yield from bake_timeline(self.timeline()))

    def _read_log(self) -> None:
        """Take what the kernels wrote down."""
        log, moves = self._log, self.table.model.moves
        for tick, who, action, place in log.chosen[: log.counts[0]].tolist():
            self._placed[who].append((tick, int(moves.first[action]), action, Placement(*place)))
        for row in log.landed[: log.counts[1]]:
            tick, who, whom, effector, part = (int(row[name]) for name in _LOG_FIELDS)
            velocity = row["velocity"]
            self._events.append(
                Event(
                    tick,
                    "hit" if whom >= 0 else "target",
                    who,
                    whom if whom >= 0 else -1,
                    EFFECTORS[effector],
                    PARTS[part] if part >= 0 else f"target {-1 - whom}",
                    float(np.linalg.norm(velocity)),
                    tuple(row["point"].tolist()),
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


def usual_weights(table: PolicyTable) -> dict[str, float]:
    """Default weights of the behaviours."""
    return FAITHFUL_WEIGHTS if table.settings.near > 0.0 else WEIGHTS


def make_room(table: PolicyTable, ahead: int) -> Room:
    """Room for the decisions of a table that look at so many states."""
    behaviours, choices = len(table.behaviours), int(np.diff(table.hot.indptr).max())
    states = max(ahead, 1)
    return Room(
        np.zeros((behaviours, 3)),
        np.zeros(choices),
        np.zeros(choices, SCORED),
        np.zeros((states, behaviours, 3)),
        np.zeros(states * choices),
        np.zeros(states * choices, WAY),
    )


def _body(table: PolicyTable) -> Body:
    """The library of a table, as the kernels want it."""
    model = table.model
    library, skeleton, moves, hits = model.library, model.library.skeleton, model.moves, model.hits
    joints = np.array([model.striking_joint(int(effector)) for effector in range(len(EFFECTORS))])
    strikes = np.empty(len(hits.frame), avatars.HIT)
    strikes["joint"], strikes["effector"] = joints[hits.effector], hits.effector
    strikes["strike"] = hits.strike
    strikes["x"], strikes["y"], strikes["z"] = hits.velocity.T
    starts = np.empty(len(moves.first), avatars.START)
    starts["first"], starts["fit"] = moves.first, as_places(moves.fit)
    spot_start, spots = _spots(model)
    starts["first_spot"], starts["stop_spot"] = spot_start[:-1], spot_start[1:]
    return Body(
        Recorded(library.frames.root_position, library.frames.rotations),
        _skeleton(skeleton),
        library.frames.clip,
        as_places(model.places),
        skeleton.tips,
        starts,
        spots,
        np.searchsorted(hits.frame, np.arange(len(library.frames.clip) + 1)).astype(np.int64),
        strikes,
        np.array([[gain_of_blow(effector, part) for part in PARTS] for effector in EFFECTORS]),
        np.array([skeleton.joint(f"{side}_hand") for side in SIDES]),
        np.array([behaviour.at_fist for behaviour in table.behaviours]),
    )


def _skeleton(skeleton: Skeleton) -> avatars_pose.Skeleton:
    """Bones, and the parts that can be hit."""
    capsules = fit_capsules(skeleton)
    which = [CAPSULES.index(name) for name in PARTS]
    parts = np.zeros(len(PARTS), avatars_pose.PART)
    parts["joint"], parts["radius"] = capsules.joints[which], capsules.radii[which]
    for row, name in zip(parts, PARTS):
        chain = sorted({skeleton.parts[part] for part in _CHAINS[name] if part in skeleton.parts} - {0})
        row["chain"][: len(chain)], row["chain_length"] = chain, len(chain)
    ends = np.ascontiguousarray(capsules.ends[which])
    return avatars_pose.Skeleton(skeleton.parents, skeleton.offsets, parts, ends)


def _spots(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Places along the ways of actions: a third, two thirds and the whole, as their starts see them."""
    moves = model.moves
    shares = np.array([1, 2, 3])
    frames = moves.first[:, None] + (moves.ticks[:, None] * shares + 2) // 3
    points = model.seen_at_start(frames)
    return np.arange(len(frames) + 1) * len(shares), np.ascontiguousarray(points.reshape(-1, 2))


def _world(
    table: PolicyTable,
    cast: Sequence[Avatar],
    targets: Sequence[tuple[float, float, float]],
    seed: int,
    solid: bool,
) -> World:
    """All avatars at the start: in states drawn from the seed, turned to their targets."""
    model, people, joints = table.model, len(cast), len(table.model.library.skeleton.parents)
    random = np.random.default_rng(seed)
    state = random.integers(len(table.values), size=people)
    frame = model.graph.state_frame[state]
    avatar_rows = np.zeros(people, avatars.AVATAR)
    avatar_rows["state"], avatar_rows["frame"], avatar_rows["since"] = state, frame, _LONG_AGO
    root, rotations = np.empty((people, 3)), np.empty((people, joints, 4))
    recorded = model.library.frames
    for who, avatar in enumerate(cast):
        moved = Placement(*model.places[frame[who]].tolist()).inverse().then(avatar.place)
        avatar_rows["place"][who] = moved.x, moved.z, moved.yaw
        root[who] = moved.move_points(recorded.root_position[frame[who]])
        rotations[who] = recorded.rotations[frame[who]]
        rotations[who, 0] = moved.turn(rotations[who, 0])
        if not -len(targets) <= avatar.aim < people or avatar.aim == who:
            raise RandoriError(
                f"{avatar.name} aims at {avatar.aim}, which is neither another avatar nor a target"
            )
    avatar_rows["end_x"], avatar_rows["end_z"], avatar_rows["spent"] = root[:, 0], root[:, 2], -1
    for name in ("aim", "few", "ahead"):
        avatar_rows[name] = [getattr(avatar, name) for avatar in cast]
    avatar_rows["seed"] = random.integers(1, 2**62, size=people)
    position, turned = model.library.skeleton.forward(root, rotations)
    return World(
        avatar_rows,
        np.array([[avatar.weights.get(name, 0.0) for name in table.names] for avatar in cast]),
        rotations,
        root.copy(),
        rotations.copy(),
        np.zeros((people, joints + 1), avatars_pose.JOIN),
        Pose(root, rotations.copy(), position, turned),
        np.zeros((people, len(PARTS), 3)),
        np.zeros((people, len(PARTS), 3)),
        Props(
            np.array(targets, dtype=float).reshape(-1, 3),
            np.zeros((len(targets), 3)),
            np.zeros((len(targets), 3)),
            np.full(len(targets), solid),
        ),
    )
