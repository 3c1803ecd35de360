"""What the reader does: capacity of one pool, the split of two, and the price of sending."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task

one_pool = Task(
    "Capacity of one pool",
    reference=lambda servers, fixed, reading, writing, limit: (
        servers * (1 - fixed / limit) / (reading + writing)
    ),
    cases=[(8, 0.03, 0.08, 0.09, 0.05), (4, 0.04, 0.16, 0.016, 0.1), (1, 0.01, 0.05, 0.05, 0.2)],
    mistakes=[
        Mistake(
            "no fixed part",
            lambda servers, fixed, reading, writing, limit: servers / (reading + writing),
            "Each iteration pays F, and 1/T iterations a second are begun.",
        ),
        Mistake(
            "fixed part once a request",
            lambda servers, fixed, reading, writing, limit: servers / (fixed + reading + writing),
            "F is paid by each iteration and not by each request.",
        ),
        Mistake(
            "prompts for nothing",
            lambda servers, fixed, reading, writing, limit: servers * (1 - fixed / limit) / writing,
            "Prompts take time in the same servers.",
        ),
        Mistake(
            "the limit as time",
            lambda servers, fixed, reading, writing, limit: (
                servers * (limit - fixed) / (reading + writing)
            ),
            "That is the work of one iteration. There are 1/T of them a second.",
        ),
    ],
    hint="A server has 1 - F/T seconds a second for the work of requests.",
    right="A tight limit makes the fixed part expensive: this is the tax that prompts needn't pay.",
    unit="requests/s",
)

prefill_servers = Task(
    "Servers for prompts",
    reference=lambda servers, read_rate, decode_rate: (
        servers * decode_rate / (read_rate + decode_rate)
    ),
    cases=[(8, 9.0, 4.6), (8, 5.3, 25.7), (40, 5.3, 45.0)],
    mistakes=[
        Mistake(
            "the wrong way round",
            lambda servers, read_rate, decode_rate: servers * read_rate / (read_rate + decode_rate),
            "The faster kind of server needs fewer, not more.",
        ),
        Mistake(
            "half of them",
            lambda servers, read_rate, decode_rate: servers / 2,
            "Then one kind waits for the other.",
        ),
        Mistake(
            "one for the other's rate",
            lambda servers, read_rate, decode_rate: decode_rate / read_rate,
            "That is prefill servers for each decode server. How many of all?",
        ),
    ],
    hint="P servers read P x read_rate requests/s. The others must decode as many.",
    right="Balance is the whole design: one server off costs more than splitting gains.",
)

sending = Task(
    "What sending adds to a token",
    reference=lambda prompt, token_bytes, bandwidth, output: (
        prompt * token_bytes / bandwidth / (output - 1)
    ),
    cases=[(2048, 327_680, 5e9, 13), (2048, 327_680, 5e9, 129), (1000, 1e5, 25e9, 2)],
    mistakes=[
        Mistake(
            "all of it",
            lambda prompt, token_bytes, bandwidth, output: prompt * token_bytes / bandwidth,
            "That is the whole transfer. It falls into one of the gaps between tokens.",
        ),
        Mistake(
            "tokens for gaps",
            lambda prompt, token_bytes, bandwidth, output: (
                prompt * token_bytes / bandwidth / output
            ),
            "An answer of n tokens has n - 1 gaps.",
        ),
        Mistake(
            "nothing",
            lambda prompt, token_bytes, bandwidth, output: 0.0,
            "The first token is out, but the second waits for the transfer.",
        ),
    ],
    hint="The transfer lies between the first and the second token.",
    right="Short answers can't spread the transfer over many gaps.",
    unit="s",
)
