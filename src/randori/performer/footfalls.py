"""From planned steps to channels: the way of the body, where the feet stand, and what the rest does.

The way of the hips comes first. A foot is put where the hips pass over it, farther out against the
force that the body needs: behind in a start, ahead in a stop, outside in a bend (an inverted pendulum).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from randori.motion import rotations as rot
from randori.motion.easing import smooth_step
from randori.motion.parts import SIDES
from randori.performer import limbs, solver
from randori.performer.actor import OTHER
from randori.performer.channels import INDEX
from randori.performer.curves import softened, through_keys
from randori.performer.gait import COLUMNS, MIRRORED, Gait
from randori.performer.proportions import BALL_HEIGHT, Body
from randori.performer.truth import Action, Plant

RATE = 240.0  # per second, at which the way is worked out, for any rate of the take
GRAVITY = 9.81
WAY_SOFTNESS = 0.09  # seconds
PUSH_SOFTNESS = 0.16  # seconds over which a foot feels what the body is accelerated by
FRONT_REACH, REAR_REACH = 0.58, 0.46  # metres from the hips to the ball of a foot that strikes, that leaves
SHORTER = 0.03  # metres less for every metre per second: a fast foot still has to get there, or away
NARROWEST = 0.03  # metres between the lines that the feet walk on
WIDER = 0.07  # metres farther apart for every radian that the body turns from one foot to the other
SHORTEST_STAND = 0.07  # seconds
FARTHEST_PUSH = 0.36  # metres that a foot is put out against a force
LONGEST_ROLL = 0.30  # seconds that a foot takes to come down flat, or to leave, however long it stands
BLEND = 0.30  # seconds before and after a strike in which one gait becomes the next
BODY_SOFTNESS, FOOT_SOFTNESS = 0.022, 0.016  # seconds
SEEN_LIFT = 0.01  # seconds that a foot still seems to stand while it begins to leave
CATCH_UP, SLOW_DOWN = 0.10, 0.08  # shares of a swing per column, in which a late foot makes up for it
HEEL_TO_BALL = 0.18  # metres
HEEL_GIVES = 0.0022  # metres
EARLIEST_ARRIVAL = 0.88  # of the swing
CLEAR = (0.028, 0.045)  # metres that the ball is off the floor before it moves on, and until it has arrived
HEAD_LEAD = 0.38  # seconds that the eyes are ahead of a turn
HEAD_LIMIT = 0.95  # radians
BANK, BANK_PUSH = 0.50, 5.5  # radians of the chest into a bend at most; m/s² at which it nears that
TURN_BANK = 0.011  # radians for every (radian per second)² of a turn, up to 4 rad/s
LEAN, LEAN_PUSH = 0.30, 7.0  # the same forwards and backwards
SINK, SINK_PUSH = 0.18, 5.0  # metres that the hips sink in a bend or a stop
SINKS_BEFORE, SINK_SOFTNESS = 0.05, 0.03  # seconds around a leg that runs out in which the hips give way
SPREAD, SPREAD_PUSH = 0.35, 8.0  # radians that the arms go out for balance
FOREARM_IN = 0.30  # of the elbow's bend that brings the forearm in front of the body

_BODY_ROWS = (
    *("pelvis_height", "pelvis_forward", "pelvis_side", "pelvis_yaw", "pelvis_roll", "pelvis_pitch"),
    *("chest_yaw", "chest_roll", "chest_pitch", "head_pitch", "arm_out"),
)


@dataclass
class Beat:
    """The time from one strike to the next, or a while of standing."""

    start: float  # seconds
    stop: float
    gait: Gait
    velocity: tuple[float, float]  # metres per second in the world (x, z) that the body has at the end
    heading: float  # radians that it looks along at the end
    foot: str = ""  # that swings and strikes at the end; none: both stand
    swing: float = 0.0  # seconds
    over: float | None = None  # when the hips are above the foot; None: in the middle of its stand
    place: tuple[float, float] = (0.0, 0.0)  # metres forward and to the left that it is put beside that
    arms: float = 1.0  # how much of the arms' swing
    action: Action | None = None  # the action of the ground truth that it belongs to


@dataclass(frozen=True)
class Footfall:
    """A foot's stand, with the swing that leads to it."""

    lift: float  # seconds at which it left the floor
    strike: float
    x: float  # metres, the ball
    z: float
    yaw: float  # radians
    gait: Gait


