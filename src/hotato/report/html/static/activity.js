
// Any frame of the recording, looked at on its own.
(() => {
  const section = document.querySelector(".activity");
  if (!section) return;
  const hop = Number(section.dataset.hop);
  const first = Number(section.dataset.first);
  const runs = (text) => text.split(" ").filter(Boolean).map((pair) => pair.split("-").map(Number));
  const sides = [...section.querySelectorAll(".side")].map((side) => {
    const raw = Uint8Array.from(atob(side.dataset.levels), (letter) => letter.charCodeAt(0));
    return {
      levels: new DataView(raw.buffer),
      limit: Number(side.dataset.limit),
      held: runs(side.dataset.held),
      trimmed: runs(side.dataset.trimmed),
    };
  });
  const choose = section.querySelector(".choose");
  const slider = choose.querySelector("input");
  const row = section.querySelector(".chosen");
  const picture = section.querySelector(".levels");
  const cursor = picture.querySelector(".cursor");
  const word = (is) => (is ? "yes" : "no");
  const inside = (list, frame) => list.some(([begin, after]) => begin <= frame && frame < after);
  const show = () => {
    const frame = Number(slider.value);
    const cells = [(frame * hop).toFixed(2)];
    for (const side of sides) {
      const level = side.levels.getInt16((frame - first) * 2, true);
      cells.push((level / 100).toFixed(2), word(level >= side.limit), word(inside(side.held, frame)), word(inside(side.trimmed, frame)));
    }
    row.querySelectorAll("td").forEach((cell, place) => { cell.textContent = cells[place]; });
    const x = ((frame - first) / Math.max(1, Number(slider.max) - first)) * 1000;
    cursor.setAttribute("x1", x);
    cursor.setAttribute("x2", x);
    cursor.setAttribute("visibility", "visible");
    slider.setAttribute("aria-valuetext", cells[0] + " seconds");
  };
  choose.hidden = row.hidden = false;
  slider.addEventListener("input", show);
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    slider.value = String(Math.round(first + ((event.clientX - box.left) / box.width) * (Number(slider.max) - first)));
    show();
  });
  show();
})();
