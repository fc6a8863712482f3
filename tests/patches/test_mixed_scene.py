"""Characters of several controllers in one scene: one loop, one take, and they keep clear of each other."""

import numpy as np
import pytest

from randori.errors import FileError, RandoriError
from randori.graph.action_graph import ActionGraph, graph_with_choices
from randori.graph.library import ActionLibrary
from randori.motion.placement import Placement
from randori.patches.library import PatchLibrary
from randori.patches.prepared import Prepared
from randori.scene.groups import GROUPS
from randori.scene.meeting import Meeting
from randori.scene.part import Shown
from randori.scene.preparing import Ready, preparing_scene
from randori.scene.reactions import FALL, RECOIL, STAGGER, Blow, Reactions
from randori.scene.scene import Scene
from randori.scene.session import SceneSession
from randori.timeline.timeline import FORCED, Event, Placed, Track

SCENE = """
seed = 3
[motions.ring]
library = "unused.npz"
[[cast]]
name = "Red"
depth = 1
[[cast]]
name = "Blue"
depth = 1
team = 1
[[group]]
kind = "pair"
place = [{x}, 1.0, 0.0]
"""
TICKS = 150


@pytest.fixture(scope="module")
def ready(small_graph: ActionGraph, small_patches: PatchLibrary) -> Ready:
    fighting = graph_with_choices(small_graph.library, 12.0)
    return Ready(graphs={"ring": fighting}, groups=[Prepared(small_graph, small_patches)], pictures=[()])


def start(ready: Ready, x: float = 2.2) -> SceneSession:
    return SceneSession(Scene.parse(SCENE.format(x=x)), ready)


def test_everybody_is_in_one_timeline_with_numbers_of_their_own(ready: Ready) -> None:
    session = start(ready)
    session.advance(TICKS)
    timeline = session.timeline()
    assert [track.name for track in timeline.tracks] == ["Red", "Blue", "fighter 1", "fighter 2"]
    assert len({track.outfit for track in timeline.tracks}) == 4
    assert {one.who for one in timeline.decisions} <= {0, 1}
    parts = [0, 0, 1, 1]
    assert all(parts[event.who] == parts[event.whom] for event in timeline.events if event.whom >= 0)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            'what = "do"\nwho = "Red"\naction = "moonwalk"',
            r"inputs\[1\].action: .* 'moonwalk'; .*jab",
        ),
        ('what = "set"\nwho = "Red"\nkey = "depht"\nvalue = 3', r"inputs\[1\].key: .*did you mean 'depth'"),
        (
            'what = "do"\nwho = "fighter 1"\naction = "jab"',
            r"inputs\[1\].action: .*punch, kick, avoid",
        ),
        (
            'what = "set"\nwho = "fighter 2"\nkey = "few"\nvalue = 1',
            r"inputs\[1\].key: .*knows none",
        ),
    ],
)
def test_what_an_input_asks_for_late_is_checked_before_the_first_tick(
    ready: Ready, line: str, expected: str
) -> None:
    with pytest.raises(FileError, match=expected):
        SceneSession(Scene.parse(f"{SCENE.format(x=2.2)}[[inputs]]\ntime = 25.0\n{line}"), ready)


def test_ticks_one_by_one_are_the_same_as_many_at_once(ready: Ready) -> None:
    watched, run = start(ready), start(ready)
    frames = [watched.step() for _ in range(TICKS)]
    assert frames[-1].root_position.shape == (4, 3)
    run.advance(TICKS)
    one, other = watched.timeline(), run.timeline()
    assert [event for event in one.events if event.tick < TICKS] == [
        event for event in other.events if event.tick < TICKS
    ]
    for mine, theirs in zip(one.tracks, other.tracks):
        assert [step for step in mine.placed if step.start < TICKS] == [
            step for step in theirs.placed if step.start < TICKS
        ]


