"""From libraries and their graphs to a stock: everything that a game needs to know of the motions."""

from collections.abc import Sequence

import numpy as np

from randori.body.capsules import CAPSULES, STRIKING, fit
from randori.body.mannequin import scale_of
from randori.duel.breaking import find_breaks, regain_control
from randori.duel.combination import column_of, row_of
from randori.duel.game import ATTACK, BEARINGS, DEFENCE, DIRECTIONS, OTHER, STRENGTHS, Stock
from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.graph.joining import FASTEST_RISE, rise_speeds
from randori.graph.library import EFFECTORS, ActionLibrary
from randori.graph.similarity import Poses, poses_of
from randori.graph.stillness import seconds_still
from randori.motion import rotations as rot

# Maximum range at the start of a strike (rule 3 of docs/duel.md): feet reach farther than hands, blades most.
PUNCH_RANGE, KICK_RANGE, WEAPON_RANGE = 1.0, 1.4, 2.4  # metres
# metres from the pelvis, of a body 1.75 m tall: hooks and uppercuts stay within, jabs do not
SHORT_REACH = 0.78
# Between pelvises. People face to face come no nearer than 0.72 m (10 % of the time 0.75 m); two capsule
# torsos side by side need 0.55 m.
BODY_ROOM = 0.6  # metres
BODY_DEPTH = 0.25  # metres from a pelvis to the farthest front of the head or the torso above it

# Reactions to a blow, best first; each row is tried until the library has one of them.
_ANSWERS = {
    "light": (("reaction", "recoil"), ("reaction", "flinch"), ("reaction", ""), ("transition", "step back")),
    "heavy": (("reaction", "stagger"), ("reaction", ""), ("transition", "step back")),
    "felling": (("fall", ""), ("reaction", "stagger"), ("reaction", ""), ("transition", "step back")),
}
_AT_FIRST = 0.25  # seconds in which a struck body moves as the blow drives it
_WIDEST_REACTION_ANGLE = np.deg2rad(50.0)  # an answer that goes elsewhere than the blow drives is no answer
# Metres that a radian counts by which a reaction leaves the body turned away from the attacker, beside how
# much its first pose is off: 90 degrees are worth a join that is 0.24 m off.
_UNTURNED_COST = 0.15
# metres that it counts if a recoil takes the form of a stagger, or the other way round
_OTHER_STRENGTH_COST = 0.3
_ASTRAY_COST = 0.3  # metres that a radian counts by which a form is driven elsewhere than its source
_STANDING_HEIGHT = 0.6  # of the usual height of a pelvis: the fighter stands


def build_stock(graphs: Sequence[ActionGraph]) -> Stock:
    """One stock of several graphs; graph k's actions and postures follow on those of the graphs before it."""
    if len({graph.library.fps for graph in graphs}) != 1:
        raise RandoriError("fighters must share one frame rate: capture their libraries with the same fps")
    parts = [_part(graph) for graph in graphs]
    actions = np.cumsum([0] + [len(part.first) for part in parts])
    postures = np.cumsum([0] + [len(part.choice_start) - 1 for part in parts])
    frames = np.cumsum([0] + [len(part.place) for part in parts])
    strikes = np.cumsum([0] + [len(part.strike_first) for part in parts])
    choices = np.cumsum([0] + [len(part.choices) for part in parts])
    moved = [
        part._replace(
            choice_start=part.choice_start + choices[k],
            choices=part.choices + actions[k],
            likeness=part.likeness + actions[k],
            first=part.first + frames[k],
            end_posture=np.where(part.end_posture < 0, -1, part.end_posture + postures[k]),
            turned=part.turned + actions[k],
            strike_start=part.strike_start + strikes[k],
            response=np.where(part.response < 0, -1, part.response + actions[k]),
            break_posture=np.where(part.break_posture < 0, -1, part.break_posture + postures[k]),
        )
        for k, part in enumerate(parts)
    ]

    def together(name: str) -> np.ndarray:
        arrays = [getattr(part, name) for part in moved]
        if name in ("choice_start", "strike_start"):
            arrays = [array[:-1] for array in arrays[:-1]] + [arrays[-1]]
        return np.concatenate(arrays)

    return Stock(moved[0].tick, *(together(name) for name in Stock._fields[1:]))


