"""A recording as an observer sees it: the places of body parts, sixty times a second.

All of the analysis is based on these signals. Their rate is always the same, and so is the body's size:
lengths are those of a person whose legs are 0.85 m long. Hips, chest and head are followed at fixed heights
of the trunk, independent of a rig's joints. So thresholds hold for every frame rate, size and rig.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.feet import contacts_of_points, foot_points
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton

RATE = 60.0  # samples per second
_CAMERA_NOISE = 0.008  # seconds, standard deviation of the filter for recordings faster than that
# A track that shakes is filtered more, until its remaining noise is slower than a resting hand.
_RESTING_NOISE = 0.04  # m/s, of the standard size
_LONGEST_FILTER = 0.03  # seconds, standard deviation: a jab reaches its fastest in three times that
_SLOWEST_SEEN = 50.0  # frames a second: in slower recordings a fast fist looks like noise
_COMPARED_FRAMES = 4000  # frames are enough to see how much a track shakes
_YAW_RADIUS = 0.3  # metres from the middle of a body to where a turn is seen
_FOURTH_DIFFERENCE = np.sqrt(70.0)  # its standard deviation for white noise of 1
# quantile of the absolute values of a normal distribution with a standard deviation of 1
_LOWER_QUARTILE = 0.3186
_BALL = (0.0, -0.075, 0.15)  # share of the leg, from an ankle to the ball of the foot in the T
STANDARD_LEG = 0.85  # metres from hip to ankle: every recording is measured as if its legs had this length
# Levels at which hips, chest and head are followed, in heights from hips to shoulders in the T-pose.
_HEIGHTS = {"pelvis": 0.07, "chest": 0.55, "head": 1.28}
_SAME_HEIGHT = 0.02  # share of the same: a joint that near is taken as it is
_FACING_SMOOTHING = (
    0.35  # seconds, standard deviation: where a person faces is where the head looks on average
)

_GUARD_HEIGHT = 0.34  # share of the way from pelvis to shoulders: tired boxers 0.4 to 0.6, runners up to 0.33
_GUARD_SPELL = 0.8  # seconds, standard deviation: a guard is not dropped for one punch
_SHORTEST_GUARD = 2.0  # seconds: a walker who punches once is no boxer
_LONGEST_DROP = 3.5  # seconds that a boxer lets the hands hang
_RUNNING_SPEED = 1.6  # m/s, over a spell: fighters who hurry have 1.1

# The parts that are followed; `chest` falls back to the joints of a simple rig.
_MIDDLE = ("pelvis", "chest", "head")
_LIMBS = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")


@dataclass(frozen=True, eq=False)
class Signals:
    """N samples of the body. Lengths in metres of the standard size, angles in radians, speeds per second."""

    fps: float  # of the recording
    frames: int  # of the recording
    places: dict[str, np.ndarray]  # part → (N, 3) in the world; `left_toes` are the ball of the foot
    turns: dict[str, np.ndarray]  # head, chest, pelvis → (N,) yaw, without jumps
    contacts: np.ndarray  # (N, 2) bool: left and right foot stand
    leg: float  # hip to ankle
    arm: float  # shoulder to wrist
    size: float = 1.0  # metres of the recording for one metre here
    guessed: bool = False  # the weapon has no joint of its own: its direction follows from the hands

    def __len__(self) -> int:
        return len(self.contacts)

    @property
    def armed(self) -> bool:
        """There is a weapon, and its point is followed."""
        return "weapon" in self.places

    @cached_property
    def facing(self) -> np.ndarray:
        """(N,) the yaw that the body faces: the head's, without its quick turns."""
        return smoothed(self.turns["head"], _FACING_SMOOTHING)

    @cached_property
    def airborne(self) -> np.ndarray:
        """(N,) bool: no foot stands."""
        return np.asarray(~self.contacts.any(axis=1))

    @cached_property
    def floor(self) -> float:
        """The height of an ankle that stands."""
        heights = [self.places[f"{side}_foot"][self.contacts[:, k], 1] for k, side in enumerate(SIDES)]
        standing = np.concatenate(heights)
        if len(standing):
            return float(np.median(standing))
        return float(min(self.places[f"{side}_foot"][:, 1].min() for side in SIDES))

    @cached_property
    def standing_height(self) -> float:
        """The usual height of an upright pelvis above the ankles: near the length of a leg."""
        height = self.places["pelvis"][:, 1] - self.floor
        upright = height[height > 0.75 * self.leg]
        return float(np.median(upright)) if len(upright) else self.leg

    def seen(self, vectors: np.ndarray, at: slice | np.ndarray | int | None = None) -> np.ndarray:
        """Vectors (N, 3) of the world in the body's frame: (forward, left, up)."""
        return in_frame(vectors, self.facing if at is None else self.facing[at])

    @cached_property
    def velocities(self) -> dict[str, np.ndarray]:
        """part → (N, 3) metres per second in the world."""
        return {part: derivative(place) for part, place in self.places.items()}

    def speed(self, part: str) -> np.ndarray:
        """(N,) metres per second of a part in the world."""
        if part not in self._speeds:
            self._speeds[part] = np.linalg.norm(self.velocities[part], axis=-1)
        return self._speeds[part]

    @cached_property
    def _speeds(self) -> dict[str, np.ndarray]:
        return {}

    def frame(self, sample: float) -> int:
        """The frame of the recording nearest to a sample."""
        return min(max(round(sample * self.fps / RATE), 0), self.frames)


