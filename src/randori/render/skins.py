"""Pictures of characters in their own skin: their triangles over what the ray-caster draws."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from randori.characters.character import Character
from randori.kernels import rasterise
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.render.camera import Camera
from randori.render.figures import Figures
from randori.render.lighting import toward
from randori.render.look import Look
from randori.render.raycaster import Raycaster


@dataclass(frozen=True, eq=False)
class Skin:
    """A character as it is drawn."""

    body: Character

    @cached_property
    def texture(self) -> rasterise.Texture:
        """The colours of its materials, as light; a square is near enough, as in render/look.py."""
        pictures = self.body.pictures
        sizes = [(0, 0) if picture is None else picture.shape[:2] for picture in pictures]
        pixels = [
            np.square(picture.reshape(-1, 3).astype(np.float32) / 255.0)
            for picture in pictures
            if picture is not None
        ]
        counts = [rows * columns for rows, columns in sizes]
        return rasterise.Texture(
            np.concatenate(pixels) if pixels else np.zeros((0, 3), dtype=np.float32),
            np.concatenate([[0], np.cumsum(counts)])[:-1].astype(np.int64),
            np.array([columns for _, columns in sizes], dtype=np.int64),
            np.array([rows for rows, _ in sizes], dtype=np.int64),
            np.array([material.colour[:3] for material in self.body.model.materials]).reshape(-1, 3),
        )

    def vertices(self, clip: Clip, time: float) -> np.ndarray:
        """(V, 3) metres, at the frame that is nearest to a time in seconds."""
        frame = min(max(round(time * clip.fps), 0), len(clip) - 1)
        when = slice(frame, frame + 1)
        return self.body.surface.place(clip.positions[when], clip.global_rotations[when])[0]

    def draw(
        self, vertices: np.ndarray, camera: Camera, look: Look, pixel: float, screen: rasterise.Screen
    ) -> None:
        """Draw it over a picture."""
        surface = self.body.surface
        lights = rasterise.Lights(
            np.array([toward(camera, look.key_azimuth, look.key_elevation)]),
            np.array(look.key),
            np.array(look.sky),
            np.array(look.bounce),
        )
        rasterise.draw(
            (vertices - camera.position) @ camera.axes.T,
            _normals(vertices, surface.triangles),
            surface.triangles,
            np.nan_to_num(surface.texture_places),
            surface.materials.astype(np.int64),
            self.texture,
            lights,
            screen._replace(pixel=pixel),
        )


def paint(
    raycaster: Raycaster,
    others: Figures,
    all_characters: Figures,
    own: np.ndarray,
    skins: list[tuple[Skin, np.ndarray]],
    camera: Camera,
) -> np.ndarray:
    """(H, W, 3) uint8: mannequins and things (`others`) as round cones, characters in their skins.

    `all_characters` has the cones of the characters as well, `own` (N,) says which: they throw the shadows.
    """
    lit = raycaster.image(all_characters, camera)
    _, seen = raycaster.depth(all_characters, camera)
    bare = raycaster.image(others, camera)
    depth, _ = raycaster.depth(others, camera)
    hidden = (seen >= 0) & own[np.maximum(seen, 0)]
    image = np.where(_grown(hidden)[..., None], bare, lit)
    screen = rasterise.Screen(0.0, depth, image, np.zeros(depth.shape, dtype=bool))
    for skin, vertices in skins:
        skin.draw(vertices, camera, raycaster.look, raycaster.pixel(camera), screen)
    return image


def _grown(mask: np.ndarray) -> np.ndarray:
    """A mask and its neighbours: edges are smoothed over a pixel."""
    grown = mask.copy()
    grown[1:] |= mask[:-1]
    grown[:-1] |= mask[1:]
    grown[:, 1:] |= mask[:, :-1]
    grown[:, :-1] |= mask[:, 1:]
    return grown


def _normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """(V, 3) unit: the mean of the triangles about a vertex, by their area."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    across = rot.cross(b - a, c - a)
    normals = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(normals, triangles[:, k], across)
    return rot.normalize(normals)
