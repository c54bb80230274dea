
"use strict";
// Uses the page as a person does, and writes what it finds into the page.
const errors = [];
addEventListener("error", e => errors.push("error: " + e.message));
addEventListener("securitypolicyviolation", e => errors.push("violation: " + e.violatedDirective + " " + e.blockedURI));
addEventListener("load", () => {
  const found = {};
  try { use(found); } catch (e) { errors.push(String(e)); }
  found.errors = errors;
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = btoa(unescape(encodeURIComponent(JSON.stringify(found))));
  document.body.append(out);
});

function use(found) {
  found.ready = document.documentElement.dataset.ready || "";
  found.scripts = document.scripts.length;
  found.foreign = [...document.querySelectorAll("img, iframe, object, embed, link, base, form, video, audio, a[href]:not([href^='#'])")].map(e => e.outerHTML.slice(0, 80));
  found.handlers = [...document.querySelectorAll("*")].flatMap(e => [...e.attributes].filter(a => a.name.startsWith("on")).map(a => e.tagName + " " + a.name));
  found.wide = document.documentElement.scrollWidth - innerWidth;
  if (found.wide > 0) errors.push("too wide: " + [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, svg")).slice(0, 5).map(e => e.outerHTML.slice(0, 90)));
  found.charts = document.querySelectorAll("svg[role=img][aria-label]").length;

  const table = document.getElementById("rule-table"), names = () => [...table.tBodies[0].rows].map(r => r.cells[0].textContent);
  const heads = [...table.tHead.rows[0].cells], sorted = () => heads.filter(h => h.hasAttribute("aria-sort")).map(h => h.textContent + " " + h.getAttribute("aria-sort"));
  found.first = [sorted(), names()];
  const judged = heads.find(h => h.textContent === "Judged").querySelector("button");
  judged.focus();
  found.focused = document.activeElement === judged && judged.tagName === "BUTTON" && judged.tabIndex === 0;
  judged.click();
  found.judged = [sorted(), names(), document.getElementById("live").textContent];
  judged.click();
  found.judgedAgain = [sorted(), names()];
  heads[0].querySelector("button").click();
  found.byName = [sorted(), names()];
  const filter = document.querySelector("#rules input");
  filter.value = "SECRETS";
  filter.dispatchEvent(new Event("input"));
  found.filtered = [...table.tBodies[0].rows].filter(r => !r.hidden).map(r => r.cells[0].textContent);

  const stories = [...document.querySelectorAll("#findings details")];
  for (const d of stories) d.open = true;
  const select = document.querySelector("#findings select");
  found.kinds = [...select.options].map(o => o.textContent);
  const button = document.getElementById("theme"), before = button.textContent;
  found.contrast = contrasts();
  button.click();
  found.contrastOther = contrasts();
  found.theme = [before, button.textContent];
  found.text = document.body.innerText;
  // A details element tells of its opening later than this; that is waited for below.
  for (const d of stories) d.dispatchEvent(new Event("toggle"));
  found.stories = stories.map(d => [...d.querySelectorAll("dd")].map(e => e.textContent));
  select.selectedIndex = 1;
  select.dispatchEvent(new Event("change"));
  found.shown = stories.filter(d => !d.hidden).length;
  found.title = document.title;
  found.owned = typeof owned;
}

// contrasts returns the elements with text that is hard to read, by the ratio of WCAG 2.
function contrasts() {
  const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const colour = s => s.match(/[\d.]+/g).map(Number);
  const behind = e => { for (; e; e = e.parentElement) { const c = colour(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] === 1) return c.slice(0, 3); } return [255, 255, 255]; };
  const poor = new Set();
  for (const e of document.querySelectorAll("p, b, span, td, th, button, h1, h2, h3, summary, small, li, time, code, dd, dt, label, text")) {
    if (!e.textContent.trim()) continue;
    const style = getComputedStyle(e), a = light(colour(e.tagName === "text" ? style.fill : style.color).slice(0, 3)), b = light(behind(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.add(e.tagName + "." + e.className.toString() + " " + ratio.toFixed(2));
  }
  return [...poor];
}
