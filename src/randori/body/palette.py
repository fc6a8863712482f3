"""Outfits of the characters: one colour per material, and enough outfits to tell people apart at a glance."""

from randori.body.mannequin import MATERIALS

Colour = tuple[float, float, float]  # sRGB, 0 to 1

STEEL = "b9c0c8"  # of every weapon


def _outfit(skin: str, shirt: str, trousers: str, shoes: str, hair: str, gloves: str) -> dict[str, Colour]:
    def colour(text: str) -> Colour:
        red, green, blue = (int(text[i : i + 2], 16) / 255.0 for i in (0, 2, 4))
        return red, green, blue

    return dict(zip(MATERIALS, map(colour, (skin, shirt, trousers, shoes, hair, gloves, STEEL))))


# Neighbours differ in the hue and in the lightness of the shirt, for eyes that mix up red and green too.
PALETTES: tuple[dict[str, Colour], ...] = (
    _outfit("d9a27e", "c8452f", "363b4d", "f1ede4", "2a201b", "e8e2d6"),  # red
    _outfit("8d5b3f", "2f6db3", "e9e5da", "2b2e37", "15110f", "2b2e37"),  # blue
    _outfit("e3b592", "e0a72e", "4a3b2f", "d8d2c4", "7a4a24", "f0c33c"),  # amber
    _outfit("c68a63", "1f8a7c", "3a4a5c", "f3f0ea", "1d1917", "b5382a"),  # teal
    _outfit("6f452f", "8a4fa3", "c9c3bb", "3a3440", "0f0d0c", "d9d4ca"),  # violet
    _outfit("f0c8a8", "e8e4da", "3c4658", "2b2b2f", "c79a55", "2b2b2f"),  # white
    _outfit("b98160", "e0703a", "39465a", "f0ece2", "241c18", "c85c2a"),  # orange
    _outfit("e0ac8c", "3f8f3f", "454545", "2a2a2a", "a8793f", "dcd6c8"),  # green
    _outfit("9a6848", "d65c8a", "2e3350", "e6e2d8", "1c1512", "be4a76"),  # pink
    _outfit("d6a283", "3c3f47", "8a8f98", "dcd8ce", "2c2320", "b32b26"),  # charcoal
    _outfit("e3b497", "5fb3d9", "2f3a34", "30302e", "7a5a34", "f1ede4"),  # sky
    _outfit("a8734f", "8a9a3a", "4a3c34", "262422", "201814", "76852e"),  # olive
)

OUTFITS = {  # by the colour of the shirt, in the order of PALETTES
    name: number
    for number, name in enumerate(
        (
            "red",
            "blue",
            "amber",
            "teal",
            "violet",
            "white",
            "orange",
            "green",
            "pink",
            "charcoal",
            "sky",
            "olive",
        )
    )
}


def palette(number: int) -> dict[str, Colour]:
    """The outfit of the n-th character; after the last one they come round again."""
    return PALETTES[number % len(PALETTES)]