@dataclass
class Route:
    """The place of the body at every moment, RATE per second."""

    place: np.ndarray  # (N, 2) metres, x and z
    speed: np.ndarray  # (N,) metres per second
    heading: np.ndarray  # (N,) radians
    push: np.ndarray  # (N, 2) m/s² in the world, softened

    def at(self, values: np.ndarray, time: float | np.ndarray) -> np.ndarray:
        """One of the arrays at a time (seconds)."""
        index = np.clip(np.asarray(time) * RATE, 0.0, len(values) - 1.001)
        before = index.astype(int)
        share = (index - before)[..., None] if values.ndim > 1 else index - before
        return values[before] + share * (values[before + 1] - values[before])


@dataclass
class Walk:
    """All beats of a take. It is a layer of channels: see `draw`."""

    body: Body
    rest: np.ndarray  # (C,) where the channels are without it
    beats: list[Beat] = field(default_factory=list)
    lopsided: float = 0.0  # by this share the left arm swings more, and the right one less
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)  # metres x, z, radians
    sinks: bool = True  # needs channels that hold a whole body; see the last step of `draw`

    def route(self) -> Route:
        """The way of the hips."""
        times = np.array([0.0] + [beat.stop for beat in self.beats])
        velocity = np.array([(0.0, 0.0)] + [beat.velocity for beat in self.beats])
        heading = np.array([self.origin[2]] + [beat.heading for beat in self.beats])
        grid = np.arange(int(np.ceil((times[-1] + 1.0) * RATE))) / RATE
        speed = softened(through_keys(times, velocity, grid), RATE, WAY_SOFTNESS)
        steps = 0.5 * (speed[1:] + speed[:-1]) / RATE
        place = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)]) + self.origin[:2]
        turned = softened(through_keys(times, heading, grid), RATE, WAY_SOFTNESS)
        push = softened(np.gradient(speed, axis=0) * RATE, RATE, PUSH_SOFTNESS)
        return Route(place, np.hypot(*speed.T), turned, push)

    def footfalls(self, route: Route) -> dict[str, list[Footfall]]:
        """The places where each foot stands, in order; the first is its place at the start."""
        leg = self.body.leg_scale
        mine = {side: [beat for beat in self.beats if beat.foot == side] for side in SIDES}
        first = self.beats[0].gait
        found = {side: [self._fall(route, side, first, (-1.0, 0.0), 0.0, (0.0, 0.0))] for side in SIDES}
        for beat in self.beats:
            if not beat.foot:
                continue
            falls, other = found[beat.foot], found[OTHER[beat.foot]][-1]
            following = mine[beat.foot][len(falls)] if len(falls) < len(mine[beat.foot]) else None
            leaves = beat.stop + 10.0 if following is None else following.stop - following.swing
            over = 0.5 * (beat.stop + min(leaves, beat.stop + 2.0 * LONGEST_ROLL))
            swing = (beat.stop - beat.swing - SEEN_LIFT, beat.stop + beat.gait.landing)
            place = (leg * beat.place[0], leg * beat.place[1])
            fall = self._fall(
                route, beat.foot, beat.gait, swing, over if beat.over is None else beat.over, place
            )
            if beat.over is None:
                fall = self._uncrossed(self._within_reach(route, fall, beat.stop), other, beat)
            falls.append(fall)
        return {
            side: [
                replace(fall, lift=min(fall.lift, self._runs_out(route, before, fall.lift)))
                for before, fall in zip([falls[0], *falls], falls)
            ]
            for side, falls in found.items()
        }

    def _uncrossed(self, fall: Footfall, other: Footfall, beat: Beat) -> Footfall:
        """The same foot, on its own side of the other one."""
        sign = 1.0 if beat.foot == "left" else -1.0
        heading = fall.yaw - sign * fall.gait.toe_out
        s, c = np.sin(heading), np.cos(heading)
        apart = sign * ((fall.x - other.x) * c - (fall.z - other.z) * s)
        # to be safe from the rest of a turn, the more so the sharper it is
        turning = abs(heading - other.yaw - sign * other.gait.toe_out)
        wanted = self.body.leg_scale * (NARROWEST + WIDER * min(turning, 1.0))
        missing = sign * max(wanted - apart, 0.0)
        return replace(fall, x=float(fall.x + missing * c), z=float(fall.z - missing * s))

    def _within_reach(self, route: Route, fall: Footfall, strike: float) -> Footfall:
        """The same foot, no farther from the hips than a leg reaches when it strikes."""
        hips = route.at(route.place, strike)
        away = np.array([fall.x, fall.z]) - hips
        distance = float(np.linalg.norm(away))
        limit = self._reach(FRONT_REACH, route, strike)
        if distance <= limit:
            return fall
        x, z = hips + away * (limit / distance)
        return replace(fall, x=float(x), z=float(z))

    def _reach(self, still: float, route: Route, time: float) -> float:
        """Metres that a foot stands from the hips at most, at the speed of a time."""
        leg = self.body.leg_scale
        return leg * (still - SHORTER * float(route.at(route.speed, time)) / leg)

    def _runs_out(self, route: Route, fall: Footfall, lift: float) -> float:
        """Seconds at which the hips are so far from a standing foot that it has to leave."""
        first, last = round((fall.strike + SHORTEST_STAND) * RATE), round(lift * RATE)
        if fall.strike < 0.0 or not 0 < last - first < 2.0 * RATE:
            return np.inf
        away = route.place[first:last] - (fall.x, fall.z)
        gone = np.flatnonzero(np.hypot(*away.T) > self._reach(REAR_REACH, route, lift))
        # only from where it goes on growing: a foot that lands far out comes under the body first
        gone = gone[gone > np.argmin(np.hypot(*away.T))]
        return float(first + gone[0]) / RATE if len(gone) else np.inf

    def _fall(
        self,
        route: Route,
        side: str,
        gait: Gait,
        swing: tuple[float, float],
        over: float,
        beside: tuple[float, float],
    ) -> Footfall:
        """The foot that strikes at the end of a swing, for hips that are above it at a time."""
        sign, leg = (1.0 if side == "left" else -1.0), self.body.leg_scale
        heading = float(route.at(route.heading, over))
        push = route.at(route.push, over) * (self.body.standing_height / GRAVITY)
        distance = float(np.linalg.norm(push))
        if distance > 1e-9:
            push = push * (FARTHEST_PUSH * leg * np.tanh(distance / (FARTHEST_PUSH * leg)) / distance)
        spot = route.at(route.place, over) - push
        forward, left = leg * gait.ahead + beside[0], sign * leg * gait.width + beside[1]
        s, c = np.sin(heading), np.cos(heading)
        x, z = spot[0] + forward * s + left * c, spot[1] + forward * c - left * s
        return Footfall(*swing, float(x), float(z), float(heading + sign * gait.toe_out), gait)

    # -- drawing ----------------------------------------------------------------------------------

    def draw(self, values: np.ndarray, fps: float) -> None:
        """Put the walk into channels (F, C), in place; what was planned beside it stays on top."""
        times = np.arange(len(values)) / fps
        route = self.route()

        def put(name: str, curve: np.ndarray) -> None:
            values[:, INDEX[name]] += curve - self.rest[INDEX[name]]

        # Step 1. The way, and the forces on it as the body feels them
        place = route.at(route.place, times)
        heading = route.at(route.heading, times)
        push = route.at(route.push, times)
        s, c = np.sin(heading), np.cos(heading)
        ahead, left = push[:, 0] * s + push[:, 1] * c, push[:, 0] * c - push[:, 1] * s
        put("root_x", place[:, 0])
        put("root_z", place[:, 1])
        put("heading", heading)

        # Step 2. The feet
        footfalls = self.footfalls(route)
        self._describe(route, footfalls)
        for side, falls in footfalls.items():
            for name, curve in self._foot(side, falls, route, times, fps).items():
                put(f"{side}_{name}", curve)

        # Step 3. The trunk over them, banked into bends; the head looks where the way goes
        rows = self._body_rows(times, fps)
        strength = np.hypot(ahead, left)
        # walkers hardly bank, runners do
        bank = BANK * np.sign(left) * np.tanh((left / BANK_PUSH) ** 2)
        rate = np.gradient(heading) * fps
        bank += TURN_BANK * np.sign(rate) * np.minimum(rate**2, 16.0)
        rows["chest_roll"] += bank
        rows["pelvis_roll"] += 0.5 * bank
        rows["chest_pitch"] += LEAN * np.tanh(ahead / LEAN_PUSH)
        rows["pelvis_pitch"] += 0.4 * LEAN * np.tanh(ahead / LEAN_PUSH)
        rows["pelvis_height"] -= self.body.leg_scale * SINK * np.tanh(strength / SINK_PUSH) ** 2
        for name in _BODY_ROWS:
            if name != "arm_out":
                put(name, rows[name])
        eyes = route.at(route.heading, times + HEAD_LEAD) - heading
        put("head_yaw", HEAD_LIMIT * np.tanh(eyes / HEAD_LIMIT))

        # Step 4. The arms
        out = rows["arm_out"] + SPREAD * np.tanh(strength / SPREAD_PUSH) ** 2
        for side in SIDES:
            hand = arm_channels(rows[f"{side}_arm"], out, rows[f"{side}_elbow"], self.body.arm_scale)
            for name, curve in hand.items():
                put(f"{side}_{name}", curve)

        # Step 5. The hips sink in time for a leg that will run out, while this walk goes on
        reach = max(int(SINKS_BEFORE * fps), 1)
        during = (times >= self.beats[0].start) & (times <= self.beats[-1].stop)
        for _ in range(2 if self.sinks else 0):
            short = np.where(during, solver.missing_height(self.body, values), 0.0)
            deepest = np.max([_shifted(short, by) for by in range(-reach, reach + 1)], axis=0)
            values[:, INDEX["pelvis_height"]] -= softened(deepest, fps, SINK_SOFTNESS)

    def _describe(self, route: Route, footfalls: dict[str, list[Footfall]]) -> None:
        """Write into the ground truth where the feet came down, and how far the body went."""
        for side, falls in footfalls.items():
            mine = (beat for beat in self.beats if beat.foot == side)
            for beat, fall in zip(mine, falls[1:]):
                if beat.action is not None:
                    beat.action.plants.append(Plant(side, fall.lift, fall.strike, (fall.x, fall.z, fall.yaw)))
        ends: dict[int, tuple[Action, float, float]] = {}
        for beat in self.beats:
            if beat.action is not None:
                first = ends.get(id(beat.action), (beat.action, beat.start, 0.0))[1]
                ends[id(beat.action)] = (beat.action, first, beat.stop)
        for action, first, last in ends.values():
            moved = route.at(route.place, last) - route.at(route.place, first)
            heading = float(route.at(route.heading, first))
            s, c = np.sin(heading), np.cos(heading)
            turned = float(route.at(route.heading, last)) - heading
            action.travel = (float(moved[0] * s + moved[1] * c), float(moved[0] * c - moved[1] * s), turned)

    def _foot(
        self, side: str, falls: Sequence[Footfall], route: Route, times: np.ndarray, fps: float
    ) -> dict[str, np.ndarray]:
        """A foot's channels (F,) over the take."""
        leg, sign = self.body.leg_scale, 1.0 if side == "left" else -1.0
        x, z, yaw = (np.full(len(times), getattr(falls[0], name)) for name in ("x", "z", "yaw"))
        lift = np.zeros(len(times))
        keys: list[tuple[float, float]] = [(0.0, 0.0)]
        for number, fall in enumerate(falls):
            following = falls[number + 1] if number + 1 < len(falls) else None
            leaves = times[-1] + 10.0 if following is None else following.lift
            keys += _heel_keys(fall, leaves, (following or fall).gait, first=number == 0)
            if number == 0:
                continue
            first = int(np.searchsorted(times, fall.lift, side="right"))
            last = int(np.searchsorted(times, fall.strike))
            stays = len(times) if following is None else int(np.searchsorted(times, following.strike))
            swing = _swing(falls[number - 1], fall, times[first:last], leg)
            # round the standing foot, not through it
            heading = route.at(route.heading, times[first:last])
            bow = sign * leg * fall.gait.swing_bow * np.sin(np.pi * swing.way) ** 2
            x[first:last] = swing.x + bow * np.cos(heading)
            z[first:last] = swing.z - bow * np.sin(heading)
            yaw[first:last], lift[first:last] = swing.yaw, swing.lift
            x[last:stays], z[last:stays], yaw[last:stays] = fall.x, fall.z, fall.yaw
        key_times, key_values = np.array(keys).T
        rising = np.concatenate([[True], np.diff(np.maximum.accumulate(key_times)) > 1e-6])
        heel = softened(through_keys(key_times[rising], key_values[rising], times), fps, FOOT_SOFTNESS)
        # toes that come down about the heel draw the ball forward: heel and ball share the last of it
        raised = np.maximum(-heel, 0.0)
        drawn = leg * (HEEL_TO_BALL * (1.0 - np.cos(raised)) + BALL_HEIGHT * np.sin(raised))
        shared = HEEL_GIVES * leg * np.tanh(0.5 * drawn / (HEEL_GIVES * leg))
        x, z = x + shared * np.sin(yaw), z + shared * np.cos(yaw)
        return {"foot_x": x, "foot_z": z, "foot_yaw": yaw, "foot_lift": lift, "heel": heel}

    def _body_rows(self, times: np.ndarray, fps: float) -> dict[str, np.ndarray]:
        """The rows of all gaits over the take, sides resolved: (F,) each."""
        key_times: list[float] = []
        names = [*_BODY_ROWS, *(f"{side}_{joint}" for side in SIDES for joint in ("arm", "elbow"))]
        keys: list[list[float]] = []
        for number, beat in enumerate(self.beats):
            for column in range(COLUMNS):
                share = column / COLUMNS
                moment = beat.start + share * (beat.stop - beat.start)
                key_times.append(moment)
                keys.append(self._blended(number, column, moment, names))
        at = through_keys(np.array(key_times), np.array(keys), times)
        at = softened(at, fps, BODY_SOFTNESS)
        leg = self.body.leg_scale
        lengths = ("pelvis_height", "pelvis_forward", "pelvis_side")
        return {name: at[:, k] * (leg if name in lengths else 1.0) for k, name in enumerate(names)}

    def _blended(self, number: int, column: int, moment: float, names: Sequence[str]) -> list[float]:
        """One column of a beat, with a share of its neighbour's gait near the strike between them."""
        beat = self.beats[number]
        after = moment - beat.start < 0.5 * (beat.stop - beat.start)
        other = self.beats[max(number - 1, 0)] if after else self.beats[min(number + 1, len(self.beats) - 1)]
        away = (moment - beat.start) if after else (beat.stop - moment)
        reach = min(BLEND, 0.5 * (beat.stop - beat.start), 0.5 * (other.stop - other.start))
        share = 0.5 * (1.0 - smooth_step(np.array(away / reach)))
        mine, theirs = (
            self._column(beat.gait, beat, column),
            self._column(other.gait, beat, column, other.arms),
        )
        return [float(mine[name] + share * (theirs[name] - mine[name])) for name in names]

    def _column(self, gait: Gait, beat: Beat, column: int, arms: float | None = None) -> dict[str, float]:
        """A gait's values at one moment of a beat, for the side that carries in it."""
        near = "left" if beat.foot == "right" else "right"
        sign = 1.0 if near == "left" else -1.0
        if beat.foot == "":
            sign = 0.0
        found = {row: gait.rows[row][column] * (sign if row in MIRRORED else 1.0) for row in _BODY_ROWS}
        arms = beat.arms if arms is None else arms
        for joint in ("arm", "elbow"):
            both = {"near": gait.rows[f"near_{joint}"], "far": gait.rows[f"far_{joint}"]}
            middle = 0.5 * float(both["near"].mean() + both["far"].mean())
            for side in SIDES:
                row = both["near" if side == near else "far"][column]
                value = middle if beat.foot == "" else row
                more = 1.0 + (self.lopsided if side == "left" else -self.lopsided)
                found[f"{side}_{joint}"] = middle + more * arms * (value - middle)
        return found


