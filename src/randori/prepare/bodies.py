"""Bodies that play a library's frames, drawn towards a reference posture, tick by tick.

Fixed data is in a `Model`, changing data in a `State`; the loop over both is a kernel.
"""

from collections.abc import Mapping

import numpy as np

from randori.errors import RandoriError
from randori.graph.joining import Walk
from randori.graph.library import ActionLibrary
from randori.kernels import prepared_pose
from randori.kernels.prepared_body import (
    BODY,
    FOOT,
    FOOT_TICK,
    LEG,
    STEPPING,
    SWINGING,
    Model,
    Scratch,
    Shown,
    State,
)
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.feet import foot_levels, leg_length
from randori.motion.inverse_kinematics import find_limb
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton
from randori.motion.transition import OVERSHOOT, ROOT_ALLOWANCE, TURN_ALLOWANCE
from randori.physics.floor import stay_above

# Equation 1's constants. The paper prints 0.5 for the upper body and says that the arms lead; by its own
# equation they lead with the inverse. Legs follow in a straight line.
UPPER_CURVE = 2.0
LOWER_CURVE = 1.0
# as in motion/transition.py: the largest excursion of an offset that starts at 1 per second
_PEAK = 16.0 / 81.0
# as in graph/joining.py
_BRAKING_DECELERATION = 220.0  # radians per second²
_STOPPING_FACTOR = 0.78  # v² / braking, radians that a speed v carries on for
_MOST_SWING = 1.0  # radians
_HASTY_SHARE = 0.95  # share of the level that 99.9 % of the recorded joints and frames stay below


def find_curves(skeleton: Skeleton, changes: Mapping[str, float] | None = None) -> np.ndarray:
    """(J,) equation 1's constant for every joint; `changes` are by body part."""
    curves = np.full(len(skeleton), UPPER_CURVE)
    curves[[0, skeleton.joint("pelvis")]] = LOWER_CURVE
    legs = {skeleton.joint(f"{side}_thigh") for side in SIDES}
    for joint in range(1, len(skeleton)):
        # a hip joint without a name, or a toe's end, goes with its leg
        if any(_above(skeleton, joint, leg) or _above(skeleton, leg, joint) for leg in legs):
            curves[joint] = LOWER_CURVE
    for part, curve in (changes or {}).items():
        if not curve > 0.0:
            raise RandoriError(
                f"the curve of {part} is {curve:g}; it has to be above 0, 1 is a straight line"
            )
        curves[skeleton.joint(part)] = curve
    return curves


def _above(skeleton: Skeleton, joint: int, end: int) -> bool:
    """Whether a joint is on the way from the root to another one."""
    while end >= 0:
        if end == joint:
            return True
        end = int(skeleton.parents[end])
    return False


def make_model(library: ActionLibrary, curves: np.ndarray) -> Model:
    """The data of a library that the kernel needs."""
    skeleton = library.skeleton
    walking = library.clip(library.clips[0].start, library.clips[0].stop - 1)
    levels = foot_levels(walking)
    legs = [find_limb(skeleton, f"{side}_leg") for side in SIDES]
    balls = np.stack([_ball(skeleton, side) for side in SIDES])
    feet = [leg.end for leg in legs]
    ankle_height = library.positions[:, feet, 1]
    ball_height = ankle_height + rot.rotate(library.global_rotations[:, feet], balls)[..., 1]
    return Model(
        root=np.array(library.frames.root_position, dtype=float),  # its own: `lay_on_floor` changes it
        rotations=np.array(library.frames.rotations, dtype=float),
        contacts=np.ascontiguousarray(library.frames.contacts),
        heading=np.ascontiguousarray(library.placements[:, 2]),
        clip=np.ascontiguousarray(library.frames.clip, dtype=np.int64),
        accelerations=np.ascontiguousarray(library.accelerations, dtype=float),
        clearance=np.minimum(ankle_height - levels.ankle, ball_height - levels.ball),
        parents=skeleton.parents,
        offsets=skeleton.offsets,
        curve=curves,
        legs=np.array([tuple(leg) for leg in legs], dtype=LEG),
        balls=balls,
        hinges=np.stack([_hinge(library, leg.upper, leg.middle, leg.end) for leg in legs]),
        ankle_level=float(levels.ankle),
        ball_level=float(levels.ball),
        leg_length=float(leg_length(walking)),
        usual_acceleration=float(_HASTY_SHARE * library.usual_acceleration),
    )


