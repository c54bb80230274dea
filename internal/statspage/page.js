
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const at = id => document.getElementById(id);

// Everything from the log becomes text: no function here takes markup.
function add(parent, name, text, cls) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = visible(text);
  if (cls) e.className = cls;
  parent.append(e);
  return e;
}
function draw(parent, name, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) e.setAttribute(key, visible(attributes[key]));
  if (text !== undefined) e.textContent = visible(text);
  parent.append(e);
  return e;
}
// What would turn text around, hide it or move it is shown as its number.
const visible = text => String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
  c => "\u27e8" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "\u27e9");

const number = n => Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, ",");
const many = (n, what) => number(n) + " " + what + (n === 1 ? "" : "s");
const share = (n, all) => all > 0 ? (100 * n / all).toFixed(n > 0 && n / all < 0.1 ? 1 : 0) + " %" : "–";
const ms = v => v >= 10000 ? (v / 1000).toFixed(0) + " s" : v >= 1000 ? (v / 1000).toFixed(1) + " s" : v >= 10 ? v.toFixed(0) + " ms" : v >= 0.1 ? v.toFixed(1) + " ms" : v > 0 ? "<0.1 ms" : "–";
const short = n => n >= 1e9 ? (n / 1e9).toFixed(1) + " G" : n >= 1e6 ? (n / 1e6).toFixed(1) + " M" : n >= 1e4 ? (n / 1e3).toFixed(0) + " k" : number(n);
const money = v => v === 0 ? "0" : v >= 100 ? v.toFixed(0) : v >= 1 ? v.toFixed(2) : v.toPrecision(2);
const when = s => s ? s.slice(0, 10) + " " + s.slice(11, 16) : "–";
const empty = (id, text) => add(at(id), "p", text, "note");
const sum = (list, of) => list.reduce((n, v) => n + of(v), 0);
const most = (list, of) => list.reduce((n, v) => Math.max(n, of(v)), 0);

theme();
about();
tiles();
over();
signs();
rules();
instructions();
latency();
spent();
groups();
contested();
flaky();
work();
findings();
lines();
document.documentElement.dataset.ready = "yes";

function theme() {
  const dark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const asked = location.hash.slice(1);
  if (asked === "dark" || asked === "light") document.documentElement.dataset.theme = asked;
  const button = at("theme"), name = () => { button.textContent = dark() ? "Light" : "Dark"; button.setAttribute("aria-label", "Show in " + button.textContent.toLowerCase()); };
  button.addEventListener("click", () => { document.documentElement.dataset.theme = dark() ? "light" : "dark"; name(); });
  name();
}

function about() {
  const f = data.filters, parts = [];
  if (f.rules.length) parts.push("rule " + f.rules.join(", "));
  if (f.session) parts.push("session " + f.session);
  if (f.agent) parts.push("agent " + f.agent);
  if (f.since) parts.push("since " + when(f.since));
  if (f.until) parts.push("until " + when(f.until));
  if (data.project) document.title = visible(data.project) + ": " + document.title;
  add(at("about"), "span", (data.project ? data.project + ", " : "") + (data.first ? when(data.first) + " to " + when(data.last) + " UTC" : "No records") + (parts.length ? ", " + parts.join(", ") : ""));
  add(at("about"), "br");
  add(at("about"), "span", data.logs.join(", ") + ", read on " + when(data.made) + " UTC");
}

