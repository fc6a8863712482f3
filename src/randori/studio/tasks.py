"""Tasks of the worker: each is a generator of the share that is done."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

from randori.errors import FileError, RandoriError
from randori.kernels.ahead import compile_ahead
from randori.scene.gate import Gate
from randori.scene.run import simulating
from randori.scene.scene import Scene
from randori.studio import messages as wire
from randori.studio.buffers import to_quality
from randori.studio.captured import capturing_scene
from randori.studio.gallery import paint
from randori.studio.project import EXPORTS, Project
from randori.studio.scenes import parse, shipped_text
from randori.studio.takes import Made, Takes, draft_of, keep
from randori.work import part, saying

_CAPTURING = 0.4  # of the work, where a scene has recordings


def warm_up() -> Generator[float, None, None]:
    """Nothing but this module and all that it needs."""
    yield 1.0


def simulate(folder: str, asked: dict[str, Any], take: str) -> Generator[float, None, wire.TakeMade]:
    """Make the take of a scene under a name that the server has found for it, if it is not there."""
    project, request = Project(Path(folder)), wire.Simulate(**asked)
    whole, scene = parse(project, request.model_copy(update={"seconds": None})), parse(project, request)
    draft = scene.seconds < whole.seconds
    takes = Takes(project)
    yield 0.0
    if not takes.is_whole(take):
        compile_ahead("run")
        before = _CAPTURING if any(motions.files for motions in scene.motions.values()) else 0.0
        scene = yield from saying("reading recordings", part(capturing_scene(scene), 0.0, before))
        simulated = yield from part(simulating(scene, request.seed), before, 1.0 - before)
        text = wire.SceneText(**request.model_dump(include=set(wire.SceneText.model_fields)))
        keep(takes.path(take), simulated, Made(scene=text, draft=draft))
    takes.laid_out(take)
    return wire.TakeMade(take=take, draft=draft)


def show_in_gallery(folder: str, name: str, take: str, picture: str) -> Generator[float, None, None]:
    """Make the beginning of a shipped scene and its picture, where they are missing."""
    asked = wire.SceneText(text=shipped_text(name), gallery=name, seconds=draft_of(Scene.load(name)).seconds)
    yield from part(simulate(folder, asked.model_dump(), take), 0.0, 0.95)
    if not Path(picture).is_file():
        takes = Takes(Project(Path(folder)))
        paint(takes.load(take)[0], Path(picture))


def export(folder: str, asked: dict[str, Any]) -> Generator[float, None, wire.Exported]:
    """Write a take into the project's exports/, with what it is and how good it is."""
    project, request = Project(Path(folder)), wire.Export(**asked)
    takes = Takes(project)
    take, _ = takes.load(request.take)
    Gate.of(request.require, request.commercial, request.allow_licences).check([take])
    path = project.path(f"{request.name}.{request.format}", (f".{request.format}",), EXPORTS)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        size = (request.width, request.height)
        saving = take.saving(path, size=size)
        written = yield from saying(f"writing {path.name}", saving)
    except FileError as error:
        raise RandoriError(f"{path.name}: {error.problem}") from error
    files = [
        wire.ExportedFile(path=project.relative(file), name=file.name, size=file.stat().st_size)
        for file in written
    ]
    credits = [wire.Credit(**row) for row in take.credits()]
    return wire.Exported(files=files, quality=to_quality(take), credits=credits)
