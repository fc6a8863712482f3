"""Makes the pictures of the pages, with Randori itself: `make pictures`."""

from pathlib import Path

from randori.capture.analysis import analyse
from randori.graph.action_graph import build_action_graph
from randori.graph.library import build_library
from randori.graph.plot import plot_action_graph
from randori.performer import perform
from randori.render.pictures import save_png
from randori.render.sheet import contact_sheet

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


if __name__ == "__main__":
    shadow_boxing()
    boxing_graph()
