"""Crawling on hands and knees, out of standing and back into it.

A layer above the walk, for as long as it lasts: the way of the body, and where the feet stand before
and after, are the walk's. Hands and knees are put down along that way by a clock of four limbs.
"""

from dataclasses import dataclass, field

import numpy as np

from randori.motion.easing import smooth_step
from randori.motion.parts import SIDES
from randori.performer.actor import OTHER
from randori.performer.channels import INDEX
from randori.performer.curves import softened, through_keys
from randori.performer.proportions import Body

# Seconds
GO_DOWN, GET_UP = 1.9, 2.5
CYCLE = 1.27
KNEE_SWING, HAND_SWING = 0.54, 0.50
KNEE_AFTER_HAND = 0.26  # the opposite knee follows its hand
SPEED = 0.43  # metres per second

# Metres for the average body
KNEE_WIDTH, HAND_WIDTH = 0.10, 0.17
KNEE_RISE, HAND_RISE = 0.03, 0.06
WRIST_HEIGHT = 0.055
TUCKED, LAID = 0.476, 0.554  # from the ball of the foot to the knee, on bent toes and on the instep
TUCKED_HEEL, LAID_HEEL = np.radians(95.0), np.radians(160.0)
LAID_LIFT = 0.035  # ball of a foot that lies on its instep
FOOT_RISE = 0.12  # while its knee steps
HIPS_BEHIND_KNEES = 0.0  # in the middle of a knee's stand
HANDS_BEFORE_HIPS = 0.52
SHORTER = 0.18  # of the knees' last strokes: the foot that gets up first must come to stand before the hips

# The trunk: (seconds from the beginning of its part, degrees or metres). Between the parts it crawls.
CRAWLING = {
    "pelvis_forward": 0.0,
    "pelvis_height": 0.52,
    "pelvis_pitch": 70.0,
    "chest_pitch": 84.0,
    "head_pitch": -2.0,
}
DOWN = {
    "pelvis_forward": ((0.3, 0.0), (1.0, 0.13), (1.5, 0.10), (1.85, 0.02)),
    "pelvis_height": ((0.25, 0.92), (0.75, 0.77), (1.15, 0.67), (1.5, 0.57)),
    "pelvis_pitch": ((0.15, 4.0), (0.7, 40.0), (1.2, 58.0), (1.7, 70.0)),
    "chest_pitch": ((0.1, 4.0), (0.65, 52.0), (1.15, 74.0), (1.7, 84.0)),
    "head_pitch": ((0.2, 10.0), (0.8, 4.0), (1.5, -2.0)),
}
UP = {
    "pelvis_height": ((0.4, 0.52), (0.9, 0.56), (1.3, 0.68), (1.75, 0.86), (2.15, 0.94)),
    "pelvis_forward": ((0.35, -0.12), (0.8, -0.2), (1.2, -0.16), (1.7, -0.03), (2.2, 0.0)),
    "pelvis_pitch": ((0.1, 68.0), (0.8, 42.0), (1.4, 30.0), (2.2, 4.0)),
    "chest_pitch": ((0.05, 84.0), (0.7, 56.0), (1.35, 42.0), (2.2, 5.0)),
    "head_pitch": ((0.1, -2.0), (0.8, 2.0), (2.0, 5.0)),
}
HAND_POSE = {"pronation": np.radians(85.0), "wrist_bend": np.radians(-60.0), "elbow_swivel": np.radians(18.0)}
HANGS = 0.75  # of the trunk's bend
ARMS_BEND = 0.35  # of their length that they are shorter near the floor
SOFTNESS = 0.035  # seconds


