"""The surface of a character: all of its meshes as vertices that follow joints, and their colours."""

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from randori.characters.rig import SWORD, Rig
from randori.formats.model import INFLUENCES, Material, Model, Piece
from randori.kernels.skinning import Skinned, deform
from randori.motion import rotations as rot


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles over vertices in metres that follow joints of the character's skeleton."""

    skinned: Skinned
    triangles: np.ndarray  # (T, 3) int64
    texture_places: np.ndarray  # (V, 2), NaN without a texture
    materials: np.ndarray  # (T,) int64, of the model; -1 for none
    flesh: np.ndarray  # (V,) bool: part of the body or its sword, not a prop that hangs on a joint

    def place(self, positions: np.ndarray, rotations: np.ndarray) -> np.ndarray:
        """(F, V, 3) metres, for joints at (F, J, 3) turned by (F, J, 4)."""
        placed = np.empty((len(positions), len(self.skinned.vertices), 3))
        room = np.empty((len(self.skinned.slot_joints), 3, 4))
        positions, rotations = (np.ascontiguousarray(rows, dtype=float) for rows in (positions, rotations))
        deform(self.skinned, positions, rotations, room, placed)
        return placed

    def only(self, vertices: np.ndarray) -> Skinned:
        """Some of the vertices (N,), to be placed by themselves."""
        own = self.skinned
        return own._replace(
            vertices=np.ascontiguousarray(own.vertices[vertices]),
            slots=np.ascontiguousarray(own.slots[vertices]),
            weights=np.ascontiguousarray(own.weights[vertices]),
        )

    @property
    def heaviest(self) -> np.ndarray:
        """(V,) the joint that each vertex follows most."""
        own = self.skinned
        slot = np.take_along_axis(own.slots, own.weights.argmax(axis=1)[:, None], axis=1)[:, 0]
        return own.slot_joints[slot]


def surface_of(model: Model, rig: Rig, size: float, hidden: Sequence[str] = ()) -> Surface:
    """The surface of a model in metres; `size` is the length of a unit, `hidden` are patterns of names."""
    slots: list[tuple[int, np.ndarray]] = []
    by_skin: dict[int, int] = {}
    frames = np.tile(np.eye(4), (len(rig.nodes), 1, 1))
    frames[:, :3, :3] = rot.to_matrix(rig.joint_turns)
    frames[:, :3, 3] = rig.joint_places
    into_joint = np.linalg.inv(frames)

    def slot(node: int, matrix: np.ndarray) -> None:
        joint = max(int(rig.carried[node]), 0)
        slots.append((joint, size * (into_joint[joint] @ rig.matrices[node] @ matrix)[:3]))

    rows = []
    for piece in shown_pieces(model, rig, hidden):
        if piece.skin >= 0:
            if piece.skin not in by_skin:
                by_skin[piece.skin] = len(slots)
                skin = model.skins[piece.skin]
                for node, inverse in zip(skin.joints.tolist(), skin.inverse_bind):
                    slot(node, inverse)
            rows.append((piece, piece.influences + by_skin[piece.skin], piece.weights))
        else:
            slot(piece.node, np.eye(4))
            alone = np.zeros((len(piece.vertices), INFLUENCES))
            alone[:, 0] = 1.0
            rows.append((piece, np.full(alone.shape, len(slots) - 1, dtype=np.int64), alone))
    starts = np.concatenate([[0], np.cumsum([len(piece.vertices) for piece, _, _ in rows])])
    skinned = Skinned(
        np.concatenate([piece.vertices for piece, _, _ in rows]),
        np.concatenate([own for _, own, _ in rows]).astype(np.int64),
        np.concatenate([weights for _, _, weights in rows]),
        np.array([joint for joint, _ in slots], dtype=np.int64),
        np.array([matrix for _, matrix in slots]),
    )
    return Surface(
        skinned,
        np.concatenate([piece.triangles + start for (piece, _, _), start in zip(rows, starts)]),
        np.concatenate(
            [
                np.full((len(piece.vertices), 2), np.nan)
                if piece.texture_places is None
                else piece.texture_places
                for piece, _, _ in rows
            ]
        ),
        np.concatenate([np.full(len(piece.triangles), piece.material) for piece, _, _ in rows]),
        np.concatenate(
            [np.full(len(piece.vertices), piece.skin >= 0 or piece.name == SWORD) for piece, _, _ in rows]
        ),
    )


def shown_pieces(model: Model, rig: Rig, hidden: Sequence[str] = ()) -> list[Piece]:
    """The meshes that a surface is made of, in its order: not hidden, and on a joint."""
    return [
        piece
        for piece in model.pieces
        if not is_hidden(piece.name, hidden) and (piece.skin >= 0 or rig.carried[piece.node] >= 0)
    ]


def is_hidden(name: str, patterns: Sequence[str]) -> bool:
    """Whether a mesh is not shown. A pattern such as "*sword*" does not hide the sword of a sword fight."""
    return name != SWORD and any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def colours_at(
    materials: Sequence[Material], pictures: Sequence[np.ndarray | None], which: np.ndarray, at: np.ndarray
) -> np.ndarray:
    """(N, 3) linear light of places (N, 2) in the pictures of materials (N,)."""
    colours = np.full((len(which), 3), 0.6)
    for number, (material, picture) in enumerate(zip(materials, pictures)):
        rows = np.flatnonzero(which == number)
        if len(rows) == 0:
            continue
        colours[rows] = material.colour[:3]
        placed = rows[np.isfinite(at[rows]).all(axis=1)]
        if picture is not None and len(placed):
            height, width = picture.shape[:2]
            u, v = (at[placed] % 1.0).T
            x = np.minimum((u * width).astype(np.int64), width - 1)
            y = np.minimum((v * height).astype(np.int64), height - 1)
            colours[placed] = linear_light(picture[y, x] / 255.0) * np.array(material.colour[:3])
    return colours


def linear_light(colour: np.ndarray) -> np.ndarray:
    """sRGB from 0 to 1 as light."""
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def screen_colour(light: np.ndarray) -> np.ndarray:
    """Light from 0 to 1 as sRGB."""
    light = np.clip(light, 0.0, 1.0)
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
