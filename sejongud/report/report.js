(() => {

// --- elements and numbers ------------------------------------------------------------------------------

const byId = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

// Only el() and svg() make elements, and both insert text as text: text of the corpus never becomes
// markup.
function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false && value !== "") node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== ""));
  return node;
}

const number = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
const count = (n, one, more) => `${number(n)} ${n === 1 ? one : more}`;
const sum = (values) => values.reduce((a, b) => a + b, 0);

function say(text) {
  byId("say").textContent = text;
}

// --- the data ----------------------------------------------------------------------------------

const meta = JSON.parse(byId("meta").textContent);
const starts = [0];
for (const size of meta.chunks) starts.push(starts.at(-1) + size);
const total = starts.at(-1);
const chunks = [];
const waiting = [];

// The script stands behind the first chunk and before the others.
const whole = new Promise((done) => {
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", done);
  else done();
});

async function unpack(id) {
  if (!byId(id)) await whole;
  const packed = byId(id);
  const text = atob(packed.textContent);
  packed.remove();
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}

function load(at) {
  waiting[at] ??= unpack(`chunk-${at}`).then((chunk) => {
    chunk.start = starts[at];
    chunks[at] = chunk;
    return chunk;
  });
  return waiting[at];
}

function chunkOf(n) {
  let low = 0;
  let high = meta.chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= n) low = middle;
    else high = middle - 1;
  }
  return low;
}

function rowOf(n) {
  const chunk = chunks[chunkOf(n)];
  return chunk && { chunk, row: chunk.sentences[n - chunk.start] };
}

const textOf = (chunk, row) => row[3].map((eojeol) => chunk.eojeols[eojeol][0]).join(" ");
const extraOf = (row) => row[4] || {};

// Return the levels of an eojeol, each a list of tokens { form, words }.
function levelsOf(chunk, raw) {
  const word = (at) => {
    const [form, lemma, upos, xpos, size] = chunk.words[at];
    return { form, lemma, upos, xpos, size };
  };
  const levels = [];
  for (let level = 1; level < raw.length; level++) {
    levels.push(raw[level] === 0 ? levels.at(-1) : raw[level].map((token) => {
      if (typeof token === "number") {
        const only = word(token);
        return { form: only.form, words: [only] };
      }
      return { form: token[0], words: token.slice(1).map(word) };
    }));
  }
  return levels;
}

// Return all layers of a sentence, and those of the system's sentence beside it.
function view(n) {
  const { chunk, row } = rowOf(n);
  const found = viewRow(chunk, row, n);
  if (found.other) found.other = viewRow(chunk, found.other, n);
  return found;
}

// Return all layers of a row. `begin` and `end` count the morphemes of the sentence.
function viewRow(chunk, row, n) {
  const [id, file, line, numbers] = row;
  const extra = extraOf(row);
  let at = 0;
  let character = 0;
  const eojeols = numbers.map((eojeol) => {
    const raw = chunk.eojeols[eojeol];
    const levels = levelsOf(chunk, raw);
    const size = sum(levels[0].flatMap((token) => token.words.map((word) => word.size)));
    const gloss = chunk.glosses?.[eojeol];
    const found = { form: raw[0], levels, gloss, begin: at, end: at + size, from: character, flagged: false };
    at += size;
    character += raw[0].length + 1;
    return found;
  });
  const marked = (name, at) => extra.marks?.[name]?.[at] ?? extra.marks?.[name]?.[-1];
  const entities = (extra.entities || []).map(([layer, type, begin, end, from, to], at) => (
    { layer, type, begin, end, from, to, wrong: marked("entities", at) }));
  const frames = (extra.frames || []).map((boxes) => boxes.map(([name, unit, begin, end, row]) => (
    { name, unit, begin, end, row })));
  const constituents = (extra.constituents || []).map(([label, begin, end, depth], at) => (
    { label, begin, end, depth, wrong: marked("constituents", at) }));
  const incidents = (extra.incidents || []).map(([which, where, token, eojeol]) => {
    const [code, message] = chunk.incidents[which];
    return { code, message, line: where, token, eojeol };
  });
  for (const incident of incidents) {
    if (incident.eojeol) eojeols[incident.eojeol - 1].flagged = true;
  }
  return {
    n, id, line, eojeols, entities, frames, constituents, incidents, size: at,
    file: meta.files[file], tree: extra.tree ? treeOf(chunk, extra.tree) : null,
    comments: commentsAt(chunk, extra), source: extra.source || "", text: textOf(chunk, row),
    chunk, row, lines: extra.lines || "", picture: extra.picture || "", marks: extra.marks || {}, other: extra.system || null,
  };
}

// Return the comments of a sentence, behind those of the document that it stands in.
function commentsAt(chunk, extra) {
  const own = extra.comments || [];
  const document = extra.document ? chunk.documents[extra.document - 1] : [];
  return [...document.filter((comment) => !own.includes(comment)), ...own];
}

function treeOf(chunk, raw) {
  let at = 0;
  const words = raw.words.map((word, index) => {
    const [form, lemma, upos, xpos, feats, misc] = chunk.treeWords[word];
    const begin = at;
    at += raw.sizes[index];
    return {
      form, lemma, upos, xpos, feats, misc, begin, end: at, number: index + 1,
      head: raw.heads[index], deprel: raw.deprels[index], deps: raw.deps ? raw.deps[index] : "_",
    };
  });
  return { words, level: raw.level || 0, hasArcs: raw.heads.some((head) => head >= 0) };
}

// --- searching ---------------------------------------------------------------------------------

// Return the test of a text: does it contain the query, equal "…", match the expression in /…/?
function textTest(query) {
  const regex = /^\/(.+)\/$/.exec(query);
  if (regex) {
    const pattern = patterns.make(regex[1], "iu");
    return (text) => pattern.test(text);
  }
  const whole = /^"(.+)"$/.exec(query);
  if (whole) return (text) => text === whole[1];
  const part = query.toLowerCase();
  return (text) => text.toLowerCase().includes(part);
}

