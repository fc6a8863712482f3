"""Makes the pictures of the pages, with Randori itself: `make pictures`."""

from pathlib import Path

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
        take.clip, times, columns=8, cell=(220, 300), title="Shadow boxing by the built-in performer"
    )
    save_png(picture, HERE / "shadow-boxing.png")


if __name__ == "__main__":
    shadow_boxing()
