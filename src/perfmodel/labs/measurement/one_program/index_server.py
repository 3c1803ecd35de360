"""The service: a process that loads an index and answers queries behind the loopback interface.

It is run as a program with a folder that holds an index, and the number, the seed, the shortest and
the longest of the queries that requests name by their position.
"""

from __future__ import annotations

import sys
from pathlib import Path

from perfmodel.labs.measurement.one_program.corpus import draw_queries
from perfmodel.labs.measurement.one_program.inverted_index import InvertedIndex
from perfmodel.labs.measurement.one_program.search import Searcher
from perfmodel.queueing.operational_analysis import loopback_server


def main(folder: str, count: str, seed: str, shortest: str, longest: str) -> None:
    """Serve `query/POSITION` until the input is closed."""
    searcher = Searcher(InvertedIndex.load(Path(folder)))
    queries = draw_queries(int(count), int(seed), int(shortest), int(longest))

    def answer(position: float) -> bytes:
        return ",".join(map(str, searcher.search(queries[int(position)]))).encode()

    answer(0)
    loopback_server.main({"query": answer})


if __name__ == "__main__":
    main(*sys.argv[1:])