// Return the test of tags: do they contain the tags of the query in a row? J* matches any J tag.
function tagTest(query) {
  const regex = /^\/(.+)\/$/.exec(query);
  if (regex) return textTest(query);
  const escaped = query.replace(/"/g, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = new RegExp(`(^|\\+)${escaped.replace(/\\\*/g, "[^+]*")}(?=\\+|$)`, "iu");
  return (tag) => pattern.test(tag);
}

// Return the words of a row of a chunk as a query tests them: the treebank's own, or the morphemes.
function queryWords(chunk, row) {
  const extra = extraOf(row);
  const id = row[0] === "" ? [] : [row[0]];
  const text = [textOf(chunk, row)];
  const found = [];
  const said = (value) => (value === "" || value === "_" ? [] : [value]);
  const morphemes = row[3].map((eojeol) => morphemesOf(chunk, eojeol));
  const starts = [0];
  for (const own of morphemes) starts.push(starts.at(-1) + own.size);
  const add = (place, begin, size, head, deprel, [form, lemma, upos, xpos, feats = ""]) => {
    const around = (spans) => size
      ? [...new Set(spans.filter(([, from, to]) => from <= begin && begin < to).map(([label]) => label))]
      : [];
    const boxes = (extra.frames || []).flat();
    found.push({ head, get(key) {
      switch (key) {
        case "form": return said(form);
        case "lemma": return said(lemma);
        case "tag": return said(xpos);
        case "upos": return said(upos);
        case "feats": return said(feats);
        case "deprel": return said(deprel);
        case "entity": return around((extra.entities || []).map(([, ...span]) => span));
        case "frame": return around(boxes.filter(([, unit]) => unit).map(([name, , ...span]) => [name, ...span]));
        case "lu": return around(boxes.filter(([, unit]) => unit).map(([, ...span]) => span));
        case "fe": return around(boxes.filter(([, unit]) => !unit).map(([name, , ...span]) => [name, ...span]));
        // Null elements stand in the label behind a space.
        case "constituent": return around((extra.constituents || [])
          .map(([label, ...span]) => [label.split(" ")[0], ...span]));
        case "eojeol": return said(chunk.eojeols[row[3][place]][0]);
        case "construction": return said(morphemes[place].tags);
        case "text": return text;
        default: return id;
      }
    } });
  };
  if (extra.tree) {
    const { words, sizes, heads, deprels } = extra.tree;
    let begin = 0;
    let place = 0;
    words.forEach((word, at) => {
      while (place < morphemes.length - 1 && begin >= starts[place + 1]) place += 1;
      add(place, begin, sizes[at], heads[at] - 1, deprels[at], chunk.treeWords[word]);
      begin += sizes[at];
    });
  } else {
    morphemes.forEach((own, place) => {
      let begin = starts[place];
      for (const word of own.words) {
        add(place, begin, chunk.words[word][4], -1, "", chunk.words[word]);
        begin += chunk.words[word][4];
      }
    });
  }
  return found;
}

// Return the words of an eojeol at level 5, their number of morphemes, and their tags.
function morphemesOf(chunk, number) {
  chunk.morphemes ??= [];
  if (!chunk.morphemes[number]) {
    const raw = chunk.eojeols[number];
    let level = raw.length - 1;
    while (raw[level] === 0) level -= 1;
    const words = raw[level].flatMap((token) => (typeof token === "number" ? [token] : token.slice(1)));
    const size = sum(words.map((word) => chunk.words[word][4]));
    chunk.morphemes[number] = { words, size, tags: words.map((word) => chunk.words[word][3]).join("+") };
  }
  return chunk.morphemes[number];
}

const NEVER = () => false;

// Return the test of a query; it marks words by their places, not by their texts.
function queryTest(query) {
  const holds = queries.compile(queries.parse(query, patterns.make));
  const find = (chunk, row) => {
    const words = queryWords(chunk, row);
    return words.map((_, at) => at).filter((at) => holds(words, at));
  };
  return {
    find, form: NEVER, lemma: NEVER, tag: NEVER, deprel: NEVER, type: NEVER, frame: NEVER, label: NEVER,
  };
}

function makeTest(query, field) {
  if (field === "query") return queryTest(query);
  const wanted = (name) => field === name || field === "any";
  const text = textTest(query);
  const tag = tagTest(query);
  const test = {
    form: wanted("form") ? text : NEVER,
    lemma: wanted("lemma") ? text : NEVER,
    tag: wanted("tag") ? tag : NEVER,
    deprel: wanted("deprel") ? tag : NEVER,
    type: wanted("entity") ? tag : NEVER,
    surface: field === "entity" ? text : null,
    frame: wanted("frame") ? text : NEVER,
    // NP is a tag of morphemes, too.
    label: field === "constituent" ? tag : NEVER,
    id: wanted("id") ? text : NEVER,
    text: wanted("form") && /\s/.test(query) ? text : null,
  };
  test.word = ([form, lemma, upos, xpos]) => (
    test.form(form) || test.lemma(lemma) || test.tag(xpos) || test.tag(upos));
  return test;
}

// Return the words of each eojeol of a chunk, from all levels; made at the first call.
function flat(chunk) {
  chunk.flat ??= chunk.eojeols.map((raw) => {
    const words = new Set();
    for (let level = 1; level < raw.length; level++) {
      for (const token of raw[level] || []) {
        if (typeof token === "number") words.add(token);
        else for (let at = 1; at < token.length; at++) words.add(token[at]);
      }
    }
    return [...words];
  });
  return chunk.flat;
}

function searchChunk(chunk, test, found) {
  if (test.find) {
    return sum(chunk.sentences.map((row, at) => {
      const here = test.find(chunk, row).length;
      if (here) found.push(chunk.start + at);
      return here;
    }));
  }
  const words = chunk.words.map(test.word);
  const tokens = (raw) => raw.slice(1).some((level) => level && level.some((token) => (
    typeof token !== "number" && test.form(token[0]))));
  const eojeols = flat(chunk).map((own, at) => (
    own.some((word) => words[word])
    || test.form(chunk.eojeols[at][0]) || tokens(chunk.eojeols[at])));
  const treeWords = chunk.treeWords.map(test.word);
  let matches = 0;
  chunk.sentences.forEach((row, at) => {
    const extra = extraOf(row);
    let here = 0;
    for (const eojeol of row[3]) here += eojeols[eojeol];
    if (extra.tree) {
      for (const deprel of extra.tree.deprels) here += test.deprel(deprel);
      if (!here) for (const word of extra.tree.words) here += treeWords[word];
    }
    for (const [, type, , , from, to] of extra.entities || []) {
      here += test.type(type) || (test.surface?.(textOf(chunk, row).slice(from, to)) ?? false);
    }
    for (const [name, unit] of (extra.frames || []).flat()) here += test.frame(name) || test.frame(unit);
    for (const [label] of extra.constituents || []) here += test.label(label);
    if (!here) here += test.id(row[0]) || (test.text?.(textOf(chunk, row)) ?? false);
    if (here) {
      found.push(chunk.start + at);
      matches += here;
    }
  });
  return matches;
}

// Return how many places differ from the sentence beside this one.
function differencesOf(row) {
  const { marks, system } = extraOf(row);
  const size = (own) => sum(Object.values(own || {}).map((places) => Object.keys(places).length));
  return Math.max(size(marks), system ? size(extraOf(system).marks) : 0);
}

const hasCode = (chunk, row, code) => (code === "≠" ? differencesOf(row) > 0 : (extraOf(row).incidents || []).some(([which]) => (
  code === "*" || chunk.incidents[which][0] === code)));

// Return the sentences of a chunk whose file, document or comments pass a test, each true or false.
function aboutChunk(chunk, test) {
  const files = meta.files.map(test);
  const documents = (chunk.documents || []).map((comments) => comments.some(test));
  return chunk.sentences.map((row) => {
    const extra = extraOf(row);
    return files[row[1]] || documents[extra.document - 1] || (extra.comments || []).some(test);
  });
}

const state = {
  current: -1, test: null, about: null, code: "", found: null, matches: 0, view: "", incident: null,
  incidentCode: "",
};

// Find the sentences to list, and mark the matches of the sentence that is shown.
async function search() {
  await find();
  redraw();
}

let searches = 0;

// Find the sentences to list; state.found is null if the list has all. A later search ends this one.
async function find() {
  const turn = ++searches;
  const query = byId("query").value.trim().normalize("NFC");
  const about = byId("about").value.trim().normalize("NFC");
  const code = byId("filter").value;
  const isQuery = byId("field").value === "query";
  byId("search").classList.toggle("wide", isQuery);
  const tests = { query: null, about: null };
  for (const [id, text, make] of [
    ["query", query, () => makeTest(query, byId("field").value)],
    ["about", about, () => textTest(about)],
  ]) {
    byId(id).removeAttribute("aria-invalid");
    if (!text) continue;
    try {
      tests[id] = make();
    } catch (error) {
      return refuse(id, error, isQuery && id === "query" ? "" : "not a regular expression: ");
    }
  }
  let result;
  try {
    result = await patterns.settled(() => (turn === searches ? findIn(tests.query, tests.about, code) : null));
  } catch (error) {
    if (turn !== searches) return;
    return refuse(error.message.includes(`/${about.slice(1, -1)}/`) ? "about" : "query", error);
  }
  if (!result || turn !== searches) return;
  Object.assign(state, result, { test: tests.query, about: tests.about, code });
  sentences.setCount(state.found ? state.found.length : total);
  sentences.select(indexOf(state.current), false);
  sayFound();
}

// Return the sentences that pass the tests, null for all, and the number of matches.
function findIn(test, about, code) {
  if (!test && !about && !code) return { found: null, matches: 0 };
  const all = [];
  let matches = 0;
  for (const chunk of chunks) {
    if (!chunk) continue;
    let found = [];
    if (test) matches += searchChunk(chunk, test, found);
    else found = chunk.sentences.map((_, at) => chunk.start + at);
    const taken = about && aboutChunk(chunk, about);
    if (taken) found = found.filter((n) => taken[n - chunk.start]);
    if (code) found = found.filter((n) => hasCode(chunk, chunk.sentences[n - chunk.start], code));
    for (const n of found) all.push(n);
  }
  return { found: all, matches };
}

// List all sentences, and say what is wrong with the text of a box.
function refuse(id, error, wrong = "") {
  Object.assign(state, { test: null, about: null, found: null, matches: 0 });
  sentences.setCount(total);
  sayFound();
  byId(id).setAttribute("aria-invalid", "true");
  byId("found").textContent = `${wrong}${error.message}`;
}

function sayFound() {
  const { found } = state;
  const all = chunks.filter(Boolean).length === meta.chunks.length;
  let text = count(total, "sentence", "sentences");
  if (found) {
    text = `${number(found.length)} of ${text}`;
    if (state.test && !state.code && !state.about) text += `, ${count(state.matches, "match", "matches")}`;
    const at = found.indexOf(state.current);
    if (at >= 0) text = `${number(at + 1)} / ${text}`;
  }
  text = translated(text);
  byId("found").textContent = all ? text : `${text} …`;
  for (const id of ["match-before", "match-next"]) byId(id).disabled = !found || !found.length;
}

function indexOf(n) {
  return state.found ? state.found.indexOf(n) : n;
}

function step(by) {
  const { found, current } = state;
  if (!found || !found.length) {
    if (state.found) say(translated("no match"));
    return;
  }
  let at = by > 0 ? found.findIndex((n) => n > current) : found.findLastIndex((n) => n < current);
  if (at < 0) {
    at = by > 0 ? 0 : found.length - 1;
    say(translated(by > 0 ? "from the first match on" : "from the last match back"));
  }
  go(found[at]);
}

// --- lists that hold only their visible rows ------------------------------------------------------

class List {
  // Browsers limit the height of an element; in a longer list a pixel of the scroll bar is several rows.
  static HIGHEST = 8e6;

  constructor(node, { height, row, chosen, label }) {
    Object.assign(this, { node, height, row, chosen, label, count: 0, selected: -1, rows: new Map() });
    this.pad = el("div", { class: "pad" });
    node.append(this.pad);
    node.addEventListener("scroll", () => this.draw(), { passive: true });
    node.addEventListener("click", (event) => {
      const hit = event.target.closest(".row");
      if (hit) this.chosen(Number(hit.dataset.at));
    });
    node.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(node);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.node.clientHeight / this.height) - 1);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[event.key];
    let to = by && (this.selected < 0 ? 0 : this.selected + by);
    if (event.key === "Home") to = 0;
    if (event.key === "End") to = this.count - 1;
    if (event.key === "Enter" || event.key === " ") to = Math.max(this.selected, 0);
    if (to === undefined || !this.count) return;
    event.preventDefault();
    this.chosen(Math.min(Math.max(to, 0), this.count - 1), event.key);
  }

  setCount(count) {
    this.count = count;
    this.tall = Math.min(count * this.height, List.HIGHEST);
    this.pad.style.height = `${this.tall}px`;
    this.refresh();
  }

  refresh() {
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.draw();
  }

  // Return the first visible pixel of the list.
  top() {
    const seen = this.node.clientHeight;
    const whole = this.count * this.height;
    const room = this.tall - seen;
    return room > 0 && whole > this.tall ? this.node.scrollTop / room * (whole - seen) : this.node.scrollTop;
  }

  draw() {
    const top = this.top();
    const first = Math.max(0, Math.floor(top / this.height) - 4);
    const last = Math.min(this.count, Math.ceil((top + this.node.clientHeight) / this.height) + 4);
    for (const [at, row] of this.rows) {
      if (at < first || at >= last) {
        row.remove();
        this.rows.delete(at);
      }
    }
    const shift = this.node.scrollTop - top;
    for (let at = first; at < last; at++) {
      let row = this.rows.get(at);
      if (!row) {
        row = el("div", {
          class: "row", role: "option", id: `${this.node.id}-${at}`, "data-at": at,
          "aria-setsize": this.count, "aria-posinset": at + 1,
        }, ...this.row(at));
        row.style.height = `${this.height}px`;
        this.rows.set(at, row);
        this.pad.append(row);
      }
      row.style.top = `${at * this.height + shift}px`;
      row.setAttribute("aria-selected", at === this.selected);
    }
    if (this.rows.has(this.selected)) {
      this.node.setAttribute("aria-activedescendant", `${this.node.id}-${this.selected}`);
    } else {
      this.node.removeAttribute("aria-activedescendant");
    }
  }

  select(at, show = true) {
    this.selected = at;
    if (show && at >= 0) this.show(at);
    this.draw();
  }

  show(at) {
    const seen = this.node.clientHeight;
    const whole = this.count * this.height;
    const y = at * this.height;
    const top = this.top();
    if (y >= top && y + this.height <= top + seen) return;
    const wanted = Math.max(0, y < top ? y - this.height : y + 2 * this.height - seen);
    const room = this.tall - seen;
    this.node.scrollTop = whole > this.tall ? wanted / (whole - seen) * room : wanted;
  }
}

