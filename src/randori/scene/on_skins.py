"""A take with your own characters: fitted to their skins and measured on them, not on capsules."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from randori.characters.character import Character
from randori.characters.skins import Samples, mannequin_surface, spread
from randori.graph.joining import Walk
from randori.motion.clip import Clip
from randori.physics.floor import stay_above
from randori.physics.skins import (
    MOST_LEAN,
    find_overlap,
    lowest_on_skins,
    near_frames,
    part_skins,
    skin_gap,
    touch_skins,
)
from randori.timeline.quality import DEEP, Quality
from randori.timeline.timeline import Event

_FINE_POINTS = 2500  # points on a skin where blows are measured
# Skins are taken apart and blows brought to them so often; metres that bodies lean for blows. The last time
# little more than limbs move, as a body that leans may be in the other one again.
_MOST_LEANS = (MOST_LEAN, MOST_LEAN, 0.02)


@dataclass(frozen=True)
class Skins:
    """Points on the skins of all characters of a take."""

    coarse: list[Samples]  # where bodies are in each other
    fine: list[Samples]  # where blows land
    own: list[bool]  # whether the motion of a body may be changed, because it was made for another body

    @classmethod
    def of(
        cls, clips: Sequence[Clip], bodies: Sequence[Character | None], own: Sequence[bool] | None = None
    ) -> "Skins":
        """The skins of characters, or of mannequins where there is none."""
        surfaces = [
            mannequin_surface(clip.skeleton) if body is None else body.surface
            for clip, body in zip(clips, bodies)
        ]
        pairs = [(clip.skeleton, surface) for clip, surface in zip(clips, surfaces)]
        return cls(
            [spread(skeleton, surface) for skeleton, surface in pairs],
            [spread(skeleton, surface, _FINE_POINTS) for skeleton, surface in pairs],
            [body is not None for body in bodies] if own is None else list(own),
        )


@dataclass(frozen=True)
class SkinFigures:
    """Figures measured on skins, in metres."""

    gaps: tuple[float, ...]  # for each touch, from the striking to the struck surface; negative inside
    depths: np.ndarray  # (F,) that bodies are in each other, without the limbs that strike
    lowest: float  # over the floor, of the lowest point

    @property
    def penetration(self) -> float:
        return float(self.depths.max(initial=0.0))


def fit_to_skins(walks: Sequence[Walk], skins: Skins, touches: Sequence[Event]) -> list[Walk]:
    """Walks whose skins do not overlap, whose blows end on skins, and that stand on the floor."""
    walks = list(walks)
    for most_lean in _MOST_LEANS:
        if len(walks) > 1:
            walks = part_skins(walks, skins.coarse, touches)
        walks = [stay_above(walk)[0] if own else walk for walk, own in zip(walks, skins.own)]
        clips = touch_skins([walk.clip for walk in walks], skins.fine, skins.own, touches, most_lean)
        walks = [replace(walk, clip=clip) for walk, clip in zip(walks, clips)]
    return walks


def measure_on_skins(clips: Sequence[Clip], skins: Skins, touches: Sequence[Event]) -> SkinFigures:
    """The fit of clips on their bodies."""
    depths = np.zeros(min(len(clip) for clip in clips))
    for pair, frames in near_frames(clips):
        overlap = find_overlap(clips, skins.coarse, pair, touches, frames)
        depths[frames] = np.maximum(depths[frames], overlap.depth.max(axis=(1, 2)))
    gaps = tuple(skin_gap(clips, skins.fine, event)[0] for event in touches)
    return SkinFigures(gaps, depths, lowest_on_skins(clips, skins.fine))


def with_figures(quality: Quality, figures: SkinFigures) -> Quality:
    """The quality of a take, with the figures measured on skins."""
    gaps, depths = np.abs(figures.gaps), figures.depths
    return replace(
        quality,
        penetration_deepest=figures.penetration,
        penetration_mean=float(depths[depths > 0.0].mean()) if (depths > 0.0).any() else 0.0,
        penetration_frames=int((depths > DEEP).sum()),
        lowest_point=figures.lowest,
        strike_error_usual=float(np.median(gaps)) if len(gaps) else 0.0,
        strike_error_worst=float(gaps.max(initial=0.0)),
    )