def lay_on_floor(library: ActionLibrary, model: Model, first: int, last: int) -> None:
    """Lift bodies that are below the floor in the frames of a target motion or a fall; others stay."""
    clip, frames = library.clip(first, last), np.arange(first, last + 1)
    walk = Walk(clip, frames, np.full(len(frames), -1), frames[:0], library.frames.contacts[frames])
    lifted, changed = stay_above(walk)
    if not changed.any():
        return
    model.root[frames], model.rotations[frames] = lifted.clip.root_position, lifted.clip.rotations
    feet = model.legs["foot"]
    ankle = lifted.clip.positions[:, feet, 1]
    ball = ankle + rot.rotate(lifted.clip.global_rotations[:, feet], model.balls)[..., 1]
    model.clearance[frames] = np.minimum(ankle - model.ankle_level, ball - model.ball_level)


def _ball(skeleton: Skeleton, side: str) -> np.ndarray:
    """(3,) metres from the ankle to the ball of the foot, in the foot's frame."""
    foot, toes = skeleton.joint(f"{side}_foot"), skeleton.parts.get(f"{side}_toes")
    if toes is None:
        return skeleton.tips[foot]
    positions, turned = skeleton.reference_pose
    return rot.rotate(rot.inverse(turned[foot]), positions[toes] - positions[foot])


def _hinge(library: ActionLibrary, thigh: int, shin: int, foot: int) -> np.ndarray:
    """(3,) the axis that a knee bends about, in the frame of the bone above it: the mean of all frames."""
    above = int(library.skeleton.parents[shin])
    upper = library.positions[:, shin] - library.positions[:, thigh]
    lower = library.positions[:, foot] - library.positions[:, shin]
    across = rot.cross(rot.normalize(upper), rot.normalize(lower))
    return rot.normalize(rot.rotate(rot.inverse(library.global_rotations[:, above]), across).mean(axis=0))


