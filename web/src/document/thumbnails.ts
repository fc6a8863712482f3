/** Small pictures of own scenes and takes, kept in this browser. */

const PREFIX = "randori.picture.";
const WIDTH = 320, HEIGHT = 180;
const MOST = 60; // pictures; the oldest go first

export function keepPicture(key: string, canvas: HTMLCanvasElement): void {
  const small = document.createElement("canvas");
  small.width = WIDTH;
  small.height = HEIGHT;
  const scale = Math.max(WIDTH / canvas.width, HEIGHT / canvas.height);
  const [wide, tall] = [canvas.width * scale, canvas.height * scale];
  small.getContext("2d")?.drawImage(canvas, (WIDTH - wide) / 2, (HEIGHT - tall) / 2, wide, tall);
  try {
    localStorage.setItem(PREFIX + key, `${Date.now()} ${small.toDataURL("image/jpeg", 0.8)}`);
    const all = Object.keys(localStorage).filter((one) => one.startsWith(PREFIX));
    all.sort((a, b) => parseInt(localStorage.getItem(b) ?? "") - parseInt(localStorage.getItem(a) ?? ""));
    for (const old of all.slice(MOST)) localStorage.removeItem(old);
  } catch {
    // no room: then there is no picture
  }
}

/** The picture of a scene that has another name now, or was copied. */
export function carryPicture(from: string, to: string): void {
  const picture = localStorage.getItem(PREFIX + from);
  try {
    if (picture) localStorage.setItem(PREFIX + to, picture);
  } catch {
    // no room: then there is no picture
  }
}

export function pictureOf(key: string): string {
  return localStorage.getItem(PREFIX + key)?.split(" ")[1] ?? "";
}
