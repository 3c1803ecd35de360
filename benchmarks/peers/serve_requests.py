"""Requests of benchmarks/serving.py served in SimPy; runs in the peers' environment.

`serve_requests.py CASE.npz ENDS.npy` reads requests and rules, writes when each request had its
first and its last token, and prints the seconds of processor time from the arrays to the ends, and
the iterations. The server is a process: it admits, waits for the end of its iteration, and gives
each sequence its token. The rules are those of "prefill first" with eviction by recompute.
"""

from __future__ import annotations

import sys
import time
from collections import deque

import numpy as np
import simpy


class Sequence:
    """A request and what it has."""

    __slots__ = ("blocks", "finish", "first", "made", "output", "prompt")

    def __init__(self, prompt, output):
        self.prompt, self.output = prompt, output
        self.made, self.blocks = 0, 0
        self.first = self.finish = None


def served(arrival, sequences, pieces, batch, blocks, block):
    """Play all requests through one server; return the iterations."""
    env = simpy.Environment()
    waiting, running = deque(), []
    free, left, iterations = blocks, len(sequences), 0
    came = env.event()

    def source():
        for when, sequence in zip(arrival, sequences, strict=True):
            if when > env.now:
                yield env.timeout(when - env.now)
            waiting.append(sequence)
            if not came.triggered:
                came.succeed()

    def seconds(new, gains, read, pairs):
        return max(f + a * new + b * gains + c * read + d * pairs for f, a, b, c, d in pieces)

    def server():
        nonlocal free, left, iterations, came, running
        while left:
            if not waiting and not running:
                came = env.event()
                yield came
            need = 0
            for sequence in running:
                need += sequence.prompt + sequence.made > sequence.blocks * block
            admits = free >= need
            while free < need:
                last = running.pop()
                need -= last.prompt + last.made > last.blocks * block
                free += last.blocks
                last.blocks = 0
                waiting.appendleft(last)
            admitted = []
            while admits and waiting and len(running) + len(admitted) < batch:
                tokens = waiting[0].prompt + waiting[0].made
                wanted = -(-tokens // block)
                if wanted > free - need:
                    break
                sequence = waiting.popleft()
                sequence.blocks = wanted
                free -= wanted
                admitted.append(sequence)
            iterations += 1
            if admitted:
                lengths = [sequence.prompt + sequence.made for sequence in admitted]
                pairs = sum(n * (n + 1) // 2 for n in lengths)
                yield env.timeout(seconds(sum(lengths), len(admitted), 0, pairs))
                gaining = admitted
                running += admitted
            else:
                read = 0
                for sequence in running:
                    tokens = sequence.prompt + sequence.made
                    read += tokens
                    if tokens > sequence.blocks * block:
                        sequence.blocks += 1
                        free -= 1
                yield env.timeout(seconds(0, len(running), read, 0))
                gaining = running
            ended = False
            for sequence in gaining:
                if sequence.made == 0:
                    sequence.first = env.now
                sequence.made += 1
                if sequence.made == sequence.output:
                    sequence.finish = env.now
                    free += sequence.blocks
                    ended = True
                    left -= 1
            if ended:
                running = [sequence for sequence in running if sequence.finish is None]

    env.process(source())
    env.process(server())
    env.run()
    return iterations


def main():
    """Read, play, write, print."""
    case = {name: array.tolist() for name, array in np.load(sys.argv[1]).items()}
    began = time.process_time()
    sequences = [Sequence(*both) for both in zip(case["prompt"], case["output"], strict=True)]
    rules = (case[name] for name in ("batch", "blocks", "block"))
    iterations = served(case["arrival"], sequences, case["pieces"], *rules)
    print(time.process_time() - began, iterations)
    np.save(sys.argv[2], [[sequence.first, sequence.finish] for sequence in sequences])


if __name__ == "__main__":
    main()
