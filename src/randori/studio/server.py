"""The server: answers the page, and hands over to the worker what takes long."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from anyio import to_thread
from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from randori.errors import RandoriError
from randori.reports import in_a_sentence
from randori.scene.scene import Scene, shipped_scenes
from randori.studio import messages as wire
from randori.studio import scenes
from randori.studio.arriving import TooLargeUpload
from randori.studio.characters import list_characters, receive_character
from randori.studio.fights import make_fight
from randori.studio.films import receive_film
from randori.studio.gallery import FIRST, gallery, picture_path, readable_scenes, shown_picture
from randori.studio.jobs import Jobs
from randori.studio.library import Libraries
from randori.studio.live import LiveSessions
from randori.studio.project import EXPORTS, Project
from randori.studio.security import Guard, LaunchToken
from randori.studio.sessions import is_ready, listed
from randori.studio.takes import Takes, characters_of, draft_of, unpack_shipped
from randori.studio.vocabulary import vocabulary

_MOST_JSON = 8 * 1024**2  # bytes of a request
_BUFFER = "application/octet-stream"
Asked = TypeVar("Asked", bound=BaseModel)
Endpoint = Callable[[Request], Awaitable[Response]]


class Studio:
    """All that the server knows."""

    def __init__(self, project: Project, fill_gallery: bool = True):
        self.project = project
        self.takes = Takes(project)
        self.libraries = Libraries(project)
        self.jobs = Jobs()
        self.live = LiveSessions(str(project.folder))
        self.fill_gallery = fill_gallery

    def routes(self) -> list[Any]:
        api = [
            ("GET", "gallery", self.gallery),
            ("GET", "gallery/{name}/picture", self.picture),
            ("GET", "vocabulary", self.vocabulary),
            ("GET", "scenes", self.list_scenes),
            ("POST", "scenes/open", self.open_scene),
            ("POST", "scenes/check", self.check_scene),
            ("POST", "scenes/edit", self.edit_scene),
            ("POST", "scenes/pin", self.pin_option),
            ("POST", "scenes/save", self.save_scene),
            ("POST", "scenes/rename", self.rename_scene),
            ("POST", "scenes/delete", self.delete_scene),
            ("POST", "simulate", self.simulate),
            ("GET", "takes", self.list_takes),
            ("GET", "takes/{take}/buffer", self.take),
            ("POST", "takes/{take}/save", self.save_take),
            ("POST", "takes/{take}/delete", self.delete_take),
            ("GET", "takes/{take}/scene", self.scene_of_take),
            ("GET", "takes/{take}/costumes/{number:int}", self.costume),
            ("GET", "takes/{take}/decisions/{number:int}", self.why),
            ("GET", "takes/{take}/decisions/{number:int}/ghost", self.ghost),
            ("POST", "takes/{take}/decisions/{number:int}/weigh", self.weigh),
            ("POST", "export", self.export),
            ("POST", "films", self.film),
            ("GET", "files/{path:path}", self.file),
            ("GET", "characters", self.list_characters),
            ("POST", "characters/upload", self.upload_character),
            ("GET", "library", self.list_libraries),
            ("POST", "library/upload", self.upload),
            ("POST", "library/open", self.open_library),
            ("POST", "library/repair", self.repair_recording),
            ("POST", "library/delete", self.delete_recording),
            ("POST", "library/fight", self.make_fight),
            ("POST", "library/segments", self.edit_segments),
            ("GET", "library/{library}", self.library),
            ("GET", "library/{library}/actions/{number:int}/buffer", self.action),
            ("GET", "library/{library}/graph", self.graph),
            ("GET", "library/{library}/recordings/{number:int}/strip", self.strip),
            ("GET", "jobs", self.list_jobs),
            ("POST", "jobs/{job}/cancel", self.cancel),
            ("GET", "live", self.list_live),
        ]
        return [
            *(Route(f"/api/{path}", answering(endpoint), methods=[method]) for method, path, endpoint in api),
            WebSocketRoute("/api/jobs/follow", self.follow_jobs),
            WebSocketRoute("/api/live/session", self.live.serve),
            Route("/api/{rest:path}", answering(_unknown), methods=["GET", "POST", "PUT", "DELETE"]),
        ]

    # ---- the gallery and scenes

    async def gallery(self, request: Request) -> Response:
        return _json(await to_thread.run_sync(gallery, self.takes))

    async def picture(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in shipped_scenes():
            raise Missing(f"there is no scene {name[:80]!r} in the gallery")
        path = await to_thread.run_sync(lambda: shown_picture(self.takes, Scene.load(name)))
        if path is None:
            raise Missing("the picture is not made yet")
        return FileResponse(path, headers={"cache-control": "no-cache"})

    async def vocabulary(self, request: Request) -> Response:
        return _json(await to_thread.run_sync(vocabulary))

    async def list_scenes(self, request: Request) -> Response:
        return _json(await to_thread.run_sync(scenes.list_scenes, self.project))

    async def open_scene(self, request: Request) -> Response:
        asked = await _read(request, wire.OpenScene)
        return await self._document(partial(scenes.open_scene, self.project, asked))

    async def check_scene(self, request: Request) -> Response:
        asked = await _read(request, wire.SceneText)
        return await self._document(partial(scenes.document, self.project, asked))

    async def edit_scene(self, request: Request) -> Response:
        asked = await _read(request, wire.EditScene)
        return await self._document(partial(scenes.edit_scene, self.project, asked))

    async def pin_option(self, request: Request) -> Response:
        asked = await _read(request, wire.PinOption)

        def pin() -> wire.SceneDocument:
            pin = self.takes.pin(asked.take, asked.decision, asked.action)
            text = scenes.pinned(asked.text, pin)
            return scenes.document(self.project, asked.model_copy(update={"text": text}))

        return await self._document(pin)

    async def save_scene(self, request: Request) -> Response:
        asked = await _read(request, wire.SaveScene)
        return await self._document(partial(scenes.save_scene, self.project, asked))

    async def rename_scene(self, request: Request) -> Response:
        asked = await _read(request, wire.RenameScene)
        return _json(await to_thread.run_sync(scenes.rename_scene, self.project, asked))

    async def delete_scene(self, request: Request) -> Response:
        asked = await _read(request, wire.DeleteScene)
        return _json(await to_thread.run_sync(scenes.delete_scene, self.project, asked))

    async def _document(self, make: Callable[[], wire.SceneDocument]) -> Response:
        """A scene, and the takes that there are of it."""

        def complete() -> wire.SceneDocument:
            found = make()
            if found.scene is None:
                return found
            text = wire.SceneText(text=found.text, file=found.file, gallery=found.gallery)
            scene = scenes.parse(self.project, text)
            whole, draft = self.takes.found(scene)
            seconds = draft_of(scene).seconds
            return found.model_copy(update={"take": whole, "draft": draft, "draft_seconds": seconds})

        return _json(await to_thread.run_sync(complete))

    # ---- takes

    async def simulate(self, request: Request) -> Response:
        asked = await _read(request, wire.Simulate)
        scene = await to_thread.run_sync(scenes.parse, self.project, asked)
        if asked.seed is not None:
            scene = scene.changed(seed=asked.seed)
        take = await to_thread.run_sync(self.takes.name_of, scene)
        job = self.jobs.start(
            "shelf" if asked.background else "simulate",
            scene.title,
            "randori.studio.tasks:simulate",
            folder=str(self.project.folder),
            asked=asked.model_dump(),
            take=take,
        )
        return _json(job)

    async def list_takes(self, request: Request) -> Response:
        return _json(await to_thread.run_sync(self.takes.listed))

    async def take(self, request: Request) -> Response:
        found = await to_thread.run_sync(self.takes.laid_out, request.path_params["take"])
        headers = {"cache-control": "no-cache"}
        if isinstance(found, Path):
            return FileResponse(found, media_type=_BUFFER, headers=headers)
        return Response(found, media_type=_BUFFER, headers=headers)

    async def save_take(self, request: Request) -> Response:
        asked = await _read(request, wire.SaveTake)
        return _json(await to_thread.run_sync(self.takes.save, request.path_params["take"], asked))

    async def delete_take(self, request: Request) -> Response:
        return _json(await to_thread.run_sync(self.takes.delete, request.path_params["take"]))

    async def scene_of_take(self, request: Request) -> Response:
        take = request.path_params["take"]
        return await self._document(lambda: scenes.document(self.project, self.takes.scene_of(take)))

    async def costume(self, request: Request) -> Response:
        take, number = request.path_params["take"], request.path_params["number"]
        return await _buffer(partial(self.takes.costume, take, number))

    async def why(self, request: Request) -> Response:
        take, number = request.path_params["take"], request.path_params["number"]
        return _json(await to_thread.run_sync(self.takes.why, take, number))

    async def ghost(self, request: Request) -> Response:
        take, number = request.path_params["take"], request.path_params["number"]
        return await _buffer(partial(self.takes.ghost, take, number, _whole(request, "action")))

    async def weigh(self, request: Request) -> Response:
        take, number = request.path_params["take"], request.path_params["number"]
        await to_thread.run_sync(self.takes.decision, take, number)
        function, folder = "randori.studio.weighing:weighing", str(self.project.folder)
        return _json(self.jobs.start("weigh", "options", function, folder=folder, take=take, number=number))

    async def export(self, request: Request) -> Response:
        asked = await _read(request, wire.Export)
        if not self.takes.exists(asked.take):
            raise Missing("there is no such take any more; simulate the scene again")
        ending = f".{asked.format}"
        self.project.path(f"{asked.name}{ending}", (ending,), EXPORTS)
        job = self.jobs.start(
            "export",
            f"{asked.name}{ending}",
            "randori.studio.tasks:export",
            folder=str(self.project.folder),
            asked=asked.model_dump(),
        )
        return _json(job)

    async def film(self, request: Request) -> Response:
        name, _ = _uploaded(request)
        try:
            fps = float(request.query_params.get("fps", ""))
        except ValueError:
            raise RandoriError("fps: a number is expected") from None
        return _json(await receive_film(self.project, name, fps, request.stream()))

    async def file(self, request: Request) -> Response:
        name = request.path_params["path"]
        if not name.startswith(f"{EXPORTS}/"):
            raise Missing(f"only files below {EXPORTS}/ are handed out")
        path = self.project.path(name, ("",))
        if not path.is_file():
            raise Missing(f"there is no file {name!r}")
        return FileResponse(path, filename=path.name, media_type=_BUFFER)

    # ---- the library

    async def list_libraries(self, request: Request) -> Response:
        return _json(await to_thread.run_sync(self.libraries.listed))

    async def upload(self, request: Request) -> Response:
        name, overwrite = _uploaded(request)
        return _json(await self.libraries.upload(name, overwrite, request.stream()))

    async def list_characters(self, request: Request) -> Response:
        return _json(await to_thread.run_sync(list_characters, self.project))

    async def upload_character(self, request: Request) -> Response:
        name, overwrite = _uploaded(request)
        return _json(await receive_character(self.project, name, overwrite, request.stream()))

    async def open_library(self, request: Request) -> Response:
        asked = await _read(request, wire.OpenLibrary)
        name = await to_thread.run_sync(self.libraries.name_of, asked)
        title = asked.set or asked.motions or ", ".join(asked.recordings[:3])
        job = self.jobs.start(
            "library",
            title,
            "randori.studio.library:opening",
            folder=str(self.project.folder),
            asked=asked.model_dump(),
            name=name,
        )
        return _json(job)

    async def repair_recording(self, request: Request) -> Response:
        asked = await _read(request, wire.RepairRecording)
        return _json(await to_thread.run_sync(self.libraries.repair, asked))

    async def delete_recording(self, request: Request) -> Response:
        asked = await _read(request, wire.DeleteRecording)
        return _json(await to_thread.run_sync(self.libraries.delete, asked))

    async def make_fight(self, request: Request) -> Response:
        asked = await _read(request, wire.MakeFight)
        return await self._document(partial(make_fight, self.libraries, asked))

    async def library(self, request: Request) -> Response:
        return _json(await to_thread.run_sync(self.libraries.described, request.path_params["library"]))

    async def action(self, request: Request) -> Response:
        name, number = request.path_params["library"], request.path_params["number"]
        return await _buffer(partial(self.libraries.preview, name, number))

    async def graph(self, request: Request) -> Response:
        path = self.libraries.folder(request.path_params["library"]) / "graph.png"
        if not path.is_file():
            raise Missing("there is no such library; open it first")
        return FileResponse(path, media_type="image/png")

    async def strip(self, request: Request) -> Response:
        name, number = request.path_params["library"], request.path_params["number"]
        return _json(await to_thread.run_sync(self.libraries.strip, name, number))

    async def edit_segments(self, request: Request) -> Response:
        asked = await _read(request, wire.EditSegments)
        return _json(await to_thread.run_sync(self.libraries.edit, asked))

    # ---- jobs

    async def list_jobs(self, request: Request) -> Response:
        return _json(self.jobs.listed())

    async def cancel(self, request: Request) -> Response:
        return _json(await to_thread.run_sync(self.jobs.cancel, request.path_params["job"]))

    async def follow_jobs(self, socket: WebSocket) -> None:
        await socket.accept()
        queue = self.jobs.follow()

        async def tell() -> None:
            await socket.send_text(self.jobs.listed().model_dump_json())
            while True:
                await socket.send_text((await queue.get()).model_dump_json())

        telling = asyncio.create_task(tell())
        try:
            while True:  # until it hangs up; there is nothing to hear
                await socket.receive_text()
        except (WebSocketDisconnect, KeyError):
            pass
        finally:
            telling.cancel()
            self.jobs.leave(queue)

    async def list_live(self, request: Request) -> Response:
        return _json(await to_thread.run_sync(listed))

    # ---- from start to end

    @asynccontextmanager
    async def running(self, app: Starlette) -> AsyncIterator[None]:
        filling = asyncio.create_task(to_thread.run_sync(self._fill_gallery)) if self.fill_gallery else None
        yield
        if filling is not None:
            filling.cancel()
        await to_thread.run_sync(self.jobs.end)
        await to_thread.run_sync(self.live.end)

    def _fill_gallery(self) -> None:
        with suppress(OSError):  # a cache that cannot be written is noticed where it matters
            unpack_shipped()
        # a scene that has to be learned or built first waits until a user asks for it
        ready = {name: scene for name, scene in readable_scenes().items() if is_ready(scene)}
        drafts = {name: draft_of(scene) for name, scene in ready.items()}
        # the fight that the page opens with comes first, then what is made soonest
        for name in sorted(drafts, key=lambda one: (one != FIRST, characters_of(drafts[one]), one)):
            scene = drafts[name]
            picture = picture_path(self.takes, scene)
            if not picture.is_file():
                self.jobs.start(
                    "gallery",
                    scene.title,
                    "randori.studio.tasks:show_in_gallery",
                    folder=str(self.project.folder),
                    name=name,
                    take=self.takes.name_of(scene),
                    picture=str(picture),
                )


class Missing(RandoriError):
    """Something that was asked for and is not there."""


def make_app(
    studio: Studio, token: str, port: int, page: Path | None, launching: LaunchToken | None = None
) -> ASGIApp:
    """The server as a whole; `page` is the folder of the built page."""
    routes = studio.routes()
    if page is not None:
        routes.append(Mount("/", StaticFiles(directory=page, html=True)))
    app = Starlette(routes=routes, lifespan=studio.running)
    return Guard(app, token, port, launching)


def answering(endpoint: Endpoint) -> Endpoint:
    """An endpoint that says what is wrong, and never shows how it is built inside."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except ClientDisconnect:
            return Response(status_code=499)
        except Missing as error:
            return _json(wire.Problem(message=str(error)), 404)
        except (TooLarge, TooLargeUpload) as error:
            return _json(wire.Problem(message=str(error)), 413)
        except RandoriError as error:
            return _json(scenes.problem_of(error), 400)
        except OSError as error:  # a project on a disk that is full, or that may only be read
            return _json(wire.Problem(message=f"The disk refuses it: {error.strerror or 'no reason'}"), 507)
        except Exception as error:
            words = in_a_sentence(error, ["studio", request.method, request.scope["path"][:200]])
            return _json(wire.Problem(message=words), 500)

    return answer


