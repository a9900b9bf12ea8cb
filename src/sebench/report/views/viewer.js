/* The viewer: every response, filtered and searched. Only the rows on screen are in the document, so that their number does not matter. */

const HEIGHT = 50;
const MARKS = { passed: "✓", wrong: "✗" };
const OUTCOMES = { passed: "passed", uncredited: "passed without credit", wrong: "wrong", none: "not counted" };
const view = { data: null, shown: [], at: 0, filters: {} };

async function unpack() {
  const packed = atob($("rollout-data").textContent);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  $("rollout-data").remove();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const text = (column, i) => view.data.strings[view.data.rows[column][i]];
const taskOf = (i) => view.data.tasks[view.data.rows.task[i]];
const taskText = (name, i) => view.data.strings[taskOf(i)[name]];
const outcomeClass = (i) => (text("outcome", i) in MARKS ? text("outcome", i) : "none");
const uncredited = (i) => outcomeClass(i) === "passed" && view.data.rows.targeted[i] === false;
const kindOf = (i) => text("kind", i) || text("outcome", i);

function setUpFilters() {
  const { rows, tasks, strings } = view.data;
  const distinct = (values) => [...new Set(values)];
  const texts = (column) => distinct(rows[column]).map((n) => strings[n]).filter(Boolean).sort();
  const choices = {
    run: report.runs.map((run, i) => [String(i), run.name]),
    book: texts("book").map((v) => [v, v]),
    split: distinct(tasks.map((t) => strings[t.split])).map((v) => [v, NAMES[v] ?? v]),
    result: Object.entries(OUTCOMES),
    kind: texts("kind").filter((v) => v !== "passed").map((v) => [v, words(v)]),
    function: distinct(tasks.flatMap((t) => t.functions)).sort().map((v) => [v, v]),
  };
  const search = h("input", { type: "search", name: "search", placeholder: "question, response, verdict, task", oninput: debounced(apply, 150) });
  $("filters").append(h("label", { class: "grow" }, "search", search));
  for (const [name, values] of Object.entries(choices)) {
    if (values.length < 2) continue;
    const options = values.map(([value, label]) => h("option", { value }, label));
    $("filters").append(h("label", {}, name, h("select", { name, onchange: apply }, h("option", { value: "" }, "any"), options)));
  }
  $("filters").append(h("button", { type: "button", onclick: () => browse({}, false) }, "Clear"));
  $("filters").addEventListener("submit", (event) => event.preventDefault());
}

function debounced(action, delay) {
  let timer = 0;
  return () => { clearTimeout(timer); timer = setTimeout(action, delay); };
}

/* Filters by name, everything else cleared; other parts of the page call it to show responses. */
function browse(wanted, scroll = true) {
  for (const field of $("filters").elements) if (field.name) field.value = wanted[field.name] ?? "";
  apply();
  if (scroll) { $("responses").scrollIntoView(); $("list").focus({ preventScroll: true }); }
}

function apply() {
  if (!view.data) return;
  const wanted = Object.fromEntries([...$("filters").elements].filter((f) => f.name && f.value).map((f) => [f.name, f.value]));
  const { rows } = view.data;
  const found = wanted.search ? matching(wanted.search) : null;
  const current = view.shown[view.at];
  const shown = [];
  for (let i = 0; i < rows.run.length; i++) {
    if (wanted.run && String(rows.run[i]) !== wanted.run) continue;
    if (wanted.book && text("book", i) !== wanted.book) continue;
    if (wanted.split && taskText("split", i) !== wanted.split) continue;
    if (wanted.result && outcomeClass(i) !== wanted.result && !(wanted.result === "uncredited" && uncredited(i))) continue;
    if (wanted.kind && text("kind", i) !== wanted.kind) continue;
    if (wanted.function && !taskOf(i).functions.includes(wanted.function)) continue;
    if (found && !found(i)) continue;
    shown.push(i);
  }
  view.shown = shown;
  $("count").textContent = shown.length === rows.run.length ? `${number(shown.length)}` : `${number(shown.length)} of ${number(rows.run.length)}`;
  $("rows").style.height = `${shown.length * HEIGHT}px`;
  select(Math.max(shown.indexOf(current), 0));
}

/* Each distinct string is searched once, whatever the number of rows that share it. */
function matching(search) {
  const pattern = new RegExp(search.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
  const hit = view.data.strings.map((one) => pattern.test(one));
  const { rows, tasks } = view.data;
  const tasksHit = tasks.map((t) => hit[t.id] || hit[t.question] || [...t.functions, ...t.forged].some((name) => pattern.test(name)));
  return (i) => hit[rows.response[i]] || hit[rows.detail[i]] || hit[rows.error[i]] || tasksHit[rows.task[i]];
}

function select(position) {
  view.at = Math.max(0, Math.min(position, view.shown.length - 1));
  const list = $("list");
  const top = view.at * HEIGHT;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + HEIGHT - list.clientHeight;
  showRows();
  showDetail();
}

function showRows() {
  const list = $("list");
  const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 4);
  const last = Math.min(view.shown.length, Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + 4);
  const items = [];
  for (let position = first; position < last; position++) {
    const i = view.shown[position];
    const where = [many ? report.runs[view.data.rows.run[i]].name : null, text("book", i), `sample ${view.data.rows.sample[i] + 1}`, words(kindOf(i))];
    const item = h("div", { class: "item", role: "option", id: `row-${position}`, "aria-selected": String(position === view.at),
      "aria-setsize": view.shown.length, "aria-posinset": position + 1, onclick: () => select(position) },
      h("span", { class: `mark ${outcomeClass(i)}`, "aria-hidden": "true" }, MARKS[outcomeClass(i)] ?? "–"),
      h("span", { class: "what" }, taskText("id", i)), h("span", { class: "where" }, where.filter(Boolean).join(" · ")));
    item.style.top = `${position * HEIGHT}px`;
    items.push(item);
  }
  $("rows").replaceChildren(...items);
  if (view.shown.length) list.setAttribute("aria-activedescendant", `row-${view.at}`);
  else list.removeAttribute("aria-activedescendant");
}

function showDetail() {
  const i = view.shown[view.at];
  if (i === undefined) return $("detail").replaceChildren(h("p", { class: "quiet" }, "No response fits these filters."));
  const { rows } = view.data;
  const task = taskOf(i);
  const about = [report.runs[rows.run[i]].name, `${text("book", i)} book`, `sample ${rows.sample[i] + 1}`, NAMES[taskText("split", i)] ?? taskText("split", i),
    `${number(rows.prompt_tokens[i])} + ${number(rows.completion_tokens[i])} tokens`, `${rows.seconds[i]} s`];
  const ended = text("finish", i);
  if (ended !== "stop") about.push(ended === "length" ? "cut off at the token limit" : `ended by: ${ended}`);
  const called = text("called", i);
  const parts = [
    h("h2", {}, taskText("id", i), h("a", { class: "permalink", href: linkTo(i), title: "a link to this response; click to copy it", onclick: copyLink }, "link")), h("div", { class: "quiet" }, about.join(" · ")),
    h("div", { class: "chips" }, task.functions.map((name, n) => h("span", { class: "chip" }, `${name} → ${task.forged[n] ?? ""}`))),
    verdictOf(i, called), caseOf(i),
    h("h3", {}, "Question"), h("p", {}, taskText("question", i)), h("pre", {}, taskText("signature", i)), promptOf(i),
  ];
  const code = text("code", i);
  const gold = taskText("gold", i);
  const [left, right] = compared(code, gold);
  parts.push(h("div", { class: "codes" },
    h("div", {}, h("h3", {}, "Code that was judged"), code ? h("pre", {}, left) : h("p", { class: "quiet" }, "none")),
    gold ? h("div", {}, h("h3", {}, "Gold solution"), h("pre", {}, right)) : null));
  if (text("stdout", i)) parts.push(h("h3", {}, "Printed"), h("pre", {}, text("stdout", i)));
  const cut = rows.cut[i] ? h("p", { class: "quiet" }, `${number(rows.cut[i])} further characters are in the run's rollouts.jsonl.`) : null;
  parts.push(h("h3", {}, "Response"), text("response", i) ? h("pre", {}, text("response", i)) : h("p", { class: "quiet" }, "none"), cut);
  $("detail").replaceChildren(...parts.filter(Boolean));
  $("detail").scrollTop = 0;
}

function verdictOf(i, called) {
  const { rows } = view.data;
  const said = text("error", i) || text("detail", i);
  const blame = text("blame", i);
  const head = [words(kindOf(i))];
  if (outcomeClass(i) === "none") head.push("not counted");
  if (uncredited(i)) head.push("without credit");
  if (rows.case[i] !== null) head.push(`case ${rows.case[i]}`);
  if (blame && blame !== "none" && blame !== "candidate") head.push(`blame: ${blame}`);
  return h("div", { class: `verdict ${outcomeClass(i)}` }, h("strong", {}, head.join(" · ")), said ? h("div", { class: "mono" }, said) : null,
    called ? h("div", { class: "mono" }, `called: ${called}`) : null);
}

/* The case that failed: its input, and below it what was expected beside what came. */
function caseOf(i) {
  const input = text("input", i);
  if (view.data.rows.case[i] === null || !input) return null;
  const actual = text("actual", i);
  return h("div", { class: "case" }, h("h3", {}, `Input of case ${view.data.rows.case[i]}`), h("pre", {}, input),
    h("div", { class: "codes" }, h("div", {}, h("h3", {}, "Expected"), h("pre", {}, text("expected", i))),
      h("div", {}, h("h3", {}, "Actual"), actual ? h("pre", {}, actual) : h("p", { class: "quiet" }, "None to show; the verdict says why."))));
}

/* The exact prompt, put together when it is first opened. */
function promptOf(i) {
  const place = view.data.rows.prompt[i];
  if (place === null) return null;
  const parts = view.data.prompts[place].map((n) => view.data.strings[n]);
  const length = sum(parts.map((part) => part.length + 2)) - 2;
  const details = h("details", { class: "prompt" }, h("summary", {}, `Prompt (${number(length)} characters)`));
  details.addEventListener("toggle", () => details.append(h("pre", {}, parts.join("\n\n"))), { once: true });
  return details;
}

/* Every response has an address: "#/run/book/task/sample". */
function linkTo(i) {
  const parts = [report.runs[view.data.rows.run[i]].name, text("book", i), taskText("id", i), view.data.rows.sample[i]];
  return `#/${parts.map((part) => encodeURIComponent(String(part).toWellFormed())).join("/")}`;
}

function openLinked() {
  if (!location.hash.startsWith("#/")) return;
  const found = view.data.rows.run.findIndex((_, i) => linkTo(i) === location.hash);
  if (found < 0) return void ($("count").textContent = "The response of this link is not in this report.");
  if (view.shown[view.at] !== found) {
    if (!view.shown.includes(found)) browse({}, false);
    select(view.shown.indexOf(found));
  }
  (innerWidth > 760 ? $("responses") : $("detail")).scrollIntoView();
}

function copyLink(event) {
  const link = event.currentTarget;
  navigator.clipboard?.writeText(link.href).then(() => { link.textContent = "link copied"; }, () => {});
}

/* A line of Python with comments, strings, keywords and numbers in colours; strings over several lines stay plain. */
const TOKENS = /(?<comment>#.*$)|(?<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\b(?<keyword>and|as|assert|break|class|continue|def|del|elif|else|except|False|finally|for|from|global|if|import|in|is|lambda|None|not|or|pass|raise|return|True|try|while|with|yield)\b|(?<number>\b\d[\w.]*)/g;
function coloured(line) {
  const parts = [];
  let end = 0;
  for (const match of line.matchAll(TOKENS)) {
    const [kind] = Object.entries(match.groups).find(([, value]) => value !== undefined);
    parts.push(line.slice(end, match.index), h("span", { class: `py-${kind}` }, match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, line.slice(end)];
}

/* Both programs line by line, with the lines that the other does not have marked (longest common subsequence). */
function compared(code, gold) {
  const a = code.trimEnd().split("\n");
  const b = gold.trimEnd().split("\n");
  const plain = (lines) => lines.map((line) => h("span", { class: "row" }, coloured(line)));
  if (!code || !gold || a.length * b.length > 250000) return [plain(a), plain(b)];
  const best = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--) {
    best[i][j] = a[i] === b[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
  }
  const left = plain(a);
  const right = plain(b);
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) { i++; j++; }
    else if (j >= b.length || (i < a.length && best[i + 1][j] >= best[i][j + 1])) left[i++].classList.add("new");
    else right[j++].classList.add("gone");
  }
  return [left, right];
}

function setUpKeys() {
  const page = () => Math.max(1, Math.floor($("list").clientHeight / HEIGHT) - 1);
  const moves = { ArrowDown: () => view.at + 1, ArrowUp: () => view.at - 1, PageDown: () => view.at + page(), PageUp: () => view.at - page(),
    Home: () => 0, End: () => view.shown.length - 1 };
  $("list").addEventListener("keydown", (event) => {
    if (!(event.key in moves) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    select(moves[event.key]());
  });
  $("list").addEventListener("scroll", () => requestAnimationFrame(showRows));
  addEventListener("hashchange", openLinked);
  addEventListener("resize", () => requestAnimationFrame(showRows));
}

unpack().then((data) => {
  view.data = data;
  setUpFilters();
  setUpKeys();
  apply();
  openLinked();
  document.documentElement.dataset.ready = Math.round(performance.now());
}).catch((error) => { $("count").textContent = `The responses cannot be unpacked by this browser (${error.message}); a current one can.`; });
