"""USD files hold what was put in, and USD's own validators have nothing to say about them."""

import json
from pathlib import Path

import numpy as np
import pytest

from randori.errors import FileError
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.performer.proportions import BODIES
from randori.scene.export import save

pxr = pytest.importorskip("pxr", reason="USD is an extra: pip install 'randori[usd]'")


def bowing(body: str) -> Clip:
    """A clip in which every joint turns and the root travels."""
    skeleton = BODIES[body].skeleton
    random = np.random.default_rng(len(body))
    times = np.arange(30)[:, None, None] / 50.0
    rotations = rot.from_rotation_vector(random.normal(size=(len(skeleton), 3)) * 0.4 * np.sin(3.0 * times))
    root = np.stack([0.3 * times[:, 0, 0], np.full(30, 0.95), 0.1 * times[:, 0, 0] ** 2], axis=-1)
    return Clip(f"bowing {body}", skeleton, 50.0, root, rotations)


@pytest.mark.parametrize("ending", ["usd", "usda"])
def test_joints_come_back_within_a_millimetre(tmp_path: Path, ending: str) -> None:
    from pxr import Usd, UsdGeom, UsdSkel

    cast = [bowing("average"), bowing("tall"), bowing("average")]
    (path,) = save(cast, tmp_path / f"cast.{ending}", words={"seed": 7})
    stage = Usd.Stage.Open(str(path))
    assert UsdGeom.GetStageUpAxis(stage) == "Y"
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert (stage.GetTimeCodesPerSecond(), stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (50.0, 0, 29)
    assert json.loads(stage.GetRootLayer().customLayerData["randori"]) == {"seed": 7}
    cache = UsdSkel.Cache()
    names = ["bowing_average", "bowing_tall", "bowing_average_2"]
    for clip, name in zip(cast, names, strict=True):
        root = UsdSkel.Root(stage.GetPrimAtPath(f"/World/{name}"))
        cache.Populate(root, Usd.PrimDefaultPredicate)
        query = cache.GetSkelQuery(UsdSkel.Skeleton(stage.GetPrimAtPath(f"/World/{name}/Skeleton")))
        for frame in (0, 13, 29):
            places = np.array(query.ComputeJointSkelTransforms(frame))[:, 3, :3]
            np.testing.assert_allclose(places, clip.positions[frame], atol=1e-3)


def test_the_skin_follows_the_bones(tmp_path: Path) -> None:
    from pxr import Usd, UsdGeom, UsdSkel

    clip = bowing("average")
    (path,) = save(clip, tmp_path / "one.usd")
    stage = Usd.Stage.Open(str(path))
    assert UsdSkel.BakeSkinning(UsdSkel.Root(stage.GetPrimAtPath("/World/bowing_average")))
    body = UsdGeom.Mesh(stage.GetPrimAtPath("/World/bowing_average/Body"))
    points = np.array(body.GetPointsAttr().Get(20))
    nearest = np.linalg.norm(clip.positions[20][:, None] - points[None], axis=-1).min(axis=1)
    assert nearest.max() < 0.2  # every joint has flesh around it


def test_the_validators_find_nothing(tmp_path: Path) -> None:
    from pxr import Usd, UsdValidation

    (path,) = save([bowing("tall"), bowing("stocky")], tmp_path / "cast.usd")
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert len(validators) > 10
    issues = UsdValidation.ValidationContext(validators).Validate(Usd.Stage.Open(str(path)))
    assert [issue.GetMessage() for issue in issues] == []


def test_the_same_again_is_the_same_file(tmp_path: Path) -> None:
    clip = bowing("short")
    paths = [save(clip, tmp_path / name)[0] for name in ("one.usd", "two.usd")]
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_without_the_package_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("randori.formats.usd._is_there", lambda: False)
    with pytest.raises(FileError, match=r"randori\[usd\]"):
        save(bowing("short"), tmp_path / "one.usd")
    assert list(tmp_path.iterdir()) == []
