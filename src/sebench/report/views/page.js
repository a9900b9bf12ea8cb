"use strict";
/* The summary, plots, tables and heat map of a report. Text from models is only ever set as text, never as markup. */

const report = JSON.parse(document.getElementById("report-data").textContent);
const $ = (id) => document.getElementById(id);
const many = report.runs.length > 1;
const BOOKS = ["closed", "open", "native"].filter((book) => report.runs.some((run) => run.cells.some((c) => c.book === book)));
const NAMES = { single_test: "single function", multi_test: "several functions", transfer_test: "transfer", plan_test: "plan", boundary_test: "boundary", train: "train", "": "all tasks" };
const GROUPS = { split: "Split", composed: "Functions composed", needed: "Without operator form", options: "Options", statements: "Statements of gold",
  difficulty: "Reference answers", subject: "Subject" };
const COUNTED = { composed: "function", needed: "function", statements: "statement" };

/* An element with attributes and children; strings become text nodes. */
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else if (value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function s(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Rounds as Python does, so that the page and the terminal agree: 0.0625 is exactly between 0.062 and 0.063, and the even
// digit wins. toFixed would take the larger one.
function fixed(value, digits) {
  const exact = value.toFixed(60), end = exact.length - 60 + digits;
  const kept = exact.slice(0, end).replace(/\.$/, "");
  return /^50*$/.test(exact.slice(end)) && Number(kept.at(-1)) % 2 === 0 ? kept : value.toFixed(digits);
}

const percent = (value, digits = 1) => (value === null || value === undefined ? "–" : `${fixed(100 * value, digits)} %`);
const between = (interval) => (interval ? `${fixed(100 * interval.low, 1)} to ${fixed(100 * interval.high, 1)}` : "");
const points = (value) => `${value < -0.0005 ? "−" : "+"}${fixed(Math.abs(100 * value), 1)}`;
const number = (value) => value.toLocaleString("en-US");
const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
const words = (name) => name.replaceAll("_", " ");
const duration = (s) => (s < 120 ? `${s.toFixed(1)} s` : s < 7200 ? `${(s / 60).toFixed(1)} min` : `${(s / 3600).toFixed(1)} h`);
const pValue = (p) => (p < 0.001 ? "< 0.001" : fixed(p, 3));
const sum = (values) => values.reduce((a, b) => a + b, 0);
const excluded = (cell) => sum(Object.values(cell.excluded));
const cellOf = (run, book, group = "all", value = "") =>
  run.cells.find((c) => c.book === book && c.group === group && c.value === value);

/* A table: columns are names, or [name, "n"] for numbers; cells are text or elements; a row may begin a group. */
function table(columns, rows) {
  const kinds = columns.map((column) => (Array.isArray(column) ? column[1] : ""));
  const head = h("tr", {}, columns.map((c, i) => h("th", { class: kinds[i], scope: "col" }, Array.isArray(c) ? c[0] : c)));
  const body = rows.map((row) =>
    h("tr", { class: row.gap ? "gap" : "" }, row.cells.map((cell, i) => h("td", { class: kinds[i] || "" }, cell))));
  return h("table", {}, h("thead", {}, head), h("tbody", {}, body));
}

function showHead() {
  const worlds = new Map(report.runs.map((run) => [run.world.fingerprint, run]));
  const edition = (run) => // older runs do not record the number
    run.world.edition ? `edition ${run.world.edition}, ` : report.editions.some((one) => one.run === run.name) ? "new edition, " : "";
  const about = [...worlds.values()].map((run) =>
    `world ${run.world.package} (${edition(run)}seed ${run.world.seed}, ${run.world.fingerprint.slice(0, 12)})`);
  $("title").textContent = many ? `${report.runs.length} runs` : report.runs[0].name;
  document.title = `SE-Bench: ${report.runs.map((run) => run.name).join(", ")}`;
  $("subtitle").textContent = `${about.join("; ")} · sebench ${report.sebench}`;
  if (report.notes.length) $("notes").append(h("ul", { class: "note" }, report.notes.map((note) => h("li", {}, note))));
}

function showCards() {
  if (!many) $("cards").classList.add("one");
  for (const run of report.runs) {
    const stats = BOOKS.map((book) => [book, cellOf(run, book)]).filter(([, cell]) => cell);
    const dependence = run.book_dependence.find((c) => c.split === "");
    const gain = report.comparisons.find((c) => c.after.run === run.name && c.after.book === "closed" && c.split === "");
    const left = sum(stats.map(([, cell]) => excluded(cell)));
    const facts = [];
    const fact = (name, value) => facts.push(h("dt", {}, name), h("dd", {}, value));
    if (gain) fact(`closed book, difference from ${gain.before.run}`, difference(gain));
    const memory = report.memory.find((m) => m.run === run.name);
    if (memory) fact("memory", `${memory.method}${memory.writer ? ` by ${memory.writer}` : ""}, ${memory.regime}`);
    if (memory) fact("needed names in the prompt", `${percent(memory.present)}, called where present ${percent(memory.used)}`);
    if (dependence) fact("book dependence", difference(dependence));
    fact("tasks", `${number(run.tasks)}, ${counted(run.config.samples, "sample")} each`);
    fact("responses", `${number(run.responses)}${left ? `, ${number(left)} not counted` : ""}`);
    fact("tokens", `${number(sum(run.totals.map((t) => t.prompt_tokens)))} in, ${number(sum(run.totals.map((t) => t.completion_tokens)))} out`);
    if (!run.reference && run.totals.some((t) => t.median_s)) fact("a response takes", `${run.totals.map((t) => `${t.median_s.toFixed(1)} s ${t.book}`).join(", ")} (median)`);
    if (run.wall_s !== null) fact("start to end", `${duration(run.wall_s)}, pauses included`);
    if (run.name === report.baseline) fact("role", "baseline of the comparisons");
    const about = [many && run.model !== run.name ? run.model : null, run.reference ? "scripted baseline, not a model" : null];
    $("cards").append(card(many ? run.name : run.model, about.filter(Boolean).join(" · "), stats, facts, run));
  }
  for (const over of report.aggregates) {
    const stats = BOOKS.map((book) => [book, over.cells.find((c) => c.book === book && c.split === "")]).filter(([, cell]) => cell);
    const facts = [h("dt", {}, "runs"), h("dd", {}, over.runs.join(", "))];
    $("cards").append(card(over.label, over.model, stats, facts, report.runs.find((run) => run.name === over.runs[0])));
  }
}

/* A book with what was at hand beside it, where that is more than its name says. */
const bookOf = (run, book) => (run.labels[book] ?? book).replace(book, `${book} book`);

function card(title, about, stats, facts, run) {
  return h("article", { class: "card" }, h("h2", {}, title), about ? h("p", { class: "quiet" }, about) : null,
    h("div", { class: "stats" }, stats.map(([book, cell]) => h("div", { class: `stat ${book}` },
      h("span", {}, bookOf(run, book)), h("b", {}, percent(cell.accuracy)), h("span", {}, between(cell.interval)),
      cell.targeted === null ? null : h("span", { title: "answers that used the functions the task is about" }, `targeted ${percent(cell.targeted)}`)))),
    h("dl", { class: "facts" }, facts));
}


const difference = (c) =>
  `${points(c.difference)} (${points(c.interval.low)} to ${points(c.interval.high)}), p\u00a0${c.p < 0.001 ? "<\u00a00.001" : `=\u00a0${pValue(c.p)}`}`;

const labelled = (run) => (run.reference ? `${run.name} (script)` : run.name);

function showSummaryTable() {
  const ks = [...new Set(report.runs.flatMap((run) => run.cells.flatMap((c) => c.pass_at.map((a) => a.k))))].filter((k) => k > 1);
  ks.sort((a, b) => a - b);
  const leftOut = report.runs.some((run) => run.cells.some(excluded));
  const columns = ["run", "book", "split", ["accuracy", "n"], ["95 %", "n"], ["targeted", "n"], ...ks.map((k) => [`pass@${k}`, "n"]),
    ["tasks", "n"], ["samples", "n"], ...(leftOut ? [["not counted", "n"]] : [])];
  const rows = [];
  for (const run of report.runs) for (const book of BOOKS) {
    const splits = run.cells.filter((c) => c.book === book && c.group === "split");
    [splits.length > 1 ? cellOf(run, book) : [], splits].flat().forEach((c, i) => {
      const at = ks.map((k) => percent(c.pass_at.find((a) => a.k === k)?.value));
      rows.push({ gap: i === 0 && rows.length, cells: [labelled(run), run.labels[book] ?? book, NAMES[c.value] ?? c.value, percent(c.accuracy), between(c.interval), percent(c.targeted),
        ...at, number(c.tasks), number(c.samples), ...(leftOut ? [number(excluded(c))] : [])] });
    });
  }
  for (const over of report.aggregates) {
    over.cells.forEach((c, i) => rows.push({ gap: i === 0, cells: [over.label, c.book, NAMES[c.split] ?? c.split, percent(c.accuracy),
      between(c.interval), percent(c.targeted), ...ks.map(() => "–"), number(c.tasks), number(c.samples), ...(leftOut ? ["–"] : [])] }));
  }
  $("summary-table").append(table(columns, rows));
}

function showSettings() {
  const facts = (run) => ({ model: run.model, path: run.path, "world seed": run.world.seed, "world fingerprint": run.world.fingerprint,
    ...run.facts, ...run.config, "prompt templates": run.prompts.templates, ...run.versions, machine: run.machine });
  const all = report.runs.map(facts);
  const keys = [...new Set(all.flatMap(Object.keys))];
  const shown = (value) => (Array.isArray(value) ? value.join(", ") : String(value ?? ""));
  $("settings").append(table(["setting", ...report.runs.map((run) => run.name)],
    keys.map((key) => ({ cells: [words(key), ...all.map((one) => shown(one[key]))] }))));
}

/* One run on one track from 0 to 100 %: a mark with its interval for each book, and its value at the same height. */
function track(run, group, value) {
  const height = 13 + 13 * BOOKS.length;
  const svg = s("svg", { width: "100%", height, "aria-hidden": "true" });
  for (const x of [0, 25, 50, 75, 100]) svg.append(s("line", { class: "grid", x1: `${x}%`, x2: `${x}%`, y1: 0, y2: height }));
  const values = [];
  const told = [];
  BOOKS.forEach((book, i) => {
    const cell = cellOf(run, book, group, value);
    const known = cell && cell.accuracy !== null;
    values.push(h("span", { class: `${book}-text` }, known ? fixed(100 * cell.accuracy, 1) : ""));
    if (!known) return;
    const y = 13 + 13 * i;
    if (cell.interval) svg.append(s("line", { class: `whisker ${book}`, x1: `${100 * cell.interval.low}%`, x2: `${100 * cell.interval.high}%`, y1: y, y2: y }));
    svg.append(s("circle", { class: book, cx: `${100 * cell.accuracy}%`, cy: y, r: 4.5 }));
    told.push(`${bookOf(run, book)}: ${percent(cell.accuracy)}, 95 % from ${between(cell.interval)}; ${counted(cell.tasks, "task")}, ${counted(cell.samples, "sample")}`);
  });
  const line = h("div", { class: "line" }, many ? h("span", { class: "name" }, run.name) : null, h("div", {}, svg), h("span", { class: "value" }, values));
  return tipped(line, `${many ? `${run.name}\n` : ""}${told.join("\n")}`);
}

function axis() {
  const svg = s("svg", { width: "100%", height: 16, "aria-hidden": "true" });
  for (const x of [0, 50, 100]) svg.append(s("text", { x: `${x}%`, y: 12, "text-anchor": "middle" }, `${x}`));
  return h("div", { class: "line" }, many ? h("span", {}) : null, h("div", {}, svg), h("span", {}));
}

function showPlots(group) {
  $("legend").replaceChildren(...BOOKS.flatMap((book) => [h("span", { class: `key ${book}` }), ` ${book} book `]),
    h("span", { class: "quiet" }, "Lines are 95 % intervals, clustered by task."));
  for (const button of $("groups").children) button.setAttribute("aria-pressed", String(button.dataset.group === group));
  const values = [...new Set(report.runs.flatMap((run) => run.cells.filter((c) => c.group === group).map((c) => c.value)))];
  const panels = group === "split" && values.length > 1 ? [["all", ""], ...values.map((v) => [group, v])] : values.map((v) => [group, v]);
  const title = (kind, value) => (COUNTED[kind] ? `${value} ${COUNTED[kind]}${value === "1" ? "" : "s"}` : kind === "options" ? `${value === "none" ? "no" : value} options` : NAMES[value] ?? value);
  $("plots").replaceChildren(...panels.map(([kind, value]) => {
    const tasks = Math.max(...report.runs.flatMap((run) => BOOKS.map((book) => cellOf(run, book, kind, value)?.tasks ?? 0)));
    return h("div", { class: `plot${many ? "" : " single"}` },
      h("h3", {}, title(kind, value), h("span", {}, counted(tasks, "task"))),
      report.runs.filter((run) => BOOKS.some((book) => cellOf(run, book, kind, value))).map((run) => track(run, kind, value)), axis());
  }));
}

/* The nearest heights to those wanted that are at least `gap` apart. */
function spread(wanted, gap, top, base) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const at = [];
  order.forEach((i, n) => { at[i] = Math.max(wanted[i], n ? at[order[n - 1]] + gap : top); });
  order.reverse().forEach((i, n) => { at[i] = Math.min(at[i], n ? at[order[n - 1]] - gap : base); });
  return at;
}

/* Accuracy before and after: a line for each book and split. */
function slopes(changes) {
  const width = 340, gap = 14, from = 56, to = 152, top = 24, base = top + Math.max(140, gap * changes.length);
  const best = Math.max(...changes.flatMap((c) => [c.accuracy_before, c.accuracy_after]));
  const y = (share) => base - (share / (best || 1)) * (base - top);
  const svg = s("svg", { viewBox: `0 0 ${width} ${base + 12}`, width: "100%", role: "img", "aria-label": "Accuracy of both runs; the numbers are in the table" });
  for (const [x, word] of [[from, "from"], [to, "to"]]) svg.append(s("line", { class: "grid", x1: x, x2: x, y1: top, y2: base }), s("text", { x, y: 12, "text-anchor": "middle" }, word));
  const splits = [...new Set(changes.map((c) => c.split))];
  for (const c of changes) {
    const line = s("g", {}, s("line", { class: `slope ${c.after.book}${splits.indexOf(c.split) ? " dashed" : ""}`, x1: from, x2: to, y1: y(c.accuracy_before), y2: y(c.accuracy_after) }),
      ...[[from, c.accuracy_before], [to, c.accuracy_after]].map(([cx, share]) => s("circle", { class: c.after.book, cx, cy: y(share), r: 3.5 })));
    svg.append(tipped(line, `${c.after.book} book, ${NAMES[c.split] ?? c.split}\n${percent(c.accuracy_before)} to ${percent(c.accuracy_after)}: ${difference(c)}`));
  }
  const label = (x, side, texts, heights) => spread(heights, gap, top, base).forEach((at, i) => svg.append(
    s("line", { class: "grid", x1: x + 6 * side, x2: x + 14 * side, y1: heights[i], y2: at }),
    s("text", { x: x + 17 * side, y: at + 4, "text-anchor": side > 0 ? "start" : "end" }, texts[i])));
  const starts = new Map(changes.map((c) => [percent(c.accuracy_before), y(c.accuracy_before)]));
  label(from, -1, [...starts.keys()], [...starts.values()]);
  label(to, 1, changes.map((c) => `${percent(c.accuracy_after)} ${c.after.book}${splits.length > 1 ? `, ${NAMES[c.split] ?? c.split}` : ""}`), changes.map((c) => y(c.accuracy_after)));
  return svg;
}

function showSlopes() {
  for (const run of report.runs) {
    const all = report.comparisons.filter((c) => c.after.run === run.name);
    const parts = all.filter((c) => c.split);
    const changes = parts.length ? parts : all;
    if (changes.length) $("slopes").append(h("div", { class: "plot" }, h("h3", {}, `${changes[0].before.run} → ${run.name}`), slopes(changes)));
  }
  if ($("slopes").firstChild) $("slopes").before(h("p", { class: "quiet" }, "The plots show points only; the intervals of the differences are in the table."));
}

function showDifferences() {
  const all = [...report.comparisons, ...report.runs.flatMap((run) => run.book_dependence)];
  if (!all.length) return $("differences").remove();
  showSlopes();
  const side = (one) => (many ? `${one.run}, ${one.book}` : one.book);
  const rows = all.map((c, i) => {
    const svg = s("svg", { width: 160, height: 22, "aria-hidden": "true" });
    const x = (value) => `${50 + 50 * value}%`;
    svg.append(s("line", { class: "grid", x1: "0%", x2: "100%", y1: 11, y2: 11 }), s("line", { class: "zero", x1: "50%", x2: "50%", y1: 0, y2: 22 }),
      s("line", { class: "whisker change", x1: x(c.interval.low), x2: x(c.interval.high), y1: 11, y2: 11 }),
      s("circle", { class: "change", cx: x(c.difference), cy: 11, r: 4 }));
    return { gap: i > 0 && c.split === "", cells: [c.name, side(c.before), side(c.after), NAMES[c.split] ?? c.split, percent(c.accuracy_before),
      percent(c.accuracy_after), points(c.difference), `${points(c.interval.low)} to ${points(c.interval.high)}`, svg, pValue(c.p), number(c.tasks)] };
  });
  $("difference-table").append(table(["what", "from", "to", "split", ["from", "n"], ["to", "n"], ["difference", "n"], ["95 %", "n"], "−100 to +100", ["p", "n"], ["tasks", "n"]], rows));
}

const share = (one) => (one.interval ? `${percent(one.value)} (${between(one.interval)})` : percent(one.value));

function showChanged() {
  if (!report.changed.length) return $("changed").remove();
  const rows = report.changed.map((c) => ({ cells: [c.run, c.book, share(c.accuracy), share(c.prior), percent(c.prior_of_wrong), share(c.other_accuracy),
    `${number(c.tasks)} | ${number(c.other_tasks)}`] }));
  $("changed-table").append(table(["run", "book", ["accuracy", "n"], ["as NumPy", "n"], ["of the wrong", "n"], ["other tasks", "n"], ["tasks", "n"]], rows));
}

function showEditions() {
  if (!report.editions.length) return $("editions").remove();
  const rows = report.editions.map((e) => ({ cells: [e.run, e.book, share(e.new_right), share(e.stale), share(e.unchanged_kept), share(e.added_right),
    share(e.removed_refused), share(e.removed_stale), [e.changed_tasks, e.unchanged_tasks, e.added_tasks, e.removed_tasks].map(number).join(" | ")] }));
  $("edition-table").append(table(["run", "book", ["new right", "n"], ["stale", "n"], ["unchanged kept", "n"], ["added right", "n"], ["removed refused", "n"],
    ["removed stale", "n"], ["tasks", "n"]], rows));
}

function showBoundary() {
  if (!report.boundary.length) return $("boundary").remove();
  const rows = report.boundary.map((b) => ({ cells: [b.run, b.book, share(b.invented_absent), share(b.invented_present), share(b.declined_absent),
    share(b.declined_present), b.difference === null ? "–" : points(b.difference), b.interval ? `${points(b.interval.low)} to ${points(b.interval.high)}` : "",
    percent(b.composed.value), `${number(b.absent_tasks)} | ${number(b.present_tasks)}`] }));
  $("boundary-table").append(table(["run", "book", ["invented, absent", "n"], ["invented, present", "n"], ["declined, absent", "n"], ["declined, present", "n"],
    ["difference", "n"], ["95 %", "n"], ["composed", "n"], ["tasks", "n"]], rows));
}

/* What stood in the prompt, with an interpreter or without. */
const atHand = (line) => (line.regime === "interpreter" ? "weights" : line.regime.replace("interpreter + ", ""));

/* Where a label of a mark covers no other: to its right or left, above or below, the nearest place that is free. */
function freeSpot(taken, at, wide, left, width, base) {
  const spots = [];
  for (let away = 0; away < base; away += 6) {
    for (const y of [at.cy - 8 - away, at.cy + 18 + away]) {
      for (const side of [1, -1]) {
        const from = side > 0 ? at.cx + 10 : at.cx - 10 - wide;
        if (from >= left && from + wide <= width && y > 12 && y < base) spots.push({ from, to: from + wide, y, side });
      }
    }
  }
  const free = (spot) => taken.every((other) => other.to < spot.from || spot.to < other.from || Math.abs(other.y - spot.y) >= 14);
  return spots.find(free) ?? spots[0] ?? { from: left, to: left + wide, y: at.cy - 8, side: 1 };
}

/* Accuracy against prompt tokens per answer, on a logarithmic scale. It is drawn as wide as its place, so that its labels have the size of text. */
function tokenPlot(shown, lines, width) {
  const steps = [...Array(24).keys()].map((n) => [1, 2, 5][n % 3] * 10 ** Math.floor(n / 3));
  const tokens = shown.map((line) => line.prompt_tokens);
  const low = steps.findLast((step) => step <= Math.min(...tokens)) ?? 1;
  const high = steps.find((step) => step >= Math.max(...tokens) && step > low) ?? Math.max(...tokens);
  const best = Math.max(...shown.map((line) => line.interval?.high ?? line.accuracy));
  const most = [0.1, 0.2, 0.4, 0.6, 0.8, 1].find((share) => share >= best) ?? 1;
  const height = 300, left = 56, top = 16, base = height - 36;
  const x = (count) => left + (Math.log(count / low) / Math.log(high / low)) * (width - left - 24);
  const y = (share) => base - (share / most) * (base - top);
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img", "aria-label": "Accuracy against prompt tokens per answer" });
  for (const share of [0, 0.25, 0.5, 0.75, 1].map((part) => part * most)) svg.append(s("line", { class: "grid", x1: left, x2: width - 24, y1: y(share), y2: y(share) }),
    s("text", { x: left - 8, y: y(share) + 4, "text-anchor": "end" }, percent(share, most < 0.4 ? 1 : 0)));
  let free = 0;
  for (const step of steps.filter((one) => one >= low && one <= high)) {
    const half = 3.5 * number(step).length + 2;
    svg.append(s("line", { class: "grid", x1: x(step), x2: x(step), y1: top, y2: base }));
    if (x(step) - half < free) continue;
    svg.append(s("text", { x: x(step), y: base + 18, "text-anchor": "middle" }, number(step)));
    free = x(step) + half;
  }
  svg.append(s("text", { x: width - 24, y: height - 2, "text-anchor": "end" }, "prompt tokens per answer"));
  const taken = shown.map((line) => ({ from: x(line.prompt_tokens) - 7, to: x(line.prompt_tokens) + 7, y: y(line.accuracy) + 5 }));
  for (const line of shown) {
    const kind = atHand(line);
    const at = { cx: x(line.prompt_tokens), cy: y(line.accuracy) };
    if (line.interval) svg.append(s("line", { class: `whisker at-${kind}`, x1: at.cx, x2: at.cx, y1: y(line.interval.low), y2: y(line.interval.high) }));
    const mark = s("circle", { class: `at-${kind}${line.regime.startsWith("interpreter") ? " hollow" : ""}`, ...at, r: 6, tabindex: 0 });
    svg.append(tipped(mark, `${line.run}, ${line.book} book\n${line.regime}${line.method ? `: ${line.method}` : ""}\n${percent(line.accuracy)} (${between(line.interval)}), ${number(Math.round(line.prompt_tokens))} tokens`));
    const name = lines.some((o) => o.run === line.run && o.book !== line.book) ? `${line.run}, ${line.book}` : line.run;
    const most = Math.floor(((width - left) / 2 - 10) / 7.2) - 1; // fits to the right of every mark, or to its left
    const label = name.length > most ? `${name.slice(0, most)}…` : name;
    const spot = freeSpot(taken, at, 7.2 * label.length, left, width, base);
    taken.push(spot);
    const above = at.cy - spot.y;
    if (above > 12 || above < -22) svg.append(s("line", { class: "grid", x1: at.cx, y1: at.cy - 7 * Math.sign(above), x2: spot.side > 0 ? spot.from : spot.to, y2: spot.y }));
    svg.append(s("text", { x: spot.side > 0 ? spot.from : spot.to, y: spot.y, "text-anchor": spot.side > 0 ? "start" : "end" }, label));
  }
  return svg;
}

function showAtHand() {
  if (!report.at_hand.length) return $("at-hand").remove();
  const shown = report.at_hand.filter((line) => line.prompt_tokens && line.accuracy !== null);
  const kinds = [...new Set(report.at_hand.map(atHand))];
  $("regime-legend").append(...kinds.flatMap((kind) => [h("span", { class: `key at-${kind}` }), ` ${kind} `]), h("span", { class: "quiet" }, "Hollow: with an interpreter at test."));
  const place = h("div", {});
  const draw = () => place.replaceChildren(tokenPlot(shown, report.at_hand, place.clientWidth));
  $("regime-plot").append(place);
  if (shown.length) { draw(); new ResizeObserver(draw).observe(place); } else $("regime-plot").remove();
  const whole = (value) => (value === null ? "–" : number(Math.round(value)));
  const rows = report.at_hand.map((a) => ({ cells: [a.run, a.book, a.regime, a.method || "–", a.writer || "–", a.reader, percent(a.accuracy), between(a.interval), percent(a.targeted),
    whole(a.prompt_tokens), a.requests.toFixed(1)] }));
  $("regime-table").append(table(["run", "book", "at hand", "method", "writer", "reader", ["accuracy", "n"], ["95 %", "n"], ["targeted", "n"],
    ["prompt tokens per answer", "n"], ["requests", "n"]], rows));
  const uses = report.memory.map((m) => ({ cells: [m.run, m.method, m.writer || "–", m.regime, whole(m.size_tokens), whole(m.tokens), percent(m.present), percent(m.all_present),
    percent(m.used), number(m.study_calls), number(m.study_tokens)] }));
  if (uses.length) $("memory-table").append(table(["memory of run", "method", "writer", "at hand", ["its tokens (estimate)", "n"], ["tokens added (estimate)", "n"], ["needed names present", "n"], ["all present", "n"],
    ["used", "n"], ["study calls", "n"], ["study tokens", "n"]], uses));
  else $("memory-table").remove();
  if (!report.crossed.length) return $("crossed-table").remove();
  const readers = [...new Set(report.crossed.flatMap((one) => Object.keys(one.readers)))];
  $("crossed-table").append(table(["method", "writer", ...readers.map((reader) => [`read by ${reader}`, "n"])],
    report.crossed.map((one) => ({ cells: [one.method, one.writer, ...readers.map((reader) => percent(one.readers[reader]))] }))));
}

function showErrors() {
  const wrong = (run, book) => run.errors.some((e) => e.book === book && e.count);
  const columns = report.runs.flatMap((run) => BOOKS.filter((book) => wrong(run, book)).map((book) => [run, book]));
  const of = (run, book, kind) => run.errors.find((e) => e.book === book && e.kind === kind);
  const every = report.runs.flatMap((run) => run.errors);
  if (!sum(every.map((e) => e.count))) return $("errors").remove();
  const occurs = (kind) => every.some((e) => e.kind === kind && e.count);
  const kinds = (published) => [...new Set(every.filter((e) => e.published === published).map((e) => e.kind))].filter(occurs);
  const other = kinds(false).sort((a, b) => sum(every.filter((e) => e.kind === b).map((e) => e.count)) - sum(every.filter((e) => e.kind === a).map((e) => e.count)));
  const share = (book, count, of) => {
    if (!count) return h("div", { class: "share" }, h("span", {}), h("span", { class: "zero" }, "0"));
    const bar = h("i", { class: book });
    bar.style.width = `${Math.max(100 * of, 1)}%`;
    return h("div", { class: "share" }, h("div", {}, bar), h("span", {}, `${number(count)} · ${percent(of, 0)}`));
  };
  const rows = [...kinds(true), ...other].flatMap((kind) => {
    const entries = columns.map(([run, book]) => [book, of(run, book, kind)]);
    const button = h("button", { type: "button", class: "fn", title: "show these responses", onclick: () => browse({ kind }) }, words(kind));
    const row = { gap: kind === other[0], cells: [button, ...entries.map(([book, e]) => share(book, e?.count, e?.share))] };
    if (!entries.some(([, e]) => e?.numpy_names)) return [row];
    const label = h("span", { class: "quiet sub" }, "of these, a name of NumPy's own");
    return [row, { cells: [label, ...entries.map(([book, e]) => share(book, e?.numpy_names, e && (e.numpy_names / e.count) * e.share))] }];
  });
  $("error-table").append(table(["kind", ...columns.map(([run, book]) => (many ? `${run.name}, ${run.labels[book] ?? book}` : bookOf(run, book)))], rows));
}

function showFunctions() {
  const found = new Map();
  report.runs.forEach((run, i) => run.functions.forEach((f) => {
    const key = `${f.subject} ${f.function}`;
    if (!found.has(key)) found.set(key, { subject: f.subject, name: f.function, cells: new Map() });
    found.get(key).cells.set(`${i} ${f.book}`, f);
  }));
  if (!found.size) return $("functions").remove();
  const asked = (run) => BOOKS.filter((book) => run.functions.some((f) => f.book === book));
  const columns = report.runs.flatMap((run, i) => asked(run).map((book) => [run, book, `${i} ${book}`]));
  const named = many ? report.runs.filter((run) => asked(run).length).map((run) => `${run.name} (${asked(run).join(", ")})`) : BOOKS;
  $("heat").style.setProperty("--cells", columns.length);
  $("heat-help").textContent = `Accuracy of the tasks that need a function; columns: ${named.join("; ")}. Point at a function for its counts, click to read its responses.`;
  const bySubject = Map.groupBy ? Map.groupBy(found.values(), (f) => f.subject) : group(found.values());
  [...bySubject].sort(([a], [b]) => a.localeCompare(b)).forEach(([subject, members], i) => {
    $("heat").append(h("h3", { class: i ? "" : "first" }, subject, h("span", {}, String(members.length))));
    for (const f of members) {
      const told = [`${f.name}`];
      const cells = columns.map(([run, book, key], j) => {
        const cell = f.cells.get(key);
        if (cell) {
          const elsewhere = cell.called_elsewhere ? `, ${number(cell.called_elsewhere)} elsewhere` : "";
          told.push(`${many ? `${run.name}, ` : ""}${book} (${cell.forged}): ${percent(cell.accuracy, 0)}, ${cell.passed} of ${cell.samples} right in ${counted(cell.tasks, "task")}; called in ${cell.called}${elsewhere}`);
        }
        const gap = j && run !== columns[j - 1][0] ? "next" : "";
        return cell && cell.accuracy !== null ? h("i", { class: gap, "--heat": `${100 * cell.accuracy}%` }) : h("i", { class: `none ${gap}` });
      });
      const row = h("button", { type: "button", class: "fn", "aria-label": told.join("; "), onclick: () => browse({ function: f.name }) }, h("span", { class: "label" }, f.name), cells);
      $("heat").append(tipped(row, told.join("\n")));
    }
  });
}

function group(members) {
  const found = new Map();
  for (const member of members) found.set(member.subject, [...(found.get(member.subject) ?? []), member]);
  return found;
}

function showConfusions() {
  const top = (rows) => rows.sort((a, b) => b[1].count - a[1].count).slice(0, 15);
  const pairs = top(report.runs.flatMap((run) => run.confusions.filter((c) => !c.invented).map((c) => [run, c])));
  const names = top(report.runs.flatMap((run) => run.invented.map((c) => [run, c])));
  const where = (run, c) => (many ? `${run.name}, ${c.book}` : c.book);
  const both = (forged, original) => h("span", { class: "mono" }, original ? `${original} (${forged})` : forged);
  if (pairs.length) $("confusions").append(h("div", { class: "panel wide" }, h("h3", {}, "Called instead, in tasks of one function"),
    table(["needed", "called", "where", ["answers", "n"]], pairs.map(([run, c]) => ({ cells: [both(c.forged, c.function), both(c.instead, c.original), where(run, c), number(c.count)] })))));
  if (names.length) $("confusions").append(h("div", { class: "panel wide" }, h("h3", {}, "Invented names"),
    table(["name", "NumPy's", "where", ["answers", "n"]], names.map(([run, c]) => ({ cells: [h("span", { class: "mono" }, c.name), c.numpy ? "yes" : "", where(run, c), number(c.count)] })))));
}

function tipped(element, text) {
  const tip = $("tip");
  element.addEventListener("pointermove", (event) => {
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 18}px`;
  });
  element.addEventListener("pointerleave", () => { tip.hidden = true; });
  return element;
}

function setUpTheme() {
  const themes = ["auto", "light", "dark"];
  const stored = () => { try { return localStorage.getItem("sebench-theme"); } catch { return null; } };
  const set = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    $("theme").textContent = `Theme: ${theme}`;
    try { localStorage.setItem("sebench-theme", theme); } catch { /* a page from disk may have no storage */ }
  };
  let theme = themes.includes(stored()) ? stored() : "auto";
  set(theme);
  $("theme").addEventListener("click", () => set((theme = themes[(themes.indexOf(theme) + 1) % themes.length])));
}

setUpTheme();
showHead();
showCards();
showSummaryTable();
showSettings();
for (const [key, name] of Object.entries(GROUPS)) {
  $("groups").append(h("button", { type: "button", "data-group": key, onclick: () => showPlots(key) }, name));
}
showPlots("split");
showDifferences();
showChanged();
showEditions();
showBoundary();
showAtHand();
showErrors();
showFunctions();
showConfusions();
for (const link of document.querySelectorAll("nav a")) if (!document.querySelector(link.getAttribute("href"))) link.remove();