function tiles() {
  const t = data.totals, calls = sum(Object.values(t.calls), n => n);
  const tile = (value, name, note, cls) => {
    const e = add(at("tiles"), "div", undefined, "tile" + (cls ? " " + cls : ""));
    add(e, "b", value);
    add(e, "span", name);
    if (note) add(e, "span", note);
  };
  if (calls) tile(number(calls), "calls judged", many(t.sessions, "session"));
  tile(number(t.evaluations), "evaluations", share(t.cached, t.evaluations) + " from the cache");
  tile(number(t.violations), "violations", share(t.violations, t.evaluations) + " of evaluations", "warn");
  tile(number(t.blocks), "blocks", t.asks ? "and asked " + many(t.asks, "time") : t.overridden ? number(t.overridden) + " let through" : "", "block");
  tile(number(t.near_misses), "near misses", "below the threshold");
  tile(number(t.unavailable + t.skipped), "not judged", t.timeouts ? many(t.timeouts, "timeout") : number(t.skipped) + " skipped");
  if (t.call_latency.count) tile(ms(t.call_latency.p50_ms), "median of a call", "95 of 100 below " + ms(t.call_latency.p95_ms));
  tile(short(t.prompt_tokens + t.output_tokens), "tokens", "cost " + money(t.cost));
}

