"""What a parser gains from morphemes: UDPipe trained on words and on morphemes, measured in words.

    pip install ufal.udpipe
    python benchmarks/dep_parser.py TRAIN.conllu DEV.conllu [--variants words,ud] [--iterations 10]

TRAIN and DEV are UD treebanks of Korean with whole words (UD_Korean-GSD). Every variant is what
sejongud makes of TRAIN; UDPipe 1 (Straka et al. 2016) is trained on it, tagger and parser, without
embeddings of its own, and parses DEV on gold tokens, with gold tags and with those it predicts.
What it finds between morphemes is converted back by the rule of morph2word, with the words of DEV,
and scored against DEV: UAS and LAS of all words, without subtypes, as in conll18_ud_eval.

Chen et al. (2022) have 70.90 for words and 77.01 for morphemes, with embeddings of 157 M words.

Variants: words; morphud and ud, the two schemes; published, with the published program's mistake
about governors; flat, morphud with every inner morpheme attached by `dep`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sejongud.converters.morph2word import Morph2Word
from sejongud.converters.published import Published
from sejongud.converters.word2morph import Word2Morph
from sejongud.formats.conllu.sentence import ConlluReader
from sejongud.formats.conllu.write import ConlluWriter
from sejongud.model import NOTHING_SAID, Token
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from sejongud.model import Sentence

RULES = load()


def flat(sentence: Sentence) -> Sentence:
    """Morphemes with one relation for all that are not the head of their word."""
    morphemes = Word2Morph(RULES)(sentence)
    assert morphemes.arcs is not None
    heads, deprels = morphemes.arcs.heads, list(morphemes.arcs.deprels)
    start = 0
    for token in morphemes.tokens:
        end = start + len(token.words)
        for at in range(start, end):
            if start < heads[at] <= end:
                deprels[at] = "dep"
        start = end
    return replace(morphemes, arcs=morphemes.arcs._replace(deprels=tuple(deprels)))


# UDPipe's parser does not see XPOS by default, where a Korean word has its particles and endings:
# without it words have 53.5 LAS with gold tags, with it 70.4.
PARSER = "embedding_xpostag=20"

VARIANTS: dict[str, Callable[[Sentence], Sentence]] = {
    "words": lambda sentence: sentence,
    "morphud": Word2Morph(RULES),
    "ud": Word2Morph(RULES, scheme="ud"),
    "published": Published(RULES),
    "flat": flat,
}


def read(text: str, *, trees: bool = True) -> list[Sentence]:
    reader = ConlluReader(Assembler(RULES), heads="tree" if trees else "any", aligned=False)
    return [reader.parse(frame) for frame in reader.frame([text])]


def bare(sentence: Sentence) -> Sentence:
    """Without what range lines say of their words: a parse of raw text has none of it."""
    eojeols = [
        eojeol.but(
            tokens=tuple([Token(token.form, token.words, token.feats) for token in eojeol.tokens]),
            said=NOTHING_SAID,
        )
        for eojeol in sentence.eojeols
    ]
    return replace(sentence, eojeols=tuple(eojeols))


def two_comments(sentence: Sentence) -> Sentence:
    """With the two comments that the published program wants."""
    if sentence.header is None:
        return sentence
    lines = sentence.header.lines.splitlines(keepends=True)
    kept = "".join([line for line in lines if line.startswith(("# sent_id", "# text ="))])
    return replace(sentence, header=sentence.header._replace(lines=kept))


def train(text: str, iterations: int, parser: str, path: Path) -> None:
    """Train a tagger and a parser and write the model."""
    import ufal.udpipe as udpipe

    sentences = udpipe.Sentences()
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(text)
    error = udpipe.ProcessingError()
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        sentences.push_back(sentence)
        sentence = udpipe.Sentence()
    if error.occurred():
        raise SystemExit(error.message)
    model = udpipe.Trainer.train(
        "morphodita_parsito",
        sentences,
        udpipe.Sentences(),
        "none",
        f"iterations={max(iterations // 2, 1)};models=1",
        f"iterations={iterations};{parser}",
        error,
    )
    if error.occurred():
        raise SystemExit(error.message)
    path.write_bytes(model)


def parse(path: Path, text: str, *, tags: bool) -> str:
    """Parse gold tokens, with their tags or with predicted ones."""
    import ufal.udpipe as udpipe

    model = udpipe.Model.load(str(path))
    tagger = udpipe.Pipeline.NONE if tags else udpipe.Pipeline.DEFAULT
    pipeline = udpipe.Pipeline(model, "conllu", tagger, udpipe.Pipeline.DEFAULT, "conllu")
    error = udpipe.ProcessingError()
    parsed: str = pipeline.process(text, error)
    if error.occurred():
        raise SystemExit(error.message)
    return parsed


def score(gold: list[Sentence], system: list[Sentence]) -> tuple[float, float]:
    """UAS and LAS in per cent of all words."""
    words = attached = labelled = 0
    for ours, theirs in zip(gold, system, strict=True):
        assert ours.arcs is not None and theirs.arcs is not None
        arcs = zip(*ours.arcs[:2], *theirs.arcs[:2], strict=True)
        for head, deprel, their_head, their_deprel in arcs:
            words += 1
            attached += head == their_head
            same = deprel.partition(":")[0] == their_deprel.partition(":")[0]
            labelled += head == their_head and same
    return 100 * attached / words, 100 * labelled / words


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("train", type=Path)
    parser.add_argument("dev", type=Path)
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--parser", default=PARSER, help="further options of UDPipe's parser")
    parser.add_argument("--keep", type=Path, help="where to keep models and parses")
    arguments = parser.parse_args()
    directory = arguments.keep or Path(tempfile.mkdtemp())
    directory.mkdir(exist_ok=True, parents=True)
    training = [two_comments(s) for s in read(arguments.train.read_text(encoding="utf-8"))]
    writer = ConlluWriter(same_header=True)
    gold = [two_comments(s) for s in read(arguments.dev.read_text(encoding="utf-8"))]
    print("variant", "tags", "UAS", "LAS", "seconds", sep="\t")
    for name in arguments.variants.split(","):
        begun = time.perf_counter()
        convert = VARIANTS[name]
        model = directory / f"{name}.udpipe"
        text = "".join([writer.sentence(convert(sentence)) for sentence in training])
        train(text, arguments.iterations, arguments.parser, model)
        source = "".join([writer.sentence(bare(convert(sentence))) for sentence in gold])
        for tags in ("gold", "predicted"):
            parsed = parse(model, source, tags=tags == "gold")
            (directory / f"{name}.{tags}.conllu").write_text(parsed, encoding="utf-8")
            back = Morph2Word(RULES)
            pairs = zip(read(parsed, trees=False), gold, strict=True)
            system = [back(ours, words) for ours, words in pairs]
            uas, las = score(gold, system)
            seconds = f"{time.perf_counter() - begun:.0f}"
            print(name, tags, f"{uas:.2f}", f"{las:.2f}", seconds, sep="\t", flush=True)


if __name__ == "__main__":
    main()
