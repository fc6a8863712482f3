"""The reference posture of a target motion: the stance just before it (PREPARE section 4.2).

From the first frame of the movement itself we go back to the first posture that is stable, stands on the
same feet as the start of the recording, and has its legs about as they are there. Then locomotion can be
drawn towards it without changing its order of steps.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from randori.errors import RandoriError
from randori.graph.library import EFFECTORS, ActionLibrary
from randori.graph.locomotion_graph import TARGET, LocomotionGraph
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.feet import foot_points, leg_length
from randori.motion.parts import SIDES
from randori.performer.checks import centre_of_mass

PUNCH, KICK, CRAWL, DUCK, JUMP = "punch", "kick", "crawl", "duck", "jump"  # kinds of target motions
DONE_TO_THINGS = ("attack", "target")  # kinds of target motions: being hit is not prepared for
LEGS = 2.5  # radians², the sum over thighs, shins and feet that the legs may differ from frame 0 by
_BALANCE_MARGIN = 0.02  # metres that the centre of mass may be past the edge of the feet
# a sole reaches beyond its ankle and its ball, and to both sides, for a leg of 0.85 m
_HEEL, _TOES, _HALF_WIDTH = 0.06, 0.07, 0.04  # metres
_MOVEMENT_SHARE = 0.8  # share of the pelvis' way up or down from which on the movement itself has begun
_AFTER_STRIKE = 0.25  # seconds after its full reach in which a limb comes back
_NEAR_START = 0.45  # seconds by which a cut may miss the moment in which both feet stand
# metres that the pelvis may be lower than at the end, for a walker that is up again
_UPRIGHT_TOLERANCE = 0.03
_ON_THE_FLOOR = 0.35  # metres: a foot that is fastest below this kicks something that lies there
# A foot that swings through comes down from behind, meets such a thing where it is lowest, and is fastest
# a moment later. The feet of other kicks only rise.
_SWEEP = 0.1  # seconds before it is fastest
_COMES_DOWN = 0.05  # metres in that time
_SAMPLE_SPACING = 0.05  # metres between the places at which a body is looked at that passes something
PASSING = 0.12  # metres before and behind a bar in which a body must not touch it
_AS_GOOD = 0.02  # metres: places at which a bar can be so much lower, or higher, are as good
_CRAWLING_HANDS_HEIGHT = 0.25  # metres: a walker with lower hands crawls
_FRONTAL_ANGLE = np.radians(25.0)  # from the pelvis' direction, for a strike straight ahead
_LEG_PARTS = ("thigh", "shin", "foot")


@dataclass(frozen=True)
class TargetMotion:
    """A target motion of a library, and the moments that matter in it. All frames are the library's."""

    action: int
    technique: str  # its name in the recording: punch, kick ball, front kick, crawl under …
    doing: str  # its kind: PUNCH, KICK, CRAWL, DUCK or JUMP
    start: int  # its first frame, as an action
    movement: int  # the first frame of the movement itself
    effect: int  # the frame in which it meets its aim: the fist at its reach, the pelvis past a bar
    finish: int  # the last frame of the movement itself
    stop: int  # the last frame that is played
    reference: int  # the frame of the reference posture
    launch: tuple[
        float, float
    ]  # metres aside and ahead of the pelvis in the reference: where it takes effect

    @property
    def range(self) -> float:
        """Metres from its aim at which it is launched."""
        return float(np.hypot(*self.launch))

    @property
    def aim(self) -> float:
        """Radians from where the pelvis points in the reference to where it takes effect."""
        return float(np.arctan2(*self.launch))


