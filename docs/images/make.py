"""Makes the pictures of the pages, with Randori itself: `make pictures`."""

import tempfile
from itertools import pairwise
from pathlib import Path

import imageio_ffmpeg
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from randori.bench.experiments import PACE, ROUTE, along_the_route
from randori.bench.patch_path import along_patches
from randori.capture.analysis import analyse
from randori.graph.action_graph import build_action_graph
from randori.graph.library import build_library
from randori.graph.plot import plot_action_graph
from randori.patches.prepared import preparing as preparing_patches
from randori.performer import perform
from randori.prepare.bodies import blend_clip, find_curves, make_model
from randori.prepare.repertoire import make_repertoire, performed_library
from randori.render.camera import Direction
from randori.render.figures import Figures
from randori.render.pictures import halve, save_png
from randori.render.raycaster import Raycaster
from randori.render.sheet import compare_sheet, contact_sheet
from randori.render.stage import Prop, Stage
from randori.scene.run import simulate
from randori.scene.scene import Scene
from randori.scene.take import make_take
from randori.work import finish

HERE = Path(__file__).parent
FILM = (640, 360)  # pixels
FILM_RATE = 15  # frames a second
SHOWN = 2  # which of the starting positions of the measurement is shown


def film(scene: str, seconds: float, start: float = 0.0) -> None:
    """A short film of a shipped scene, as an animated WebP that every browser plays."""
    take = simulate(Scene.load(scene), seconds=seconds)
    with tempfile.TemporaryDirectory() as folder:
        mp4 = Path(folder) / "film.mp4"
        finish(take.saving(mp4, size=FILM))
        frames = imageio_ffmpeg.read_frames(str(mp4), output_params=["-r", str(FILM_RATE), "-ss", str(start)])
        next(frames)  # facts about the film
        pictures = [Image.frombytes("RGB", FILM, frame) for frame in frames]
    pictures[0].save(
        HERE / f"{scene}.webp",
        save_all=True,
        append_images=pictures[1:],
        duration=round(1000 / FILM_RATE),
        loop=0,
        quality=60,
        method=6,
    )


def shadow_boxing() -> None:
    """The strikes of a take, each at its full reach."""
    take = perform("boxing", seconds=60.0, seed=7)[0]
    wanted = ["jab", "straight", "hook", "uppercut", "duck", "front kick", "round kick", "side kick"]
    times = []
    for technique in wanted:
        action = next((a for a in take.truth.actions if a.technique == technique), None)
        if action is not None:
            strike = action.strikes[0].extension if action.strikes else None
            times.append(strike if strike is not None else 0.5 * (action.start + action.stop) / take.clip.fps)
    picture = contact_sheet(
        take.clip, times, columns=len(times), cell=(200, 270), title="Shadow boxing by the built-in performer"
    )
    save_png(picture, HERE / "shadow-boxing.png")


def boxing_graph() -> None:
    """The graph of two minutes of shadow boxing."""
    clip = perform("boxing", seconds=120.0, seed=9)[0].clip
    graph = build_action_graph(build_library([(clip, analyse(clip))]))
    save_png(plot_action_graph(graph, (1200, 760), "Two minutes of shadow boxing"), HERE / "boxing-graph.png")


def preparation() -> None:
    """A walk that is prepared for a punch: all joints alike, and arms first (figure 6 of the paper)."""
    repertoire = make_repertoire(finish(performed_library()))
    library = repertoire.library
    steps = [a for a in range(len(library)) if library.tags[a].technique == "walk"]
    row = next(
        steps[k : k + 4]
        for k in range(len(steps))
        if all(library.actions.stop[a] == library.actions.start[b] for a, b in pairwise(steps[k : k + 4]))
    )
    first, last = int(library.actions.start[row[0]]), int(library.actions.stop[row[-1]])
    rows = []
    for label, changes in (
        ("every joint alike", dict.fromkeys(library.skeleton.parts, 1.0)),
        ("arms first", {}),
    ):
        model = make_model(library, find_curves(library.skeleton, changes))
        levels = np.linspace(0.0, 1.0, last - first + 1)
        clip = blend_clip(library, model, first, last, repertoire.find("punch").reference, levels)
        rows.append((label, [clip], list(np.linspace(0.0, clip.duration, 9))))
    picture = compare_sheet(rows, cell=(130, 200), azimuth=0.9, title="Walking, and preparing to punch")
    save_png(picture, HERE / "preparation.png")


def along_a_path() -> None:
    """A pair that should follow a path: by the search, and with patches (figure 12 of DIRECTOR)."""
    corners = np.array([(0.0, 0.0), *ROUTE])
    rows = []
    for label, function in (
        ("search, the path in the cooperative function, 3 plies", "cooperative"),
        ("search, the path in the competitive function, 3 plies", "competitive"),
        ("interaction patches that lead nearest to the path", ""),
    ):
        scene = along_the_route(SHOWN, 3, function or "cooperative")[SHOWN - 1]
        if function:
            take = simulate(scene)
        else:
            patches = along_patches(finish(preparing_patches("two-fight")), scene, walk=False)
            take = make_take(patches, label)
        rows.append((label, take.clips))
    cell, times = (230, 210), [PACE * number for number in range(len(corners))]
    raycaster, direction = Raycaster(2 * cell[0], 2 * cell[1]), Direction(0.5, 0.75)
    camera = direction.at(np.array([0.8, 0.55, 0.75]), 9.2)
    sheet = Image.new("RGB", (len(times) * cell[0], len(rows) * (cell[1] + 26)), (246, 246, 247))
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=14)
    for row, (label, clips) in enumerate(rows):
        top = row * (cell[1] + 26)
        draw.text((10, top + 13), label, fill=(38, 40, 46), font=font, anchor="lm")
        stage = Stage.of(clips)
        middle = np.mean([clip.root_position[:, [0, 2]] for clip in clips], axis=0)
        for column, time in enumerate(times):
            passed = middle[: round(time * clips[0].fps) + 1 : 20]
            props = [_on_floor(corners, 0.02, (0.1, 0.1, 0.12)), _on_floor(passed, 0.03, (0.85, 0.3, 0.1))]
            shown = Figures.together([stage.figures(time), *(prop.figures(0.0) for prop in props)])
            sheet.paste(Image.fromarray(halve(raycaster.image(shown, camera))), (column * cell[0], top + 26))
    save_png(sheet, HERE / "along-a-path.png")


def _on_floor(points: np.ndarray, radius: float, colour: tuple[float, float, float]) -> Prop:
    """A line through places (K, 2)."""
    line = np.column_stack([points[:, 0], np.full(len(points), radius), points[:, 1]])
    stops = line[1:] if len(line) > 1 else line
    return Prop(line[: len(stops)], stops, np.full(len(stops), radius), colour)


if __name__ == "__main__":
    film("boxing", 9.0, start=3.0)
    film("mouse", 7.0, start=1.0)
    along_a_path()
    preparation()
    shadow_boxing()
    boxing_graph()