class Bodies:
    """Some bodies on one library."""

    def __init__(self, model: Model, fps: float, count: int):
        joints = len(model.parents)
        self.model, self.fps = model, fps
        still = np.tile(rot.IDENTITY, (count, joints, 1))

        def zeros(*shape: int) -> np.ndarray:
            return np.zeros((count, *shape))

        bodies, feet = np.zeros(count, dtype=BODY), np.zeros((count, 2), dtype=FOOT)
        bodies["rate"] = bodies["stretch"] = 1.0
        bodies["joined"] = prepared_pose.JOIN
        feet["phase"], feet["clear"] = SWINGING, np.inf
        self.state = State(
            bodies=bodies,
            feet=feet,
            reference=still.copy(),
            reference_foot=np.tile(rot.IDENTITY, (count, 2, 1)),
            shown=still.copy(),
            before=still.copy(),
            offset=zeros(joints, 3),
            velocity=zeros(joints, 3),
            carried=zeros(joints),
            leg_shown=zeros(2, 3, 4),
            leg_before=zeros(2, 3, 4),
        )
        self.root = zeros(3)  # (N, 3) metres, as shown
        self.rotations = still.copy()  # (N, J, 4)
        self._last_root, self._last_rotations = self.root.copy(), self.rotations.copy()  # a tick ago
        self._scratch = Scratch(
            stream=np.empty((joints, 4)),
            blended=np.empty((joints, 4)),
            stream_place=np.empty((joints, 3)),
            stream_turned=np.empty((joints, 4)),
            place=np.empty((joints, 3)),
            turned=np.empty((joints, 4)),
            feet=np.zeros(2, dtype=FOOT_TICK),
            foot_turned=np.empty((2, 4)),
            ankles=np.empty((2, 3)),
        )
        self._speeds: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # by frame that a body continued with

    def place(self, body: int, frame: int, x: float, z: float, heading: float) -> None:
        """Put a body somewhere, in the pose of a frame."""
        state, pose = self.state, self._read(frame)
        own, feet = state.bodies[body], state.feet[body]
        own["cursor"] = frame
        own["place"] = x, z
        own["heading"] = heading
        own["height"] = self.model.root[frame, 1]
        own["joined"], own["ticks"] = prepared_pose.JOIN, 0
        state.shown[body] = state.before[body] = pose
        feet["phase"], feet["clear"] = SWINGING, np.inf
        feet["offset"] = feet["speed"] = 0.0
        turned = pose.copy()
        turned[0] = rot.multiply(rot.from_yaw(heading), pose[0])
        self.root[body] = x, self.model.root[frame, 1], z
        self.rotations[body] = turned

    def go_on(self, body: int, frame: int) -> None:
        """Continue with another frame of the library; the difference fades."""
        state, pose, fps = self.state, self._read(frame), self.fps
        own = state.bodies[body]
        if frame == round(float(own["cursor"])) and abs(own["cursor"] - frame) < 1e-9:
            return
        turn = rot.to_rotation_vector(rot.multiply(state.shown[body], rot.inverse(pose)))
        recorded, step = self._velocities(frame)
        last = rot.to_rotation_vector(rot.multiply(state.shown[body], rot.inverse(state.before[body]))) * fps
        inside = rot.rotate(rot.from_rotation_vector(turn), recorded)
        speed = rot.rotation_vector_rate(turn, last - inside)
        state.offset[body], state.velocity[body] = turn, speed
        length, fast = np.linalg.norm(turn, axis=-1), np.linalg.norm(speed, axis=-1)
        room = np.maximum(OVERSHOOT * length, TURN_ALLOWANCE) - length
        # a fast limb is braked no harder than people brake: it swings out
        room = np.maximum(room, np.minimum(_STOPPING_FACTOR * fast**2 / _BRAKING_DECELERATION, _MOST_SWING))
        state.carried[body] = np.minimum(prepared_pose.JOIN, room / (_PEAK * np.maximum(fast, 1e-12)))
        height = float(own["height"] - self.model.root[frame, 1])
        root_velocity = _vector(own["shown_velocity"]) - step
        own["root_offset"], own["root_velocity"] = height, tuple(root_velocity)
        room = max(OVERSHOOT * abs(height), ROOT_ALLOWANCE) - abs(height)
        fastest = max(float(np.linalg.norm(root_velocity)), 1e-12)
        own["root_carried"] = min(prepared_pose.JOIN, room / (_PEAK * fastest))
        own["cursor"], own["joined"] = frame, 0.0

    def _velocities(self, frame: int) -> tuple[np.ndarray, np.ndarray]:
        """(J, 3) radians and (3,) metres per second at a recorded frame: joints; root aside, ahead, up.

        Over two frames to either side, so that the jitter of one does not count.
        """
        if frame not in self._speeds:
            self._speeds[frame] = self._find_velocities(frame)
        return self._speeds[frame]

    def _find_velocities(self, frame: int) -> tuple[np.ndarray, np.ndarray]:
        clip, model = self.model.clip, self.model
        near = np.arange(max(frame - 2, 0), min(frame + 3, len(clip)))
        near = near[clip[near] == clip[frame]]
        poses = np.stack([self._read(int(one)) for one in near])
        turns = rot.to_rotation_vector(rot.multiply(poses[1:], rot.inverse(poses[:-1])))
        steps = np.diff(model.root[near], axis=0)
        steps = rot.rotate(rot.from_yaw(-model.heading[near[:-1]]), steps)[:, [0, 2, 1]]
        return turns.mean(axis=0) * self.fps, steps.mean(axis=0) * self.fps

    def take_as_shown(self, body: int) -> None:
        """Make the visible pose the stream: the next action continues from there."""
        state, own, feet = self.state, self.state.bodies[body], self.state.feet[body]
        turn = rot.from_yaw(-float(own["heading"]))
        state.shown[body], state.before[body] = self.rotations[body], self._last_rotations[body]
        for poses in (state.shown, state.before):
            poses[body, 0] = rot.multiply(turn, poses[body, 0])
        own["height"] = self.root[body, 1]
        velocity = rot.rotate(turn, self.root[body] - self._last_root[body])[[0, 2, 1]]
        own["shown_velocity"] = tuple(velocity * self.fps)
        feet["clear"] += feet["offset"]["y"]
        feet["blend_x"], feet["blend_z"] = feet["shown"]["x"], feet["shown"]["z"]
        feet["offset"] = feet["speed"] = 0.0
        feet["phase"][feet["phase"] == STEPPING] = SWINGING
        own["sunk"] = own["sunk_speed"] = 0.0

    def face(self, body: int, angle: float) -> None:
        """Redefine the direction ahead as `angle` radians to the right of the old one: nothing moves."""
        state, own, turn = self.state, self.state.bodies[body], rot.from_yaw(angle)
        own["heading"] = rot.wrap_angle(own["heading"] - angle)
        for poses in (state.shown, state.before, state.reference):
            poses[body, 0] = rot.multiply(turn, poses[body, 0])
        state.reference_foot[body] = rot.multiply(turn, state.reference_foot[body])
        aside, ahead, up = _vector(own["shown_velocity"])
        moved = rot.rotate(turn, [aside, 0.0, ahead])
        own["shown_velocity"] = moved[0], moved[2], up

    def prepare_for(self, body: int, pose: np.ndarray, feet: np.ndarray, share: float = 1.0) -> None:
        """Draw the reference of a body towards a posture (J, 4) with its feet (2, 4), by a share."""
        state = self.state
        state.reference[body] = rot.slerp(state.reference[body], pose, np.array(share))
        state.reference_foot[body] = rot.slerp(state.reference_foot[body], feet, np.array(share))

    def step(self, levels: np.ndarray, held: bool = True) -> None:
        """One tick at levels of preparation (N,); `root` and `rotations` are its result."""
        self._last_root, self._last_rotations = self.root.copy(), self.rotations.copy()
        shown = Shown(self.root, self.rotations)
        prepared_pose.advance(self.model, self.state, self._scratch, levels, 1.0 / self.fps, held, shown)

    def _read(self, frame: int) -> np.ndarray:
        """(J, 4) a recorded pose, joint 0 as its heading sees it."""
        return posture(self.model, frame)


