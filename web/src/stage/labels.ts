/** Names above people. A name that would cover another one moves up; in a crowd only the chosen character has one. */

import * as THREE from "three";
import { clear, words } from "./marks";

const MOST = 12; // names: more than that would hide the people
const STANDS = 0.9; // metres, the root of a standing character
const OVER = 0.14; // metres over the top of an own character
const ABOVE_LYING = 0.4, ABOVE_STANDING = 0.98; // metres above the root

export interface Plate {
  readonly x: number; // its middle, in the same unit as all the rest
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export class Labels {
  readonly group = new THREE.Group();
  private names: readonly string[] = [];
  private people: number[] = []; // whom each label names

  show(names: readonly string[]): void {
    this.names = names;
    this.draw(names.length <= MOST ? names.map((_, who) => who) : []);
  }

  choose(who: number): void {
    if (this.names.length > MOST) this.draw(who >= 0 ? [who] : []);
  }

  /** Put them above people as a camera sees them. */
  place(
    placeOf: (who: number, out: THREE.Vector3) => THREE.Vector3, camera: THREE.PerspectiveCamera, heightsOf: (who: number) => { stands: number; above: number } | undefined,
  ): void {
    const tall = Math.tan(THREE.MathUtils.degToRad(camera.fov / 2)), seen = new THREE.Vector3();
    const depths: number[] = [];
    const plates = this.people.map((who, number): Plate => {
      const label = this.group.children[number] as THREE.Sprite;
      placeOf(who, label.position);
      const own = heightsOf(who), upright = Math.min(Math.max(label.position.y / (own?.stands || STANDS), 0), 1);
      label.position.y += ABOVE_LYING + upright * ((own ? own.above + OVER : ABOVE_STANDING) - ABOVE_LYING);
      seen.copy(label.position).project(camera);
      depths.push(seen.z);
      return { x: seen.x * camera.aspect, y: seen.y, width: label.scale.x / tall, height: label.scale.y / tall };
    });
    const nearFirst = plates.map((_, number) => number).sort((a, b) => depths[a] - depths[b]);
    const lifts = spread(nearFirst.map((number) => plates[number]));
    nearFirst.forEach((number, i) => {
      (this.group.children[number] as THREE.Sprite).center.y = 0.5 - lifts[i] / plates[number].height;
    });
  }

  private draw(people: number[]): void {
    clear(this.group);
    this.people = people;
    for (const who of people) this.group.add(words(this.names[who], "#f4f1ea"));
  }
}

/** The distance that each plate has to move up so that it covers none before it. */
export function spread(plates: readonly Plate[]): number[] {
  const placed: Plate[] = [];
  return plates.map((plate) => {
    let y = plate.y;
    const covers = (other: Plate): boolean =>
      Math.abs(other.x - plate.x) < (other.width + plate.width) / 2 && Math.abs(other.y - y) < 0.999 * (other.height + plate.height) / 2;
    for (let other = placed.find(covers); other; other = placed.find(covers)) y = other.y + (other.height + plate.height) / 2;
    placed.push({ ...plate, y });
    return y - plate.y;
  });
}
