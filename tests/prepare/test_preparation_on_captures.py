"""Real people who walk, crawl and leap: their walk is prepared as the performer's is."""

from pathlib import Path

import numpy as np
import pytest

from randori.capture.analysis import analyse
from randori.formats import load
from randori.graph.library import build_library
from randori.motion.feet import foot_contacts, foot_points, foot_slide
from randori.prepare.bodies import blend_clip
from randori.prepare.repertoire import Repertoire, make_repertoire

TARGETS = [
    "locomotion_targets/accad_Male2_B17_WalkToHopToWalk.bvh",
    "locomotion_targets/accad_Male2_B18_WalkToLeapToWalk.bvh",
    "locomotion_targets/accad_Male2_C18_RunToHopToWalk.bvh",
    "locomotion_targets/cmu_127_29.bvh",
    "locomotion_targets/cmu_133_02.bvh",
]


@pytest.fixture(scope="module")
def real(mocap_folder: Path) -> Repertoire:
    walking = sorted((mocap_folder / "walking").glob("accad_Male2_*.bvh"))
    clips = [load(path) for path in (*walking, *(mocap_folder / name for name in TARGETS))]
    return make_repertoire(build_library([(clip, analyse(clip)) for clip in clips], mirrored=True))


def test_target_motions_are_found(real: Repertoire):
    assert {"crawl under", "jump over"} <= set(real.targets)
    assert real.gaits.postures >= 2


def test_their_walk_is_prepared(real: Repertoire):
    library = real.library
    clip = library.clips[0]
    frames = clip.start + 20, clip.stop - 20
    recorded = library.clip(*frames)
    levels = np.linspace(0.0, 0.8, len(recorded))
    own = foot_slide(recorded, foot_contacts(recorded))
    for target in real.targets.values():
        made = blend_clip(library, real.model, *frames, target.reference, levels)
        slides = foot_slide(made, foot_contacts(made))
        assert np.median(slides) < np.median(own) + 0.01
        assert foot_points(made)[..., 1].min() > foot_points(recorded)[..., 1].min() - 0.02
