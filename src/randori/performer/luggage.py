"""Luggage: what it is, how it is held, and hands that stay on it from the grip to the release.

A piece of luggage follows its own plan: it rests in the world, it is carried in front of the body or
beside it, and it changes over smoothly. The hands are put where its grips are; after the body is
solved the luggage is seen where the hands really have it.
"""

from dataclasses import dataclass, field

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smooth_step
from randori.motion.parts import SIDES
from randori.performer.channels import INDEX
from randori.performer.curves import softened, through_keys
from randori.performer.proportions import FIST_FROM_WRIST, Body
from randori.performer.truth import Thing, Whereabouts

HANDS_ABOVE_MIDDLE = 0.03  # metres, on the sides of a box
HANDLE = 0.02  # metres that a handle is above what it belongs to
ROUND_THE_THIGH = 0.14  # metres that luggage in one hand is swung outwards on its way
COMES_DOWN = 0.25  # seconds in which luggage that is not quite where the hands were meant gets there
SOFTNESS = 0.05  # seconds that the luggage's way is rounded by
CARRYING_SWIVEL = np.radians(24.0)  # of elbows around a box
# up, forward of a hand that a weight pulls down, and how far out it is held besides half the luggage's
# width, so that it passes the leg; metres, arms of the average body
HANGING_UP, HANGING_FORWARD, CLEAR_OF_LEG = -0.52, 0.02, 0.055
GOES_WITH_CHEST = 0.7  # of the chest's turning in a step that what is carried in front takes part in
SWING_LEFT = 0.85  # of an arm's swing that a weight leaves


@dataclass(frozen=True)
class Luggage:
    """One piece, and how a practised person carries it."""

    name: str
    size: tuple[float, float, float]  # metres: wide, high, deep
    weight: float  # kilograms
    both: bool  # both arms around it; otherwise one hand at a handle on its top
    carried: tuple[float, float, float]  # metres its middle is left, above and before the pelvis (both)
    on_floor: tuple[float, float]  # metres left and before the pelvis where it is picked up; outwards if one
    offered: tuple[float, float, float]  # metres left, above, before, where it changes hands
    speed: float  # metres per second that it is carried with
    tempo: float  # steps, lifts and turns take so much longer with it
    lean: tuple[float, float]  # radians that the trunk leans back, and away from the hand that carries
    sinks: float  # metres that the knees give under it
    bend: float = 1.0  # how far one has to bend down for it

    def wrist(self, side: str, held_out: bool = False) -> np.ndarray:
        """(3,) metres from its middle to a wrist that holds it: with a hanging arm, or holding it out."""
        wide, high, deep = self.size
        if not self.both:
            above, behind = (0.5, 0.86) if held_out else (1.0, 0.0)
            return np.array([0.0, 0.5 * high + HANDLE + above * FIST_FROM_WRIST, -behind * FIST_FROM_WRIST])
        out = 0.5 * wide + 0.012
        return np.array([out if side == "left" else -out, HANDS_ABOVE_MIDDLE, -0.40 * deep])


PIECES = {
    piece.name: piece
    for piece in (
        Luggage(
            "bag",
            (0.16, 0.30, 0.38),
            4.0,
            both=False,
            carried=(0.0, 0.0, 0.0),
            on_floor=(0.36, 0.12),
            offered=(0.25, -0.12, 0.44),
            speed=1.3,
            tempo=1.0,
            lean=(0.0, np.radians(2.5)),
            sinks=0.0,
        ),
        Luggage(
            "suitcase",
            (0.22, 0.46, 0.62),
            14.0,
            both=False,
            carried=(0.0, 0.0, 0.0),
            on_floor=(0.38, 0.10),
            offered=(0.28, -0.24, 0.40),
            speed=0.88,
            tempo=1.12,
            lean=(np.radians(-3.0), np.radians(10.0)),
            sinks=0.012,
            bend=0.74,
        ),
        Luggage(
            "box",
            (0.42, 0.32, 0.34),
            6.0,
            both=True,
            carried=(0.0, 0.06, 0.355),
            on_floor=(0.0, 0.68),
            offered=(0.0, 0.10, 0.52),
            speed=1.16,
            tempo=1.12,
            lean=(np.radians(6.5), 0.0),
            sinks=0.008,
        ),
        Luggage(
            "trunk",
            (0.46, 0.38, 0.36),
            19.0,
            both=True,
            carried=(0.0, 0.03, 0.365),
            on_floor=(0.0, 0.68),
            offered=(0.0, 0.06, 0.44),
            speed=0.7,
            tempo=1.3,
            lean=(np.radians(12.0), 0.0),
            sinks=0.03,
        ),
    )
}


