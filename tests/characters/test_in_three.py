"""A clip that Randori wrote plays on the unmodified file of its character, in three.js in a real browser."""

import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from character_samples import box_person, write_character
from randori.characters.bringing import bring_onto
from randori.characters.character import load_character
from randori.performer import perform
from randori.scene.export import save
from studio.browsing import chromium, until

THREE = Path(__file__).parents[2] / "web" / "node_modules" / "three"
PAGE = """<script type="importmap">{"imports": {"three": "./three/build/three.module.js"}}</script>
<script type="module">
import * as three from "three";
import { GLTFLoader } from "./three/examples/jsm/loaders/GLTFLoader.js";
const load = (name) => new GLTFLoader().loadAsync(name);
const [original, clip] = await Promise.all([load("original.glb"), load("clip.glb")]);
const mixer = new three.AnimationMixer(original.scene);
mixer.clipAction(clip.animations[0]).play();
window.placed = (time, names) => {
  mixer.setTime(time);
  original.scene.updateMatrixWorld(true);
  return names.map((name) => {
    const joint = original.scene.getObjectByName(name);
    return joint.getWorldPosition(new three.Vector3()).toArray();
  });
};
</script>"""

pytestmark = pytest.mark.slow  # most of the time is spent in the browser


@pytest.mark.skipif(not THREE.is_dir(), reason="`npm install` in web/ brings three.js")
@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_a_clip_plays_on_the_unmodified_file(tmp_path: Path, unit: float) -> None:
    original = write_character(tmp_path / "original.glb", *box_person(unit=unit))
    character = load_character(original)
    clip = bring_onto(perform("boxing", 2.0, seed=3)[0].clip, character.skeleton)
    save([clip], tmp_path / "clip.glb", bodies=[character])
    shutil.copytree(THREE / "build", tmp_path / "three" / "build")
    shutil.copytree(THREE / "examples" / "jsm", tmp_path / "three" / "examples" / "jsm")
    (tmp_path / "index.html").write_text(PAGE)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=tmp_path))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with chromium() as browser:
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/index.html")
            until(page, "() => typeof window.placed === 'function'")
            names = list(clip.skeleton.names)
            for frame in (0, 30, 77):
                found = np.array(page.evaluate("([t, names]) => placed(t, names)", [frame / 60.0, names]))
                assert np.abs(unit * found - clip.positions[frame]).max() < 0.001
    finally:
        server.shutdown()
