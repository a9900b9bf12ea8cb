"use strict";
/* Sorting by a column, and the theme. */
for (const head of document.querySelectorAll("th button")) {
  head.addEventListener("click", () => {
    const cell = head.closest("th");
    const down = cell.getAttribute("aria-sort") !== "descending";
    for (const other of cell.parentNode.children) other.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = cell.closest("table").tBodies[0];
    const value = (row) => row.cells[cell.cellIndex].dataset.value ?? row.cells[cell.cellIndex].textContent;
    const compare = (a, b) => (Number.isNaN(Number(a)) || Number.isNaN(Number(b)) ? a.localeCompare(b) : a - b);
    const rows = [...body.rows].sort((a, b) => (down ? -1 : 1) * compare(value(a), value(b)));
    body.append(...rows);
  });
}
const themes = ["auto", "light", "dark"];
let theme = 0;
document.getElementById("theme").addEventListener("click", (event) => {
  theme = (theme + 1) % themes.length;
  if (theme) document.documentElement.dataset.theme = themes[theme];
  else delete document.documentElement.dataset.theme;
  event.target.textContent = `Theme: ${themes[theme]}`;
});
