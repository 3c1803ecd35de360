"""Bytes of a dispatch and a combine, and their times over two tiers or over a latency and a link.

Three questions: which bytes does a printed bandwidth count, which of two links is the slower one,
and how long is a short exchange whose kernels forward nothing?
"""

from __future__ import annotations

import dataclasses
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.communication import (
    ExpertDispatch,
    expected_destinations,
    largest_of_normals,
    load_imbalance,
    message_time,
    place_experts,
)
from perfmodel.labs.communication.expert_parallelism.inputs import (
    CHOSEN,
    EXPERTS,
    FEW_TOKENS,
    HIDDEN,
    MOE_LAYERS,
    NODE_LIMIT,
    NODE_RANKS,
    ONLINE_CACHED,
    ONLINE_PROMPT,
    SCALED,
    THIRD,
    TOKENS,
    Row,
    printed,
    uccl_rows,
)
from perfmodel.validation import Floats, at_least, one_of, positive, whole

FORMATS = ("fp8", "bf16", "fp8 with metadata")
PHASES = ("dispatch", "combine")


def token_bytes(numbers: str) -> int:
    """Return the bytes of one copy of a token.

    Two bytes a number, or one and a scale for each 128; low-latency kernels add 16.

    >>> [token_bytes(numbers) for numbers in FORMATS]
    [7392, 14336, 7408]
    """
    one_of("numbers", numbers, FORMATS)
    if numbers == "bf16":
        return 2 * HIDDEN
    return HIDDEN + 4 * HIDDEN // SCALED + (16 if "metadata" in numbers else 0)


def _numbers(phase: str) -> str:
    return "bf16" if phase == "combine" or phase.startswith("bf16") else "fp8"


def counted_bytes(row: Row) -> float:
    """Return the bytes that a printed bandwidth counts: all copies, those that stay included.

    A normal kernel on one node counts a copy for each rank, on several nodes one for each node. A
    low-latency kernel counts a copy for each expert.

    >>> round(counted_bytes(uccl_rows()[0]) / 1e6, 2)
    160.31
    """
    if row.kernel == "low-latency":
        numbers = "bf16" if row.phase == "combine" else "fp8 with metadata"
        return float(FEW_TOKENS * CHOSEN * token_bytes(numbers))
    nodes = row.ranks // NODE_RANKS
    destinations = NODE_RANKS if nodes == 1 else nodes
    experts = EXPERTS // row.ranks * row.ranks
    copies = expected_destinations(
        destinations, experts, CHOSEN, None if nodes < 2 else _limit(nodes)
    )
    return TOKENS * copies * token_bytes(_numbers(row.phase))


def _limit(nodes: int) -> int:
    return min(nodes, NODE_LIMIT)


def recomputed_bandwidth(row: Row) -> float:
    """Return the bytes/s that follow from a row's latency, which must be printed."""
    if row.latency is None:
        raise ValueError(f"row must have a latency, got {row!r}")
    return counted_bytes(row) / row.latency


class HeldOut(NamedTuple):
    """A printed bandwidth that wasn't used, and what two models predict for it, bytes/s."""

    platform: str
    phase: str
    ranks: int
    printed: float
    two_tiers: float
    one_link: float
    """The bandwidth of the row with most ranks."""


def calibrated(one_node: float, many: float, nodes: int = 8) -> ExpertDispatch:
    """Return the links behind two printed bandwidths, bytes/s, of one node and of `nodes`.

    On one node a rank's own copy is on no link, so NVLink carries 7/8 of the printed bandwidth. On
    `nodes` the network is assumed to be the slower tier; of n nodes it carries 1 - 1/n.

    >>> links = calibrated(153e9, 51e9)
    >>> links.intra_node / 1e9, links.network / 1e9
    (133.875, 44.625)
    """
    inside = (1 - 1 / NODE_RANKS) * float(positive("one_node", one_node))
    network = (1 - 1 / whole("nodes", nodes, 2)) * float(positive("many", many))
    return ExpertDispatch(network, inside, EXPERTS, CHOSEN, NODE_RANKS, NODE_LIMIT)


def logical_bandwidth(links: ExpertDispatch, nodes: int) -> float:
    """Return the bytes/s that a table prints for several nodes: all copies for nodes over the time.

    >>> round(logical_bandwidth(calibrated(153e9, 51e9), 2) / 1e9, 1)
    46.7
    """
    whole("nodes", nodes, 2)
    return links.copies(nodes)[0] / float(links.time(nodes, 1.0))


