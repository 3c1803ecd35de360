"""`perfmodel.serving.batching.scheduling_policy` once more, slow and plain, in vLLM's words.

A server has a list of running requests, in the order of their admission, and a list of waiting
ones. Before each iteration its scheduler preempts while KV blocks are too few, schedules prefill
tokens of running requests, and admits waiting ones. Nothing of the package's core is used: every
request counts its own tokens in every iteration, and KV blocks are counted from the requests
whenever they are needed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, inf

import numpy as np

from perfmodel.serving import BatchRules, Requests
from perfmodel.serving.batching.steps import Steps, StepTable


@dataclass(eq=False)
class Request:
    index: int
    prompt_tokens: int
    max_tokens: int
    key: float
    weight: float
    cached_tokens: int = 0
    """First tokens of the prompt that the server has already."""
    sent: float = -1.0
    output_tokens: int = 0
    computed_tokens: int = 0
    """Tokens in the KV cache."""
    swapped_tokens: int = 0
    """Tokens of its KV cache on the host."""
    scheduled_tokens: int = 0
    """Prefill tokens in this iteration."""
    prefills: bool = False
    """Running, and its tokens so far aren't wholly in the KV cache."""
    admitted: float = -1.0
    first: float = -1.0
    finish: float = -1.0
    preempted: int = 0
    server: int = -1
    token_times: list[float] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """Those in the KV cache when the next output token comes out."""
        return self.prompt_tokens + self.output_tokens

    @property
    def resumes(self) -> bool:
        """Whether it decodes at once when it is admitted."""
        return self.output_tokens > 0 and self.swapped_tokens == self.tokens - 1


@dataclass(eq=False)
class Server:
    rules: BatchRules
    steps: Steps
    swaps_first_prompt: bool
    """Whether cached prompts that come from elsewhere are paid for at admission."""
    running: list[Request] = field(default_factory=list)
    waiting: list[Request] = field(default_factory=list)
    end: float = inf
    decoding: list[Request] = field(default_factory=list)
    moved_tokens: int = 0
    """Tokens swapped out and in since the last iteration."""
    busy: float = 0.0
    iterations: int = 0
    scheduled: int = 0
    prefill_tokens: int = 0
    output_tokens: int = 0
    peak: int = 0

    @property
    def chunked(self) -> bool:
        return self.rules.composition == "chunked prefill"

    def kv_blocks(self, request: Request, tokens: int) -> int:
        if self.rules.reserve == "whole":
            tokens = request.prompt_tokens + request.max_tokens - 1
        return ceil(tokens / self.rules.block_size)

    def allocated(self, request: Request) -> int:
        """Return the KV blocks of a running request between iterations."""
        return self.kv_blocks(request, request.tokens - (not request.prefills))

    def free_blocks(self) -> int:
        return self.rules.num_blocks - sum(map(self.allocated, self.running))

    def needed_blocks(self) -> int:
        """Return the KV blocks that the running need for their next token."""
        return sum(self.kv_blocks(r, r.tokens) - self.allocated(r) for r in self.running)

    def schedule(self, now: float) -> None:
        """Begin an iteration."""
        preempted = self.preempt()
        budget = self.schedule_running()
        if not preempted and (self.rules.composition != "static" or not self.running):
            self.admit(budget, now)
        prefill = sum(r.scheduled_tokens for r in self.running)
        alone = prefill > 0 and self.rules.composition in ("static", "prefill first")
        self.decoding = [] if alone else [r for r in self.running if not r.prefills]
        self.execute(now)

    def preempt(self) -> bool:
        """Let running requests wait until the KV blocks suffice; return whether any had to."""
        preempted = False
        while self.free_blocks() < self.needed_blocks():
            victim = self.running[-1]
            if self.rules.turn == "priority":
                worst = max(r.key for r in self.running)
                victim = [r for r in self.running if r.key == worst][-1]
            self.running.remove(victim)
            self.waiting.append(victim)
            victim.preempted += 1
            if self.rules.preempt == "swap":
                victim.swapped_tokens = victim.computed_tokens
                self.moved_tokens += victim.swapped_tokens
            victim.computed_tokens, victim.prefills = 0, False
            preempted = True
        return preempted

    def schedule_running(self) -> float:
        """Schedule prefill tokens of running requests; return the iteration's token budget."""
        budget = inf if self.rules.composition == "static" else self.rules.max_prefill_tokens
        if self.chunked:
            budget = self.rules.chunk_size - sum(not r.prefills for r in self.running)
        for request in self.running:
            missing = request.tokens - request.computed_tokens if request.prefills else 0
            request.scheduled_tokens = int(max(0, min(missing, budget)))
        return budget

    def admit(self, budget: float, now: float) -> None:
        """Let waiting requests run, in their turn, until one doesn't fit."""
        while self.waiting and len(self.running) < self.rules.max_num_seqs:
            request = min(self.waiting, key=lambda r: (r.key, r.index))
            free = self.free_blocks() - self.needed_blocks()
            if self.running:
                free -= ceil(self.rules.watermark * self.rules.num_blocks - 1e-6)
            if self.kv_blocks(request, request.tokens) > free:
                return
            there = request.swapped_tokens or request.cached_tokens
            missing = 0 if request.resumes else request.tokens - there
            prefill = sum(r.scheduled_tokens for r in self.running)
            if self.chunked:
                decodes = sum(not r.prefills for r in self.running)
                remaining = self.rules.chunk_size - decodes - prefill
                if remaining < 1:
                    return
                missing = min(missing, remaining)
            elif missing > 0 and prefill > 0 and prefill + missing > budget:
                return
            self.waiting.remove(request)
            self.running.append(request)
            request.scheduled_tokens, request.prefills = missing, not request.resumes
            if request.admitted >= 0 or self.swaps_first_prompt:
                self.moved_tokens += request.swapped_tokens
            request.computed_tokens, request.swapped_tokens = there, 0
            if request.admitted < 0:
                request.admitted = now

    def execute(self, now: float) -> None:
        """Set the end of the iteration, and count what it holds."""
        prefill = [r for r in self.running if r.scheduled_tokens]
        ending = [r for r in prefill if r.computed_tokens + r.scheduled_tokens == r.tokens]
        tokens = sum(r.scheduled_tokens for r in prefill)
        cached = sum(r.tokens for r in self.decoding) + sum(r.computed_tokens for r in prefill)
        pairs = sum(
            sum(r.computed_tokens + i + 1 for i in range(r.scheduled_tokens)) for r in prefill
        )
        gains = len(self.decoding) + (0 if isinstance(self.steps, StepTable) else len(ending))
        seconds = float(self.steps.seconds(tokens, gains, cached, pairs))
        seconds = self.rules.swap_token * self.moved_tokens + seconds
        self.moved_tokens = 0
        used = {id(r): self.allocated(r) for r in self.running}
        used.update({id(r): self.kv_blocks(r, r.tokens) for r in self.decoding})
        assert sum(used.values()) <= self.rules.num_blocks
        self.peak = max(self.peak, sum(used.values()) * self.rules.block_size)
        self.end = now + seconds
        self.busy += seconds
        self.iterations += 1
        self.scheduled += len(self.decoding) + len(prefill)
        self.prefill_tokens += tokens
        self.output_tokens += len(self.decoding) + len(ending)

    def finish(self) -> None:
        """End the iteration: requests get their tokens, and those that have all of them leave."""
        now, self.end = self.end, inf
        for request in list(self.running):
            computed = 1 if request in self.decoding else request.scheduled_tokens
            request.scheduled_tokens = 0
            request.computed_tokens += computed
            if computed and request.computed_tokens == request.tokens:
                request.prefills = False
                request.output_tokens += 1
                request.token_times.append(now)
                request.first = now if request.output_tokens == 1 else request.first
                if request.output_tokens == request.max_tokens:
                    request.finish = now
                    self.running.remove(request)


