/** Handles on the floor for everything that can be arranged: taken, dragged, chosen. */

import * as THREE from "three";
import type { Piece } from "../document/pieces";
import { clear, disc, formation, line, ring, words } from "./marks";

const GRAB = 0.45; // metres around a handle within which it is taken
const CHOSEN = 0xffffff;

export interface Grabbed {
  readonly piece: number; // of those that are shown
  readonly spot: number;
}

export class PieceMarks {
  readonly group = new THREE.Group();
  private pieces: readonly Piece[] = [];

  show(pieces: readonly Piece[], colours: readonly number[], chosen: ReadonlySet<number>): void {
    this.pieces = pieces;
    clear(this.group);
    pieces.forEach((piece, number) => {
      const colour = colours[number] ?? 0xd8d2c4, [first, second] = piece.spots;
      if (piece.list === "path") return; // the path draws its checkpoints itself
      if (piece.turn !== null) this.group.add(formation([[first.place[0], first.place[1], piece.turn]], [colour]));
      if (second) this.group.add(line([first.place, second.place], colour));
      for (const { place } of piece.spots) {
        this.group.add(disc(place, second ? 0.16 : 0.3, colour, 0.45));
        if (chosen.has(number)) this.group.add(ring(place, GRAB, CHOSEN));
      }
      if (piece.list === "cast") return; // has a name above it
      const label = words(piece.name, "#f4f1ea");
      label.position.set(first.place[0], 0.3, first.place[1]);
      this.group.add(label);
    });
  }

  /** The handle under a place on the floor. */
  at(x: number, z: number): Grabbed | null {
    let best: Grabbed | null = null, nearest = GRAB;
    this.pieces.forEach((piece, number) => piece.spots.forEach(({ place }, spot) => {
      const away = Math.hypot(place[0] - x, place[1] - z);
      if (away < nearest) [best, nearest] = [{ piece: number, spot }, away];
    }));
    return best;
  }
}