@dataclass
class Crawl:
    """One crawl: when, with which knee down first, and how many cycles long."""

    body: Body
    start: float  # seconds, when the body begins to go down
    cycles: int
    first: str  # side of the knee that comes down first, and stays down longest
    uneven: tuple[float, ...] = field(default=(0.0,) * 8)  # metres by which hands and knees miss their places

    @property
    def down(self) -> float:
        """Seconds at which all four limbs are on the floor."""
        return self.start + GO_DOWN

    @property
    def up(self) -> float:
        """Seconds at which the body begins to get up."""
        return self.down + self.cycles * CYCLE

    @property
    def stop(self) -> float:
        """Seconds at which it stands again."""
        return self.up + GET_UP

    def draw(self, values: np.ndarray, fps: float) -> None:
        """Put the crawl into channels (F, C), in place."""
        first = int(np.floor(self.start * fps))
        last = min(int(np.ceil(self.stop * fps)) + 1, len(values))
        if last - first < 3:
            return
        part = values[first:last]
        times = first / fps + np.arange(last - first) / fps
        way = _Way(part, times)
        self._trunk(part, times, fps)
        for side in SIDES:
            self._leg(part, times, side, way, fps)
            self._hand(part, times, side, way, fps)

    # -- parts of the body --------------------------------------------------------------------------

    def _trunk(self, part: np.ndarray, times: np.ndarray, fps: float) -> None:
        leg = self.body.leg_scale
        for name, crawling in CRAWLING.items():
            unit = leg if name in ("pelvis_height", "pelvis_forward") else np.radians(1.0)
            column = part[:, INDEX[name]]
            keys = [(self.start, column[0])]
            keys += [(self.start + time, unit * value) for time, value in DOWN[name]]
            keys += [(self.down, unit * crawling), (self.up - 0.05, unit * crawling)]
            keys += [(self.up + time, unit * value) for time, value in UP[name] if time > 0.0]
            keys.append((self.stop, column[-1]))
            column[:] = _curve(keys, times, fps)
        # the hips swing over the knee that carries, the shoulders against them
        crawls = self._crawling(times)
        beat = 2.0 * np.pi * (times - self.down) / CYCLE
        sign = 1.0 if self.first == "left" else -1.0
        part[:, INDEX["pelvis_side"]] *= 1.0 - crawls
        part[:, INDEX["pelvis_side"]] += crawls * leg * 0.022 * sign * np.sin(beat + 0.6)
        for name, size, late in (
            ("pelvis_roll", 7.0, 0.2),
            ("chest_roll", -4.0, 0.5),
            ("pelvis_yaw", 12.0, -1.04),  # the hip of the knee that lands is low
            ("chest_yaw", -4.0, 0.4),
            ("head_yaw", 5.0, 1.0),
        ):
            column = part[:, INDEX[name]]
            column *= 1.0 - crawls
            column += crawls * np.radians(size) * sign * np.sin(beat + late)

    def _leg(self, part: np.ndarray, times: np.ndarray, side: str, way: "_Way", fps: float) -> None:
        leg, sign = self.body.leg_scale, 1.0 if side == "left" else -1.0
        leads = side == self.first
        x, z, yaw, lift, heel = (
            part[:, INDEX[f"{side}_{name}"]] for name in ("foot_x", "foot_z", "foot_yaw", "foot_lift", "heel")
        )
        before, after = (x[0], z[0], yaw[0]), (x[-1], z[-1], yaw[-1])

        # Places of the knee on the floor, one after the other
        heading = way.heading_at(self.start)
        if leads:
            places = [
                (before[0] + leg * TUCKED * np.sin(heading), before[1] + leg * TUCKED * np.cos(heading))
            ]
        else:
            places = [way.beside(self.down + 0.15, leg * HIPS_BEHIND_KNEES, sign * leg * KNEE_WIDTH)]
        swings: list[float] = []
        offset = 0.5 * CYCLE if leads else 0.0
        for cycle in range(self.cycles):
            lifts = self.down + cycle * CYCLE + offset + KNEE_AFTER_HAND - 0.2
            stands = 0.5 * (CYCLE - KNEE_SWING)
            middle = min(lifts + KNEE_SWING + stands, self.up + 0.35)
            slip = self.uneven[(2 * cycle + leads) % len(self.uneven)]
            swings.append(lifts)
            last = cycle == self.cycles - 1
            ahead = leg * (HIPS_BEHIND_KNEES - (SHORTER if last else 0.0)) + slip
            places.append(way.beside(middle, ahead, sign * leg * KNEE_WIDTH))

        # The knee comes down, steps, and leaves
        comes = self.start + (0.62 if leads else 1.05)
        goes = self.up + (0.85 if leads else 0.02)
        length = 0.8 if leads else 0.85
        knee_x = np.full(len(times), places[0][0])
        knee_z = np.full(len(times), places[0][1])
        knee_lift = np.zeros(len(times))
        laid, lifted = np.zeros(len(times)), np.zeros(len(times))
        for number, (lifts, place, old) in enumerate(zip(swings, places[1:], places)):
            phase = np.clip((times - lifts) / KNEE_SWING, 0.0, 1.0)
            share = _stride(phase)
            knee_x += share * (place[0] - old[0])
            knee_z += share * (place[1] - old[1])
            knee_lift += leg * KNEE_RISE * np.sin(np.pi * phase) ** 2
            lifted += _off_floor(phase)
            tucks = leads and number == len(swings) - 1
            laid += share * ((0.0 if tucks else 1.0) - (1.0 if number else 0.0))
        # the other knee carries while the first foot steps: a lock that is left behind would turn its leg
        leaves = length if leads else 0.35
        kneel = smooth_step((times - comes) / 0.5) * (1.0 - smooth_step((times - goes) / leaves))

        # The foot: it comes behind its knee while that kneels, then steps to where the walk wants it
        reach = leg * (TUCKED + laid * (LAID - TUCKED))
        along = way.heading(times)
        joins = np.clip((times - (comes - 0.1)) / 0.6, 0.0, 1.0)
        steps = np.clip((times - (goes - 0.05)) / (length + 0.1), 0.0, 1.0)
        came, share = _stride(joins), _stride(steps)
        x[:] = before[0] + came * (knee_x - reach * np.sin(along) - before[0])
        z[:] = before[1] + came * (knee_z - reach * np.cos(along) - before[1])
        x += share * (after[0] - x)
        z += share * (after[1] - z)
        turns = smooth_step((times - comes) / 0.6)
        yaw[:] = before[2] + turns * (along - before[2])
        yaw += share * (after[2] - yaw)
        bent = TUCKED_HEEL + laid * (LAID_HEEL - TUCKED_HEEL)
        rises = smooth_step((times - (comes - 0.45)) / 0.95)
        heel[:] = rises * bent * (1.0 - smooth_step(steps / 0.85))
        lift[:] = leg * (0.11 if leads else 0.08) * _off_floor(steps)
        lift += leg * (FOOT_RISE * lifted + LAID_LIFT * laid * (1.0 - share))
        if not leads:
            lift += leg * 0.06 * _off_floor(joins)
        for name, curve in (
            ("kneel", kneel),
            ("knee_x", knee_x),
            ("knee_z", knee_z),
            ("knee_lift", knee_lift),
        ):
            part[:, INDEX[f"{side}_{name}"]] = curve

    def _hand(self, part: np.ndarray, times: np.ndarray, side: str, way: "_Way", fps: float) -> None:
        size, sign = self.body.size, 1.0 if side == "left" else -1.0
        reach = self.body.leg_scale * HANDS_BEFORE_HIPS
        leads = side == OTHER[self.first]  # the hand opposite to the first knee comes down first
        comes = self.start + (0.85 if leads else 1.15)
        goes = self.up + (0.28 if leads else 0.12)
        offset = 0.5 * CYCLE if leads else 0.0
        # free arms hang down from a bent trunk, and do not point back along it
        forward, up = (part[:, INDEX[f"{side}_hand_{name}"]] for name in ("forward", "up"))
        hang = HANGS * (part[:, INDEX["chest_pitch"]] - part[0, INDEX["chest_pitch"]])
        bent = 1.0 - ARMS_BEND * smooth_step(hang)
        forward[:], up[:] = (
            bent * (forward * np.cos(hang) - up * np.sin(hang)),
            bent * (up * np.cos(hang) + forward * np.sin(hang)),
        )
        # a hand stands before the hips as they pass the middle of its stand
        stands = [(comes + 0.45, self.down + offset - 0.2)]
        for cycle in range(self.cycles):
            lands = self.down + cycle * CYCLE + offset - 0.2 + HAND_SWING
            stands.append((lands, min(lands + CYCLE - HAND_SWING, goes)))
        if stands[-1][1] - stands[-1][0] < 0.2:
            stands.pop()
        places = []
        for number, (lands, leaves) in enumerate(stands):
            slip = self.uneven[(3 * number + leads + 4) % len(self.uneven)]
            middle = 0.5 * (lands + min(leaves, lands + CYCLE - HAND_SWING))
            places.append(way.beside(middle, reach + slip, sign * size * HAND_WIDTH))
        x = np.full(len(times), places[0][0])
        z = np.full(len(times), places[0][1])
        y = np.full(len(times), size * WRIST_HEIGHT)
        for (lands, _), place, old in zip(stands[1:], places[1:], places):
            phase = np.clip((times - (lands - HAND_SWING)) / HAND_SWING, 0.0, 1.0)
            x += _stride(phase) * (place[0] - old[0])
            z += _stride(phase) * (place[1] - old[1])
            y += size * HAND_RISE * np.sin(np.pi * phase) ** 2
        holds = smooth_step((times - comes) / 0.45) * (1.0 - smooth_step((times - goes) / 0.5))
        # it comes down onto its place from above, and leaves it upwards
        y += size * 0.20 * (1.0 - smooth_step((times - comes) / 0.45))
        flat = smooth_step((times - comes + 0.2) / 0.4) * (1.0 - smooth_step((times - goes - 0.15) / 0.5))
        channels = {"hand_hold": holds, "palm_down": flat, "hold_x": x, "hold_y": y, "hold_z": z}
        for name, curve in channels.items():
            part[:, INDEX[f"{side}_{name}"]] = curve
        for name, wanted in HAND_POSE.items():
            column = part[:, INDEX[f"{side}_{name}"]]
            column += holds * (wanted - column)

    def _crawling(self, times: np.ndarray) -> np.ndarray:
        """(F,) 1 while the body goes on four limbs."""
        return smooth_step((times - self.down + 0.3) / 0.5) * (1.0 - smooth_step((times - self.up) / 0.5))