@dataclass
class Load:
    """The history of one piece of luggage in a take, in seconds; grows while the take is planned."""

    piece: Luggage
    body: Body
    hand: str  # left, right or both
    states: list[tuple[float, str]] = field(default_factory=lambda: [(0.0, "away")])  # from when on
    # keys of (time, value): how far the hands are on it, and how far it is in the world and not carried
    holding: list[tuple[float, float]] = field(default_factory=lambda: [(0.0, 0.0)])
    resting: list[tuple[float, float]] = field(default_factory=lambda: [(0.0, 1.0)])
    out: list[tuple[float, float]] = field(default_factory=lambda: [(0.0, 1.0)])  # the same, seen from above
    places: list[tuple[float, np.ndarray]] = field(default_factory=list)  # carried at: left, above, before
    rests: list[tuple[float, float, bool]] = field(
        default_factory=list
    )  # from when, fixed when, on the floor
    _way: tuple[np.ndarray, np.ndarray] | None = None  # (F, 3) metres and (F, 4), as planned

    @property
    def sides(self) -> tuple[str, ...]:
        """The hands that hold it."""
        return SIDES if self.hand == "both" else (self.hand,)

    def beside(self, place: tuple[float, ...]) -> np.ndarray:
        """(3,) metres in the body's frame, with "outwards" resolved for the hand that carries."""
        sign = -1.0 if self.hand == "right" else 1.0
        return np.array([sign * place[0], *place[1:]]) * self.body.size

    # -- drawing ----------------------------------------------------------------------------------

    def draw(self, values: np.ndarray, fps: float) -> None:
        """Put the hands on it, in channels (F, C), in place."""
        times = np.arange(len(values)) / fps

        def channel(name: str) -> np.ndarray:
            return values[:, INDEX[name]]

        # Step 1. The body's frame
        heading = channel("heading")
        s, c = np.sin(heading), np.cos(heading)
        forward, left = channel("pelvis_forward"), channel("pelvis_side")
        pelvis = np.stack(
            [
                channel("root_x") + forward * s + left * c,
                channel("pelvis_height"),
                channel("root_z") + forward * c - left * s,
            ],
            axis=-1,
        )

        def at_body(frame: np.ndarray, place: np.ndarray) -> np.ndarray:
            turned = rot.from_yaw(heading[frame] + GOES_WITH_CHEST * channel("chest_yaw")[frame])
            return pelvis[frame] + rot.rotate(turned, place)

        # Step 2. The luggage: in the world where the body was when it rested, or with the body
        keys = self.places or [(0.0, np.zeros(3))]
        place = through_keys(np.array([t for t, _ in keys]), np.array([p for _, p in keys]), times)
        place = softened(place, fps, SOFTNESS)
        carried = at_body(np.arange(len(values)), place)
        world, world_yaw = carried.copy(), heading.copy()
        for number, (since, fixed, on_floor) in enumerate(self.rests):
            until = self.rests[number + 1][0] if number + 1 < len(self.rests) else times[-1] + 1.0
            frame = np.array([min(round(fixed * fps), len(values) - 1)])
            if on_floor:
                outward, ahead = self.piece.on_floor
                spot = at_body(frame, self.beside((outward, 0.0, ahead)))[0]
                spot[1] = 0.5 * self.piece.size[1]
            else:
                spot = at_body(frame, self.beside(self.piece.offered))[0]
            inside = (times >= since) & (times < until)
            world[inside], world_yaw[inside] = spot, heading[frame[0]]
        rests = self._curve(self.resting, times, fps)
        # lifted in front of the knees and round the thigh: up first, then in
        away = self._curve(self.out, times, fps)
        middle = carried + np.stack([away, rests, away], axis=-1) * (world - carried)
        if not self.piece.both:
            bow = 4.0 * away * (1.0 - away) * ROUND_THE_THIGH
            middle += rot.rotate(rot.from_yaw(heading), bow[:, None] * self.beside((1.0, 0.0, 0.0)))
        yaw = heading + GOES_WITH_CHEST * channel("chest_yaw")
        turned = rot.from_yaw(yaw + rests * rot.wrap_angle(world_yaw - yaw))
        self._way = middle, turned

        # Step 3. The hands
        held = self._curve(self.holding, times, fps)
        in_front = self._in_front(times, fps)
        carrying = np.zeros(len(values)) if self.piece.both else (1.0 - rests) * (1.0 - in_front)
        for side in self.sides:
            hanging, out = (self.piece.wrist(side, held_out) for held_out in (False, True))
            grip = middle + rot.rotate(turned, hanging + in_front[:, None] * (out - hanging))
            for axis, name in enumerate(("hold_x", "hold_y", "hold_z")):
                curve = channel(f"{side}_{name}")
                curve += np.where(held > 0.0, grip[:, axis] - curve, 0.0)
            reaching = held * (1.0 - carrying)
            channel(f"{side}_hand_hold")[:] = np.maximum(channel(f"{side}_hand_hold"), reaching)
            if self.piece.both:
                swivel = channel(f"{side}_elbow_swivel")
                swivel += held * (CARRYING_SWIVEL - swivel)
            else:
                hanging_out = CLEAR_OF_LEG + 0.5 * self.piece.size[0]
                rests_at = (hanging_out, HANGING_UP, HANGING_FORWARD)
                for name, rest in zip(("hand_out", "hand_up", "hand_forward"), rests_at):
                    curve = channel(f"{side}_{name}")
                    kept = SWING_LEFT if name == "hand_forward" else 0.0
                    curve += held * (rest * self.body.arm_scale + kept * curve - curve)

    def _curve(self, keys: list[tuple[float, float]], times: np.ndarray, fps: float) -> np.ndarray:
        moments, values = (np.array(column) for column in zip(*keys))
        return np.clip(softened(through_keys(moments, values, times), fps, 0.5 * SOFTNESS), 0.0, 1.0)

    def _in_front(self, times: np.ndarray, fps: float) -> np.ndarray:
        """(F,) how far it is held out to a person, or by a person."""
        reach = float(np.linalg.norm(self.beside(self.piece.offered) - self.beside(self.piece.carried)))
        carried = self.beside(self.piece.carried)
        keys = [(t, float(np.linalg.norm(p - carried)) / reach) for t, p in self.places] or [(0.0, 0.0)]
        given = self._curve(keys, times, fps)
        if self.rests and not self.rests[0][2]:
            until = self.rests[1][0] if len(self.rests) > 1 else times[-1] + 1.0
            given = np.maximum(given, np.where(times < until, self._curve(self.resting, times, fps), 0.0))
        return given

    # -- seeing -----------------------------------------------------------------------------------

    def seen(self, clip: Clip) -> Thing:
        """The luggage where the solved body really has it."""
        assert self._way is not None, "luggage is seen after it was drawn"
        middle, turned = (array.copy() for array in self._way)
        frames = len(clip)
        bounds = [min(round(time * clip.fps), frames) for time, _ in self.states] + [frames]
        spans = [
            (slice(start, stop), state)
            for start, stop, (_, state) in zip(bounds, bounds[1:], self.states)
            if stop > start
        ]
        for inside, state in spans:
            if state == "hands":
                middle[inside] += self._slip(clip, middle, turned, inside)
        for number, (inside, state) in enumerate(spans):
            if state in ("floor", "offered"):
                self._rest(
                    middle, inside, spans[number - 1 : number], spans[number + 1 : number + 2], clip.fps
                )
        stretches = []
        for inside, state in spans:
            poses = np.concatenate([middle[inside], turned[inside]], axis=-1)
            poses = {"away": poses[:0], "hands": poses}.get(state, poses[:1])
            rows = [tuple(map(float, row)) for row in poses]
            hands_on = self.hand if state == "hands" else ""
            stretches.append(Whereabouts(inside.start, inside.stop, state, hands_on, rows))
        return Thing(self.piece.name, self.piece.size, self.piece.weight, stretches)

    def _rest(
        self,
        middle: np.ndarray,
        inside: slice,
        before: list[tuple[slice, str]],
        after: list[tuple[slice, str]],
        fps: float,
    ) -> None:
        """Lay it down where hands left it or will take it; the floor decides how high that is.

        The gap between the hands and that place fades while they hold it: nothing jumps.
        """
        left = [span.stop - 1 for span, state in before if state == "hands"]
        taken = [span.start for span, state in after if state == "hands"]
        floor = middle[inside.start, 1] < 0.5 * self.piece.size[1] + 0.05
        place = middle[(left + taken)[0]].copy() if left or taken else middle[inside.start].copy()
        if floor:
            place[1] = 0.5 * self.piece.size[1]
        middle[inside] = place
        ease = round(COMES_DOWN * fps)
        for frame, step in [(frame, -1) for frame in left] + [(frame, 1) for frame in taken]:
            run = np.clip(frame + step * np.arange(ease), 0, len(middle) - 1)
            fade = 1.0 - smooth_step(np.arange(ease) / ease)
            middle[run] += fade[:, None] * (place - middle[frame])

    def _slip(self, clip: Clip, middle: np.ndarray, turned: np.ndarray, inside: slice) -> np.ndarray:
        """(n, 3) metres from where the hands were meant to have it to where they have it."""
        slips = []
        for side in self.sides:
            joint = clip.skeleton.joint(f"{side}_hand")
            wrist = clip.positions[inside, joint]
            if self.piece.both:
                meant = middle[inside] + rot.rotate(turned[inside], self.piece.wrist(side))
                slips.append(wrist - meant)
            else:
                # it hangs below the fist, wherever the hand points
                hand = rot.normalize(clip.tip_positions[inside, joint] - wrist)
                fist = wrist + FIST_FROM_WRIST * self.body.arm_scale * hand
                below = np.array([0.0, 0.5 * self.piece.size[1] + HANDLE, 0.0])
                slips.append(fist - below - middle[inside])
        return np.mean(slips, axis=0)