def test_a_group_plans_nothing_that_touches_somebody_else(ready: Ready) -> None:
    session = start(ready, x=8.0)
    stage = session.parts[1].stage
    plan = stage.stretch(stage.actors[0].steps[:1])
    assert stage.clear(plan, [0])
    here = stage.spots(0)[0]
    stage.visit(np.tile(here, (1, 2, 1)), np.array([0, 60]))
    assert not stage.clear(plan, [0])
    stage.visit(np.tile(here + 3.0, (1, 2, 1)), np.array([0, 60]))
    assert stage.clear(plan, [0])


def test_fighters_keep_to_their_side_of_somebody_else(ready: Ready) -> None:
    session = start(ready, x=8.0)
    fights = session.parts[0]
    fights.mind(np.full((1, 2, 2), [1.5, 1.0]), np.array([0, 60]))
    fights.crowd.draw_borders()
    borders = fights.crowd.fights[0].director.borders
    assert borders
    inside = max(float(border.depth(np.array([1.4, 1.0]))) for border in borders)
    assert inside > 0.0  # nobody steps to where the other one is
    for place in fights.crowd.fights[0].pelvises():
        assert all(float(border.depth(place)) <= 1e-9 for border in borders)


class Posing:
    """A part with one character, who shows one action."""

    def __init__(self, library: ActionLibrary, placed: Placed) -> None:
        self.names, self._library, self._placed = ["somebody"], library, placed
        self.blows: list[Blow] = []
        self.noticed: list[tuple[float, float]] = []

    def shown(self, tick: int) -> list[Shown]:
        put = self._placed.placement
        frame = min(self._placed.first + tick, self._placed.last)
        return [Shown(self._library, np.array([frame]), np.array([[put.x, put.z, put.yaw]]))]

    def struck(self, who: int, blow: Blow) -> bool:
        self.blows.append(blow)
        return True

    def notice(self, place: tuple[float, float]) -> None:
        self.noticed.append(place)

    def events(self, tick: int) -> list[Event]:
        return []


def put_of(library: ActionLibrary, frame: int, put: Placement) -> np.ndarray:
    return put.move_points(library.frames.root_position[frame])[[0, 2]]


def test_a_blow_lands_on_whoever_it_meets(ready: Ready) -> None:
    library = ready.graphs["ring"].library
    strikes = library.strikes
    strike = int(np.flatnonzero(strikes.effector < 2)[0])  # of a hand
    action = int(np.searchsorted(library.actions.strike_start, strike, side="right")) - 1
    first = int(library.actions.start[action])
    length = int(library.actions.stop[action]) - first - 1
    hand = "left_hand" if int(strikes.effector[strike]) == 0 else "right_hand"
    fist = library.positions[int(strikes.extension[strike]), library.skeleton.joint(hand)]
    stand = next(k for k, tags in enumerate(library.tags) if tags.technique == "stand")
    frame = int(library.actions.start[stand])
    head = library.positions[frame, library.skeleton.joint("head")]
    for off, hit in ((0.0, True), (3.0, False)):
        put = Placement(float(fist[0] - head[0]) + off, float(fist[2] - head[2]), 0.0)
        tracks = (
            Track("striker", library, (Placed(action, first, 0, length, Placement()),)),
            Track("other", library, (Placed(stand, frame, 0, length, put),)),
        )
        one, other = (Posing(library, placed) for placed in (tracks[0].placed[0], tracks[1].placed[0]))
        meeting = Meeting([one, other], library.fps)
        for tick in range(length):
            meeting.look(tick)
        hits = [event for event in meeting.events if event.kind == "hit"]
        assert bool(hits) == hit == bool(other.blows)
        assert all((event.who, event.whom) == (0, 1) for event in hits)
        assert len(hits) <= 1  # a blow lands once
        assert not one.blows
        if hit:  # onlookers are told where it happened
            assert np.hypot(*(np.array(other.noticed[0]) - put_of(library, frame, put))) < 0.1
        apart = Meeting([one, other], library.fps, apart=[(1, 0)])
        for tick in range(length):
            apart.look(tick)
        assert not apart.events  # a duel looks after its own guests