PLATFORMS = {
    "H800": "H800 CX7 400Gb/s",
    "MI300X": "On AMD MI300X with CX7 InfiniBand",
    "MI355X": "On AMD MI355X with Pollara AI NIC InfiniBand",
}
CLOUDS = {"H200, EFA": "On p5en", "B200, EFA": "On p6-b200"}
"""Platforms whose cards are AWS's, printed for up to 32 ranks."""


def platform_rows(platform: str, phase: str) -> dict[int, float]:
    """Return the printed bandwidths of a platform's normal kernels by ranks, bytes/s."""
    named = (PLATFORMS | CLOUDS)[one_of("platform", platform, PLATFORMS | CLOUDS)]
    one_of("phase", phase, PHASES)
    if platform == "H800":
        return {n: row.bandwidth for n, row in printed(THIRD, "normal", phase).items()}
    wanted = (phase,) if phase == "combine" else ("dispatch", "fp8 dispatch")
    rows = [r for r in uccl_rows() if r.platform == named and r.kernel == "normal"]
    return {r.ranks: r.bandwidth for r in rows if r.phase in wanted}


def held_out() -> list[HeldOut]:
    """Return the twelve bandwidths of 16 and 32 ranks, predicted from those of 8 and 64.

    >>> errors = [one.two_tiers / one.printed - 1 for one in held_out()]
    >>> round(100 * float(np.mean(np.abs(errors))), 1)
    5.4
    """
    return [
        _predicted(name, phase, n, 64) for name in PLATFORMS for phase in PHASES for n in (16, 32)
    ]


def held_out_on_clouds() -> list[HeldOut]:
    """Return the eight bandwidths of 16 and 24 ranks on AWS, predicted from those of 8 and 32."""
    return [_predicted(name, phase, n, 32) for name in CLOUDS for phase in PHASES for n in (16, 24)]


