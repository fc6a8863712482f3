"""Draws the worked decision of docs/duel.md: what Blue can do at the alarm, as a small tree (SVG)."""

from pathlib import Path

HERE = Path(__file__).parent
WIDTH, HEIGHT = 900, 235
INK, PALE, RED, BLUE, GOOD = "#26282e", "#8a8f9c", "#c0392b", "#2c6fbb", "#2e8b57"


def text(x: float, y: float, words: str, colour: str = INK, size: int = 14, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" fill="{colour}" font-size="{size}" text-anchor="{anchor}">{words}</text>'


def box(x: float, y: float, lines: tuple[str, ...], colour: str, width: float = 200) -> str:
    """A node of the tree: a rounded box around a few lines."""
    height = 14 + 19 * len(lines)
    parts = [
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="#fff" stroke="{colour}"'
        ' stroke-width="2"/>'
    ]
    parts += [text(x + 12, y + 22 + 19 * row, line, size=13) for row, line in enumerate(lines)]
    return "".join(parts)


def edge(x: float, y: float, to_x: float, to_y: float, colour: str = PALE, width: float = 2) -> str:
    middle = (x + to_x) / 2
    path = f"M{x} {y} C{middle} {y} {middle} {to_y} {to_x} {to_y}"
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def decision() -> str:
    """Tick 621: Blue sees the hook. It may go on or break off; what each comes to."""
    parts = [
        text(20, 26, "Tick 621: Blue sees Red's hook and may break off its step", size=16),
        edge(230, 124, 300, 72),
        edge(230, 124, 300, 162, GOOD, 4),
        edge(510, 72, 590, 72),
        edge(510, 162, 590, 162, GOOD, 4),
        box(20, 98, ("Blue is alert",), BLUE, 210),
        box(300, 46, ("go on with the step", "nothing is counted"), BLUE, 210),
        box(300, 136, ("break off: block", "suits a hook (S = 1)"), GOOD, 210),
        box(590, 46, ("hit in tick 629: D = 12", "-2 400 000"), RED, 290),
        box(590, 136, ("block in tick 626: no damage", "caution +5 000 000, pairing +100"), GOOD, 290),
        text(20, 222, "Blue takes the choice with the larger sum: the block.", PALE, 13),
    ]
    style = 'font-family="sans-serif" xmlns="http://www.w3.org/2000/svg"'
    frame = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#f6f6f7"/>'
    return f'<svg {style} viewBox="0 0 {WIDTH} {HEIGHT}">{frame}{"".join(parts)}</svg>\n'


if __name__ == "__main__":
    (HERE / "duel-decision.svg").write_text(decision(), encoding="utf-8")