def test_a_group_without_room_is_an_error(ready: Ready) -> None:
    with pytest.raises(FileError, match=r"group\[1\].place: fighter 1 would stand in Red; bodies need 0.5 m"):
        SceneSession(Scene.parse(SCENE.format(x=0.0).replace("1.0, 0.0]", "0.5, 0.0]")), ready)
    wall = "[[walls]]\nstart = [7.0, 0.5]\nstop = [9.0, 0.5]\n"
    with pytest.raises(FileError, match=r"group\[1\].place: a character would stand in walls\[1\]"):
        SceneSession(Scene.parse(SCENE.format(x=8.0) + wall), ready)


def test_a_struck_body_reacts_by_strength_and_along_the_blow(small_graph: ActionGraph) -> None:
    library = small_graph.library
    reactions = Reactions(library, small_graph)
    stand = next(k for k, tags in enumerate(library.tags) if tags.technique == "stand")
    frame = int(library.actions.start[stand])
    for damage, strength, kinds in (
        (3.0, RECOIL, ("reaction",)),
        (12.0, STAGGER, ("reaction",)),
        (40.0, FALL, ("fall", "reaction")),
    ):
        for yaw in (0.0, 2.0):
            heading = float(library.placements[frame, 2]) + yaw
            blow = Blow((-np.sin(heading), -np.cos(heading)), damage, damage)  # from the front
            assert blow.strength == strength
            action = reactions.answer(frame, yaw, blow)
            if action < 0:
                assert strength == RECOIL  # the small library has no recoils
                continue
            assert library.tags[action].kind in kinds
            named = library.tags[action].technique.split(" ")[0]
            alike = [
                k
                for k, tags in enumerate(library.tags)
                if tags.technique.startswith(named) and small_graph.end_posture[k] >= 0
            ]
            least = np.abs(np.arctan2(*reactions.driven[alike].T)).max()  # straight back is π
            off = abs(float(np.arctan2(*reactions.driven[action])))
            assert off > np.deg2rad(120.0) or off >= least - 1e-9  # the way of the blow, or the next best
            posture = int(small_graph.end_posture[action])
            for following in reactions.way_up(action):
                assert int(small_graph.start_posture[following]) == posture
                posture = int(small_graph.end_posture[following])
    assert Blow((0.0, 1.0), 12.0, 100.0).strength == FALL  # a heavy blow fells whoever is spent


def test_members_of_a_group_and_fighters_react_when_struck(ready: Ready) -> None:
    session = start(ready, x=8.0)
    session.advance(40)
    fights, group = session.parts
    for part, who in ((fights, 0), (group, 1)):
        assert part.struck(who, Blow((0.0, -1.0), 12.0, 12.0))
    session.advance(140)
    timeline = session.timeline()
    for track in (timeline.tracks[0], timeline.tracks[3]):
        forced = [one for one in track.placed if one.start == 40]
        assert forced
        assert forced[0].cause == FORCED
        assert track.library.tags[forced[0].action].kind in ("reaction", "fall")
        assert track.placed[-1].stop >= 140  # and goes on


CROWD = SCENE.replace('kind = "pair"', 'kind = "{kind}"\ncount = 3')


