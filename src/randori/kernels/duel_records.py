"""The records of a duel: all that its kernels read and write.

duel/board.py fills them; docs/duel.md is the rule book.

Places lie on the floor, in metres; yaws are in radians, times in ticks. A row of a record array is passed on
as a pointer: a kernel that takes `state`, a row of `Levels.fighters`, can read it and change it.

- `Game` stays as it is during a search: the tables of the motions, and what the fighters want.
- `Levels` are moments of the game, one below the other while the tree is searched.
- `Tree` is what the search knows about the node at each level.
- `Contacts` is scratch space of `duel_world.advance`, and the list of events that it writes.
- `Shared` is what threads that search the same decision tell each other.
"""

from typing import NamedTuple

import numpy as np

ATTACK, DEFENCE = 1, 2  # `kind` of an action
HIT, BLOCK, CAUGHT, REACTION = range(4)  # `kind` of an event
MISSES, MEETS_GUARD, LANDS = range(3)  # outcome of an attack if all fighters carry on with their actions
CAUGHT_BIT = 1 << 62  # of `spent`: the action has caught an opponent
ALL_SPENT = CAUGHT_BIT - 1  # `spent` of a fighter whose strikes all count as spent
AT_END, AT_SELECTION, AT_ROOT = range(3)  # when a term that a user has added counts
MOST_ADDED_RULES = 8  # of users
GO_ON = -1  # instead of an action: an alert fighter does not break off what it does
BEARINGS = 8  # sectors in which a struck body sees its attacker; sector 0 lies straight ahead
HEIGHTS, HEIGHT_STEP = 48, 0.05  # steps of height, and metres from one to the next
ROUNDING = 1e-9  # share by which a bound is raised: sums in another order differ in their last digits

# Moves a recording: a turn, with its cosine and sine at hand, then a shift (kernels/plane.py).
PLACEMENT = np.dtype(
    [
        ("x", np.float64),
        ("z", np.float64),
        ("yaw", np.float64),
        ("cos", np.float64),  # of the yaw
        ("sin", np.float64),
    ],
    align=True,
)
DISC = np.dtype([("x", np.float64), ("z", np.float64), ("radius", np.float64)], align=True)

