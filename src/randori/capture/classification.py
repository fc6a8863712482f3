"""Names moves by rules over measurements in the body's own frame.

Every rule is a few comparisons, so that a person can read the reason for a name. The levels
come from real captures (labelled punches, kicks and blocks of one actor) and from performed takes of a
few bodies; none of them depends on a single recording.
"""

from dataclasses import dataclass
from math import degrees, hypot

from randori.capture.actions import Tags
from randori.capture.moves import HandMove, HeadMove, Swing
from randori.motion.parts import SIDES

# m/s of a hand against the pelvis. A tired jab has 3.0, a real one 5; guards are adjusted with 1 to 2.
PUNCH = 2.8
_SLOW_PUNCH = 2.4  # the same for an arm that is plainly stretched out
_SWUNG_PUNCH = 4.2  # a hook or an uppercut is carried by the hips: 6 to 10
_RISING_PUNCH = 3.7  # the same for a tired person, in an uppercut
_GOES_AWAY = 0.7  # share of the speed that leads away from the shoulder: no hand that is drawn back
# share of the leg: the ankle of a straight leg. A low kick at the thigh has 0.5, a step 0.15
_KICK_HEIGHT = 0.4
_KICK_SPEED, _PUSH_SPEED = 3.4, 2.4  # m/s against the pelvis; a push kick has 4, a tired one 3


@dataclass(frozen=True)
class Named:
    """The tags of a move, and the confidence in them."""

    tags: Tags
    confidence: float


def name_hand_move(move: HandMove, lead: int) -> Named | None:
    """The tags of a hand's move; None if it is drawn back or only wanders. `lead` is the side in front."""
    side, aim = SIDES[move.side], _aim(move.height)
    if move.side == lead and _is_backfist(move):
        return Named(Tags("attack", "backfist", side, "head", _other(side)), _sure(move.speed, 3.4))
    drawn_back = move.along < 0.05 and move.upward > -0.8 and move.away < _GOES_AWAY
    if move.along < -0.15 or drawn_back:
        return None
    if _is_straight(move) and move.speed > (PUNCH if move.ahead < 1.2 else _SLOW_PUNCH):
        technique = "jab" if move.side == lead else "straight"
        return Named(Tags("attack", technique, side, aim, "front"), _sure(move.speed, PUNCH))
    thrown_up = move.upward > 0.8 and move.height > 0.03 and move.ahead < 0.95 and move.inward < 0.25
    over_head = move.upward > 0.85 and move.height > 0.25 and move.away > 0.5
    if over_head or (thrown_up and move.speed < 6.2):
        return Named(Tags("defence", "block", side, "head", "front"), 0.8)
    steep = move.upward > 0.75 and move.forward < 0.35 and move.away < 0.8
    rising = move.upward > 0.45 and move.upward > 0.88 * move.inward > -0.25 and (move.away < 0.62 or steep)
    if rising and move.speed > _RISING_PUNCH:
        return Named(Tags("attack", "uppercut", side, "head", "upwards"), _sure(move.speed, _RISING_PUNCH))
    if _is_hook(move):
        return Named(Tags("attack", "hook", side, aim, "horizontal"), _sure(move.speed, PUNCH))
    return _name_parry(move, side)


def _is_backfist(move: HandMove) -> bool:
    """The back of the fist leads outwards and up, so its way is across the forearm."""
    opens = move.inward < -0.2 and move.upward > 0.3 and move.gained > 0.15
    there = move.height > (-0.05 if move.whipped else 0.05) and move.ahead > 0.85 and -0.1 < move.away < 0.68
    return opens and there and move.speed > 3.4


def _is_hook(move: HandMove) -> bool:
    """The bent arm swings across: the fist gains along the forearm, hardly away from the shoulder."""
    bent = move.away < 0.5 or (move.away < 0.75 and move.reach < 0.85 and move.inward > 0.8)
    across = move.inward > 0.7 or move.inward + move.forward > 0.4
    if move.away > 0.55 and move.height > -0.12:
        return False  # pushed out before the face
    falls = move.upward < (-0.65 if move.speed > 6.0 else -0.5)
    if not bent or not across or move.along < 0.25 or falls:
        return False
    swung = move.speed > _SWUNG_PUNCH and (move.away < 0.33 or move.inward > 0.7)
    # a tired one is as slow as hands that close before the face, but those come together
    alone = move.other < 0.6 * move.speed or move.reach > 0.66
    lazy = move.speed > PUNCH and move.inward > 0.5 and move.gained < 0.28 and alone
    return swung or lazy


