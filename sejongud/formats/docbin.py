"""DocBin, the binary file of spaCy, read and written by way of its JSON.

spaCy itself reads and writes it, and is installed apart: `pip install sejongud[spacy]`.
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

from sejongud.errors import FormatError, UsageError
from sejongud.formats.labelled import to_json

if TYPE_CHECKING:
    from pathlib import Path

_SENT_ID = "sent_id"
_LARGEST = 1 << 30
"""The greatest number of bytes of a file when its compression is undone."""


def _spacy() -> tuple[Any, Any]:
    """Return spaCy's modules of tokens and of training.

    Raises:
        UsageError: spaCy is not installed.
    """
    try:
        import spacy.tokens
        import spacy.training
    except ImportError:
        raise UsageError(
            "a DocBin is read and written by spaCy, which is not installed:"
            " pip install 'sejongud[spacy]'; or use spacy-json, which `spacy convert` reads"
        ) from None
    return spacy.tokens, spacy.training


def read_docbin(path: Path) -> str:
    """Return the documents of a file as spaCy's JSON, a paragraph for each sentence.

    Args:
        path: of the file.

    Raises:
        UsageError: spaCy is not installed.
        FormatError: the file is no DocBin, or too large.
        OSError: the file cannot be read.
    """
    tokens, training = _spacy()
    from spacy.vocab import Vocab

    data = path.read_bytes()
    _check_size(data, path)
    try:
        docs = list(tokens.DocBin().from_bytes(data).get_docs(Vocab()))
    except (KeyError, TypeError, ValueError) as error:
        message = f"this is no DocBin of spaCy: {error}"
        raise FormatError(message, path=str(path), code="E322") from None
    sentences = []
    for doc in docs:
        sents = list(doc.sents) if doc.has_annotation("SENT_START") else []
        sentences += [sent.as_doc() for sent in sents] if len(sents) > 1 else [doc]
    paragraphs = []
    for doc in sentences:
        for token in doc:
            token.is_sent_start = token.i == 0
        paragraph = training.docs_to_json([doc])["paragraphs"][0]
        sent_id = str(doc.user_data.get(_SENT_ID) or "")
        paragraphs.append({_SENT_ID: sent_id, **paragraph} if sent_id else paragraph)
    return to_json([{"id": 0, "paragraphs": paragraphs}], indent=1)


def _check_size(data: bytes, path: Path) -> None:
    """Check that the compression of a file can be undone in memory.

    Raises:
        FormatError: it cannot, or the file is not compressed as a DocBin is.
    """
    unpacker = zlib.decompressobj()
    size = 0
    try:
        while data and size <= _LARGEST:
            size += len(unpacker.decompress(data, 1 << 20))
            data = unpacker.unconsumed_tail
    except zlib.error as error:
        message = f"this is no DocBin of spaCy: {error}"
        raise FormatError(message, path=str(path), code="E322") from None
    if size > _LARGEST:
        raise FormatError(f"a DocBin of more than {_LARGEST:,} bytes", path=str(path), code="E322")


def written_docbin(text: str) -> bytes:
    """Return the bytes of a file with the documents of spaCy's JSON.

    Args:
        text: the JSON, with a paragraph for each sentence.

    Raises:
        UsageError: spaCy is not installed.
        FormatError: spaCy does not take the tokens.
    """
    tokens, training = _spacy()
    try:
        docs = list(training.converters.json_to_docs(text))
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"spaCy does not take these tokens: {error}", code="E322") from None
    paragraphs = [paragraph for file in json.loads(text) for paragraph in file["paragraphs"]]
    for doc, paragraph in zip(docs, paragraphs, strict=True):
        if paragraph.get(_SENT_ID):
            doc.user_data[_SENT_ID] = paragraph[_SENT_ID]
    data: bytes = tokens.DocBin(docs=docs, store_user_data=True).to_bytes()
    return data
