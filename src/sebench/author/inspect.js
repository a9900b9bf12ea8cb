"use strict";
/* The inspection page: shows one draft at a time, and sends every decision to the server at once.
   What models wrote is put into the page as text only. A decision that could not be sent is kept and tried again. */

const RETRY_MS = 3000;
const MARKS = { 1: "keep", 2: "fix", 3: "drop" };
const byId = (id) => document.getElementById(id);
const note = byId("note");
let sheets = [];
let decisions = {};
let place = 0;
const pending = new Map(); // draft id -> decision that is not on disk yet
let sending = false;

function element(tag, options, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const decision = (id) => decisions[id] ?? { mark: "", note: "" };
const current = () => sheets[place];

/* What a draft looks like. */

function prose(text) {
  // Every second part was between backticks.
  return text.split("`").map((part, i) => (i % 2 ? element("code", {}, part) : part));
}

function callTable(cases, failures) {
  const body = element("tbody", {});
  cases.forEach((one, i) => {
    const inputs = element("td", { class: "value" });
    for (const [name, value] of Object.entries(one.inputs)) {
      inputs.append(element("div", {}, element("span", { class: "argument" }, `${name} = `), value));
    }
    const wrong = failures?.get(i) ?? [];
    const row = element("tr", wrong.length ? { class: "failed", title: `fails: ${wrong.join(", ")}` } : {});
    row.append(element("td", { class: "number" }, String(i + 1)), inputs);
    row.append(element("td", { class: "value" }, element("div", {}, one.expected)));
    body.append(row);
  });
  const head = element("tr", {}, ...["", "inputs", "expected"].map((text) => element("th", { scope: "col" }, text)));
  return element("table", {}, element("thead", {}, head), body);
}

function answer(solver) {
  const verdict = element("div", { class: `verdict ${solver.passed ? "passed" : "failed"}` });
  verdict.append(element("b", {}, solver.passed ? "✓" : "✗"), element("span", {}, solver.model));
  if (!solver.passed) {
    if (solver.case !== null) verdict.append(element("span", {}, `case ${solver.case + 1}`));
    if (solver.detail) verdict.append(element("span", { class: "mono" }, solver.detail));
    if (solver.actual) verdict.append(element("span", { class: "mono" }, `returned ${solver.actual}`));
  }
  return element("div", { class: "answer" }, verdict, element("pre", {}, solver.response));
}

function failuresByCase(solvers) {
  const byCase = new Map();
  for (const solver of solvers) {
    if (!solver.passed && solver.case !== null) byCase.set(solver.case, [...(byCase.get(solver.case) ?? []), solver.model]);
  }
  return byCase;
}

function showDraft() {
  const sheet = current();
  const passed = sheet.solvers.filter((solver) => solver.passed).length;
  const chips = [sheet.tier, ...sheet.functions.map((path) => `np.${path}`)];
  const solutions = element("div", { class: "solutions" });
  solutions.append(element("h2", {}, "Gold"), element("pre", {}, sheet.gold));
  if (sheet.solvers.length) {
    solutions.append(element("h2", {}, `Solvers: ${passed} of ${sheet.solvers.length} right`));
    solutions.append(element("div", { class: "answers" }, ...sheet.solvers.map(answer)));
  }
  const panel = byId("draft");
  panel.replaceChildren(
    element("h1", {}, sheet.id),
    element("div", { class: "chips" }, ...chips.map((text) => element("span", { class: "chip" }, text))),
    element("p", { class: "question" }, ...prose(sheet.question)),
    element("h2", {}, `Shown with the question: ${sheet.entry}(…)`),
    sheet.examples.length ? callTable(sheet.examples) : element("p", { class: "quiet" }, "No examples."),
    solutions,
    element("p", { class: "quiet hidden-hint" }, "Gold and the solvers' answers are hidden: press g to see them."),
    element("h2", {}, `Cases: ${sheet.cases.length}`),
    callTable(sheet.cases, failuresByCase(sheet.solvers)),
  );
  panel.scrollTop = 0;
  note.value = decision(sheet.id).note;
}

/* What has been decided. */

function showDecisions() {
  const read = sheets.filter((sheet) => decision(sheet.id).mark).length;
  byId("progress").value = read;
  byId("count").textContent = read < sheets.length ? `${read} of ${sheets.length} read` : `All ${read} read. Thank you!`;
  [...byId("list").children].forEach((item, i) => {
    const { mark, note: noteText } = decision(sheets[i].id);
    const button = item.firstChild;
    button.setAttribute("aria-current", String(i === place));
    button.lastChild.textContent = (mark || "") + (noteText ? " …" : "");
    button.lastChild.className = `mark ${mark}`;
  });
  for (const button of document.querySelectorAll("[data-mark]")) {
    button.setAttribute("aria-pressed", String(decision(current().id).mark === button.dataset.mark));
  }
  byId("saved").textContent = pending.size ? "saving …" : decision(current().id).mark ? "saved" : "";
}

function decide(id, change) {
  const before = decision(id);
  const after = { ...before, ...change };
  if (after.mark === before.mark && after.note === before.note) return;
  decisions[id] = after;
  pending.set(id, after);
  showDecisions();
  send();
}

const keepNote = () => current() && decide(current().id, { note: note.value });

async function post(id, made) {
  try {
    const body = JSON.stringify({ id, mark: made.mark, note: made.note });
    // keepalive: a page that is being closed still sends its last note
    const reply = await fetch("decisions", { method: "POST", body, keepalive: true });
    return reply.ok ? "" : await reply.text();
  } catch {
    return "the server is not responding";
  }
}

function notSaved(problem) {
  const names = [...pending.keys()].join(", ");
  return `Not saved: ${names} (${problem}). This page keeps trying. If you stopped the server, start 'sebench author inspect' again, open its new address and decide these there.`;
}

async function send() {
  if (sending) return;
  sending = true;
  let problem = "";
  while (pending.size && !problem) {
    const [id, made] = pending.entries().next().value;
    problem = await post(id, made);
    if (!problem && pending.get(id) === made) pending.delete(id); // else it was changed meanwhile and is sent again
  }
  sending = false;
  byId("warning").hidden = !problem;
  byId("warning").textContent = problem && notSaved(problem);
  if (problem) setTimeout(send, RETRY_MS);
  showDecisions();
}

/* Going about. */

function go(to) {
  if (to < 0 || to >= sheets.length) return;
  keepNote();
  note.blur();
  place = to;
  history.replaceState(null, "", `#${encodeURIComponent(current().id)}`);
  showDraft();
  showDecisions();
  byId("list").children[place].scrollIntoView({ block: "nearest" });
  byId("draft").focus({ preventScroll: true });
}

function goOn() {
  const order = [...sheets.keys()].map((i) => (place + 1 + i) % sheets.length);
  const next = order.find((i) => !decision(sheets[i].id).mark);
  if (next !== undefined) go(next);
  else note.blur();
}

function mark(value) {
  decide(current().id, { mark: value, note: note.value });
  if (value === "keep") goOn();
  else if (value) note.focus();
}

function toggleAnswers() {
  const hidden = document.body.classList.toggle("hidden-answers");
  byId("answers").firstChild.textContent = hidden ? "Show answers " : "Hide answers ";
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  if (event.target === note) {
    if (event.key === "Escape" || (event.key === "Enter" && !event.shiftKey && !event.isComposing)) {
      event.preventDefault();
      keepNote();
      if (event.key === "Enter") goOn();
      else byId("draft").focus({ preventScroll: true });
    }
    return;
  }
  const actions = {
    j: () => go(place + 1), k: () => go(place - 1), u: goOn, n: () => note.focus(), g: toggleAnswers, 0: () => mark(""),
    "?": () => byId("help").showModal(),
  };
  const action = MARKS[event.key] ? () => mark(MARKS[event.key]) : Object.hasOwn(actions, event.key) && actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

async function start() {
  const data = await (await fetch("sample.json")).json();
  ({ sheets, decisions } = data);
  document.title = `Inspection of ${data.bank}`;
  byId("bank").textContent = data.bank;
  byId("reader").textContent = `read by ${data.reader}`;
  byId("progress").max = sheets.length;
  note.maxLength = data.longest_note;
  sheets.forEach((sheet, i) => {
    const button = element("button", { type: "button", title: sheet.id });
    button.append(element("span", { class: "name" }, sheet.id), element("span", { class: "mark" }));
    button.addEventListener("click", () => go(i));
    byId("list").append(element("li", {}, button));
  });
  const named = sheets.findIndex((sheet) => encodeURIComponent(sheet.id) === location.hash.slice(1));
  const open = sheets.findIndex((sheet) => !decision(sheet.id).mark);
  place = Math.max(named >= 0 ? named : open, 0);
  note.value = decision(current().id).note; // go() stores the note of the draft being left
  go(place);
  document.documentElement.dataset.ready = "";
}

document.addEventListener("keydown", pressed);
note.addEventListener("change", keepNote);
window.addEventListener("pagehide", keepNote);
window.addEventListener("beforeunload", (event) => {
  keepNote();
  if (!byId("warning").hidden) event.preventDefault(); // unsaved decisions would be lost
});
for (const button of document.querySelectorAll("[data-mark]")) {
  button.addEventListener("click", () => mark(button.getAttribute("aria-pressed") === "true" ? "" : button.dataset.mark));
}
byId("answers").addEventListener("click", toggleAnswers);
byId("help-button").addEventListener("click", () => byId("help").showModal());
const themes = ["auto", "light", "dark"];
let theme = 0;
byId("theme").addEventListener("click", () => {
  theme = (theme + 1) % themes.length;
  if (theme) document.documentElement.dataset.theme = themes[theme];
  else delete document.documentElement.dataset.theme;
  byId("theme").textContent = `Theme: ${themes[theme]}`;
});
start();
