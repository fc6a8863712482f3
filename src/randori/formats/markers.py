"""From the places of markers on a body to a skeleton that moves.

Sets of markers differ in names and in number. What is needed are landmarks: the front and the back of the
pelvis, knees, ankles, shoulders, elbows, wrists, the head. Joints are found from them by the usual
regressions; where a file holds joint centres themselves (pose estimation), those are taken.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from randori.errors import FileError
from randori.formats.recording import Recording
from randori.formats.settling import settle
from randori.motion import rotations as rot
from randori.motion.naming import strip_shared
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton

# A landmark of one side: what sets call it, without the side's letter, in capitals and without separators.
_SIDE_LANDMARKS = {
    "front": ("ASI", "ASIS", "FWT", "WAISTFRONT", "IAS"),  # of the pelvis
    "back": ("PSI", "PSIS", "BWT", "WAISTBACK", "IPS"),
    "hip": ("HIP", "HJC", "HIPJOINT", "HIPJC"),
    "knee": ("KNE", "KNEE", "KNEELATERAL", "KNEEOUT", "LK", "FLE", "LFE", "KNEELAT", "KJC", "LE"),
    "inner_knee": ("KNEEMEDIAL", "MKNE", "KNM", "KNEM", "KNEEIN", "FME", "MFE", "KNEEMED", "KNI", "ME"),
    "ankle": ("ANK", "ANKLE", "ANKLELATERAL", "ANKLEOUT", "LMAL", "FAL", "LM", "ANKLELAT", "AJC"),
    "inner_ankle": ("ANKLEMEDIAL", "MANK", "MED", "ANM", "ANKM", "MMAL", "TAM", "ANKLEIN", "ANKLEMED", "MM"),
    "heel": ("HEE", "HEEL", "FCC", "HEELBACK", "CA"),
    "toe": (
        "TOE",
        "TOETIP",
        "BIGTOE",
        "MT2",
        "FM2",
        "TOEOUT",
        "MT1",
        "MT5",
        "FMT1",
        "FOOTINDEX",
        "TOES",
        "FOREFOOTOUT",
        "SM",
        "FM",
    ),
    "shoulder": ("SHO", "SHOULDER", "SHOULDERTOP", "ACR", "AC", "ACROMION", "SAE", "ACROMIUM", "SJC"),
    "elbow": ("ELB", "ELBOW", "ELBOWOUT", "ELBOWLATERAL", "HLE", "LEL", "EJC"),
    "inner_elbow": ("ELBOWMEDIAL", "MELB", "ELBM", "HME", "ELBOWIN", "MEL"),
    "wrist": ("WRI", "WRIST", "WJC"),
    "thumb_wrist": ("WRA", "WRISTIN", "WRISTRADIUS", "RSP", "WRISTRADIAL", "IWR", "WRISTLAT"),
    "little_wrist": ("WRB", "WRISTOUT", "WRISTULNA", "USP", "WRISTULNAR", "OWR", "WRISTMED"),
    "finger": ("FIN", "FINGER", "HANDOUT", "HAND", "HM2", "FINGERTIP"),
    "front_head": ("FHD", "HEADFRONT", "FRONTHEAD"),
    "back_head": ("BHD", "HEADBACK", "BACKHEAD"),
    "ear": ("EAR", "HEAD"),
}
_MIDDLE_LANDMARKS = {
    "sacrum": ("SACR", "SACRUM", "VSACRAL", "SACRAL", "SAC"),
    "top_of_back": ("C7", "CV7", "BACKTOP"),
    "breast": ("CLAV", "SJN", "CHEST", "STRN", "SXS", "IJ"),
    "neck": ("NECK",),
    "head": ("HEADTOP", "TOPHEAD", "HEAD", "HTOP", "ARIEL", "VERTEX"),
    "nose": ("NOSE", "HEADFRONT", "FRONTHEAD"),
}
_SEEN_SHARE = 0.2  # of the frames in which a marker must be seen
_LONGEST_GAP = 0.5  # seconds that are filled without a word
# Bell's regression of the hip's centre, in widths of the pelvis: outward, backward and down from its front
_HIP = (0.36, 0.19, 0.30)
# Metres, for a person of usual size, from a marker on the skin to the joint below it
_KNEE_HALF, _ANKLE_HALF, _SHOULDER_BELOW = 0.05, 0.035, 0.045
_USUAL_LEG = 0.85  # metres
_HEADS = (
    "head",
    "nose",
    *(f"{side}_{mark}" for side in SIDES for mark in ("front_head", "back_head", "ear")),
)
_NECK = 0.12  # metres from the vertebra at its root to the head's joint, for a person of usual size
_SKIN_MOVES = (
    0.05  # metres, for such a person: markers move on the bones below, and the joints found from them
)
_CLEAR_BEND = 0.35  # sine of the bend of a limb from which its plane is relied on

_JOINTS = (
    ("Hips", None), ("Spine", "Hips"), ("Chest", "Spine"), ("Neck", "Chest"), ("Head", "Neck"),
    *(
        (f"{side}{name}", parent if parent in ("Hips", "Chest") else f"{side}{parent}")
        for side in ("Left", "Right")
        for name, parent in (
            ("Shoulder", "Chest"), ("Arm", "Shoulder"), ("ForeArm", "Arm"), ("Hand", "ForeArm"),
            ("UpLeg", "Hips"), ("Leg", "UpLeg"), ("Foot", "Leg"), ("ToeBase", "Foot"),
        )
    ),
)  # fmt: skip


class Markers(NamedTuple):
    """The contents of a file of markers."""

    labels: Sequence[str]
    places: np.ndarray  # (F, M, 3) units of the file, NaN where a marker was not seen
    fps: float
    unit: float | None  # metres
    up: str | None
    notes: tuple[str, ...]


def solve(path: str | os.PathLike[str], markers: Markers) -> Recording:
    """The motion of a skeleton below the markers."""
    landmarks = find_landmarks(markers.labels, markers.places)
    if missing := _missing(landmarks):
        listed = ", ".join(label for label in markers.labels[:80] if label) or "none"
        raise FileError(
            path,
            "its markers are no set that is known (Plug-in Gait, CMU, Helen Hayes, OptiTrack, joint "
            f"centres): nothing shows {', '.join(missing)}. Its labels are {listed}",
        )
    notes = [*markers.notes, *_gaps(landmarks, markers.fps)]
    if not any(name in landmarks for name in _HEADS):
        notes.append("no marker shows the head: it goes with the chest")
    filled = {name: _filled(places) for name, places in landmarks.items()}
    places, turned = _solve(filled)
    names = tuple(name for name, _ in _JOINTS)
    parents = np.array([-1 if above is None else names.index(above) for _, above in _JOINTS], dtype=np.int64)
    skeleton = Skeleton(names, parents, np.zeros((len(names), 3)), np.zeros((len(names), 3)))
    moving = {
        joint: rot.rotate(rot.inverse(turned[:, upper]), places[:, joint] - places[:, upper])
        for joint, upper in enumerate(parents.tolist())
        if upper >= 0
    }
    recording = settle(
        os.path.basename(path),
        skeleton,
        markers.fps,
        places[:, 0],
        skeleton.to_local(turned),
        moving,
        tuple(notes),
        markers.unit,
    )
    moves = recording.stray > _SKIN_MOVES * _body_scale(filled)
    return replace(recording, up_hint=markers.up, stray=np.where(moves, recording.stray, 0.0))


def find_landmarks(labels: Sequence[str], places: np.ndarray) -> dict[str, np.ndarray]:
    """Landmark → places (F, 3), of the markers that are seen often enough; `left_knee`, `sacrum`."""
    seen = ~np.isnan(places).any(axis=-1)
    known: dict[str, int] = {}
    for place, label in enumerate(strip_shared([label.split(":")[-1] for label in labels])):
        if seen[:, place].mean() >= _SEEN_SHARE:
            known.setdefault(_plain(label), place)
    found: dict[str, np.ndarray] = {}
    for side in SIDES:
        letter = side[0].upper()
        for landmark, words in _SIDE_LANDMARKS.items():
            for word in words:
                forms = (
                    f"{letter}{word}",
                    f"{word}{letter}",
                    f"{side.upper()}{word}",
                    f"{word}{side.upper()}",
                )
                # OptiTrack puts the side into the middle: WaistLFront
                inner = re.sub(r"^(WAIST)", rf"\g<1>{letter}", word)
                number = next(
                    (known[form] for form in (*forms, inner) if form in known and form != word), None
                )
                if number is not None:
                    found[f"{side}_{landmark}"] = places[:, number]
                    break
    for landmark, words in _MIDDLE_LANDMARKS.items():
        for word in words:
            if word in known:
                found[landmark] = places[:, known[word]]
                break
    return found


def _plain(label: str) -> str:
    """A label in capitals, letters and digits only."""
    return re.sub(r"[^A-Z0-9]", "", label.upper().removesuffix("_STUDY"))


def _missing(landmarks: Mapping[str, np.ndarray]) -> list[str]:
    """The names of missing markers without which the pose cannot be solved."""
    missing = []
    hips = all(f"{side}_hip" in landmarks for side in SIDES)
    pelvis = all(f"{side}_front" in landmarks for side in SIDES) and (
        "sacrum" in landmarks or all(f"{side}_back" in landmarks for side in SIDES)
    )
    if not hips and not pelvis:
        missing.append("the pelvis (LASI RASI LPSI RPSI)")
    for side in SIDES:
        for landmark, label in (("knee", "KNE"), ("ankle", "ANK"), ("shoulder", "SHO"), ("elbow", "ELB")):
            if f"{side}_{landmark}" not in landmarks:
                missing.append(f"the {side} {landmark} ({side[0].upper()}{label})")
        if not any(f"{side}_{wrist}" in landmarks for wrist in ("wrist", "thumb_wrist", "little_wrist")):
            missing.append(f"the {side} wrist ({side[0].upper()}WRA)")
    return missing


def _gaps(landmarks: Mapping[str, np.ndarray], fps: float) -> list[str]:
    """Notes about markers that were lost for long."""
    notes = []
    for name, places in landmarks.items():
        lost = np.isnan(places).any(axis=-1)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], lost.astype(np.int8), [0]])))
        longest = int((edges[1::2] - edges[0::2]).max(initial=0))
        if longest > _LONGEST_GAP * fps:
            notes.append(
                f"the marker of the {name.replace('_', ' ')} was lost for up to {longest / fps:.1f} s"
            )
    return notes


def _filled(places: np.ndarray) -> np.ndarray:
    """Places (F, 3) with straight lines over the gaps."""
    seen = np.flatnonzero(~np.isnan(places).any(axis=-1))
    return np.stack([np.interp(np.arange(len(places)), seen, places[seen, k]) for k in range(3)], axis=-1)


def _solve(landmarks: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Places (F, J, 3) of all joints, and their turns (F, J, 4) away from a T that looks along +Z."""

    def mean(*names: str) -> np.ndarray | None:
        there = [landmarks[name] for name in names if name in landmarks]
        return np.mean(there, axis=0) if there else None

    # Step 1. The pelvis.
    joint: dict[str, np.ndarray] = {}
    frame: dict[str, np.ndarray] = {}
    scale = _body_scale(landmarks)
    if "left_hip" in landmarks and "right_hip" in landmarks:
        for side in SIDES:
            joint[f"{side}_hip"] = landmarks[f"{side}_hip"]
        forward = None
    else:
        front = 0.5 * (landmarks["left_front"] + landmarks["right_front"])
        back = landmarks.get("sacrum")
        back = mean("left_back", "right_back") if back is None else back
        across = landmarks["left_front"] - landmarks["right_front"]
        width = np.linalg.norm(across, axis=-1, keepdims=True)
        left, forward = rot.normalize(across), rot.normalize(front - back)
        up = rot.normalize(rot.cross(forward, left))
        forward = rot.cross(left, up)
        for side, sign in zip(SIDES, (1.0, -1.0)):
            outward, backward, down = (share * width for share in _HIP)
            joint[f"{side}_hip"] = front + sign * outward * left - backward * forward - down * up
    hips = 0.5 * (joint["left_hip"] + joint["right_hip"])
    across_hips = rot.normalize(joint["left_hip"] - joint["right_hip"])

    # Step 2. The trunk and the head.
    shoulders = 0.5 * (landmarks["left_shoulder"] + landmarks["right_shoulder"])
    neck = mean("top_of_back", "breast") if "top_of_back" in landmarks else landmarks.get("neck", shoulders)
    assert neck is not None
    trunk = rot.normalize(neck - hips)
    upright = trunk if forward is None else rot.cross(forward, across_hips)
    frame["hips"] = _from_left_up(across_hips, upright)
    frame["chest"] = _from_left_up(landmarks["left_shoulder"] - landmarks["right_shoulder"], trunk)
    head, facing = _head(landmarks, neck, frame["chest"])
    frame["head"] = facing

    # Step 3. The limbs. Markers lie on the skin; joint centres do not.
    skin = 0.0 if forward is None else scale
    for side, sign in zip(SIDES, (1.0, -1.0)):
        hip = joint[f"{side}_hip"]
        knee, ankle = landmarks[f"{side}_knee"], landmarks[f"{side}_ankle"]
        toe, heel = landmarks.get(f"{side}_toe"), landmarks.get(f"{side}_heel", ankle)
        # a leg turns about itself: where its knee is straight, it is turned half as far as its foot is
        aside = across_hips
        if toe is not None:
            aside = rot.normalize(across_hips + _beside(knee - ankle, toe - heel, across_hips))
        outward = sign * aside
        knee = _inside(knee, landmarks.get(f"{side}_inner_knee"), hip, outward, _KNEE_HALF * skin)
        ankle = _inside(ankle, landmarks.get(f"{side}_inner_ankle"), knee, outward, _ANKLE_HALF * skin)
        thigh, shin = knee - hip, ankle - knee
        hinge = _hinge(thigh, shin, aside)
        frame[f"{side}_thigh"] = _from_up_left(-thigh, hinge)
        frame[f"{side}_shin"] = _from_up_left(-shin, hinge)
        if toe is None:
            frame[f"{side}_foot"] = frame[f"{side}_shin"]
            toe = ankle + 0.15 * scale * rot.rotate(frame[f"{side}_shin"], rot.Z_AXIS)
        else:
            ahead = rot.normalize(toe - heel)
            x = _beside(-shin, ahead, rot.rotate(frame[f"{side}_shin"], rot.X_AXIS))
            frame[f"{side}_foot"] = _from_up_left(rot.cross(ahead, x), x)
        joint |= {f"{side}_knee": knee, f"{side}_ankle": ankle, f"{side}_toe": toe}

        shoulder = landmarks[f"{side}_shoulder"] - _SHOULDER_BELOW * skin * trunk
        elbow = mean(f"{side}_elbow", f"{side}_inner_elbow")
        wrist = landmarks.get(f"{side}_wrist")
        if wrist is None:
            wrist = mean(f"{side}_thumb_wrist", f"{side}_little_wrist")
        assert elbow is not None
        assert wrist is not None
        frame |= _arm(side, sign, shoulder, elbow, wrist, frame["chest"])
        joint |= {f"{side}_shoulder": shoulder, f"{side}_elbow": elbow, f"{side}_wrist": wrist}

    # Step 4. In the order of the joints.
    middle = rot.slerp(frame["hips"], frame["chest"], np.full(len(hips), 0.5))
    halfway = rot.slerp(frame["chest"], frame["head"], np.full(len(hips), 0.5))
    rows = [
        (hips, frame["hips"]),
        (hips + 0.25 * (neck - hips), middle),
        (hips + 0.55 * (neck - hips), frame["chest"]),
        (neck, halfway),
        (head, frame["head"]),
    ]
    for side, sign in zip(SIDES, (1.0, -1.0)):
        # a collar bone from the neck to the shoulder, which is seldom where the chest alone would have it
        collar = rot.from_axes(
            sign * (joint[f"{side}_shoulder"] - neck), rot.rotate(frame["chest"], rot.Y_AXIS)
        )
        rows += [
            (neck, collar),
            (joint[f"{side}_shoulder"], frame[f"{side}_upper_arm"]),
            (joint[f"{side}_elbow"], frame[f"{side}_forearm"]),
            (joint[f"{side}_wrist"], frame[f"{side}_forearm"]),
            (joint[f"{side}_hip"], frame[f"{side}_thigh"]),
            (joint[f"{side}_knee"], frame[f"{side}_shin"]),
            (joint[f"{side}_ankle"], frame[f"{side}_foot"]),
            (joint[f"{side}_toe"], frame[f"{side}_foot"]),
        ]
    return np.stack([place for place, _ in rows], axis=1), np.stack([turn for _, turn in rows], axis=1)


