"use strict";
// The query language of `sejongud grep`: the grammar of sejongud/query/grammar.py, and its matching.
// One table of cases, tests/data/queries.json, tests both.
const queries = (() => {

const KEYS = ["form", "lemma", "tag", "upos", "feats", "deprel", "entity", "frame", "lu", "fe", "constituent", "eojeol", "construction", "text", "id"];
const STEPS = ["head", "child", "prev", "next"];
const IN_PARTS = ["tag", "lemma", "construction"];
const BARE = ["form", "lemma"]; // one of them has the value of a bare word
const DEEPEST = 50; // the brackets that may be open at once

const NAME = /[A-Za-z_]+(?:\.[A-Za-z_]+)*/y;
const SIGN = /\s*!?=/y;
const PLAIN = /[^\s()"]+/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/ys;
const REGEX = /\/((?:[^/\\]|\\.)*)\/(i?)(?=[\s)]|$)/ys;

// An error of a query; `at` counts its characters from 0.
class QueryError extends Error {
  constructor(text, at, message) {
    const place = Array.from(text.slice(0, at)).length;
    super(`the query is wrong at character ${place + 1}: ${message}`);
    this.at = place;
  }
}

// Return the path of a name, { steps, key }; `fail` is called with a place and a message.
function pathOf(name, fail) {
  let where = 0;
  const steps = name.toLowerCase().split(".");
  const key = steps.pop();
  for (const step of steps) {
    if (!STEPS.includes(step)) fail(where, `${step} leads to no word: ${STEPS.join(", ")} do`);
    where += step.length + 1;
  }
  if (!KEYS.includes(key)) fail(where, `${key} is no key: ${KEYS.join(", ")}`);
  return { steps, key };
}

// Return the tree of a query: ["test", { steps, key }, value], ["not", node], ["and", nodes],
// ["or", nodes]. `regex` makes the test of a regular expression.
function parse(given, regex = (source, flags) => new RegExp(source, flags)) {
  const text = given.normalize("NFC");
  let at = 0;

  const fail = (where, message) => { throw new QueryError(text, where, message); };
  const sees = (sign) => text.startsWith(sign, at);
  const match = (pattern) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const skip = () => { while (at < text.length && /\s/.test(text[at])) at += 1; };
  const is = (word) => match(NAME)?.[0].toLowerCase() === word;
  const takes = (word) => {
    skip();
    if (!is(word)) return false;
    at += word.length;
    return true;
  };

  function query(depth) {
    const nodes = [every(depth)];
    while (takes("or")) nodes.push(every(depth));
    return nodes.length === 1 ? nodes[0] : ["or", nodes];
  }

  function every(depth) {
    const nodes = [single(depth)];
    for (;;) {
      const explicit = takes("and");
      skip();
      if (!explicit && (at === text.length || sees(")") || is("or"))) {
        return nodes.length === 1 ? nodes[0] : ["and", nodes];
      }
      nodes.push(single(depth));
    }
  }

  function single(depth) {
    let negated = false;
    while (takes("not")) negated = !negated;
    skip();
    const node = sees("(") ? bracket(depth) : test();
    return negated ? ["not", node] : node;
  }

  function bracket(depth) {
    const opened = at;
    if (depth === DEEPEST) fail(opened, `more than ${DEEPEST} brackets are open`);
    at += 1;
    const node = query(depth + 1);
    skip();
    if (!sees(")")) fail(opened, "this bracket is not closed");
    at += 1;
    return node;
  }

  function test() {
    const found = match(NAME);
    if (!found || isBare(found[0])) return bare();
    const begin = at;
    const path = pathOf(found[0], (where, message) => fail(begin + where, message));
    at += found[0].length;
    skip();
    const negated = sees("!=");
    if (!negated && !sees("=")) fail(at, `= or != must follow ${found[0]}`);
    at += negated ? 2 : 1;
    skip();
    const node = ["test", path, value()];
    return negated ? ["not", node] : node;
  }

  // Whether a name is no key of a test.
  function isBare(name) {
    SIGN.lastIndex = at + name.length;
    return !KEYS.includes(name.toLowerCase()) && !SIGN.test(text);
  }

  // A bare word: no sign of the grammar, and not only marks.
  function bare() {
    const plain = match(PLAIN)?.[0] ?? "";
    const isGrammar = ["and", "or", "not"].includes(plain.toLowerCase()) || plain.includes("=");
    if (!sees('"') && !sees("/") && (isGrammar || !/[\p{L}\p{N}]/u.test(plain))) {
      fail(at, "a test such as tag=NNG must stand here");
    }
    const one = value();
    return ["or", BARE.map((key) => ["test", { steps: [], key }, one])];
  }

  function value() {
    const begin = at;
    if (sees('"')) {
      const found = match(QUOTED);
      if (!found) fail(begin, "these quotes are not closed");
      at += found[0].length;
      return { kind: "text", text: found[1].replace(/\\(.)/gs, "$1") };
    }
    if (sees("/")) {
      const found = match(REGEX);
      if (!found) fail(begin, "this regular expression is not closed by /");
      at += found[0].length;
      const flags = found[2] ? "iu" : "u";
      try {
        return { kind: "regex", text: found[1], test: regex(found[1], flags) };
      } catch (error) {
        return fail(begin, `this regular expression is wrong: ${error.message}`);
      }
    }
    const found = match(PLAIN);
    if (!found) fail(begin, "a value must follow the =");
    at += found[0].length;
    return { kind: found[0].includes("*") ? "pattern" : "text", text: found[0] };
  }

  const node = query(0);
  if (at < text.length) fail(at, "no bracket is open that this one could close");
  return node;
}

// Return the function that tests a word: a list of words { get(key) → values, head (from 0) }, and
// the place of the word.
function compile([kind, ...parts]) {
  if (kind === "test") return compileTest(...parts);
  if (kind === "not") {
    const inner = compile(parts[0]);
    return (words, at) => !inner(words, at);
  }
  const inner = parts[0].map(compile);
  if (kind === "and") return (words, at) => inner.every((holds) => holds(words, at));
  return (words, at) => inner.some((holds) => holds(words, at));
}

function compileTest({ steps, key }, value) {
  const matches = value.kind === "regex" ? (text) => value.test.test(text.normalize("NFC"))
    : remembered(comparison(value, IN_PARTS.includes(key)));
  return (words, at) => values(words, at, { steps, key }).some(matches);
}

// Return the values of the words at the end of a path.
function values(words, at, { steps, key }) {
  let places = [at];
  for (const step of steps) places = stepFrom(words, places, step);
  return places.flatMap((place) => words[place].get(key));
}

// Return the path that a text names, such as head.lemma.
function path(text) {
  return pathOf(text, (at, message) => { throw new QueryError(text, at, message); });
}

// Return the words to which a step leads from some words, each once.
function stepFrom(words, places, step) {
  const found = new Set();
  for (const at of places) {
    if (step === "child") for (const child of childrenOf(words)[at]) found.add(child);
    else if (step === "head") found.add(words[at].head);
    else found.add(at + (step === "next" ? 1 : -1));
  }
  return [...found].filter((at) => at >= 0 && at < words.length);
}

function childrenOf(words) {
  if (!words.children) {
    words.children = words.map(() => []);
    words.forEach(({ head }, at) => words.children[head]?.push(at));
  }
  return words.children;
}

function remembered(test) {
  const known = new Map();
  return (text) => {
    let found = known.get(text);
    if (found === undefined) {
      if (known.size > 20000) known.clear();
      known.set(text, found = test(text.normalize("NFC")));
    }
    return found;
  };
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

function comparison({ kind, text }, inParts) {
  const literal = kind === "pattern" ? text.split(/\*+/) : [text];
  const [first, ...rest] = literal.map(escaped);
  // The first place of each part is good enough for the others, so no other place is tried.
  const between = rest.slice(0, -1).map((part, at) => `(?=(.*?${part}))\\${at + 1}`);
  const last = rest.slice(-1).map((part) => `.*${part}`);
  const pattern = new RegExp(`^(?:${[first, ...between, ...last].join("")})$`, "us");
  const size = text.split("+").length;
  return (one) => {
    if (pattern.test(one)) return true;
    const parts = inParts ? one.split("+") : [];
    for (let at = 0; at + size <= parts.length; at++) {
      if (pattern.test(parts.slice(at, at + size).join("+"))) return true;
    }
    return false;
  };
}

return { parse, compile, path, values, KEYS, STEPS };

})();
