"""Write sentences as CoNLL-U: the only place that makes its text.

The lines of an eojeol are a pure function of that eojeol but for the numbers in them, so they are
made once, as a template, and a sentence is its templates filled with numbers and arcs. Tokens that
were read are written as they were read; of tokens that were made, MISC says what brings the
corpus's own morphemes back (annotation scheme, MISC).
"""

from __future__ import annotations

from functools import partial
from itertools import accumulate, compress, product
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from sejongud.errors import Note, expect_choice
from sejongud.formats.around import OPENING, opening_first
from sejongud.formats.conllu.layers import with_apart
from sejongud.formats.conllu.plus import (
    NO_LABEL,
    comments_of,
    preamble,
    with_columns,
    without_place,
)
from sejongud.formats.conllu.rows import numerals
from sejongud.formats.misc import (
    PLACE_KEYS,
    escape_misc,
    feats_label,
    kept_items,
    label_items,
    label_key,
    with_labels,
    with_places_of_labels,
    word_label,
    word_misc,
)
from sejongud.layers.arcs import chain_of
from sejongud.layers.labels import HIDDEN, are_several, flat_labels, labels_of_units, shown
from sejongud.memo import Memo
from sejongud.model import (
    NO_OCCURRENCE,
    NOTHING,
    Arcs,
    EmptyNode,
    Eojeol,
    Labels,
    Sentence,
    Token,
    Word,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


Deps = Literal["", "none", "dummy"]
"""HEAD, DEPREL and DEPS: those of the sentence, none, or a chain for programs that want a tree."""

NePlace = Literal["misc", "column"]
"""Where the labels of entities stand: NE= in MISC, or a column of CoNLL-U Plus."""

NE_PLACES: tuple[NePlace, ...] = get_args(NePlace)

_NUMBERED = 20_000
"""The most numbers that are remembered for an eojeol: those of its words at all of its places."""
_REMEMBERED = 48_000
_JOINED = "SpaceAfter=No"
_HIDDEN = "begins in a word behind another entity: NEMorph= alone has it"
_ID = "%s"
"""Stands for the corpus id of an eojeol in its template."""
_NO_ID = "%.0s"
"""Stands for the id of an eojeol that has none, in a sentence of which others have: nothing."""

_Range = tuple[int, int, str]
"""The first word of a range, from 0 in its eojeol; how many it has; its line behind the ID."""

Template = tuple[str, int, list[tuple[str, ...]], tuple[int, ...], str]
"""The lines of an eojeol with `%s` where numbers (and the corpus id) go; how many words; what goes
there if its first word is number 1, 2, …, a list that all eojeols of this shape share; the shape,
the words of each token; its form. A plain tuple: taking it apart is half of the work for a known
eojeol."""


class TreeTemplate(NamedTuple):
    """The lines of an eojeol whose words have arcs."""

    text: str
    """With `%s` for number, HEAD, DEPREL (and DEPS) of each word."""
    words: int
    ranges: tuple[_Range, ...]


class _Place(NamedTuple):
    """What the place of an eojeol says in its lines."""

    mark: str
    """What stands for its corpus id; "" for none."""
    labels: Labels
    """Of its morphemes, layer by layer; () for none."""


_NO_PLACE = _Place("", ())


class ConlluWriter:
    """Writes sentences.

    Args:
        deps: "none" leaves HEAD, DEPREL and DEPS empty; "dummy" writes a chain, for programs that
            want a tree; "" writes the arcs of the sentence.
        ne: where the labels of entities go, one of `NE_PLACES`.
        ne_layers: how many columns of them there are with "column"; deeper layers go to MISC.
        columns: the names of the columns of other layers (`sejongud.formats.conllu.plus`).
        same_header: whether comments are written as they were read whatever they say.
    """

    def __init__(
        self,
        *,
        deps: Deps = "",
        ne: NePlace = "misc",
        ne_layers: int = 1,
        columns: Sequence[str] = (),
        same_header: bool = False,
    ) -> None:
        expect_choice("deps", deps, get_args(Deps))
        expect_choice("ne", ne, get_args(NePlace))
        self._deps = deps
        self._ne = ne
        self._ne_layers = ne_layers
        self._columns = tuple(columns)
        self._same_header = same_header
        # How many words eojeols of a shape have, the numbers that they share, and the shape.
        self._shapes: Memo[tuple[int, ...], tuple[int, list[tuple[str, ...]], tuple[int, ...]]] = (
            Memo(lambda shape: (sum(shape), [()], shape), size=2_000)
        )
        # The lines of made words, by what stands for their arcs and what opens MISC.
        self._made: dict[tuple[str, str], Memo[Word, str]] = {
            key: Memo(partial(_made_line, *key), size=20_000)
            for key in product((_NO_ARC, ARC, _ARC_WITH_DEPS), ("", _JOINED))
        }
        self._plain: Memo[Eojeol, Template] = Memo.of(self, ConlluWriter.unit, size=_REMEMBERED)
        self._placed: Memo[tuple[Eojeol, _Place], Template] = Memo.of(
            self, lambda writer, key: writer._template(*key), size=_REMEMBERED
        )
        self._trees: Memo[Eojeol, TreeTemplate] = Memo.of(self, ConlluWriter.tree, size=_REMEMBERED)

    @property
    def preamble(self) -> str:
        """What stands before the first sentence of a file."""
        labels = self._ne_layers if self._ne == "column" else 0
        return preamble(labels, self._columns) if labels or self._columns else ""

    def loses(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of frames and trees without columns, and of hidden entities.

        A word has the label of its first entity. `NEMorph` alone has those that begin behind it.
        """
        notes = without_place(sentence, self._columns)
        if any([are_several[own] for layer in sentence.entities for own in layer if own]):
            sizes = [len(word.morphemes) for word in sentence.words]
            forms = [morpheme.form for morpheme in sentence.morphemes]
            for layer in sentence.entities:
                labels = flat_labels(sentence.eojeols, layer)
                behind = labels_of_units(labels, sizes)[1]
                notes += [Note(HIDDEN, f"{shown(one, forms)} {_HIDDEN}") for one in behind]
        return notes

    def unit(self, eojeol: Eojeol) -> Template:
        """Return the lines of an eojeol that says nothing of its place, as a template."""
        if len(eojeol.tokens) != 1 or eojeol.notes or (token := eojeol.tokens[0]).was_read:
            return self._template(eojeol, _NO_PLACE)
        words = token.words
        text = "".join(map(self._made[_NO_ARC, ""].__getitem__, words))
        if len(words) > 1:
            text = f"%s{_range_line(token, token.misc or NOTHING)}{text}"
        return text, *self._shapes[(len(words),)], eojeol.form

    @property
    def has_units(self) -> bool:
        """Whether a sentence without ids, arcs and labels is the templates of its eojeols."""
        return self._ne == "misc" and self._deps in ("", "none") and not self._columns

    def tree(self, eojeol: Eojeol) -> TreeTemplate:
        """Return the lines of an eojeol that says nothing of its place, as a template with arcs."""
        return self._tree(eojeol, _NO_PLACE, ARC)

    @property
    def has_trees(self) -> bool:
        """Whether a sentence with arcs and without ids and labels is the trees of its eojeols."""
        return self._ne == "misc" and not self._deps and not self._columns

    def sentence(self, sentence: Sentence) -> str:
        """Return the lines of a sentence, and of comments without a sentence beside it."""
        text = self.lines(sentence)
        return with_apart(text, sentence.comments) if sentence.comments else text

    def lines(self, sentence: Sentence) -> str:
        """Return the lines of a sentence, the blank one behind it included."""
        text = self._text(sentence)
        return with_columns(text, sentence, self._columns) if self._columns else text

    def _text(self, sentence: Sentence) -> str:
        """Return the lines of a sentence whose words have been cut."""
        arcs = None if self._deps else sentence.arcs
        if self._deps == "dummy":
            arcs = chain_of(len(list(sentence.words)))
        header = self.header(sentence)
        places = self._places(sentence)
        eojeols = sentence.eojeols
        if arcs is not None:
            if places is None and not arcs.deps:
                known = self._trees
                trees = [known[eojeol] for eojeol in eojeols]
            else:
                arc = _ARC_WITH_DEPS if arcs.deps else ARC
                pairs = zip(eojeols, places or [_NO_PLACE] * len(eojeols), strict=True)
                trees = [self._tree(eojeol, place, arc) for eojeol, place in pairs]
            return header + self.compose_trees(trees, arcs, sentence.ids if places else ())
        if places is None:
            plain = self._plain
            return self.compose(header, [plain[eojeol] for eojeol in eojeols])
        placed = self._placed
        templates = [placed[key] for key in zip(eojeols, places, strict=True)]
        return self.compose(header, templates, sentence.ids if places[0].mark else ())

    def header(self, sentence: Sentence) -> str:
        """Return the comment lines of a sentence: as they were read, if it still says the same."""
        header = sentence.header
        of_layers = comments_of(sentence, self._columns) if self._columns else ()
        if header is not None and (
            self._same_header
            or (
                header.sent_id == sentence.sent_id
                and header.comments is sentence.comments
                and header.text_orig == sentence.text_orig
                and "# text = " in header.lines
            )
        ):
            return header.lines + "".join([f"# {comment}\n" for comment in of_layers])
        comments = (*sentence.comments, *of_layers)
        return header_of(sentence.sent_id, sentence.text, sentence.text_orig, comments)

    def _places(self, sentence: Sentence) -> list[_Place] | None:
        """Return what the places of the eojeols say; None if their lines say that already."""
        eojeols, ids, layers = sentence.eojeols, sentence.ids, sentence.entities
        if self._ne == "misc" and not ids and not layers:
            own = [eojeol.occurrence for eojeol in eojeols]
            if own.count(NO_OCCURRENCE) == len(own):
                return None
        labels: list[Labels] = [
            _trimmed(own) if any(own) else () for own in zip(*layers, strict=True)
        ]
        labels = labels or [()] * len(eojeols)
        if self._ne == "misc":
            says = zip(eojeols, ids or ("",) * len(eojeols), labels, strict=True)
            same = all([eojeol.occurrence == (one, own) for eojeol, one, own in says])
            if same and not any(map(_in_feats, eojeols)):
                return None
        marks = [_ID if one else _NO_ID for one in ids] or [""] * len(eojeols)
        # Lines that say nothing of their place, and need not, stay as they are.
        return [
            _Place(mark, own) if mark or own or eojeol.occurrence != NO_OCCURRENCE else _NO_PLACE
            for eojeol, mark, own in zip(eojeols, marks, labels, strict=True)
        ]

    def compose(self, header: str, templates: list[Template], ids: Sequence[str] = ()) -> str:
        """Return the lines of a sentence, the blank one behind it included.

        Args:
            header: its comment lines.
            templates: of its eojeols.
            ids: the corpus ids of the eojeols, if their templates have a place for them.
        """
        lines = [_safe(header)]
        arguments: list[str] = []
        first = 1
        try:
            # In one loop: to go through the templates once more costs more than what it does.
            for text, words, numbers, _, _ in templates:
                lines.append(text)
                arguments += numbers[first]
                first += words
        except IndexError:
            # A new place for an eojeol of this shape.
            lines[1:] = [text for text, _, _, _, _ in templates]
            arguments = self._arguments(templates)
        if ids:
            arguments = self._arguments(templates, ids)
        lines.append("\n")
        return "".join(lines) % tuple(arguments)

    def compose_plain(
        self, sent_id: str, templates: list[Template], text_orig: str, comments: tuple[str, ...]
    ) -> str:
        """Return the lines of a sentence without ids and labels; see `header_of`."""
        text = " ".join([form for _, _, _, _, form in templates])
        lines = self.compose(header_of(sent_id, text, text_orig, comments), templates)
        return with_apart(lines, comments) if comments else lines

    def _arguments(self, templates: list[Template], ids: Sequence[str] = ()) -> list[str]:
        """Return the numbers of a sentence, and the ids behind the first number of each eojeol."""
        arguments: list[str] = []
        first = 1
        for at, (_, words, numbers, shape, _) in enumerate(templates):
            filled = _filled(shape, numbers, first)
            if ids:
                filled = (filled[0], escape_misc(ids[at]), *filled[1:])
            arguments += filled
            first += words
        return arguments

    def compose_trees(
        self, trees: Sequence[TreeTemplate], arcs: Arcs, ids: Sequence[str] = ()
    ) -> str:
        """Return the word lines of a sentence with arcs, and the blank one behind them."""
        if not trees:
            # Whoever uses the library may make a sentence without eojeols.
            return "\n"
        count = len(arcs.heads)
        written = numerals.reach(count)
        numbers = written[1 : count + 1]
        if ids:
            trees = list(map(_with_id, trees, ids))
        texts, words, ranges = zip(*trees)  # noqa: B905
        for first, own in compress(zip(accumulate(words, initial=0), ranges), ranges):  # noqa: B905
            for start, size, rest in own:
                begin = first + start
                number = numbers[begin]
                numbers[begin] = f"{number}-{written[begin + size]}{rest}{number}"
        heads = list(map(written.__getitem__, arcs.heads))
        if min(arcs.heads) < 0:
            heads = [NOTHING if head < 0 else written[head] for head in arcs.heads]
        width = 4 if arcs.deps else 3
        cells = [NOTHING] * (width * count)
        cells[::width] = numbers
        cells[1::width] = heads
        cells[2::width] = arcs.deprels
        if arcs.deps:
            cells[3::width] = arcs.deps
        body = "".join(texts) % tuple(cells)
        return f"{_with_nodes(body, arcs.nodes) if arcs.nodes else body}\n"

    # --- templates --------------------------------------------------------------------------------

    def _template(self, eojeol: Eojeol, place: _Place) -> Template:
        """Return the lines of an eojeol without arcs."""
        # A damaged eojeol has tens of thousands of tokens: only joined lists take linear time.
        found = self._tokens(eojeol, place, _NO_ARC)
        text = "".join([f"%s{rest}{lines}" if rest else lines for _, rest, lines in found])
        shape = tuple([len(token.words) for token, _, _ in found])
        return text, *self._shapes[shape], eojeol.form

    def _tree(self, eojeol: Eojeol, place: _Place, arc: str) -> TreeTemplate:
        """Return the lines of an eojeol with arcs."""
        if place.mark:
            place = _Place(_MARK if place.mark == _ID else "", place.labels)
        texts: list[str] = []
        ranges = []
        words = 0
        for token, rest, lines in self._tokens(eojeol, place, arc):
            if rest:
                ranges.append((words, len(token.words), rest.replace("%%", "%")))
            texts.append(lines)
            words += len(token.words)
        # A NamedTuple's own constructor takes twice as long.
        return tuple.__new__(TreeTemplate, ("".join(texts), words, tuple(ranges)))

    def _tokens(self, eojeol: Eojeol, place: _Place, arc: str) -> list[tuple[Token, str, str]]:
        """Return for each token the line of its range behind the ID, "" for none, and its lines.

        Args:
            eojeol: with its tokens.
            place: what its place says; `_NO_PLACE` if the lines of its tokens say that already.
            arc: what stands for the arc of a word.
        """
        found: list[tuple[Token, str, str]] = []
        labelled = bool(place.labels) or self._ne == "column"
        says_nothing = place is _NO_PLACE and not labelled
        start = 0
        for token in eojeol.tokens:
            if says_nothing and token.was_read:
                found.append((token, *_as_read(token, arc)))
                continue
            is_first = not found
            opening = [] if token.space_after else [_JOINED]
            if is_first:
                opening += [f"Id={place.mark}"] if place.mark not in ("", _NO_ID) else []
                if eojeol.notes and not token.was_read:
                    opening += kept_items(eojeol)
            tail = place.mark if is_first and place.mark == _NO_ID else ""
            rest = ""
            if len(token.words) > 1:
                misc = self._first(token, token.misc, opening, [])
                columns = "\t_" * self._ne_layers if self._ne == "column" else ""
                rest = f"\t{_safe(token.form)}\t_\t_\t_\t{_safe(token.feats)}\t_\t_\t_\t{misc}"
                rest += f"{tail}{columns}\n"
                opening, tail = [], ""
            if not (tail or labelled or token.was_read) and opening in ([], [_JOINED]):
                known = self._made[arc, _JOINED if opening else ""]
                found.append((token, rest, "".join([known[word] for word in token.words])))
                continue
            lines = ""
            for word in token.words:
                end = start + len(word.morphemes)
                own = tuple([layer[start:end] for layer in place.labels])
                start = end
                lines += self._line(token, word, opening, own, tail, arc)
                opening, tail = [], ""
            found.append((token, rest, lines))
        return found

    def _line(
        self, token: Token, word: Word, opening: list[str], labels: Labels, tail: str, arc: str
    ) -> str:
        """Return the line of a word, with what its place says."""
        feats = NOTHING if feats_label(word.feats) else word.feats
        columns = [NOTHING] * self._ne_layers if self._ne == "column" else []
        items: list[str] = []
        for at, layer in enumerate(labels):
            value = word_label(layer)
            if not value:
                continue
            own = label_items(label_key(at), layer)
            # What would not be read as a label there stands in MISC.
            if at < len(columns) and value not in NO_LABEL:
                columns[at] = _safe(value)
                del own[0]
            items += own
        misc = self._first(token, word.misc, opening, items, word)
        more = "".join([f"\t{column}" for column in columns])
        cells = _safe("\t".join((*word[:4], feats)))
        return f"%s\t{cells}{arc}{misc}{tail}{more}\n"

    def _first(
        self,
        token: Token,
        misc: str,
        opening: list[str],
        labels: list[str],
        word: Word | None = None,
    ) -> str:
        """Return MISC of a line: what opens it, the morphemes, the labels, and all others."""
        if word is None and not opening and misc in ("", NOTHING):
            return NOTHING
        if token.was_read:
            misc = with_labels(misc, labels) if word else with_places_of_labels(misc or NOTHING)
            told = {item.partition("=")[0]: item for item in opening}
            old = [(item.partition("=")[0], item) for item in misc.split("|") if misc != NOTHING]
            items = [told.pop(k, item) for k, item in old if k not in PLACE_KEYS or k in told]
            items = [*told.values(), *items]
        else:
            own = word_misc(word) if word is not None else []
            items = [*opening, *own, *labels, *([misc] if misc not in ("", NOTHING) else [])]
        # What stands for an id is no text yet.
        return "|".join([one if one == f"Id={_ID}" else _safe(one) for one in items]) or NOTHING


_MARK = "\r"
"""Stands for the corpus id of an eojeol in lines with arcs; no cell can hold it."""
_NO_ARC = "\t_\t_\t_\t"
ARC = "\t%s\t%s\t_\t"
"""The arc of a word in a template, with DEPS."""
_ARC_WITH_DEPS = "\t%s\t%s\t%s\t"


def _trimmed(labels: Labels) -> Labels:
    """Return the labels of an eojeol without the layers behind the last that has any."""
    while labels and not labels[-1]:
        labels = labels[:-1]
    return labels


def _in_feats(eojeol: Eojeol) -> bool:
    """Whether a label of an entity stands in FEATS."""
    _, labels = eojeol.occurrence
    return bool(labels) and any([feats_label(w.feats) for t in eojeol.tokens for w in t.words])


def _as_read(token: Token, arc: str) -> tuple[str, str]:
    """Return the line of a range behind its ID, "" for none, and the lines of a token's words.

    Args:
        token: whose lines are those that were read.
        arc: what stands for the arc of a word.
    """
    texts = []
    for word in token.words:
        columns, misc = "\t".join(word[:5]), word[5]
        if "%" in columns or "%" in misc:
            columns, misc = _safe(columns), _safe(misc)
        texts.append(f"%s\t{columns}{arc}{misc}\n")
    if len(texts) == 1:
        return "", texts[0]
    return _range_line(token, token.misc), "".join(texts)


def _range_line(token: Token, misc: str) -> str:
    """Return the line of a range behind its ID, as it may stand in a template."""
    rest = f"\t{token.form}\t_\t_\t_\t{token.feats}\t_\t_\t_\t{misc}\n"
    return _safe(rest) if "%" in rest else rest


def _made_line(arc: str, opening: str, word: Word) -> str:
    """Return the line of a made word of which its place says nothing, or `SpaceAfter=No`.

    Args:
        arc: what stands for its arc.
        opening: the first item of MISC, "" for none.
        word: the word.
    """
    form, lemma, upos, xpos, feats, misc, morphemes = word
    if not misc and len(morphemes) == 1 and morphemes[0] == (form, xpos, "", "", "", False):
        misc = opening or NOTHING
    else:
        items = [opening, *word_misc(word), misc]
        misc = _safe("|".join([item for item in items if item])) or NOTHING
    if opening and feats_label(feats):
        feats = NOTHING
    columns = _safe(f"{form}\t{lemma}\t{upos}\t{xpos}\t{feats}")
    return f"%s\t{columns}{arc}{misc}\n"


def _filled(shape: tuple[int, ...], numbers: list[tuple[str, ...]], first: int) -> tuple[str, ...]:
    """Return the numbers of an eojeol of this shape whose first word is `first`."""
    if first < len(numbers):
        return numbers[first]
    if first * sum(shape) > _NUMBERED:
        return _number(shape, first)
    numbers += [_number(shape, at) for at in range(len(numbers), first + 1)]
    return numbers[first]


def _number(shape: tuple[int, ...], first: int) -> tuple[str, ...]:
    filled: list[str] = []
    for size in shape:
        if size > 1:
            filled.append(f"{first}-{first + size - 1}")
        filled += map(str, range(first, first + size))
        first += size
    return tuple(filled)


def _with_id(tree: TreeTemplate, corpus_id: str) -> TreeTemplate:
    """Return the lines of an eojeol with its corpus id."""
    written = escape_misc(corpus_id)
    ranges = [(start, size, rest.replace(_MARK, written)) for start, size, rest in tree.ranges]
    return TreeTemplate(tree.text.replace(_MARK, _safe(written)), tree.words, tuple(ranges))


def _with_nodes(body: str, nodes: Sequence[EmptyNode]) -> str:
    """Return the lines of a sentence with its empty nodes behind their words."""
    behind: dict[str, list[str]] = {}
    for after, place, cells in nodes:
        behind.setdefault(str(after), []).append("\t".join((f"{after}.{place}", *cells)) + "\n")
    lines = behind.get("0", [])
    for line in body.split("\n")[:-1]:
        lines.append(f"{line}\n")
        lines += behind.get(line.partition("\t")[0], [])
    return "".join(lines)


def _safe(text: str) -> str:
    """Return text as it may stand in a template."""
    return text.replace("%", "%%") if "%" in text else text


def header_of(sent_id: str, text: str, text_orig: str, comments: tuple[str, ...]) -> str:
    """Return the comment lines of a sentence; see `sejongud.model.Sentence` for the arguments."""
    lines = f"# sent_id = {sent_id}\n# text = {text}\n"
    if text_orig:
        lines += f"# text_orig = {text_orig}\n"
    if not comments:
        return lines
    comments = tuple(opening_first(comments))
    opening = len([comment for comment in comments if comment.startswith(OPENING)])
    others = [f"# {comment}\n" if comment else "#\n" for comment in comments]
    return "".join([*others[:opening], lines, *others[opening:]])
