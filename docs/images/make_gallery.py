"""The pictures that the studio's gallery shows on a first visit, before it has made its own.

`python docs/images/make_gallery.py [NAME…]` makes all of them, or only those that are named.
"""

import sys
import tempfile
from pathlib import Path

from PIL import Image

from randori.scene.scene import Scene, shipped_scenes
from randori.studio.gallery import PICTURES
from randori.studio.project import Project
from randori.studio.takes import Takes, draft_of
from randori.studio.tasks import show_in_gallery
from randori.work import finish

QUALITY = 82  # of JPEG: some 20 KB each


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        takes, painted = Takes(Project(Path(folder))), Path(folder) / "painted.png"
        for name in sys.argv[1:] or shipped_scenes():
            painted.unlink(missing_ok=True)
            take = takes.name_of(draft_of(Scene.load(name)))
            finish(show_in_gallery(folder, name, take, str(painted)))
            with Image.open(painted) as picture:
                picture.convert("RGB").save(PICTURES / f"{name}.jpg", quality=QUALITY, optimize=True)


if __name__ == "__main__":
    main()