const sentences = new List(byId("list"), {
  height: 50,
  row(at) {
    const n = state.found ? state.found[at] : at;
    const found = rowOf(n);
    if (!found) return [el("span", { class: "id" }, `${number(n + 1)}`), el("span", { class: "said" }, "…")];
    const { chunk, row } = found;
    const incidents = (extraOf(row).incidents || []).length;
    const differences = differencesOf(row);
    return [
      el("span", { class: "id" },
        el("span", {}, row[0]),
        differences ? el("span", { class: "flag" }, `≠ ${differences}`, el("span", { class: "hidden" }, ` ${translated("differences")}`)) : "",
        incidents ? el("span", { class: "flag" }, `⚠ ${incidents}`, el("span", { class: "hidden" }, ` ${translated("incidents")}`)) : ""),
      el("span", { class: "said", lang: "ko" }, textOf(chunk, row)),
    ];
  },
  chosen(at) {
    go(state.found ? state.found[at] : at);
  },
});

// --- how wide a sentence is ----------------------------------------------------------------------

const canvas = document.createElement("canvas").getContext("2d");
const family = getComputedStyle(document.body).fontFamily;
const FONTS = {
  form: `16px ${family}`, lemma: `11.5px ${family}`, upos: `700 10.5px ${family}`,
  xpos: `10.5px ${family}`, number: `10px ${family}`, mwt: `13px ${family}`, arc: `11px ${family}`,
  span: `700 10.5px ${family}`,
};
const widths = new Map();

