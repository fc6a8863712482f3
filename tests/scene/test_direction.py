"""The director's means on a small library: checkpoints, requests, walls, formations, contradictions."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from randori.capture.analysis import analyse
from randori.duel.combination import COLUMNS, ROWS, Amendment, combination_table
from randori.duel.director import Director, Props
from randori.duel.fighter import RULES_OF_BOXING
from randori.duel.goals import Checkpoint, Errand
from randori.duel.solids import Car
from randori.duel.stock import build_stock
from randori.errors import FileError
from randori.graph.action_graph import ActionGraph, graph_with_choices
from randori.graph.library import build_library
from randori.performer import perform
from randori.scene.cast import gather
from randori.scene.ending import lies, pelvises
from randori.scene.formation import assign, from_picture, ways
from randori.scene.run import deciding
from randori.scene.scene import Formation, Pin, Scene
from randori.timeline.timeline import FORCED, Timeline
from randori.work import finish
from shared import made_once

HEAD = """
seconds = {seconds}
[motions.ring]
library = "unused.npz"
[rules]
felling = 1e6
stamina = 1e6
"""
PAIR = """
[[cast]]
name = "Red"
depth = 1
style = "boxer-on-path"
weights = { path_weight = 1e7 }
[[cast]]
name = "Blue"
depth = 1
team = 1
style = "boxer-on-path"
weights = { path_weight = 1e7 }
"""


@pytest.fixture(scope="module")
def graphs() -> dict[str, ActionGraph]:
    def make() -> ActionGraph:
        clips = [perform(name, 90.0, seed=2)[0].clip for name in ("boxing", "reactions")]
        return graph_with_choices(build_library([(clip, analyse(clip)) for clip in clips]), 25.0)

    return {"ring": made_once("direction-ring", make)}


def scene(text: str, seconds: float = 12.0) -> Scene:
    return Scene.parse(HEAD.format(seconds=seconds) + PAIR + text, "play.toml", name="play")


def play(text: str, graphs: dict[str, ActionGraph], seconds: float = 12.0, threads: int = 1) -> Timeline:
    return finish(deciding(scene(text, seconds), graphs, threads))


def events(timeline: Timeline, kind: str) -> list[tuple[float, str]]:
    return [(event.tick / timeline.fps, event.what) for event in timeline.events if event.kind == kind]


@pytest.fixture(scope="module")
def errand(graphs: dict[str, ActionGraph]) -> Timeline:
    """To a place, where Red has to do something, and on to where Blue goes down."""
    return play(
        """
