/** Elements in one expression. */

type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

/** `on…` are listeners, `class` and `aria-…` attributes, everything else properties. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, props: Props = {}, ...children: (Child | Child[])[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith("on") && typeof value === "function") {
      element.addEventListener(key.slice(2).toLowerCase(), value as EventListener);
    } else if (key === "class" || key === "role" || key === "for" || key.includes("-") || key === "list") {
      element.setAttribute(key, String(value));
    } else if (key === "style") {
      element.style.cssText = String(value);
    } else {
      (element as unknown as Props)[key] = value;
    }
  }
  fill(element, ...children);
  return element;
}

export function fill(element: Element, ...children: (Child | Child[])[]): void {
  element.replaceChildren(...children.flat().filter((child): child is Node | string => Boolean(child) || child === ""));
}

export function button(text: string, onclick: () => void, props: Props = {}): HTMLButtonElement {
  return h("button", { type: "button", onclick, ...props }, text);
}

/** Keys that are meant for a field do nothing else. */
export function isTyping(event: Event): boolean {
  const target = event.target;
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
    || (target instanceof HTMLInputElement && !["checkbox", "radio", "button", "range"].includes(target.type));
}

/** The size of a file in words. */
export function bytes(size: number): string {
  return size < 1e6 ? `${Math.ceil(size / 1e3)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}
