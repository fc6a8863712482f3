"""The sets that can be performed, by name."""

from randori.performer.liveliness import Manner
from randori.performer.plans import (
    boxing,
    crowd,
    football,
    locomotion,
    luggage,
    reactions,
    running,
    sword,
    targets,
)
from randori.performer.recording import PerformanceSet

ENERGETIC = Manner(bounce=0.9, fidget=1.3)
TIRED = Manner(
    tempo=1.06,
    amplitude=0.97,
    sloppiness=1.15,
    guard_drop=0.03,
    slump=0.13,
    bounce=0.35,
    breath_rate=0.62,
    breath_depth=3.0,
    pause=1.05,
    fidget=0.6,
)
PORTER = Manner(sloppiness=0.85, bounce=0.0, breath_rate=0.33)
SWORDSMAN = Manner(sloppiness=1.15, bounce=0.3, breath_rate=0.36)
# no fighting: no bounce, quiet breath, small sway
HIT = Manner(bounce=0.3, breath_rate=0.5, breath_depth=1.4)
AT_EASE = Manner(sloppiness=0.6, bounce=0.0, breath_rate=0.28)

SETS = {
    wanted.name: wanted
    for wanted in (
        PerformanceSet("boxing", "shadow boxing and kicks, energetic", 420.0, boxing.plan, manner=ENERGETIC),
        PerformanceSet("boxing-tired", "shadow boxing and kicks, tired", 420.0, boxing.plan, manner=TIRED),
        PerformanceSet("locomotion", "walking and turning", 180.0, locomotion.plan, "upright", AT_EASE),
        PerformanceSet("running", "running with sharp turns", 90.0, running.plan, "upright", AT_EASE),
        PerformanceSet("targets", "things done out of a walk", 180.0, targets.plan, "upright", AT_EASE),
        PerformanceSet(
            "crowd", "startled, pushed, stumbling, falling in a crowd", 240.0, crowd.plan, "upright", AT_EASE
        ),
        PerformanceSet(
            "football", "running with the ball, evading, tackling", 180.0, football.plan, "upright", AT_EASE
        ),
        PerformanceSet(
            "reactions", "being hit: recoils, staggers, falls, getting up", 300.0, reactions.plan, manner=HIT
        ),
        PerformanceSet("luggage", "carrying and passing luggage", 240.0, luggage.plan, "upright", PORTER),
        PerformanceSet(
            "sword",
            "cuts, thrusts and parries with a sword in both hands",
            480.0,
            sword.plan,
            "sword",
            SWORDSMAN,
            armed=True,
            lead="right",
        ),
    )
}