def _shifted(values: np.ndarray, by: int) -> np.ndarray:
    """(F,) values a number of frames later or earlier; the ends stay."""
    return values[np.clip(np.arange(len(values)) - by, 0, len(values) - 1)]


class _Swing(NamedTuple):
    """A foot in the air: (N,) each."""

    way: np.ndarray  # share of the way that it has made
    x: np.ndarray  # metres
    z: np.ndarray
    yaw: np.ndarray  # radians
    lift: np.ndarray  # metres


def _swing(before: Footfall, fall: Footfall, times: np.ndarray, leg: float) -> _Swing:
    """A foot on its way from one stand to the next, at times (N,) in seconds."""
    phase = (times - fall.lift) / (fall.strike - fall.lift)
    columns = np.linspace(0.0, 1.0, COLUMNS + 1)
    far = float(np.hypot(fall.x - before.x, fall.z - before.z)) / leg
    usual = max(abs(fall.gait.speed) * 2.0 * fall.gait.step, 0.3)
    size = leg * min(0.86 + 0.14 * far / usual, 1.15)
    # a foot that comes down where it stood is lifted clearly, or it would seem to slide
    if far < 0.06:
        size = 1.35 * leg
    moves_on, arrives = _clear_of_floor(fall.gait, size)
    count = np.arange(COLUMNS + 1)
    moving = np.maximum(columns, moves_on + CATCH_UP * count)
    moving = np.minimum(moving, arrives - SLOW_DOWN * count[::-1])
    way = through_keys(moving, np.append(fall.gait.rows["swing_way"], 1.0), phase)
    turned = smooth_step((phase - 0.1) / 0.8)
    return _Swing(
        way,
        before.x + (fall.x - before.x) * way,
        before.z + (fall.z - before.z) * way,
        before.yaw + (fall.yaw - before.yaw) * turned,
        size * through_keys(columns, np.append(fall.gait.rows["swing_lift"], 0.0), phase),
    )