function wide(text, font) {
  const key = `${font}\t${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 20000) widths.clear();
    canvas.font = FONTS[font];
    width = canvas.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

const HEAD = 106; // the names of the rows
const NARROW = 520; // a screen on which names take less
const headWidth = () => (width < NARROW && !printing ? 74 : HEAD);
const SPACE = 13; // between eojeols
const JOINT = 3; // between tokens that no space parts
const PADDING = 13;

// Return which levels are shown: the last one alone, or none.
const lastLevel = (is) => meta.levels.map((_, level) => is && level === meta.levels.length - 1);

const shown = {
  levels: meta.levels.map(() => true), lemma: true, upos: true, xpos: true, tree: true,
  entities: true, frames: true, constituents: true, wrap: true,
};

// Return the lines of a word that are switched on.
function linesOf(word) {
  const lines = [["form", word.form]];
  if (shown.lemma) lines.push(["lemma", word.lemma]);
  if (shown.upos) lines.push(["upos", word.upos]);
  if (shown.xpos) lines.push(["xpos", word.xpos]);
  return lines;
}

// Return the cells of a level: words with their morphemes, and whether they begin or end a token.
function cellsOf(sentence, level) {
  const words = [];
  const tokens = [];
  for (const eojeol of sentence.eojeols) {
    let at = eojeol.begin;
    eojeol.levels[level].forEach((token, index, all) => {
      const gap = index === all.length - 1 ? SPACE : JOINT;
      const many = token.words.length > 1;
      const begin = at;
      token.words.forEach((word, place) => {
        const last = place === token.words.length - 1;
        words.push({
          word, begin: at, end: at += word.size, many, first: place === 0, last,
          gap: last ? gap : 0, eojeol,
        });
      });
      if (many) tokens.push({ form: token.form, begin, end: at, gap, eojeol });
    });
  }
  return { words, tokens };
}

// Return the cells of the treebank's own words.
function treeCells(sentence) {
  const { words } = sentence.tree;
  let place = 0;
  return words.map((word, at) => {
    while (place < sentence.eojeols.length - 1 && word.begin >= sentence.eojeols[place].end) place += 1;
    const eojeol = sentence.eojeols[place];
    const gap = word.end >= eojeol.end ? SPACE : JOINT;
    return { word, begin: word.begin, end: word.end, gap, eojeol, at };
  });
}

// Return the width of every column, so that all cells fit. A column is a morpheme.
function columnWidths(sentence, levels, tree) {
  const wanted = [];
  const add = (begin, end, width) => {
    if (end > begin) wanted.push({ begin, end, width });
  };
  const ofWord = (cell, more = 0) => Math.max(
    ...linesOf(cell.word).map(([name, text]) => wide(text, name)), more) + PADDING + cell.gap;
  for (const { words, tokens } of levels) {
    for (const cell of words) add(cell.begin, cell.end, ofWord(cell));
    for (const cell of tokens) add(cell.begin, cell.end, wide(cell.form, "mwt") + PADDING + cell.gap);
  }
  for (const cell of tree) {
    const relation = sentence.tree.hasArcs && shown.tree ? wide(cell.word.deprel, "arc") + 12 : 0;
    add(cell.begin, cell.end, ofWord(cell, relation));
  }
  if (shown.entities) {
    for (const entity of sentence.entities) {
      add(entity.begin, entity.end, wide(entity.type, "span") + 14 + SPACE);
    }
  }
  if (shown.frames) {
    for (const box of sentence.frames.flat()) {
      const text = Math.max(wide(box.name, "span"), wide(box.unit, "lemma"));
      add(box.begin, box.end, text + 14 + SPACE);
    }
  }
  if (shown.constituents) {
    for (const node of sentence.constituents) add(node.begin, node.end, wide(node.label, "arc") + 12);
  }
  wanted.sort((a, b) => (a.end - a.begin) - (b.end - b.begin));
  const columns = new Array(sentence.size).fill(8);
  for (const { begin, end, width } of wanted) {
    const lack = width - sum(columns.slice(begin, end));
    if (lack > 0) for (let at = begin; at < end; at++) columns[at] += lack / (end - begin);
  }
  if (sentence.tree?.hasArcs && shown.tree) widenForArcs(sentence.tree.words, tree, columns);
  return columns.map(Math.ceil);
}

// Push neighbours apart if the label of their arc does not fit between them.
function widenForArcs(words, cells, columns) {
  const centre = (cell) => (
    sum(columns.slice(0, cell.begin)) + (sum(columns.slice(cell.begin, cell.end)) - cell.gap) / 2);
  words.forEach((word, at) => {
    const head = word.head - 1;
    if (Math.abs(head - at) !== 1 || head < 0 || head >= words.length) return;
    const [left, right] = head < at ? [cells[head], cells[at]] : [cells[at], cells[head]];
    const lack = wide(word.deprel, "arc") + 34 - (centre(right) - centre(left));
    const last = right.end - 1;
    if (lack > 0 && left.end > left.begin && right.end > right.begin) {
      columns[left.end - 1] += lack;
      columns[last] += lack / 4;
    }
  });
}

// Return the runs of eojeols that fit in a line.
function systemsOf(sentence, columns, room) {
  const systems = [];
  let begin = 0;
  let width = 0;
  for (const eojeol of sentence.eojeols) {
    const own = sum(columns.slice(eojeol.begin, eojeol.end));
    if (shown.wrap && eojeol.begin > begin && width + own > room) {
      systems.push([begin, eojeol.begin]);
      begin = eojeol.begin;
      width = 0;
    }
    width += own;
  }
  systems.push([begin, sentence.size]);
  return systems;
}

// --- drawing a sentence ----------------------------------------------------------------------------

const types = new Map(meta.types.map((type, at) => [type, at % 12]));
const entityClass = (type) => `ent-${types.get(type) ?? 0}`;

// Return the description of a tag; its Korean name stands in brackets.
function described(text) {
  return (language.isKorean && /\(([^)]*[가-힣][^)]*)\)/.exec(text)?.[1]) || text;
}

function explain(tag) {
  const said = tag.split("+").map((one) => (meta.tags[one] ? `${one} ${described(meta.tags[one][1])}` : ""));
  return said.filter(Boolean).join("\n");
}

function wordNode(cell, entities, { number: shownNumber = false } = {}) {
  const { word } = cell;
  const one = cell.end - cell.begin === 1 && meta.tags[word.xpos];
  const part = cell.many;
  const classes = ["w"];
  if (one && /^[a-z]+$/.test(one[0])) classes.push(`is-${one[0]}`);
  classes.push(part ? "part" : "alone");
  if (cell.hit) classes.push("hit");
  if (cell.wrong) classes.push("wrong");
  if (part && cell.first) classes.push("first");
  if (part && cell.last) classes.push("last");
  const inside = shown.entities && entities.filter((e) => e.begin <= cell.begin && e.end >= cell.end).at(-1);
  if (inside && cell.end > cell.begin) classes.push(entityClass(inside.type));
  const test = state.test;
  const hits = { form: test?.form, lemma: test?.lemma, upos: test?.tag, xpos: test?.tag };
  const lines = linesOf(word).map(([name, text]) => el("span", {
    class: hits[name]?.(text) ? `${name} hit` : name, lang: name === "form" || name === "lemma" ? "ko" : "",
    title: name === "xpos" ? explain(text) : "",
  }, text));
  if (shownNumber) lines.unshift(el("span", { class: "number" }, String(word.number)));
  const wrong = cell.wrong ? translated("differs: {}", translated(cell.wrong)) : "";
  const node = el("div", { class: classes.join(" "), title: wrong }, ...lines);
  if (wrong) node.append(el("span", { class: "hidden" }, ` ${wrong}`));
  if (cell.gap) node.style.marginRight = `${cell.gap}px`;
  return node;
}

// Return a row of a table with empty cells between the given ones.
function tableRow(head, cells, [begin, end], make, name = "") {
  const row = el("tr", { class: name });
  if (head) row.append(head);
  let at = begin;
  const skip = (to) => {
    if (to > at) row.append(el("td", { colspan: to - at }));
    at = Math.max(at, to);
  };
  for (const cell of cells) {
    if (cell.end <= Math.max(begin, at) || cell.begin >= end) continue;
    skip(cell.begin);
    const to = Math.min(cell.end, end);
    row.append(el("td", { colspan: to - at, "data-eojeol": cell.eojeol ? cell.eojeol.begin : "" }, make(cell)));
    at = to;
  }
  skip(end);
  return row;
}

function header(title, said, rows = 1) {
  return el("th", { scope: "rowgroup", rowspan: rows > 1 ? rows : "" }, el("b", {}, title), said);
}

function drawSystem(sentence, parts, columns, span, place) {
  const [begin, end] = span;
  const table = el("table", { class: "system" });
  table.style.width = `${headWidth() + sum(columns.slice(begin, end))}px`;
  if (place) table.append(el("caption", {}, place));
  const group = el("colgroup");
  for (const width of [headWidth(), ...columns.slice(begin, end)]) {
    const column = el("col");
    column.style.width = `${width}px`;
    group.append(column);
  }
  table.append(group);
  const within = (cell) => cell.begin < end && cell.end > begin;
  if (parts.tree.length) table.append(drawTree(sentence, parts.tree, columns, span));
  if (shown.entities && sentence.entities.some(within)) table.append(drawEntities(sentence, span));
  if (shown.frames) {
    sentence.frames.forEach((boxes, at) => {
      if (boxes.some(within)) table.append(drawFrame(sentence, boxes, at, span));
    });
  }
  if (shown.constituents && sentence.constituents.some(within)) {
    table.append(drawConstituents(sentence, parts.levels, columns, span));
  }
  parts.levels.forEach(({ words, tokens }, level) => {
    if (!shown.levels[level]) return;
    const body = el("tbody");
    const own = tokens.filter(within);
    const head = header(translated(`Level ${level + 1}`), translated(meta.levels[level]), own.length ? 2 : 1);
    if (own.length) {
      body.append(tableRow(head, own, span, (cell) => {
        const node = el("div", { class: "mwt", lang: "ko" }, el("span", {
          class: state.test?.form(cell.form) ? "hit" : "",
        }, cell.form));
        node.style.marginRight = `${cell.gap}px`;
        return node;
      }));
    }
    body.append(tableRow(own.length ? null : head, words, span,
      (cell) => wordNode(cell, sentence.entities)));
    table.append(body);
  });
  return table;
}

function drawEntities(sentence, span) {
  const body = el("tbody");
  const depth = Math.max(...sentence.entities.map((entity) => entity.layer)) + 1;
  for (let layer = 0; layer < depth; layer++) {
    const cells = sentence.entities.filter((entity) => entity.layer === layer);
    const head = layer ? null : header(translated("Entities"), depth > 1 ? translated("nested") : "", depth);
    body.append(tableRow(head, cells, span, (entity) => {
      const classes = [entityClass(entity.type)];
      if (entity.wrong) classes.push("wrong");
      if (state.test?.type(entity.type)) classes.push("hit");
      const node = spanNode(sentence, entity, span, classes, entity.type);
      node.title = entity.wrong ? translated("{}: only here", entity.type) : entity.type;
      return node;
    }));
  }
  return body;
}

// Return the box of a part of a frame or of an entity.
function spanNode(sentence, { begin, end }, span, classes, ...children) {
  classes.push("span");
  if (begin < span[0]) classes.push("cut-left");
  if (end > span[1]) classes.push("cut-right");
  const node = el("div", { class: classes.join(" ") }, ...children);
  if (end <= span[1]) {
    const ends = sentence.eojeols.some((eojeol) => eojeol.end === end);
    node.style.marginRight = `${ends ? SPACE : 2}px`;
  }
  return node;
}

// Draw an instance of a frame: its target and its elements, and below it what the target itself is.
function drawFrame(sentence, boxes, at, span) {
  const body = el("tbody", { class: "frame" });
  const rows = [0, 1].map((row) => boxes.filter((box) => box.row === row)).filter((own) => own.length);
  rows.forEach((own, row) => {
    const title = translated(sentence.frames.length > 1 ? `Frame ${at + 1}` : "Frame");
    const said = boxes.find((box) => box.unit)?.unit ?? "";
    const head = row ? null : header(title, said, rows.length);
    body.append(tableRow(head, own, span, (box) => {
      const classes = [box.unit ? "target" : entityClass(box.name)];
      if (state.test?.frame(box.name) || (box.unit && state.test?.frame(box.unit))) classes.push("hit");
      const node = spanNode(sentence, box, span, classes, box.name,
        box.unit ? el("span", { class: "unit", lang: "ko" }, box.unit) : "");
      node.title = box.unit
        ? translated("target of {}: {}", box.name, box.unit) : translated("frame element {}", box.name);
      return node;
    }));
  });
  return body;
}

// --- constituents ----------------------------------------------------------------------------------

const STOREY = 26;

// Return the constituents that a line has, each with the one around it and its height above the words.
function nodesOf(constituents, [begin, end]) {
  const seen = [];
  const around = [];
  for (const { label, begin: from, end: to, depth, wrong } of constituents) {
    if (from >= end || to <= begin) continue;
    while (around.length && around.at(-1).depth >= depth) around.pop();
    const node = {
      label: `${from < begin ? "… " : ""}${label}${to > end ? " …" : ""}`, name: label, depth, wrong,
      begin: Math.max(from, begin), end: Math.min(to, end), above: around.at(-1), height: 1,
    };
    seen.push(node);
    around.push(node);
  }
  for (const node of [...seen].reverse()) {
    if (node.above) node.above.height = Math.max(node.above.height, node.height + 1);
  }
  return seen;
}

// Draw the phrase structure above the words of the first level that is shown.
function drawConstituents(sentence, levels, columns, span) {
  const [begin, end] = span;
  const level = shown.levels.indexOf(true);
  const words = level < 0 ? [] : levels[level].words.filter((cell) => cell.begin >= begin && cell.begin < end);
  const lefts = [0];
  for (let at = begin; at < end; at++) lefts.push(lefts.at(-1) + columns[at]);
  const nodes = nodesOf(sentence.constituents, span);
  const top = Math.max(...nodes.map((node) => node.height));
  const gapAt = new Map(words.map((cell) => [cell.end, cell.gap]));
  const middle = (from, to) => (lefts[from - begin] + lefts[Math.min(to, end) - begin] - (gapAt.get(to) ?? 0)) / 2;
  const base = top * STOREY + 12;
  const yOf = (node) => (top - node.height) * STOREY + 14;
  const width = lefts.at(-1);
  const drawing = svg("svg", {
    width, height: base, role: "img", class: "constituents",
    "aria-label": translated("Constituents: {}", bracketed(nodes, words)),
  });
  const line = (x1, y1, x2, y2, name = "") => svg("path", { class: name, d: `M${x1} ${y1}L${x2} ${y2}` });
  for (const node of nodes) {
    if (!node.above) continue;
    drawing.append(line(middle(node.above.begin, node.above.end), yOf(node.above) + 4,
      middle(node.begin, node.end), yOf(node) - 11));
  }
  for (const cell of words) {
    // A constituent may end inside of a word.
    const owner = nodes.filter((node) => node.begin <= cell.begin && node.end > cell.begin).at(-1);
    if (!owner) continue;
    const name = owner.end < Math.min(cell.end, end) ? "cut" : "";
    drawing.append(line(middle(owner.begin, owner.end), yOf(owner) + 4, middle(cell.begin, cell.end), base - 2, name));
  }
  for (const node of nodes) {
    const half = wide(node.label, "arc") / 2 + 2;
    const x = Math.min(Math.max(middle(node.begin, node.end), half), Math.max(width - half, half));
    const name = [state.test?.label(node.name) ? "hit" : "", node.wrong ? "wrong" : ""].join(" ").trim();
    drawing.append(svg("text", { x, y: yOf(node), class: name }, node.label));
  }
  const said = level < 0 ? "" : translated(`over level ${level + 1}`);
  return el("tbody", { class: "tree" },
    el("tr", { class: "arcs" }, header(translated("Constituents"), said), el("td", { colspan: end - begin }, drawing)));
}

// Return the constituents of a line in brackets, for those who hear the page.
function bracketed(nodes, words) {
  const parts = [];
  const open = [];
  let at = 0;
  for (const cell of words) {
    while (at < nodes.length && nodes[at].begin <= cell.begin) {
      parts.push(`(${nodes[at].label}`);
      open.push(nodes[at]);
      at += 1;
    }
    parts.push(cell.word.form);
    while (open.length && open.at(-1).end <= cell.end) {
      open.pop();
      parts.push(")");
    }
  }
  return parts.join(" ").replaceAll(" )", ")");
}

function drawTree(sentence, cells, columns, span) {
  const body = el("tbody", { class: "tree" });
  const [begin, end] = span;
  const { level, hasArcs } = sentence.tree;
  const said = translated(level ? `= level ${level}` : "cut its own way");
  const lefts = [0];
  for (let at = begin; at < end; at++) lefts.push(lefts.at(-1) + columns[at]);
  const drawn = hasArcs && shown.tree;
  if (drawn) {
    for (const cell of cells) cell.word.wrong = cell.wrong;
    const arcs = drawArcs(sentence.tree.words, cells, lefts, span);
    body.append(el("tr", { class: "arcs" }, header(translated("Tree"), said, 2), el("td", { colspan: end - begin }, arcs)));
  }
  body.append(tableRow(drawn ? null : header(translated("Words"), said), cells, span, (cell) => {
    const node = wordNode(cell, sentence.entities, { number: true });
    const { word } = cell;
    if (word.head >= 0) {
      const governor = word.head ? sentence.tree.words[word.head - 1] : null;
      const said = governor ? translated("{} of {} {}", word.deprel, governor.number, governor.form) : word.deprel;
      node.append(el("span", { class: "hidden" }, ` ${said}`));
    }
    node.dataset.word = cell.at;
    return node;
  }));
  return body;
}

// --- arcs ------------------------------------------------------------------------------------------

const STEP = 21;
const ROUND = 9;

// Return the visible arcs of a line: whole arcs, arcs that leave it on a side, and the root's arc.
function arcsOf(words, first, last) {
  const found = [];
  words.forEach((word, at) => {
    if (word.head < 0) return;
    const head = word.head - 1;
    const here = (one) => one >= first && one < last;
    if (head < 0 || head >= words.length) {
      if (here(at)) found.push({ at, head: -1, low: at, high: at, word, wrong: word.wrong });
      return;
    }
    if (!here(at) && !here(head)) return;
    const low = Math.min(at, head);
    const high = Math.max(at, head);
    found.push({
      at, head, word, wrong: word.wrong, low: Math.max(low, first - 0.5), high: Math.min(high, last - 0.5),
      openLeft: low < first, openRight: high >= last, far: here(at) ? head : at,
    });
  });
  return found;
}

// Give each arc a height above all arcs, and labels at the ends of the line, below it.
function raise(arcs) {
  const placed = [];
  for (const arc of [...arcs].sort((a, b) => (a.high - a.low) - (b.high - b.low) || a.low - b.low)) {
    if (arc.head < 0) continue;
    const below = placed.filter((one) => (
      (one.low < arc.high && arc.low < one.high) || (one.left < arc.right && arc.left < one.right)));
    arc.height = 1 + Math.max(0, ...below.map((one) => one.height));
    placed.push(arc);
  }
  const top = Math.max(0, ...placed.map((arc) => arc.height)) + 1;
  for (const arc of arcs) if (arc.head < 0) arc.height = top;
  return top;
}

// Order the ends of the arcs at each word, so that they do not cross.
function feet(arcs, centre, room) {
  const at = new Map();
  const ends = new Map();
  for (const arc of arcs) {
    for (const word of arc.head < 0 ? [arc.at] : [arc.at, arc.head]) {
      if (!centre.has(word)) continue;
      if (!ends.has(word)) ends.set(word, []);
      ends.get(word).push(arc);
    }
  }
  for (const [word, own] of ends) {
    const side = (arc) => (arc.head < 0 ? 0 : (arc.low < word ? -1 : 1));
    own.sort((a, b) => side(a) - side(b)
      || (side(a) < 0 ? b.low - a.low : b.high - a.high));
    const space = Math.min(7, (room.get(word) - 8) / Math.max(1, own.length));
    own.forEach((arc, place) => {
      const x = centre.get(word) + (place - (own.length - 1) / 2) * space;
      at.set(`${arc.at} ${word}`, Math.round(x * 2) / 2);
    });
  }
  return (arc, word) => at.get(`${arc.at} ${word}`);
}

function drawArcs(words, cells, lefts, [begin, end]) {
  const seen = cells.filter((cell) => cell.begin >= begin && cell.begin < end);
  const width = lefts.at(-1);
  const first = seen.length ? seen[0].at : 0;
  const last = seen.length ? seen.at(-1).at + 1 : 0;
  const centre = new Map();
  const room = new Map();
  for (const cell of seen) {
    const left = lefts[cell.begin - begin];
    const right = lefts[Math.min(cell.end, end) - begin] - cell.gap;
    centre.set(cell.at, (left + right) / 2);
    room.set(cell.at, right - left);
  }
  const arcs = arcsOf(words, first, last);
  for (const arc of arcs) {
    const { deprel } = arc.word;
    arc.text = arc.openLeft ? `${arc.far + 1} ◂ ${deprel}` : arc.openRight ? `${deprel} ▸ ${arc.far + 1}` : deprel;
    const label = wide(arc.text, "arc") + 8;
    arc.left = arc.openLeft ? 0 : Math.min(centre.get(arc.low), arc.openRight ? width - label : Infinity);
    arc.right = arc.openRight ? width : Math.max(centre.get(arc.high), arc.openLeft ? label : 0);
  }
  const top = raise(arcs);
  const foot = feet(arcs, centre, room);
  const base = top * STEP + 8;
  const drawing = svg("svg", { width, height: base + 3, "aria-hidden": "true", focusable: "false" });
  // The foot of a high arc may stand where a low one has its label, which covers it.
  for (const arc of [...arcs].sort((a, b) => b.height - a.height)) drawing.append(drawArc(arc, foot, base, width));
  return drawing;
}

function drawArc(arc, foot, base, width) {
  const y = base - arc.height * STEP + 2;
  const to = foot(arc, arc.at);
  const label = arc.word.deprel;
  const group = svg("g", {
    class: `arc${arc.openLeft || arc.openRight ? " open" : ""}${arc.wrong ? " wrong" : ""}${state.test?.deprel(label) ? " hit" : ""}`,
    "data-at": arc.at, "data-head": arc.head,
  });
  const tip = (x) => svg("path", { class: "tip", d: `M${x} ${base}l-3.5 -7h7z` });
  if (arc.head < 0) {
    group.append(svg("path", { d: `M${to} ${y + 4}V${base - 6}` }), tip(to),
      svg("text", { x: Math.max(to, wide(label, "arc") / 2 + 4), y: y + 2 }, label));
    return group;
  }
  const from = foot(arc, arc.head);
  const rightwards = arc.head < arc.at;
  const ends = rightwards ? [from, to] : [to, from];
  const left = arc.openLeft ? 0 : ends[0];
  const right = arc.openRight ? width : ends[1];
  const round = Math.min(ROUND, Math.max(1, (right - left) / 2));
  const tipped = (x) => (x === to ? base - 6 : base);
  const path = [];
  path.push(arc.openLeft ? `M${left} ${y}` : `M${left} ${tipped(left)}V${y + round}Q${left} ${y} ${left + round} ${y}`);
  path.push(arc.openRight ? `H${right}` : `H${right - round}Q${right} ${y} ${right} ${y + round}V${tipped(right)}`);
  group.append(svg("path", { d: path.join("") }));
  if (to !== undefined) group.append(tip(to));
  const half = wide(arc.text, "arc") / 2 + 4;
  const x = arc.openLeft ? half : arc.openRight ? Math.max(width - half, half) : (left + right) / 2;
  group.append(svg("text", { x, y: y + 3.5 }, arc.text));
  return group;
}

// --- the text of a sentence, its entities and incidents marked ------------------------------------

function drawText(sentence) {
  const node = el("p", { class: "text", lang: "ko" });
  const entities = shown.entities ? [...sentence.entities] : [];
  entities.sort((a, b) => a.from - b.from || b.to - a.to || a.layer - b.layer);
  fill(node, sentence, 0, sentence.text.length, entities);
  if (sentence.source) {
    node.append(el("span", { class: "of-source" }, translated("in the source: {}", sentence.source)));
  }
  return node;
}

function fill(node, sentence, from, to, entities) {
  let at = from;
  while (entities.length) {
    const entity = entities.shift();
    const begin = Math.max(entity.from, at);
    const end = Math.min(entity.to, to);
    if (begin >= end) continue;
    plain(node, sentence, at, begin);
    const inside = [];
    while (entities.length && entities[0].from < end) inside.push(entities.shift());
    // What goes on behind this entity is marked once more there.
    entities.unshift(...inside.filter((one) => one.to > end).map((one) => ({ ...one, from: end })));
    const mark = el("mark", { class: `ent ${entityClass(entity.type)}` });
    fill(mark, sentence, begin, end, inside);
    mark.append(el("span", { class: "type" }, entity.type));
    node.append(mark);
    at = end;
  }
  plain(node, sentence, at, to);
}

// Return a piece of the text, with marks on eojeols with incidents and on matches.
function plain(node, sentence, from, to) {
  for (const eojeol of sentence.eojeols) {
    const begin = Math.max(from, eojeol.from);
    const end = Math.min(to, eojeol.from + eojeol.form.length);
    if (begin < end) {
      const text = sentence.text.slice(begin, end);
      const classes = [];
      if (eojeol.flagged) classes.push("flagged");
      if (state.test?.form(eojeol.form)) classes.push("hit");
      node.append(classes.length ? el("span", { class: classes.join(" ") }, text) : text);
    }
    const space = eojeol.from + eojeol.form.length;
    if (space >= from && space < to) node.append(" ");
  }
}

// --- the sentence ----------------------------------------------------------------------------------

const MARGIN = 22; // on both sides of what is in the article
let width = byId("detail").clientWidth;
let printing = 0;

function redraw() {
  if (state.current < 0 || !rowOf(state.current)) return;
  if (!byId("figure")) return;
  const turn = searches;
  // A text that no search has tested yet may be marked later.
  patterns.settled(draw).catch((error) => turn === searches && refuse("query", error));
}

function draw() {
  const figure = byId("figure");
  const { sentence } = state;
  byId("text").replaceChildren(drawText(sentence));
  if (!meta.beside) {
    figure.replaceChildren(...drawFigure(sentence));
    return;
  }
  const sides = sentence.other ? [sentence, sentence.other] : [sentence];
  const same = sentence.other?.text === sentence.text;
  figure.replaceChildren(...sides.flatMap((side, at) => [
    el("h3", { class: "side" }, translated(meta.beside[sentence.other ? at : meta.files.indexOf(side.file)])),
    at && !same ? drawText(side) : "", ...drawFigure(side)]).filter(Boolean));
}

// Return the parts of the figure of a sentence, a line each.
function drawFigure(sentence) {
  const levels = meta.levels.map((_, level) => cellsOf(sentence, level));
  const tree = sentence.tree && shown.tree ? treeCells(sentence) : [];
  markHits(sentence, tree, levels.at(-1).words);
  const columns = columnWidths(sentence, levels.filter((_, level) => shown.levels[level]), tree);
  const room = Math.max(printing || width - 2 * MARGIN, 300) - headWidth() - 2;
  const systems = systemsOf(sentence, columns, room);
  return systems.map((span, at) => el("div", { class: "part-of" }, drawSystem(
    sentence, { levels, tree }, columns, span, systems.length > 1 ? translated(`${at + 1} of ${systems.length}`) : "")));
}

// Mark the words that a query finds: the treebank's own words, or else the morphemes.
function markHits(sentence, tree, morphemes) {
  const cells = sentence.tree ? tree : morphemes;
  const { words } = sentence.marks;
  if (words) cells.forEach((cell, at) => { cell.wrong = words[at] ?? words[-1]; });
  if (!state.test?.find) return;
  for (const at of state.test.find(sentence.chunk, sentence.row)) if (cells[at]) cells[at].hit = true;
}

function drawSentence() {
  const n = state.current;
  const sentence = state.sentence = view(n);
  const detail = byId("detail");
  // Measure before changing: a change would force another layout.
  detail.scrollTop = 0;
  sentences.select(indexOf(n));
  sayFound();
  const where = [translated(`${number(n + 1)} of ${number(total)}`)];
  if (meta.files.length > 1) where.push(sentence.file);
  if (sentence.line) where.push(translated(`line ${sentence.line}`));
  const button = (label, sign, by, key) => {
    const node = el("button", { type: "button", "aria-label": label, title: `${label} (${key})` }, sign);
    node.disabled = indexOf(n) + by < 0;
    node.addEventListener("click", () => move(by));
    return node;
  };
  const link = el("a", { href: linkTo(sentence.id), title: translated("Link to this sentence") }, sentence.id);
  // Sentences of several files may have one id, which leads to the first of them.
  findId(sentence.id).then((first) => { if (first !== n) link.href = `#sentence/${n + 1}`; });
  detail.replaceChildren(
    el("div", { class: "head" },
      button(translated("Previous sentence"), "←", -1, "k"), button(translated("Next sentence"), "→", 1, "j"),
      el("h2", {}, link),
      el("span", { class: "place" }, where.join(" · ")), exportButtons(sentence)),
    toggles(sentence),
    el("div", { id: "text" }),
    el("div", { id: "figure", class: "figure", tabindex: "0", role: "group", "aria-label": translated("The sentence at five levels") }),
    incidentsOf(sentence), wordsOf(sentence), commentsOf(sentence));
  redraw();
}

// --- copies and pictures of a sentence -----------------------------------------------------------------

const linkTo = (id) => `#id/${encodeURIComponent(id)}`;

function exportButtons(sentence) {
  const hasArcs = Boolean(sentence.tree?.hasArcs);
  const node = el("span", { class: "exports" });
  const add = (label, title, name, make) => {
    const button = el("button", { type: "button", title: translated(title) }, label);
    button.addEventListener("click", () => offer(label, `${sentence.id}${name}`, make()));
    node.append(button);
  };
  const level = () => shown.levels.lastIndexOf(true) + 1 || meta.levels.length;
  add("CoNLL-U", "Copy the sentence as CoNLL-U: its lines in the file, or the last level that is shown", ".conllu",
    () => (sentence.lines ? `${sentence.lines}\n\n` : exporting.conllu(sentence, level())));
  if (sentence.picture) add("SVG", "Save as a file", ".svg", () => sentence.picture);
  else if (hasArcs || sentence.constituents.length) {
    add("SVG", hasArcs ? "Save a picture of the dependencies" : "Save a picture of the constituents", ".svg", () => picture(sentence));
  }
  if (hasArcs || sentence.constituents.length || sentence.eojeols[0]?.gloss) {
    add("LaTeX", "Copy an interlinear example for gb4e, and trees for tikz-dependency and forest", ".tex",
      () => exporting.all(sentence));
  }
  return node;
}

// Show a text to copy or to save; it is on the clipboard if the browser lets it.
async function offer(title, name, text) {
  byId("export-title").textContent = title;
  byId("export-text").value = text;
  const file = byId("export-file");
  if (file.href) URL.revokeObjectURL(file.href);
  file.download = name.replace(/[^\p{L}\p{N}._-]+/gu, "_");
  file.href = URL.createObjectURL(new Blob([text], { type: name.endsWith(".svg") ? "image/svg+xml" : "text/plain" }));
  byId("export-said").textContent = "";
  byId("export").showModal();
  byId("export-text").select();
  byId("export-text").scrollTop = 0;
  await copyText();
}

async function copyText() {
  try {
    await navigator.clipboard.writeText(byId("export-text").value);
    byId("export-said").textContent = translated("The text is on the clipboard.");
  } catch {
    byId("export-said").textContent = translated("The browser does not let the page copy: the text is selected.");
    byId("export-text").select();
  }
}

byId("export-copy").addEventListener("click", copyText);

const PICTURE = `text { font-family: ${family}; font-size: 11px; text-anchor: middle; fill: #000; }
.form { font-size: 16px; } .upos { font-weight: bold; font-size: 10.5px; }
path { fill: none; stroke: #333; stroke-width: 1.2; } .tip { fill: #333; stroke: none; }
.constituents .cut { stroke-dasharray: 3 3; }
.arc text, .constituents text { paint-order: stroke; stroke: #fff; stroke-width: 5px; }`;

// Return the drawing of the dependencies, or of the constituents, in one line, as an SVG of its own.
function picture(sentence) {
  const hasArcs = Boolean(sentence.tree?.hasArcs);
  const was = { ...shown, levels: shown.levels };
  Object.assign(shown, { lemma: false, upos: true, xpos: false, tree: true, levels: lastLevel(!hasArcs) });
  try {
    const levels = meta.levels.map((_, level) => cellsOf(sentence, level));
    const tree = hasArcs ? treeCells(sentence) : [];
    const columns = columnWidths(sentence, hasArcs ? [] : [levels.at(-1)], tree);
    const lefts = [0];
    for (const column of columns) lefts.push(lefts.at(-1) + column);
    const span = [0, sentence.size];
    const drawing = hasArcs ? drawArcs(sentence.tree.words, tree, lefts, span)
      : drawConstituents(sentence, levels, columns, span).querySelector("svg");
    const height = Number(drawing.getAttribute("height"));
    for (const cell of hasArcs ? tree : levels.at(-1).words) {
      const x = (lefts[cell.begin] + lefts[cell.end] - cell.gap) / 2;
      drawing.append(svg("text", { x, y: height + 15, class: "form" }, cell.word.form),
        svg("text", { x, y: height + 31, class: "upos" }, cell.word.upos));
    }
    for (const name of ["aria-hidden", "focusable"]) drawing.removeAttribute(name);
    drawing.setAttribute("height", height + 38);
    drawing.setAttribute("viewBox", `0 0 ${lefts.at(-1)} ${height + 38}`);
    drawing.prepend(svg("title", {}, sentence.text), svg("style", {}, PICTURE));
    return `${new XMLSerializer().serializeToString(drawing)}\n`;
  } finally {
    Object.assign(shown, was);
  }
}

function toggles(sentence) {
  const node = el("fieldset", { class: "toggles" }, el("legend", { class: "hidden" }, translated("What is shown")));
  const add = (label, get, set) => {
    const box = el("input", { type: "checkbox" });
    box.checked = get();
    box.addEventListener("change", () => {
      set(box.checked);
      redraw();
    });
    node.append(el("label", {}, box, translated(label)));
  };
  const flag = (label, name) => add(label, () => shown[name], (on) => { shown[name] = on; });
  node.append(el("span", { "aria-hidden": "true" }, translated("levels")));
  shown.levels.forEach((_, level) => add(`${level + 1}`, () => shown.levels[level], (on) => { shown.levels[level] = on; }));
  node.append(el("span", { "aria-hidden": "true" }, translated("rows")));
  flag("lemma", "lemma");
  flag("UPOS", "upos");
  flag("XPOS", "xpos");
  node.append(el("span", { "aria-hidden": "true" }, translated("layers")));
  if (sentence.tree) flag(sentence.tree.hasArcs ? "tree" : "the file's words", "tree");
  if (sentence.frames.length) flag("frames", "frames");
  if (sentence.constituents.length) flag("constituents", "constituents");
  flag("entities", "entities");
  flag("wrap", "wrap");
  return node;
}

function incidentsOf(sentence) {
  if (!sentence.incidents.length) return "";
  const list = el("ul", { class: "said-of" });
  for (const incident of sentence.incidents) {
    const eojeol = incident.eojeol ? sentence.eojeols[incident.eojeol - 1].form : "";
    const place = [
      incident.line ? translated(`line ${incident.line}`) : "",
      incident.token && translated("token {}", incident.token), eojeol && translated("in {}", eojeol),
    ];
    const chosen = state.incident && state.incident.n === sentence.n
      && state.incident.code === incident.code && state.incident.message === incident.message
      && state.incident.token === incident.token;
    list.append(el("li", { class: `${incident.code[0] === "E" ? "error" : ""}${chosen ? " chosen" : ""}`.trim() },
      el("a", { class: "code", href: `#incidents/${incident.code}/${sentence.n + 1}`, title: meta.codes[incident.code]?.[0] ?? "" }, incident.code),
      ` ${incident.message} `, el("span", { class: "count" }, place.filter(Boolean).join(", "))));
  }
  return el("section", { "aria-label": translated("Incidents of this sentence") },
    el("h3", {}, translated(`Incidents (${sentence.incidents.length})`)), list);
}

function wordsOf(sentence) {
  if (!sentence.tree) return "";
  const names = ["ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"];
  const details = el("details", {}, el("summary", {}, translated("The words with all columns of the file")));
  details.open = window !== parent; // on the page to type into
  details.addEventListener("toggle", () => {
    if (!details.open || details.querySelector("table")) return;
    const body = el("tbody");
    for (const word of sentence.tree.words) {
      const head = word.head < 0 ? "_" : String(word.head);
      const cells = [word.number, word.form, word.lemma, word.upos, word.xpos, word.feats, head, word.deprel, word.deps, word.misc || "_"];
      body.append(el("tr", {}, ...cells.map((cell) => el("td", {}, String(cell)))));
    }
    details.append(el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": translated("Columns") },
      el("table", { class: "plain" },
        el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name)))), body)));
  });
  return details;
}

