"""Real people who walk, crawl, duck, leap, punch and kick: their walk is prepared as the performer's is."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from randori.capture.analysis import analyse
from randori.formats import load
from randori.graph.library import build_library
from randori.motion.feet import foot_contacts, foot_points, foot_slide
from randori.prepare.bodies import blend_clip
from randori.prepare.characters import Characters, Source
from randori.prepare.controller import Controller
from randori.prepare.gaits import find_gaits
from randori.prepare.repertoire import Repertoire, learn, make_repertoire
from randori.prepare.scenes import playing, start_scene
from randori.timeline.quality import measure
from randori.work import finish

TARGETS = [
    "locomotion_targets/accad_Male2_B17_WalkToHopToWalk.bvh",
    "locomotion_targets/accad_Male2_B18_WalkToLeapToWalk.bvh",
    "locomotion_targets/accad_Male2_C18_RunToHopToWalk.bvh",
    "locomotion_targets/cmu_127_31.bvh",
    "locomotion_targets/cmu_133_02.bvh",
    "boxing/accad_Male2_E4_CrossRight.bvh",
    "kicks/accad_Male2_G2_FrontKick.bvh",
]
TECHNIQUES = {"crawl under", "duck under", "jump over", "straight", "front kick"}


@pytest.fixture(scope="module")
def real(mocap_folder: Path) -> Repertoire:
    walking = sorted((mocap_folder / "walking").glob("accad_Male2_*.bvh"))
    clips = [load(path) for path in (*walking, *(mocap_folder / name for name in TARGETS))]
    return make_repertoire(build_library([(clip, analyse(clip)) for clip in clips], mirrored=True))


def test_target_motions_are_found(real: Repertoire):
    assert set(real.targets) >= TECHNIQUES
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


@pytest.fixture(scope="module")
def few(real: Repertoire) -> Repertoire:
    """The same with fewer steps to choose from, which is learned sooner."""
    return replace(real, gaits=find_gaits(real.gaits.graph, moves=3))


@pytest.fixture(scope="module")
def controller(few: Repertoire) -> Controller:
    return finish(learn(few))


@pytest.mark.parametrize(("name", "count"), [("kick", 1), ("punch", 0), ("course", 2)])
def test_the_scenes_find_what_they_need(few: Repertoire, controller: Controller, name: str, count: int):
    """A cross is a punch and a front kick is a kick: names do not matter.

    Nobody was recorded standing: opponents who cannot wait walk round each other, and need not meet.
    """
    scene = start_scene(name, few, controller, seed=5)
    for _ in playing(scene, 25 * 60):
        pass
    assert sum(event.kind == "effect" for event in scene.characters.events) >= count


def test_one_controller_serves_all_of_them(few: Repertoire, controller: Controller):
    real = few
    names = sorted(TECHNIQUES)
    people = Characters(real, controller, len(names))
    things = [Source(name, (10.0 * body, 4.5), body) for body, name in enumerate(names)]
    people.sources = lambda body: (things[body],)
    for body in range(len(names)):
        people.put(body, 10.0 * body, 0.0, 0.0)
        people.head_for(body, things[body].place)
    done: set[int] = set()
    for _ in range(16 * 60):
        for body in range(len(names)):
            if body not in done and people.ready(body):
                people.launch(body, names[body])
                done.add(body)
        people.step()
    assert {names[body] for body in done} == TECHNIQUES
    assert {event.what for event in people.events if event.kind == "effect"} == TECHNIQUES
    quality = measure(*people.timeline({}))
    assert quality.unnoticed >= 0.95
    assert quality.smooth_joins >= 0.95
