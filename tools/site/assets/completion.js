// Completion for the rule's file: keys and values by the JSON Schema of rules, names by
// the expression language. It is a list below the field, for the keyboard.

// options are what may be written where the text before the cursor ends.
function options(before, info) {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const word = line.match(/[\w.-]*$/)[0];
  const keys = Object.entries(info.Schema.properties);
  const top = [...before.matchAll(/^([\w-]+):/gm)].at(-1)?.[1];
  const describe = object => Object.entries(object.properties ?? {}).map(([name, s]) => [name + ": ", s.description]);
  if (/^[\w-]*$/.test(line) && !(line === "" && top === "when")) return [word, keys.filter(([name]) => name[0] !== "_").map(([name, s]) => [name + ": ", s.description])];
  const value = line.match(/^([\w-]+):\s+[\w-]*$/);
  const of = info.Schema.properties[value?.[1]];
  if (of?.enum ?? (of?.type === "boolean")) return [word, (of.enum ?? ["true", "false"]).map(v => [v, ""])];
  if (top === "when" || top === "doubtful") {
    const name = word.replace(/^.*\./, "");
    if (word.includes(".")) return [name, info.Fields.map(v => [v, "field"])];
    return [name, [...info.Variables.map(v => [v, "variable"]), ...info.Functions.map(v => [v + "(", "function"])]];
  }
  if (/expect:\s*\w*$/.test(line)) return [word, [["violation", ""], ["pass", ""]]];
  const schema = info.Schema.properties[top];
  return [word, schema ? describe(schema.items ?? schema) : []];
}

export function complete(field, list, info, changed) {
  let at = -1, word = "";
  const close = () => { list.hidden = true; at = -1; field.removeAttribute("aria-activedescendant"); };
  const choose = n => {
    at = (n + list.children.length) % list.children.length;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    list.children[at].scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", list.children[at].id);
  };
  const take = () => {
    const end = field.selectionStart;
    field.setRangeText(list.children[at].dataset.text, end - word.length, end, "end");
    close();
    changed();
  };
  const open = asked => {
    let found;
    [word, found] = options(field.value.slice(0, field.selectionStart), info);
    found = found.filter(([text]) => text.toLowerCase().startsWith(word.toLowerCase()) && text !== word);
    if (!found.length || !asked && !word) return close();
    list.replaceChildren(...found.map(([text, about], i) => {
      const item = Object.assign(document.createElement("li"), { id: "word" + i, textContent: text.trim() });
      item.setAttribute("role", "option");
      item.dataset.text = text;
      if (about) item.append(Object.assign(document.createElement("span"), { textContent: about }));
      item.addEventListener("mousedown", e => { e.preventDefault(); choose(i); take(); });
      return item;
    }));
    list.hidden = false;
    choose(0);
  };
  field.addEventListener("keydown", e => {
    if (e.ctrlKey && (e.key === " " || e.code === "Space")) { e.preventDefault(); open(true); return; }
    if (list.hidden) return;
    const act = { ArrowDown: () => choose(at + 1), ArrowUp: () => choose(at - 1), Enter: take, Escape: close }[e.key];
    if (act) { e.preventDefault(); act(); }
  });
  field.addEventListener("input", () => open(false));
  field.addEventListener("blur", close);
}
