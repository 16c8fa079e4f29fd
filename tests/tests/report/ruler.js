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
  const measured = {
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
