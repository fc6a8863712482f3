/** A gamepad: its left stick walks, its buttons are the session's own inputs. */

const DEAD = 0.25; // of a stick's way: less is a stick that is let go
const UP = 12, DOWN = 13, LEFT = 14, RIGHT = 15; // buttons of the cross, in the standard layout
export const LETTERS = ["A", "B", "X", "Y"] as const; // of the first buttons

/** The state of a pad: the direction of its stick (right, ahead), and which of its first buttons are down. */
export interface PadState {
  readonly way: readonly [number, number]; // no longer than 1
  readonly down: readonly boolean[];
}

interface Pad {
  readonly axes: readonly number[];
  readonly buttons: readonly { readonly pressed: boolean }[];
}

export const RESTING: PadState = { way: [0, 0], down: LETTERS.map(() => false) };

export function readPad(pad: Pad): PadState {
  const held = (button: number): number => (pad.buttons[button]?.pressed ? 1 : 0);
  let x = held(RIGHT) - held(LEFT), y = held(UP) - held(DOWN);
  if (x === 0 && y === 0) [x, y] = [pad.axes[0] ?? 0, -(pad.axes[1] ?? 0)];
  const length = Math.hypot(x, y);
  const way: [number, number] = length < DEAD ? [0, 0] : [x / Math.max(length, 1), y / Math.max(length, 1)];
  return { way, down: LETTERS.map((_, button) => held(button) === 1) };
}

/** The buttons that were pressed since. */
export function newlyPressed(before: PadState, now: PadState): number[] {
  return now.down.flatMap((down, button) => (down && !before.down[button] ? [button] : []));
}

/** The first gamepad that is there and awake. */
export function firstPad(): Pad | null {
  return [...navigator.getGamepads?.() ?? []].find((pad) => pad?.connected) ?? null;
}
