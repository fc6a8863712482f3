"""The performer beside people who walk, run, turn, carry, leap and get up, measured by the same code."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import radians
from pathlib import Path

import gait_measures
import numpy as np
from life import Row, compare

from randori.formats import load
from randori.motion.clip import Clip
from randori.performer import BODIES, SETS, Recording, perform
from randori.performer.actor import Actor
from randori.performer.luggage import PIECES
from randori.performer.plans.luggage import Porter
from randori.performer.plans.running import run_turn
from randori.performer.recording import record
from randori.performer.walker import Walker

STEPS = ("speed", "step time", "contact", "swing", "stride", "toe lift", "foot speed", "peak place")
LIMBS = ("pelvis range", "knee min", "knee max", "elbow min", "elbow max")
TRUNK = ("pelvis yaw", "chest yaw", "twist")
ALL = (*STEPS, *LIMBS, *TRUNK, "wrist swing", "lean")

# name → family, speed (m/s), capture, what is compared. The captured slow walk is part of a turn, so how
# its trunk turns says nothing of a straight one.
GAITS = {
    "slow walk": ("walk", 0.87, "walking/cmu_16_17", (*STEPS, *LIMBS, "wrist swing", "lean")),
    "walk": ("walk", 1.62, "walking/accad_Male2_B3_Walk", ALL),
    "walk back": ("walk back", -1.37, "walking/accad_Male2_B5_WalkBackwards", ALL),
    "jog": ("run", 2.45, "running/cmu_16_37", ALL),
    "run": ("run", 3.8, "running/accad_Male2_C3_Run", ALL),
    "sprint": ("run", 5.0, "running/accad_Male1_C03_Run", ALL),
    "run back": ("run back", -3.05, "running/accad_Male2_C7_RunBackwards", ALL),
}
# luggage → capture, from when on it is carried (seconds), what is compared. The box hangs as still before
# the performer as it does not before people: 2 cm and 7 cm against the hips.
CARRIED = {
    "suitcase": ("carrying/cmu_70_05", 3.9, ALL),
    "box": ("carrying/accad_Male1_B20_WalkWithBox", 0.0, (*STEPS, *LIMBS, *TRUNK, "lean")),
}
# degrees → speed before (m/s), captures
TURNS = {
    45: (
        3.8,
        (
            *("Male1_C12_RunTurnLeft45", "Male1_C15_RunTurnRight45"),
            *("Male2_C12_RunTurnLeft45", "Male2_C15_RunTurnRight45"),
        ),
    ),
    90: (3.4, ("Male1_C11_RunTurnLeft90", "Male2_C11_RunTurnLeft90", "Male2_C14_RunTurnRight90")),
    135: (4.0, ("Male1_C13_RunTurnLeft135", "Male1_C16_RunTurnRight135", "Male2_C16_RunTurnRight135")),
    180: (4.0, ("Male1_C17_RunTurnAround", "Male2_C16_RunTurnAround")),
}
LEAPS = (
    *("cmu_127_25", "accad_Male2_B18_WalkToLeapToWalk", "accad_Male1_B18_Walk2Leap2Walk"),
    "accad_Male1_C20_Run2Jump2Walk",
)
RISES = {
    "up_from_front": ("cmu_140_02", "accad_Male1_A10_LieToCrouch", "accad_Male2_A10_LieToCrouch"),
    "up_from_back": ("cmu_140_08",),
}


def planned(plan: Callable[[Actor], tuple[float, float]], seed: int) -> tuple[Clip, float, float]:
    """Somebody who goes by a plan of ours, and the times that the plan says."""
    times: list[tuple[float, float]] = []

    def whole(actor: Actor, seconds: float) -> Iterator[float]:
        times.append(plan(actor))
        yield 1.0

    work = record(replace(SETS["locomotion"], plan=whole), 20.0, seed, BODIES["average"], 60.0)
    while True:
        try:
            next(work)
        except StopIteration as finished:
            return finished.value.clip, *times[0]


def straight_on(family: str, speed: float, seed: int) -> tuple[Clip, float, float]:
    """Somebody who goes straight on, and the times between which nothing changes."""

    def plan(actor: Actor) -> tuple[float, float]:
        walker = Walker(actor)
        walker.stand(0.8)
        walker.start(family, speed)
        walker.go(family, speed, 2)
        first = walker.time
        walker.go(family, speed, 14)
        last = walker.time
        walker.stop(family, (0.5 * speed,))
        return first - 0.1, last

    return planned(plan, seed)


def turning(angle: float, speed: float, seed: int) -> Iterator[dict[str, float]]:
    """Somebody who turns to one side and the other while running, measured turn by turn."""
    times = []

    def plan(actor: Actor) -> tuple[float, float]:
        walker = Walker(actor)
        walker.stand(0.8)
        walker.start("run", speed)
        for way in (1.0, -1.0, -1.0, 1.0):
            walker.go("run", speed, 4)
            first = walker.time
            run_turn(walker, way * angle, speed)
            times.append((first - 0.8, walker.time + 0.5))
        walker.go("run", speed, 3)
        walker.stop("run", (0.5 * speed,))
        return 0.0, walker.time

    clip, _, _ = planned(plan, seed)
    for first, last in times:
        yield gait_measures.turn(clip, first, last)


def with_luggage(name: str, seed: int) -> tuple[Clip, float, float]:
    """Somebody who carries something straight on, and the times between which nothing changes."""

    def plan(actor: Actor) -> tuple[float, float]:
        porter = Porter(actor)
        porter.walker.stand(0.8)
        porter.pick_up(PIECES[name])
        first = porter.walker.time
        porter.carry(10)
        return first + 1.8, porter.walker.time - 2.0

    return planned(plan, seed)


def gaits(mocap: Path, seeds: Sequence[int]) -> list[Row]:
    """Strides of people and of the performer who go straight on."""
    rows = []
    for name, (family, speed, capture, wanted) in GAITS.items():
        life = gait_measures.strides(load(mocap / f"{capture}.bvh"))
        ours = [
            stride for seed in seeds for stride in gait_measures.strides(*straight_on(family, speed, seed))
        ]
        rows += compare(name, wanted, life, ours)
    return rows


def carrying(mocap: Path, seeds: Sequence[int]) -> list[Row]:
    """The same with something in the hands."""
    rows = []
    for name, (capture, since, wanted) in CARRIED.items():
        life = gait_measures.strides(load(mocap / f"{capture}.bvh"), since)
        ours = [stride for seed in seeds for stride in gait_measures.strides(*with_luggage(name, seed))]
        rows += compare(name, wanted, life, ours)
    return rows


def turns(mocap: Path, seeds: Sequence[int]) -> list[Row]:
    """Sharp turns out of a run. Who was asked for 45° turned by 33° to 70°: ours are asked for that."""
    rows = []
    for degrees, (speed, captures) in TURNS.items():
        life = [gait_measures.turn(load(mocap / "running" / f"accad_{name}.bvh")) for name in captures]
        angle = radians(float(np.median([seen["angle"] for seen in life])))
        ours = [seen for seed in seeds for seen in turning(angle, speed, seed)]
        wanted = ("angle", "turn time", "turn rate", "slowest", "drop")
        rows += compare(f"turn {degrees}", wanted, life, ours)
    return rows


def leaps(mocap: Path, seeds: Sequence[int]) -> list[Row]:
    """Over something, out of a walk or a run."""
    life = [gait_measures.leap(load(mocap / "locomotion_targets" / f"{name}.bvh")) for name in LEAPS]
    ours = [
        gait_measures.leap(take.clip, first, last)
        for seed in seeds
        for take in [perform("targets", seconds=90.0, seed=seed)[0]]
        for first, last in _times(take, "jump over", "")
    ]
    return compare("leap", tuple(life[0]), life, ours)


def rises(mocap: Path, seeds: Sequence[int]) -> list[Row]:
    """From the floor onto the feet."""
    takes = [perform("reactions", seconds=120.0, seed=seed)[0] for seed in seeds]
    rows = []
    for script, captures in RISES.items():
        life = [gait_measures.rise(load(mocap / "falling_getup" / f"{name}.bvh")) for name in captures]
        ours = [
            gait_measures.rise(take.clip, first, last)
            for take in takes
            for first, last in _times(take, "get up", script)
        ]
        rows += compare(script, tuple(life[0]), life, ours)
    return rows


def _times(take: Recording, technique: str, script: str) -> Iterator[tuple[float, float]]:
    """When (seconds) something is done from its beginning to its end."""
    for action in take.truth.actions:
        if action.technique == technique and script in action.script and action.stop < len(take.clip):
            yield action.start / take.truth.fps, action.stop / take.truth.fps


def table(mocap: Path, seeds: Sequence[int]) -> list[Row]:
    """Everything about going that captures can be compared in."""
    return [row for part in (gaits, carrying, turns, leaps, rises) for row in part(mocap, seeds)]


if __name__ == "__main__":
    import sys

    for line in table(Path(sys.argv[1]), [int(seed) for seed in sys.argv[2:]]):
        print(line)
