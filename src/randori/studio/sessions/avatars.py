"""Avatars with precomputed behaviours: a target that is dragged, sparring, you against a boxer."""

from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import replace

from randori.errors import FileError
from randori.policy import scenes as avatars
from randori.policy import table as policy
from randori.policy.arena import TARGET_RADIUS, Arena
from randori.scene.motions import performed
from randori.scene.scene import Motions
from randori.scene.take import Take, take_of
from randori.studio import messages as wire
from randori.studio.project import Project
from randori.studio.sessions.base import Kind, Live, ball, controller_path, has
from randori.timeline.session import Frame
from randori.work import part, saying

BEHAVIOURS = ("approach", "punch", "evade")
_NAMES = {"person": ["you", "boxer"]}
_RED = (0.8, 0.25, 0.15)
# What is loaded stays: the next session in this process starts at once.
_TABLE: list[policy.PolicyTable] = []


class LiveArena(Live):
    """Avatars with precomputed behaviours."""

    def __init__(self, name: str, title: str, table: policy.PolicyTable, seed: int):
        super().__init__()
        self.title = title
        self.session: Arena = avatars.open_scene(name, table, seed)
        self.skeleton = table.model.library.skeleton
        self.names = _NAMES.get(name, [avatar.name for avatar in self.session.cast])
        self.wears = [avatar.outfit for avatar in self.session.cast]
        # where somebody is sent the page marks by itself; a ball there would be in people's way
        targets = 0 if name == "person" else len(self.session.prop_places)
        self.props = [ball("target", _RED, TARGET_RADIUS, k) for k in range(targets)]
        self.controls = _ARENA_CONTROLS.get(name, list)()

    def step(self) -> Frame:
        frame = self.session.step()
        return replace(frame, props=frame.props[: len(self.props)])

    def keeping(self) -> Generator[float, None, Take]:
        walks = yield from self.session.baking()
        return take_of(self.session.timeline(), walks, self.title)


def _open_arena(name: str, start: wire.LiveStart, project: Project) -> Generator[float, None, Live]:
    table = yield from _policy_table()
    return LiveArena(name, KINDS[name].title, table, start.seed)


def _policy_table() -> Generator[float, None, policy.PolicyTable]:
    """The table of the built-in boxer: learned once, then read."""
    if _TABLE:
        return _TABLE[0]
    motions = part(performed(Motions(perform=("boxing",))), 0.0, 0.3)
    library = yield from saying("preparing motions", motions)
    path = controller_path("policy")
    try:
        table = policy.read(path, library)
    except FileError:
        training = part(policy.training(library, BEHAVIOURS), 0.3, 0.7)
        table = yield from saying("learning, once, which action is best where", training)
        with suppress(OSError, FileError):  # no room for a cache: the next session learns it again
            path.parent.mkdir(parents=True, exist_ok=True)
            policy.write(path, table)
    _TABLE.append(table)
    return table


def _behaviour_controls(names: Sequence[str], count: int) -> list[wire.LiveControl]:
    return [
        wire.LiveControl(
            what="weight",
            title=f"{name}, boxer {who + 1}",
            help=f"How much boxer {who + 1} wants to {name}.",
            how="number",
            values={"who": who, "behaviour": name},
            value="value",
            minimum=0.0,
            maximum=3.0,
            start=1.0,
        )
        for who in range(count)
        for name in names
    ]


def _target_controls() -> list[wire.LiveControl]:
    drag = wire.LiveControl(
        what="target",
        title="Target",
        help="Drag it: the boxer follows and hits it.",
        how="drag",
        values={"which": 0},
        value="place",
    )
    return [drag, *_behaviour_controls(("approach", "punch"), 1)]


def _person_controls() -> list[wire.LiveControl]:
    return [
        wire.LiveControl(
            what="goal",
            title="Walk",
            help="Arrow keys, or a click on the floor: where to walk.",
            how="ground",
            value="place",
        ),
        wire.LiveControl(what="fight", title="Fight", help="Go at the other boxer.", how="key", key="f"),
        wire.LiveControl(what="guard", title="Guard", help="Get out of the way.", how="key", key="g"),
    ]


_ARENA_CONTROLS: dict[str, Callable[[], list[wire.LiveControl]]] = {
    "target": _target_controls,
    "person": _person_controls,
    "sparring": lambda: _behaviour_controls(BEHAVIOURS, 2),
}


_GROUP = "Boxers that have learned"

KINDS = {
    "target": Kind(
        _GROUP,
        "Drag the target",
        "A boxer follows a target that you drag, and hits it.",
        _open_arena,
        has("policy"),
    ),
    "sparring": Kind(
        _GROUP,
        "Sparring",
        "Two boxers with precomputed behaviour spar without end.",
        _open_arena,
        has("policy"),
    ),
    "person": Kind(
        _GROUP,
        "You against a boxer",
        "Walk, fight and guard with mouse and keys.",
        _open_arena,
        has("policy"),
    ),
    "thirty": Kind(_GROUP, "Thirty boxers", "Fifteen pairs spar at once.", _open_arena, has("policy")),
}