def in_frame(vectors: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """Vectors (..., 3) of the world as (forward, left, up) of a person who faces along a yaw."""
    s, c = np.sin(yaw), np.cos(yaw)
    x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    forward, left = x * s + z * c, x * c - z * s
    if np.ndim(forward) == 0:  # one vector, as most are: stacking takes ten times as long as the rest
        return np.array([forward, left, y])
    return np.stack([forward, left, np.broadcast_to(y, forward.shape)], axis=-1)


def forward_of(vectors: np.ndarray, yaw: float) -> np.ndarray:
    """(N,) the forward components of vectors (N, 3) of the world, for a person who faces along a yaw."""
    return np.asarray(vectors[:, 0] * np.sin(yaw) + vectors[:, 2] * np.cos(yaw))


def smoothed(values: np.ndarray, seconds: float, rate: float = RATE) -> np.ndarray:
    """Values (N, ...) after a Gaussian filter with this standard deviation; the ends are held."""
    reach = int(np.ceil(3.0 * seconds * rate))
    if reach < 1 or len(values) < 2:
        return np.array(values, dtype=float)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (seconds * rate)) ** 2)
    kernel /= kernel.sum()
    flat = np.asarray(values, dtype=float).reshape(len(values), -1)
    padded = np.concatenate([np.repeat(flat[:1], reach, 0), flat, np.repeat(flat[-1:], reach, 0)])
    columns = [np.convolve(padded[:, k], kernel, mode="valid") for k in range(flat.shape[1])]
    return np.stack(columns, axis=1).reshape(np.shape(values))


def derivative(values: np.ndarray) -> np.ndarray:
    """Change per second of samples (N, ...)."""
    if len(values) < 2:
        return np.zeros_like(values)
    return np.asarray(np.gradient(values, axis=0)) * RATE


def on_guard(signals: Signals) -> np.ndarray:
    """(N,) bool: the hands are up, or hold a weapon, and the body is not running."""
    if signals.armed:
        return np.ones(len(signals), dtype=bool)
    places = signals.places
    shoulders, hands = (
        0.5 * (places[f"left_{part}"][:, 1] + places[f"right_{part}"][:, 1]) for part in ("upper_arm", "hand")
    )
    pelvis = places["pelvis"][:, 1]
    share = (hands - pelvis) / np.maximum(shoulders - pelvis, 0.4 * signals.arm)
    speed = np.linalg.norm(signals.velocities["pelvis"][:, [0, 2]], axis=-1)
    up = smoothed(np.clip(share, -0.5, 1.2), _GUARD_SPELL) > _GUARD_HEIGHT
    fast = smoothed(speed, _GUARD_SPELL) > _RUNNING_SPEED
    guard = np.asarray(up & ~fast)
    for state in (False, True):
        for first, last in runs(guard == state):
            shortest = _SHORTEST_GUARD if state else _LONGEST_DROP
            inside = first > 0 and last < len(guard) and last - first < shortest * RATE
            if inside and not (not state and fast[first:last].any()):
                guard[first:last] = not state
    return guard


