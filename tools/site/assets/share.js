// A link has what is tried in its fragment, which no browser sends to a server: a version,
// a dot, and JSON in base64url. A fragment is hostile: it gives texts and truth values of
// known names, and nothing else.
const version = "1";
const most = 64 * 1024;
const texts = ["kind", "command", "path", "content", "payload", "rule"];

export function encode(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const text = btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return text.length > most ? "" : `#${version}.${text}`;
}

// decode returns null for a fragment that is not one of these.
export function decode(fragment) {
  const [of, text, ...more] = fragment.replace(/^#/, "").split(".");
  if (of !== version || !text || more.length || text.length > most) return null;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(binary, c => c.charCodeAt(0))));
    const request = { packs: value.packs === true };
    for (const name of texts) request[name] = typeof value[name] === "string" ? value[name] : "";
    return request;
  } catch {
    return null;
  }
}
