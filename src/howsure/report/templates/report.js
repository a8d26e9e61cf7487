"use strict";
// Sorting: a button in each header; what is undefined stays last.
for (const table of document.querySelectorAll("table")) {
  table.tHead.addEventListener("click", (event) => {
    const header = event.target.closest("th");
    if (!header || !event.target.closest("button")) return;
    const down = header.getAttribute("aria-sort") === "ascending";
    const keyed = Array.from(table.tBodies[0].rows, (row) => {
      const cell = row.cells[header.cellIndex];
      const text = cell.dataset.sort ?? cell.textContent;
      const number = text === "" ? NaN : Number(text);
      return { row, text, number, last: text === "nan" };
    });
    const numeric = keyed.every((each) => each.last || !Number.isNaN(each.number));
    keyed.sort((a, b) => {
      if (a.last || b.last) return a.last - b.last;
      const order = numeric ? a.number - b.number : a.text.localeCompare(b.text, undefined, { numeric: true });
      return down ? -order : order;
    });
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
    table.tBodies[0].append(...keyed.map((each) => each.row));
  });
}
// Hovering, touching or focusing what has more to say shows it, at the chosen level.
const tip = document.getElementById("tip");
function show(target) {
  const chosen = document.querySelector('input[name="level"]:checked');
  const texts = target.dataset.at ? target.dataset.at.split("|") : [];
  const interval = texts.length ? texts[Math.min(chosen ? Number(chosen.value) : 0, texts.length - 1)] : "";
  const level = interval && chosen ? `; ${chosen.dataset.words}: ${interval}` : "";
  tip.textContent = target.dataset.tip + level;
  tip.hidden = false;
  const box = target.getBoundingClientRect();
  const left = Math.min(Math.max(8, box.left + box.width / 2 - tip.offsetWidth / 2), innerWidth - tip.offsetWidth - 8);
  const above = box.top - tip.offsetHeight - 8;
  tip.style.left = `${Math.max(8, left) + scrollX}px`;
  tip.style.top = `${(above > 8 ? above : box.bottom + 8) + scrollY}px`;
}
function hide() {
  tip.hidden = true;
}
for (const kind of ["pointerover", "focusin"]) {
  document.addEventListener(kind, (event) => {
    const target = event.target.closest("[data-tip]");
    if (target) show(target);
    else hide();
  });
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hide();
});
// A curve is one stop of the keyboard; the arrow keys walk along its points.
for (const chart of document.querySelectorAll("svg[tabindex]")) {
  const marks = chart.querySelectorAll("[data-tip]");
  let place = -1;
  chart.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !marks.length) return;
    event.preventDefault();
    marks[place]?.classList.remove("here");
    place = Math.min(Math.max(place + step, 0), marks.length - 1);
    marks[place].classList.add("here");
    show(marks[place]);
  });
  chart.addEventListener("blur", () => {
    marks[place]?.classList.remove("here");
    hide();
  });
}