def find_targets(graph: LocomotionGraph) -> dict[str, TargetMotion]:
    """One target motion per technique: of several, the one with the most distinctive reference posture.

    One that a gait leads into is preferred. But it is launched out of its reference posture, so one that
    was recorded out of a run, which nothing else leads into, serves as well.
    """
    library = graph.graph.library
    found: dict[str, tuple[tuple[bool, float], TargetMotion]] = {}
    for action in range(len(library)):
        if library.tags[action].kind not in DONE_TO_THINGS:
            continue
        technique = library.tags[action].technique
        motion = study_target(library, action)
        # how far it has gone from a walk by then
        ready = bool(graph.role[action] == TARGET), _posture_change(library, motion.start, motion.reference)
        if technique not in found or ready > found[technique][0]:
            found[technique] = ready, motion
    if not found:
        raise RandoriError("the library holds no target motion: record something that is done out of a walk")
    return {technique: motion for technique, (_, motion) in sorted(found.items())}


def best_for(library: ActionLibrary, targets: Iterable[TargetMotion], doing: str) -> TargetMotion | None:
    """The target motion that does something best: straight ahead, a kick low, a punch to the head."""

    def fitness(target: TargetMotion) -> tuple[bool, float]:
        tags, height = library.tags[target.action], _effect_place(library, target.action, target.effect)[1]
        ahead = tags.direction in ("", "front") and abs(target.aim) < _FRONTAL_ANGLE
        return ahead, {KICK: -height, PUNCH: height}.get(doing, 0.0)

    return max((one for one in targets if one.doing == doing), key=fitness, default=None)


def study_target(library: ActionLibrary, action: int, movement: int | None = None) -> TargetMotion:
    """Find the moments of a target motion. The movement's first frame can be given, as a person saw it."""
    start, stop = int(library.actions.start[action]), int(library.actions.stop[action])
    begins, effect, finish = _movement(library, action)
    if movement is not None:
        begins = movement
    reference = reference_frame(library, _on_both_feet(library, start), begins)
    stop = _over(library, finish, stop)
    if not _strikes(library, action):
        effect = _passing_frame(library, reference, effect, stop)
        finish = max(finish, effect)
    place = _effect_place(library, action, effect)
    seen = rot.rotate(
        rot.from_yaw(-library.placements[reference, 2]), place - library.frames.root_position[reference]
    )
    return TargetMotion(
        action,
        library.tags[action].technique,
        _doing(library, action, begins, effect, finish),
        start,
        begins,
        effect,
        finish,
        stop,
        reference,
        (float(seen[0]), float(seen[2])),
    )


def reference_frame(library: ActionLibrary, start: int, movement: int) -> int:
    """The frame of the reference posture: going back from `movement`, the first that is fit; else `start`."""
    if movement <= start:
        return start
    clip = library.clip(start, movement)
    contacts = library.frames.contacts[start : movement + 1]
    fit = (
        (outside_support(clip, contacts) <= _BALANCE_MARGIN)
        & (contacts == contacts[0]).all(axis=1)
        & (leg_difference(clip, 0) <= LEGS)
    )
    return start + int(np.flatnonzero(fit)[-1]) if fit.any() else start


def _on_both_feet(library: ActionLibrary, start: int) -> int:
    """The frame nearest to the start of an action in which both feet stand, if there is one close by.

    Actions are cut where both feet stand; a slightly wrong cut would leave a walker standing on one leg.
    """
    clip = library.clips[int(library.frames.clip[start])]
    near = round(_NEAR_START * library.fps)
    frames = np.arange(max(start - near, clip.start), min(start + near + 1, clip.stop))
    both = frames[library.frames.contacts[frames].all(axis=1)]
    return int(both[np.argmin(np.abs(both - start))]) if len(both) else start


def _over(library: ActionLibrary, finish: int, stop: int) -> int:
    """The frame in which a target motion can be left: upright again, on both feet; at the latest its last."""
    height = library.frames.root_position[finish : stop + 1, 1]
    upright = np.abs(height - height[-1]) < _UPRIGHT_TOLERANCE
    free = np.flatnonzero(upright & library.frames.contacts[finish : stop + 1].all(axis=1))
    return finish + int(free[0]) if len(free) else stop


