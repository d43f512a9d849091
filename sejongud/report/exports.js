// What a sentence of the page is copied as: CoNLL-U, and LaTeX for the package tikz-dependency. The
// picture is made by report.js, which draws.
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

return { conllu, latex, tikz };

})();
