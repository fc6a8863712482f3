"""The sources of the frames of a take, and their licences (docs/quality.md)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from randori.errors import RandoriError
from randori.licences import allows_sale

if TYPE_CHECKING:
    from randori.scene.take import Role, Take


def frame_sources(role: "Role") -> list[dict[str, Any]]:
    """The source of each frame of a character, one row per stretch: the recording and its first frame, the
    recording and frame that is blended in, and whether physics has changed it.

    In a stretch the frame of the recording advances with the take's, while the blended frame stays.
    """
    rows = role.provenance
    last = len(rows) - 1
    goes_on = (
        (np.diff(rows[:, 0]) == 0)
        & (np.diff(rows[:, 1]) == 1)
        & (np.diff(rows[:, 2:], axis=0) == 0).all(axis=1)
        & (np.diff(role.simulated.astype(np.int8)) == 0)
    )
    starts = np.concatenate([[0], np.flatnonzero(~goes_on) + 1])
    found = []
    for start, stop in zip(starts, [*(starts[1:] - 1), last]):
        recording, frame, blended, blended_frame = rows[start].tolist()
        row = {
            "first": int(start),
            "last": int(stop),
            "recording": role.sources[recording].name,
            "frame": frame,
        }
        if blended >= 0:
            row["blended"] = {"recording": role.sources[blended].name, "frame": blended_frame}
        if role.simulated[start]:
            row["simulated"] = True
        found.append(row)
    return found


def refuse_non_commercial(credits: Iterable[Mapping[str, str]], allowed: Sequence[str] = ()) -> None:
    """An error that names the recordings whose licence is not known to allow commercial use."""
    refused = [
        f"{row['recording']} ({row['licence'] or 'its licence is not known'})"
        for row in credits
        if not allows_sale(row["licence"], allowed)
    ]
    if refused:
        raise RandoriError(
            f"--commercial: {len(refused)} of the recordings that are seen have no licence that is known to "
            f"allow it: {', '.join(refused)}; leave them out of the scene's motions, state their licence "
            "when capturing them, or, if you have read it and it allows it, --allow-licence with its words"
        )


def whole_report(take: "Take") -> dict[str, Any]:
    """The report of a take, with the sources of every frame."""
    frames = {role.name: frame_sources(role) for role in take.roles}
    return take.report() | {"frames": frames}
