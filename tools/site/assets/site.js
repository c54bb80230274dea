// The menu of a wide screen is open, and the search, which reads an index of its own site.
const up = document.body.dataset.up;
const wide = matchMedia("(min-width: 48.01rem)");
const menu = document.querySelector(".menu");
const unfold = () => { menu.open = wide.matches; };
wide.addEventListener("change", unfold);
unfold();

const form = document.querySelector("form[role=search]");
const field = document.getElementById("site-search");
const found = document.getElementById("site-found");
let index;

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
  return (at > 0 ? "… " : "") + text.slice(at, at + 180) + (at + 180 < text.length ? " …" : "");
}

async function search() {
  index ??= fetch(up + "search.json").then(r => r.json());
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = [];
  for (const [address, title, text] of await index) {
    const head = title.toLowerCase(), body = text.toLowerCase();
    if (!words.length || !words.every(w => head.includes(w) || body.includes(w))) continue;
    hits.push({ address, title, text, weight: words.filter(w => head.includes(w)).length });
  }
  hits.sort((a, b) => b.weight - a.weight);
  found.hidden = words.length === 0;
  found.textContent = hits.length ? "" : "Nothing is found.";
  for (const hit of hits.slice(0, 20)) {
    const link = Object.assign(document.createElement("a"), { href: up + hit.address, textContent: hit.title });
    const said = Object.assign(document.createElement("p"), { textContent: excerpt(hit.text, words[0]) });
    found.append(link, said);
  }
}

form.hidden = false;
form.addEventListener("submit", e => e.preventDefault());
field.addEventListener("input", search);
document.addEventListener("keydown", e => {
  if (e.key === "/" && !/^(input|textarea|select)$/i.test(document.activeElement.tagName)) {
    e.preventDefault();
    field.focus();
  }
  if (e.key === "Escape" && document.activeElement === field) {
    field.value = "";
    found.hidden = true;
  }
});