def _part(graph: ActionGraph) -> Stock:
    """The stock of one graph."""
    library = graph.library
    capsules = fit(library.skeleton)
    kinds = np.array([_kind(library, action) for action in range(len(library))])
    effectors = library.strikes.effector
    starts = library.actions.start[np.repeat(np.arange(len(library)), np.diff(library.actions.strike_start))]
    body = capsules.place(library.positions, library.global_rotations).astype(np.float32)
    poses = poses_of(library, np.arange(len(body)))
    stance = _stance(graph, poses)
    rooms = _rooms(library, body)
    choice_start, choices = _choices(graph)
    breaks = find_breaks(graph, poses, np.diff(choice_start))
    ends = regain_control(graph, breaks)
    return Stock(
        1.0 / library.fps,
        choice_start,
        choices,
        library.actions.start,
        ends.ticks,
        kinds,
        short_attacks(library, kinds == ATTACK),
        ends.posture,
        graph.entry,
        ends.exit,
        np.array([_pairing(library, action, kind) for action, kind in enumerate(kinds)], dtype=np.int64),
        _likeness(library),
        np.full(len(library), _kept(rooms)),
        np.where(kinds == OTHER, seconds_still(library), 0.0),
        _turned(graph, poses, stance),
        library.actions.strike_start,
        np.maximum(library.strikes.start - starts, 1),
        np.maximum(library.strikes.stop - starts, 2),
        np.array(STRIKING, dtype=np.int64)[effectors],
        strike_ranges(library),
        rooms,
        np.column_stack([library.placements[:, :2], stance]),
        _facing(library),
        body,
        np.broadcast_to(capsules.radii.astype(np.float32), (len(body), len(capsules.radii))),
        _responses(graph, poses, stance),
        breaks.posture,
        breaks.place,
    )


def _choices(graph: ActionGraph) -> tuple[np.ndarray, np.ndarray]:
    """The choices of each posture (CSR): no staggers or falls, and only get-ups for fighters that lie."""
    kinds = np.array([tags.kind for tags in graph.library.tags])
    techniques = np.array([tags.technique for tags in graph.library.tags])
    wanted = ~np.isin(kinds, ("reaction", "fall")) & (techniques != "lie")
    calm = _fastest_rises(graph.library) <= FASTEST_RISE
    calm |= np.char.startswith(techniques, "jump")
    postures = range(len(graph.posture_frame))
    # nor are actions choices that lead where only such a rise goes on
    calm &= ~np.isin(graph.end_posture, [p for p in postures if not (wanted & calm)[graph.choices(p)].any()])
    chosen = []
    for posture in postures:
        choices = graph.choices(posture)
        rises = kinds[choices] == "rise"
        willing = wanted[choices]
        willing &= calm[choices] | ~(willing & calm[choices]).any()
        chosen.append(choices[rises] if rises.any() else choices[willing] if willing.any() else choices)
    home = int(np.bincount(graph.start_posture[graph.actions]).argmax())
    _spring_traps(chosen, ~np.isin(kinds, ("attack", "defence")), graph.end_posture, home)
    starts = np.cumsum([0] + [len(choices) for choices in chosen])
    return starts.astype(np.int64), np.concatenate(chosen)


def _fastest_rises(library: ActionLibrary) -> np.ndarray:
    """(A,) metres per second at which the pelvis rises at most in each action."""
    speeds = rise_speeds(library)
    spans = zip(library.actions.start, library.actions.stop)
    return np.array([speeds[start:stop].max(initial=0.0) for start, stop in spans])


