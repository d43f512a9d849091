"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const plain = (text) => text.trim().toLowerCase().replace(/\s+/g, " ");
  const rows = [...document.querySelectorAll(".pair")].map((row) => {
    const lines = [...row.querySelectorAll(".edits")].map((line) => ({
      line,
      by: line.dataset.by,
      edits: [...line.querySelectorAll(".edit")].map((edit) => ({
        edit, type: edit.dataset.type, state: edit.dataset.state || "",
      })),
    }));
    const shown = (node, without) => node.matches?.(`.tip, .tag, ${without}`)
      ? "" : node.nodeType === Node.TEXT_NODE ? node.data : [...node.childNodes].map((one) => shown(one, without)).join("");
    // The text as it was, and as it is corrected; tokens that are characters are also searched as words.
    const texts = ["ins", "del"].map((without) => plain(shown(row, without)));
    const words = texts.map((text) => (text.includes("▁") ? text.replaceAll(" ", "").replaceAll("▁", " ") : ""));
    return { row, lines, text: [...texts, ...words].join("\n") };
  });
  const edits = rows.flatMap((row) => row.lines.flatMap((line) => line.edits));
  const chosen = { type: new Set(), state: new Set() };
  const numbers = { type: new Map(), state: new Map() };
  const order = ["found", "missed", "spurious"];

  const tally = (key) => {
    const counts = new Map();
    for (const edit of edits) counts.set(edit[key], (counts.get(edit[key]) || 0) + 1);
    return [...counts].sort((one, other) => key === "state"
      ? order.indexOf(one[0]) - order.indexOf(other[0])
      : other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
  };

  // The code of a type that is shown in words is its title.
  const typed = (node, type) => {
    node.textContent = type.split(/([:+])/).map((part) => (/^[A-Z]+$/.test(part) ? translated(part) : part)).join("");
    if (node.textContent !== type) node.title = type;
    return node;
  };

  const chips = (key, place) => {
    for (const [name] of tally(key)) {
      if (key === "state" && !name) continue;
      const label = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      box.value = name;
      box.addEventListener("change", () => {
        chosen[key][box.checked ? "add" : "delete"](name);
        show();
      });
      const number = document.createElement("span");
      number.className = "n";
      numbers[key].set(name, number);
      label.append(box);
      if (key === "state") {
        const colour = document.createElement("i");
        colour.className = "key";
        colour.dataset.state = name;
        label.append(colour);
      }
      label.append(key === "type" && name ? typed(document.createElement("b"), name) : translated(name || "(no type)"), " ", number);
      byId(place).append(label);
    }
  };

  const fits = (edit) => (!chosen.type.size || chosen.type.has(edit.type))
    && (!chosen.state.size || chosen.state.has(edit.state));

  const show = () => {
    const query = plain(byId("query").value);
    const annotator = byId("annotator").value;
    const narrow = chosen.type.size || chosen.state.size;
    const counts = { type: new Map(), state: new Map() };
    let sentences = 0;
    let found = 0;
    for (const { row, lines, text } of rows) {
      const ours = lines.filter((line) => !annotator || line.by === annotator);
      const has = !narrow || ours.some((line) => line.edits.some(fits));
      row.hidden = !(has && ours.length && text.includes(query));
      for (const { line, by, edits: own } of lines) {
        line.hidden = Boolean(annotator) && by !== annotator;
        for (const edit of own) edit.edit.classList.toggle("out", Boolean(narrow) && !fits(edit));
      }
      if (row.hidden) continue;
      sentences += 1;
      for (const edit of ours.flatMap((line) => line.edits)) {
        if (fits(edit)) found += 1;
        for (const key of ["type", "state"]) {
          counts[key].set(edit[key], (counts[key].get(edit[key]) || 0) + 1);
        }
      }
    }
    for (const key of ["type", "state"]) {
      for (const [name, place] of numbers[key]) {
        place.textContent = (counts[key].get(name) || 0).toLocaleString("en");
      }
    }
    byId("found").textContent = translated(`${sentences.toLocaleString("en")} of `
      + `${rows.length.toLocaleString("en")} sentences, ${found.toLocaleString("en")} of `
      + `${edits.length.toLocaleString("en")} edits`);
  };

  // Names of annotators are ours, names of systems are those of files.
  const nameOf = (by) => /^(annotator \d+|reference( \d+)?|hypothesis)$/.test(by) ? translated(by) : by;
  if (language.isKorean) {
    for (const name of document.querySelectorAll(".by")) name.textContent = nameOf(name.textContent);
    for (const { edit, type, state } of edits) {
      const verdict = edit.querySelector(".tip").firstChild;
      typed(edit.querySelector(".tag"), type);
      if (state) verdict.data = verdict.data.replace(state, translated(state));
    }
  }

  chips("state", "states");
  chips("type", "types");
  for (const by of new Set(rows.flatMap((row) => row.lines.map((line) => line.by)))) {
    byId("annotator").append(new Option(nameOf(by), by));
  }
  byId("annotator").hidden = byId("annotator").options.length < 3;
  let waiting = 0;
  byId("query").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, 120);
  });
  byId("annotator").addEventListener("change", show);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("all").addEventListener("click", () => {
    byId("filters").reset();
    for (const set of Object.values(chosen)) set.clear();
    show();
  });
  byId("filters").hidden = false;
  show();
  document.documentElement.dataset.complete = "yes";
})();
