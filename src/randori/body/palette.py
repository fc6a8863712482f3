"""What the characters wear: one colour per material, and enough outfits to tell people apart at a glance."""

from randori.body.mannequin import MATERIALS

Colour = tuple[float, float, float]  # sRGB, 0 to 1


STEEL = "b9c0c8"  # of every weapon


def _outfit(skin: str, shirt: str, trousers: str, shoes: str, hair: str, gloves: str) -> dict[str, Colour]:
    def colour(text: str) -> Colour:
        red, green, blue = (int(text[i : i + 2], 16) / 255.0 for i in (0, 2, 4))
        return red, green, blue

    return dict(zip(MATERIALS, map(colour, (skin, shirt, trousers, shoes, hair, gloves, STEEL))))


PALETTES: tuple[dict[str, Colour], ...] = (
    _outfit("d9a27e", "c8452f", "2d3142", "f1ede4", "2a201b", "e8e2d6"),
    _outfit("8d5b3f", "2f6db3", "e9e5da", "23262e", "15110f", "23262e"),
    _outfit("e3b592", "3f8f5b", "4a3b2f", "d8d2c4", "7a4a24", "f0c33c"),
    _outfit("c68a63", "e0a72e", "3a4a5c", "f3f0ea", "1d1917", "b5382a"),
    _outfit("6f452f", "8a4fa3", "202329", "cfc8ba", "0f0d0c", "d9d4ca"),
    _outfit("f0c8a8", "44a3a8", "5d5550", "2b2b2f", "c79a55", "2b2b2f"),
)


def palette(number: int) -> dict[str, Colour]:
    """The outfit of the n-th character; after the last one they come round again."""
    return PALETTES[number % len(PALETTES)]