def _is_put_out(move: HandMove) -> bool:
    """The fist goes straight ahead from the shoulder until the arm is out, whatever its forearm does."""
    ahead = move.away > 0.9 and move.forward > 0.8 and move.ahead > 1.0
    return ahead and move.gained > 0.27 and move.reach > 0.9


def _is_straight(move: HandMove) -> bool:
    """The fist goes away from the shoulder until the arm is out."""
    if _is_put_out(move):
        return True
    stops_short = move.inward > 0.45 and move.reach < 0.92 and move.speed < 4.0
    if move.forward < 0.15 or stops_short:
        return False
    # with any name for the chest in the rig, a straight arm is put out from the shoulder to the front
    put_out = move.away > 0.7 and move.forward > 0.55 and move.gained > 0.32 and move.reach > 0.79
    meets = move.ahead < 0.96 and move.speed < 4.4  # a slow hand that stops half way parries
    if put_out and move.inward < 0.58 and not meets:
        return True
    # slow ones rise to where they are aimed
    rises = move.ahead > 1.03 and move.forward > 0.5 and move.away > 0.48 and move.height > -0.1
    # at a person who stands aside: across, but along the arm until it is straight
    aside = move.along > 0.85 and move.away > 0.5 and move.reach > 0.96 and move.speed > 6.0
    # low, from behind the turned shoulder: it seems to go outwards
    low = move.along > 0.25 and move.away > 0.3 and move.height < -0.22 and move.inward < -0.35
    if (rises and not meets and move.inward < 0.3) or (aside and move.height > -0.1):
        return True
    if low and move.ahead > 0.97 and hypot(move.ahead, move.across) > 1.2:
        return True
    if move.reach > 0.93 and move.away > 0.65 and hypot(move.ahead, move.across) > 1.2:
        return True
    if move.reach > 0.82 and move.away > 0.42 and hypot(move.ahead, move.across) > 1.35:
        return move.forward > 0.25
    return move.ahead > 1.15 and (move.away > 0.38 or (move.upward > 0.6 and move.inward < 0.3))


def _name_parry(move: HandMove, side: str) -> Named | None:
    """Blocks and parries: hands that stop short, between a punch and a gesture."""
    sweeps_down = move.upward < -0.8 or (move.upward < -0.7 and move.reach > 0.95)
    if sweeps_down and move.away > 0.55 and move.reach > 0.9 and move.height < -0.4 and move.speed > 2.0:
        return Named(Tags("defence", "block", side, "lower torso", "horizontal"), 0.8)
    if move.inward > 0.6 and move.gained > 0.17 and move.upward < -0.1 and move.height < -0.35:
        return Named(Tags("defence", "parry", side, "upper torso", _other(side)), 0.7)
    pushed = move.away > 0.56 and move.inward > 0.55 and move.gained > 0.18 and move.height > -0.12
    if pushed and 0.78 < move.reach < 0.95 and move.ahead < 0.95 and move.speed > 2.0:
        return Named(Tags("defence", "block", side, "upper torso", "horizontal"), 0.7)
    both = move.other > 0.57 * move.speed  # a block is made behind both arms, a parry with one
    level = abs(move.upward) < 0.35 and 0.2 < move.away < 0.66 and move.along > 0.5
    if (
        level
        and not both
        and move.inward > 0.45
        and move.gained > 0.23
        and move.reach > 0.81
        and move.ahead < 0.95
    ):
        return Named(Tags("defence", "parry", side, "head", _other(side)), 0.7)
    goes_out = move.away > (0.42 if both else 0.5) and move.forward > 0.4 and move.inward > 0.3
    stops = goes_out and 0.7 < move.reach < 0.93
    steady = move.along > 0.9 and move.speed > 1.75 and move.gained > 0.09  # a tired one, straight out
    if stops and (steady or (move.speed > 2.0 and move.gained > 0.12)):
        return Named(Tags("defence", "block", side, "upper torso", "horizontal"), 0.7)
    if _meets(move) and not both:
        return Named(Tags("defence", "parry", side, "head", _other(side)), 0.6)
    return None


def _meets(move: HandMove) -> bool:
    """The open hand goes to meet a blow half way, level with the face."""
    level = abs(move.upward) < 0.4 and move.along > 0.5 and move.height > -0.37 and move.speed < 5.0
    return level and move.gained > 0.22 and move.reach > 0.8 and 0.7 < move.ahead < 0.97