def _spring_traps(chosen: list[np.ndarray], free: np.ndarray, ends: np.ndarray, home: int) -> None:
    """Leave out actions that trap a fighter in a few postures; `chosen` is changed.

    Attacks and defences are implausible then, so as long as anything else can be chosen, it is. Where that
    never leads back to the posture `home`, where most actions start, it goes, and an attack through the air
    leads out.
    """
    while True:
        fine = {home}
        grown = True
        while grown:
            grown = False
            for posture, choices in enumerate(chosen):
                leads = choices[free[choices]] if free[choices].any() else choices
                if posture not in fine and any(int(end) in fine for end in ends[leads]):
                    fine.add(posture)
                    grown = True
        traps = [
            posture
            for posture, choices in enumerate(chosen)
            if posture not in fine and any(int(end) in fine for end in ends[choices])
        ]
        if not traps:
            return
        for posture in traps:
            chosen[posture] = chosen[posture][~free[chosen[posture]]]


def _kind(library: ActionLibrary, action: int) -> int:
    return {"attack": ATTACK, "defence": DEFENCE}.get(library.tags[action].kind, OTHER)


def _pairing(library: ActionLibrary, action: int, kind: int) -> int:
    """The row or column of the combination table that an action stands in."""
    if kind == ATTACK:
        return column_of(library.tags[action])
    return row_of(library.tags[action]) if kind == DEFENCE else -1


def _likeness(library: ActionLibrary) -> np.ndarray:
    """(A,) int64: a number for each technique of one side; transitions are like nothing but themselves."""
    names: dict[str, int] = {}
    numbers = []
    for action, tags in enumerate(library.tags):
        alike = library.describe(action) if tags.kind in ("attack", "defence") else f"{action}"
        numbers.append(names.setdefault(alike, len(names)))
    return np.array(numbers, dtype=np.int64)


def _facing(library: ActionLibrary) -> np.ndarray:
    """(F,) radians: the way the head looks. A boxer's hips and chest are turned aside, its eyes are not."""
    head = library.skeleton.joint("head")
    turned = rot.multiply(library.global_rotations[:, head], rot.inverse(library.skeleton.reference[head]))
    forward = rot.rotate(turned, rot.Z_AXIS)
    flat = np.hypot(forward[:, 0], forward[:, 2])
    # a fighter on its back looks at the sky: there the pelvis tells
    return np.where(flat > 0.3, np.arctan2(forward[:, 0], forward[:, 2]), library.placements[:, 2])


def _strike_reach(library: ActionLibrary) -> np.ndarray:
    """(S,) metres over the floor: how far the striking part gets from where the pelvis is at the start."""
    capsules = fit(library.skeleton)
    reach = np.zeros(len(library.strikes.peak))
    for strike, effector in enumerate(library.strikes.effector):
        frame = slice(int(library.strikes.start[strike]), int(library.strikes.extension[strike]) + 1)
        capsule = STRIKING[int(effector)]
        joint = capsules.joints[capsule]
        tip = library.positions[frame, joint] + rot.rotate(
            library.global_rotations[frame, joint], capsules.ends[capsule, 1]
        )
        away = tip[:, [0, 2]] - library.placements[frame.start, :2]
        reach[strike] = np.linalg.norm(away, axis=-1).max(initial=0.0)
    return reach


def short_attacks(library: ActionLibrary, attacks: np.ndarray) -> np.ndarray:
    """(A,) bool: of the attacks (A,) bool, those that need the opponent near."""
    reach, limit = _strike_reach(library), SHORT_REACH * scale_of(library.skeleton)
    result = np.zeros(len(library), dtype=bool)
    for action in np.flatnonzero(attacks):
        strikes = slice(library.actions.strike_start[action], library.actions.strike_start[action + 1])
        result[action] = bool(len(reach[strikes])) and float(reach[strikes].max()) < limit
    return result


def strike_ranges(library: ActionLibrary) -> np.ndarray:
    """(S,) metres beyond which a strike is not tried: a limit for all, and what this one can reach."""
    ranges = {"weapon": WEAPON_RANGE, "foot": KICK_RANGE, "shin": KICK_RANGE}
    words = [EFFECTORS[effector].split("_")[-1] for effector in library.strikes.effector]
    limits = np.array([ranges.get(word, PUNCH_RANGE) for word in words])
    return np.minimum(limits, _strike_reach(library) + BODY_DEPTH)


