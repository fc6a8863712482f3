"""The performer beside people: the same techniques, measured by the same code."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import measures
import numpy as np

from randori.formats import load
from randori.motion.clip import Clip
from randori.performer import solver
from randori.performer.actor import Actor
from randori.performer.liveliness import enliven
from randori.performer.proportions import BODIES
from randori.performer.script import stances, techniques
from randori.performer.sets import ENERGETIC
from randori.performer.truth import Action

FPS = 120.0
TAKES = 10  # of every technique and seed, half of them in the other stance

# Nothing was tuned on takes with these seeds: a table of those would flatter the scripts
UNTUNED_SEEDS = (3001, 3002, 3003, 3004)

# Where a quarter of a small figure is less than captures can tell: at 30 frames a second a time is known to
# half a frame, and rigs differ by a few degrees in what is upright
CANNOT_TELL = {"pelvis lead s": 0.5 / 30.0, "chest lead s": 0.5 / 30.0, "lean": 2.5}

TURN = ("pelvis yaw °", "chest yaw °")
TIMES = ("to peak s", "to extension s", "peak place")
RETURN = ("back s", "retract m/s")
LEADS = ("pelvis lead s", "chest lead s")
STEP_IN = ("step m", "step s")
PUNCH = (*TIMES, "peak m/s", "reach", "height m", *TURN, *RETURN, *LEADS)
KICK = (*TIMES, "peak m/s", "reach", "ankle max m", "foot down s", "bend min °", *TURN)
BLOCK = (*TIMES, "peak m/s", "reach", "height m", *TURN)
EVADE = ("down s", "head down m", "head moved m", "head m/s", "pelvis down m")
STEP = ("step m", "swing s", "foot m/s")

# technique → what is compared, and the captures that show it (file, effector)
STRIKES: Mapping[str, tuple[tuple[str, ...], tuple[tuple[str, str], ...]]] = {
    "jab": (
        (*PUNCH, *STEP_IN),
        (("boxing/accad_Male2_E1_JabLeft", "left_hand"), ("boxing/accad_Male2_E2_JabRight", "right_hand")),
    ),
    "cross": (
        PUNCH,
        (
            ("boxing/accad_Male2_E3_CrossLeft", "left_hand"),
            ("boxing/accad_Male2_E4_CrossRight", "right_hand"),
        ),
    ),
    "rear_hook": (PUNCH, (("boxing/accad_Male2_E5_HookLeft", "left_hand"),)),
    # the captured arm folds at once: there is no way back to time
    "uppercut": (
        (*TIMES, "peak m/s", "reach", "height m", *TURN, "retract m/s", *LEADS, *STEP_IN),
        (("boxing/accad_Male2_E8_UppercutRight", "right_hand"),),
    ),
    "body_jab": (
        (*PUNCH, *STEP_IN),
        (
            ("boxing/accad_Male2_E16_BodyJabLeft", "left_hand"),
            ("boxing/accad_Male2_E15_BodyJabRight", "right_hand"),
        ),
    ),
    "body_cross": (
        PUNCH,
        (
            ("boxing/accad_Male2_E13_BodyCrossLeft", "left_hand"),
            ("boxing/accad_Male2_E14_BodyCrossRight", "right_hand"),
        ),
    ),
    "body_hook": ((*PUNCH, *STEP_IN), (("boxing/accad_Male2_E10_BodyHookRight", "right_hand"),)),
    "rear_body_hook": (PUNCH, (("boxing/accad_Male2_E9_BodyHookLeft", "left_hand"),)),
    # its hips turn by 11°: when they do is chance
    "backfist": (
        (*TIMES, "peak m/s", "reach", "height m", *TURN, *RETURN, *STEP_IN),
        (("boxing/accad_Male2_E11_BackfistLeft", "left_hand"),),
    ),
    "block_high": ((*BLOCK, "back s"), (("boxing/accad_Male2_E11_BlockLeftHigh", "left_hand"),)),
    "block_middle": (
        BLOCK,
        (
            ("boxing/accad_Male2_E15_BlockLeftMiddle", "left_hand"),
            ("boxing/accad_Male2_E16_BlockRightMiddle", "right_hand"),
        ),
    ),
    "block_low": ((*BLOCK, *STEP_IN), (("boxing/accad_Male2_E14_BlockRightLow", "right_hand"),)),
    "front_kick": ((*KICK, *STEP_IN), (("kicks/accad_Male2_G2_FrontKick", "right_foot"),)),
    "push_kick": (
        (*KICK, *STEP_IN),
        (("kicks/accad_Male2_G17_PushKickLeft", "left_foot"),),
    ),
    "side_kick": (
        (*KICK, *STEP_IN),
        (
            ("kicks/accad_Male2_G1_SidekickLeadingLeft", "left_foot"),
            ("kicks/accad_Male2_G3_SidekickLeadingRight", "right_foot"),
        ),
    ),
    "round_kick": (KICK, (("kicks/accad_Male2_G8_RoundhouseLeft", "left_foot"),)),
    "body_round_kick": (
        KICK,
        (
            ("kicks/accad_Male2_G14_RoundhouseBodyLeft", "left_foot"),
            ("kicks/accad_Male2_G15_RoundhouseBodyRight", "right_foot"),
        ),
    ),
    "lead_round_kick": (
        (*KICK, *STEP_IN),
        (
            ("kicks/accad_Male2_G10_RoundhouseLeadingLeft", "left_foot"),
            ("kicks/accad_Male2_G11_RoundhouseLeadingRight", "right_foot"),
        ),
    ),
}
EVASIONS = {
    "duck_step": ("boxing/accad_Male2_E21_DuckLeft",),
    "slip": ("boxing/accad_Male2_E19_DodgeLeft",),
}
FOOTWORK = {
    "step_forward": ("boxing/accad_Male2_E3_Advance",),
    "quick_forward": ("boxing/accad_Male2_E4_QuickAdvance",),
    "step_back": ("boxing/accad_Male2_E5_Retreat",),
    "quick_back": ("boxing/accad_Male2_E6_QuickRetreat",),
    "step_lead": ("boxing/accad_Male2_E9_SideStepLeft",),
}


@dataclass(frozen=True)
class Row:
    """One measure of one technique."""

    technique: str
    measure: str
    life: tuple[float, ...]
    performer: tuple[float, ...]

    @property
    def near(self) -> bool:
        """The performer's median is within a quarter of life's, or as near as captures can tell."""
        here, there = float(np.nanmedian(self.performer)), float(np.nanmedian(self.life))
        return abs(here - there) <= max(0.25 * abs(there), CANNOT_TELL.get(self.measure, 0.0))

    @property
    def alive(self) -> bool:
        """The performer varies at least a tenth as much as people do."""
        return float(np.nanstd(self.performer)) >= 0.1 * float(np.nanstd(self.life))

    def __str__(self) -> str:
        life = " / ".join(f"{value:.2f}" for value in self.life)
        low, middle, high = np.nanpercentile(self.performer, [10, 50, 90])
        mark = "" if self.near else "  <<<"
        return (
            f"{self.technique:16} {self.measure:15} life {life:24} "
            f"performer {middle:7.2f} [{low:.2f}–{high:.2f}]{mark}"
        )


def repeated(name: str, takes: int = TAKES, seed: int = 1) -> Iterator[tuple[Clip, Action]]:
    """Takes of one technique, with a stand before and after, as a person repeats it in a studio."""
    book: dict = {}
    for script in ("punches", "defences", "kicks", "footwork"):
        book |= techniques(script)
    for take in range(takes):
        # every technique has draws of its own, or one slow day would make all of them slow
        rng = np.random.default_rng([seed, take, crc32(name.encode())])
        lead = "left" if take % 2 == 0 else "right"
        actor = Actor(BODIES["average"], stances()["guard"], rng, ENERGETIC, lead)
        actor.time = 1.0
        action = actor.perform(book[name])
        frames = int((actor.settled + 0.9) * FPS)
        values = actor.tracks.evaluate(frames, FPS)
        enliven(values, FPS, rng, ENERGETIC, 1.0)
        yield solver.solve(actor.body, values, FPS), action


def compare(
    name: str, wanted: tuple[str, ...], life: list[dict[str, float]], performer: list[dict[str, float]]
) -> list[Row]:
    """The rows of a table."""
    return [
        Row(name, key, tuple(seen[key] for seen in life), tuple(seen[key] for seen in performer))
        for key in wanted
    ]


def _with_place(found: dict[str, float]) -> dict[str, float]:
    return {**found, "peak place": found["to peak s"] / max(found["to extension s"], 1e-6)}


def table(mocap: Path, seeds: Sequence[int] = UNTUNED_SEEDS) -> list[Row]:
    """Everything that the captures of labelled techniques can be compared in."""
    rows: list[Row] = []

    def seen(file: str, measure: Callable[[Clip], dict[str, float]]) -> dict[str, float]:
        return measure(load(mocap / f"{file}.bvh"))

    def ours(name: str) -> Iterator[tuple[Clip, Action]]:
        for seed in seeds:
            yield from repeated(name, seed=seed)

    for name, (wanted, files) in STRIKES.items():
        life = [
            _with_place(
                seen(file, lambda clip, effector=effector: measures.strike(measures.window(clip), effector))
            )
            for file, effector in files
        ]
        struck = [
            _with_place(measures.strike(measures.window(clip, 0.5), action.effector))
            for clip, action in ours(name)
        ]
        rows += compare(name, wanted, life, struck)
    for name, labelled in EVASIONS.items():
        life = [seen(file, lambda clip: measures.evasion(measures.window(clip))) for file in labelled]
        evaded = [measures.evasion(measures.window(clip, 0.8)) for clip, _ in ours(name)]
        rows += compare(name, EVADE, life, evaded)
    for name, labelled in FOOTWORK.items():
        life = [seen(file, measures.steps) for file in labelled]
        stepped = [found for clip, _ in ours(name) if (found := measures.steps(clip))]
        rows += compare(name, STEP, life, stepped)
    return rows


if __name__ == "__main__":
    import sys

    for line in table(Path(sys.argv[1]), [int(seed) for seed in sys.argv[2:]]):
        print(line)