def _clear_of_floor(gait: Gait, size: float) -> tuple[float, float]:
    """The shares of a swing at which the ball of the foot is well off the floor, and no longer is."""
    phase = np.linspace(0.0, 1.0, 65)
    columns = np.linspace(0.0, 1.0, COLUMNS + 1)
    height = size * through_keys(columns, np.append(gait.rows["swing_lift"], 0.0), phase)
    # toes that are raised about the heel raise the ball too
    height += HEEL_TO_BALL * np.sin(np.maximum(-through_keys(columns, gait.swing_heel(), phase), 0.0))
    leaves, lands = (np.flatnonzero(height > min(limit, 0.8 * height.max())) for limit in CLEAR)
    return float(phase[leaves[0]]), max(float(phase[lands[-1]]), EARLIEST_ARRIVAL)


def _heel_keys(fall: Footfall, leaves: float, following: Gait, first: bool) -> list[tuple[float, float]]:
    """(seconds, radians) of a foot's heel: its swing, how it comes down, and how it leaves."""
    columns = np.linspace(0.0, 1.0, COLUMNS + 1)
    keys: list[tuple[float, float]] = []
    if not first:
        swing = fall.lift + columns * (fall.strike - fall.lift)
        keys += list(zip(swing[1:-1].tolist(), fall.gait.swing_heel()[1:-1].tolist()))
    roll = min(0.5 * (leaves - fall.strike), LONGEST_ROLL)
    half = COLUMNS // 2
    if not first:
        down = fall.strike + np.linspace(0.0, 1.0, half + 1)[:half] * roll
        keys += list(zip(down.tolist(), fall.gait.stance_heel()[:half].tolist()))
    # a foot that stays comes to rest flat
    if leaves - fall.strike > 2.5 * LONGEST_ROLL:
        keys += [(fall.strike + roll, 0.0), (leaves - roll, 0.0)]
    up = leaves - np.linspace(1.0, 0.0, half + 1) * roll
    keys += list(zip(up.tolist()[1:], following.stance_heel()[half + 1 :].tolist()))
    return keys