def _vector(record: np.void) -> np.ndarray:
    """The numbers of a record as an array."""
    return np.array(record.tolist())


def posture(model: Model, frame: int) -> np.ndarray:
    """(J, 4) a recorded pose, joint 0 as its heading sees it."""
    pose = model.rotations[frame].copy()
    pose[0] = rot.multiply(rot.from_yaw(-model.heading[frame]), pose[0])
    return pose


def posture_feet(model: Model, skeleton: Skeleton, frame: int) -> np.ndarray:
    """(2, 4) how the feet of a recorded pose are turned, as its heading sees them."""
    _, turned = skeleton.forward(np.zeros((1, 3)), posture(model, frame)[None])
    return turned[0, model.legs["foot"]]


def blend_clip(
    library: ActionLibrary,
    model: Model,
    first: int,
    last: int,
    reference: int,
    levels: np.ndarray,
    held: bool = True,
) -> Clip:
    """Frames of a library drawn towards the posture of another frame; levels (last - first + 1,)."""
    bodies = Bodies(model, library.fps, 1)
    x, _, z = library.frames.root_position[first]
    bodies.place(0, first, float(x), float(z), float(model.heading[first]))
    bodies.prepare_for(0, posture(model, reference), posture_feet(model, library.skeleton, reference))
    roots, rotations = [], []
    for number, level in enumerate(levels):
        # the first frame is shown without going on
        bodies.state.bodies["rate"][0] = float(number > 0)
        bodies.step(np.array([level]), held)
        roots.append(bodies.root[0].copy())
        rotations.append(bodies.rotations[0].copy())
    clip = library.clip(first, last)
    return clip.with_frames(np.array(roots), rot.unroll(np.array(rotations)))
