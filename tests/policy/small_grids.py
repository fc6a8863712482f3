"""Grids with few points: problems that can be written out."""

from randori.policy.behaviours import Settings

SMALL = Settings(
    approach_distances=3,
    approach_angles=6,
    approach_heights=2,
    punch_angles=4,
    punch_distances=4,
    punch_heights=3,
    evade_distances=3,
    evade_angles=6,
    evade_heights=3,
)
