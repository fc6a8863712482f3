"""A report on a body in motion: what a person would notice as impossible."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from randori.motion import feet
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.parts import SIDES

# Limits of the performer; people notice 21 mm of sliding
DRIFT_LIMIT = 0.005  # metres
BACKWARDS_LIMIT = np.radians(5.0)  # a straight knee measures a little to either side
BALANCE_LIMIT = 0.02  # metres outside the feet
FLOOR_LIMIT = 0.005  # metres below the lowest that standing feet have
HAND_LIMIT = 0.005  # metres inside

# Shares of the body's mass and where along the segment they sit (after Dempster)
_MASSES = (
    ("pelvis", "neck", 0.497, 0.5),
    ("neck", "head", 0.081, 1.0),
    *(
        row
        for side in SIDES
        for row in (
            (f"{side}_upper_arm", f"{side}_forearm", 0.028, 0.436),
            (f"{side}_forearm", f"{side}_hand", 0.022, 0.5),
            (f"{side}_thigh", f"{side}_shin", 0.100, 0.433),
            (f"{side}_shin", f"{side}_foot", 0.061, 0.5),
        )
    ),
)
_TORSO_RADIUS, _HEAD_RADIUS, _FIST_RADIUS = 0.105, 0.095, 0.03  # metres for a person of 1.75 m
_STILL_SPEED = 0.12  # metres per second of pelvis, head and hands: the body is not on its way anywhere
_UPRIGHT_HEIGHT = 0.7  # of the leg's length that the pelvis is high when the feet carry the body
_JOLT_RATE = 30.0  # frames per second at which accelerations are compared, for any rate of the recording
_RATE = 60.0  # frames a second, of what is measured


@dataclass(frozen=True)
class BodyReport:
    """Figures of one clip, in metres, degrees and seconds."""

    seconds: float
    planted_phases: int
    planted_drift: float  # metres, worst planted phase
    planted_drift_usual: float  # metres, median
    elbow_backwards: float  # degrees, worst
    knee_backwards: float
    hand_inside: float  # metres, deepest that a fist is in the own trunk or head
    still_seconds: float  # in which balance can be judged
    off_balance: float  # metres, farthest that the centre of mass is outside the feet when still
    jolt_usual: float  # rad/s², angular acceleration of the worst joint at 30 fps: median,
    jolt_rare: float  # 99.9 % of the frames stay below,
    jolt_worst: float  # and the largest
    below_floor: float  # metres, deepest joint below where standing feet are

    def as_dict(self) -> dict[str, float]:
        """For JSON."""
        return asdict(self)

    def in_words(self) -> str:
        """One line per check."""
        return "\n".join(f"{'ok  ' if fine else 'look'}  {sentence}" for fine, sentence in self._sentences())

    def _sentences(self) -> Iterator[tuple[bool, str]]:
        yield (
            self.planted_drift <= DRIFT_LIMIT,
            f"planted feet drift {1000 * self.planted_drift:.1f} mm at worst, "
            f"{1000 * self.planted_drift_usual:.1f} mm usually, in {self.planted_phases} phases",
        )
        worst = max(self.elbow_backwards, self.knee_backwards)
        yield (
            worst <= np.degrees(BACKWARDS_LIMIT),
            f"elbows bend backwards {self.elbow_backwards:.0f}°, knees {self.knee_backwards:.0f}°",
        )
        yield (
            self.hand_inside <= HAND_LIMIT,
            f"hands are {100 * self.hand_inside:.1f} cm inside the own body at worst",
        )
        yield (
            self.off_balance <= BALANCE_LIMIT,
            f"the centre of mass is {100 * self.off_balance:.1f} cm outside the feet at worst, "
            f"in {self.still_seconds:.1f} s of standing still",
        )
        yield (
            self.below_floor <= FLOOR_LIMIT,
            f"the lowest joint is {100 * self.below_floor:.1f} cm below the floor",
        )
        yield (
            True,
            f"joints accelerate by {self.jolt_usual:.0f} rad/s² usually, {self.jolt_rare:.0f} in one frame "
            f"of a thousand, {self.jolt_worst:.0f} at worst",
        )


def check(clip: Clip) -> BodyReport:
    """Measure a clip whose body parts are known; nothing here needs more than sixty frames a second."""
    clip = clip.thinned(int(clip.fps // _RATE))
    # feet beside a body that lies carry nothing
    up = clip.positions[:, clip.skeleton.joint("pelvis"), 1] > _UPRIGHT_HEIGHT * feet.leg_length(clip)
    contacts = feet.foot_contacts(clip) & up[:, None]
    slides = feet.foot_slide(clip, contacts)
    levels = feet.foot_levels(clip)
    still = _still_frames(clip) & contacts.all(axis=-1)
    outside = _outside_feet(clip, still)
    jolts = angular_accelerations(clip).max(axis=-1, initial=0.0)
    # the ball of a standing foot is a little above its sole
    sole = min(levels.ball, 0.03)
    lowest = min(clip.positions[..., 1].min(), _lowest_tip(clip))
    return BodyReport(
        seconds=clip.duration,
        planted_phases=len(slides),
        planted_drift=float(slides.max(initial=0.0)),
        planted_drift_usual=float(np.median(slides)) if len(slides) else 0.0,
        elbow_backwards=max(_backwards(clip, side, "upper_arm", "forearm", "hand") for side in SIDES),
        knee_backwards=max(_backwards(clip, side, "thigh", "shin", "foot") for side in SIDES),
        hand_inside=float(hand_depth(clip).max(initial=0.0)),
        still_seconds=float(still.sum() / clip.fps),
        off_balance=float(outside.max(initial=0.0)),
        jolt_usual=float(np.median(jolts)) if len(jolts) else 0.0,
        jolt_rare=float(np.percentile(jolts, 99.9)) if len(jolts) else 0.0,
        jolt_worst=float(jolts.max(initial=0.0)),
        below_floor=float(max(levels.ball - sole - lowest, 0.0)),
    )


def _lowest_tip(clip: Clip) -> float:
    """Metres: how low the end of a last bone gets."""
    joints = np.flatnonzero(clip.skeleton.tips.any(axis=1))
    ends = rot.rotate(clip.global_rotations[:, joints], clip.skeleton.tips[joints])[..., 1]
    return float((clip.positions[:, joints, 1] + ends).min(initial=np.inf))


def angular_accelerations(clip: Clip) -> np.ndarray:
    """(F', J) rad/s², how fast the angular velocity of each joint changes, seen at 30 frames a second."""
    step = max(round(clip.fps / _JOLT_RATE), 1)
    rotations = clip.rotations[::step]
    if len(rotations) < 3:
        return np.zeros((0, len(clip.skeleton)))
    rate = clip.fps / step
    velocity = rot.to_rotation_vector(rot.multiply(rot.inverse(rotations[:-1]), rotations[1:])) * rate
    return np.linalg.norm(np.diff(velocity, axis=0), axis=-1) * rate


def centre_of_mass(clip: Clip) -> np.ndarray:
    """(F, 3) metres."""
    total, weight = np.zeros((len(clip), 3)), 0.0
    for upper, lower, mass, along in _MASSES:
        a, b = (clip.positions[:, _joint(clip, part)] for part in (upper, lower))
        total += mass * (a + along * (b - a))
        weight += mass
    return total / weight


def _joint(clip: Clip, part: str) -> int:
    """The joint of a part; on a rig without a neck, the head's joint is where the trunk ends."""
    known = clip.skeleton.parts
    return clip.skeleton.joint("head" if part == "neck" and part not in known else part)


def _still_frames(clip: Clip) -> np.ndarray:
    """(F,) bool: pelvis, head and hands hardly move over half a second."""
    still = np.ones(len(clip), dtype=bool)
    step = max(int(0.25 * clip.fps), 1)
    for part in ("pelvis", "head", "left_hand", "right_hand"):
        place = clip.positions[:, clip.skeleton.joint(part)]
        before, after = np.roll(place, step, axis=0), np.roll(place, -step, axis=0)
        still &= np.linalg.norm(after - before, axis=-1) * clip.fps / (2 * step) < _STILL_SPEED
        # a body that is back where it was half a second ago may have been out on a thrust in between
        still &= (
            np.linalg.norm(place - 0.5 * (before + after), axis=-1) * clip.fps / (2 * step) < _STILL_SPEED
        )
    still[:step] = still[len(still) - step :] = False
    return still


def _outside_feet(clip: Clip, frames: np.ndarray) -> np.ndarray:
    """(N,) metres that the centre of mass is outside the hull of both feet, seen from above.

    For the frames that a mask (F,) chooses.
    """
    scale = feet.leg_length(clip) / 0.85
    points = feet.foot_points(clip)[frames].reshape(-1, 4, 3)
    ahead = rot.normalize(points[:, 1::2] - points[:, 0::2])
    soles = np.concatenate(
        [points[:, 0::2] - 0.06 * scale * ahead, points[:, 1::2] + 0.07 * scale * ahead], axis=1
    )[..., [0, 2]]
    mass = centre_of_mass(clip)[frames][:, [0, 2]]
    # the distance outside a convex hull is the largest over directions of how far it sticks out
    angles = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    half_a_foot = 0.04 * scale
    return np.max(mass @ ways.T - np.max(soles @ ways.T, axis=1) - half_a_foot, axis=-1)


def _backwards(clip: Clip, side: str, upper: str, middle: str, end: str) -> float:
    """Degrees, the most that an elbow or a knee is bent the wrong way."""
    joint = clip.skeleton.joint
    turned = clip.turned(f"{side}_{upper}")
    bone = clip.positions[:, joint(f"{side}_{end}")] - clip.positions[:, joint(f"{side}_{middle}")]
    inner = rot.normalize(rot.rotate(rot.inverse(turned), bone))
    if middle == "forearm":
        along, fold = inner[:, 0] * (1.0 if side == "left" else -1.0), inner[:, 2]
    else:
        along, fold = -inner[:, 1], -inner[:, 2]
    angle = np.degrees(np.arctan2(-fold, along))
    # more than a right angle is a fold whose twist lies in another bone, not a broken joint
    return float(np.where(np.abs(angle) < 90.0, angle, 0.0).max(initial=0.0))


def _tip(clip: Clip, part: str) -> np.ndarray:
    """(F, 3) metres, the end of a part's last bone."""
    joint = clip.skeleton.joint(part)
    return clip.positions[:, joint] + rot.rotate(clip.global_rotations[:, joint], clip.skeleton.tips[joint])


def hand_depth(clip: Clip) -> np.ndarray:
    """(F, 2) metres that each fist is inside the own trunk or head."""
    joint, scale = clip.skeleton.joint, feet.leg_length(clip) / 0.85
    place = clip.positions
    low, high, head = (place[:, _joint(clip, part)] for part in ("pelvis", "neck", "head"))
    crown = _tip(clip, "head")
    skull = head + 0.5 * (crown - head)
    depths = []
    for side in SIDES:
        wrist = place[:, joint(f"{side}_hand")]
        tip = _tip(clip, f"{side}_hand")
        fist = wrist + 0.4 * (tip - wrist)
        axis = high - low
        along = np.clip(np.sum((fist - low) * axis, axis=-1) / np.sum(axis * axis, axis=-1), 0.0, 0.85)
        trunk = np.linalg.norm(fist - low - along[:, None] * axis, axis=-1)
        in_trunk = (_TORSO_RADIUS + _FIST_RADIUS) * scale - trunk
        in_head = (_HEAD_RADIUS + _FIST_RADIUS) * scale - np.linalg.norm(fist - skull, axis=-1)
        depths.append(np.maximum(np.maximum(in_trunk, in_head), 0.0))
    return np.stack(depths, axis=-1)
