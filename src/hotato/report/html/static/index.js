"use strict";
// Narrow the list of calls. The page is whole without this script.
(() => {
  const form = document.querySelector(".filters");
  const rows = Array.from(document.querySelectorAll("#calls tbody tr"));
  const text = form.querySelector("[type=search]"), fails = form.querySelector("[type=checkbox]");
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const apply = () => {
    const wanted = text.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row, place) => {
      const fits = texts[place].includes(wanted) && (!fails.checked || row.dataset.fails !== "0");
      row.hidden = !fits;
      shown += fits;
    });
    form.querySelector("output").textContent = shown === rows.length ? "" : `${shown} of ${rows.length}`;
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", apply);
})();