// bars draws stacked columns over time.
function bars(parent, buckets, kinds, width, height, label) {
  const low = 46, top = most(buckets, b => sum(kinds, k => k.of(b))) || 1, step = nice(top);
  const max = Math.ceil(top / step) * step, svg = draw(parent, "svg", { viewBox: `0 0 ${width} ${height + 24}`, role: "img", "aria-label": label });
  const y = v => 6 + (height - 6) * (1 - v / max), w = (width - low) / buckets.length;
  for (let v = 0; v <= max; v += step) {
    draw(svg, "line", { class: "axis", x1: low, x2: width, y1: y(v), y2: y(v) });
    draw(svg, "text", { x: low - 8, y: y(v) + 4, "text-anchor": "end" }, short(v));
  }
  buckets.forEach((b, i) => {
    const column = draw(svg, "g", {});
    draw(column, "title", {}, when(b.start) + ": " + kinds.map(k => k.name + " " + number(k.of(b))).join(", "));
    draw(column, "rect", { x: low + i * w, y: 6, width: w, height: height - 6, fill: "transparent" });
    let seen = 0;
    for (const k of kinds) {
      const n = k.of(b);
      if (n > 0) draw(column, "rect", { class: k.cls, x: low + i * w + w * 0.12, width: Math.max(w * 0.76, 1), y: y(seen + n), height: Math.max(y(seen) - y(seen + n), 0.8), rx: Math.min(1.5, w / 6) });
      seen += n;
    }
  });
  const every = Math.ceil(buckets.length / (width / 120)), day = data.over_time.bucket_s >= 86400;
  for (let i = 0; i < buckets.length; i += every)
    draw(svg, "text", { x: low + i * w + w / 2, y: height + 18, "text-anchor": i === 0 ? "start" : "middle" }, day || buckets[i].start.slice(11, 16) === "00:00" ? buckets[i].start.slice(5, 10) : buckets[i].start.slice(5, 10) + " " + buckets[i].start.slice(11, 16));
}
function nice(top) {
  const raw = top / 3, unit = 10 ** Math.floor(Math.log10(raw));
  return Math.max([1, 2, 5, 10].map(m => m * unit).find(v => v >= raw), 1);
}
function legend(parent, kinds) {
  const list = add(parent, "ul", undefined, "legend");
  for (const k of kinds) {
    const item = add(list, "li");
    draw(draw(item, "svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }), "rect", { class: k.cls, width: 10, height: 10, rx: 3 });
    item.append(visible(k.name));
  }
}

function over() {
  const all = data.over_time.buckets, card = at("over");
  if (!all.length) return empty("over", "Nothing was judged in this time.");
  const calls = sum(all, b => sum(Object.values(b.calls), n => n)) > 0;
  const kinds = calls ? [
    { name: "allowed", cls: "allow", of: b => b.calls.allow }, { name: "warned", cls: "warn", of: b => b.calls.warn },
    { name: "asked", cls: "ask", of: b => b.calls.ask }, { name: "blocked", cls: "block", of: b => b.calls.block }, { name: "undecided", cls: "undecided", of: b => b.calls.undecided },
  ] : [
    { name: "pass", cls: "allow", of: b => b.evaluations - b.violations }, { name: "violation", cls: "block", of: b => b.violations },
    { name: "not judged", cls: "undecided", of: b => b.unavailable + b.skipped },
  ];
  const used = kinds.filter(k => sum(all, k.of) > 0), what = calls ? "calls" : "evaluations";
  const wide = data.over_time.bucket_s;
  const width = wide >= 86400 ? many(wide / 86400, "day") : wide >= 3600 ? many(wide / 3600, "hour") : many(wide / 60, "minute");
  add(card, "p", "Each column is " + width + ", UTC. " + (data.over_time.outside ? many(data.over_time.outside, "line") + " far away from all others left out." : ""), "note");
  const frame = add(card, "div", undefined, "scroll chart");
  bars(frame, all, used, 1000, 190, what + " over time: " + used.map(k => k.name + " " + number(sum(all, k.of))).join(", "));
  const rare = used.filter(k => k.cls !== "allow").reverse(); // what is gravest stands on the ground
  if (rare.length && rare.length < used.length) bars(frame, all, rare, 1000, 80, "without those that went on silently: " + rare.map(k => k.name + " " + number(sum(all, k.of))).join(", "));
  frame.scrollLeft = frame.scrollWidth; // where it is narrow, the newest is seen
  legend(card, used);
  const details = add(card, "details", undefined, "plain");
  add(details, "summary", "The same as a table");
  table(details, [["Time", b => when(b.start), "text"], ...used.map(k => [k.name, b => number(k.of(b))])], all.filter(b => sum(used, k => k.of(b)) > 0));
}

function signs() {
  if (!data.signs.length) return empty("signs", "Nothing stands out.");
  let list = add(at("signs"), "ul", undefined, "signs");
  const grave = { overridden: "block", unjudged: "block", always: "warn", noisy: "warn", contested: "warn", flaky: "ask", near: "ask", slow: "ask", shadow: "mark" };
  for (const [i, s] of data.signs.entries()) {
    if (i === 12) {
      const more = add(at("signs"), "details", undefined, "plain");
      add(more, "summary", "and " + (data.signs.length - i) + " more");
      list = add(more, "ul", undefined, "signs");
    }
    const item = add(list, "li"), text = document.createElement("span");
    add(add(item, "span"), "span", s.kind, "tag " + (grave[s.kind] || ""));
    item.append(text);
    add(text, "b", s.rule_id);
    text.append(" " + visible(s.text));
  }
}

// table shows rows: columns are [name, text of a row, class].
function table(parent, columns, rows) {
  const t = add(add(parent, "div", undefined, "scroll"), "table"), head = add(add(t, "thead"), "tr"), body = add(t, "tbody");
  for (const [name, , cls] of columns) add(head, "th", name, cls).scope = "col";
  for (const row of rows) {
    const line = add(body, "tr");
    for (const [, of, cls] of columns) {
      const v = of(row);
      if (v instanceof Node) add(line, "td", undefined, cls).append(v);
      else { const cell = add(line, "td", v, cls); if (cls) cell.title = visible(v); }
    }
  }
  return t;
}

function rules() {
  const card = at("rules");
  if (!data.rules.length) return empty("rules", "No rule was judged in this time.");
  const sever = { block: 3, ask: 2, warn: 1 };
  const tag = r => { const e = document.createElement("span"), s = r.shadow ? "shadow" : r.severity || "–"; e.className = "tag " + (r.shadow ? "mark" : sever[s] ? s : ""); e.textContent = visible(s); return e; };
  const columns = [
    ["Rule", r => r.rule_id, "text", r => r.rule_id], ["Severity", tag, "text", r => r.shadow ? -1 : sever[r.severity] || 0],
    ["Judged", r => number(r.evaluations), "", r => r.evaluations], ["Violations", r => number(r.violations), "", r => r.violations],
    ["Share", r => share(r.violations, r.evaluations), "", r => r.evaluations ? r.violations / r.evaluations : -1],
    ["Near", r => number(r.near_misses), "", r => r.near_misses], ["Not judged", r => number(r.unavailable + r.skipped), "", r => r.unavailable + r.skipped],
    ["Let through", r => number(r.overridden), "", r => r.overridden], ["Contested", r => number(r.contested), "", r => r.contested],
    ["p50", r => ms(r.latency.p50_ms), "", r => r.latency.p50_ms], ["p95", r => ms(r.latency.p95_ms), "", r => r.latency.p95_ms],
    ["Confidence", r => r.evaluations ? r.confidence.mean.toFixed(2) : "–", "", r => r.confidence.mean],
    ["Tokens", r => short(r.prompt_tokens + r.output_tokens), "", r => r.prompt_tokens + r.output_tokens], ["Trend", trend, "", r => r.last],
  ];
  const tools = add(card, "div", undefined, "tools"), filter = document.createElement("input");
  filter.type = "search";
  filter.placeholder = "part of a name";
  add(tools, "label", "Rule ").append(" ", filter);
  const t = table(card, columns, data.rules), body = t.tBodies[0], lines = [...body.rows], heads = [...t.tHead.rows[0].cells];
  t.id = "rule-table";
  heads.forEach((th, i) => {
    const name = th.textContent;
    th.textContent = "";
    const button = add(th, "button", name);
    button.type = "button";
    button.addEventListener("click", () => sort(i, th.getAttribute("aria-sort") === "descending" ? 1 : th.getAttribute("aria-sort") === "ascending" || columns[i][2] !== "text" ? -1 : 1, true));
  });
  function sort(i, order, said) {
    const key = columns[i][3];
    const rows = data.rules.map((r, n) => [key(r), n]).sort((a, b) => (a[0] < b[0] ? -order : a[0] > b[0] ? order : a[1] - b[1]));
    body.append(...rows.map(([, n]) => lines[n]));
    heads.forEach(h => h.removeAttribute("aria-sort"));
    heads[i].setAttribute("aria-sort", order < 0 ? "descending" : "ascending");
    if (said) at("live").textContent = "Sorted by " + columns[i][0].toLowerCase() + (order < 0 ? ", largest first" : ", smallest first");
  }
  filter.addEventListener("input", () => data.rules.forEach((r, n) => { lines[n].hidden = !r.rule_id.toLowerCase().includes(filter.value.toLowerCase()); }));
  sort(3, -1);
}

function instructions() {
  const card = at("instructions");
  if (!data.instructions.length) { card.hidden = true; return; }
  add(card, "p", "How often each line of CLAUDE.md and its like held and was broken, by the rules that were made of it.", "note");
  table(card, [["Line", l => l.source, "text"], ["It says", l => l.quote, "text"], ["Rules", l => l.rules.join(", ") + (l.shadow ? " (shadow)" : ""), "text"],
    ["Held", l => number(l.held)], ["Broken", l => number(l.broken)], ["", l => l.stale ? "stale: " + l.stale : "", "text"]], data.instructions);
}

function trend(r) {
  const list = r.over_time, top = most(list, p => p.evaluations) || 1, svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 96 22");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", many(r.evaluations, "evaluation") + ", the last on " + when(r.last));
  const x = i => list.length > 1 ? 1 + 94 * i / (list.length - 1) : 48, y = v => 20 - 18 * v / top;
  if (list.length > 1) draw(svg, "path", { class: "trend", d: list.map((p, i) => (i ? "L" : "M") + x(i).toFixed(1) + " " + y(p.evaluations).toFixed(1)).join("") });
  list.forEach((p, i) => { if (p.violations) draw(svg, "circle", { class: "block", cx: x(i), cy: y(p.violations), r: 1.6 }); });
  return svg;
}

function latency() {
  const list = data.models.filter(m => m.latency.count > 0).slice(0, 12), card = at("latency");
  if (!list.length) return empty("latency", "No model was asked in this time.");
  add(card, "p", "The dot is the median; 95 of 100 evaluations end within the bar.", "note");
  const top = most(list, m => m.latency.p95_ms) || 1, row = 30, width = 460;
  const svg = draw(card, "svg", { viewBox: `0 0 ${width} ${list.length * row + 6}`, role: "img", "aria-label": "Latency: " + list.map(m => m.name + " median " + ms(m.latency.p50_ms) + ", 95 of 100 below " + ms(m.latency.p95_ms)).join("; ") });
  list.forEach((m, i) => {
    const y = i * row + 15, x = v => 150 + 215 * v / top, g = draw(svg, "g", {});
    draw(g, "title", {}, m.name + " (" + m.backend + "): " + many(m.latency.count, "evaluation") + ", mean " + ms(m.latency.mean_ms) + ", longest " + ms(m.latency.max_ms));
    draw(g, "text", { x: 0, y: y + 4 }, m.name.length > 22 ? m.name.slice(0, 21) + "…" : m.name);
    draw(g, "line", { class: "range", x1: x(0), x2: Math.max(x(m.latency.p95_ms), x(0) + 1), y1: y, y2: y });
    draw(g, "circle", { class: "mark", cx: x(m.latency.p50_ms), cy: y, r: 4.5 });
    draw(g, "text", { x: width, y: y + 4, "text-anchor": "end" }, ms(m.latency.p50_ms) + " · " + ms(m.latency.p95_ms));
  });
}

function spent() {
  const card = at("spent");
  if (!data.spent.length) return empty("spent", "No tokens were reported in this time.");
  const classes = ["mark", "ask", "warn", "allow", "undecided"], models = new Map();
  for (const s of data.spent) models.set(s.model, (models.get(s.model) || 0) + s.prompt_tokens + s.output_tokens);
  const names = [...models.keys()].sort((a, b) => models.get(b) - models.get(a)), shown = names.slice(0, 4);
  const first = Date.parse(data.spent[0].day), days = Math.round((Date.parse(data.spent[data.spent.length - 1].day) - first) / 864e5) + 1;
  const by = Math.max(1, Math.ceil(days / 60)), buckets = [];
  for (let i = 0; i < Math.min(Math.ceil(days / by), 400); i++) buckets.push({ start: new Date(first + i * by * 864e5).toISOString().slice(0, 10) + "T00:00:00Z", of: new Map() });
  for (const s of data.spent) {
    const b = buckets[Math.floor((Date.parse(s.day) - first) / 864e5 / by)], name = shown.includes(s.model) ? s.model : "";
    if (b) b.of.set(name, (b.of.get(name) || 0) + s.prompt_tokens + s.output_tokens);
  }
  const kinds = shown.map((name, i) => ({ name: name || "no model named", cls: classes[i], of: b => b.of.get(name) || 0 }));
  if (names.length > 4) kinds.push({ name: "others", cls: classes[4], of: b => b.of.get("") || 0 });
  add(card, "p", short(data.totals.prompt_tokens) + " for prompts, " + short(data.totals.output_tokens) + " for answers, cost " + money(data.totals.cost) + " by the configured pricing.", "note");
  bars(card, buckets, kinds, 480, 165, "Tokens by day: " + names.slice(0, 4).map(n => n + " " + short(models.get(n))).join(", "));
  legend(card, kinds);
  const details = add(card, "details", undefined, "plain");
  add(details, "summary", "The same as a table");
  table(details, [["Day", s => s.day, "text"], ["Model", s => s.model, "text"], ["Calls", s => number(s.calls)], ["Prompt", s => number(s.prompt_tokens)], ["Answer", s => number(s.output_tokens)], ["Cost", s => money(s.cost)]], data.spent.slice(-200));
}

function groups() {
  const box = add(at("groups"), "div", undefined, "columns");
  const part = (title, list, name, value, note) => {
    if (!list.length) return;
    const e = add(box, "div"), top = most(list, value) || 1;
    add(e, "h3", title);
    for (const g of list.slice(0, 8)) {
      const row = add(e, "div", undefined, "bar");
      add(row, "span", name(g)).title = visible(name(g));
      const svg = draw(row, "svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" });
      draw(svg, "rect", { class: "allow", width: Math.max(100 * value(g) / top, 0.5), height: 6, rx: 1 });
      if (g.violations) draw(svg, "rect", { class: "block", width: Math.max(100 * g.violations / top, 0.5), height: 6, rx: 1 });
      add(row, "small", note(g));
    }
    if (list.length > 8) add(e, "p", "and " + (list.length - 8) + " more", "note");
  };
  const group = [g => g.name, g => g.evaluations, g => number(g.evaluations) + ", " + share(g.violations, g.evaluations)];
  part("Triggers", data.triggers, ...group);
  part("Tools", data.tools, ...group);
  part("Agents", data.agents, ...group);
  part("Backends", data.backends, ...group);
  part("Targets with most violations", data.targets_violated, t => t.target, t => t.count, t => (t.missed_at_most ? "≥ " : "") + number(t.count));
  part("Targets judged most", data.targets_judged, t => t.target, t => t.count, t => (t.missed_at_most ? "≥ " : "") + number(t.count));
  if (!box.children.length) empty("groups", "Nothing was judged in this time.");
}

