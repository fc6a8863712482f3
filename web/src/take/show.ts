/** A take on a stage: every frame the poses at the playhead. */

import * as THREE from "three";
import { clear, trail } from "../stage/marks";
import type { Stage } from "../stage/stage";
import { makeThing, placeThing } from "../stage/things";
import { loadCostume, Worn } from "../stage/worn";
import { api } from "../page/api";
import { complain } from "../page/toasts";
import { frameAt, type MovingProp, type Take } from "./buffer";
import type { Player } from "./player";
import { placeJoints } from "./pose";

const STRONG = 12; // damage whose flash is the largest
const TRAIL_STEP = 0.1; // seconds between points of a trail

export class TakeShow {
  take: Take | null = null;
  private moving: { thing: THREE.Mesh; path: Float32Array }[] = [];
  private shown = -1;

  constructor(readonly stage: Stage, readonly player: Player, private readonly afterFrame: () => void = () => {}) {
    stage.onFrame = (elapsed) => this.frame(elapsed);
  }

  load(take: Take): void {
    this.take = take;
    this.player.load(take.seconds, take.fps);
    const { header } = take;
    const figures = header.characters.map((character, number) => ({
      rig: take.rigs[number],
      outfit: header.outfits[character.outfit % header.outfits.length].colours,
    }));
    this.stage.cast(figures, header.characters.map((character) => character.name));
    this.stage.setHits(header.events.filter((event) => event.kind === "hit" && event.point).map((event) => ({
      time: event.tick / header.fps, point: event.point!, strength: Math.min(event.strength / STRONG, 1),
    })));
    this.moving = showThings(this.stage.props, take.props);
    this.stage.path.show(header.path);
    this.shown = -1;
    this.pose();
    this.dress(take);
  }

  /** Own characters appear as mannequins until their files have arrived. */
  private dress(take: Take): void {
    const { crowd } = this.stage, { costumes, characters, take: name } = take.header;
    characters.forEach(({ costume: number }, who) => {
      const costume = costumes[number];
      if (!costume) return;
      loadCostume(costume, () => api.costume(name, number)).then((model) => {
        if (this.stage.crowd !== crowd) return; // another take has come
        crowd.wear(who, new Worn(model, costume));
        this.stage.refresh();
      }).catch(complain);
    });
  }

  /** Lines on the floor along the ways of all characters, in the colour of their shirts. */
  showTrails(shown: boolean): void {
    clear(this.stage.trails);
    if (shown && this.take) {
      for (const line of trailsOf(this.take)) this.stage.trails.add(line);
    }
    this.stage.refresh();
  }

  /** Show the playhead's moment now, without waiting for the next picture. */
  pose(): void {
    const take = this.take;
    if (!take || this.player.time === this.shown) return;
    this.shown = this.player.time;
    const { frame, share } = frameAt(this.player.time, take.fps, take.frames);
    const { crowd } = this.stage;
    for (let who = 0; who < take.motions.length; who++) {
      placeJoints(take.rigs[who], take.motions[who], frame, share, crowd.joints, crowd.offset(who));
    }
    crowd.update();
    for (const { thing, path } of this.moving) {
      placeThing(thing, path, 4 * frame, 4 * Math.min(frame + 1, take.frames - 1), share);
    }
    this.stage.refresh();
  }

  private frame(elapsed: number): number {
    this.player.advance(elapsed);
    this.pose();
    this.afterFrame();
    return this.player.time;
  }
}

function showThings(group: THREE.Group, props: readonly MovingProp[]): { thing: THREE.Mesh; path: Float32Array }[] {
  clear(group);
  const moving: { thing: THREE.Mesh; path: Float32Array }[] = [];
  for (const { prop, path } of props) {
    const thing = makeThing(prop);
    group.add(thing);
    if (path) moving.push({ thing, path });
  }
  return moving;
}

function trailsOf(take: Take): THREE.Line[] {
  const step = Math.max(Math.round(TRAIL_STEP * take.fps), 1);
  const count = Math.ceil(take.frames / step);
  return take.motions.map((motion, who) => {
    const places = new Float32Array(2 * count);
    for (let i = 0; i < count; i++) {
      places[2 * i] = motion.roots[3 * i * step];
      places[2 * i + 1] = motion.roots[3 * i * step + 2];
    }
    const { header } = take;
    const shirt = header.outfits[header.characters[who].outfit % header.outfits.length].colours[1];
    return trail(places, new THREE.Color().setRGB(...shirt, THREE.SRGBColorSpace).getHex());
  });
}

/** From where a fight is seen well: across the line between the two sides, a little from above. */
export function goodDirection(take: Take): THREE.Vector3 {
  const sums = [new THREE.Vector3(), new THREE.Vector3()], counts = [0, 0];
  take.header.characters.forEach(({ team }, who) => {
    const side = team > 0 ? 1 : 0;
    sums[side].add(new THREE.Vector3(take.motions[who].roots[0], 0, take.motions[who].roots[2]));
    counts[side]++;
  });
  const between = counts[0] && counts[1] ? sums[1].divideScalar(counts[1]).sub(sums[0].divideScalar(counts[0])) : new THREE.Vector3(0, 0, 1);
  if (between.lengthSq() < 1e-4) between.set(0, 0, 1);
  between.normalize();
  // seen from the key light's side, so that shadows fall away
  const across = new THREE.Vector3(-between.z, 0, between.x);
  if (across.dot(new THREE.Vector3(-0.42, 0, 0.46)) < 0) across.negate();
  const many = take.motions.length > 8;
  return across.addScaledVector(between, 0.35).setY(many ? 0.62 : 0.3).normalize();
}