def runs(mask: np.ndarray) -> list[tuple[int, int]]:
    """The stretches in which a mask (N,) is true, as (first, one after the last)."""
    edges = np.diff(np.concatenate([[0], mask.astype(np.int8), [0]]))
    return list(zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist()))


def observe(clip: Clip) -> Signals:
    """Measure a clip."""
    skeleton = clip.skeleton
    legs = [skeleton.length_between(skeleton.joint(f"{s}_foot"), skeleton.joint(f"{s}_thigh")) for s in SIDES]
    size = float(np.mean(legs)) / STANDARD_LEG
    if abs(size - 1.0) < 1e-9:
        size = 1.0
    limbs = [f"{side}_{limb}" for side in SIDES for limb in _LIMBS]
    names = [*_MIDDLE, *limbs]
    points = _with_balls(clip, foot_points(clip)) / size
    for foot, point in np.ndindex(2, 2):
        points[:, foot, point] = _without_noise(points[:, foot, point], clip.fps)
    tracks = [_trunk_point(clip, part) for part in _MIDDLE]
    tracks += [clip.positions[:, skeleton.parts.get(part, skeleton.joint("pelvis"))] for part in limbs]
    if "weapon" in skeleton.parts:
        weapon = skeleton.joint("weapon")
        turned = clip.global_rotations[:, weapon]
        tracks += [
            clip.positions[:, weapon] + rot.rotate(turned, skeleton.tips[weapon]),
            clip.positions[:, weapon],
        ]
        names += ["weapon", "hilt"]

    samples = max(round((len(clip) - 1) * RATE / clip.fps) + 1, 1)
    quiet = {name: _without_noise(track / size, clip.fps) for name, track in zip(names, tracks)}
    quiet |= {f"{side}_toes": points[:, foot, 1] for foot, side in enumerate(SIDES)}
    places = {
        name: np.stack([_resampled(row, clip.fps, samples) for row in track.T], axis=1)
        for name, track in quiet.items()
    }
    turns = _without_noise(_YAW_RADIUS * _yaws(clip).T, clip.fps).T / _YAW_RADIUS
    yaws = [_resampled(row, clip.fps, samples) for row in turns]
    frame = np.clip(np.round(np.arange(samples) * clip.fps / RATE).astype(int), 0, len(clip) - 1)
    joint = skeleton.joint
    arm = float(
        np.mean([skeleton.length_between(joint(f"{s}_hand"), joint(f"{s}_upper_arm")) for s in SIDES])
    )
    return Signals(
        clip.fps,
        len(clip),
        places,
        dict(zip(_MIDDLE, yaws)),
        contacts_of_points(points, clip.fps, STANDARD_LEG)[frame],
        STANDARD_LEG,
        arm / size,
        size,
    )


def _with_balls(clip: Clip, points: np.ndarray) -> np.ndarray:
    """Ankles and balls (F, 2, 2, 3) of feet; on a rig without any bone of the foot the balls are estimated.

    An ankle alone seems to fly as soon as the heel rises, and a walk would be a run.
    """
    for foot, side in enumerate(SIDES):
        joint = clip.skeleton.joint(f"{side}_foot")
        if f"{side}_toes" not in clip.skeleton.parts and not clip.skeleton.tips[joint].any():
            leg = clip.skeleton.length_between(joint, clip.skeleton.joint(f"{side}_thigh"))
            ball = rot.rotate(clip.turned(f"{side}_foot"), leg * np.array(_BALL))
            points[:, foot, 1] = points[:, foot, 0] + ball
    return points