function contested() {
  if (!data.contested.length) return empty("contested", "No blocked target was tried again soon.");
  add(at("contested"), "p", "The same target, tried again within ten minutes of a block.", "note");
  table(at("contested"), [["Target", c => c.target, "text"], ["Rule", c => c.rule_id, "text"], ["Tries", c => number(c.tries)], ["Through", c => number(c.insisted)]], data.contested.slice(0, 15));
}

function flaky() {
  if (!data.flaky.length) return empty("flaky", "No target was judged in different ways.");
  add(at("flaky"), "p", "The same rule and target; of a file, the content may have been another.", "note");
  table(at("flaky"), [["Target", f => f.target, "text"], ["Rule", f => f.rule_id, "text"], ["Pass", f => number(f.pass)], ["Violation", f => number(f.violations)]], data.flaky.slice(0, 15));
}

function work() {
  const s = data.scribe, rows = [["Session summaries", data.context], ["Conventions", s]].filter(([, p]) => p.runs > 0), card = at("work");
  const known = s.latest.length + s.dismissals + s.drafts;
  if (!rows.length && !known && !s.problem) return empty("work", "No summaries were written and no conventions learned in this time.");
  if (rows.length) table(card, [["Work", r => r[0], "text"], ["Runs", r => number(r[1].runs)], ["Done", r => number(r[1].done)], ["Skipped", r => number(r[1].skipped)], ["Failed", r => number(r[1].failed)],
    ["p50", r => ms(r[1].latency.p50_ms)], ["p95", r => ms(r[1].latency.p95_ms)], ["Tokens", r => short(r[1].prompt_tokens + r[1].output_tokens)], ["Last", r => when(r[1].last)]], rows);
  if (known) add(card, "p", "Conventions: " + (Object.entries(s.observations).map(([k, n]) => k + " " + n).join(", ") || "none observed") + "; " + many(s.drafts, "draft") + " waiting, " + many(s.dismissals, "dismissal") + ".", "note").style.marginTop = ".8rem";
  if (s.problem) add(card, "p", s.problem, "note");
  if (s.latest.length) table(card, [["Observed", o => when(o.ts), "text"], ["State", o => o.state, "text"], ["Convention", o => o.statement, "text wide"], ["Source", o => o.source, "text"], ["Seen", o => number(o.times_observed)], ["Confidence", o => o.confidence.toFixed(2)]], s.latest);
}