def leg_difference(clip: Clip, frame: int) -> np.ndarray:
    """(F,) radians², how much the legs differ from how they are in a frame: the sum of squared angles."""
    joints = [clip.skeleton.joint(f"{side}_{part}") for side in SIDES for part in _LEG_PARTS]
    legs = clip.rotations[:, joints]
    return np.sum(rot.angle_between(legs, legs[frame]) ** 2, axis=1)


def outside_support(clip: Clip, contacts: np.ndarray) -> np.ndarray:
    """(F,) metres that the centre of mass is outside the feet that stand, seen from above; ∞ in the air."""
    size = leg_length(clip) / 0.85
    points = foot_points(clip)
    ahead = rot.normalize(points[:, :, 1] - points[:, :, 0])
    soles = np.stack(
        [points[:, :, 0] - _HEEL * size * ahead, points[:, :, 1] + _TOES * size * ahead], axis=2
    )[..., [0, 2]]
    mass = centre_of_mass(clip)[:, [0, 2]]
    # the distance outside a convex hull is the largest, over directions, of how far it sticks out
    angles = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
    ways = np.stack([np.cos(angles), np.sin(angles)])
    reach = np.where(contacts[:, :, None, None], soles @ ways, -np.inf).max(axis=(1, 2))
    return np.max(mass @ ways - reach - _HALF_WIDTH * size, axis=-1)


def _movement(library: ActionLibrary, action: int) -> tuple[int, int, int]:
    """First frame, frame of effect and last frame of the movement itself."""
    start, stop = int(library.actions.start[action]), int(library.actions.stop[action])
    first, last = library.actions.strike_start[action], library.actions.strike_start[action + 1]
    if last > first:
        strike = int(first + np.argmax(library.strikes.speed[first:last]))
        effect = _meeting(library, strike)
        finish = effect + round(_AFTER_STRIKE * library.fps)
        return min(int(library.strikes.start[strike]), effect), effect, min(finish, stop)
    # without a strike, the height of the pelvis shows it: a duck, a crawl or a jump
    height = library.frames.root_position[start : stop + 1, 1]
    usual = 0.5 * (height[0] + height[-1])
    away = np.abs(height - usual)
    extreme = int(np.argmax(away))
    if height[extreme] > usual:
        # a jumper is in the air: the flight with the highest pelvis
        standing = np.flatnonzero(library.frames.contacts[start : stop + 1].any(axis=1))
        before, after = standing[standing < extreme], standing[standing > extreme]
        inside = np.arange(before[-1] if len(before) else 0, (after[0] if len(after) else stop - start) + 1)
    else:
        inside = np.flatnonzero((usual - height) > _MOVEMENT_SHARE * away[extreme])
    middle = extreme if height[extreme] > usual else int(inside[0] + inside[-1]) // 2
    return start + int(inside[0]), start + middle, start + int(inside[-1])


def _meeting(library: ActionLibrary, strike: int) -> int:
    """The frame in which a strike meets its aim: at its full reach, or as a foot sweeps the floor."""
    peak, extension = int(library.strikes.peak[strike]), int(library.strikes.extension[strike])
    joint = library.skeleton.joint(EFFECTORS[int(library.strikes.effector[strike])])
    first = max(peak - round(_SWEEP * library.fps), 0)
    height = library.positions[first : peak + 1, joint, 1]
    lowest = int(np.argmin(height))
    if height[lowest] < _ON_THE_FLOOR and height[0] > height[lowest] + _COMES_DOWN:
        return first + lowest
    return peak if height[-1] < _ON_THE_FLOOR else extension


def _strikes(library: ActionLibrary, action: int) -> bool:
    return bool(library.actions.strike_start[action + 1] > library.actions.strike_start[action])


