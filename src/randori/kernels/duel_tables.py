"""The columns of a duel's tables. duel/board.py fills them; docs/duel.md is the rule book.

A moment of the game is a level of the two tables `doing` and `where`. Places are over the floor.
"""

from randori.kernels.compile import kernel, pasted

# actions (A, 9) int64
FIRST, TICKS, KIND, SHORT, END_POSTURE, PAIRING, STRIKES, STRIKES_END, LIKENESS = range(9)
ATTACK, DEFENCE = 1, 2  # KIND
# spots (A, 33): the inverse of the entry; the exit; a disc that holds all of a body that can be struck, the
# most damage of its strikes; as seen from the posture that it starts in, the pelvis and the look at its end,
# and the pelvis as its first strike begins; the radius of a disc about the same place that holds the core;
# the posture at its end, as seen from the one that it starts in; the steps of height that its head and its
# torso do not leave downwards; a disc that holds head and torso, and how far these get from the pelvis; the
# room that its weapon needs at its end
IN_X, IN_Z, IN_YAW, IN_COS, IN_SIN, OUT_X, OUT_Z, OUT_YAW, OUT_COS, OUT_SIN = range(10)
DISC_X, DISC_Z, DISC_R, DAMAGE_MOST, END_X, END_Z = range(10, 16)
END_LOOK, END_COS, END_SIN, STRIKE_X, STRIKE_Z, CORE_R = range(16, 22)
NEXT_X, NEXT_Z, NEXT_COS, NEXT_SIN, HEAD_LOW, TORSO_LOW = range(22, 28)
VITAL_X, VITAL_Z, VITAL_R, VITAL_REACH, END_ROOM = range(28, 33)
# frames (F, 6): the pelvis, the way the head looks; how far from it are what can be struck, and the core
PELVIS_X, PELVIS_Z, PELVIS_YAW, FACING, REACH, CORE_REACH = range(6)
# strikes (S, 3) int64; sweeps (S, 6 + HEIGHTS): a disc that holds the striking capsule, the range, the room
# that it needs, the most damage, and the fastest, in metres per second, at each step of height or above
WINDOW, WINDOW_END, CAPSULE = range(3)
SWEEP_X, SWEEP_Z, SWEEP_R, RANGE, ROOM, WORST, SPEED_AT = range(7)
HEIGHTS, HEIGHT_STEP = 48, 0.05  # metres
# threats (K, 7): for each posture the strikes of its choices, the worst ones first: a disc that holds the
# striking capsule as the posture sees it, the most damage of the action, the action, and the ticks
# from its start to the middle of the strike, and from there to its end
THREAT_X, THREAT_Z, THREAT_R, THREAT_WORST, THREAT_ACTION, THREAT_MIDDLE, THREAT_HALF = range(7)
# doing (L, N, 5) int64 and where (L, N, 5)
ACTION, START, STOP, SPENT, IDLE = range(5)
X, Z, YAW, COS, SIN = range(5)
CAUGHT_BIT = 1 << 62  # of SPENT
# rules (12,): FASTEST is what no pelvis exceeds, metres per tick; TRAVEL how far one gets in an action
OVERLAP, OVERLAP_STEP, FACING_LIMIT, DEFENCE_RANGE, HEAVY, FELLING, FORGETTING, TICK, MODEL = range(9)
FASTEST, TRAVEL, ALIKE = 9, 10, 11
# sides (N, 20)
(
    TEAM,
    FACING_WEIGHT,
    DISTANCE_WEIGHT,
    DISTANCE,
    GIVEN_LONG,
    GIVEN_SHORT,
    TAKEN,
    PAIRING_WEIGHT,
    DURATION_WEIGHT,
    RECENCY_WEIGHT,
    HEADING_WEIGHT,
    HEADING,
    PATH_WEIGHT,
    GOAL_X,
    GOAL_Z,
    REQUEST_WEIGHT,
    PAIRING_SHARED,
    PATH_RIVAL,
    REACTION,
    TOUCH,
) = range(20)
# events (M, 6) int64: tick, what, who, whom, strike or action, part; beside them marks (M, 4): damage, place
HIT, BLOCK, CAUGHT, ANSWER = range(4)
# nodes (L, 14) int64; a PROBE only asks whether a choice is better at all, and AGAIN is the order that is;
# RULE is the first that the choices which are tried break, besides penetration
WHO, LEFT, SORT, STAGE, COUNT, ORDER, BEST, BEST_ORDER, SEEN, KILLER, LENGTH, PROBE, AGAIN, RULE = range(14)
# scores (L, 7)
BEST_COMP, BEST_COOP, BEST_U, FLOOR, LIMIT, WEIGHT, PROBED = range(7)
# bounds (8,), that hold for a whole search: whether it is zero-sum, the most that a selection adds to S_coop,
# strikes of an action, metres from where one begins to what it strikes, what a selection by itself counts at
# most, ticks from the start of an action to its last strike, what damage is worth for each team
ZERO_SUM, SHARED_GAIN, MOST_STRIKES, STRIKE_REACH, SELECTING, LAST_STRIKE, BEST_BLOW = range(7)
SLACK = 1e-9  # of a bound: sums in another order differ in the last digits


@pasted
def frame_at(actions, doing, level, one, tick):
    """The frame that a fighter shows in a tick."""
    action = doing[level, one, ACTION]
    return actions[action, FIRST] + min(tick - doing[level, one, START], actions[action, TICKS])


@pasted
def pelvis_at(frames, where, level, one, frame):
    """Where a fighter's pelvis is, x and z, when it shows a frame."""
    x, z = frames[frame, PELVIS_X], frames[frame, PELVIS_Z]
    c, s = where[level, one, COS], where[level, one, SIN]
    return c * x + s * z + where[level, one, X], c * z - s * x + where[level, one, Z]


@pasted
def nearest(actions, frames, sides, doing, where, level, one, x, z, tick):
    """The opponent that is nearest to a place in a tick, and the way there: number, x, z."""
    who, best, far_x, far_z = -1, 0.0, 0.0, 0.0
    for other in range(doing.shape[1]):
        if sides[other, TEAM] == sides[one, TEAM]:
            continue
        ox, oz = pelvis_at(frames, where, level, other, frame_at(actions, doing, level, other, tick))
        squared = (ox - x) ** 2 + (oz - z) ** 2
        if who < 0 or squared < best:
            who, best, far_x, far_z = other, squared, ox - x, oz - z
    return who, far_x, far_z


@kernel
def under_way(actions, strikes, doing, level, one, tick):
    """Whether a fighter's attack may still strike somebody."""
    action = doing[level, one, ACTION]
    if actions[action, KIND] != ATTACK:
        return False
    begin, spent, start = actions[action, STRIKES], doing[level, one, SPENT], doing[level, one, START]
    for strike in range(begin, actions[action, STRIKES_END]):
        if not (spent >> (strike - begin)) & 1 and strikes[strike, WINDOW_END] > tick - start:
            return True
    return False
