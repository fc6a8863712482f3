"""A picture of an action graph: postures as circles, actions as ribbons from one to the next.

A ribbon is wide where the action starts and thin where it ends. Postures that many actions lead to and
from are large; those that follow on each other are near.
"""

from collections import Counter

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from randori.graph.action_graph import ActionGraph
from randori.graph.similarity import distance_matrix, poses_of

_SCALE = 2  # the picture is drawn so many times as large, and made smaller: smooth edges
_PAPER = (18, 21, 30)
_INK = (232, 234, 240)
_PALE_INK = (150, 156, 172)
_COLOURS = {
    "attack": (255, 94, 98),
    "defence": (74, 163, 255),
    "transition": (154, 163, 184),
    "locomotion": (92, 214, 150),
    "reaction": (255, 178, 66),
    "fall": (196, 120, 255),
    "rise": (240, 130, 220),
    "target": (250, 224, 90),
}
_ALPHA = 150  # of 255: ribbons shine through each other
_OTHER_COLOUR = (210, 210, 210)
_MARGIN = 0.07  # of the picture's height
_STEPS = 400  # of letting the circles push and pull each other
_PARTING_STEPS = 200  # steps at most of moving circles apart that overlap
_LABELS = 14  # postures that are named
_FLOW = 24  # points along a ribbon


def plot_action_graph(
    graph: ActionGraph, size: tuple[int, int] = (1600, 1100), title: str = ""
) -> Image.Image:
    """Draw a graph; size is in pixels."""
    width, height = (_SCALE * side for side in size)
    image = Image.new("RGB", (width, height), _PAPER)
    draw = ImageDraw.Draw(image, "RGBA")
    unit = height / 1100.0  # pixels of a picture of usual size
    library, actions = graph.library, graph.actions
    weight = np.bincount(graph.start_posture[actions], minlength=len(graph.posture_frame))
    radius = unit * (5.0 + 2.7 * np.sqrt(weight))
    places = _layout(graph, radius, width, height)

    kinds = Counter(library.tags[action].kind for action in actions)
    # what there is most of goes below the rest
    order = sorted(actions.tolist(), key=lambda action: (-kinds[library.tags[action].kind], action))
    used: Counter[tuple[int, int]] = Counter()
    for action in order:
        start, end = int(graph.start_posture[action]), int(graph.end_posture[action])
        number = used[start, end]
        used[start, end] += 1
        if start == end:
            ribbon = _petal(places[start], radius[start], number, unit, places.mean(axis=0))
        else:
            ribbon = _bow(places[start], places[end], number, unit)
        draw.polygon([tuple(point) for point in ribbon], fill=(*_colour(library.tags[action].kind), _ALPHA))
    for (x, y), r in zip(places, radius):
        draw.ellipse(
            (x - r - 2 * unit, y - r - 2 * unit, x + r + 2 * unit, y + r + 2 * unit), fill=(*_PAPER, 170)
        )
        draw.ellipse((x - r, y - r, x + r, y + r), fill=(246, 247, 250, 235))
    _label_postures(draw, graph, places, radius, weight, unit)
    _legend(draw, graph, kinds, width, height, unit, title)
    return image.resize(size, Image.Resampling.LANCZOS)


def _colour(kind: str) -> tuple[int, int, int]:
    return _COLOURS.get(kind, _OTHER_COLOUR)


def _layout(graph: ActionGraph, radius: np.ndarray, width: int, height: int) -> np.ndarray:
    """(P, 2) pixels: postures that look alike begin near each other, then actions pull and circles push."""
    count = len(graph.posture_frame)
    if count <= 1:
        return np.tile([0.5 * width, 0.5 * height], (count, 1))
    apart = distance_matrix(poses_of(graph.library, graph.posture_frame))

    # Step 1. The plane in which the distances between the postures show best.
    centre = np.eye(count) - 1.0 / count
    values, vectors = np.linalg.eigh(-0.5 * centre @ apart**2 @ centre)
    places = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 1e-9))
    # signs of eigenvectors are arbitrary: the first circle is at the lower right
    places *= np.where(places[0] < 0.0, -1.0, 1.0)
    places /= max(float(np.abs(places).max()), 1e-9)

    # Step 2. Springs along the actions, repulsion between all, weaker moves with every step.
    pull = np.zeros((count, count))
    np.add.at(pull, (graph.start_posture[graph.actions], graph.end_posture[graph.actions]), 1.0)
    pull = np.log1p(pull + pull.T)
    np.fill_diagonal(pull, 0.0)
    rest = 1.6 / np.sqrt(count)
    room = (radius[:, None] + radius[None]) / (0.4 * height)
    for step in range(_STEPS):
        between = places[:, None] - places[None]
        length = np.maximum(np.linalg.norm(between, axis=-1), 1e-6)
        push = rest**2 / length + 4.0 * np.maximum(room - length, 0.0)
        force = push - 0.35 * pull * length**2 / rest
        np.fill_diagonal(force, 0.0)
        move = (force / length)[..., None] * between
        total = move.sum(axis=1) - 0.6 * places  # and a little towards the middle, so that nothing flies away
        speed = np.maximum(np.linalg.norm(total, axis=-1, keepdims=True), 1e-9)
        places = places + total / speed * np.minimum(speed, 0.08 * (1.0 - step / _STEPS) + 1e-3)

    # Step 3. Into the picture, below the title and beside the legend.
    low, high = places.min(axis=0), places.max(axis=0)
    margin = _MARGIN * height
    corner = np.array([margin, 1.6 * margin])
    space = np.array([width - 2.0 * margin, height - 3.2 * margin])
    places = corner + (places - low) / np.maximum(high - low, 1e-9) * space
    return _part(places, 1.25 * radius, corner, corner + space)


