"""Columns of the tables that patterns are expanded with (kernels/patches.py, kernels/patch_scores.py)."""

# columns of `steps` (levels, moves, 5) int64
ACTION, FIRST, START, STOP, FORCED = range(5)
# columns of `moves` (n, 6) int64: who, whether it answers, how it threatens, the row of its answers,
# whether it defends, its column in the options
ROLE, RESPONSE, THREAT, ANSWERS, DEFENDS, OPTIONS = range(6)
STRIKE, BODY = 1, 2  # how a move can touch the other one: with a fist or foot in its window, with anything
# columns of `limits` (10,)
(NEAREST, IMPULSE, CONTACT_TICKS, PASS_BY, DISTANCE, TICK, THRESHOLD,
 CONTACT_WEIGHT, RELATION_WEIGHT, TIMING_WEIGHT) = range(10)  # fmt: skip
# rows of `allowed` (12, 16, 16) metres that capsules of the first and the second may be in each other
USUAL, BLOCKED_BY_SECOND, BLOCKED_BY_FIRST, TOUCHING, AFTER_STRIKE = 0, 1, 2, 3, 4
# why a path is given up; the columns of `tally`
(TRIED, ORDER, CLOSE, COLLISION, STRUCK, NO_CONTACT, LATE, DEAD_END, POOR, KEPT) = range(10)
REASONS = 10
DIRECTIONS = 8  # that a blow is sorted into, by where it drives the body as the body sees it
# columns of `blows` (n, 9): what started the answer that a move is
BLOW_TICK, BLOW_WHAT, BLOW_PART, BLOW_STRENGTH, BLOW_X, BLOW_Y, BLOW_Z, BLOW_WAY_X, BLOW_WAY_Z = range(9)
