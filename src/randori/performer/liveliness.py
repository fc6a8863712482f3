"""Involuntary motion of a body: breathing, bouncing, swaying. Added on top of the planned channels."""

from dataclasses import dataclass

import numpy as np

from randori.motion.parts import SIDES
from randori.performer.channels import INDEX

BOUNCE_RATE = 2.5  # Hz up and down; the rock back and forth takes two bounces

# Sway of a quiet fighter: rms per channel (metres, radians) at frequencies that fall off as 1/f
_SWAY = {
    "pelvis_forward": 0.009,
    "pelvis_side": 0.007,
    "pelvis_height": 0.004,
    "pelvis_yaw": 0.020,
    "pelvis_pitch": 0.012,
    "pelvis_roll": 0.012,
    "chest_yaw": 0.026,
    "chest_pitch": 0.018,
    "chest_roll": 0.016,
    "head_yaw": 0.030,
    "head_pitch": 0.022,
    "head_roll": 0.018,
}
_SIDED_SWAY = {
    "hand_forward": 0.010,
    "hand_up": 0.011,
    "hand_out": 0.009,
    "girdle_lift": 0.003,
    "girdle_forward": 0.003,
    "elbow_swivel": 0.04,
    "pronation": 0.05,
    "wrist_bend": 0.05,
    "wrist_side": 0.03,
    "knee_swivel": 0.02,
}
# Constant motion of a fighter's hands and trunk: quick and small, at 1 to 5 Hz
_FIDGET = {"chest_yaw": 0.020, "chest_roll": 0.016, "chest_pitch": 0.012, "pelvis_yaw": 0.014}
_FIDGET |= {"head_yaw": 0.028, "head_pitch": 0.024, "head_roll": 0.016}
_SIDED_FIDGET = {"hand_forward": 0.011, "hand_up": 0.012, "hand_out": 0.010, "girdle_lift": 0.004}
_SIDED_FIDGET |= {"elbow_swivel": 0.055, "pronation": 0.09, "wrist_bend": 0.10, "wrist_side": 0.05}
_SIDED_FIDGET |= {"knee_swivel": 0.015}
# a held weapon, of bodies that have one
_WEAPON_SWAY = {
    "hilt_reach": 0.010,
    "hilt_raise": 0.028,
    "hilt_aside": 0.028,
    "blade_yaw": 0.030,
    "blade_plane": 0.030,
    "blade_swing": 0.042,
    "blade_roll": 0.050,
}


@dataclass(frozen=True)
class Manner:
    """The manner in which a person moves today. 1 is a fresh, practised fighter."""

    tempo: float = 1.0  # durations are multiplied with it
    amplitude: float = 1.0
    sloppiness: float = 1.0  # scatter of targets, times and sway
    guard_drop: float = 0.0  # metres that the hands hang lower
    slump: float = 0.0  # radians that the chest hangs forward; the head goes after it
    bounce: float = 0.7
    breath_rate: float = 0.45  # Hz
    breath_depth: float = 1.0
    pause: float = 1.0  # pauses are multiplied with it
    fidget: float = 0.0  # how busy hands, shoulders and head are between techniques


def pink_noise(
    rng: np.random.Generator, frames: int, fps: float, low: float = 0.12, high: float = 6.0
) -> np.ndarray:
    """(F,) noise of unit rms whose amplitude falls off as 1/f between two frequencies."""
    frequencies = np.fft.rfftfreq(frames, 1.0 / fps)
    shape = np.where((frequencies >= low) & (frequencies <= high), 1.0 / np.maximum(frequencies, low), 0.0)
    spectrum = shape * np.exp(2j * np.pi * rng.random(len(frequencies)))
    noise = np.fft.irfft(spectrum, frames)
    spread = np.sqrt(np.mean(noise**2))
    return noise / spread if spread > 0.0 else noise


