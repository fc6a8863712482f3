"""The bodies that characters of a live session have on the stage: those of their takes."""

from collections.abc import Sequence

import numpy as np

from randori.characters.character import Costume
from randori.motion.details import FIST
from randori.motion.retargeting import copy_poses
from randori.motion.skeleton import Skeleton
from randori.studio import messages as wire
from randori.studio.buffers import bodies_of, to_costume
from randori.timeline.session import Frame


class LiveBodies:
    """Poses of a session, on the bodies that are seen."""

    def __init__(
        self, moved: Sequence[Skeleton], worn: Sequence[Costume | Skeleton | None] | None = None
    ) -> None:
        self._moved = list(moved)  # the skeletons of the frames
        bodies = worn or [None] * len(self._moved)
        dressed = [
            one.armed() if isinstance(one, Costume) and "weapon" in skeleton.parts else one
            for one, skeleton in zip(bodies, self._moved)
        ]
        self._shown = [_skeleton(one, skeleton) for one, skeleton in zip(dressed, self._moved)]
        self.costumes = list(dict.fromkeys(one for one in dressed if isinstance(one, Costume)))
        self.costume_of = [self.costumes.index(one) if isinstance(one, Costume) else -1 for one in dressed]
        self.bodies, self.body_of = bodies_of(self._shown)
        self.joints = max(len(skeleton) for skeleton in self._shown)
        # characters that move on one skeleton and are seen on another one are posed together
        kinds: dict[tuple[int, int], list[int]] = {}
        for who, (skeleton, shown) in enumerate(zip(self._moved, self._shown)):
            kinds.setdefault((id(skeleton), id(shown)), []).append(who)
        self._together = list(kinds.values())

    def to_wire(self) -> list[wire.Costume]:
        """The costumes, as the page knows them."""
        return [to_costume(costume) for costume in self.costumes]

    def place(self, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
        """Roots (N, 3) in metres and turns (N, J, 4) in the world, J being the joints of the largest body."""
        roots = np.array(frame.root_position, dtype=np.float64)
        turns = np.zeros((len(roots), self.joints, 4))
        for who in self._together:
            source, shown = self._moved[who[0]], self._shown[who[0]]
            local = frame.rotations[who][:, : len(source)]
            if shown is not source:
                roots[who], local = copy_poses(source, roots[who], local, shown, FIST)
            turns[who, : len(shown)] = shown.forward(roots[who], local)[1]
        return roots, turns


def _skeleton(body: Costume | Skeleton | None, moved: Skeleton) -> Skeleton:
    """The skeleton that a body is seen on; a fighter moves on it already."""
    if body is None:
        return moved
    own = body.character.skeleton if isinstance(body, Costume) else body
    return moved if own.names == moved.names and np.allclose(own.offsets, moved.offsets) else own
