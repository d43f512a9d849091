"use strict";
// The page to type into: the server answers a text with its report, which stands in a frame.
(() => {
const byId = (id) => document.getElementById(id);
const MOST = 1000000; // bytes, as in sejongud/commands/serve.py
const PAUSE = 500; // milliseconds without a key
let timer = 0;
let frames = 0;

// Send the text. A new frame takes the answer and the place of the old one when it is there.
function send() {
  clearTimeout(timer);
  byId("said").textContent = "";
  if (new Blob([byId("text").value.replaceAll("\n", "\r\n")]).size > MOST - 100) {
    byId("said").textContent = translated("The text is longer than {} MB: sejongud report FILE shows files of any size.", 1);
    return;
  }
  for (const waiting of document.querySelectorAll("iframe.next")) waiting.remove();
  const frame = document.createElement("iframe");
  frame.name = byId("typed").target = `shown-${frames += 1}`;
  frame.title = translated("The text at five levels");
  frame.className = "next";
  frame.addEventListener("load", () => {
    if (frame.contentWindow.location.href === "about:blank") return;
    for (const other of document.querySelectorAll("iframe")) if (other !== frame) other.remove();
    frame.className = "";
    const button = frame.contentDocument.getElementById("language");
    if (button) button.hidden = true; // The page has one for both.
  });
  byId("views").append(frame);
  byId("typed").submit();
}

// Return the text of a file in UTF-8, in UTF-16 or in CP949.
function decoded(bytes) {
  const [first, second] = bytes;
  const marked = first + second === 0xfe + 0xff ? [first === 0xff ? "utf-16le" : "utf-16be"] : [];
  for (const name of [...marked, "utf-8", "euc-kr"]) {
    try {
      return new TextDecoder(name, { fatal: true }).decode(bytes);
    } catch { /* the next encoding */ }
  }
  return "";
}

// On paper a frame has no scroll bar: it is as high as its sentence.
addEventListener("beforeprint", () => {
  const frame = document.querySelector("iframe:not(.next)");
  const parts = frame?.contentDocument.querySelectorAll("#detail, .top, .notice") ?? [];
  const height = [...parts].reduce((sum, part) => sum + part.scrollHeight, 0);
  if (frame) frame.style.height = `${height}px`;
});
addEventListener("afterprint", () => {
  for (const frame of document.querySelectorAll("iframe")) frame.style.height = "";
});

const text = byId("text");
text.addEventListener("input", (event) => {
  clearTimeout(timer);
  if (!event.isComposing) timer = setTimeout(send, PAUSE);
});
text.addEventListener("compositionend", () => { timer = setTimeout(send, PAUSE); });
byId("level").addEventListener("change", send);
byId("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});
addEventListener("dragover", (event) => {
  event.preventDefault();
  text.classList.add("over");
});
addEventListener("dragleave", () => text.classList.remove("over"));
addEventListener("drop", async (event) => {
  event.preventDefault();
  text.classList.remove("over");
  const [file] = event.dataTransfer.files;
  const found = file && (file.size > MOST ? "" : decoded(new Uint8Array(await file.arrayBuffer())));
  if (found) {
    text.value = found;
    send();
  } else if (file) {
    byId("said").textContent = translated("{} is longer than {} MB or no text: sejongud report FILE shows files of any size.", file.name, 1);
  }
});
// The other language takes the text along.
byId("language").addEventListener("click", () => {
  sessionStorage.setItem("typed", JSON.stringify([text.value, byId("level").value]));
}, true);
const typed = sessionStorage.getItem("typed");
sessionStorage.removeItem("typed");
if (typed) [text.value, byId("level").value] = JSON.parse(typed);
if (text.value) send();
document.documentElement.dataset.complete = "yes";
})();
