"""From a scene to a take, headless: a session without live inputs."""

from collections.abc import Generator

from randori.graph.action_graph import ActionGraph
from randori.scene.checks import weaknesses
from randori.scene.preparing import Ready, preparing_scene
from randori.scene.scene import Scene
from randori.scene.session import SceneSession
from randori.scene.take import Take
from randori.timeline.session import Script
from randori.timeline.timeline import Timeline
from randori.work import Notice, finish, part, saying

# shares of the work: preparing motions, deciding, baking
_PREPARING, _DECIDING = 0.3, 0.6


def simulate(
    scene: Scene,
    seed: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    script: Script | None = None,
) -> Take:
    """The take of a scene; see `simulating`."""
    return finish(simulating(scene, seed, seconds, threads, script))


def simulating(
    scene: Scene,
    seed: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    script: Script | None = None,
) -> Generator[float, None, Take]:
    """Prepare a scene, let all characters decide, and bake their poses; yields the share that is done.

    The same scene, seed and script of inputs give the same bytes, on any number of threads.
    """
    changes = {"seed": seed, "seconds": seconds}
    scene = scene.changed(**{key: value for key, value in changes.items() if value is not None})
    ready = yield from saying("preparing motions", part(preparing_scene(scene), 0.0, _PREPARING))
    for weakness in weaknesses(scene, ready.graphs):
        yield Notice(_PREPARING, weakness)
    session = yield from saying(
        "deciding", part(playing(scene, ready, threads, script), _PREPARING, _DECIDING)
    )
    left = _PREPARING + _DECIDING
    return (yield from saying("making poses", part(session.taking(), left, 1.0 - left)))


def playing(
    scene: Scene, ready: Ready, threads: int | None = None, script: Script | None = None
) -> Generator[float, None, SceneSession]:
    """The session of a scene at its end; yields the share that is done."""
    session = SceneSession(scene, ready, threads)
    ticks = script.ticks if script is not None else round(scene.seconds * session.fps)
    yield from session.running(ticks, script)
    return session


def open_session(scene: Scene, threads: int | None = None) -> SceneSession:
    """Prepare a scene and open a live session of it: send inputs, step, and make a take of it.

    >>> session = open_session(Scene.load("boxing"))
    >>> session.send("set", who="Red", key="distance", value=1.6)
    >>> frame = session.step()
    """
    return SceneSession(scene, finish(preparing_scene(scene)), threads)


def deciding(
    scene: Scene, graphs: dict[str, ActionGraph], threads: int | None = None
) -> Generator[float, None, Timeline]:
    """Let the fighters of a scene decide until its time is over."""
    session = yield from playing(scene, Ready(graphs=graphs), threads)
    return session.timeline()
