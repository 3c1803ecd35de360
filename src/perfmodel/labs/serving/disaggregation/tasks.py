"""Tasks: capacity of one pool, the split of two pools, and the cost of a transfer."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

one_pool = Task(
    "Capacity of one pool",
    reference=lambda servers, fixed, reading, writing, limit: (
        servers * (1 - fixed / limit) / (reading + writing)
    ),
    cases=[(8, 0.03, 0.08, 0.09, 0.05), (4, 0.04, 0.16, 0.016, 0.1), (1, 0.01, 0.05, 0.05, 0.2)],
    mistakes=mistakes(
        lambda servers, fixed, reading, writing, limit: servers / (reading + writing),
        "no fixed part: Each of 1/T iterations per second pays F.",
        lambda servers, fixed, reading, writing, limit: servers / (fixed + reading + writing),
        "fixed part once a request: Each iteration pays F, not each request.",
        lambda servers, fixed, reading, writing, limit: servers * (1 - fixed / limit) / writing,
        "prompts for nothing: The same servers also compute the prompts.",
        lambda servers, fixed, reading, writing, limit: (
            servers * (limit - fixed) / (reading + writing)
        ),
        "the limit as time: That is the work of one iteration. There are 1/T iterations per "
        "second.",
    ),
    hint="A server has 1 - F/T seconds per second for the work of requests.",
    right="A tight limit makes the fixed part expensive. Prompts in their own pool avoid it.",
    unit="requests/s",
)

prefill_servers = Task(
    "Servers for prompts",
    reference=lambda servers, read_rate, decode_rate: (
        servers * decode_rate / (read_rate + decode_rate)
    ),
    cases=[(8, 9.0, 4.6), (8, 5.3, 25.7), (40, 5.3, 45.0)],
    mistakes=mistakes(
        lambda servers, read_rate, decode_rate: servers * read_rate / (read_rate + decode_rate),
        "the wrong way round: The faster kind of server needs fewer, not more.",
        lambda servers, read_rate, decode_rate: servers / 2,
        "half of them: With equal numbers one kind waits for the other.",
        lambda servers, read_rate, decode_rate: decode_rate / read_rate,
        "one for the other's rate: That is the number of prefill servers per decode server. How "
        "many of all servers?",
    ),
    hint="P servers prefill P x read_rate requests/s. The others must decode the same rate.",
    right="Balance matters most: one server off costs more than splitting gains.",
)

sending = Task(
    "What sending adds to a token",
    reference=lambda prompt, token_bytes, bandwidth, output: (
        prompt * token_bytes / bandwidth / (output - 1)
    ),
    cases=[(2048, 327_680, 5e9, 13), (2048, 327_680, 5e9, 129), (1000, 1e5, 25e9, 2)],
    mistakes=mistakes(
        lambda prompt, token_bytes, bandwidth, output: prompt * token_bytes / bandwidth,
        "all of it: That is the whole transfer. It adds to one of the gaps between tokens.",
        lambda prompt, token_bytes, bandwidth, output: prompt * token_bytes / bandwidth / output,
        "tokens for gaps: An answer of n tokens has n - 1 gaps.",
        lambda prompt, token_bytes, bandwidth, output: 0.0,
        "nothing: The first token is out, but the second waits for the transfer.",
    ),
    hint="The transfer happens between the first and the second token. Divide by the gaps.",
    right="Short answers can't spread the transfer over many gaps.",
    unit="s",
)
