/** The side of a body on which there is room to be seen. */

const BESIDE = 0.75; // metres

/** Metres to the right, or to the left if they are negative; others stand so many metres to the right. */
export function freeSide(others: readonly number[]): number {
  const room = (place: number): number => Math.min(...others.map((other) => Math.abs(other - place)), Infinity);
  return room(BESIDE) >= room(-BESIDE) ? BESIDE : -BESIDE;
}