def _part(places: np.ndarray, radius: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """(P, 2) the places of circles (P,) moved until none overlaps another, as far as the picture has room.

    Small ones give way to large ones.
    """
    area = radius**2
    yields = area[None] / (area[:, None] + area[None])
    for _ in range(_PARTING_STEPS):
        between = places[:, None] - places[None]
        length = np.maximum(np.linalg.norm(between, axis=-1), 1e-6)
        overlap = np.maximum(radius[:, None] + radius[None] - length, 0.0)
        np.fill_diagonal(overlap, 0.0)
        if not overlap.any():
            break
        places = places + ((yields * overlap / length)[..., None] * between).sum(axis=1)
        places = np.clip(places, low, high)
    return places


def _bow(start: np.ndarray, end: np.ndarray, number: int, unit: float) -> np.ndarray:
    """(N, 2) pixels: the outline of a ribbon that bends to the right; each further one bends more."""
    along = end - start
    across = np.array([-along[1], along[0]])
    bend = 0.10 + 0.045 * (number % 12)
    return _ribbon(start, 0.5 * (start + end) + bend * across, end, unit)


def _ribbon(start: np.ndarray, control: np.ndarray, end: np.ndarray, unit: float) -> np.ndarray:
    """(N, 2) the outline of a curve that begins wide and ends thin."""
    t = np.linspace(0.0, 1.0, _FLOW)[:, None]
    line = (1.0 - t) ** 2 * start + 2.0 * t * (1.0 - t) * control + t**2 * end
    heading = 2.0 * (1.0 - t) * (control - start) + 2.0 * t * (end - control)
    normal = np.column_stack([-heading[:, 1], heading[:, 0]])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-9)
    half = unit * (0.5 + 2.0 * (1.0 - t))
    return np.concatenate([line + half * normal, (line - half * normal)[::-1]])


def _petal(place: np.ndarray, radius: float, number: int, unit: float, middle: np.ndarray) -> np.ndarray:
    """(N, 2) the outline of a loop at a circle, for an action that ends in the posture it starts in."""
    outward = np.arctan2(*(place - middle)[::-1]) + 2.4 * number  # the golden angle spreads them evenly
    reach = radius + unit * (26.0 + 1.2 * min(number, 20))
    turn = np.linspace(-0.42, 0.42, _FLOW)
    open_angle = outward + turn
    far = np.sin(np.linspace(0.0, np.pi, _FLOW)) ** 0.7
    line = place + (far * reach)[:, None] * np.column_stack([np.cos(open_angle), np.sin(open_angle)])
    heading = np.gradient(line, axis=0)
    normal = np.column_stack([-heading[:, 1], heading[:, 0]])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-9)
    half = unit * (0.5 + 1.6 * (1.0 - np.linspace(0.0, 1.0, _FLOW)))[:, None]
    return np.concatenate([line + half * normal, (line - half * normal)[::-1]])


def _label_postures(
    draw: ImageDraw.ImageDraw,
    graph: ActionGraph,
    places: np.ndarray,
    radius: np.ndarray,
    weight: np.ndarray,
    unit: float,
) -> None:
    """Say of the largest postures what is done most out of them."""
    font = ImageFont.load_default(size=15.0 * unit)
    taken: list[tuple[float, float, float, float]] = []
    for posture in np.argsort(-weight, kind="stable")[:_LABELS]:
        words = Counter(graph.library.tags[action].technique for action in graph.choices(int(posture)))
        text = ", ".join(word for word, _ in words.most_common(2))
        x, y = float(places[posture, 0]), float(places[posture, 1] + radius[posture] + 4.0 * unit)
        box = draw.textbbox((x, y), text, font=font, anchor="mt")
        if any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken):
            continue
        taken.append(box)
        draw.text(
            (x, y),
            text,
            font=font,
            fill=_INK,
            anchor="mt",
            stroke_width=round(2.5 * unit),
            stroke_fill=_PAPER,
        )


def _legend(
    draw: ImageDraw.ImageDraw,
    graph: ActionGraph,
    kinds: Counter[str],
    width: int,
    height: int,
    unit: float,
    title: str,
) -> None:
    """The title above, and the meaning of the colours below."""
    margin = 0.6 * _MARGIN * height
    heading = ImageFont.load_default(size=30.0 * unit)
    body = ImageFont.load_default(size=18.0 * unit)
    draw.text((margin, 0.7 * margin), title or "Action graph", font=heading, fill=_INK, anchor="lt")
    report = graph.report()
    choices = report["choices on arrival"]
    mean = choices["mean"] if isinstance(choices, dict) else ""
    words = (
        f"{len(graph.actions)} actions between {len(graph.posture_frame)} postures  ·  "
        f"{mean} choices on arrival  ·  {graph.kept_seconds:.0f} of {graph.library.seconds:.0f} s"
    )
    draw.text((margin, 0.7 * margin + 42.0 * unit), words, font=body, fill=_PALE_INK, anchor="lt")
    x, y = margin, height - 0.8 * margin
    for kind, count in kinds.most_common():
        draw.ellipse((x, y - 8 * unit, x + 16 * unit, y + 8 * unit), fill=_colour(kind))
        text = f"{kind} {count}"
        draw.text((x + 24 * unit, y), text, font=body, fill=_INK, anchor="lm")
        x += 24 * unit + draw.textlength(text, font=body) + 34 * unit
    note = "wide: start   thin: end"
    draw.text((width - margin, y), note, font=body, fill=_PALE_INK, anchor="rm")
