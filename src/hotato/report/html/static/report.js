"use strict";
// Filters, and the way from a result to what it rests on and back. The page is whole without this script.
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const one = (selector, root = document) => root.querySelector(selector);
  const log = one(".log");
  const cards = all("[data-status]");
  document.documentElement.classList.add("js");

  // From evidence to results: a turn or span -> the cards whose links name it.
  const related = new Map();
  for (const card of cards) {
    for (const link of all("[data-go]", card)) {
      if (!related.has(link.dataset.go)) related.set(link.dataset.go, new Set());
      related.get(link.dataset.go).add(card);
    }
  }
  const bars = new Map(all(".lane [data-ev]").map((bar) => [bar.dataset.ev, bar]));
  const marks = new Map(all("[data-mark]").map((mark) => [mark.dataset.mark, mark]));
  const scroller = one(".tl-scroll");

  // The call ends where the screen does, also while the head of the page is in view.
  const call = one(".call");
  const fit = () => {
    const sticks = getComputedStyle(call).position === "sticky";
    const most = sticks ? Math.max(240, innerHeight - Math.max(0, call.getBoundingClientRect().top)) + "px" : "";
    if (call.style.maxHeight !== most) call.style.maxHeight = most;
  };
  if (call) {
    addEventListener("scroll", fit, { passive: true });
    addEventListener("resize", fit);
    fit();
  }

  const clear = () => {
    for (const lit of all(".at, .rests")) lit.classList.remove("at", "rests");
  };
  const center = (element, pane) => {
    const inPane = pane && getComputedStyle(pane).overflowY === "auto";
    if (!inPane) return element.scrollIntoView({ block: "center" });
    // Of the pane only what is on the screen counts.
    const gap = () => {
      const box = element.getBoundingClientRect(), frame = pane.getBoundingClientRect();
      const top = Math.max(frame.top, 0), height = Math.max(80, Math.min(frame.bottom, innerHeight) - top);
      return box.top - top - (height - Math.min(box.height, height)) / 2;
    };
    // What was never in view has a guessed height; a second look settles it.
    pane.scrollTop += gap();
    requestAnimationFrame(() => {
      pane.scrollTop += gap();
      // The end of the pane may lie below the screen.
      const below = element.getBoundingClientRect().bottom - innerHeight;
      if (below > 0) scrollBy(0, below + 12);
    });
  };
  const reveal = (bar) => {
    if (!bar || scroller.scrollWidth <= scroller.clientWidth) return;
    const box = bar.getBoundingClientRect(), frame = scroller.getBoundingClientRect();
    if (box.left < frame.left || box.right > frame.right) {
      scroller.scrollLeft += box.left - frame.left - frame.width / 2;
    }
  };
  const light = (anchor) => {
    for (const lit of [document.getElementById(anchor), bars.get(anchor), marks.get(anchor)]) lit?.classList.add("at");
  };
  const remember = (anchor) => {
    // Where a page may not name its own place (inside a frame, say), it goes without.
    try { history.replaceState(null, "", anchor ? "#" + encodeURIComponent(anchor) : location.href.split("#")[0]); } catch { /* as above */ }
  };

  /** Show a result: light it and all it rests on, and bring the first of that into view. */
  const showCard = (card, move = true) => {
    clear();
    if (card.hidden) reset();
    card.classList.add("at");
    const on = all("[data-go]", card).map((link) => link.dataset.go).filter((a) => !a.startsWith("r-") && !a.startsWith("n."));
    on.forEach(light);
    bars.get(card.id)?.classList.add("at");
    if (move) card.scrollIntoView({ block: "center" });
    card.focus({ preventScroll: true });
    const first = on.length && document.getElementById(on[0]);
    if (first && log.clientHeight < log.scrollHeight) center(first, log);
    if (on.length) reveal(bars.get(on[0]));
    remember(card.id);
  };

  /** Show a turn or span: light it, bring it into view, and mark the results that rest on it. */
  const showEvidence = (anchor, focus = true) => {
    const target = document.getElementById(anchor);
    if (!target) return;
    clear();
    light(anchor);
    for (const link of all(`[data-go="${CSS.escape(anchor)}"]`)) link.classList.add("at");
    const on = related.get(anchor) || [];
    for (const card of on) card.classList.add("rests");
    center(target, log);
    reveal(bars.get(anchor));
    if (focus) target.focus({ preventScroll: true });
    remember(anchor);
    return on;
  };
  const firstInView = (set) => {
    const shown = Array.from(set || []).filter((card) => !card.hidden);
    const seen = shown.some((card) => {
      const box = card.getBoundingClientRect();
      return box.top >= 0 && box.bottom <= innerHeight;
    });
    if (shown.length && !seen) shown[0].scrollIntoView({ block: "center" });
  };

  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const link = event.target.closest("a[href^='#']");
    if (link?.dataset.mark !== undefined) {
      event.preventDefault();
      const card = document.getElementById(link.getAttribute("href").slice(1));
      if (card) { showCard(card); center(document.getElementById(link.dataset.mark), log); }
    } else if (link) {
      const anchor = link.getAttribute("href").slice(1);
      const target = document.getElementById(anchor);
      if (!target || link.classList.contains("skip")) return;
      event.preventDefault();
      if (target.dataset.status !== undefined) showCard(target, link.dataset.card === undefined);
      else if (target.closest(".log")) {
        const on = showEvidence(anchor);
        if (link.dataset.ev !== undefined && on) firstInView(on);
      } else target.scrollIntoView({ block: "center" });
    } else {
      const entry = event.target.closest(".turn, .span");
      const chosen = String(getSelection());
      if (entry && !chosen && !event.target.closest("summary, button, audio")) firstInView(showEvidence(entry.id));
    }
  });

  // Filters
  const form = one(".filters");
  const state = { kind: "", dimension: "", text: "" };
  const chunks = all(".results .chunk");
  const statuses = all("[data-filter-status]");
  const texts = new Map();
  const textOf = (card) => {
    if (!texts.has(card)) texts.set(card, card.textContent.toLowerCase());
    return texts.get(card);
  };
  const apply = () => {
    const on = new Set(statuses.filter((b) => b.getAttribute("aria-pressed") === "true").map((b) => b.dataset.filterStatus));
    let shown = 0;
    for (const card of cards) {
      const fits = on.has(card.dataset.status) && (!state.kind || card.dataset.kind === state.kind) &&
        (!state.dimension || card.dataset.dimension === state.dimension) && (!state.text || textOf(card).includes(state.text));
      if (card.hidden === fits) card.hidden = !fits;
      shown += fits;
    }
    for (const chunk of chunks) {
      const inside = all("[data-status]:not([hidden])", chunk).length;
      chunk.hidden = !inside;
      // A guess for what is not yet drawn; the height it had before the filter no longer holds.
      chunk.style.containIntrinsicHeight = inside === chunk.children.length ? "" : inside * 80 + "px";
    }
    for (const group of all("[data-group]")) group.hidden = !one("[data-status]:not([hidden])", group);
    one("#none").hidden = shown > 0 || !cards.length;
    one("output", form).textContent = shown === cards.length ? "" : `${shown} of ${cards.length}`;
    for (const b of all("[data-dimension][aria-pressed]")) b.setAttribute("aria-pressed", String(b.dataset.dimension === state.dimension));
  };
  const reset = () => {
    for (const b of statuses) b.setAttribute("aria-pressed", "true");
    for (const field of all("[data-filter]", form)) field.value = "";
    Object.assign(state, { kind: "", dimension: "", text: "" });
    apply();
  };
  if (form && cards.length) {
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => {
      const name = event.target.dataset.filter;
      if (name) { state[name] = event.target.value.trim(); if (name === "text") state.text = state.text.toLowerCase(); apply(); }
    });
    for (const button of statuses) {
      button.addEventListener("click", () => {
        button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
        apply();
      });
    }
    for (const button of all(".dims [data-dimension]")) {
      button.addEventListener("click", () => {
        state.dimension = state.dimension === button.dataset.dimension ? "" : button.dataset.dimension;
        one("[data-filter=dimension]", form).value = state.dimension;
        apply();
      });
    }
    let last = -1;
    for (const button of all("[data-jump]", form)) {
      button.addEventListener("click", () => {
        const failed = cards.filter((card) => card.dataset.status === "FAIL" && !card.hidden);
        if (!failed.length) return;
        const from = failed.indexOf(one(".card.at"));
        last = from >= 0 ? from : last;
        last = (last + Number(button.dataset.jump) + failed.length) % failed.length;
        showCard(failed[last]);
        button.focus({ preventScroll: true });
      });
    }
  }

  // Keys: arrows move between results, between turns and spans, and along the timeline; Escape lets go.
  const step = (list, from, by) => list[Math.min(list.length - 1, Math.max(0, list.indexOf(from) + by))];
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select, audio")) return;
    if (event.key === "Escape") { clear(); remember(""); return; }
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const across = event.key === "ArrowRight" || event.key === "ArrowLeft";
    const card = event.target.closest(".card[data-status]");
    const entry = event.target.closest(".turn, .span");
    const mark = event.target.closest("[data-mark]");
    const bar = event.target.closest("[data-ev]");
    if (card && !across) showCard(step(cards.filter((c) => !c.hidden), card, by));
    else if (entry && !across) showEvidence(step(all(".turn, .span", log), entry, by).id);
    else if (mark || bar) {
      const list = mark ? byTime(Array.from(marks.values())) : byTime(Array.from(bars.values()));
      const next = step(list, mark || bar, by);
      (mark || bar).setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus({ preventScroll: true });
      reveal(next);
    } else return;
    event.preventDefault();
  });
  const byTime = (list) => {
    const at = new Map(list.map((el) => [el, el.getBoundingClientRect().left]));
    return list.sort((a, b) => at.get(a) - at.get(b));
  };

  // Zoom
  const zoom = one(".zoom");
  if (zoom) {
    let level = 0;
    zoom.hidden = false;
    zoom.addEventListener("click", (event) => {
      const button = event.target.closest("[data-zoom]");
      if (!button) return;
      const middle = (scroller.scrollLeft + scroller.clientWidth / 2) / scroller.scrollWidth;
      level = Math.max(0, Math.min(7, level + Number(button.dataset.zoom)));
      one(".tl-draw").style.width = 100 * 2 ** level + "%";
      one(".tl").classList.toggle("zoomed", level > 1);
      scroller.scrollLeft = middle * scroller.scrollWidth - scroller.clientWidth / 2;
    });
  }

  // A link to a place on the page, opened as such.
  const open = () => {
    const anchor = decodeURIComponent(location.hash.slice(1));
    const target = anchor && document.getElementById(anchor);
    if (!target) return;
    if (target.dataset.status !== undefined) showCard(target);
    else if (target.closest(".log")) showEvidence(anchor);
  };
  addEventListener("hashchange", open);
  open();
})();
