/** The remaining time of a task, in words, as far as that is known. */

const SOON = 5_000; // milliseconds after which it is known how fast it goes
const SMALLEST = 0.02; // of the work: before that the estimate is useless

export function remaining(elapsed: number, share: number): string {
  if (elapsed < SOON || share < SMALLEST) return "";
  const left = elapsed * (1 - share) / share / 1000;
  if (left < 10) return "a few seconds left";
  if (left < 90) return `about ${10 * Math.round(left / 10)} seconds left`;
  return `about ${Math.round(left / 60)} minutes left; it is kept, and next time it is there at once`;
}
