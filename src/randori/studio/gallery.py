"""The shipped scenes, with a picture of each."""

from contextlib import suppress
from pathlib import Path

import numpy as np
from PIL import Image

from randori.body.palette import palette
from randori.errors import FileError, RandoriError
from randori.formats.files import write_whole
from randori.render.camera import Direction, frame_around
from randori.render.pictures import halve
from randori.render.raycaster import Raycaster
from randori.render.stage import Stage
from randori.scene.scene import Scene, shipped_scenes
from randori.scene.take import Take
from randori.studio import messages as wire
from randori.studio.takes import Takes, characters_of, draft_of, made_folder

SIZE = (640, 360)  # pixels
PICTURES = Path(__file__).parent / "pictures"  # docs/images/make_gallery.py makes them
FIRST = "boxing"  # the scene that a new user sees first


def gallery(takes: Takes) -> wire.Gallery:
    """All shipped scenes, and whether they can be seen at once; those with mistakes, too."""
    return wire.Gallery(entries=[_entry(takes, name) for name in shipped_scenes()])


def _entry(takes: Takes, name: str) -> wire.GalleryEntry:
    try:
        scene = Scene.load(name)
        whole, draft = takes.found(scene)
        return wire.GalleryEntry(
            name=name,
            title=scene.title,
            description=scene.description,
            seconds=scene.seconds,
            characters=characters_of(scene),
            picture=shown_picture(takes, scene) is not None,
            take=whole or draft,
        )
    except RandoriError as error:
        words = error.problem if isinstance(error, FileError) else str(error)
        return wire.GalleryEntry(
            name=name,
            title=name,
            description="",
            seconds=0.0,
            characters=0,
            picture=False,
            take="",
            problem=words,
        )


def readable_scenes() -> dict[str, Scene]:
    """The shipped scenes without mistakes, by their names."""
    found = {}
    for name in shipped_scenes():
        with suppress(RandoriError):  # the gallery says what is wrong with it
            found[name] = Scene.load(name)
    return found


def picture_path(takes: Takes, scene: Scene) -> Path:
    """The path of a scene's picture: beside the take that it shows."""
    return made_folder() / f"{takes.name_of(draft_of(scene)).removeprefix('made-')}.png"


def shown_picture(takes: Takes, scene: Scene) -> Path | None:
    """The picture of a scene; until its own is made, the one that came with Randori."""
    found = (picture_path(takes, scene), PICTURES / f"{scene.name}.jpg")
    return next((path for path in found if path.is_file()), None)


def paint(take: Take, path: Path) -> None:
    """A picture of a take, at a moment in which something happens."""
    stage = Stage.of(take.clips, [palette(role.outfit) for role in take.roles], take.props)
    struck = [event.tick for event in take.events if event.kind in ("hit", "block", "caught")]
    tick = next((tick for tick in struck if tick > 0.5 * take.fps), 2 * take.ticks // 3)
    times = np.array([tick / take.fps])
    figures = stage.figures(float(times[0]))
    direction = Direction(stage.front(times) + take.view.azimuth, take.view.elevation)
    camera = frame_around([figures], stage.centres(times), direction, SIZE[0] / SIZE[1])[0]
    shown = stage.with_props(figures, float(times[0]))
    picture = halve(Raycaster(2 * SIZE[0], 2 * SIZE[1]).image(shown, camera))
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_whole(path) as file:
        Image.fromarray(picture).save(file, format="PNG")
