"""The characters on stage, and their places at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from randori.body.mannequin import MATERIALS, Mannequin, fit
from randori.body.palette import Colour, palette
from randori.characters.character import Character as Body
from randori.errors import RandoriError
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.render.camera import Camera, Focus
from randori.render.figures import Figures
from randori.render.raycaster import Raycaster
from randori.render.skins import Skin, paint

Outfit = Mapping[str, Colour]  # material → colour, see body/palette.py

_CHUNK = 128  # frames placed at once: many for speed, few for memory


@dataclass(eq=False)
class Character:
    """A body in clothes that moves as a clip does. Before and after its clip it stands still."""

    clip: Clip
    mannequin: Mannequin
    colour: np.ndarray  # (N, 3) sRGB of each cone
    skin: Skin | None = None  # its own, if it is not drawn as round cones
    _chunk: int = field(default=-1, init=False)
    _ends: tuple[np.ndarray, np.ndarray] = field(default=(np.zeros(0), np.zeros(0)), init=False)

    @classmethod
    def dress(cls, clip: Clip, outfit: Outfit, body: Body | None = None) -> "Character":
        """A clip's own body in clothes, or in the skin of a character."""
        mannequin = fit(clip.skeleton)
        if clip.skeleton.flesh is not None:
            skin = None if body is None else Skin(body)
            return cls(clip, mannequin, clip.skeleton.flesh.cone_colours, skin)
        colours = np.array([outfit[material] for material in MATERIALS])
        return cls(clip, mannequin, colours[mannequin.materials])

    def figures(self, time: float) -> Figures:
        """The body at a time in seconds, between frames if need be."""
        frame = min(max(time * self.clip.fps, 0.0), len(self.clip) - 1.0)
        whole = min(int(frame), max(len(self.clip) - 2, 0))
        starts, stops = self._placed(whole)
        share = frame - whole
        return Figures(
            _between(starts, share),
            _between(stops, share),
            self.mannequin.start_radii,
            self.mannequin.stop_radii,
            self.colour,
        )

    def root(self, times: np.ndarray) -> np.ndarray:
        """(T, 3) metres, where the root is."""
        clip = self.clip
        return np.stack([np.interp(times, clip.times, clip.root_position[:, k]) for k in range(3)], axis=-1)

    def facing(self, times: np.ndarray) -> np.ndarray:
        """(T, 2) x and z of the direction that the head looks along."""
        heading = self.clip.heading()[self._nearest(times)]
        return np.stack([np.sin(heading), np.cos(heading)], axis=-1)

    def _nearest(self, times: np.ndarray) -> np.ndarray:
        return np.clip(np.rint(np.asarray(times) * self.clip.fps), 0, len(self.clip) - 1).astype(int)

    def _placed(self, frame: int) -> tuple[np.ndarray, np.ndarray]:
        """Both ends of all cones in this frame and the next."""
        chunk, place = divmod(frame, _CHUNK)
        if chunk != self._chunk:
            frames = slice(chunk * _CHUNK, (chunk + 1) * _CHUNK + 1)
            self._ends = self.mannequin.place(self.clip.positions[frames], self.clip.global_rotations[frames])
            self._chunk = chunk
        starts, stops = self._ends
        return starts[place : place + 2], stops[place : place + 2]


def _between(pair: np.ndarray, share: float) -> np.ndarray:
    return pair[0] if share <= 0.0 else pair[0] + share * (pair[-1] - pair[0])


@dataclass(frozen=True, eq=False)
class Prop:
    """A thing that is no body: a ball, a bar, a car. Round cones that may move together."""

    start: np.ndarray  # (K, 3) metres
    stop: np.ndarray  # (K, 3)
    radius: np.ndarray  # (K,) metres
    colour: Colour
    # (F, 4) x, y, z in metres and yaw in radians: where the cones are put
    path: np.ndarray = field(default_factory=lambda: np.zeros((1, 4)))
    fps: float = 60.0

    @classmethod
    def ball(cls, way: np.ndarray, radius: float, colour: Colour, fps: float) -> "Prop":
        """A ball that moves along a way (F, 3)."""
        middle = np.zeros((1, 3))
        return cls(middle, middle, np.array([radius]), colour, np.insert(way, 3, 0.0, axis=1), fps)

    def figures(self, time: float) -> Figures:
        """The thing at a time in seconds: the nearest frame."""
        place = self.path[min(max(round(time * self.fps), 0), len(self.path) - 1)]
        turn = rot.from_yaw(place[3])
        start, stop = (place[:3] + rot.rotate(turn, ends) for ends in (self.start, self.stop))
        colours = np.tile(np.array(self.colour), (len(self.radius), 1))
        return Figures(start, stop, self.radius, self.radius, colours)