def name_kick(swing: Swing) -> Named | None:
    """The tags of a foot's swing if it is a kick."""
    slow = swing.speed < (_PUSH_SPEED if swing.raised > 0.75 else _KICK_SPEED)
    if (swing.raised < _KICK_HEIGHT or slow) and not _sweeps(swing):
        return None
    side = SIDES[swing.side]
    aim = "head" if swing.raised > 1.35 else "upper torso" if swing.raised > 0.95 else "lower torso"
    turned, sideways = abs(degrees(swing.turned)), degrees(swing.sideways)
    _, shin_out, shin_up = swing.shin
    if turned > 172.0 or (turned > 150.0 and sideways < 75.0) or sideways < -110.0:
        return Named(Tags("attack", "spinning kick", side, aim, "horizontal"), 0.7)
    round_kick = Named(Tags("attack", "round kick", side, aim, "horizontal"), 0.8)
    pushed = swing.along > 0.1 or (sideways > 55.0 and swing.along > -0.1 and swing.outward > -0.05)
    if sideways > 40.0 and pushed:
        # the heel is pushed out along the shin
        return Named(Tags("attack", "side kick", side, aim, "front"), 0.8)
    if shin_out > 0.48 and (shin_up > -0.5 or turned > 45.0 or swing.raised < 0.75):
        # the shin lies level and whips round after the knee
        return round_kick
    if sideways > 60.0:
        if shin_out < 0.02 and swing.goes_on < 0.78:
            return Named(Tags("attack", "side kick", side, aim, "front"), 0.6)
        return round_kick
    if swing.raised > 1.7 and swing.drop > 6.0 and swing.straight_down > 0.93 and swing.upward < 0.8:
        # the straight leg goes up high and is brought down straight
        return Named(Tags("attack", "axe kick", side, aim, "downwards"), 0.7)
    across = swing.away < 0.2 or (swing.away < 0.3 and swing.goes_on > 0.25)
    if across and swing.speed > 7.0 and swing.raised > 1.4 and swing.upward > 0.8:
        # the straight leg swings up and across
        return Named(Tags("attack", "crescent kick", side, aim, "horizontal"), 0.7)
    snaps_up = sideways < 46.0 and swing.forward > 0.42 and swing.upward > 0.55 and shin_out < 0.25
    if turned > 82.0 and not snaps_up:
        return round_kick
    return Named(Tags("attack", "front kick", side, aim, "front"), 0.8)


def _sweeps(swing: Swing) -> bool:
    """A kick at the shin: hardly higher than a step, but the hips turn with it and the foot flies."""
    return (
        swing.raised > 0.24
        and swing.speed > 4.2
        and abs(degrees(swing.turned)) > 60.0
        and swing.shin[1] > 0.35
    )


def name_head_move(move: HeadMove) -> Named | None:
    """Name the way in which a head evades an attack."""
    forward, left, up = move.away
    if up < -0.19 and up < -0.87 * abs(left):
        direction = "front" if abs(left) < 0.25 else "left" if left > 0.0 else "right"
        return Named(Tags("defence", "duck", "", "head", direction), 0.8)
    if abs(left) > 0.14 and abs(left) > -forward and up < -0.065:  # the trunk bends, so the head sinks
        return Named(Tags("defence", "slip", "", "head", "left" if left > 0.0 else "right"), 0.8)
    if forward < -0.16:
        return Named(Tags("defence", "sway", "", "head", "back"), 0.8)
    return None


def name_step(forward: float, left: float, turn: float) -> Tags:
    """Footwork in a guard that takes the body somewhere (metres, radians to the left)."""
    if abs(turn) > 0.38 and hypot(forward, left) < 0.30 + 0.1 * abs(turn):
        way = "left" if turn > 0.0 else "right"
        return Tags("transition", f"turn {way}", "", "", way)
    if abs(forward) >= abs(left):
        way = "front" if forward > 0.0 else "back"
        return Tags("transition", "step forward" if forward > 0.0 else "step back", "", "", way)
    way = "left" if left > 0.0 else "right"
    return Tags("transition", f"step {way}", "", "", way)


def _aim(height: float) -> str:
    """The part of an opponent of the same size at a height (metres above the joint of the head)."""
    return "head" if height > -0.2 else "upper torso" if height > -0.3 else "lower torso"


def _other(side: str) -> str:
    return "right" if side == "left" else "left"


def _sure(value: float, level: float) -> float:
    """The confidence of a rule whose value is above its level."""
    return min(1.0, 0.6 + 0.4 * (value - level) / level)