ACTION = np.dtype(
    [
        ("first", np.int64),  # frame that it shows at its start
        ("ticks", np.int64),  # how long it takes
        ("kind", np.int64),  # ATTACK, DEFENCE or another number
        ("short", np.int64),  # whether it is an attack of short range
        ("end_posture", np.int64),
        ("pairing", np.int64),  # row or column in the combination table, -1 if it has none
        ("likeness", np.int64),  # the same for actions that look alike
        ("strike_start", np.int64),  # its strikes are the rows from here ...
        ("strike_stop", np.int64),  # ... to here
        ("entry", PLACEMENT),  # the recording, as the posture that the action starts in sees it
        ("exit", PLACEMENT),  # the posture at its end, as the recording sees it
        ("next", PLACEMENT),  # the posture at its end, as the posture that it starts in sees it
        ("end", PLACEMENT),  # the pelvis at its end and the yaw of the look, as that posture sees them
        ("strike_x", np.float64),  # the pelvis as its first strike begins, as that posture sees it
        ("strike_z", np.float64),
        ("room", np.float64),  # metres to the opponent that the fighter needs at its end
        ("still", np.float64),  # seconds in which both feet stand still
        ("last_strike", np.int64),  # ticks from its start to the first in which it no longer strikes
        ("body", DISC),  # holds every part that can be struck, as the recording sees it
        ("core_radius", np.float64),  # of a disc about the same place that holds the core
        ("vital", DISC),  # holds head and torso, as the recording sees it
        ("vital_reach", np.float64),  # metres from the pelvis to the farthest of head and torso
        ("head_low", np.int64),  # step of height below which its head never gets
        ("torso_low", np.int64),  # the same for its torso
        ("most_damage", np.float64),  # of all its strikes together
    ],
    align=True,
)
FRAME = np.dtype(
    [
        ("x", np.float64),  # of the pelvis
        ("z", np.float64),
        ("yaw", np.float64),
        ("facing", np.float64),  # yaw of the look
        ("reach", np.float64),  # metres from the pelvis to the farthest part that can be struck
        ("core_reach", np.float64),  # metres from the pelvis to the farthest part of the core
    ],
    align=True,
)
# Possibilities to break off an action, for each frame.
BREAK = np.dtype(
    [
        ("posture", np.int64),  # that the fighter then selects in, or -1
        ("wait", np.int64),  # ticks to the next frame in which an action can be broken off, 0 if in this one
        ("exit", PLACEMENT),  # the posture, as the recording sees it
    ],
    align=True,
)
STRIKE = np.dtype(
    [
        ("first", np.int64),  # ticks from the start of the action to the first in which it can strike
        ("stop", np.int64),  # and to the first in which it no longer can
        ("capsule", np.int64),  # that strikes
        ("swing", np.int64),  # row of Tables.swings for its first tick
        ("sweep", DISC),  # holds the striking capsule, as the recording sees it
        ("range", np.float64),  # metres to the opponent at most
        ("room", np.float64),  # metres to the opponent at least
        ("most_damage", np.float64),
    ],
    align=True,
)
THREAT = np.dtype(
    [
        ("sweep", DISC),  # holds the striking capsule, as the posture sees it
        ("most_damage", np.float64),  # of the action
        ("action", np.int64),
        ("order", np.int64),  # of the action among the choices of the posture
        ("middle", np.int64),  # ticks from the start of the action to the middle of the strike
        ("half", np.int64),  # ticks from there to its end
    ],
    align=True,
)
SIDE = np.dtype(
    [
        ("team", np.int64),
        ("facing_weight", np.float64),  # w_θ
        ("distance_weight", np.float64),  # w_r
        ("distance", np.float64),  # r_d, metres
        ("given_long", np.float64),  # w_D⁺ of attacks of long range
        ("given_short", np.float64),  # w_D⁺ of the others
        ("taken", np.float64),  # w_D⁻
        ("pairing_weight", np.float64),  # w_S
        ("duration_weight", np.float64),
        ("recency_weight", np.float64),
        ("stillness_weight", np.float64),
        ("initiative_weight", np.float64),
        ("caution_weight", np.float64),
        ("futility_weight", np.float64),
        ("reach", np.float64),  # metres from which on most of its attacks are out of range
        ("heading_weight", np.float64),  # w_γ
        ("heading", np.float64),  # γ_d
        ("path_weight", np.float64),  # w_p
        ("goal_x", np.float64),  # p_d
        ("goal_z", np.float64),
        ("request_weight", np.float64),  # w_a
        ("pairing_shared", np.int64),  # whether f_comb belongs to the cooperative function
        ("path_rival", np.int64),  # whether f_mov2 belongs to the competitive function
        ("reaction", np.int64),  # ticks for which an attack is not seen
        ("touch", np.float64),  # metres: a chaser that is nearer has caught its opponent; 0 for all others
        ("best_blow", np.float64),  # the most that one action of its team can gain by damage
    ],
    align=True,
)
FIGHTER = np.dtype(
    [
        ("action", np.int64),
        ("start", np.int64),  # tick
        ("stop", np.int64),  # tick in which it ends
        ("spent", np.int64),  # bit k: strike k of the action has met something, or is not believed in
        ("idle", np.int64),  # whether the action has ended
        ("alert", np.int64),  # the frame in which the fighter may break off its action now, or -1
        ("peace", np.int64),  # tick since which it neither attacks nor is attacked
        ("onset", np.int64),  # tick of its last selection of an attack that did not follow on an attack
        ("hurt", np.float64),  # damage that it has taken and not recovered from
        ("place", PLACEMENT),  # moves the recording to where it happens
    ],
    align=True,
)
MOMENT = np.dtype(
    [
        ("now", np.int64),  # tick
        ("competitive", np.float64),  # S_comp of the team that searches
        ("shared", np.float64),  # S_coop
    ],
    align=True,
)
NODE = np.dtype(
    [
        ("fighter", np.int64),  # that selects
        ("left", np.int64),  # selections that are left, this one included
        ("sort", np.int64),  # PLAIN, BELIEF, REAL or EXPECTED
        ("stage", np.int64),  # FRESH, LISTED or GIVEN
        ("count", np.int64),  # candidates that have not been tried, or UNLISTED
        ("order", np.int64),  # the choice that is being tried
        ("best", np.int64),  # the best action so far, or -1
        ("best_order", np.int64),
        ("plausible", np.int64),  # whether a plausible choice has been found
        ("screened", np.int64),  # whether Tree.tops holds the upper bounds of its choices
        ("unproven", np.int64),  # whether the choice that is being tried may lead through a body
        ("killer", np.int64),  # a choice that was tried before any was listed, or -1
        ("second_killer", np.int64),  # another one, or -1
        ("asked", np.int64),  # how many killers have been asked for
        ("length", np.int64),  # of the best line
        ("probe", np.int64),  # whether the choice is only asked whether it is better at all
        ("again", np.int64),  # the choice whose probe said so and that is to be searched in full, or -1
        ("rule", np.int64),  # the first rule that the listed choices break, penetration aside
        ("best_competitive", np.float64),
        ("best_shared", np.float64),
        ("best_value", np.float64),  # u of the best choice
        ("floor", np.float64),  # u that matters only above it
        ("limit", np.float64),  # u from which on the other team avoids the node
        ("probed", np.float64),  # the floor of the probe
        ("weight", np.float64),  # sum of the guesses of an EXPECTED node
    ],
    align=True,
)
CANDIDATE = np.dtype(
    [
        ("order", np.int64),  # among the choices of the posture
        ("promise", np.float64),  # candidates that promise more are tried first
        ("top", np.float64),  # upper bound of its value
    ],
    align=True,
)
STEP = np.dtype([("fighter", np.int64), ("action", np.int64), ("tick", np.int64)], align=True)
MEETING = np.dtype(
    [
        ("striker", np.int64),
        ("strike", np.int64),  # -1 for a catch
        ("struck", np.int64),
        ("part", np.int64),  # capsule that it meets
    ],
    align=True,
)
BLOW = np.dtype(
    [
        ("damage", np.float64),  # 0: the fighter was not hit in this tick
        ("x", np.float64),  # metres per second: where the blow goes
        ("z", np.float64),
        ("striker", np.int64),
        ("from_x", np.float64),  # where the striker's pelvis is
        ("from_z", np.float64),
    ],
    align=True,
)
EVENT = np.dtype(
    [
        ("tick", np.int64),
        ("kind", np.int64),  # HIT, BLOCK, CAUGHT or REACTION
        ("fighter", np.int64),
        ("other", np.int64),
        ("what", np.int64),  # strike, or the action of a reaction
        ("part", np.int64),  # capsule that was met, or -1
        ("damage", np.float64),
        ("x", np.float64),  # where it happened
        ("y", np.float64),
        ("z", np.float64),
    ],
    align=True,
)


