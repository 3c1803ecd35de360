"""An inverted index: for each word the documents that hold it, built in blocks and merged.

Source: J. Zobel and A. Moffat, "Inverted files for text search engines", ACM Computing Surveys
38(2), 2006.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perfmodel.labs.measurement.one_program.corpus import (
    CHUNK,
    VOCABULARY,
    Query,
    Words,
    read_documents,
)
from perfmodel.validation import whole

POSTING_BYTES = 5
"""Bytes of a posting: a document's number (4) and a count (1)."""
BLOCKS = 8
"""Blocks of documents that an index is merged from."""


@dataclass(frozen=True, eq=False)
class InvertedIndex:
    """Posting lists of all words, one after the other."""

    size: int
    """Documents."""
    starts: NDArray[np.int64]
    """Where each word's list starts, and the end of the last one, shape (VOCABULARY + 1,)."""
    documents: NDArray[np.int32]
    """Document of each posting; they rise within a list."""
    counts: NDArray[np.uint8]
    """How often the document holds the word."""

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Postings of each word: the number of documents that hold it."""
        return np.diff(self.starts)

    @property
    def postings(self) -> int:
        """Postings of all words."""
        return self.documents.size

    def scanned(self, query: Query) -> int:
        """Return the postings that a search for `query` reads."""
        return int(self.lengths[query.words].sum())

    def save(self, folder: Path) -> None:
        """Write one file for each array."""
        for name in ("starts", "documents", "counts"):
            np.save(folder / f"{name}.npy", getattr(self, name))
        (folder / "size").write_text(str(self.size))

    @classmethod
    def load(cls, folder: Path) -> InvertedIndex:
        """Read what `save` wrote."""
        arrays = (np.load(folder / f"{name}.npy") for name in ("starts", "documents", "counts"))
        return cls(int((folder / "size").read_text()), *arrays)


def index_block(words: Words, first: int = 0) -> InvertedIndex:
    """Return the index of one block: documents from number `first` on, a row of `words` each.

    >>> block = index_block(np.array([[2, 0, 2], [2, 1, 1]], dtype=np.int32), first=10)
    >>> print(block.starts[:4], block.documents, block.counts)
    [0 1 2 4] [10 11 10 11] [1 2 2 1]
    """
    rows = len(words)
    keys = (words.astype(np.int64) * rows + np.arange(rows)[:, None]).ravel()
    keys.sort()
    begins = np.flatnonzero(np.diff(keys, prepend=-1))
    found, numbers = np.divmod(keys[begins], max(rows, 1))
    return InvertedIndex(
        rows,
        np.searchsorted(found, np.arange(VOCABULARY + 1)),
        (numbers + first).astype(np.int32),
        np.diff(begins, append=keys.size).astype(np.uint8),
    )


def merge_blocks(blocks: Sequence[InvertedIndex]) -> InvertedIndex:
    """Return the index of all blocks together; their documents must be in rising order.

    >>> words = np.array([[2, 0, 2], [2, 1, 1]], dtype=np.int32)
    >>> merge_blocks([index_block(words[:1]), index_block(words[1:], 1)]).documents
    array([0, 1, 0, 1], dtype=int32)
    """
    lengths = np.array([block.lengths for block in blocks])
    starts = np.concatenate([[0], np.cumsum(lengths.sum(axis=0))])
    documents, counts = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.uint8)
    free = starts[:-1].copy()
    for block, own in zip(blocks, lengths, strict=True):
        places = np.repeat(free - block.starts[:-1], own)
        places += np.arange(block.postings)
        documents[places], counts[places] = block.documents, block.counts
        free += own
    return InvertedIndex(sum(block.size for block in blocks), starts, documents, counts)


def block_bounds(size: int, blocks: int = BLOCKS) -> list[tuple[int, int]]:
    """Return first document and number of documents of each block of a corpus.

    >>> block_bounds(2000, 3)
    [(0, 500), (500, 500), (1000, 1000)]
    """
    chunks, rest = divmod(whole("size", size, CHUNK), CHUNK)
    if rest:
        raise ValueError(f"size must be a multiple of {CHUNK}, got {size}")
    edges = CHUNK * (np.arange(min(blocks, chunks) + 1) * chunks // min(blocks, chunks))
    return [(int(a), int(b - a)) for a, b in pairwise(edges)]


def build(size: int, seed: int = 1) -> InvertedIndex:
    """Return the index of a corpus of `size` documents, in this process."""
    return timed_build(size, seed)[0]


def timed_build(size: int, seed: int = 1) -> tuple[InvertedIndex, float, float]:
    """Return the index, and the seconds that its blocks and their merging took."""
    began = time.perf_counter()
    blocks = build_blocks(block_bounds(size), seed)
    indexed = time.perf_counter()
    index = merge_blocks(blocks)
    return index, indexed - began, time.perf_counter() - indexed


def build_blocks(bounds: Sequence[tuple[int, int]], seed: int = 1) -> list[InvertedIndex]:
    """Return the index of each block of `bounds`: a worker's share."""
    return [index_block(read_documents(first, count, seed), first) for first, count in bounds]