def arm_channels(
    swing: np.ndarray, out: np.ndarray, elbow: np.ndarray, arm_scale: float
) -> dict[str, np.ndarray]:
    """Channels of the wrist and the elbow of an arm that swings from its shoulder.

    swing (F,) is how far the upper arm is forward of hanging, out how far it is away from the body,
    elbow the angle in the elbow (180° = straight), all in radians.
    """
    upper, lower = 0.28 * arm_scale, 0.26 * arm_scale
    bend = np.pi - elbow
    inwards = out - FOREARM_IN * bend

    def direction(angle: np.ndarray, away: np.ndarray) -> np.ndarray:
        return np.stack([np.sin(away), -np.cos(away) * np.cos(angle), np.cos(away) * np.sin(angle)], axis=-1)

    to_elbow = upper * direction(swing, out)
    wrist = to_elbow + lower * direction(swing + bend, inwards)
    along = rot.normalize(wrist)
    down = limbs.transported(rot.Z_AXIS, along, -rot.Y_AXIS)
    pole = rot.normalize(to_elbow - along * np.sum(to_elbow * along, axis=-1, keepdims=True))
    sine = np.sum(np.cross(down, pole) * along, axis=-1)
    swivel = np.arctan2(sine, np.sum(down * pole, axis=-1))
    return {
        "hand_out": wrist[:, 0],
        "hand_up": wrist[:, 1],
        "hand_forward": wrist[:, 2],
        "elbow_swivel": swivel,
    }