class Columns(NamedTuple):
    """The choices of all postures, column by column: loops over them become vector instructions."""

    first: np.ndarray  # (K,) int64, of the action
    ticks: np.ndarray  # (K,) int64
    end_x: np.ndarray  # (K,) `end` of the action
    end_z: np.ndarray
    end_cos: np.ndarray
    end_sin: np.ndarray
    entry_x: np.ndarray  # (K,) `entry` of the action
    entry_z: np.ndarray
    entry_cos: np.ndarray
    entry_sin: np.ndarray


class Tables(NamedTuple):
    """The motions of a game: A actions, F frames, S strikes, P postures."""

    actions: np.ndarray  # (A,) ACTION
    frames: np.ndarray  # (F,) FRAME
    body: np.ndarray  # (F, 16, 2, 3) float32, metres: capsules as recorded
    radii: np.ndarray  # (F, 16) float32, metres, negative for a capsule that is not there
    balls: np.ndarray  # (F, 4, 8) float32, metres: x, y, z, radius of balls that hold the 7 CORE capsules
    targets: np.ndarray  # (F, 4, 8) float32: likewise for the 8 of VITAL and GUARD, which strikes meet
    strikes: np.ndarray  # (S,) STRIKE
    swings: np.ndarray  # (W, 4) metres: x, y, z, radius of a ball that holds what strikes in each tick
    speeds: np.ndarray  # (S, HEIGHTS) metres per second: the fastest at each step of height or above
    reactions: np.ndarray  # (F, 12) int64: the reaction to a blow, by 3 × direction + strength, or -1
    turned: np.ndarray  # (A, BEARINGS) int64: the form of a reaction that ends facing the attacker
    breaks: np.ndarray  # (F,) BREAK
    choice_start: np.ndarray  # (P + 1,) int64: the choices of posture p are choices[start[p]:start[p + 1]]
    choices: np.ndarray  # (K,) int64, actions
    columns: Columns  # of the choices
    threat_start: np.ndarray  # (P + 1,) int64: likewise for threats
    threats: np.ndarray  # (K,) THREAT: the strikes of each posture's choices, the worst first


