// What a sentence of the page is copied as: CoNLL-U, and LaTeX for the packages gb4e, tikz-dependency
// and forest. The picture is made by report.js, which draws.
const exporting = (() => {

const SPECIAL = {
  "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "$": "\\$", "&": "\\char38{}", "#": "\\#", "%": "\\%",
  "_": "\\_", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}",
};

// Return a text in which no character is a command of LaTeX.
const latex = (text) => text.replace(/[\\{}$&#%_^~]/g, (sign) => SPECIAL[sign]);

// Return the tree of words { form, upos, head, deprel } for tikz-dependency; heads count from 1.
function tikz(words) {
  const row = (name) => `    ${words.map((word) => latex(word[name])).join(" \\& ")} \\\\`;
  const arcs = words.map(({ head, deprel }, at) => {
    if (head === 0) return `  \\deproot{${at + 1}}{${latex(deprel)}}`;
    return head > 0 && head <= words.length ? `  \\depedge{${head}}{${at + 1}}{${latex(deprel)}}` : "";
  });
  return [
    "% \\usepackage{tikz-dependency}, and a font that has Hangul", "\\begin{dependency}",
    "  \\begin{deptext}[column sep=1em]", row("form"), row("upos"), "  \\end{deptext}",
    ...arcs.filter(Boolean), "\\end{dependency}", "",
  ].join("\n");
}

// Return an interlinear example for gb4e; the glosses are LaTeX already.
function example({ eojeols, comments }) {
  const row = (cells) => `${cells.map((cell) => (cell.includes(" ") ? `{${cell}}` : cell)).join(" ")} \\\\`;
  const english = comments.filter((comment) => comment.startsWith("text_en = "));
  return [
    "% \\usepackage{gb4e}\\noautomath, and a font that has Hangul", "\\begin{exe}", "\\ex",
    `\\glll ${row(eojeols.map(({ form }) => latex(form)))}`,
    `     ${row(eojeols.map(({ gloss }) => latex(gloss[0])))}`,
    `     ${row(eojeols.map(({ gloss }) => gloss[1]))}`,
    ...english.map((comment) => `\\trans \`${latex(comment.slice(10).trim())}'`), "\\end{exe}", "",
  ].join("\n");
}

// Return the constituents over the morphemes for forest.
function forest({ eojeols, constituents }) {
  const words = eojeols.flatMap(({ levels }) => levels.at(-1).flatMap((token) => token.words));
  const ends = [];
  let [text, place, next] = ["", 0, 0];
  const leaves = (end) => {
    for (; next < words.length && place < end; next += 1) {
      text += ` [{${latex(words[next].xpos)}} [{${latex(words[next].form)}}]]`;
      place += words[next].size;
    }
  };
  const close = (depth) => {
    while (ends.length > depth) {
      leaves(ends.pop());
      text += "]";
    }
  };
  for (const { label, begin, end, depth } of constituents) {
    close(depth);
    leaves(begin);
    text += ` [{${latex(label)}}`;
    ends.push(end);
  }
  close(0);
  const roots = constituents.filter(({ depth }) => depth === 0).length;
  return ["% \\usepackage{forest}", "\\begin{forest}",
    roots > 1 ? `[{}${text}]` : text.trim(), "\\end{forest}", ""].join("\n");
}

// Return all LaTeX of a sentence: an example, and its trees.
function all(sentence) {
  return [
    sentence.eojeols.every(({ gloss }) => gloss) ? example(sentence) : "",
    sentence.tree?.hasArcs ? tikz(sentence.tree.words) : "",
    sentence.constituents.length ? forest(sentence) : "",
  ].filter(Boolean).join("\n");
}

// Return a sentence at a level as CoNLL-U, as `sejongud convert` writes its columns; MISC has the
// entities of the outermost layer.
function conllu({ id, text, comments, eojeols, entities }, level) {
  const lines = [`# sent_id = ${id}`, `# text = ${text}`, ...comments.map((comment) => `# ${comment}`)];
  const outer = entities.filter(({ layer }) => layer === 0);
  let number = 1;
  for (const eojeol of eojeols) {
    const tokens = eojeol.levels[level - 1];
    let begin = eojeol.begin;
    tokens.forEach((token, at) => {
      const last = number + token.words.length - 1;
      const space = at < tokens.length - 1 ? "SpaceAfter=No" : "_";
      if (last > number) lines.push([`${number}-${last}`, token.form, ..."_______", space].join("\t"));
      for (const word of token.words) {
        const inside = outer.find((one) => one.begin < begin + word.size && begin < one.end);
        const entity = inside ? `NE=${inside.begin >= begin ? "B" : "I"}-${inside.type}` : "";
        const misc = [entity, last === number && token.words.length === 1 && space !== "_" ? space : ""];
        lines.push([number, word.form, word.lemma, word.upos, word.xpos, "_", "_", "_", "_",
          misc.filter(Boolean).join("|") || "_"].join("\t"));
        number += 1;
        begin += word.size;
      }
    });
  }
  return `${lines.join("\n")}\n\n`;
}

// Return rows of cells as CSV for spreadsheets, in which no cell is a formula.
function csv(rows) {
  const cell = (text) => {
    const safe = /^[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return `\ufeff${rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")}`;
}

return { all, conllu, csv, latex };

})();