[[path]]
place = [0.0, 1.2]
time = 4.0
required = { Red = ["jab"] }
forbidden = { Blue = ["attack"] }
[[path]]
place = [0.0, 1.8]
required = { Blue = ["fall"] }
""",
        graphs,
        20.0,
    )


def test_checkpoints_are_reached_in_order_and_their_time_is_waited_for(errand: Timeline):
    reached = events(errand, "checkpoint")
    assert [what for _, what in reached] == ["1", "2"]
    assert reached[1][0] >= 4.0
    places = pelvises(errand).mean(axis=0)
    assert np.linalg.norm(places[round(reached[1][0] * errand.fps)] - [0.0, 1.8]) <= 0.5


def test_what_is_required_is_done_and_what_is_forbidden_is_not(errand: Timeline):
    assert [what for _, what in events(errand, "request")] == ["jab", "fall"]
    first, left = events(errand, "request")[0][0], events(errand, "checkpoint")[1][0]
    assert events(errand, "checkpoint")[0][0] <= first <= left
    blue = errand.tracks[1]
    # what began before the first checkpoint counted is not its business
    early = [one for one in blue.placed if 0 < one.start < first * errand.fps and one.cause == "chosen"]
    free = [one for one in early if len(_options(errand, 1, one.start)) > 1]
    assert free
    assert not any(blue.library.tags[one.action].kind == "attack" for one in free)


def test_a_checkpoint_is_not_missed_before_its_time(graphs: dict[str, ActionGraph]):
    far = "[[path]]\nplace = [0.0, 40.0]\n"
    assert play(far, graphs, 2.0).words["goals not met"] == ["Red and Blue did not reach checkpoint 1 of 1"]
    assert play(far + "time = 60.0\n", graphs, 2.0).words["goals not met"] == []


def _options(timeline: Timeline, who: int, tick: int) -> tuple[object, ...]:
    return next((one.options for one in timeline.decisions if (one.who, one.tick) == (who, tick)), ())


def test_asked_to_fall_means_to_be_knocked_down_and_to_stay_down(errand: Timeline):
    assert errand.words["goals not met"] == []
    assert [lies(track) for track in errand.tracks] == [False, True]
    when = events(errand, "request")[-1][0]
    struck = [event for event in errand.events if event.kind == "hit" and event.whom == 1]
    assert any(event.tick == round(when * errand.fps) for event in struck)
    assert not any(event.tick > round(when * errand.fps) for event in struck)


def test_nobody_walks_through_a_wall(graphs: dict[str, ActionGraph]):
    timeline = play("[[path]]\nplace = [0.9, 1.0]\n[[walls]]\nstart = [1.6, -4.0]\nstop = [1.6, 6.0]", graphs)
    assert pelvises(timeline)[..., 0].max() < 1.6
    options = [option.rule for one in timeline.decisions for option in one.options]
    assert "runs into something" in options


def test_the_winner_stops_and_keeps_off_the_fallen_fighter(errand: Timeline):
    fall = round(events(errand, "request")[-1][0] * errand.fps)
    red = errand.tracks[0]
    after = [one for one in red.placed if one.start > fall and one.cause == "chosen"]
    assert after
    assert {red.library.tags[one.action].kind for one in after} == {"transition"}
    apart = np.linalg.norm(pelvises(errand)[0] - pelvises(errand)[1], axis=-1)
    assert apart[min(fall + 180, errand.ticks) :].min() > 1.2


def test_the_victim_of_a_requested_fall_fights_until_it_falls(errand: Timeline):
    asked, fall = (round(events(errand, kind)[-1][0] * errand.fps) for kind in ("checkpoint", "request"))
    blue = errand.tracks[1]
    fights = [blue.library.tags[one.action].kind for one in blue.placed if asked <= one.start < fall]
    assert {"attack", "defence"} & set(fights)


def test_a_knocked_down_fighter_is_left_alone_and_gets_up(graphs: dict[str, ActionGraph]):
    hard = HEAD.replace("felling = 1e6", "felling = 9.0").format(seconds=20.0) + PAIR
    timeline = finish(deciding(Scene.parse(hard, "play.toml", name="play"), graphs))
    downs = []  # who, and the ticks from its fall to where it stands again
    for who, track in enumerate(timeline.tracks):
        kinds = [track.library.tags[one.action].kind for one in track.placed]
        for number in np.flatnonzero(np.array(kinds) == "fall").tolist():
            if "rise" in kinds[number:]:
                up = track.placed[kinds.index("rise", number)].stop
                downs.append((who, track.placed[number].start, up))
    assert downs
    for who, start, up in downs:
        other = timeline.tracks[1 - who]
        begun = [other.library.tags[one.action].kind for one in other.placed if start < one.start < up]
        assert begun
        assert "attack" not in begun
        hits = [event.tick for event in timeline.events if event.kind == "hit" and event.whom == who]
        assert not any(start < tick < up for tick in hits)


def test_who_misses_a_checkpoint_goes_on_only_if_it_may():
    far = np.full((2, 2), 9.0)

    def passed(second: float, patience: float | None, required: tuple[tuple[int, str], ...] = ()) -> int:
        missed = Checkpoint((0.0, 0.0), time=2.0, required=required, patience=patience)
        errand = Errand((0, 1), [missed, Checkpoint((1.0, 0.0))])
        errand.arrive(round(60 * second), far)
        errand.leave(round(60 * second), 60.0)
        return errand.passed

    assert passed(2.4, patience=0.5) == 0
    assert passed(2.6, patience=0.5) == 1
    assert passed(60.0, patience=None) == 0
    assert passed(60.0, patience=0.5, required=((0, "jab"),)) == 0


def director_of_a_fall() -> Director:
    path = [Checkpoint((0.0, 0.0), 0.5, required=((1, "fall"),))]
    return Director([0, 1], path, Props(), lambda who, word: np.array([], dtype=np.int64), 1, 60.0)


def test_lighter_blows_fell_the_victim_the_longer_its_fall_takes_but_they_must_land():
    director, rules = director_of_a_fall(), RULES_OF_BOXING._replace(felling=1e6)
    assert not director.fells(1, 0, 100.0, 600, rules)  # nobody has to fall yet
    director.look(0, 60.0, np.zeros((2, 2)))
    for second, light, strong in ((0, 26.0, 28.0), (6, 8.5, 9.5), (15, 1.5, 2.5)):
        assert not director.fells(1, 0, light, 60 * second, rules)
        assert director.fells(1, 0, strong, 60 * second, rules)
    assert not director.fells(0, 1, 100.0, 600, rules)  # the other one has not to fall
    assert not director.fells(1, 0, 0.0, 6000, rules)  # a blow on the guard


def test_a_fall_that_does_not_come_about_is_not_asked_for_for_ever():
    director = director_of_a_fall()
    director.look(0, 60.0, np.zeros((2, 2)))
    director.look(60 * 39, 60.0, np.zeros((2, 2)))
    assert list(director.falling()) == [1]
    director.look(60 * 41, 60.0, np.zeros((2, 2)))
    assert director.falling() == {}
    assert director.errands[0].missed == [(1, "fall")]


FREE = """
[[cast]]
name = "Red"
depth = 1
{red}
[[cast]]
name = "Blue"
depth = 1
team = 1
"""


def free_fight(red: str, graphs: dict[str, ActionGraph]) -> Timeline:
    """Two fighters of the default style, of whom Red has some more lines."""
    text = HEAD.format(seconds=8.0) + FREE.format(red=red)
    return finish(deciding(Scene.parse(text, "play.toml", name="play"), graphs))


def attacks_of_red(timeline: Timeline) -> list[float]:
    tags = timeline.tracks[0].library.tags
    own = [one for one in timeline.decisions if one.who == 0 and not one.goes_on]
    return [one.tick / timeline.fps for one in own if tags[one.action].kind == "attack"]


def test_requests_of_a_fighter_take_effect_in_the_default_style(graphs: dict[str, ActionGraph]):
    timeline = free_fight('wanted = ["jab"]', graphs)
    tags = timeline.tracks[0].library.tags
    counted = {
        (tags[option.action].technique == "jab", option.terms["request"] > 1e6)
        for one in timeline.decisions
        if one.who == 0
        for option in one.options
        if option.terms
    }
    assert counted == {(True, True), (False, False)}
    assert attacks_of_red(free_fight("", graphs))
    assert not attacks_of_red(free_fight('unwanted = ["attack"]', graphs))
    joined = attacks_of_red(free_fight("joins = 3.0", graphs))
    assert joined
    assert min(joined) >= 3.0


@pytest.mark.parametrize("degrees", [60.0, -120.0])
def test_a_fighter_faces_the_way_that_its_checkpoint_says(graphs: dict[str, ActionGraph], degrees: float):
    timeline = play(
        f"[[path]]\nplace = [0.0, 1.0]\ntime = 60.0\nfacing = {{ Red = {degrees} }}", graphs, 16.0
    )
    red, blue = pelvises(timeline)[:, 8 * 60 :]
    looks = np.arctan2(*(blue - red).T)  # fighters look at each other
    off = np.angle(np.exp(1j * (looks - np.radians(degrees))))
    assert np.degrees(np.median(np.abs(off))) < 45.0


ALLIES = """
[[cast]]
name = "Red"
depth = 1
place = [0.0, 0.0, 0.0]
[[cast]]
name = "Rose"
depth = 1
place = [0.55, 0.0, 0.0]
[[cast]]
name = "Blue"
depth = 1
team = 1
place = [0.3, 1.3, 180.0]
"""


def test_no_fighter_steps_into_an_ally(graphs: dict[str, ActionGraph]):
    text = HEAD.format(seconds=10.0) + ALLIES
    timeline = finish(deciding(Scene.parse(text, "play.toml", name="play"), graphs))
    rules = [option.rule for one in timeline.decisions if one.who < 2 for option in one.options]
    assert "runs into something" in rules
    red, rose, _ = pelvises(timeline)
    apart = np.linalg.norm(red - rose, axis=-1)
    # a blow may drive a fighter into its ally: that is no step
    placed = [one for track in timeline.tracks[:2] for one in track.placed]
    driven = np.zeros(len(apart), dtype=bool)
    for one in placed:
        driven[one.start : one.stop + 1] |= one.cause == FORCED
    steps = [one for one in placed if not driven[one.start : one.stop].any() and apart[one.start] > 0.45]
    assert len(steps) > 8
    assert min(apart[one.start : one.stop].min() for one in steps) > 0.3


def test_rows_of_the_combination_table_have_any_sign_and_pair_attacks_too():
    rows = [Amendment("duck", "jab", -0.5), Amendment("hook", "jab", 0.8, "head")]
    table = combination_table(rows)
    jabs = [number for number, (attack, _) in enumerate(COLUMNS) if attack == "jab"]
    hooks = [len(ROWS) + number for number, (attack, _) in enumerate(COLUMNS) if attack == "hook"]
    assert (table[ROWS.index("duck"), jabs] == -0.5).all()
    assert (table[hooks, COLUMNS.index(("jab", "head"))] == 0.8).all()
    assert np.count_nonzero(table[len(ROWS) :]) == len(hooks)
    amended = scene('[[combination]]\ndefence = "hook"\nattack = "jab"\nsuitability = -1.0')
    assert amended.combination[0].suitability == -1.0


def with_standing_fall(graph: ActionGraph) -> tuple[ActionGraph, int]:
    """The same motions with a fall that is cut off standing: a recoil that is called one; and that action."""
    tags = list(graph.library.tags)
    standing = next(int(action) for action in graph.actions if tags[action].technique == "recoil")
    tags[standing] = replace(tags[standing], kind="fall", technique="fall")
    return replace(graph, library=replace(graph.library, tags=tuple(tags))), standing


def test_a_fall_that_is_cut_off_standing_fells_nobody(graphs: dict[str, ActionGraph]):
    library = graphs["ring"].library
    cut, standing = with_standing_fall(graphs["ring"])
    felling = np.unique(build_stock([cut]).response[:, 2::3])
    assert standing not in felling
    ends = library.actions.stop[felling[felling >= 0]] - 1
    assert library.frames.root_position[ends, 1].max() < 0.5


def without_falls(graph: ActionGraph, but: int) -> ActionGraph:
    """The same motions, in which all falls but one are called something else."""
    tags = [
        replace(tag, kind="reaction", technique="stagger") if tag.kind == "fall" and action != but else tag
        for action, tag in enumerate(graph.library.tags)
    ]
    return replace(graph, library=replace(graph.library, tags=tuple(tags)))


def test_who_has_no_fall_the_way_it_is_struck_falls_another_way(graphs: dict[str, ActionGraph]):
    graph, fell = graphs["ring"], "[[path]]\nplace = [0.0, 1.0]\nrequired = { Blue = ['fall'] }"
    falls = [action for action in graph.actions.tolist() if graph.library.tags[action].kind == "fall"]
    felling = build_stock([graph]).response[:, 2::3]
    forward = next(action for action in falls if action in felling and action not in felling[:, 0])
    poor = without_falls(graph, forward)
    assert forward not in build_stock([poor]).response[:, 2]  # nothing falls backward
    timeline = play(fell, {"ring": poor}, 20.0)
    assert timeline.words["goals not met"] == []
    assert forward in [one.action for one in timeline.tracks[1].placed]


def test_falls_that_are_cut_off_are_named_before_anybody_moves(graphs: dict[str, ActionGraph]):
    graph, standing = with_standing_fall(graphs["ring"])
    poor = {"ring": without_falls(graph, standing)}
    with pytest.raises(FileError, match=r"cast\[2\].motions: Blue has to fall, but no fall"):
        gather(scene("[[path]]\nplace = [0.0, 1.0]\nrequired = { Blue = ['fall'] }"), poor)


def test_a_camera_stands_above_the_floor():
    assert scene("[camera]\nelevation = 35.0").camera.elevation == 35.0
    with pytest.raises(FileError, match=r"camera.elevation: .*found 95"):
        scene("[camera]\nelevation = 95.0")


FORMATION = """
[formation]
shape = "line"
pairs = 3
spacing = 3.5
march = [0.0, 0.8]
time = [0.5, 4.5]
"""


def test_pairs_run_in_parallel_with_the_same_bytes_and_do_not_touch(graphs: dict[str, ActionGraph]):
    one, two = (play(FORMATION, graphs, 6.0, threads) for threads in (1, 2))
    assert (one.decisions, one.events) == (two.decisions, two.events)
    assert [track.placed for track in one.tracks] == [track.placed for track in two.tracks]
    assert [track.name for track in one.tracks] == [
        f"{who} {n}" for n in (1, 2, 3) for who in ("Red", "Blue")
    ]
    assert [one.tick for one in one.decisions] == sorted(one.tick for one in one.decisions)
    places = pelvises(one)
    for a in range(6):
        for b in range(a):
            if a // 2 != b // 2:
                assert np.linalg.norm(places[a] - places[b], axis=-1).min() > 1.0


def test_a_pin_among_many_pairs_leaves_the_past_alone(graphs: dict[str, ActionGraph]):
    free = play(FORMATION, graphs, 4.0)
    number = next(n for n, one in enumerate(free.decisions, 1) if one.tick > 120 and len(one.options) > 1)
    replaced = free.decisions[number - 1]
    other = next(option.action for option in replaced.options if option.action != replaced.action)
    track = free.tracks[replaced.who]
    words = track.library.describe(other)
    pin = Pin(who=track.name, at=replaced.tick / free.fps, action=words, number=other)
    pinned = scene(FORMATION, 4.0).changed(pins=(pin,))
    timeline = finish(deciding(pinned, graphs, 2))
    assert timeline.decisions[: number - 1] == free.decisions[: number - 1]
    assert timeline.decisions[number - 1].action == other


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[[path]]\nplace = [1.6, 2.0]\n[[walls]]\nstart = [1.6, -4.0]\nstop = [1.6, 6.0]",
            r"path\[1\].place: 1.6, 2 lies in walls\[1\]",
        ),
        ("[[walls]]\nstart = [-1.0, 0.0]\nstop = [1.0, 0.0]", r"cast\[1\].place: .* lies in walls\[1\]"),
        (
            '[[path]]\nplace = [0.0, 1.0]\nrequired = { Red = ["somersault"] }',
            r"path\[1\].required: Red has no action 'somersault'",
        ),
        (
            '[[path]]\nplace = [0.0, 1.0]\nforbidden = { Red = ["jib"] }',
            r"path\[1\].forbidden: .*did you mean 'jab'",
        ),
        (
            "[[path]]\nplace = [0.0, 1.0]\ntime = 2.0\n[[path]]\nplace = [0.0, 41.0]\ntime = 6.0",
            r"path\[2\].time: 39.0 m in 4.0 s cannot be met; Red moves at most \d.\d m/s: give \d+.\d s",
        ),
        (FORMATION.replace("0.8]", "80.0]"), r"formation.time: .* cannot be met"),
        (FORMATION + 'required = { Green = ["fall"] }', r"formation.required: no character is named 'Green'"),
        ('[[path]]\nplace = [0.0, 1.0]\nrequired = { Rad = ["jab"] }', r"path\[1\].required: .*'Red'"),
        (
            "[[path]]\nplace = [0.0, 1.0]\ntime = 9.0\n[[path]]\nplace = [0.0, 1.0]\ntime = 5.0",
            r"path\[2\].time: 5 s is sooner than the checkpoint before it; give 9 s or more",
        ),
        (
            '[[path]]\nplace = [0.0, 1.0]\nrequired = { Red = ["jab"] }\nforbidden = { Red = ["attack"] }',
            r"path\[1\].forbidden: Red has to do 'jab' there, and must not",
        ),
        (
            '[[path]]\nplace = [0.0, 1.0]\nrequired = { Red = ["fall"] }\nforbidden = { Blue = ["attack"] }',
            r"path\[1\].forbidden: Red has to fall there, but all that could knock it down must not attack",
        ),
        (
            '[[path]]\nplace = [0.0, 1.0]\nrequired = { Red = ["fall"], Blue = ["fall"] }',
            r"path\[1\].required: at least one character has to be left",
        ),
        (
            '[[path]]\nplace = [0.0, 1.0]\nrequired = { Red = ["fall"] }\n[[path]]\nplace = [0.0, 2.0]',
            r"path\[2\].who: Red lies, as path\[1\].required has it fall before",
        ),
        (
            FORMATION + 'required = { Red = ["fall"], Blue = ["fall"] }',
            r"formation.required: at least one character has",
        ),
        (
            '[[path]]\nplace = [0.0, 1.0]\nrequired = { Red = ["stagger"] }',
            r"path\[1\].required: no fighter chooses 'stagger': blows cause it",
        ),
        (
            "[[path]]\nplace = [0.0, 1.0]\nfacing = { Red = 90.0, Blue = 90.0 }",
            r"path\[1\].facing: opponents cannot all face one way",
        ),
        (
            '[[path]]\nplace = [0.0, 1.0]\nwho = ["Red"]\nfacing = { Blue = 90.0 }',
            r"path\[1\].facing: Blue is not among who",
        ),
    ],
)
def test_contradictions_are_named_before_anybody_moves(
    graphs: dict[str, ActionGraph], text: str, expected: str
):
    with pytest.raises(FileError, match=expected):
        gather(scene(text), graphs)


def test_nobody_begins_in_somebody_else(graphs: dict[str, ActionGraph]):
    cast = PAIR.replace("team = 1", "team = 1\nplace = [0.0, 0.3, 180.0]")
    crossed = Scene.parse(HEAD.format(seconds=2.0) + cast, "play.toml", name="play")
    with pytest.raises(FileError, match=r"cast\[2\].place: Blue would stand in Red; bodies need 0.5 m"):
        gather(crossed, graphs)
    with pytest.raises(FileError, match=r"formation.ahead: the two of pair 1 would stand in each other"):
        gather(scene(FORMATION + "ahead = 0.01"), graphs)
    # pairs are two metres long, and stand along their way
    tight = FORMATION.replace("spacing = 3.5", "spacing = 2.0").replace("[0.0, 0.8]", "[0.8, 0.0]")
    with pytest.raises(FileError, match=r"formation.spacing: pairs 1 and \d would stand in each other"):
        gather(scene(tight), graphs)


@pytest.mark.parametrize("shape", ["spiral", "circle", "line"])
def test_ways_of_a_formation_stay_apart(shape: str):
    formation = Formation(shape=shape, pairs=23, spacing=3.0, spread=1.3, turn=90.0, time=(0.0, 10.0))
    paths = ways(formation, np.linspace(0.0, 1.0, 21), Path())
    apart = np.linalg.norm(paths[:, :, None] - paths[:, None], axis=-1) + 1e3 * np.eye(23)
    assert apart.min() > 0.85 * 3.0


def test_a_picture_becomes_a_formation_whose_ways_do_not_meet(tmp_path: Path):
    dark = np.full((24, 24), 255, dtype=np.uint8)
    dark[4:20, 4:8] = 0  # an L
    dark[16:20, 4:20] = 0
    Image.fromarray(dark).save(tmp_path / "shape.png")
    goals = from_picture(tmp_path / "shape.png", 14, 3.0)
    apart = np.linalg.norm(goals[:, None] - goals, axis=-1) + 1e3 * np.eye(14)
    assert apart.min() == pytest.approx(3.0)
    formation = Formation(shape="picture", picture="shape.png", pairs=14, spacing=3.0, time=(0.0, 10.0))
    paths = ways(formation, np.linspace(0.0, 1.0, 41), tmp_path)
    between = np.linalg.norm(paths[:, :, None] - paths[:, None], axis=-1) + 1e3 * np.eye(14)
    assert between.min() > 3.0 / np.sqrt(2.0) - 1e-9
    with pytest.raises(FileError, match="does not exist"):
        from_picture(tmp_path / "other.png", 14, 3.0)


def test_swapping_no_two_goals_would_shorten_the_ways():
    rng = np.random.default_rng(3)
    places, goals = rng.normal(size=(30, 2)), rng.normal(size=(30, 2))
    order = assign(places, goals)
    assert sorted(order) == list(range(30))
    went = goals[order]
    for a in range(30):
        for b in range(a):
            assert (places[a] - places[b]) @ (went[a] - went[b]) >= -1e-9
    assert (order == assigned_plainly(places, goals)).all()


def assigned_plainly(places: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """The best swap, again and again, with everything counted anew."""
    order = np.arange(len(places))
    while True:
        cost = ((places[:, None] - goals[order]) ** 2).sum(axis=-1)
        gain = np.diag(cost)[:, None] + np.diag(cost) - cost - cost.T
        one, other = np.unravel_index(int(np.argmax(gain)), gain.shape)
        if gain[one, other] <= 1e-9:
            return order
        order[[one, other]] = order[[other, one]]


def test_a_car_waits_until_its_victim_is_on_the_road_and_alone():
    def sets_off(victim: float, other: float, tick: int = 120) -> bool:
        car = Car(((0.0, -10.0), (0.0, 10.0)), 0, time=1.0, patience=5.0)
        return car.look(tick, 60.0, np.array([[victim, 0.0], [other, 0.0]]))

    assert sets_off(0.0, -2.0)
    assert not sets_off(0.0, -2.0, tick=30)  # too soon
    assert not sets_off(-2.6, -4.0)  # on the pavement
    assert not sets_off(-2.6, -4.0, tick=6000)  # where it does not drive, however long it waits
    assert not sets_off(0.0, 0.3)  # not alone
    assert sets_off(0.0, 0.3, tick=600)


def test_another_seed_is_another_fight(graphs: dict[str, ActionGraph]):
    fights = [
        tuple(
            (one.tick, one.who, one.action)
            for one in finish(deciding(scene("", 3.0).changed(seed=n), graphs)).decisions
        )
        for n in range(6)
    ]
    assert len(set(fights)) == 6
