"""A finished take on other bodies: contacts are kept, and what goes out is the character's own file."""

import json
import shutil
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from character_samples import box_person, write_character
from randori.capture.actions import Tags
from randori.characters.character import Character, Costume, load_character
from randori.errors import RandoriError
from randori.formats import load_all
from randori.formats.gltf import Reader
from randori.graph.library import LibraryClip
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.editing import crop
from randori.motion.placement import Placement
from randori.performer import perform
from randori.scene.dress import dress
from randori.scene.take import Handover, Role, Take, clip_motions
from randori.timeline.quality import Quality
from randori.timeline.timeline import Event, Placed
from randori.work import finish

NODE = shutil.which("node", path=str(Path(sys.executable).parent)) or shutil.which("node")
FOLDER = Path(__file__).parents[2]
VALIDATOR = FOLDER / "node_modules" / "gltf-validator"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("characters")


@pytest.fixture(scope="module")
def small(folder: Path) -> Character:
    return load_character(write_character(folder / "small.glb", *box_person(0.85)), height=1.45)


def _nothing_measured() -> Quality:
    empty = {"float": 0.0, "int": 0, "tuple": (), "dict": {}, "str": ""}
    kinds = {
        field.name: getattr(field.type, "__name__", str(field.type)).split("[")[0]
        for field in fields(Quality)
    }
    return Quality(**{name: empty[kind] for name, kind in kinds.items()})