class _Way:
    """The body's way during a crawl, as the walk has drawn it."""

    def __init__(self, part: np.ndarray, times: np.ndarray):
        self.times = times
        self.x, self.z, self.yaw = (part[:, INDEX[name]].copy() for name in ("root_x", "root_z", "heading"))

    def heading(self, times: np.ndarray) -> np.ndarray:
        return np.interp(times, self.times, self.yaw)

    def heading_at(self, time: float) -> float:
        return float(np.interp(time, self.times, self.yaw))

    def beside(self, time: float, ahead: float, left: float) -> tuple[float, float]:
        """World x and z of a point so far before and to the left of where the body is at a time."""
        yaw = self.heading_at(time)
        s, c = np.sin(yaw), np.cos(yaw)
        x, z = (float(np.interp(time, self.times, values)) for values in (self.x, self.z))
        return x + ahead * s + left * c, z + ahead * c - left * s


def _off_floor(phase: np.ndarray) -> np.ndarray:
    """The share of its rise that a foot has in its swing: up at once, and down at the end."""
    return smooth_step(phase / 0.25) * smooth_step((1.0 - phase) / 0.22)


def _stride(phase: np.ndarray) -> np.ndarray:
    """The way of a limb from place to place: it moves once it is off the floor, until it is down."""
    return smooth_step((phase - 0.13) / 0.74)


def _curve(keys: list[tuple[float, float]], times: np.ndarray, fps: float) -> np.ndarray:
    at, value = np.array(keys).T
    curve = through_keys(at, value, times)
    soft = softened(curve, fps, SOFTNESS)
    # the ends meet what is before and after
    edge = smooth_step(np.minimum(times - times[0], times[-1] - times) / (3.0 * SOFTNESS))
    return curve + edge * (soft - curve)