function commentsOf(sentence) {
  if (!sentence.comments.length) return "";
  return el("details", {}, el("summary", {}, translated(`Comments (${sentence.comments.length})`)),
    ...sentence.comments.map((comment) => el("p", { class: "comments" }, `# ${comment}`)));
}

// --- incidents -------------------------------------------------------------------------------------

let allIncidents = null;
let listed = [];

async function gatherIncidents() {
  const found = [];
  for (let at = 0; at < meta.chunks.length; at++) {
    const chunk = await load(at);
    chunk.sentences.forEach((row, place) => {
      for (const [which, line, token, eojeol] of extraOf(row).incidents || []) {
        const [code, message] = chunk.incidents[which];
        found.push({ n: chunk.start + place, id: row[0], file: row[1], code, message, line, token, eojeol });
      }
    });
  }
  await whole;
  if (byId("elsewhere")) {
    for (const [code, message, file, line, id, token] of await unpack("elsewhere")) {
      found.push({ n: -1, id, file, code, message, line, token, eojeol: 0 });
    }
  }
  return found;
}

const incidentList = new List(byId("incident-list"), {
  height: 50,
  row(at) {
    const incident = listed[at];
    const file = meta.files.length > 1 ? `${meta.files[incident.file]} ` : "";
    const line = incident.line ? translated(`line ${incident.line}`) : "";
    const place = `${file}${line}${incident.token ? `, ${translated("token {}", incident.token)}` : ""}`;
    return [
      el("span", { class: "id" },
        el("span", {}, el("b", { class: "code" }, incident.code), ` ${incident.id} `),
        el("span", {}, incident.n < 0 ? `${place} ${translated("(its sentence is not here)")}` : place)),
      el("span", { class: "said" }, incident.message),
    ];
  },
  chosen(at, key) {
    incidentList.select(at);
    if (key && key !== "Enter" && key !== " ") return;
    const incident = listed[at];
    if (incident.n < 0) {
      say(translated("The sentence of this incident is not in the report"));
      return;
    }
    state.incident = incident;
    location.hash = `#sentence/${incident.n + 1}`;
  },
});