function findings() {
  const card = at("findings"), list = [...data.findings].reverse();
  if (!list.length) return empty("findings", "There are none in this time.");
  add(card, "p", "The last " + many(list.length, "finding") + ": violations, near misses, what could not be judged, and what a person let through. Open one for the whole story.", "note");
  const kind = f => f.level === "allowed" ? "let through" : f.near_miss ? "near miss" : f.outcome === "unavailable" ? "unavailable" : f.mode === "shadow" ? "shadow" : f.severity || f.outcome || f.level;
  const tools = add(card, "div", undefined, "tools"), select = document.createElement("select"), search = document.createElement("input");
  search.type = "search";
  search.placeholder = "rule, target, reason";
  add(select, "option", "all kinds").value = "";
  for (const k of [...new Set(list.map(kind))].sort()) add(select, "option", k).value = k;
  add(tools, "label", "Show ").append(" ", select);
  add(tools, "label", "Find ").append(" ", search);
  const colour = { block: "block", ask: "ask", warn: "warn", "near miss": "mark", "let through": "mark", shadow: "mark" };
  const rows = list.map(f => {
    const d = add(card, "details"), line = add(d, "summary");
    const time = add(line, "time", when(f.ts));
    time.dateTime = f.ts;
    add(add(line, "span"), "span", kind(f), "tag " + (colour[kind(f)] || ""));
    add(line, "span", f.rule_id || "–");
    add(add(line, "span"), "code", f.target);
    d.addEventListener("toggle", () => { if (d.open && !d.querySelector("dl")) story(d, f); });
    return [d, kind(f), [f.rule_id, f.target, f.reason, f.error].join(" ").toLowerCase()];
  });
  const apply = () => { for (const [d, k, text] of rows) d.hidden = select.value !== "" && k !== select.value || !text.includes(search.value.toLowerCase()); };
  select.addEventListener("change", apply);
  search.addEventListener("input", apply);
}

