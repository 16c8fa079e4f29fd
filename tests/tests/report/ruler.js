// Measures every figure of a page in a frame, and writes the result into the page
// around it.
addEventListener("load", () => {
  const root = document.documentElement;
  const inside = (box, outer) =>
    box.left >= outer.left - 1 && box.right <= outer.right + 1 &&
    box.top >= outer.top - 1 && box.bottom <= outer.bottom + 1;
  const drawing = (svg) => {
    const outer = svg.getBoundingClientRect();
    const scale = outer.width / (svg.viewBox.baseVal.width || 1);
    const texts = outer.width > 0 ? [...svg.querySelectorAll("text")] : [];
    const sizes = texts.map((text) => parseFloat(getComputedStyle(text).fontSize) * scale);
    return {
      x: outer.left + scrollX, y: outer.top + scrollY, width: outer.width, height: outer.height,
      marks: [...svg.querySelectorAll(".mark")].filter((mark) => {
        const box = mark.getBoundingClientRect();
        return box.width > 0 || box.height > 0;
      }).length,
      text: Math.min(1000, ...sizes),
      cut: texts.filter((text) => !inside(text.getBoundingClientRect(), outer))
        .map((text) => text.textContent),
      shortened: texts.map((text) => text.firstChild?.textContent ?? "")
        .filter((text) => text.includes("…")),
    };
  };
  // Contrast by WCAG 2: 4.5 for text, 3 for marks. What stands on a scale's colours is tested there.
  const numbers = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (colour) => {
    const [red, green, blue] = colour.map((channel) => {
      const part = channel / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element) => {
    const [red, green, blue, alpha = 1] = numbers(getComputedStyle(element).backgroundColor);
    if (alpha > 0) return [red, green, blue];
    return element.parentElement ? behind(element.parentElement) : [255, 255, 255];
  };
  const contrast = (element, colour) => {
    const [low, high] = [luminance(numbers(colour).slice(0, 3)), luminance(behind(element))].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const isShown = (element) => element.getClientRects().length > 0;
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const texts = [...document.querySelectorAll("body *:not(.in-cell, title, desc, script)")]
    .filter((element) => hasText(element) && isShown(element))
    .map((element) => {
      const style = getComputedStyle(element);
      return [element, element.closest("svg") ? style.fill : style.color, 4.5];
    });
  const marks = [...document.querySelectorAll(".mark:not([fill^='#'])")].filter(isShown)
    .map((element) => [element, getComputedStyle(element).color, 3]);
  const faint = [...texts, ...marks]
    .map(([element, colour, least]) => [element.textContent.trim().slice(0, 40), contrast(element, colour), least])
    .filter(([, found, least]) => found < least)
    .map(([text, found]) => `${text}: ${found.toFixed(2)}`);
  const measured = {
    faint: [...new Set(faint)],
    inner: innerWidth,
    scroll: root.scrollWidth,
    height: root.scrollHeight,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    // Cells whose text runs over the next one, or that are wider than their table's box.
    crowded: [...document.querySelectorAll(".scroll th, .scroll td")].filter((cell) =>
      cell.scrollWidth > cell.clientWidth + 1 ||
      cell.offsetWidth > cell.closest(".scroll").clientWidth + 1)
      .map((cell) => cell.textContent),
    figures: [...document.querySelectorAll("figure")].map((figure) => ({
      id: figure.id,
      drawings: [...figure.querySelectorAll(":scope > svg")].map(drawing),
    })),
  };
  const note = parent.document.createElement("pre");
  note.id = "measured";
  note.textContent = JSON.stringify(measured);
  parent.document.body.append(note);
});