async function showIncidents(code, n) {
  allIncidents ??= await gatherIncidents();
  state.incidentCode = code;
  listed = code ? allIncidents.filter((incident) => incident.code === code) : allIncidents;
  for (const row of document.querySelectorAll(".codes tr[data-code]")) {
    if (row.dataset.code === code) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
  const of = code ? `${meta.codes[code]?.[1] ?? listed.length}` : meta.incidents;
  const all = Number(of);
  byId("shown").textContent = listed.length < all
    ? translated("{} of {} {} are listed", number(listed.length), number(all), code || translated("incidents"))
    : code ? translated(listed.length === 1 ? "{} incident of {}" : "{} incidents of {}", number(listed.length), code)
      : translated(count(listed.length, "incident", "incidents"));
  incidentList.setCount(listed.length);
  const at = n ? listed.findIndex((incident) => incident.n === n - 1) : -1;
  incidentList.select(at);
}

// --- frequency lists -------------------------------------------------------------------------------

const MOST_ROWS = 1000; // that are shown; the saved list has all

byId("frequencies").addEventListener("submit", async (event) => {
  event.preventDefault();
  const said = byId("count-said");
  byId("count-list").replaceChildren();
  try {
    said.textContent = translated("Counting …");
    const holds = queries.compile(queries.parse(byId("counted").value, patterns.make));
    const paths = byId("keys-counted").value.split(",").map((key) => queries.path(key.trim()));
    const { rows, matches } = await countBy(holds, paths);
    said.textContent = translated(`${count(matches, "word", "words")}, ${count(rows.length, "different row", "different rows")}`
      + (rows.length > MOST_ROWS ? `, of which the list has the first ${MOST_ROWS}` : "")
      + (total < meta.sentences ? `, of the ${count(total, "sentence that is", "sentences that are")} shown` : ""));
    byId("count-list").replaceChildren(
      saving({ CSV: [".csv", () => exporting.csv(rowsOf(countTable(rows, matches, paths)))] }, "frequencies"),
      countTable(rows.slice(0, MOST_ROWS), matches, paths));
  } catch (error) {
    said.textContent = error.message;
  }
});

async function countBy(holds, paths) {
  const counts = new Map();
  let matches = 0;
  for (let number = 0; number < meta.chunks.length; number++) {
    const chunk = await load(number);
    const keys = await patterns.settled(() => chunk.sentences.flatMap((row) => {
      const words = queryWords(chunk, row);
      const places = words.map((_, at) => at).filter((at) => holds(words, at));
      return places.map((at) => (
        paths.map((path) => queries.values(words, at, path).join("|") || "_").join("\t")));
    }));
    for (const key of keys) counts.set(key, (counts.get(key) || 0) + 1);
    matches += keys.length;
  }
  const rows = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : a > b ? 1 : 0));
  return { rows, matches };
}