// story explains one finding.
function story(parent, f) {
  const dl = add(parent, "dl");
  const say = (name, text, cls) => { if (text !== undefined && text !== "" && text !== null) { add(dl, "dt", name); add(dl, "dd", text, cls); } };
  say("What", f.trigger + (f.tool ? " by " + f.tool : ""));
  say("Target", f.target, "mono");
  say("Found in", f.derived_from, "mono");
  say("Reason", f.reason);
  say("Error", f.error);
  say("Outcome", [f.outcome, f.severity, f.mode].filter(Boolean).join(", ") + (f.would ? ", would have been: " + f.would : ""));
  if (f.outcome === "violation" || f.outcome === "pass") say("Confidence", f.confidence.toFixed(2) + (f.threshold ? (f.confidence >= f.threshold ? ", enough for the threshold of " : ", below the threshold of ") + f.threshold : ""));
  if (f.model || f.backend) say("Judge", [f.model, f.backend].filter(Boolean).join(", ") + (f.cached ? ", answered by the cache" : "") + ", " + ms(f.elapsed_ms) + (f.waited_ms ? ", " + ms(f.waited_ms) + " of it waiting" : ""));
  if (f.prompt_tokens || f.output_tokens) say("Tokens", number(f.prompt_tokens || 0) + " for the prompt, " + number(f.output_tokens || 0) + " for the answer");
  if (f.tainted) say("Warning", "the judge's answer repeated the fence of the judged text: a sign of manipulation");
  if (f.muted) say("Muted", "the agent had been told before in this session");
  say("Let through by", f.by);
  say("Agent", [f.agent, f.session && "session " + f.session, f.call_id && "call " + f.call_id].filter(Boolean).join(", "));
  if (/^[A-Za-z0-9._-]+$/.test(f.id || "")) say("More", "sentinel stats --explain " + f.id, "mono");
}

function lines() {
  const l = data.lines, left = data.left_out, parts = [many(l.read, "line") + " read in " + many(l.files, "file")];
  for (const [n, what] of [[l.torn, "torn"], [l.foreign, "no records"], [l.too_long, "too long"], [l.unknown_level, "of an unknown kind"], [l.ahead_of_clock, "from the future"], [l.clock_went_back, "older than the line before"]]) if (n) parts.push(number(n) + " " + what);
  const more = left.rule_lines + left.group_lines + left.spent_calls + left.contests;
  if (more) parts.push(number(more) + " in no row, since there are too many different names");
  add(at("lines"), "p", parts.join(", ") + ". Times are UTC; latencies are within 2 % of the true value.");
}