def _rooms(library: ActionLibrary, body: np.ndarray) -> np.ndarray:
    """(S,) metres nearer than which a strike is not tried: a fist needs none, a blade does.

    What cuts is its outer half. How far its middle gets from where the pelvis is as the strike begins is
    where an opponent has to be, at least.
    """
    strikes, blade = library.strikes, CAPSULES.index("weapon")
    rooms = np.zeros(len(strikes.peak))
    for strike in np.flatnonzero(np.array(STRIKING)[strikes.effector] == blade):
        first, stop = strikes.start[strike], strikes.stop[strike]
        middle = body[first:stop, blade].mean(axis=1)[:, [0, 2]]
        rooms[strike] = np.linalg.norm(middle - library.placements[first, :2], axis=-1).max()
    return rooms


def _kept(rooms: np.ndarray) -> float:
    """Metres that a fighter keeps from opponents: room for its body, and for half of its weapon's strikes.

    A library without strikes is for runners, which may come as near as they can.
    """
    if len(rooms) == 0:
        return 0.0
    return max(BODY_ROOM, float(np.median(rooms[rooms > 0.0])) if rooms.any() else 0.0)


def _stance(graph: ActionGraph, poses: Poses) -> np.ndarray:
    """(F,) radians: the way the whole body stands, as if it were the posture that leads to most others.

    In a hook or a kick the pelvis is turned far aside: a reaction that began there would leave
    the struck fighter turned away from the opponent.
    """
    home = int(graph.posture_frame[np.argmax(np.diff(graph.indptr))])
    points = len(poses.weights)  # places come first, then velocities
    flat = poses.plane[:, :points, 0] + 1j * poses.plane[:, :points, 1]
    return graph.library.placements[home, 2] + np.angle(flat @ flat[home].conj())


def _responses(graph: ActionGraph, poses: Poses, stance: np.ndarray) -> np.ndarray:
    """(F, 12) int64: for every frame the answer to a blow from each direction and of each strength.

    Of the actions that go where the blow drives, the one whose first pose is most like the frame's.
    """
    library = graph.library
    response = np.full((len(library.frames.clip), len(DIRECTIONS) * len(STRENGTHS)), -1, dtype=np.int64)
    kept, driven = _go_on(graph), _driven(library, stance)
    # a fall may begin with a stagger: where it ends counts
    falls = np.array([tags.kind == "fall" for tags in library.tags])
    driven[falls] = library.actions.displacement[falls, :2]
    answers = [_answers(library, kept, driven, way, strength) for way in DIRECTIONS for strength in STRENGTHS]
    candidates = np.unique(np.concatenate(answers))
    if len(candidates) == 0:
        return response
    features = _features(poses, stance)
    entry = features[library.actions.start[candidates]]
    apart = (entry**2).sum(axis=1) - 2.0 * features @ entry.T  # without the term that all answers share
    for column, some in enumerate(answers):
        if len(some):
            nearest = np.argmin(apart[:, np.searchsorted(candidates, some)], axis=1)
            response[:, column] = some[nearest]
    return response


def _go_on(graph: ActionGraph) -> np.ndarray:
    """The actions after which a fighter can go on as it likes; or lies, and gets up."""
    kinds = np.array([tags.kind for tags in graph.library.tags])
    free = np.array(
        [
            not np.isin(kinds[graph.choices(posture)], ("reaction", "fall")).all()
            for posture in range(len(graph.posture_frame))
        ]
    )
    kept = np.flatnonzero((graph.end_posture >= 0) & ~((kinds == "fall") & _ends_standing(graph.library)))
    return kept[free[graph.end_posture[kept]]]


def _ends_standing(library: ActionLibrary) -> np.ndarray:
    """(A,) bool: actions after which the pelvis is up. A fall that is cut off up there does not fell."""
    heights = library.frames.root_position[:, 1]
    up: np.ndarray = heights[library.actions.stop - 1] > _STANDING_HEIGHT * np.median(heights)
    return up