function countTable(rows, matches, paths) {
  const names = paths.map(({ steps, key }) => [...steps, key].join("."));
  return el("table", { class: "plain" },
    el("thead", {}, el("tr", {}, ...[...names, translated("count"), translated("share")].map((name, at) => (
      el("th", { scope: "col", class: at >= names.length ? "n" : "" }, name))))),
    el("tbody", {}, ...rows.map(([key, n]) => el("tr", {},
      ...key.split("\t").map((value) => el("td", { lang: "ko" }, value)),
      el("td", { class: "n" }, number(n)), el("td", { class: "n" }, `${(100 * n / matches).toFixed(1)}%`)))));
}

// Return the texts of the cells of a table; numbers have no commas.
function rowsOf(table) {
  const plain = (text) => (/^\d{1,3}(,\d{3})+$/.test(text) ? text.replaceAll(",", "") : text);
  return [...table.rows].map((row, at) => [...row.cells].map(({ textContent }) => (at ? plain(textContent) : textContent)));
}

// Return a button for each label, which offers a text to save under a name with an ending.
function saving(buttons, name) {
  return el("span", { class: "exports" }, ...Object.entries(buttons).map(([label, [ending, make]]) => {
    const button = el("button", { type: "button", title: translated("Save as a file") }, label);
    button.addEventListener("click", () => offer(label, `${name}${ending}`, make()));
    return button;
  }));
}

// --- charts ----------------------------------------------------------------------------------------

// The charts of the statistics are drawn from the tables that stand below them.
const CHART = 640; // the width of a chart; the figure scales it
const BAR = 17; // the height of a bar with its gap
const MOST = 45; // bars below one another
const DRAWN = 0.995; // of the counts of a histogram
const LABEL = 24; // characters of a name
const CHART_STYLE = `text { font: 11px ${family}; fill: #59616e; } .name, .title { fill: #16191f; }
.title { font-weight: 700; } .end { text-anchor: end; } .middle { text-anchor: middle; }
.grid { stroke: #c3c9d3; stroke-width: .6; } .bar-0 { fill: #3b7dc4; } .bar-1 { fill: #4a9a6a; }
.bar-2 { fill: #b5702d; } .bar-3 { fill: #8560b3; }`;

const cutLabel = (text) => (text.length > LABEL ? `${text.slice(0, LABEL - 1)}…` : text);
const widest = (texts) => Math.max(0, ...texts.map((text) => wide(text, "arc")));
const textAt = (x, y, text, more = {}) => svg("text", { x, y, ...more }, text);

function drawCharts() {
  for (const figure of document.querySelectorAll("figure[data-chart]")) {
    const rows = [...figure.querySelectorAll("tr")].map((row) => [...row.cells].map((cell) => cell.textContent));
    const [head, ...cells] = rows;
    const names = cells.map(([name]) => name);
    const panels = head.map((title, at) => ({ title, texts: cells.map((row) => row[at]) }))
      .filter(({ texts }, at) => at && texts.every((text) => /^[\d,.]+$/.test(text)))
      .map(({ title, texts }) => ({ title, texts, values: texts.map((text) => Number(text.replaceAll(",", ""))) }));
    const shape = figure.dataset.chart;
    const [height, nodes, note] = ["bars", "shares"].includes(shape)
      ? drawBars(names, panels, shape === "shares") : drawColumns(names, panels, shape === "histogram");
    const title = figure.querySelector("h3").textContent;
    const chart = svg("svg", { viewBox: `0 0 ${CHART} ${height}`, role: "img", "aria-label": translated("Chart: {}", title) }, ...nodes);
    if (note) figure.querySelector("figcaption").append(el("p", {}, note));
    const table = figure.querySelector("details");
    const name = figure.id.replace("figure-", "");
    const scroller = el("div", { class: "scroll", tabindex: innerWidth < CHART && "0", role: "group", "aria-label": title }, chart);
    table.before(scroller, saving({
      SVG: [".svg", () => chartFile(chart, height)],
      CSV: [".csv", () => exporting.csv(rowsOf(table.querySelector("table")))],
    }, name));
    table.open = false;
  }
}

// Return a chart as a file of its own, in the colours of the page by day.
function chartFile(chart, height) {
  const copy = chart.cloneNode(true);
  for (const [name, value] of [["width", CHART], ["height", height]]) copy.setAttribute(name, value);
  copy.prepend(svg("title", {}, chart.getAttribute("aria-label")), svg("style", {}, CHART_STYLE));
  return `${new XMLSerializer().serializeToString(copy)}\n`;
}

// Draw bars below one another; all panels have one scale.
function drawBars(names, panels, shares) {
  const drawn = names.slice(0, MOST);
  const parts = panels.map(({ title, texts, values }) => {
    const all = sum(values) || 1;
    return shares ? {
      title, values: values.map((value) => value / all),
      texts: values.map((value) => `${(100 * value / all).toFixed(1)}%`),
    } : { title, values, texts };
  });
  const left = widest(drawn.map(cutLabel)) + 8;
  const room = (CHART - left) / panels.length;
  const longest = room - widest(parts.flatMap(({ texts }) => texts)) - 14;
  const top = Math.max(...parts.flatMap(({ values }) => values)) || 1;
  const above = panels.length > 1 ? 22 : 4;
  const nodes = drawn.map((name, row) => textAt(left - 6, above + row * BAR + 12, cutLabel(name), { class: "name end" }));
  parts.forEach(({ title, texts, values }, at) => {
    const x = left + at * room;
    if (panels.length > 1) nodes.push(textAt(x, 13, title, { class: "title" }));
    drawn.forEach((name, row) => {
      const y = above + row * BAR;
      const width = longest * values[row] / top;
      nodes.push(svg("rect", { x, y: y + 2, width, height: BAR - 4, class: "bar-0" }), textAt(x + width + 4, y + 12, texts[row]));
    });
  });
  const note = names.length > MOST ? translated(`The chart has the first ${MOST} of ${number(names.length)}; the table has all.`) : "";
  return [above + drawn.length * BAR + 4, nodes, note];
}

// Draw bars beside one another; every panel has its own scale.
function drawColumns(names, panels, onScale) {
  const room = CHART / panels.length;
  const [top, floor] = [34, 190];
  const nodes = [];
  let cut = false;
  panels.forEach(({ title, texts, values }, at) => {
    const ends = onScale ? tailOf(values) : values.length;
    cut ||= values.slice(ends).some(Boolean);
    const places = onScale ? names.slice(0, ends).map(Number) : names.map((_, place) => place + 1);
    const most = Math.max(...values.slice(0, ends)) || 1;
    const marks = onScale ? ticks(most, 4) : [];
    const x = at * room + (onScale ? widest(marks.map(number)) + 8 : 0);
    // A bar of a histogram stands over its number, another in the middle of its own step.
    const shift = onScale ? 0 : 0.5;
    const step = (at * room + room - 16 - x) / (places.at(-1) + 0.5 - shift);
    const height = (value) => (floor - top) * value / most;
    nodes.push(textAt(x, 13, title, { class: "title" }));
    for (const mark of marks) {
      const y = floor - height(mark);
      nodes.push(svg("line", { x1: x, x2: at * room + room - 16, y1: y, y2: y, class: "grid" }),
        textAt(x - 4, y + 4, number(mark), { class: "end" }));
    }
    places.forEach((here, n) => {
      const width = step * (onScale ? 0.9 : 0.62);
      const tall = height(values[n]);
      const middle = x + (here - shift) * step;
      nodes.push(svg("rect", { x: middle - width / 2, y: floor - tall, width, height: tall, class: `bar-${at % 4}` },
        svg("title", {}, `${names[n]}: ${texts[n]}`)));
      if (!onScale) {
        nodes.push(textAt(middle, floor - tall - 4, short(texts[n], values[n]), { class: "middle" }),
          textAt(middle, floor + 14, `L${names[n]}`, { class: "name middle" }));
      }
    });
    for (const mark of onScale ? ticks(places.at(-1), 6) : []) {
      if (mark) nodes.push(textAt(x + mark * step, floor + 14, number(mark), { class: "name middle" }));
    }
  });
  const note = cut ? translated(`The longest ${(100 * (1 - DRAWN)).toFixed(1)}% are not drawn; the table has them.`) : "";
  return [floor + 22, nodes, note];
}

