/** A view fills the page below the header until another one takes its place. */

export interface View {
  readonly element: HTMLElement;
  /** Keys that no field has used. */
  key?(event: KeyboardEvent): void;
  close?(): void;
}

/** Another address for what is shown already: nothing is opened again. */
export function replaceAddress(hash: string): void {
  history.replaceState(null, "", hash);
  window.dispatchEvent(new CustomEvent("randori-address"));
}

/** The address of a view: #/scene?gallery=boxing */
export interface Address {
  readonly view: string;
  readonly words: URLSearchParams;
}

export function parseAddress(hash: string): Address {
  const [view, words] = hash.replace(/^#\/?/, "").split("?");
  return { view: view || "gallery", words: new URLSearchParams(words ?? "") };
}

export function addressOf(view: string, words: Record<string, string> = {}): string {
  const query = new URLSearchParams(words).toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}
