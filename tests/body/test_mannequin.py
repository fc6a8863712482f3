"""The mannequin stands upright, un-twisted and in proportion on any rig."""

from dataclasses import replace

import numpy as np
import pytest

from randori.body.mannequin import MATERIALS, SOLE, fit
from randori.body.mesh import skin
from randori.errors import BodyPartError
from randori.motion import rotations as rot
from randori.motion.skeleton import Skeleton
from randori.performer.proportions import BODIES


@pytest.fixture(scope="module")
def skeleton() -> Skeleton:
    return BODIES["average"].skeleton


def part_centres(skeleton: Skeleton) -> dict[str, np.ndarray]:
    mannequin = fit(skeleton)
    positions, rotations = skeleton.reference_pose
    starts, stops = mannequin.place(positions[None], rotations[None])
    middle = 0.5 * (starts[0] + stops[0])
    return {part: middle[[p == part for p in mannequin.parts]].mean(axis=0) for part in set(mannequin.parts)}


def test_the_head_is_above_and_the_left_hand_to_the_left(skeleton: Skeleton) -> None:
    centre = part_centres(skeleton)
    assert centre["head"][1] > centre["chest"][1] > centre["pelvis"][1] > centre["left_shin"][1]
    assert centre["left_hand"][0] > 0.5
    assert centre["right_hand"][0] < -0.5
    assert centre["left_toes"][2] > centre["left_foot"][2] + 0.03


def test_both_sides_mirror_each_other(skeleton: Skeleton) -> None:
    centre = part_centres(skeleton)
    for part, place in centre.items():
        if part.startswith("left_"):
            twin = centre[part.replace("left", "right")]
            np.testing.assert_allclose(place * [-1, 1, 1], twin, atol=1e-9)


def test_front_differs_from_back(skeleton: Skeleton) -> None:
    """From the front a head is skin, from behind it is hair."""
    mesh = skin(skeleton)
    middle = mesh.vertices[mesh.triangles].mean(axis=1)
    head = middle[:, 1] > skeleton.reference_pose[0][skeleton.joint("head"), 1] + 0.05
    hair = mesh.materials == MATERIALS.index("hair")
    centre = middle[head].mean(axis=0)
    front, behind = head & (middle[:, 2] > centre[2] + 0.05), head & (middle[:, 2] < centre[2] - 0.05)
    assert hair[front].mean() < 0.35
    assert hair[behind].mean() > 0.75


@pytest.mark.parametrize("body", sorted(BODIES))
def test_every_body_weighs_what_a_person_does(body: str) -> None:
    mesh = skin(BODIES[body].skeleton)
    corners = mesh.vertices[mesh.triangles]
    litres = 1000.0 * np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    assert 45.0 < litres < 125.0  # people are about as dense as water


def test_soles_are_flat_and_just_below_the_lowest_joint(skeleton: Skeleton) -> None:
    heights = np.sort(skin(skeleton).vertices[:, 1])
    assert abs(heights[0] + SOLE) < 0.010  # cones that melt together swell a little
    assert (heights < heights[0] + 0.01).sum() > 100


def test_the_mesh_is_closed(skeleton: Skeleton) -> None:
    triangles = skin(skeleton).triangles
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    _, counts = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    assert (counts % 2 == 0).all()
    _, counts = np.unique(edges, axis=0, return_counts=True)
    assert (counts == 1).mean() > 0.999  # each edge is walked once each way: all faces look outward


def test_vertices_follow_at_most_four_joints_and_fully(skeleton: Skeleton) -> None:
    mesh = skin(skeleton)
    np.testing.assert_allclose(mesh.weights.sum(axis=1), 1.0, atol=1e-9)
    assert (mesh.joints[mesh.weights == 0.0] == 0).all()


def test_it_does_not_matter_what_a_rig_calls_zero(skeleton: Skeleton) -> None:
    """The same body with every joint's axes turned at random has the same mannequin."""
    random = np.random.default_rng(5)
    turn = rot.normalize(random.normal(size=(len(skeleton), 4)))
    inner = skeleton.parents >= 0
    offsets = skeleton.offsets.copy()
    offsets[inner] = rot.rotate(rot.inverse(turn[skeleton.parents[inner]]), skeleton.offsets[inner])
    turned = replace(
        skeleton,
        offsets=offsets,
        tips=rot.rotate(rot.inverse(turn), skeleton.tips),
        reference=rot.multiply(skeleton.reference, turn),
    )
    straight, odd = part_centres(skeleton), part_centres(turned)
    for part, place in straight.items():
        np.testing.assert_allclose(odd[part], place, atol=1e-9)


def test_a_skeleton_without_arms_is_a_clear_error(skeleton: Skeleton) -> None:
    parts = {part: joint for part, joint in skeleton.parts.items() if "forearm" not in part}
    with pytest.raises(BodyPartError, match=r"left forearm.*Hips"):
        fit(replace(skeleton, parts=parts))


def test_heights_are_those_of_the_placed_cones(skeleton: Skeleton) -> None:
    body = fit(skeleton)
    random = np.random.default_rng(4)
    places = random.normal(size=(5, len(skeleton), 3))
    turned = rot.normalize(random.normal(size=(5, len(skeleton), 4)))
    starts, stops = body.place(places, turned)
    lowest = np.minimum(starts[..., 1] - body.start_radii, stops[..., 1] - body.stop_radii)
    cones = np.array([0, 3, len(body.joints) - 1])
    assert np.allclose(body.heights(places, turned, cones), lowest[:, cones], atol=1e-12)
