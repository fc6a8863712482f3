/** A quiet studio: a key light with shadows that goes with what is looked at, the sky, and light back from the floor. */

import * as THREE from "three";

const SHADOW_PIXELS = 2048; // on a screen with a pixel ratio of 1 or more; coarser screens get coarser shadows
const AWAY = 30; // metres from the key light to what it looks at

export class Lights {
  readonly group = new THREE.Group();
  private readonly key = new THREE.DirectionalLight(0xfff1de, 2.6);

  constructor(pixelRatio: number) {
    const sky = new THREE.HemisphereLight(0xc4d3ea, 0x6b645c, 1.35);
    const rim = new THREE.DirectionalLight(0xbcd2ff, 0.7);
    rim.position.set(6, 5, -8);
    this.key.castShadow = true;
    this.key.shadow.mapSize.setScalar(SHADOW_PIXELS * Math.min(pixelRatio, 1));
    this.key.shadow.bias = -0.0004;
    this.key.shadow.normalBias = 0.02;
    this.key.shadow.radius = 3;
    this.group.add(sky, rim, this.key, this.key.target);
    this.aim(new THREE.Vector3(), 6);
  }

  /** Shadows of everything within `radius` metres of a place. */
  aim(centre: THREE.Vector3, radius: number): void {
    // steps of few sizes on a coarse grid: else every shadow's edge would crawl while the camera moves
    const reach = 2 ** Math.ceil(Math.log2(Math.max(radius, 3)));
    const grain = (2 * reach) / SHADOW_PIXELS * 32;
    const x = Math.round(centre.x / grain) * grain, z = Math.round(centre.z / grain) * grain;
    this.key.target.position.set(x, 0, z);
    this.key.position.set(x - 0.42 * AWAY, 0.78 * AWAY, z + 0.46 * AWAY);
    const camera = this.key.shadow.camera;
    if (camera.right === reach) return;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 1;
    camera.far = 2 * AWAY + reach;
    camera.updateProjectionMatrix();
  }
}