def serve(
    requests: Requests,
    steps: Steps,
    rules: BatchRules,
    replicas: int = 1,
    dispatch: str = "round robin",
    resident: bool = False,
    concurrency: float = inf,
) -> tuple[list[Request], list[Server]]:
    """Return all requests in their order, and the servers, at the end."""
    keys = {"priority": requests.priority, "shortest predicted": requests.predicted}
    key = keys.get(rules.turn, np.zeros(len(requests)))
    by_tokens = dispatch == "least tokens"
    served = [
        Request(i, int(p), int(o), float(k), float(p + guess) if by_tokens else 1.0)
        for i, (p, o, k, guess) in enumerate(
            zip(requests.prompt, requests.output, key, requests.predicted, strict=True)
        )
    ]
    for request, cached in zip(served, requests.cached, strict=True):
        request.cached_tokens = 0 if resident else int(cached)
    for request in served if resident else []:
        request.output_tokens, request.swapped_tokens = 1, request.prompt_tokens
    servers = [Server(rules, steps, not resident) for _ in range(replicas)]
    sent = 0
    while any(request.finish < 0 for request in served):
        in_flight = sent - sum(request.finish >= 0 for request in served)
        free = sent < len(served) and in_flight < concurrency
        arrival = float(requests.arrival[sent]) if free else inf
        now = min(arrival, *(server.end for server in servers), inf)
        for server in servers:
            if server.end == now:
                server.finish()
        finished = sum(request.finish >= 0 for request in served)
        while (
            sent < len(served) and requests.arrival[sent] <= now and sent - finished < concurrency
        ):
            loads = [sum(r.weight for r in (*s.running, *s.waiting)) for s in servers]
            chosen = sent % replicas if dispatch == "round robin" else int(np.argmin(loads))
            served[sent].server, served[sent].sent = chosen, now
            servers[chosen].waiting.append(served[sent])
            sent += 1
        for server in servers:
            if server.end == inf and (server.running or server.waiting):
                server.schedule(now)
    return served, servers