def enliven(
    values: np.ndarray,
    fps: float,
    rng: np.random.Generator,
    manner: Manner,
    scale: float,
    armed: bool = False,
) -> None:
    """Add breathing, bounce and sway to channels (F, C), in place. `scale` is the body's size."""
    frames = len(values)

    def channel(name: str) -> np.ndarray:
        return values[:, INDEX[name]]

    # Breathing: the ribs lift, the trunk gives
    rate = manner.breath_rate * (1.0 + 0.12 * pink_noise(rng, frames, fps, 0.05, 0.5))
    breath = np.sin(2.0 * np.pi * np.cumsum(rate) / fps)
    channel("chest_pitch")[:] -= 0.010 * manner.breath_depth * breath
    for side in SIDES:
        channel(f"{side}_girdle_lift")[:] += 0.004 * scale * manner.breath_depth * breath

    # Bounce: twice as often up and down as back and forth; what hangs on the body comes late
    beat = 2.0 * np.pi * np.cumsum(BOUNCE_RATE * (1.0 + 0.05 * pink_noise(rng, frames, fps, 0.1, 1.0))) / fps
    strength = channel("bounce") * (1.0 + 0.25 * pink_noise(rng, frames, fps, 0.1, 0.8))
    channel("pelvis_height")[:] += scale * strength * 0.042 * (np.sin(beat) - 0.22 * np.cos(2.0 * beat))
    channel("pelvis_forward")[:] += scale * strength * 0.055 * np.sin(0.5 * beat + 0.4)
    channel("pelvis_side")[:] += scale * strength * 0.03 * pink_noise(rng, frames, fps, 0.25, 1.3)
    channel("pelvis_yaw")[:] += strength * 0.07 * np.sin(0.5 * beat + 1.0)
    channel("chest_yaw")[:] += strength * 0.06 * np.sin(0.5 * beat + 0.5)
    channel("chest_pitch")[:] += strength * 0.03 * np.sin(beat - 1.2)
    channel("chest_roll")[:] += strength * 0.025 * np.sin(0.5 * beat - 0.6)
    channel("head_pitch")[:] += strength * 0.04 * np.sin(beat - 2.0)
    for number, side in enumerate(SIDES):
        late = beat - 1.4 - 0.3 * number
        channel(f"{side}_hand_up")[:] -= scale * strength * 0.028 * np.sin(late)
        channel(f"{side}_hand_forward")[:] += scale * strength * 0.02 * np.sin(0.5 * late)
        channel(f"{side}_elbow_swivel")[:] += strength * 0.09 * np.sin(late - 0.5)
        # it is the ankles that bounce: the heels come up with the body
        channel(f"{side}_heel")[:] += strength * 0.13 * (1.0 + np.sin(beat - 0.3 + 0.5 * number))

    # Sway: never still, never twice the same
    moving = 1.0 - channel("stillness")
    for name, rms in _SWAY.items():
        sway = _size(name, scale) * manner.sloppiness * rms * pink_noise(rng, frames, fps)
        channel(name)[:] += moving * sway
    for name, rms in _SIDED_SWAY.items():
        for side in SIDES:
            amount = _size(name, scale) * manner.sloppiness * rms
            channel(f"{side}_{name}")[:] += moving * (amount * pink_noise(rng, frames, fps))
    everywhere = list(_FIDGET.items())
    everywhere += [(f"{side}_{name}", rms) for side in SIDES for name, rms in _SIDED_FIDGET.items()]
    for name, rms in everywhere if manner.fidget > 0.0 else ():
        amount = _size(name, scale) * manner.fidget * rms
        channel(name)[:] += moving * (amount * pink_noise(rng, frames, fps, 1.0, 5.0))
    if armed:
        for name, rms in _WEAPON_SWAY.items():
            channel(name)[:] += manner.sloppiness * rms * pink_noise(rng, frames, fps)
        channel("hilt_raise")[:] -= strength * 0.03 * np.sin(beat - 1.4)
        channel("blade_swing")[:] -= strength * 0.05 * np.sin(beat - 1.8)


def _size(name: str, scale: float) -> float:
    """Lengths grow with the body, angles do not."""
    return scale if name.split("_")[-1] in ("forward", "side", "height", "up", "out", "lift") else 1.0