def _body_scale(landmarks: Mapping[str, np.ndarray]) -> float:
    """Units of the file for a metre of a usual person: from the shins, which are half of a leg."""
    shins = [
        np.median(np.linalg.norm(landmarks[f"{side}_knee"] - landmarks[f"{side}_ankle"], axis=-1))
        for side in SIDES
    ]
    return float(np.mean(shins)) / (0.49 * _USUAL_LEG)


def _head(
    landmarks: Mapping[str, np.ndarray], neck: np.ndarray, chest: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The head's joint and turn."""
    front = [landmarks[f"{side}_front_head"] for side in SIDES if f"{side}_front_head" in landmarks]
    back = [landmarks[f"{side}_back_head"] for side in SIDES if f"{side}_back_head" in landmarks]
    left = rot.rotate(chest, rot.X_AXIS)
    if len(front) == len(back) == 2:
        across = rot.normalize(front[0] - front[1] + back[0] - back[1])
        ahead = rot.normalize(np.mean(front, axis=0) - np.mean(back, axis=0))
        centre = np.mean([*front, *back], axis=0)
        return neck + 0.5 * (centre - neck), _from_left_up(across, rot.cross(ahead, across))
    centres = [*front, *back]
    if not any(name in landmarks for name in _HEADS):
        return neck + _NECK * _body_scale(landmarks) * rot.rotate(chest, rot.Y_AXIS), chest
    for name in ("head", "nose", "left_ear", "right_ear"):
        if name in landmarks:
            centres.append(landmarks[name])
    centre = np.mean(centres, axis=0)
    return neck + 0.5 * (centre - neck), _from_left_up(left, rot.normalize(centre - neck))


def _inside(
    outer: np.ndarray, inner: np.ndarray | None, above: np.ndarray, outward: np.ndarray, half: float
) -> np.ndarray:
    """The middle of a knee or an ankle, from a marker outside and perhaps one inside."""
    if inner is not None:
        return 0.5 * (outer + inner)
    along = rot.normalize(outer - above)
    across = outward - along * np.sum(outward * along, axis=-1, keepdims=True)
    return outer - half * rot.normalize(across)


def _beside(up: np.ndarray, ahead: np.ndarray, left: np.ndarray) -> np.ndarray:
    """(F, 3) to the left of a foot that points ahead below a shin; as told where it points along the shin."""
    side = rot.cross(rot.normalize(up), rot.normalize(ahead))
    sure = np.clip(np.linalg.norm(side, axis=-1, keepdims=True) / _CLEAR_BEND - 0.3, 0.0, 1.0)
    return rot.normalize(sure * rot.normalize(side) + (1.0 - sure) * left)


def _hinge(upper: np.ndarray, lower: np.ndarray, left: np.ndarray) -> np.ndarray:
    """(F, 3) the axis to the left about which a knee bends; that of the hips where it is straight."""
    normal = rot.cross(rot.normalize(upper), rot.normalize(lower))
    sine = np.linalg.norm(normal, axis=-1, keepdims=True)
    # a knee bends one way only: a normal to the right is noise
    sure = np.clip(sine / _CLEAR_BEND - 0.3, 0.0, 1.0) * (np.sum(normal * left, axis=-1, keepdims=True) > 0.0)
    return rot.normalize(sure * rot.normalize(normal) + (1.0 - sure) * left)


def _arm(
    side: str, sign: float, shoulder: np.ndarray, elbow: np.ndarray, wrist: np.ndarray, chest: np.ndarray
) -> dict[str, np.ndarray]:
    """Turns of the upper arm and the forearm. In the T an elbow bends the forearm forward."""
    upper, lower = rot.normalize(elbow - shoulder), rot.normalize(wrist - elbow)
    normal = rot.cross(upper, lower)
    sine = np.linalg.norm(normal, axis=-1, keepdims=True)
    sure = np.clip(sine / _CLEAR_BEND - 0.3, 0.0, 1.0)
    turns = {}
    for part, bone in (("upper_arm", upper), ("forearm", lower)):
        # a straight arm: the T's upward direction, carried along the shortest way
        seen = rot.rotate(rot.inverse(chest), bone)
        carried = rot.rotate(chest, rot.rotate(rot.between(sign * rot.X_AXIS, seen), rot.Y_AXIS))
        y = sure * (-sign) * rot.normalize(normal) + (1.0 - sure) * carried
        turns[f"{side}_{part}"] = rot.from_axes(sign * bone, y)
    return turns


def _from_left_up(left: np.ndarray, up: np.ndarray) -> np.ndarray:
    """The turns (F, 4) that take +X to `left` and +Y as near as possible to `up`."""
    x = rot.normalize(left)
    z = rot.normalize(rot.cross(x, up))
    return rot.from_matrix(np.stack([x, rot.cross(z, x), z], axis=-1))


def _from_up_left(up: np.ndarray, left: np.ndarray) -> np.ndarray:
    """The turns (F, 4) that take +Y to `up` and +X as near as possible to `left`."""
    y = rot.normalize(up)
    z = rot.normalize(rot.cross(left, y))
    return rot.from_matrix(np.stack([rot.cross(y, z), y, z], axis=-1))