def _driven(library: ActionLibrary, stance: np.ndarray) -> np.ndarray:
    """(A, 2) metres to the left and forward, seen from the stance, that an action moves the body at first."""
    start = library.actions.start
    later = np.minimum(start + round(_AT_FIRST * library.fps), library.actions.stop - 1)
    joints = [library.skeleton.joint("pelvis"), library.skeleton.joint("head")]
    moved = library.positions[:, joints].mean(axis=1)[:, [0, 2]]
    x, z = (moved[later] - moved[start]).T
    cosine, sine = np.cos(stance[start]), np.sin(stance[start])
    return np.column_stack([x * cosine - z * sine, x * sine + z * cosine])


def _answers(
    library: ActionLibrary, kept: np.ndarray, driven: np.ndarray, direction: str, strength: str
) -> np.ndarray:
    """The actions that answer such a blow, of those that were kept."""
    wanted = {"back": np.pi, "forward": 0.0, "left": 0.5 * np.pi, "right": -0.5 * np.pi}[direction]
    moved = driven[kept]
    away = np.abs(rot.wrap_angle(np.arctan2(moved[:, 0], moved[:, 1]) - wanted))
    tags = [library.tags[action] for action in kept]
    rows = [
        np.array([tag.kind == kind and tag.technique.startswith(technique) for tag in tags], dtype=bool)
        for kind, technique in _ANSWERS[strength]
    ]
    fitting = [fits & (away < _WIDEST_REACTION_ANGLE) for fits in rows]
    # where none goes the way of the blow, one that goes elsewhere is still an answer
    elsewhere = [fits & (away <= away[fits].min(initial=np.inf) + _WIDEST_REACTION_ANGLE) for fits in rows]
    tried = [*fitting, *elsewhere]
    return kept[next((fits for fits in tried if fits.any()), np.zeros(len(kept), dtype=bool))]


def _turned(graph: ActionGraph, poses: Poses, stance: np.ndarray) -> np.ndarray:
    """(A, 8) int64: for every reaction, and every sector in which the attacker may be, its best form.

    Of the reactions that start in a similar pose and go the same way, it is the one after which the body
    faces the attacker. Actions that are no reaction to a hit stay as they are.
    """
    library = graph.library
    forms = np.repeat(np.arange(len(library))[:, None], BEARINGS, axis=1)
    kept = _go_on(graph)
    kinds = np.array([tags.kind for tags in library.tags])
    reactions = kept[kinds[kept] == "reaction"]
    if len(reactions) == 0:
        reactions = kept[[library.tags[action].technique == "step back" for action in kept]]
    if len(reactions) == 0:
        return forms
    start, stop = library.actions.start[reactions], library.actions.stop[reactions]
    features = _features(poses, stance)[start]
    apart = np.sqrt(((features[:, None] - features[None]) ** 2).sum(axis=-1))
    way = np.arctan2(*_driven(library, stance)[reactions].T)
    astray = _ASTRAY_COST * np.abs(rot.wrap_angle(way[:, None] - way[None]))
    names = np.array([library.tags[action].technique for action in reactions])
    harder = _OTHER_STRENGTH_COST * (names[:, None] != names[None])
    turns = rot.wrap_angle(stance[stop - 1] - stance[start])
    for sector in range(BEARINGS):
        left = np.abs(rot.wrap_angle(turns - sector * 2.0 * np.pi / BEARINGS))
        forms[reactions, sector] = reactions[
            np.argmin(apart + astray + harder + _UNTURNED_COST * left, axis=1)
        ]
    return forms


def _features(poses: Poses, stance: np.ndarray) -> np.ndarray:
    """(F, D) poses as their stances see them, to be compared."""
    turn = np.exp(-1j * stance)[:, None]
    flat = turn * (poses.plane[..., 0] + 1j * poses.plane[..., 1])
    return np.concatenate([flat.real, flat.imag, poses.height], axis=1)
