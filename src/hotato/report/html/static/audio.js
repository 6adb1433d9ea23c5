
// The recording follows the call and the call the recording.
(() => {
  const sound = document.querySelector(".sound");
  const player = sound && sound.querySelector(".player");
  if (!player || !sound.dataset.times) return;
  const [first, perSecond, ...listed] = sound.dataset.times.split(" ");
  const times = new Map(listed.map((pair) => [pair.slice(0, pair.lastIndexOf("=")), Number(pair.slice(pair.lastIndexOf("=") + 1))]));
  const draw = document.querySelector(".tl-draw");
  let cursor = null;
  if (draw) {
    cursor = document.createElementNS("http://www.w3.org/2000/svg", "line");
    cursor.setAttribute("class", "cursor");
    cursor.setAttribute("y1", "0");
    cursor.setAttribute("y2", draw.getAttribute("height"));
    draw.append(cursor);
  }
  const place = () => {
    const x = Math.max(0, Math.min(100, (player.currentTime - Number(first)) * Number(perSecond))) + "%";
    cursor?.setAttribute("x1", x);
    cursor?.setAttribute("x2", x);
  };
  const seek = (seconds) => {
    player.currentTime = Math.max(0, seconds);
    place();
  };
  for (const name of ["timeupdate", "seeked", "loadedmetadata"]) player.addEventListener(name, place);
  place();
  document.addEventListener("click", (event) => {
    if (event.target.closest("audio, summary, button")) return;
    const link = event.target.closest("[data-ev], [data-mark], [data-go]");
    const entry = event.target.closest(".turn, .span");
    const anchor = link ? link.dataset.ev || link.dataset.mark || link.dataset.go : entry && entry.id;
    if (anchor && times.has(anchor)) seek(times.get(anchor));
    else if (!link && draw && event.target.closest(".tl-draw")) {
      const box = draw.getBoundingClientRect();
      seek(Number(first) + ((event.clientX - box.left) / box.width) * 100 / Number(perSecond));
    }
  });
})();