def _role(name: str, clip: Clip) -> Role:
    frames = len(clip)
    provenance = np.column_stack([np.zeros(frames), np.arange(frames), np.full((frames, 2), -1)]).astype(
        np.int64
    )
    return Role(
        name,
        0,
        replace(clip, name=name),
        (
            Placed(0, 0, 0, frames // 2, Placement(0, 0, 0)),
            Placed(0, 0, frames // 2, frames - 1, Placement(0, 0, 0)),
        ),
        (Tags("attack", "jab"),),
        (LibraryClip("boxing", clip.source, 0, frames, 60.0),),
        provenance,
        np.zeros(0, dtype=np.int64),
        np.zeros(frames, dtype=bool),
    )


@pytest.fixture(scope="module")
def take() -> Take:
    """Red jabs Blue, who stands as Red did, turned round, where the fist is on the face."""
    recording = perform("boxing", 6.0, seed=11)[0]
    jab = next(action for action in recording.truth.actions if action.technique == "jab")
    fps = recording.clip.fps
    clip = crop(recording.clip, round((jab.impact - 1.0) * fps), round((jab.impact + 1.0) * fps))
    hit = round(fps)
    head, fist = (clip.positions[hit, clip.skeleton.joint(part)] for part in ("head", f"{jab.side}_hand"))
    still = clip.with_frames(
        np.repeat(clip.root_position[:1], len(clip), 0), np.repeat(clip.rotations[:1], len(clip), 0)
    )
    turn = rot.from_yaw(np.pi)
    rotations = still.rotations.copy()
    rotations[:, 0] = rot.multiply(turn, rotations[:, 0])
    blue = still.with_frames(rot.rotate(turn, still.root_position), rotations)
    face = blue.positions[hit, blue.skeleton.joint("head")]
    ahead = rot.normalize((fist - head) * np.array([1.0, 0.0, 1.0]))
    move = (fist + 0.2 * ahead - face) * np.array([1.0, 0.0, 1.0])
    blue = blue.with_frames(blue.root_position + move, rotations)
    event = Event(hit, "hit", 0, 1, f"{jab.side}_hand", "head", 1.0, (0.0, 1.5, 0.0))
    return Take(
        "Jab",
        60.0,
        len(clip) - 1,
        (_role("Red", clip), _role("Blue", blue)),
        (event,),
        (),
        {},
        _nothing_measured(),
    )


@pytest.fixture(scope="module")
def dressed(take: Take, small: Character) -> tuple[Take, object]:
    return dress(take, {"Red": Costume.of(small)})


def test_the_fist_is_still_on_the_face(dressed: tuple[Take, object]) -> None:
    _, fitting = dressed
    (contact,) = fitting.contacts
    assert abs(contact.gap) < 0.02
    assert fitting.as_dict()["contacts kept"] == 1
    assert fitting.lowest > -0.012


def test_only_who_is_named_is_dressed(take: Take, dressed: tuple[Take, object]) -> None:
    after, _ = dressed
    assert after.roles[0].clip.skeleton.names[0] == "Hips"
    assert after.roles[1].clip.skeleton is take.roles[1].clip.skeleton
    assert after.events == take.events
    with pytest.raises(RandoriError, match="there are Red, Blue"):
        dress(take, {"Nobody": after.roles[0].costume})


@pytest.fixture(scope="module")
def dwarf(folder: Path) -> Costume:
    """A character that cannot reach the head of a grown man from where it may go."""
    return Costume.of(load_character(write_character(folder / "dwarf.glb", *box_person(0.3)), height=0.5))


def test_a_hit_out_of_reach_goes_to_a_part_in_reach_and_does_not_count_as_kept(
    take: Take, dwarf: Costume
) -> None:
    after, fitting = dress(take, {"Red": dwarf})
    (moved,) = fitting.moved
    assert fitting.as_dict()["contacts kept"] == 0
    assert moved.meant == "head"
    assert moved.part != "head"
    assert after.events[0].part == moved.part
    assert "instead of the head" in fitting.in_words()[-1]


def test_a_lost_contact_is_reported(take: Take, dwarf: Costume) -> None:
    """A block out of reach stays where it was: no other part of a body was meant to stop the blow."""
    blocked = replace(take, events=(replace(take.events[0], kind="block"),))
    after, fitting = dress(blocked, {"Red": dwarf})
    (lost,) = fitting.lost
    assert "short" in lost.in_words()
    assert "Red's" in fitting.in_words()[-1]
    assert after.events == blocked.events


def test_a_take_file_keeps_the_character(dressed: tuple[Take, object], tmp_path: Path) -> None:
    after, _ = dressed
    after.save(tmp_path / "dressed.npz")
    again = Take.load(tmp_path / "dressed.npz")
    assert again.roles[0].costume == after.roles[0].costume
    assert again.roles[1].costume is None
    flesh, before = again.roles[0].clip.skeleton.flesh, after.roles[0].clip.skeleton.flesh
    assert np.array_equal(flesh.cone_ends, before.cone_ends)
    assert again.bodies[0].height == pytest.approx(1.45)


def _joints_in_file(path: Path, clip: Clip) -> float:
    """Metres between the joints of a clip and those of the one character in a file, at worst."""
    read = load_all(path)
    found = read[0]
    joints = [
        found.skeleton.names.index(name) for name in clip.skeleton.names if name in found.skeleton.names
    ]
    own = [clip.skeleton.names.index(found.skeleton.names[joint]) for joint in joints]
    assert len(joints) > 15
    return float(np.abs(found.positions[:, joints] - clip.positions[: len(found), own]).max())


@pytest.mark.parametrize("root_motion", [False, True])
def test_glb_has_the_character_and_its_joints(
    dressed: tuple[Take, object], tmp_path: Path, root_motion: bool
) -> None:
    after, _ = dressed
    alone = replace(after, roles=after.roles[:1], events=())
    finish(alone.saving(tmp_path / "red.glb", handover=Handover(root_motion=root_motion)))
    document = Reader(tmp_path / "red.glb").document
    assert document["materials"][0]["name"] == "clay"
    if not root_motion:
        assert _joints_in_file(tmp_path / "red.glb", after.roles[0].clip) < 0.001
        return
    # the node about the skeleton carries the way; the pelvis stays above it
    nodes = {node["name"]: number for number, node in enumerate(document["nodes"])}
    moved = {channel["target"]["node"] for channel in document["animations"][0]["channels"]}
    assert nodes["Red"] in moved
    assert _joints_in_file(tmp_path / "red.glb", after.roles[0].clip) < 0.001


def test_each_and_clips(dressed: tuple[Take, object], tmp_path: Path) -> None:
    after, _ = dressed
    motions = clip_motions(after)
    assert [motion.name for motion in motions][:2] == ["Red 001 jab", "Red 002 jab"]
    events = [event for motion in motions for event in motion.extras["events"]]
    assert {event["role"] for event in events} == {"does", "suffers"}
    written = finish(after.saving(tmp_path / "fight.glb", handover=Handover(each=True, clips=True)))
    assert [path.name for path in written] == ["fight_1_Red.glb", "fight_2_Blue.glb"]
    assert len(Reader(written[0]).document["animations"]) == 2


@pytest.mark.skipif(not (NODE and VALIDATOR.exists()), reason="`make test` installs the glTF validator")
def test_the_validator_finds_nothing(dressed: tuple[Take, object], small: Character, tmp_path: Path) -> None:
    after, _ = dressed
    after.save(tmp_path / "both.glb")
    script = FOLDER / "tests" / "formats" / "validate.mjs"
    result = subprocess.run(
        [str(NODE), script, tmp_path / "both.glb"], capture_output=True, text=True, check=True
    )
    issues = json.loads(result.stdout)
    assert issues["numErrors"] == issues["numWarnings"] == 0, issues["messages"]