class TooLarge(RandoriError):
    """More than a user needs to send."""


async def _read(request: Request, kind: type[Asked]) -> Asked:
    """Read and check a request of the page."""
    said = request.headers.get("content-length", "0")
    if not said.isdigit() or int(said) > _MOST_JSON:
        raise TooLarge(f"a request of more than {_MOST_JSON // 1024**2} MB is not accepted")
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_JSON:
            raise TooLarge(f"a request of more than {_MOST_JSON // 1024**2} MB is not accepted")
    return understand(bytes(body), kind)


def understand(text: bytes | str, kind: type[Asked]) -> Asked:
    """A message from JSON."""
    try:
        values = json.loads(text)
        return kind.model_validate(values)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise RandoriError(f"the message is not JSON: {error}") from None
    except ValidationError as error:
        raise RandoriError(f"{kind.__name__}: {in_words(error)}") from None


def in_words(error: ValidationError) -> str:
    """The first thing that is wrong with a message."""
    first = error.errors()[0]
    where = ".".join(str(step) for step in first["loc"])
    return f"{where}: {first['msg']}" if where else str(first["msg"])


def _uploaded(request: Request) -> tuple[str, bool]:
    """The name of a file that is sent, and whether it may replace another."""
    length = request.headers.get("content-length", "0")
    if not length.isdigit() or int(length) > wire.MOST_UPLOAD:
        raise TooLargeUpload
    return request.query_params.get("name", ""), request.query_params.get("overwrite") == "1"


def _whole(request: Request, key: str) -> int:
    text = request.query_params.get(key, "")
    if not text.isdigit() or len(text) > 9:
        raise RandoriError(f"{key}: a whole number is expected, found {text[:40]!r}")
    return int(text)


async def _buffer(make: Callable[[], bytes]) -> Response:
    data = await to_thread.run_sync(make)
    return Response(data, media_type=_BUFFER, headers={"cache-control": "no-cache"})


async def _unknown(request: Request) -> Response:
    raise Missing(f"the server knows no {request.scope['path'][:200]}")


def _json(message: BaseModel, status: int = 200) -> Response:
    return JSONResponse(message.model_dump(mode="json"), status_code=status)