def test_a_group_without_room_is_found_before_anything_long(ready: Ready) -> None:
    near = Scene.parse(CROWD.format(kind="ring", x=0.0).replace("1.0, 0.0]", "0.3, 0.0]"))
    places = ((0.0, 0.2, 0.0), (0.0, 3.0, 180.0))
    cast = [one.model_copy(update={"place": place}) for one, place in zip(near.cast, places)]
    near = near.changed(cast=cast)
    with pytest.raises(FileError, match=r"group\[1\].place: a character would stand in Red"):
        next(preparing_scene(near))
    wall = "[[walls]]\nstart = [7.0, 1.0]\nstop = [9.0, 1.0]\n"
    with pytest.raises(FileError, match=r"group\[1\].place: a character would stand in walls\[1\]"):
        next(preparing_scene(Scene.parse(CROWD.format(kind="ring", x=8.0) + wall)))


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("pair", ""),
        ("panic", ""),
        ("gauntlet", ""),
        ("relay", ""),
        ("dominoes", 'picture = ["###", "###", "###"]\n'),
    ],
)
def test_every_kind_of_group_that_cannot_give_way_is_checked_for_room_before_anything_long(
    kind: str, more: str
) -> None:
    count = "" if kind == "dominoes" else "count = 3\n"
    text = f'[[group]]\nkind = "{kind}"\n{count}{more}'
    spots, _ = GROUPS[kind].starts(Scene.parse(text).group[0], ("###", "###", "###"))
    x, z = spots[-1].tolist()
    cast = f'[motions.a]\nperform = ["boxing"]\n[[cast]]\nname = "Red"\nplace = [{x}, {z}, 0.0]\n'
    cast += '[[cast]]\nname = "Blue"\nteam = 1\nplace = [90.0, 0.0, 0.0]\n'
    scene = Scene.parse(cast + text)
    with pytest.raises(FileError, match=r"group\[1\].place: a character would stand in Red; bodies need 0.5"):
        next(preparing_scene(scene))


@pytest.mark.parametrize("seed", range(4))
def test_onlookers_leave_the_starts_of_others_free(ready: Ready, seed: int) -> None:
    scene = Scene.parse(CROWD.format(kind="onlookers", x=0.0)).changed(seed=seed)
    spot = GROUPS["onlookers"].starts(scene.group[0], ())[0][1] + np.array([0.0, 1.0])  # of the second
    red = scene.cast[0].model_copy(update={"place": (*spot.tolist(), 0.0)})
    session = SceneSession(scene.changed(cast=[red, *scene.cast[1:]]), ready)
    fighters, crowd = (part.spots(np.array([0]))[:, 0] for part in session.parts)
    assert np.linalg.norm(fighters[:, None] - crowd[None], axis=-1).min() > 0.5


@pytest.mark.parametrize("kind", ["ring", "onlookers", "pair"])
def test_anybody_of_a_group_can_be_taken_over_and_let_go(ready: Ready, kind: str) -> None:
    session = SceneSession(Scene.parse(CROWD.format(kind=kind, x=9.0)), ready)
    name = session.parts[1].names[-1]
    session.advance(30)
    with pytest.raises(RandoriError, match="take it over first"):
        session.send("go", who=name, place=[0.0, 0.0])
    session.send("take over", who=name)
    here = session.parts[1].spots(np.array([session.tick]))[-1, 0]
    goal = here + 1.5 * (here - [9.0, 1.0]) / np.linalg.norm(here - [9.0, 1.0])  # out of the group
    session.send("go", who=name, place=goal.tolist())
    session.advance(420)
    there = session.parts[1].spots(np.array([session.tick]))[-1, 0]
    assert np.linalg.norm(there - goal) < 0.7
    session.send("let go", who=name)
    session.advance(520)
    assert session.timeline().ticks == 520


def test_a_command_for_several_reaches_the_main_character_too(ready: Ready) -> None:
    session = start(ready, x=8.0)
    group = session.parts[1]
    session.send("take over", who="fighter 2")
    session.send("go", who=["fighter 1", "fighter 2"], place=[9.0, 2.0])
    assert [wish.word for _, wish in group._told] == ["move"]
    assert group._led == {1: pytest.approx((1.0, 1.0))}  # seen from the middle of the group


