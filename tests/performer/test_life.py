"""The performer against captures of people, where there are any."""

from collections.abc import Callable
from pathlib import Path

import gait_life
import life
import measures
import numpy as np
import pytest

from randori.formats import load
from randori.motion.clip import Clip
from randori.performer import perform
from shared import made_once, state_of


@pytest.fixture(scope="module", params=["techniques", "gaits"])
def rows(request: pytest.FixtureRequest, mocap_folder: Path) -> list[life.Row]:
    table = {"techniques": life.table, "gaits": gait_life.table}[request.param]
    return made_once(
        f"life-{request.param}", lambda: table(mocap_folder, life.UNTUNED_SEEDS), state_of(mocap_folder)
    )


def test_medians_lie_within_a_quarter_of_life(rows: list[life.Row]) -> None:
    off = [str(row) for row in rows if not row.near]
    assert not off, "\n".join(["the performer is off in:", *off])


def test_the_performer_varies(rows: list[life.Row]) -> None:
    dull = [str(row) for row in rows if not row.alive]
    assert not dull, "\n".join(["the performer repeats itself in:", *dull])


FREE = ("cmu_13_17", "cmu_14_02", "cmu_17_10", "accad_Male2_Extended_1")


def test_free_shadow_boxing_lies_among_that_of_people(mocap_folder: Path) -> None:
    """How single punches go was calibrated on other recordings, labelled ones of one actor.

    The rhythm of combinations was set with these takes in view, so only the punches are held out. People
    differ more than a quarter from each other: the performer has to lie among them, or within a quarter
    of the nearest.
    """
    people = [load(mocap_folder / "boxing" / f"{name}.bvh") for name in FREE]
    ours = perform("boxing", seconds=120.0, seed=11, fps=120.0)[0].clip

    keys = ("peak m/s", "to peak s", "to extension s", "back s", "pelvis yaw °", "chest yaw °", "reach")

    def of_all(pick: Callable[[list[float]], np.floating], clip: Clip) -> dict[str, float]:
        punches = measures.straight_punches(clip)
        return {key: float(pick([seen[key] for seen in punches])) for key in keys}

    theirs = [{**of_all(np.nanmedian, clip), **measures.rhythm(clip)} for clip in people]
    here = {**of_all(np.nanmedian, ours), **measures.rhythm(ours)}
    for key, value in here.items():
        low, high = (pick(seen[key] for seen in theirs) for pick in (min, max))
        assert 0.75 * low <= value <= 1.25 * high, f"{key}: {value:.2f}, people {low:.2f} to {high:.2f}"
    spreads = [of_all(np.nanstd, clip) for clip in people]
    for key, value in of_all(np.nanstd, ours).items():
        assert value >= 0.1 * np.median([seen[key] for seen in spreads]), f"{key} hardly varies"