def _without_noise(track: np.ndarray, fps: float) -> np.ndarray:
    """A track (F, K) in metres of the standard size, filtered as much as it shakes; else as it is.

    White noise is seen in the fourth difference, where motion of a body hardly shows. The lower quartile
    belongs to the quiet moments.
    """
    if fps < _SLOWEST_SEEN or len(track) < 8:
        return track
    shaking = np.abs(np.diff(track, n=4, axis=0))[:: max(len(track) // _COMPARED_FRAMES, 1)]
    noise = float(np.quantile(shaking, 0.25)) / (_LOWER_QUARTILE * _FOURTH_DIFFERENCE)
    # the speed of white noise after a Gaussian filter of `width` seconds: noise / sqrt(4 √π width³ fps)
    width = (noise**2 / (4.0 * np.sqrt(np.pi) * fps * _RESTING_NOISE**2)) ** (1.0 / 3.0)
    return track if width < _CAMERA_NOISE else smoothed(track, min(width, _LONGEST_FILTER), fps)


def _trunk_point(clip: Clip, part: str) -> np.ndarray:
    """(F, 3) metres: a point of hips, chest or head that is at the same height of the trunk in every rig."""
    skeleton = clip.skeleton
    joint = skeleton.parts.get(part, skeleton.joint("pelvis"))
    heights = skeleton.reference_pose[0][:, 1]
    low, high = (
        float(np.mean([heights[skeleton.joint(f"{side}_{limb}")] for side in SIDES]))
        for limb in ("thigh", "upper_arm")
    )
    wanted = low + _HEIGHTS[part] * (high - low)
    if part not in skeleton.parts or abs(heights[joint] - wanted) < _SAME_HEIGHT * (high - low):
        return np.asarray(clip.positions[:, joint])
    chain = _trunk(skeleton)
    for below, above in pairwise(chain):
        if heights[below] <= wanted < heights[above]:
            share = (wanted - heights[below]) / (heights[above] - heights[below])
            return np.asarray((1.0 - share) * clip.positions[:, below] + share * clip.positions[:, above])
    # below the pelvis's joint or above the head's: it goes with that joint
    end = chain[0] if wanted < heights[chain[0]] else chain[-1]
    owner = "pelvis" if end == chain[0] else "head"
    return clip.positions[:, end] + rot.rotate(clip.turned(owner), (wanted - heights[end]) * rot.Y_AXIS)


def _trunk(skeleton: Skeleton) -> list[int]:
    """The joints from the pelvis to the head."""
    chain = [skeleton.joint("head")]
    while chain[-1] != skeleton.joint("pelvis") and skeleton.parents[chain[-1]] >= 0:
        chain.append(int(skeleton.parents[chain[-1]]))
    return chain[::-1]


def _yaws(clip: Clip) -> np.ndarray:
    """(3, F) the twists of hips, chest and head about the vertical, without jumps.

    They begin within half a turn of each other, so that their mean is where the body faces.
    """
    yaws = np.stack([np.unwrap(_yaw(clip, part)) for part in _MIDDLE])
    turn = 2.0 * np.pi
    for row in yaws[1:]:
        row -= turn * np.round(np.median(row - yaws[0]) / turn)
    return yaws


def _yaw(clip: Clip, part: str) -> np.ndarray:
    """(F,) the twist of a part about the vertical."""
    return np.asarray(rot.yaw(clip.turned(part if part in clip.skeleton.parts else "pelvis")))


def _resampled(values: np.ndarray, fps: float, samples: int) -> np.ndarray:
    """(samples,) of values (F,): a smooth curve through slow recordings, the average of fast ones."""
    if fps > 1.2 * RATE:
        values = smoothed(values, _CAMERA_NOISE, fps)
    step = round(fps / RATE)
    if len(values) < 3 or (fps == step * RATE and (samples - 1) * step < len(values)):
        return np.ascontiguousarray(values[:: max(step, 1)][:samples])  # no sample lies between two frames
    # cubic Hermite: the slopes are those of the parabola through three neighbours
    slope = np.gradient(values)
    where = np.minimum(np.arange(samples) * fps / RATE, len(values) - 1)
    left = np.minimum(where.astype(int), len(values) - 2)
    t = where - left
    a, b, da, db = values[left], values[left + 1], slope[left], slope[left + 1]
    return np.asarray(
        a * (1 + 2 * t) * (1 - t) ** 2 + da * t * (1 - t) ** 2 + b * t**2 * (3 - 2 * t) + db * t**2 * (t - 1)
    )