def _predicted(platform: str, phase: str, ranks: int, known: int) -> HeldOut:
    rows = platform_rows(platform, phase)
    links = calibrated(rows[NODE_RANKS], rows[known], known // NODE_RANKS)
    nodes = ranks // NODE_RANKS
    fitting = dataclasses.replace(links, experts=EXPERTS // ranks * ranks)
    two_tiers = logical_bandwidth(fitting, nodes)
    return HeldOut(platform, phase, ranks, rows[ranks], two_tiers, rows[known])


class ShortExchange(NamedTuple):
    """A latency and a link, fitted to low-latency kernels of 16 ranks and more."""

    latency: float
    """Seconds before anything flows."""
    bandwidth: float
    """Bytes/s of the network."""
    size: float
    """Bytes of all copies of a rank's tokens."""

    def time(self, ranks: ArrayLike) -> Floats:
        """Return seconds; of the copies a fraction 8/n stays in the node and costs nothing here."""
        n = at_least("ranks", ranks, NODE_RANKS)
        return message_time(self.size * (1 - NODE_RANKS / n), self.latency, self.bandwidth)


def fit_short(
    phase: Literal["dispatch", "combine"], ranks: tuple[int, ...] = (16, 32)
) -> ShortExchange:
    """Return the line of least squares through the printed latencies of a few numbers of ranks.

    >>> [round(1e6 * float(fit_short(phase).time(64)), 1) for phase in PHASES]
    [173.5, 312.0]
    """
    rows = printed(THIRD, "low-latency", one_of("phase", phase, PHASES))
    if len(ranks) < 2 or not set(ranks) <= set(rows):
        raise ValueError(f"ranks must be two or more of {sorted(rows)}, got {ranks!r}")
    size = counted_bytes(rows[16])
    moved = np.array([size * (1 - NODE_RANKS / n) for n in ranks])
    times = np.array([rows[n].latency for n in ranks], np.float64)
    slope, latency = np.polyfit(moved, times, 1)
    return ShortExchange(float(latency), float(1 / slope), size)


def waits(ranks: ArrayLike) -> Floats:
    """Return how much longer than on 8 ranks an exchange takes, by uneven loads alone.

    Each of n ranks gets 1,024 copies on average, of which 1 - 1/n come over a link, and the last
    rank sets the time.

    >>> waits([16, 256]).round(3)
    array([1.082, 1.186])
    """
    n = at_least("ranks", ranks, 2)
    load = np.vectorize(largest_of_normals, otypes=[float])(n)
    each = (1 + load / np.sqrt(FEW_TOKENS * CHOSEN)) * (1 - 1 / n)
    alone = (1 + largest_of_normals(8) / np.sqrt(FEW_TOKENS * CHOSEN)) * (1 - 1 / 8)
    return np.asarray(each / alone)


Guess = tuple[str, str, str]


def skewed_load(exponent: float, experts: int = EXPERTS, seed: int = 0) -> np.ndarray:
    """Return loads of experts by Zipf's rule, shuffled: rank i gets i to the power -exponent.

    >>> skewed_load(0.0, 3).tolist()
    [1.0, 1.0, 1.0]
    """
    loads = np.arange(1.0, experts + 1) ** -exponent
    return np.asarray(np.random.default_rng(seed).permutation(loads))


def limit_saves() -> float:
    """Return the fraction of the copies for nodes that a limit of four of eight nodes saves.

    >>> round(limit_saves(), 3)
    0.248
    """
    free, limited = (expected_destinations(8, EXPERTS, CHOSEN, n) for n in (8, NODE_LIMIT))
    return 1 - limited / free


def card_rates() -> dict[int, float]:
    """Return the rate of the card in the dispatch rows of several nodes, bytes/s, by ranks.

    >>> {ranks: round(rate / 1e9, 1) for ranks, rate in card_rates().items()}
    {16: 21.5, 32: 43.5, 64: 44.6}
    """
    rows = printed(THIRD, "normal", "dispatch").values()
    return {row.ranks: row.bandwidth * (1 - 8 / row.ranks) for row in rows if row.ranks > 8}


def prefill_limit() -> float:
    """Return the prompt tokens/s of a GPU that the cards of 32 ranks can carry.

    In each layer a token is dispatched and combined, at the rate of the card in the printed
    dispatch row.

    >>> round(prefill_limit(), -2)
    12700.0
    """
    nodes = 4
    copies = expected_destinations(nodes, EXPERTS, CHOSEN) * (1 - 1 / nodes)
    moved = copies * sum(token_bytes(numbers) for numbers in ("fp8", "bf16"))
    return card_rates()[nodes * NODE_RANKS] / (MOE_LAYERS * moved)


def guesses() -> list[Guess]:
    """Return rows of a question, a common guess, and the computed answer."""
    even = np.ones(EXPERTS)
    skewed = [place_experts(skewed_load(1.0), n, s).imbalance for n, s in ((32, 288), (144, 288))]
    spread = float(load_imbalance(256, FEW_TOKENS * CHOSEN)) - 1
    packed = [place_experts(even, n, s).imbalance for n, s in ((128, 256), (144, 288))]
    rates = card_rates()
    four, two = (printed(THIRD, "normal", "dispatch")[n] for n in (32, 16))
    slow, fast = (1e3 * counted_bytes(row) / row.bandwidth for row in (four, two))
    all_tokens = ONLINE_PROMPT / NODE_RANKS
    computed = (1 - ONLINE_CACHED) * all_tokens
    return [
        (
            "Which row uses the card best?",
            "32 ranks, with the highest printed number",
            f"64 ranks: {rates[64] / 1e9:.1f} GB/s instead of {rates[32] / 1e9:.1f}",
        ),
        (
            f"32 ranks print {four.bandwidth / 1e9:.0f} GB/s and 16 ranks "
            f"{two.bandwidth / 1e9:.0f} GB/s: which dispatch is faster?",
            f"the one with {four.bandwidth / 1e9:.0f} GB/s",
            f"the other: {fast:.1f} instead of {slow:.1f} ms, because fewer copies are sent",
        ),
        (
            f"DeepSeek reports {all_tokens:,.0f} prompt tokens/s per GPU. Are the cards nearly "
            "full?",
            f"yes: they can carry about {round(prefill_limit(), -2):,.0f}",
            f"no: {100 * ONLINE_CACHED:.0f} % of the tokens were in a cache, so only "
            f"{computed:,.0f} a second use the cards",
        ),
        (
            "What does a limit of four of eight nodes save?",
            "half of the traffic",
            f"{100 * limit_saves():.0f} %: without it a token goes to "
            f"{expected_destinations(8, EXPERTS, CHOSEN):.1f} nodes",
        ),
        (
            "How even is the load of 256 ranks if all experts are equally popular?",
            "even",
            f"the busiest rank has {100 * spread:.0f} % more than the mean, with 128 tokens per "
            "rank",
        ),
        (
            "What do 32 spare copies do to an even load of 256 experts?",
            "nothing, or good",
            f"the largest load is {packed[1]:.3f} times the mean on 144 GPUs, and {packed[0]:.0f} "
            "times on 128 GPUs without copies",
        ),
        (
            "Do 32 spare copies even out a skewed load?",
            "yes",
            f"on 32 GPUs with nine slots ({skewed[0]:.3f}), but not on 144 with two "
            f"({skewed[1]:.2f})",
        ),
    ]
