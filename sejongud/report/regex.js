"use strict";
// Regular expressions that cannot hang the page. A RegExp tries all ways to match a text, and /(a+)+$/
// has more of them than anybody can wait for. Here all ways go through the text side by side, so that
// the time grows with the text times the length of the expression. Each character of a text is tested
// by a small RegExp of its own. References to a group (\1) are refused: they need all ways.
const expressions = (() => {

const MOST_STATES = 1000; // of an expression, after a{3} has become aaa

const ESCAPE = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|x..|c.|.)/ys;
const CLASS = /\[(?:[^\]\\]|\\.)*\]/ys;
const GROUP = /\((\?(?:[:=!]|<[=!]|<[^>]*>))?/y;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y;
const ASSERTION = /[$^]|\\[bB]/y;

// Return an expression with a method `test`, as that of `RegExp` with the flags "u" or "iu".
function compile(source, flags) {
  RegExp(source, flags); // Throws the browser's own message if the expression is wrong.
  const states = []; // { test, next }, { ways: [next …] }, { holds, next }; the state -1 is the end
  let at = 0;

  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found) at += found[0].length;
    return found;
  };
  const add = (state) => {
    if (states.length === MOST_STATES) throw new RangeError(`${source} is too long an expression`);
    return states.push(state) - 1;
  };

  // Each function returns a function that adds the states of a part before the state `next`, and
  // returns the first of them.
  function choice() {
    const parts = [sequence()];
    while (source[at] === "|") {
      at += 1;
      parts.push(sequence());
    }
    if (parts.length === 1) return parts[0];
    return (next) => add({ ways: parts.map((part) => part(next)) });
  }

  function sequence() {
    const parts = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") parts.push(repeated());
    return (next) => parts.reduceRight((after, part) => part(after), next);
  }

  function repeated() {
    const part = single();
    const found = take(QUANTIFIER);
    if (!found) return part;
    const [, sign, low, comma, high] = found;
    const least = sign ? Number(sign === "+") : Number(low);
    const most = sign ? (sign === "?" ? 1 : Infinity) : comma ? Number(high || Infinity) : least;
    return (next) => {
      let first = next;
      if (most === Infinity) {
        first = add({ ways: [next] });
        states[first].ways.push(part(first));
      } else {
        for (let more = least; more < most; more++) first = add({ ways: [next, part(first)] });
      }
      for (let more = 0; more < least; more++) first = part(first);
      return first;
    };
  }

  function single() {
    const assertion = take(ASSERTION);
    if (assertion) {
      const holds = edge(assertion[0]);
      return (next) => add({ holds, next });
    }
    const group = take(GROUP);
    if (!group) return character();
    const kind = group[1] || "";
    const inner = choice();
    at += 1;
    if (!/[=!]$/.test(kind)) return inner;
    const start = inner(-1);
    const wanted = kind.endsWith("=");
    const holds = kind[1] === "<"
      ? (chars, place) => walk(chars, start, 0, place, { anywhere: true, whole: true }) === wanted
      : (chars, place) => walk(chars, start, place, chars.length, {}) === wanted;
    return (next) => add({ holds, next });
  }

  function edge(sign) {
    if (sign === "^") return (chars, place) => place === 0;
    if (sign === "$") return (chars, place) => place === chars.length;
    const letter = tester("\\w");
    const isLetter = (char) => char !== undefined && letter(char);
    const wanted = sign === "\\b";
    return (chars, place) => (isLetter(chars[place - 1]) !== isLetter(chars[place])) === wanted;
  }

  function character() {
    const escape = take(ESCAPE);
    if (escape && /^\\[1-9k]/.test(escape[0])) {
      throw new SyntaxError(`${escape[0]} is not possible here: sejongud grep finds it`);
    }
    const text = escape?.[0] ?? take(CLASS)?.[0] ?? String.fromCodePoint(source.codePointAt(at));
    if (!escape && text[0] !== "[") at += text.length;
    const test = tester(text);
    return (next) => add({ test, next });
  }

  function tester(text) {
    const pattern = new RegExp(`^${text}$`, flags);
    const known = new Map();
    return (char) => {
      if (!known.has(char)) known.set(char, pattern.test(char));
      return known.get(char);
    };
  }

  // Return whether a text matches between two places from the state `start` on.
  // `anywhere`: the match may begin at any place, not only the first; `whole`: it ends at the last.
  function walk(chars, start, begin, end, { anywhere = false, whole = false }) {
    let current = new Set();
    for (let place = begin; ; place++) {
      if (anywhere || place === begin) current.add(start);
      // A set hands out what is added to it while it is walked.
      for (const number of current) {
        if (number < 0) continue;
        const { ways, holds, next } = states[number];
        if (ways) ways.forEach((way) => current.add(way));
        else if (holds?.(chars, place)) current.add(next);
      }
      if (current.has(-1) && (!whole || place === end)) return true;
      if (place === end || (!anywhere && !current.size)) return false;
      const following = new Set();
      for (const number of current) {
        const { test, next } = states[number] || {};
        if (test?.(chars[place])) following.add(next);
      }
      current = following;
    }
  }

  const first = choice()(-1);
  return {
    test: (text) => {
      const chars = Array.from(text);
      return walk(chars, first, 0, chars.length, { anywhere: true });
    },
  };
}

return { compile };

})();
