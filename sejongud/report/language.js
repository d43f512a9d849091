// The language of the page: English as it is written, or Korean by the table that the page carries.
const language = (() => {

const KOREAN = new URLSearchParams(location.search).get("lang") === "ko";
const table = KOREAN ? JSON.parse(document.getElementById("korean").textContent) : {};
const NUMBER = /[EWI]\d+(?:, [EWI]\d+)*|\d+(?:[.,]\d+)*/g; // or codes
const ATTRIBUTES = ["aria-label", "title", "placeholder"];

// Return the Korean parts of a label whose places {1}, {2} … have the given parts; null for none.
function parts(key, values) {
  const found = table[key];
  return found && found.split(/\{(\d)\}/).map((part, at) => (at % 2 ? values[part - 1] : part));
}

// Return a label in the language of the page. The places {} of the label take `values`; without
// them, its numbers may be places of the table. Text of the corpus never is a label, only a value.
function translated(text, ...values) {
  if (!KOREAN) return values.length ? text.split("{}").map((part, at) => part + (values[at] ?? "")).join("") : text;
  if (values.length) return (parts(text, values) ?? [text]).join("");
  const found = table[text] ?? parts(text.replace(NUMBER, "{}"), text.match(NUMBER))?.join("");
  if (found) return found;
  return text.includes(", ") ? text.split(", ").map((part) => translated(part)).join(", ") : text;
}

// Translate a part of the page that has no text of the corpus. Elements inside a text are its places.
function translate(node) {
  for (const name of ATTRIBUTES) {
    if (node.hasAttribute(name)) node.setAttribute(name, translated(node.getAttribute(name)));
  }
  const values = [];
  const isText = (child) => child.nodeType === Node.TEXT_NODE;
  if ([...node.childNodes].some((child) => isText(child) && child.data.trim())) {
    const key = [...node.childNodes].map((child) => {
      if (isText(child)) return child.data;
      values.push(child);
      return "{}";
    }).join("").trim();
    if (values.length) node.replaceChildren(...parts(key, values) ?? node.childNodes);
    else node.textContent = translated(key);
  }
  for (const child of node.children) if (!child.matches("script, h1, .data")) translate(child);
}

// Go to the other language; the place in the page stays.
const button = document.getElementById("language");
button.addEventListener("click", () => {
  location.assign(location.pathname + (KOREAN ? "" : "?lang=ko") + location.hash);
});
if (KOREAN) {
  document.documentElement.lang = button.lang = "ko";
  translate(document.body);
  Object.assign(button, { textContent: "English", lang: "en" });
}

return { isKorean: KOREAN, translated };

})();
const { translated } = language;