// Return how many of the values make up nearly all of their sum.
function tailOf(values) {
  const all = DRAWN * sum(values);
  let done = 0;
  const end = values.findIndex((value) => (done += value) >= all);
  return end + 1;
}

// Return round numbers from 0 to the greatest value, at most `most` above 0.
function ticks(greatest, most) {
  let step = 1;
  for (let at = 0; greatest / step > most; at++) step *= at % 3 === 1 ? 2.5 : 2;
  return Array.from({ length: Math.floor(greatest / step) + 1 }, (_, at) => at * step);
}

const short = (text, value) => (value >= 100000 ? `${number(Math.round(value / 1000))}k` : text);

// --- addresses -------------------------------------------------------------------------------------

const VIEWS = ["sentences", "statistics", "incidents"];

function showView(name) {
  if (state.view === name) return;
  state.view = name;
  for (const one of VIEWS) byId(`view-${one}`).hidden = one !== name;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function address() {
  try {
    const hash = decodeURIComponent(location.hash.slice(1));
    return hash.startsWith("id/") ? ["id", hash.slice(3)] : hash.split("/");
  } catch {
    return [""]; // somebody's own percent sign
  }
}

async function route() {
  const [place, first, second] = address();
  if (place === "statistics") showView("statistics");
  else if (place === "incidents") {
    showView("incidents");
    await showIncidents(first || "", Number(second) || 0);
  } else if (place === "id") {
    showView("sentences");
    const n = await findId(first);
    if (n >= 0 && n !== state.current) await showSentence(n);
    else if (n < 0) say(translated("The page has no sentence {}", first));
    if (n < 0 && total && state.current < 0) await showSentence(0);
  } else if (place === "sentence" || place === "sentences" || !place || state.view === "") {
    showView("sentences");
    const n = Math.min(Math.max((Number(first) || state.current + 1 || 1) - 1, 0), total - 1);
    if (total && n !== state.current) await showSentence(n);
    else if (state.incident) drawSentence();
  }
}

// Return the first sentence with an id, -1 if there is none.
async function findId(id) {
  for (let at = 0; at < meta.chunks.length; at++) {
    const chunk = await load(at);
    const place = chunk.sentences.findIndex((row) => row[0] === id);
    if (place >= 0) return chunk.start + place;
  }
  return -1;
}

async function showSentence(n) {
  state.current = n;
  await load(chunkOf(n));
  if (state.current === n) drawSentence();
}

function go(n) {
  state.incident = null;
  const hash = `#sentence/${n + 1}`;
  if (location.hash === hash) route();
  else if (state.view === "sentences" && /^#sentence\//.test(location.hash)) {
    history.replaceState(null, "", hash);
    route();
  } else location.hash = hash;
}

// Go to the next sentence of the list, or to the previous one.
function move(by) {
  const { found, current } = state;
  if (!found) {
    if (current + by >= 0 && current + by < total) go(current + by);
    return;
  }
  const at = by > 0 ? found.findIndex((n) => n > current) : found.findLastIndex((n) => n < current);
  if (at >= 0) go(found[at]);
}

// --- keys and pointers -----------------------------------------------------------------------------

// Return the letter of a key, also under a Korean input method.
function letter(event) {
  if (/^Key[A-Z]$/.test(event.code) && (event.key.length !== 1 || event.key > "~")) {
    const found = event.code.slice(3).toLowerCase();
    return event.shiftKey ? found.toUpperCase() : found;
  }
  if (event.key === "Process" && event.code === "Slash") return event.shiftKey ? "?" : "/";
  return event.key;
}

function focusSearch() {
  location.hash.startsWith("#sentence") || go(Math.max(state.current, 0));
  showView("sentences");
  byId("query").focus();
  byId("query").select();
}

const KEYS = {
  j: () => (state.view === "incidents" ? incidentKey(1) : move(1)),
  k: () => (state.view === "incidents" ? incidentKey(-1) : move(-1)),
  n: () => step(1),
  N: () => step(-1),
  "/": focusSearch,
  "?": () => byId("help").showModal(),
  1: () => { location.hash = state.current >= 0 ? `#sentence/${state.current + 1}` : "#sentences"; },
  2: () => { location.hash = "#statistics"; },
  3: () => { location.hash = "#incidents"; },
};

function incidentKey(by) {
  const to = Math.min(Math.max(incidentList.selected + by, 0), listed.length - 1);
  if (to >= 0) incidentList.select(to);
  byId("incident-list").focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const typing = event.target.closest("input:not([type=checkbox]), select, textarea");
  if (typing) return;
  if (event.key === "Escape" && state.found) {
    clearSearch();
    return;
  }
  const action = byId("keys").checked && KEYS[letter(event)];
  if (action) {
    event.preventDefault();
    action();
  }
});

const INPUTS = ["query", "about", "filter"];

async function clearSearch() {
  for (const id of INPUTS) byId(id).value = "";
  await search();
  if (state.current >= 0) sentences.select(indexOf(state.current));
}

let timer = 0;
for (const input of [byId("query"), byId("about")]) {
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, 120);
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      if (INPUTS.some((id) => byId(id).value)) clearSearch();
      else byId("list").focus();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      byId("list").focus();
    } else if (event.key === "Enter") { // a form with two boxes and no button does nothing
      event.preventDefault();
      byId("search").requestSubmit();
    }
  });
}
byId("search").addEventListener("submit", async (event) => {
  event.preventDefault();
  clearTimeout(timer);
  await search();
  step(1);
});
for (const id of ["field", "filter"]) {
  byId(id).addEventListener("change", async () => {
    await search();
    if (state.found?.length && indexOf(state.current) < 0) go(state.found[0]);
  });
}
byId("match-next").addEventListener("click", () => step(1));
byId("match-before").addEventListener("click", () => step(-1));
byId("help-open").addEventListener("click", () => byId("help").showModal());
for (const link of document.querySelectorAll("[data-focus]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    showView("sentences");
    byId(link.dataset.focus).focus();
  });
}

// A word under the pointer lights its arcs.
let lit = null;
byId("detail").addEventListener("pointerover", (event) => {
  const word = event.target.closest("[data-word]")?.dataset.word ?? null;
  const arc = event.target.closest(".arc");
  if (word === lit && !arc) return;
  lit = word;
  for (const one of document.querySelectorAll(".arc")) {
    const on = one === arc || (word !== null && (one.dataset.at === word || one.dataset.head === word));
    one.classList.toggle("lit", on);
  }
});

let resizing = 0;
new ResizeObserver(() => {
  const now = byId("detail").clientWidth;
  if (Math.abs(now - width) < 2 || printing) return;
  width = now;
  cancelAnimationFrame(resizing);
  resizing = requestAnimationFrame(redraw);
}).observe(byId("detail"));

const PAPER = 696; // the width of A4 without its margins, in CSS pixels
const INDENT = 40; // of a table in the box of its chart
const SHEET = 930; // the height of A4 or Letter without its margins
const ZOOMS = [0.8, 0.7, 0.6, 0.5, 0.42, 0.35];
const PRINTED = 300; // incidents

// Draw the sentence so small that it prints on one page, if it can be read at that size.
function fitPage() {
  const figure = byId("figure");
  if (!figure) return;
  const room = SHEET - 130 - byId("text").offsetHeight - 30 * state.sentence.incidents.length;
  for (const zoom of ZOOMS) {
    printing = PAPER / zoom;
    redraw();
    figure.style.zoom = zoom;
    const height = sum([...figure.querySelectorAll(".system, .side")].map((part) => part.offsetHeight + 22));
    if (height * zoom <= room) break;
  }
}

// Make tables so narrow that paper, which is not scrolled, has all of their columns.
function fitTables() {
  for (const table of document.querySelectorAll(".scroll > table")) {
    table.parentNode.style.width = `${PAPER - INDENT}px`;
    table.style.zoom = Math.min(1, (PAPER - INDENT) / table.offsetWidth) || 1;
    table.parentNode.style.width = "";
  }
}

addEventListener("beforeprint", () => {
  fitPage();
  fitTables();
  if (state.view !== "incidents") return;
  const rows = listed.slice(0, PRINTED).map((_, at) => el("div", { class: "row" }, ...incidentList.row(at)));
  if (listed.length > PRINTED) rows.push(el("p", {}, translated(`… and ${number(listed.length - PRINTED)} more`)));
  byId("incident-list").after(el("div", { id: "printed" }, ...rows));
});
addEventListener("afterprint", () => {
  printing = 0;
  if (byId("figure")) byId("figure").style.zoom = "";
  byId("printed")?.remove();
  for (const table of document.querySelectorAll(".scroll > table")) table.style.zoom = "";
  redraw();
});

// --- begin -------------------------------------------------------------------------------------------

async function begin() {
  drawCharts();
  if (meta.beside) {
    byId("filter").replaceChildren(el("option", { value: "" }, translated("all sentences")), el("option", { value: "≠" }, translated("with differences")));
    document.querySelector("nav [data-view=incidents]").remove();
    // Gold and system are in sight together where each has one row of words.
    const hasTree = total > 0 && Boolean(extraOf((await load(0)).sentences[0]).tree);
    shown.levels = lastLevel(!hasTree);
  }
  for (const [code, row] of Object.entries(meta.codes)) if (translated(code) !== code) row[0] = translated(code);
  for (const [code, [, n]] of Object.entries(meta.codes)) {
    byId("filter").append(el("option", { value: code }, `${code} (${number(n)})`));
  }
  for (const row of document.querySelectorAll(".codes tbody tr")) {
    const [cell] = row.cells;
    const code = cell.textContent === "all" ? "" : cell.textContent;
    row.dataset.code = code;
    cell.replaceChildren(el("a", { class: "code", href: `#incidents/${code}` }, code || translated("all")));
    row.cells[2].textContent = code ? meta.codes[code][0] : translated("all codes");
  }
  if (typeof DecompressionStream === "undefined") {
    byId("detail").replaceChildren(el("p", { class: "notice" },
      translated("This browser is too old to unpack the sentences: Chrome 103, Firefox 113 and Safari 16.4 can.")));
    return;
  }
  sentences.setCount(total);
  if (!total) byId("detail").replaceChildren(el("p", {}, translated("There is no sentence.")));
  await route();
  document.documentElement.dataset.ready = Math.round(performance.now());
  for (let at = 0; at < meta.chunks.length; at++) {
    await load(at);
    sentences.refresh();
    if (state.found) await find();
  }
  sayFound();
  document.documentElement.dataset.complete = Math.round(performance.now());
}

addEventListener("hashchange", route);
begin();

})();
