// Texts whose contrast with what is behind them is below 4.5. What is switched off may be faint; the stage is no ground.
() => {
  const parse = (text) => {
    const [red, green, blue, alpha = 1] = text.match(/[\d.]+/g).map(Number);
    return [red, green, blue, alpha];
  };
  const over = ([red, green, blue, alpha], ground) => [red, green, blue].map((value, i) => value * alpha + ground[i] * (1 - alpha));
  const light = (colour) => [0.2126, 0.7152, 0.0722].reduce((sum, share, i) => {
    const value = colour[i] / 255;
    return sum + share * (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  }, 0);
  const behind = (element) => (element === null
    ? [0, 0, 0]
    : over(parse(getComputedStyle(element).backgroundColor), behind(element.parentElement)));

  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim(), element = walker.currentNode.parentElement;
    if (!text || !element.checkVisibility() || element.closest(":disabled, .hero")) continue;
    const ground = behind(element), ink = over(parse(getComputedStyle(element).color), ground);
    const [dark, bright] = [light(ink), light(ground)].sort((a, b) => a - b);
    const contrast = (bright + 0.05) / (dark + 0.05);
    if (contrast < 4.5) found.add(`${text.slice(0, 40)}: ${contrast.toFixed(2)}`);
  }
  return [...found];
}
