// What is wrong with how the page looks and reads: a list of texts.
const wrong = [];
const shown = e => e.checkVisibility() && e.getClientRects().length > 0;
const name = e => (e.getAttribute("aria-label") || (e.labels && [...e.labels].map(l => l.innerText).join(" ")) || e.innerText || e.getAttribute("alt") || "").trim();
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
if (wide > 0) wrong.push(`the page is ${wide} pixels too wide: ` + [...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, pre")).slice(0, 3).map(e => e.outerHTML.slice(0, 100)));
if (document.documentElement.lang !== "en") wrong.push("the page has no language");
if (!document.title) wrong.push("the page has no title");
for (const one of ["main", "header", "nav", "h1"]) if (document.querySelectorAll(`body > ${one}, .columns > ${one}, main ${one}`).length !== 1) wrong.push("there is not one " + one);
let level = 0;
for (const h of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
  const n = Number(h.tagName[1]);
  if (n > level + 1) wrong.push(`after a heading of level ${level} comes ${h.outerHTML.slice(0, 80)}`);
  level = n;
}
for (const e of document.querySelectorAll("a[href], button, input, textarea, select, summary, img, [role=group]")) if (shown(e) && !name(e)) wrong.push("no name: " + e.outerHTML.slice(0, 100));
const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
for (const id of new Set(ids)) if (ids.filter(i => i === id).length > 1) wrong.push("twice: #" + id);
for (const e of document.querySelectorAll("[aria-controls], [aria-describedby]")) for (const a of ["aria-controls", "aria-describedby"]) if (e.getAttribute(a) && !document.getElementById(e.getAttribute(a))) wrong.push(a + " of nothing");

const light = ([r, g, b]) => { const f = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
const colour = s => s.match(/[\d.]+/g).map(Number);
const behind = e => { for (; e; e = e.parentElement) { const c = colour(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] === 1) return c; } return [255, 255, 255]; };
const poor = new Set();
for (const e of document.querySelectorAll("body *")) {
  if (!shown(e) || e.matches(".anchor, option") || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
  const a = light(colour(getComputedStyle(e).color)), b = light(behind(e));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) poor.add(`contrast ${ratio.toFixed(1)}: ${e.tagName}.${e.className}`);
}
return [...wrong, ...poor];
