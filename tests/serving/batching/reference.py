"""The rules of `perfmodel.serving.batching.rules` once more, slow and plain: lists of sequences.

Nothing of the package's core is used: every sequence counts its own tokens in every iteration, and
blocks are counted anew from the sequences whenever they are needed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, inf

import numpy as np

from perfmodel.serving import BatchRules, Requests
from perfmodel.serving.batching.steps import Steps, StepTable


@dataclass(eq=False)
class Sequence:
    index: int
    prompt: int
    output: int
    key: float
    weight: float
    made: int = 0
    cached: int = 0
    """Tokens in the cache."""
    host: int = 0
    """Tokens on the host."""
    share: int = 0
    """Prompt tokens in this iteration."""
    reading: bool = False
    """Admitted to read in a prompt that isn't wholly in the cache."""
    fresh: bool = True
    """Never admitted."""
    admitted: float = -1.0
    first: float = -1.0
    finish: float = -1.0
    preempted: int = 0
    server: int = -1
    given: list[float] = field(default_factory=list)
    """When each output token came out."""

    @property
    def goal(self) -> int:
        """Tokens in the cache when the next output token comes out."""
        return self.prompt + self.made

    @property
    def resumes(self) -> bool:
        """Whether it decodes at once when it is admitted."""
        return self.made > 0 and self.host == self.goal - 1


@dataclass(eq=False)
class Server:
    rules: BatchRules
    steps: Steps
    swap_first: bool
    """Whether cached prompts that come from elsewhere are paid for at admission."""
    running: list[Sequence] = field(default_factory=list)
    waiting: list[Sequence] = field(default_factory=list)
    end: float = inf
    decoding: list[Sequence] = field(default_factory=list)
    busy: float = 0.0
    iterations: int = 0
    sequences: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    peak: int = 0

    def blocks(self, sequence: Sequence, tokens: int) -> int:
        if self.rules.reserve == "whole":
            tokens = sequence.prompt + sequence.output - 1
        return ceil(tokens / self.rules.block)

    def blocks_of(self, sequence: Sequence) -> int:
        """Blocks that a running sequence holds between iterations."""
        return self.blocks(sequence, sequence.goal - (not sequence.reading))

    def free(self) -> int:
        return self.rules.blocks - sum(map(self.blocks_of, self.running))

    def growth(self) -> int:
        return sum(self.blocks(s, s.goal) - self.blocks_of(s) for s in self.running)

    def begin(self, now: float) -> None:
        rules = self.rules
        moved, evicted = 0, False
        while self.free() < self.growth():
            victim = self.running[-1]
            if rules.turn == "priority":
                worst = max(s.key for s in self.running)
                victim = [s for s in self.running if s.key == worst][-1]
            self.running.remove(victim)
            victim.preempted += 1
            if rules.preempt == "swap":
                victim.host = victim.cached
                moved += victim.host
            victim.cached, victim.reading = 0, False
            self.waiting.append(victim)
            evicted = True
        chunked = rules.composition == "chunked prefill"
        room = inf if rules.composition == "static" else rules.prompt_limit
        if chunked:
            room = rules.chunk - sum(not s.reading for s in self.running)
        for sequence in self.running:
            sequence.share = 0
            if sequence.reading:
                sequence.share = int(max(0, min(sequence.goal - sequence.cached, room)))
        new = sum(s.share for s in self.running)
        allowed = not evicted and (rules.composition != "static" or not self.running)
        while allowed and self.waiting and len(self.running) < rules.batch:
            head = min(self.waiting, key=lambda s: (s.key, s.index))
            free = self.free() - self.growth()
            if self.running:
                free -= ceil(rules.spare * rules.blocks - 1e-6)
            if self.blocks(head, head.goal) > free:
                break
            head.share = 0
            if chunked:
                decodes = sum(not s.reading for s in self.running)
                left = rules.chunk - decodes - new
                if left < 1:
                    break
            if not head.resumes:
                missing = head.goal - head.host
                if chunked:
                    head.share = min(missing, left)
                else:
                    head.share = missing
                    if new > 0 and new + missing > room:
                        break
            self.waiting.remove(head)
            self.running.append(head)
            head.reading = not head.resumes
            new += head.share
            if not head.fresh or self.swap_first:
                moved += head.host
            head.cached, head.host = head.host, 0
            if head.fresh:
                head.fresh, head.admitted = False, now
        alone = new > 0 and rules.composition in ("static", "prefill first")
        self.decoding = [] if alone else [s for s in self.running if not s.reading]
        reading = [s for s in self.running if s.share]
        ending = [s for s in reading if s.cached + s.share == s.goal]
        read = sum(s.goal for s in self.decoding) + sum(s.cached for s in reading)
        pairs = sum(sum(s.cached + i + 1 for i in range(s.share)) for s in reading)
        gains = len(self.decoding) + (0 if isinstance(self.steps, StepTable) else len(ending))
        seconds = rules.swap_token * moved + float(self.steps.seconds(new, gains, read, pairs))
        held = {id(s): self.blocks_of(s) for s in self.running}
        held.update({id(s): self.blocks(s, s.goal) for s in self.decoding})
        assert sum(held.values()) <= rules.blocks
        self.peak = max(self.peak, sum(held.values()) * rules.block)
        self.end = now + seconds
        self.busy += seconds
        self.iterations += 1
        self.sequences += len(self.decoding) + len(reading)
        self.prompt_tokens += new
        self.output_tokens += len(self.decoding) + len(ending)

    def finish(self) -> None:
        now, self.end = self.end, inf
        done = []
        for s in self.running:
            reads, s.share = s.share, 0
            if s in self.decoding:
                reads = 1
            s.cached += reads
            if reads and s.cached == s.goal:
                s.reading = False
                s.made += 1
                s.given.append(now)
                s.first = now if s.made == 1 else s.first
                if s.made == s.output:
                    s.finish = now
                    done.append(s)
        self.running = [s for s in self.running if s not in done]


def serve(
    requests: Requests,
    steps: Steps,
    rules: BatchRules,
    replicas: int = 1,
    dispatch: str = "round robin",
    resident: bool = False,
) -> tuple[list[Sequence], list[Server]]:
    """Return all sequences in the order of the requests, and the servers, at the end."""
    keys = {"priority": requests.priority, "shortest predicted": requests.predicted}
    key = keys.get(rules.turn, np.zeros(len(requests)))
    tokens = dispatch == "least tokens"
    sequences = [
        Sequence(i, int(p), int(o), float(k), float(p + guess) if tokens else 1.0)
        for i, (p, o, k, guess) in enumerate(
            zip(requests.prompt, requests.output, key, requests.predicted, strict=True)
        )
    ]
    for s in sequences if resident else []:
        s.made, s.host = 1, s.prompt
    servers = [Server(rules, steps, not resident) for _ in range(replicas)]
    sent = 0
    while any(s.finish < 0 for s in sequences):
        arrival = float(requests.arrival[sent]) if sent < len(sequences) else inf
        now = min(arrival, *(server.end for server in servers), inf)
        for server in servers:
            if server.end == now:
                server.finish()
        while sent < len(sequences) and requests.arrival[sent] == now:
            loads = [
                sum(s.weight for s in (*server.running, *server.waiting)) for server in servers
            ]
            chosen = sent % replicas if dispatch == "round robin" else int(np.argmin(loads))
            sequences[sent].server = chosen
            servers[chosen].waiting.append(sequences[sent])
            sent += 1
        for server in servers:
            if server.end == inf and (server.running or server.waiting):
                server.begin(now)
    return sequences, servers
