"""Tasks: count the postings of a search, apply Amdahl's law to a build, and bound a scan."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task

LENGTHS = {0: 90, 1: 60, 2: 40, 5: 10}
"""Postings of four words, by the word."""

postings_read = Task(
    "Postings that a search reads",
    reference=lambda lengths, query: sum(lengths[word] for word in set(query)),
    cases=[(LENGTHS, [0, 5]), (LENGTHS, [2, 1, 2, 2]), (LENGTHS, [5, 5])],
    mistakes=[
        Mistake(
            "a list for each repeat",
            lambda lengths, query: sum(lengths[word] for word in query),
            "You read a list again for each repeat of its word. The search reads it once, and "
            "multiplies by the count.",
        ),
        Mistake(
            "words, not postings",
            lambda lengths, query: len(set(query)),
            "You counted the different words. Each of them has a list with many postings.",
        ),
        Mistake(
            "longest list only",
            lambda lengths, query: max(lengths[word] for word in query),
            "You counted the longest list only. The search reads the lists of all words.",
        ),
    ],
    hint="Take each different word once, and add up the lengths of their lists.",
    right="The count needs no clock. It is known before the query runs.",
    unit="postings",
)

build_time = Task(
    "Time of a build on several workers",
    reference=lambda blocks, merging, workers: merging + blocks / workers,
    cases=[(1.8, 0.2, 2), (1.8, 0.2, 8), (0.9, 0.3, 3), (0.2, 0.9, 4)],
    mistakes=[
        Mistake(
            "everything shared",
            lambda blocks, merging, workers: (merging + blocks) / workers,
            "You divided the merging as well. One process does it while the others wait.",
        ),
        Mistake(
            "merging forgotten",
            lambda blocks, merging, workers: blocks / workers,
            "The merging is missing. The index isn't ready before its end.",
        ),
        Mistake(
            "blocks not shared",
            lambda blocks, merging, workers: blocks + merging / workers,
            "You divided the merging and kept the blocks. It is the blocks that can be shared.",
        ),
        Mistake(
            "longer of the two",
            lambda blocks, merging, workers: max(merging, blocks / workers),
            "You took the longer of the two. The merging follows the blocks, so the times add.",
        ),
    ],
    hint="One part is divided by the workers, and the other part isn't. Add the two.",
    right="Each doubling of the workers halves less of the whole. The merging stays.",
    unit="s",
)

scan_time = Task(
    "Shortest time of a scan",
    reference=lambda postings, bandwidth, rate: max(5 * postings / bandwidth, postings / rate),
    cases=[
        (2_000_000, 10e9, 0.8e9),
        (2_000_000, 2e9, 0.8e9),
        (500_000, 20e9, 1e9),
        (1_000_000, 0.5e9, 0.8e9),
    ],
    mistakes=[
        Mistake(
            "memory alone",
            lambda postings, bandwidth, rate: 5 * postings / bandwidth,
            "You counted the memory only. The core may take longer for the loop.",
        ),
        Mistake(
            "core alone",
            lambda postings, bandwidth, rate: postings / rate,
            "You counted the core only. The memory may take longer for the bytes.",
        ),
        Mistake(
            "one after the other",
            lambda postings, bandwidth, rate: 5 * postings / bandwidth + postings / rate,
            "You added the two times. In the roofline they overlap, so the longer one counts.",
        ),
        Mistake(
            "shorter of the two",
            lambda postings, bandwidth, rate: min(5 * postings / bandwidth, postings / rate),
            "You took the shorter of the two times. The scan ends when both are done.",
        ),
        Mistake(
            "four bytes",
            lambda postings, bandwidth, rate: max(4 * postings / bandwidth, postings / rate),
            "You counted 4 bytes a posting. The count of the word takes one more byte.",
        ),
        Mistake(
            "one byte",
            lambda postings, bandwidth, rate: max(postings / bandwidth, postings / rate),
            "You counted 1 byte a posting. A posting takes 5 bytes.",
        ),
    ],
    hint="How long do 5 bytes a posting take at `bandwidth`? How long does the loop take at "
    "`rate`? The longer of the two times counts.",
    right="Which of the two is longer depends on the machine. Below you measure both rates.",
    unit="s",
)