def test_a_character_that_has_not_come_yet_obeys_when_it_comes(
    ready: Ready, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = start(ready, x=8.0)
    group = session.parts[1]
    come = [True, False]  # as in a relay, whose porters come one by one
    monkeypatch.setattr(type(group), "present", property(lambda self: come))
    with pytest.raises(RandoriError, match="go: fighter 2 cannot do that; take it over first"):
        session.send("go", who="fighter 2", place=[9.0, 2.0])
    session.send("take over", who="fighter 2")
    session.send("go", who="fighter 2", place=[9.0, 2.0])
    with pytest.raises(RandoriError, match="it has not come yet; there are take over, go and let go"):
        session.send("do", who="fighter 2", action="punch")
    session.advance(3)
    assert group._led == {}
    come[1] = True
    session.advance(4)
    assert group._led == {1: pytest.approx((1.0, 1.0))}  # seen from the middle of the group


def test_a_character_that_runs_from_the_mouse_can_be_taken_over(
    small_graph: ActionGraph, body_patches: PatchLibrary
) -> None:
    ready = Ready(groups=[Prepared(small_graph, body_patches)], pictures=[()])
    session = SceneSession(Scene.parse('seed = 2\n[[group]]\nkind = "panic"\ncount = 4\n'), ready)
    group = session.parts[0]
    for _ in range(600):  # until the mouse and a character are in one patch
        session.advance(session.tick + 1)
        played = [one for one in group.stage.played if 0 in one.who and one.tick + 20 > session.tick]
        if played:
            break
    assert played
    number = next(who for who in played[-1].who if who != 0)
    name = group.names[group._numbers().index(number)]
    session.send("take over", who=name)
    session.send("go", who=name, place=[4.0, 4.0])
    session.advance(session.tick + 30)
    session.send("let go", who=name)
    session.advance(session.tick + 60)
    assert group.stage.actors[number].state.tick >= session.tick


def test_a_crowd_keeps_clear_of_a_duel(ready: Ready) -> None:
    session = SceneSession(Scene.parse(CROWD.format(kind="onlookers", x=0.0)), ready)
    session.advance(300)
    for tick in range(0, 300, 30):
        places = [part.spots(np.array([tick]))[:, 0] for part in session.parts]
        apart = np.linalg.norm(places[0][:, None] - places[1][None], axis=-1)
        assert apart.min() > 0.7


DUEL = SCENE.partition("[[group]]")[0]


def test_the_search_hands_two_over_to_a_patch_and_takes_them_back(
    ready: Ready, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_BRIDGED_DISTANCE", "_BRIDGED_ANGLE", "_UNLIKE_DISTANCE"):
        monkeypatch.setattr(f"randori.scene.finale.{name}", 10.0)  # any patch will do
    scene = Scene.parse(DUEL + '[finale]\nwho = ["Red", "Blue"]\ntime = 1.0\n')
    session = SceneSession(scene, Ready(graphs=ready.graphs, finale=ready.groups))
    plain = SceneSession(Scene.parse(DUEL), Ready(graphs=ready.graphs))
    for one in (session, plain):
        one.advance(400)
    timeline = session.timeline()
    begun = next(event for event in timeline.events if event.kind == "finale")
    assert begun.tick >= round(1.0 * session.fps)
    for mine, theirs in zip(timeline.tracks, plain.timeline().tracks):
        before = [one for one in mine.placed if one.stop < begun.tick]  # all is as it was until then
        assert before == list(theirs.placed[: len(before)])
        forced = [one for one in mine.placed if one.start >= begun.tick and one.cause == FORCED]
        assert forced
        assert all(one.stop == other.start for one, other in zip(mine.placed, mine.placed[1:]))
    after = [one for one in timeline.decisions if one.tick > begun.tick + 30]
    assert {one.who for one in after} == {0, 1}  # both select again


def test_a_finale_is_checked() -> None:
    for finale, problem in (
        ('who = ["Red", "Green"]\ntime = 1.0', "finale.who: no character is named 'Green'"),
        ('who = ["Red", "Red"]\ntime = 1.0', "finale.who: two fighters of different teams"),
        ('who = ["Red", "Blue"]\ntime = 99.0', "finale.time: 99 s is after the end"),
    ):
        with pytest.raises(FileError, match=problem):
            Scene.parse(f"{DUEL}[finale]\n{finale}\n")