class Rules(NamedTuple):
    """The numbers behind the rules of a game."""

    overlap: float  # metres that bodies may pass into each other
    overlap_step: int  # ticks between two moments in which that is looked at
    facing: float  # radians that a fighter may look past its opponent as an action ends
    facing_cos: float  # the cosine of that
    defence_range: float  # metres beyond which no fighter defends
    heavy: float  # damage from which a blow makes stagger
    felling: float  # damage from which it fells
    stamina: float  # damage that a fighter can bear: a heavy blow beyond it fells
    forgetting: float  # factor by which a use counts less with every selection since
    alike: float  # weight of a use of an action that only looks similar
    tick: float  # seconds
    patience: float  # seconds of peace after which the wish to attack grows no more
    model: bool  # opponents are expected to do what they did before, instead of their best


class Bounds(NamedTuple):
    """Bounds that hold for a whole search."""

    zero_sum: bool
    shared_gain: float  # the most that a selection adds to S_coop
    most_strikes: float  # of one action
    selecting: float  # the most that a selection costs by itself, initiative and recency aside
    suiting: float  # the most that a defence gains by suiting the attack
    last_strike: int  # ticks from the start of an action to its last strike at most
    fastest: float  # metres per tick that no pelvis exceeds
    travel: float  # metres that no pelvis gets from where it is as an action is selected, until that ends


class Game(NamedTuple):
    """All that stays the same during a search of N fighters."""

    tables: Tables
    sides: np.ndarray  # (N,) SIDE
    combination: np.ndarray  # (D + T, T) suitability of a defence, or then an attack, against an attack
    requests: np.ndarray  # (N, A) int64
    urges: np.ndarray  # (N, A) what each action counts for the root of a search
    guess: np.ndarray  # (N, A) how often each action is expected of an opponent
    rules: Rules
    bounds: Bounds


class Levels(NamedTuple):
    """Moments of a game; the state of the world is level 0."""

    fighters: np.ndarray  # (L, N) FIGHTER
    recent: np.ndarray  # (L, N, R) int64: the last choices, the newest first, -1 for none
    moments: np.ndarray  # (L,) MOMENT


class Tree(NamedTuple):
    """The nodes of a search."""

    nodes: np.ndarray  # (L,) NODE
    candidates: np.ndarray  # (L, C) CANDIDATE
    lines: np.ndarray  # (L, L) STEP: the best line of each node
    broken: np.ndarray  # (C,) int64 scratch: the first rule that each choice breaks
    tops: np.ndarray  # (C,) scratch: upper bound of each choice without a hit
    lanes: np.ndarray  # (4, C) scratch of a loop over all choices


class Contacts(NamedTuple):
    """Scratch space of the world, and its events."""

    meetings: np.ndarray  # (M,) MEETING in one tick
    blows: np.ndarray  # (N,) BLOW: the hardest that each fighter takes in one tick
    events: np.ndarray  # (E,) EVENT, written as far as there is room


class Shared(NamedTuple):
    """Hints that threads share in the search of one decision; reading them late only costs time."""

    killers: np.ndarray  # (plies, P) int64: the order of the choice that was best in a posture, or -1
    former_killers: np.ndarray  # (plies, P) int64: the one before it
    history: np.ndarray  # (plies, A) how often an action was the best
    replies: np.ndarray  # (C,) int64: the best reply to each choice of the root, or -1
    best: np.ndarray  # (1,) u of the best choice of the root so far
    taken: np.ndarray  # (1,) int64: choices of the root that some thread has taken


class Place(NamedTuple):
    """The fields of PLACEMENT, for a place that is worked out inside a kernel."""

    x: float
    z: float
    yaw: float
    cos: float
    sin: float


class View(NamedTuple):
    """The arguments of a user's term or rule: a fighter, its action and the nearest opponent.

    For a term that counts at the end of an action, and for a rule, this is how the action ends. For a term
    that counts with a selection, this is the moment of the selection.
    """

    kind: int  # of the action: 0 other, 1 attack, 2 defence
    strikes: int  # of the action
    seconds: float  # how long the action takes
    time: float  # seconds since the fight began
    x: float  # metres, of the fighter's pelvis
    z: float
    look: float  # radians, yaw of the look, in [-π, π]
    opponent_x: float  # metres, of the pelvis of the nearest opponent
    opponent_z: float
    distance: float  # metres between the two
    bearing: float  # radians from the look to the opponent, in [-π, π]