@dataclass(frozen=True, eq=False)
class Stage:
    """All characters, and the things about them."""

    characters: tuple[Character, ...]
    props: tuple[Prop, ...] = ()
    focus: Focus | None = None  # the subject of pictures, if not all characters

    @classmethod
    def of(
        cls,
        clips: Sequence[Clip],
        outfits: Sequence[Outfit] | None = None,
        props: Sequence[Prop] = (),
        focus: Focus | None = None,
        bodies: Sequence[Body | None] | None = None,
    ) -> "Stage":
        """One character per clip, each in clothes of its own, or in the skin of one of the bodies."""
        if not clips:
            raise RandoriError("there is no character to show: at least one clip is needed")
        chosen = outfits or [palette(number) for number in range(len(clips))]
        skins = bodies or [None] * len(clips)
        dressed = tuple(Character.dress(*one) for one in zip(clips, chosen, skins))
        return cls(dressed, tuple(props), focus)

    @property
    def duration(self) -> float:
        """Seconds until the last clip ends."""
        return max((character.clip.duration for character in self.characters), default=0.0)

    def figures(self, time: float) -> Figures:
        """All characters at a time in seconds."""
        return Figures.together([character.figures(time) for character in self.characters])

    def with_props(self, figures: Figures, time: float) -> Figures:
        """All characters, and the things around them, which are seen, but do not move the camera."""
        return Figures.together([figures, *(prop.figures(time) for prop in self.props)])

    def image(self, raycaster: Raycaster, figures: Figures, time: float, camera: Camera) -> np.ndarray:
        """(H, W, 3) uint8: these figures at this time, and the things around them."""
        all_characters = self.with_props(figures, time)
        if all(character.skin is None for character in self.characters):
            return raycaster.image(all_characters, camera)
        counts = [len(character.mannequin.joints) for character in self.characters]
        own = np.repeat([character.skin is not None for character in self.characters], counts)
        own = np.append(own, np.zeros(len(all_characters) - len(own), dtype=bool))
        skins = [(one.skin, one.skin.vertices(one.clip, time)) for one in self.characters if one.skin]
        return paint(raycaster, all_characters.where(~own), all_characters, own, skins, camera)

    def centres(self, times: np.ndarray) -> np.ndarray:
        """(T, 2) metres, x and z of the middle between the outermost characters."""
        roots = np.stack([character.root(times) for character in self.characters])[..., [0, 2]]
        return 0.5 * (roots.min(axis=0) + roots.max(axis=0))

    def front(self, times: np.ndarray) -> float:
        """Radians: the side from which the characters are seen best, 0 = from +Z, a quarter turn = from +X.

        One person, or people who look the same way, are seen from three quarters in front. People
        who face each other are seen from beside the line between them.
        """
        facing = np.stack([character.facing(times) for character in self.characters])  # (C, T, 2)
        roots = np.stack([character.root(times)[:, [0, 2]] for character in self.characters])
        spread = roots - roots.mean(axis=0)
        if self.focus is not None:
            if self.focus.front is not None:
                return self.focus.front
            spread, near = self.focus.near(roots, times)
            facing, spread = facing[near], spread[near]
        facing, spread = facing.reshape(-1, 2), spread.reshape(-1, 2)
        mean = facing.mean(axis=0) if len(facing) else np.array([0.0, 1.0])
        if np.linalg.norm(mean) > 0.5:
            return float(np.arctan2(mean[0], mean[1]) + np.radians(35.0))
        _, _, directions = np.linalg.svd(np.concatenate([spread, 0.1 * facing]), full_matrices=False)
        across = np.array([-directions[0, 1], directions[0, 0]])
        across = across if across @ mean >= 0.0 else -across
        return float(rot.wrap_angle(np.arctan2(across[0], across[1]) + np.radians(15.0)))
