"""Makes the pictures of the pages, with Randori itself: `make pictures`."""

from itertools import pairwise
from pathlib import Path

import numpy as np

from randori.capture.analysis import analyse
from randori.graph.action_graph import build_action_graph
from randori.graph.library import build_library
from randori.graph.plot import plot_action_graph
from randori.performer import perform
from randori.prepare.bodies import blend_clip, find_curves, make_model
from randori.prepare.repertoire import make_repertoire, performed_library
from randori.render.pictures import save_png
from randori.render.sheet import compare_sheet, contact_sheet
from randori.work import finish

HERE = Path(__file__).parent


def shadow_boxing() -> None:
    """The picture on top of the README: the strikes of a take, each at its full reach."""
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


if __name__ == "__main__":
    preparation()
    shadow_boxing()
    boxing_graph()
