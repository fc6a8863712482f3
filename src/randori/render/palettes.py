"""Clothes. Opponents must differ at a glance, also for eyes that mix up red and green."""

import numpy as np

# One row per character: skin, shirt, trousers, shoes, hair, gloves, as body/mannequin.py counts them.
# Neighbouring rows differ in hue and in lightness of the shirt.
_HEX = (
    ("#d9a184", "#c8382f", "#2b3040", "#23242a", "#3a2a22", "#b32b26"),  # red
    ("#c08a66", "#2f6fc4", "#d8d4ca", "#34363c", "#1e1a1a", "#2558a6"),  # blue
    ("#e3b497", "#e0a526", "#4a4238", "#2e2a28", "#6b4a2a", "#d09118"),  # amber
    ("#8d5a3c", "#1f8a7c", "#26343a", "#e6e2d8", "#17130f", "#176d63"),  # teal
    ("#d9a184", "#7a4aa8", "#c9c3bb", "#3a3440", "#46301f", "#653a90"),  # violet
    ("#6f4630", "#e8e4da", "#3c4658", "#2a2c32", "#14100e", "#dcd6c8"),  # white
    ("#e0ac8c", "#3f8f3f", "#363636", "#222222", "#a8793f", "#33762f"),  # green
    ("#b98160", "#e0703a", "#39465a", "#f0ece2", "#241c18", "#c85c2a"),  # orange
    ("#d6a283", "#34363d", "#8a8f98", "#dcd8ce", "#2c2320", "#26282e"),  # black
    ("#9a6848", "#d65c8a", "#2e3350", "#2a2a30", "#1c1512", "#be4a76"),  # pink
    ("#e3b497", "#5fb3d9", "#2f3a34", "#30302e", "#7a5a34", "#4a9cc2"),  # sky
    ("#a8734f", "#8a9a3a", "#4a3c34", "#262422", "#201814", "#76852e"),  # olive
)  # fmt: skip


def _colour(text: str) -> tuple[float, float, float]:
    return tuple(int(text[i : i + 2], 16) / 255.0 for i in (1, 3, 5))  # type: ignore[return-value]


PALETTES = np.array([[_colour(text) for text in row] for row in _HEX])  # (P, 6, 3) sRGB


def palette(number: int) -> np.ndarray:
    """(6, 3) the clothes of the character with this number."""
    return PALETTES[number % len(PALETTES)]
