"""Behaviour is measured as it is defined, on situations whose answer is known."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from bout_samples import TICKS, action_of, face_to_face, row
from randori.body.capsules import fit
from randori.graph.action_graph import ActionGraph
from randori.graph.joining import Walk
from randori.graph.library import ActionLibrary
from randori.timeline.behaviour import Behaviour, measure_behaviour
from randori.timeline.quality import measure
from randori.timeline.timeline import CHOSEN, FORCED, Event, Fighting, Placed, Timeline, Track

ROLES = (Fighting((1,), 0.8), Fighting((0,), 0.8))


@pytest.fixture(scope="module")
def library(sparring_graph: ActionGraph) -> ActionLibrary:
    return sparring_graph.library


def judged(
    library: ActionLibrary,
    rows: Sequence[tuple[Placed, ...]],
    walks: Sequence[Walk],
    events: Sequence[Event] = (),
    roles: Sequence[Fighting | None] = ROLES,
) -> Behaviour:
    tracks = tuple(Track(f"{k}", library, placed, k, roles[k]) for k, placed in enumerate(rows))
    capsules = [
        fit(walk.clip.skeleton).place(walk.clip.positions, walk.clip.global_rotations) for walk in walks
    ]
    return measure_behaviour(Timeline(60.0, TICKS, tracks, tuple(events)), walks, capsules)


def hit(tick: int, who: int) -> Event:
    return Event(tick, "hit", who, 1 - who, "left_hand", "head", 3.0, (0.0, 1.5, 0.0))


@pytest.mark.parametrize(
    ("degrees", "away"), [(0.0, 0.0), (55.0, 0.0), (-55.0, 0.0), (65.0, 1.0), (180.0, 1.0)]
)
def test_a_head_that_looks_past_its_opponent_looks_away(library: ActionLibrary, degrees: float, away: float):
    # the pelvis of a boxer is not below its head: some degrees are left for that
    found = judged(library, [row(library)] * 2, face_to_face(library, degrees), [hit(30, 0), hit(60, 1)])
    assert found.looks_away == away
    assert found.unseeing_hits == away / 2.0  # only the second fighter looks away
    assert found.hits_judged == 2


def test_a_hit_in_a_forced_reaction_strikes_a_stunned_fighter(library: ActionLibrary):
    stand = action_of(library, "transition", "stand")
    rows = [row(library), row(library, (stand, 100, FORCED), (stand, 130, CHOSEN))]
    # the first one causes the reaction, the second comes during it, the third after it
    found = judged(library, rows, face_to_face(library), [hit(tick, 0) for tick in (100, 120, 140)])
    assert found.stunned_hits == pytest.approx(1.0 / 3.0)


def test_hits_are_answered_by_hits_or_attacks(library: ActionLibrary):
    jab, stand = action_of(library, "attack"), action_of(library, "transition", "stand")
    hits = [hit(tick, 0) for tick in (50, 100, 150, 200, 250)] + [hit(300, 1), hit(350, 0)]
    still = judged(library, [row(library)] * 2, face_to_face(library), hits)
    assert (still.unanswered_hits, still.idle_hits) == (5, 5)
    rows = [row(library), row(library, (jab, 170, CHOSEN), (stand, 190, CHOSEN))]
    fighting = judged(library, rows, face_to_face(library), hits)
    assert (fighting.unanswered_hits, fighting.idle_hits) == (5, 3)


@pytest.mark.parametrize(
    ("kind", "tick", "cause", "answered"),
    [
        ("defence", 105, CHOSEN, 1.0),
        ("defence", 105, FORCED, 0.0),
        ("defence", 99, CHOSEN, 0.0),  # a guard that was up anyway
        ("defence", 260, CHOSEN, 0.0),  # too late
        ("transition", 105, CHOSEN, 0.0),
    ],
)
def test_only_a_defence_begun_during_the_attack_answers_it(
    library: ActionLibrary, kind: str, tick: int, cause: str, answered: float
):
    jab = action_of(library, "attack")
    defence = action_of(library, kind, "stand" if kind == "transition" else "")
    rows = [row(library, (jab, 100, CHOSEN)), row(library, (defence, tick, cause))]
    found = judged(library, rows, face_to_face(library))
    assert found.attacks_judged == 1
    assert found.answered == answered


def test_a_step_evades_what_meets_nobody(library: ActionLibrary):
    jab, step = action_of(library, "attack"), action_of(library, "transition", "step back")
    rows = [row(library, (jab, 100, CHOSEN)), row(library, (step, 105, CHOSEN))]
    assert judged(library, rows, face_to_face(library)).sidestepped == 1.0
    assert judged(library, rows, face_to_face(library), [hit(110, 0)]).sidestepped == 0.0


def test_time_without_an_attack_counts_from_the_start_to_the_end(library: ActionLibrary):
    jab, stand = action_of(library, "attack"), action_of(library, "transition", "stand")
    quiet = judged(library, [row(library)] * 2, face_to_face(library))
    assert quiet.longest_pause == 10.0
    early = [row(library, (jab, 60, CHOSEN), (stand, 90, CHOSEN)), row(library)]
    assert judged(library, early, face_to_face(library)).longest_pause == pytest.approx(8.5)
    late = [row(library), row(library, (jab, 480, CHOSEN), (stand, 510, CHOSEN))]
    assert judged(library, late, face_to_face(library)).longest_pause == pytest.approx(8.0)


def test_fighters_that_keep_far_away_may_wait_longer(library: ActionLibrary):
    afar = [replace(role, distance=2.0) for role in ROLES]
    assert judged(library, [row(library)] * 2, face_to_face(library)).pause_allowed == 4.0
    assert judged(library, [row(library)] * 2, face_to_face(library), roles=afar).pause_allowed == 6.0


def test_techniques_are_counted_with_their_sides_and_without(library: ActionLibrary):
    sides = {}
    for number, tags in enumerate(library.tags):
        if tags.technique == "hook":
            sides[tags.side] = number
    left, right = sides["left"], sides["right"]
    rows = [row(library, (left, 50, CHOSEN), (right, 100, CHOSEN), (left, 150, CHOSEN)), row(library)]
    found = judged(library, rows, face_to_face(library))
    assert (found.techniques, found.sided_techniques) == (1, 2)
    assert found.attacks_by_technique == {"left hook": 2, "right hook": 1}
    assert found.techniques_expected == 0.75


def moved(walk: Walk, path: np.ndarray) -> Walk:
    """A walk with its root moved by (F, 3) metres."""
    return replace(walk, clip=walk.clip.with_frames(walk.clip.root_position + path, walk.clip.rotations))


def test_feet_that_creep_are_not_still(library: ActionLibrary):
    walks = face_to_face(library)
    assert judged(library, [row(library)] * 2, walks).feet_still == 1.0
    seconds = np.arange(TICKS + 1) / 60.0
    for speed, still in ((0.04, 1.0), (0.06, 0.0)):
        creeping = [moved(walk, seconds[:, None] * [speed, 0.0, 0.0]) for walk in walks]
        assert judged(library, [row(library)] * 2, creeping).feet_still == still


def test_a_body_that_comes_towards_the_fist_moves_against_the_blow(library: ActionLibrary):
    seconds = np.arange(TICKS + 1) / 60.0
    punching, struck = face_to_face(library)
    punching = moved(punching, seconds[:, None] * [0.0, 0.0, 1.0])  # its fist goes along +z
    for speed, share in ((0.5, 0.0), (0.0, 0.0), (-0.03, 0.0), (-0.1, 1.0)):
        giving_way = moved(struck, seconds[:, None] * [0.0, 0.0, speed])
        found = judged(library, [row(library)] * 2, [punching, giving_way], [hit(60, 0)])
        assert found.against_blow == share


def test_a_pelvis_rises_as_fast_as_it_does(library: ActionLibrary):
    seconds = np.arange(TICKS + 1) / 60.0
    walks = face_to_face(library)
    rising = moved(walks[0], np.clip(seconds - 3.0, 0.0, 0.5)[:, None] * [0.0, 1.5, 0.0])
    assert judged(library, [row(library)] * 2, [rising, walks[1]]).fastest_rise == pytest.approx(1.5)


def test_a_fighter_that_stays_down_loses_and_ends_the_fight(library: ActionLibrary):
    walks = face_to_face(library, 180.0)
    down = np.arange(TICKS + 1)[:, None] >= 300
    lying = moved(walks[1], down * [0.0, -0.6, 0.0])
    found = judged(library, [row(library)] * 2, [walks[0], lying])
    assert found.winner == "0"
    assert found.longest_pause == 5.0  # until it falls
    assert judged(library, [row(library)] * 2, walks).winner == ""


@pytest.mark.parametrize(("cause", "tick", "count"), [(FORCED, 300, 1), (CHOSEN, 300, 0), (FORCED, 290, 0)])
def test_a_fall_that_a_hit_causes_is_a_knock_down(library: ActionLibrary, cause: str, tick: int, count: int):
    recoil = action_of(library, "transition", "step back")
    tags = list(library.tags)
    tags[recoil] = replace(tags[recoil], kind="fall", technique="fall")
    falling = replace(library, tags=tuple(tags))
    rows = [row(falling), row(falling, (recoil, 300, cause))]
    found = judged(falling, rows, face_to_face(falling), [hit(tick, 0)])
    assert found.knock_downs == count
    assert found.winner == "0"


def test_a_victim_that_waits_for_its_fall_is_idle(library: ActionLibrary):
    jab, stand = action_of(library, "attack"), action_of(library, "transition", "stand")
    roles = [ROLES[0], replace(ROLES[1], has_to_fall=True)]
    waiting = judged(library, [row(library)] * 2, face_to_face(library), roles=roles)
    assert (waiting.requested_falls, waiting.idle_victim) == (1, 1.0)
    rows = [row(library), row(library, (jab, 100, CHOSEN), (stand, 250, FORCED), (stand, 400, CHOSEN))]
    busy = judged(library, rows, face_to_face(library), roles=roles)
    assert busy.idle_victim == pytest.approx(0.5)  # neither while it attacks nor while it reacts


def test_only_a_single_fight_is_judged(library: ActionLibrary, sparring: Timeline, baked: list[Walk]):
    nobody = judged(library, [row(library)] * 2, face_to_face(library), roles=[None, None])
    assert nobody == Behaviour()
    pairs = [Fighting((1,), 0.8), Fighting((0,), 0.8), Fighting((3,), 0.8), Fighting((2,), 0.8)]
    four = judged(library, [row(library)] * 4, face_to_face(library) * 2, roles=pairs)
    assert four == Behaviour()
    assert "looking:" not in str(measure(sparring, baked))  # these two do not fight


def test_the_report_tells_what_is_missed(sparring: Timeline, baked: list[Walk]):
    tracks = tuple(replace(track, fighting=role) for track, role in zip(sparring.tracks, ROLES))
    quality = measure(replace(sparring, tracks=tracks), baked)
    assert quality.fighters == 2
    assert quality.answered < 0.1
    told = f"defended: {100 * quality.answered:.0f} % of {quality.attacks_judged} attacks"
    assert any(sentence.startswith(told) for sentence in quality.misses())
    assert quality.as_dict()["attacks_judged"] == quality.attacks_judged