def _doing(library: ActionLibrary, action: int, begins: int, effect: int, finish: int) -> str:
    """The kind of a target motion, independent of its name. The frames are those of the movement itself."""
    if _strikes(library, action):
        first, last = library.actions.strike_start[action : action + 2]
        strike = int(first + np.argmax(library.strikes.speed[first:last]))
        return KICK if EFFECTORS[int(library.strikes.effector[strike])].endswith("foot") else PUNCH
    height = library.frames.root_position[:, 1]
    if height[effect] > height[library.actions.start[action]]:
        return JUMP
    # a crawler may have its hands up again as the hips pass the bar
    hands = [library.skeleton.joint(f"{side}_hand") for side in SIDES]
    return CRAWL if library.positions[begins : finish + 1, hands, 1].min() < _CRAWLING_HANDS_HEIGHT else DUCK


def passing_heights(
    library: ActionLibrary, first: int, last: int, place: np.ndarray, ahead: np.ndarray
) -> tuple[float, float]:
    """Metres: the lowest and the highest that a body is from frame to frame as it passes a place (3,)."""
    along, heights = _along(library, first, last, place, ahead)
    near = heights[np.abs(along) < PASSING]
    return float(near.min()), float(near.max())


def _along(
    library: ActionLibrary, first: int, last: int, place: np.ndarray, ahead: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(F, K) metres that joints and their tips are ahead of a place, and above the floor."""
    frames = np.arange(first, last + 1)
    tips = rot.rotate(library.global_rotations[frames], library.skeleton.tips)
    joints = np.concatenate([library.positions[frames], library.positions[frames] + tips], axis=1)
    return (joints - place) @ ahead, joints[..., 1]


def _passing_frame(library: ActionLibrary, reference: int, middle: int, stop: int) -> int:
    """The frame in which the pelvis is where a bar can hang lowest, or lie highest for a jump.

    A body that goes down on all fours has its head far ahead before it is low: half way through the
    movement is not where it is lowest.
    """
    root = library.frames.root_position
    ahead = (root[stop] - root[reference]) * np.array([1.0, 0.0, 1.0])
    whole = float(np.linalg.norm(ahead))
    if whole < _SAMPLE_SPACING:
        return middle
    ahead /= whole
    along, heights = _along(library, reference, stop, root[reference], ahead)
    # an obstacle wholly ahead of the body at first, and wholly behind it at the end
    places = np.arange(along[0].max(), along[-1].min(), _SAMPLE_SPACING)
    if len(places) == 0:
        return middle
    near = [heights[np.abs(along - place) < PASSING] for place in places]
    jumps = root[middle, 1] > root[reference, 1]
    worth = np.array([one.min() if jumps else -one.max() for one in near])
    best = np.flatnonzero(worth > worth.max() - _AS_GOOD)
    chosen = places[best[len(best) // 2]]
    pelvis = (root[reference : stop + 1] - root[reference]) @ ahead
    return reference + int(np.argmin(np.abs(pelvis - chosen)))


def _effect_place(library: ActionLibrary, action: int, frame: int) -> np.ndarray:
    """(3,) metres, where a target motion takes effect: at the striking part, or where the body is."""
    first, last = library.actions.strike_start[action], library.actions.strike_start[action + 1]
    if last > first:
        strike = int(first + np.argmax(library.strikes.speed[first:last]))
        effector = EFFECTORS[int(library.strikes.effector[strike])]
        joint = library.skeleton.joint(effector)
        tip = library.skeleton.tips[joint]
        side, _, part = effector.partition("_")
        if part == "foot" and (toes := library.skeleton.parts.get(f"{side}_toes")) is not None:
            return library.positions[frame, toes]
        return library.positions[frame, joint] + rot.rotate(library.global_rotations[frame, joint], tip)
    return library.frames.root_position[frame]


def _posture_change(library: ActionLibrary, start: int, frame: int) -> float:
    """Radians², how far a posture is from the start of its recording."""
    rotations = library.frames.rotations[:, 1:]
    return float(np.sum(rot.angle_between(rotations[frame], rotations[start]) ** 2))
