"""Question bank of the topic communication: messages, collectives, shared links, pipelines, plans.

Twenty-eight questions in four levels. Sizes are in bytes, bandwidths in bytes/s, latencies in
seconds, unless a name says otherwise (`gigabits`); shares run from 0 to 1.
"""

from math import ceil, comb, log, log2, sqrt

import numpy as np

from perfcourse.bank import (
    Bank,
    array,
    by_place,
    choice,
    function,
    measured,
    mistakes,
    number,
    rounded,
)
from perfcourse.bank.properties import limit, refuses, vectorised
from perfmodel.communication import (
    collective_cost,
    crossover_size,
    jain_index,
    max_min_rates,
    message_time,
    pipeline_bubble,
    square_root_buffer,
)
from perfmodel.validation import positive

# Level 1: messages


def _link(rng):
    return {"latency": 10 ** rng.uniform(-6, -4.7), "bandwidth": 10 ** rng.uniform(9, 10.7)}


def _message(rng):
    link = _link(rng)
    return {"size": link["latency"] * link["bandwidth"] * 10 ** rng.uniform(-0.8, 0.8), **link}


message = function(
    "message",
    "Build the rate of a message",
    answer="message_rate",
    reference=lambda size, latency, bandwidth: (
        np.asarray(size) / message_time(size, positive("latency", latency), bandwidth)
    ),
    inputs=_message,
    points=4,
    builds="perfmodel.communication.message_time",
    mistakes=mistakes(
        lambda m, a, b: b + 0 * m,
        "latency forgotten: That is the bandwidth, which only a message of infinite size reaches. "
        "How long is it until the first byte flows?",
        lambda m, a, b: a + m / b,
        "time for rate: That is the time of the message. How many bytes per second is this?",
        lambda m, a, b: m / (2 * a + m / b),
        "latency both ways: You counted the latency twice, for an answer. The message goes one way "
        "only.",
        lambda m, a, b: m / (a + 2 * m / b),
        "bytes counted twice: You let the bytes flow twice, out and in. A byte that leaves one end "
        "arrives at the other at the same time.",
        lambda m, a, b: m / a,
        "bytes for nothing: Your message takes its latency only. Its bytes take time, too.",
        lambda m, a, b: m / a + b,
        "rates added: You added two rates. The latency comes first and then the bytes flow. Add "
        "the two times.",
        lambda m, a, b: m / np.maximum(a, m / b),
        "the longer one only: You took the longer of latency and flow, as if they happened at the "
        "same time. One comes after the other.",
        lambda m, a, b: m / (m + a * b),
        "share of the bandwidth: That is the fraction of the bandwidth that is reached. The "
        "question asks for the rate in bytes/s.",
        lambda m, a, b: b / 2 + 0 * m,
        "half the bandwidth: You always returned half of the bandwidth. The rate depends on the "
        "size of the message.",
    ),
    properties=[
        vectorised(
            (np.array([1e3, 1e6]), 2e-6, 1e9),
            0.5,
            "Let NumPy do the loop: given an array of sizes, the function should return an array. "
            "Wrap the comparisons of your checks in np.any(...).",
        ),
        limit(
            "empty message",
            (0.0, 2e-6, 1e9),
            0.5,
            "A message of 0 bytes has a rate of 0. It isn't an error.",
        ),
        refuses((1e3, 2e-6, 0.0), 0.5, "A bandwidth of 0 should raise a ValueError."),
    ],
)


def _wanted(rng):
    return {
        "latency": 10 ** rng.uniform(-6, -4),
        "gigabits": float(rng.choice([10, 25, 40, 100, 200, 400])),
        "share": rng.uniform(0.6, 0.95),
    }


enough = number(
    "enough",
    "How large must a message be?",
    reference=lambda latency, gigabits, share: latency * gigabits / 8e-9 * share / (1 - share),
    inputs=_wanted,
    points=2,
    unit="bytes",
    mistakes=mistakes(
        lambda a, g, s: a * g / 1e-9 * s / (1 - s),
        "bits for bytes: Your answer is in bits. The link is given in bits per second. How many "
        "bits has a byte?",
        lambda a, g, s: a * g / 8e-9,
        "half of the bandwidth: At this size half of the bandwidth is reached: the message waits "
        "as long as it flows. The question asks for another fraction.",
        lambda a, g, s: a * g / 8e-9 * (1 - s) / s,
        "waiting and flowing exchanged: You made the latency this fraction of the time. The flow "
        "of the bytes must be this fraction.",
        lambda a, g, s: a * g / 8e-9 / (1 - s),
        "time in all: You counted the bytes that would flow in the whole time, waiting included. "
        "No byte flows during the latency.",
        lambda a, g, s: a * g / 8e-9 * s,
        "share of half: You took this fraction of the size at which half of the bandwidth is "
        "reached. Set the rate equal to the fraction of the bandwidth and solve for the size.",
        lambda a, g, s: a * g * 2**30 / 8 * s / (1 - s),
        "giga in twos: You used a power of two for giga. Rates of links use powers of ten.",
    ),
)


def _pings(rng):
    link = _link(rng)
    small = link["latency"] * link["bandwidth"] * rng.uniform(0.3, 1.5)
    sizes = np.round([small, small * rng.uniform(8, 40)])
    times = [2 * float(message_time(size, **link)) for size in sizes]
    names = ("small", "large", "small_time", "large_time")
    return dict(zip(names, [*sizes, *times], strict=True))


def _fitted(latency=lambda m, n, t, u, a: a, bandwidth=lambda m, n, t, u, b: b):
    """Return a model of the table from functions of the measurements and the right value."""

    def model(small, large, first, second):
        price = (second - first) / 2 / (large - small)
        given = small, large, first / 2, second / 2
        right = first / 2 - price * small, 1 / price
        return {
            "latency": float(latency(*given, right[0])),
            "bandwidth": float(bandwidth(*given, right[1])),
        }

    return by_place(model)


ping_pong = array(
    "ping_pong",
    "Two numbers from a ping-pong test",
    reference=_fitted(),
    inputs=_pings,
    points=3,
    mistakes=mistakes(
        _fitted(lambda m, n, t, u, a: 2 * a, lambda m, n, t, u, b: b / 2),
        "round trip not halved: Both of your values are for the round trip. The question asks "
        "about one way.",
        _fitted(bandwidth=lambda m, n, t, u, b: b / 2),
        "bandwidth of the round trip: Your latency is that of one way, your bandwidth that of a "
        "round trip.",
        _fitted(lambda m, n, t, u, a: 2 * a),
        "latency of the round trip: Your bandwidth is that of one way, your latency that of a "
        "round trip.",
        _fitted(lambda m, n, t, u, a: t),
        "small message for the latency: You used the small message's time as the latency. Its "
        "bytes take time, too. How long, at your bandwidth?",
        _fitted(bandwidth=lambda m, n, t, u, b: n / u),
        "latency in the bandwidth: You divided the large message's bytes by its whole time, "
        "latency included. What did the additional bytes cost in additional time?",
        _fitted(lambda m, n, t, u, a: t, lambda m, n, t, u, b: n / u),
        "one message each: You took the latency from one message and the bandwidth from the other. "
        "Each time contains both: solve two equations with two unknowns.",
        _fitted(bandwidth=lambda m, n, t, u, b: 1 / b),
        "price of a byte: Your bandwidth is in seconds per byte. Take its reciprocal.",
        _fitted(bandwidth=lambda m, n, t, u, b: 2 * b),
        "bytes counted twice: You counted the bytes of both directions and also halved the time. "
        "Do one of them.",
    ),
)


def _many_small(rng):
    link = _link(rng)
    return {
        "count": int(rng.integers(20, 500)),
        "size": round(link["latency"] * link["bandwidth"] * 10 ** rng.uniform(-1.5, -0.3)),
        **link,
        "copy": link["bandwidth"] * 10 ** rng.uniform(-0.3, 0.6),
    }


def _gain(after, before=lambda n, m, a, b, c: n * (a + m / b)):
    return by_place(lambda *given: float(before(*given) / after(*given)))


gathered = number(
    "gathered",
    "Many small messages",
    reference=_gain(lambda n, m, a, b, c: n * m / c + a + n * m / b),
    inputs=_many_small,
    points=2,
    mistakes=mistakes(
        _gain(lambda n, m, a, b, c: a + n * m / b),
        "copying free: You copied without taking time. All messages must be copied into one buffer "
        "first.",
        _gain(lambda n, m, a, b, c: n * m / c + n * m / b),
        "last latency forgotten: You saved every latency. The large message still has one.",
        _gain(
            lambda n, m, a, b, c: n * m / c + a + n * m / b,
            lambda n, m, a, b, c: n * m / b,
        ),
        "small ones without latency: You sent the small messages without latency. Their latencies "
        "are what gathering saves.",
        _gain(lambda n, m, a, b, c: m / c + a + n * m / b),
        "one copy: You copied a single small message. All of them go into the large one.",
        _gain(lambda n, m, a, b, c: 2 * n * m / c + a + n * m / b),
        "copied at both ends: You copied at the receiver as well. The receiver needs no copy here.",
        _gain(lambda n, m, a, b, c: max(n * m / c, a + n * m / b)),
        "copied on the way: You copied and sent at the same time. The large message leaves when "
        "the copy is complete.",
        _gain(lambda n, m, a, b, c: n * m / c + n * (a + m / b)),
        "latencies kept: You copied and then sent the same number of messages as before. How many "
        "messages are left?",
        lambda n, m, a, b, c: float(n * (a + m / b) - (n * m / c + a + n * m / b)),
        "seconds saved: That is the number of seconds saved. How many times as fast has it become?",
        lambda n, m, a, b, c: float(n),
        "number of messages: That is the gain if latency were the only cost. Bytes and copying "
        "also take time.",
    ),
)

PROTOCOLS = ("eager", "rendezvous")


def _one_size(rng):
    link = _link(rng)
    copy = link["bandwidth"] * rng.choice([0.3, 0.5, 1.8, 3]) * rng.uniform(0.85, 1.15)
    tie = 2 * link["latency"] * copy
    return {"size": tie * np.exp(rng.choice([-1, 1]) * rng.uniform(0.2, 1.2)), **link, "copy": copy}


def _protocol(tie):
    """Return a model of the choice from a function of (latency, bandwidth, copy)."""

    def model(size, *link):
        break_ = float(tie(*link))
        return PROTOCOLS[int(size > break_)], break_

    return by_place(model)


protocol = choice(
    "protocol",
    "Send at once, or ask first?",
    choices=PROTOCOLS,
    reference=_protocol(lambda a, b, c: 2 * a * c),
    inputs=_one_size,
    points=3,
    unit="bytes",
    mistakes=mistakes(
        _protocol(lambda a, b, c: a * c),
        "asked one way: You sent the request and didn't wait for the reply. How many short "
        "messages come before the large one?",
        _protocol(lambda a, b, c: 2 * a * b),
        "link for the copy: You compared the request and reply with the flow over the link. Both "
        "protocols have this flow. What does only one of them do with every byte?",
        _protocol(lambda a, b, c: 3 * a * c),
        "latency of the bytes: You counted the latency of the large message as well. It is the "
        "same in both protocols and cancels.",
        _protocol(lambda a, b, c: a * b),
        "half of the bandwidth: That is the size at which half of the bandwidth is reached. What "
        "do the two protocols do differently?",
        _protocol(lambda a, b, c: 2 * a / (1 / b + 1 / c)),
        "flow and copy: You compared the request and reply with flow and copy together. The flow "
        "is the same in both protocols. What isn't?",
    ),
)

# Level 2: collectives


def _ring_case(rng):
    count, link = int(rng.integers(3, 65)), _link(rng)
    half = link["latency"] * link["bandwidth"]
    return {"machines": count, "size": count * half * 10 ** rng.uniform(-1, 1), **link}


def _ring_time(machines, size, latency, bandwidth):
    if machines == 1:
        return 0.0 * positive("bandwidth", bandwidth)
    return collective_cost("all-reduce", "ring", machines, size).time(latency, bandwidth)


ring = function(
    "ring",
    "Build the ring",
    answer="ring_time",
    reference=_ring_time,
    inputs=_ring_case,
    points=5,
    builds=(
        "perfmodel.communication.collective_cost",
        "perfmodel.communication.hierarchical_cost",
        "perfmodel.communication.schedule_time",
    ),
    mistakes=mistakes(
        lambda n, s, a, b: 2 * (n - 1) / n * s / b,
        "latency forgotten: Your rounds take only the time of their bytes. Each round also has a "
        "latency, which dominates for a small vector.",
        lambda n, s, a, b: 2 * (n - 1) * a + 2 * s / b,
        "(n-1)/n dropped: You sent the whole vector twice. Which part of it does a machine not "
        "send in a pass?",
        lambda n, s, a, b: (n - 1) * (a + s / n / b),
        "one pass: You counted one pass. After it, each machine has one part of the sum. A second "
        "pass distributes the parts.",
        lambda n, s, a, b: 2 * n * (a + s / n / b),
        "one round too many: You let each pass take as many rounds as there are machines. A part "
        "that visits all machines makes one step fewer.",
        lambda n, s, a, b: 2 * n * a + 2 * (n - 1) / n * s / b,
        "latency too often: Your bytes are right, but you count one latency too many in each pass. "
        "Count the messages as you counted the bytes.",
        lambda n, s, a, b: 2 * (n - 1) * (a + s / b),
        "whole vectors: You sent the whole vector in every round. A ring sends one part.",
        lambda n, s, a, b: 2 * a + 2 * (n - 1) / n * s / b,
        "two latencies: You counted one latency for each pass. Every round is a message with a "
        "latency.",
        lambda n, s, a, b: a + 2 * (n - 1) / n * s / b,
        "one latency in all: You counted a single latency. Every round is a message, and each "
        "waits for the one before.",
        lambda n, s, a, b: 2 * (n - 1) * a + s / n / b,
        "one part in all: You counted the latency in every round, but let only one part flow in "
        "total. Are the brackets right?",
        lambda n, s, a, b: 2 * (n - 1) * (a + 2 * s / n / b),
        "bytes counted twice: You added what a machine sends and what it receives. Both happen at "
        "the same time.",
        lambda n, s, a, b: 2 * log2(n) * a + 2 * (n - 1) / n * s / b,
        "rounds of another algorithm: You have the ring's bytes, but the rounds of recursive "
        "halving and doubling. In a ring, each machine sends to its neighbour only.",
        lambda n, s, a, b: log2(n) * (a + s / b),
        "recursive doubling: That is the time of recursive doubling: few rounds with whole "
        "vectors. A ring sends parts in more rounds.",
        lambda n, s, a, b: 2 * (n - 1) * a + (n - 1) / n * s / b,
        "bytes of one pass: You have the rounds of two passes and the bytes of one.",
    ),
    properties=[
        limit(
            "one machine",
            (1, 1e6, 1e-6, 1e9),
            0.5,
            "One machine already has its sum and sends nothing: return 0.",
        ),
        limit("two machines", (2, 1e6, 1e-6, 1e9), 0.5, "Try two machines: two rounds."),
        refuses((0, 1e6, 1e-6, 1e9), 0.5, "No machines deserve a ValueError.", "refuses 0"),
        refuses(
            (8, 1e6, 1e-6, -1e9),
            0.5,
            "A bandwidth below 0 should raise a ValueError.",
            "refuses a bandwidth below 0",
        ),
    ],
)


def _crossing(rounds=None, volumes=None):
    """Return a model from functions (n, log2 n) of more rounds and fewer vectors sent in a row."""
    rounds = rounds or (lambda n, d: 2 * (n - 1) - d)
    volumes = volumes or (lambda n, d: d - 2 * (n - 1) / n)

    def model(machines, latency, bandwidth):
        n, doublings = machines, log2(machines)
        return float(latency * bandwidth * rounds(n, doublings) / volumes(n, doublings))

    return by_place(model)


crossover = number(
    "crossover",
    "Few rounds or few bytes?",
    reference=lambda machines, latency, bandwidth: crossover_size(
        "all-reduce", "recursive doubling", "ring", machines, latency, bandwidth
    ),
    inputs=lambda rng: {"machines": int(rng.choice([8, 16, 32])), **_link(rng)},
    points=3,
    unit="bytes",
    tolerance=0.005,
    mistakes=mistakes(
        _crossing(rounds=lambda n, d: n - 1 - d, volumes=lambda n, d: d - (n - 1) / n),
        "one pass: Either your ring makes one pass, or your recursive doubling makes two. The ring "
        "needs two passes for the whole sum; recursive doubling needs one.",
        _crossing(rounds=lambda n, d: n - 1 - d),
        "rounds of one pass: You have the ring's bytes of two passes, but the rounds of one.",
        _crossing(volumes=lambda n, d: d - (n - 1) / n),
        "bytes of one pass: You have the ring's rounds of two passes, but the bytes of one.",
        _crossing(volumes=lambda n, d: d - 2),
        "(n-1)/n dropped: You let the ring send two whole vectors. Which part does a machine not "
        "send in a pass?",
        _crossing(rounds=lambda n, d: 2 * (n - 1)),
        "rounds of doubling forgotten: You counted all latencies of the ring, and none of "
        "recursive doubling. It has one in each round.",
        _crossing(rounds=lambda n, d: 2 * n - d),
        "two rounds too many: You gave each pass of the ring one round too many. A part that "
        "visits all machines makes one step fewer than there are machines.",
        _crossing(volumes=lambda n, d: d),
        "bytes of the ring forgotten: You let the ring's bytes flow in no time. They are fewer, "
        "but they take time.",
        _crossing(lambda n, d: 2 * (n - 1) - log(n), lambda n, d: log(n) - 2 * (n - 1) / n),
        "natural logarithm: You used the natural logarithm. How often can you double from 1 "
        "machine to all? This logarithm has base two.",
        _crossing(lambda n, d: 1, lambda n, d: 1),
        "one message: That is the size at which a single message reaches half of the bandwidth. "
        "Count the rounds and bytes of both algorithms.",
        _crossing(volumes=lambda n, d: d - 2 * (n - 1)),
        "whole vectors in the ring: You let the ring send whole vectors in every round, so the "
        "size comes out below 0. The ring sends parts.",
    ),
)


def _quoted(rng):
    return {
        "size": 10 ** rng.uniform(8.5, 10),
        "time": 10 ** rng.uniform(-2, -0.5),
        "few": int(rng.integers(3, 6)),
        "many": int(rng.integers(8, 17)),
    }


def _factor(n):
    """Return how many vectors each machine sends in an all-reduce."""
    return 2 * (n - 1) / n


def _rates(bus, algorithm):
    """Return a model of the table from functions of (S/t, few, many)."""
    return by_place(
        lambda size, time, few, many: {
            "bus": float(bus(size / time, few, many)),
            "algorithm": float(algorithm(size / time, few, many)),
        }
    )


def _there(r, n, q):
    return r * _factor(n) / _factor(q)


two_rates = array(
    "two_rates",
    "Two bandwidths of one collective",
    reference=_rates(lambda r, n, q: r * _factor(n), _there),
    inputs=_quoted,
    points=3,
    tolerance=0.005,
    mistakes=mistakes(
        _rates(lambda r, n, q: r, lambda r, n, q: r / _factor(q)),
        "bus against algorithm bandwidth: You used size over time as the bus bandwidth. That is "
        "the algorithm bandwidth. How many bytes does each link carry for a byte of the vector?",
        _rates(lambda r, n, q: r, _there),
        "bus bandwidth as size over time: Your algorithm bandwidth is right, so you know what the "
        "links carry. But size over time is the algorithm bandwidth among the few. Which is the "
        "bus bandwidth?",
        _rates(lambda r, n, q: r, lambda r, n, q: r * _factor(n)),
        "names exchanged: You gave both rates of the measurement, with each other's names. Which "
        "of them stays the same among many?",
        _rates(lambda r, n, q: r * _factor(n) / 2, _there),
        "factor of gathering: Your factor is that of an all-gather, one pass. An all-reduce makes "
        "two.",
        _rates(lambda r, n, q: 2 * r, lambda r, n, q: r),
        "(n-1)/n dropped: You let each machine send two whole vectors. Which part does it not send "
        "in a pass?",
        _rates(lambda r, n, q: r / _factor(n), lambda r, n, q: r / _factor(n) * _factor(q)),
        "divided by the factor: You divided by the factor. A link carries more bytes than the "
        "vector has, so multiply.",
        _rates(lambda r, n, q: r * _factor(n), lambda r, n, q: r * _factor(q) / _factor(n)),
        "carried over upside down: Your bus bandwidth is right. Among many, a link carries more "
        "bytes for each byte of the vector. So must the algorithm bandwidth rise or fall?",
        _rates(lambda r, n, q: r * _factor(n), lambda r, n, q: r),
        "same algorithm bandwidth: You kept the algorithm bandwidth. The links stay as fast as "
        "they are, but each carries more among many.",
        _rates(_there, lambda r, n, q: r * _factor(n)),
        "exchanged: Your two values have each other's names. Exchange them.",
        _rates(lambda r, n, q: r * _factor(q), lambda r, n, q: r),
        "factor of the other group: You took the factor of the larger group for the measurement "
        "on the smaller.",
        _rates(lambda r, n, q: r * _factor(n), lambda r, n, q: r * n / q),
        "shared by all: You divided the rate by the number of machines. In a ring each machine has "
        "its own link, and sends hardly more among many.",
        _rates(lambda r, n, q: r * (n - 1), lambda r, n, q: r * (n - 1) / (q - 1)),
        "whole vectors to all: You let each machine send its vector to every other machine. A ring "
        "sends parts to a neighbour.",
    ),
)

SPARSE = ("gather", "ring")


def _gradients(rng):
    value, index = rng.permutation([(2, 4), (4, 8), (2, 8), (8, 4)])[0]
    machines = int(rng.integers(6, 33))
    tie = 2 * value / (machines * (value + index))
    return {
        "machines": machines,
        "value_bytes": int(value),
        "index_bytes": int(index),
        "density": min(tie * np.exp(rng.choice([-1, 1]) * rng.uniform(0.15, 0.9)), 0.5),
    }


def _sparse(tie):
    """Return a model of the choice from a function of (machines, bytes of a value, of an index)."""

    def model(machines, value, index, density):
        border = float(tie(machines, value, index))
        return SPARSE[int(density > border)], border

    return by_place(model)


sparse = choice(
    "sparse",
    "Mostly zeros",
    choices=SPARSE,
    reference=_sparse(lambda n, w, i: 2 * w / (n * (w + i))),
    inputs=_gradients,
    points=3,
    tolerance=0.005,
    mistakes=mistakes(
        _sparse(lambda n, w, i: 2 / n),
        "indexes forgotten: Your lists hold values only. How does a receiver know where the values "
        "belong?",
        _sparse(lambda n, w, i: 1 / n),
        "index as large as a value: You gave each index the size of a value. How many bytes has an "
        "index here?",
        _sparse(lambda n, w, i: w / (n * (w + i))),
        "one pass: Your ring makes one pass. An all-reduce first adds up and then distributes.",
        _sparse(lambda n, w, i: 2 * w / ((n - 1) * (w + i))),
        "(n-1)/n dropped: You let the ring send two whole vectors. In each pass a machine doesn't "
        "send one part.",
        _sparse(lambda n, w, i: 2 * (n - 1) / n * w / (n * (w + i))),
        "a list too many: You let each machine send on every list. It keeps the list that arrives "
        "last.",
        _sparse(lambda n, w, i: 2 * w / (w + i)),
        "lists cut into parts: You cut the lists like the vectors of the ring. Here each machine "
        "ends with all whole lists.",
        _sparse(lambda n, w, i: 2 * w / (n * i)),
        "values forgotten: Your lists say where values belong, but not what they are.",
        _sparse(lambda n, w, i: 2 * (n - 1) / n * w / (w + i)),
        "one list only: You let each machine send a single list. It sends on every list except "
        "one.",
        _sparse(lambda n, w, i: w / (w + i)),
        "one vector: You compared a list with a vector, as for a single message. What does a "
        "machine send in total?",
    ),
)


def _tiers(rng):
    inside = 10 ** rng.uniform(10.7, 11.7)
    return {
        "nodes": int(rng.choice([3, 4, 6, 8])),
        "per_node": int(rng.choice([4, 8])),
        "size": 10 ** rng.uniform(8.5, 10),
        "inside": inside,
        "outside": inside / rng.uniform(4, 20),
    }


def _hierarchy(time):
    """Return a model from a function of (N, k, seconds of the vector inside, outside)."""
    return by_place(lambda nodes, k, s, inside, out: float(time(nodes, k, s / inside, s / out)))


hierarchy = number(
    "hierarchy",
    "First inside the node, then between nodes",
    reference=_hierarchy(lambda n, k, i, o: _factor(k) * i + _factor(n) * o / k),
    inputs=_tiers,
    points=3,
    unit="s",
    tolerance=0.005,
    mistakes=mistakes(
        _hierarchy(lambda n, k, i, o: _factor(k) * i + _factor(n) * o),
        "whole vectors between nodes: You let each GPU send the whole vector between nodes. After "
        "the first step, which part of it does each GPU handle?",
        _hierarchy(lambda n, k, i, o: _factor(k) * i + _factor(n) * o / (n * k)),
        "cut among all GPUs: You cut the vector into one part for each GPU of the cluster. The "
        "GPUs of one node share it. How many are they?",
        _hierarchy(lambda n, k, i, o: _factor(k) * i / 2 + _factor(n) * o / k),
        "inside one pass: You counted one pass inside the nodes. They make two: one before and one "
        "after the step between nodes.",
        _hierarchy(lambda n, k, i, o: _factor(k) * i + _factor(n) * o / k / 2),
        "outside one pass: You counted one pass between the nodes. They need an all-reduce, which "
        "has two.",
        _hierarchy(lambda n, k, i, o: 2 * i + 2 * o / k),
        "(n-1)/n dropped: You let each GPU send all parts in a pass. One part is never sent.",
        _hierarchy(lambda n, k, i, o: _factor(k) * o + _factor(n) * i / k),
        "links exchanged: You sent the whole vectors over the slow links and the parts over the "
        "fast ones.",
        _hierarchy(lambda n, k, i, o: _factor(n) * o / k),
        "inside forgotten: You let the steps inside the nodes take no time. They take time, too.",
        _hierarchy(lambda n, k, i, o: _factor(n * k) * o),
        "one large ring: That is one ring of all GPUs, as slow as its slowest links. Here only "
        "parts go between nodes.",
        _hierarchy(lambda n, k, i, o: max(_factor(k) * i, _factor(n) * o / k)),
        "all at once: You took the longer of the two. Here they come one after the other.",
        _hierarchy(lambda n, k, i, o: _factor(k) * i + _factor(n * k) * o / k),
        "all GPUs in each ring: You let every GPU take part in each ring between the nodes. One "
        "GPU per node takes part: how many machines is that?",
    ),
)

# Level 3: shared links


def _grid(rng):
    return {"side": 2 * int(rng.integers(2, 9)), "bandwidth": 10 ** rng.uniform(9, 11)}


def _bisections(**changed):
    """Return a model of the table from functions of the side: how many links are cut."""
    right = {
        "ring": lambda k: 2,
        "torus": lambda k: 2 * k,
        "switch": lambda k: k * k / 2,
        "mesh": lambda k: (k * k / 2) ** 2,
    }
    columns = right | changed
    return by_place(lambda side, b: {name: float(b * of(side)) for name, of in columns.items()})


bisections = array(
    "bisections",
    "Cut in two",
    reference=_bisections(),
    inputs=_grid,
    points=3,
    unit="bytes/s",
    mistakes=mistakes(
        _bisections(ring=lambda k: 1, torus=lambda k: k),
        "wraparound forgotten: You cut a row, but the machines form a ring. In how many places "
        "must you cut a ring to get two halves?",
        _bisections(ring=lambda k: 1),
        "ring cut once: You cut the ring once. It is still connected. In how many places must you "
        "cut it?",
        _bisections(torus=lambda k: k),
        "grid for a torus: Your torus has no links from its last column back to the first.",
        _bisections(
            ring=lambda k: 4,
            torus=lambda k: 4 * k,
            switch=lambda k: k * k,
            mesh=lambda k: 2 * (k * k / 2) ** 2,
        ),
        "both directions: You added up both directions. The question asks what one half sends to "
        "the other: one direction of each link.",
        _bisections(switch=lambda k: k * k),
        "all ports: You counted the links of all hosts to the switch. Only half of the hosts send.",
        _bisections(switch=lambda k: 1),
        "one port: You let one link carry all bytes through the switch. The switch has one link "
        "for each host.",
        _bisections(mesh=lambda k: k * k * (k * k - 1) / 2),
        "all pairs: You counted every link of the mesh. Most of them join hosts of the same half.",
        _bisections(mesh=lambda k: k**4 / 2),
        "mesh twice: You cut twice as many links of the mesh as there are. Each host of one half "
        "has a link to each host of the other half. How many hosts are in a half?",
        _bisections(mesh=lambda k: k * k / 2),
        "one link each: In your mesh, each host of one half reaches a single host of the other "
        "half. It has a link to each of them.",
        _bisections(mesh=lambda k: k * k - 1),
        "one host cut off: You cut off a single host of the mesh. Cut it into halves.",
        _bisections(torus=lambda k: 2),
        "one ring of the torus: You cut a single ring of the torus. How many rows are there?",
    ),
)


def _everyone(rng):
    machines, bandwidth = 2 * int(rng.integers(4, 25)), 10 ** rng.uniform(9.5, 10.7)
    return {
        "machines": machines,
        "size": 10 ** rng.uniform(7, 9.5),
        "bandwidth": bandwidth,
        "bisection": machines / 2 * bandwidth / rng.uniform(1.2, 6),
    }


def _exchange(links=None, cut=None):
    """Return a model of the table from functions of (n, S) giving bytes."""
    links = links or (lambda n, s: (n - 1) / n * s)
    cut = cut or (lambda n, s: n * s / 4)
    return by_place(
        lambda n, s, b, across: {
            "links": float(links(n, s) / b),
            "bisection": float(cut(n, s) / across),
        }
    )


all_to_all = array(
    "all_to_all",
    "A part for every machine",
    reference=_exchange(),
    inputs=_everyone,
    points=3,
    unit="s",
    tolerance=0.005,
    mistakes=mistakes(
        _exchange(cut=lambda n, s: n * s / 2),
        "both directions: You let the bytes of both halves share one direction of the links. How "
        "many bytes does one half have for the other?",
        _exchange(cut=lambda n, s: n * s),
        "everything crosses: You sent everything through the middle. Half of a machine's bytes "
        "stay in its own half.",
        _exchange(cut=lambda n, s: s / 2),
        "one machine's bytes: You let one machine send through the middle. Half of all machines "
        "do.",
        _exchange(links=lambda n, s: s),
        "own part sent: You also sent the part that a machine has for itself. It stays where it "
        "is.",
        _exchange(lambda n, s: (n - 1) * s, lambda n, s: n * n * s / 4),
        "whole vectors: You sent everything that a machine has to every other machine. Each gets "
        "only its part.",
        _exchange(links=lambda n, s: 2 * (n - 1) / n * s),
        "bytes counted twice: You added what a machine sends and what it receives. Both happen at "
        "the same time.",
        _exchange(links=lambda n, s: s / n),
        "one part only: You sent a single part. Every other machine gets one.",
        _exchange(links=lambda n, s: (n - 1) / n * s / 2),
        "half of the parts: On the machine's own link, you sent only what crosses the middle. The "
        "parts for its own half use the same link.",
        _exchange(cut=lambda n, s: n * s / 4 * (n - 1) / n),
        "own part taken off twice: You subtracted the machine's own part from what crosses the "
        "middle. It never belonged there. How many parts are for the other half?",
    ),
)


def _mesh_group(rng):
    gpus = int(rng.choice([6, 8, 12, 16]))
    return {
        "gpus": gpus,
        "group": int(rng.choice([g for g in range(3, gpus - 1) if 2 * g != gpus])),
        "size": 10 ** rng.uniform(7.5, 9.5),
        "bandwidth": 10 ** rng.uniform(10, 11),
    }


def _gather(time):
    """Return a model from a function of (GPUs, those of the group) giving vectors in a row."""
    return by_place(lambda gpus, group, s, b: float(time(gpus, group) * s / b))


mesh = number(
    "mesh",
    "A wire for each pair",
    reference=_gather(lambda n, g: 1 / g),
    inputs=_mesh_group,
    points=2,
    unit="s",
    mistakes=mistakes(
        _gather(lambda n, g: (g - 1) / g / (n - 1)),
        "all wires busy: You used all wires of a GPU. The wires to GPUs outside the group don't "
        "help.",
        _gather(lambda n, g: (g - 1) / g),
        "one after the other: You sent over one wire at a time. There is one wire to each partner.",
        _gather(lambda n, g: 1),
        "whole vectors: You sent the whole vector. What does each GPU have at first?",
        _gather(lambda n, g: 1 / (g - 1)),
        "own part gathered: You cut the vector into one part fewer than there are GPUs in the "
        "group. Each GPU starts with one part.",
        _gather(lambda n, g: 1 / n),
        "parts of all GPUs: You cut the vector among all GPUs of the machine. Only those of the "
        "group hold a part.",
        _gather(lambda n, g: 1 / (2 * g)),
        "both directions halved: You halved the time because wires carry both directions. A part "
        "uses one direction; the partner's part uses the other.",
        _gather(lambda n, g: 2 / g),
        "bytes counted twice: You counted each part once where it leaves and once where it "
        "arrives. Wires carry both directions at the same time.",
        _gather(lambda n, g: 2 * (g - 1) / g),
        "all-reduce in a ring: That is the time of an all-reduce over a ring. Here nothing is "
        "added up, and every pair has its own wire.",
    ),
)


def _demands(rng):
    demands = np.exp(rng.normal(0, 0.9, int(rng.integers(4, 8))))
    return {"demands": demands, "capacity": float(demands.sum() * rng.uniform(0.35, 0.8))}


def _fair(demands, capacity):
    each = np.atleast_1d(positive("demands", demands))
    return max_min_rates([[0, i + 1] for i in range(each.size)], [capacity, *each])


def _once_more(demands, capacity):
    """Return rates where what is left of the equal shares is handed out once."""
    fits = demands <= capacity / demands.size
    rest = capacity - demands[fits].sum()
    return np.where(fits, demands, rest / max(np.sum(~fits), 1))


def _in_turn(demands, capacity, order):
    rates = np.zeros_like(demands)
    for flow in order:
        rates[flow] = min(demands[flow], capacity - rates.sum())
    return rates


def _equal(d, c):
    return np.minimum(d, c / d.size)


fair = function(
    "fair",
    "Build a fair share",
    answer="fair_rates",
    reference=_fair,
    inputs=_demands,
    points=6,
    builds="perfmodel.communication.max_min_rates",
    mistakes=mistakes(
        _equal,
        "fairness by the mean: You gave no flow more than the mean. Flows that want less leave "
        "capacity, which your answer wastes.",
        lambda d, c: 0 * d + c / d.size,
        "same for all: You gave all flows the same rate. Some flows want less. Who gets the rest?",
        lambda d, c: d * c / d.sum(),
        "in proportion: You gave rates in proportion to the demands. Then a flow that asks for "
        "more gets more at the cost of one that has less.",
        _once_more,
        "handed out once: You distributed the unused capacity once. Now some flows can have more "
        "than they want: repeat until no flow has.",
        lambda d, c: _in_turn(d, c, np.argsort(d)),
        "smallest first: You served the small demands in full, one after the other, until nothing "
        "was left. How much does the largest demand get?",
        lambda d, c: _in_turn(d, c, np.argsort(-d)),
        "greediest first: You served the largest demand first. What is left for the small ones?",
        lambda d, c: _in_turn(d, c, np.arange(d.size)),
        "first come: You served the flows in the order of the list. Fairness doesn't depend on the "
        "order.",
        lambda d, c: np.sort(_fair(d, c)),
        "sorted: These are the right rates in the order of their size. Put each back at its own "
        "index.",
        lambda d, c: d - (d.sum() - c) / d.size,
        "all lose alike: You took the same amount away from every flow. Look at the smallest "
        "demand: did it ever have more than its share?",
        lambda d, c: _equal(d, c) + (c - _equal(d, c).sum()) / d.size,
        "left over for all: You distributed the unused capacity among all flows, also among those "
        "that have all they want.",
    ),
    properties=[
        limit(
            "room for all",
            (np.array([1.0, 2.0, 3.0]), 10.0),
            1,
            "If the link has capacity for all, each flow gets what it wants, and no more.",
        ),
        limit(
            "nobody content",
            (np.array([5.0, 7.0, 9.0]), 6.0),
            0.5,
            "If all flows want more than an equal share, all get the same rate.",
        ),
        refuses((np.array([1.0, 2.0]), 0.0), 0.5, "A capacity of 0 should raise a ValueError."),
    ],
)


def _two_links(rng):
    return {
        "first": 10 ** rng.uniform(9.5, 10.5),
        "second": 10 ** rng.uniform(9.5, 10.5),
        "first_flows": int(rng.integers(1, 7)),
        "second_flows": int(rng.integers(1, 7)),
    }


def _crossed(first, second, first_flows, second_flows):
    routes = [[0, 1]] + [[0]] * first_flows + [[1]] * second_flows
    rates = max_min_rates(routes, [first, second])
    return np.array([rates[0], rates[1], rates[-1]])


def _long_way(rates):
    """Return a model from a function of (c, d, k, m): both capacities, flows on one link alone."""
    return by_place(lambda *given: np.asarray(rates(*given), dtype=float))


def _rest(long):
    """Return the rates where the flow over both links has a rate, and the others the rest."""

    def rates(c, d, k, m):
        x = long(c, d, k, m)
        return x, (c - x) / k, (d - x) / m

    return _long_way(rates)


def _both(c, d, k, m):
    return c / (k + 1), d / (m + 1)


long_way = array(
    "long_way",
    "One flow over two links",
    reference=_crossed,
    inputs=_two_links,
    points=3,
    unit="bytes/s",
    mistakes=mistakes(
        _long_way(lambda *g: (min(_both(*g)), *_both(*g))),
        "rest given to nobody: One link isn't full, because the long flow takes less than its "
        "share there. Who gets the rest?",
        _rest(lambda c, d, k, m: max(_both(c, d, k, m))),
        "wider link decides: You gave the long flow its share of the wider link. It must also pass "
        "the narrower one.",
        _rest(lambda c, d, k, m: sum(_both(c, d, k, m)) / 2),
        "fairness by the mean: You gave the long flow the mean of the two links' offers. It "
        "can't be faster than on the narrower link.",
        _rest(lambda c, d, k, m: min(_both(c, d, k, m)) / 2),
        "pays for both links: You halved the long flow's rate because it uses two links. Max-min "
        "fairness doesn't count the links of a flow.",
        _rest(lambda c, d, k, m: min(c, d) / (k + m + 1)),
        "all flows on one link: You shared the narrower link among all flows. Some flows don't use "
        "it.",
        _long_way(lambda c, d, k, m: (min(c / k, d / m), c / k, d / m)),
        "itself not counted: You shared each link among its short flows and added the long flow on "
        "top. Add up what the links carry then.",
        _long_way(lambda *g: (min(_both(*g)),) * 3),
        "all as the long one: You gave all flows the rate of the tighter link. On the other link "
        "some capacity is left. Who takes it?",
        _long_way(lambda c, d, k, m: (x := min(_both(c, d, k, m)), c - x, d - x)),
        "rest not divided: Your long flow is right. For each link, you gave the rate of all other "
        "flows together. The question asks for one flow.",
        _long_way(lambda c, d, k, m: (0, c / k, d / m)),
        "long flow starved: You gave the long flow nothing. This moves more bytes in total, but it "
        "isn't fair.",
    ),
)


def _rates_drawn(rng):
    return {"rates": np.round(10 ** rng.uniform(-0.7, 1, int(rng.integers(4, 9))), 2)}


jain = number(
    "jain",
    "How fair was it?",
    reference=lambda rates: float(jain_index(rates)),
    inputs=_rates_drawn,
    points=2,
    tolerance=0.005,
    mistakes=mistakes(
        lambda x: float(x.mean() / x.max()),
        "fairness by the mean: You divided the mean by the fastest flow. The index uses all flows.",
        lambda x: float(x.min() / x.max()),
        "slowest over fastest: You compared the slowest flow with the fastest. The index uses all "
        "flows.",
        lambda x: float(x.min() / x.mean()),
        "slowest over mean: You compared the slowest flow with the mean. The index uses all flows.",
        lambda x: float(x.sum() ** 2 / (x**2).sum()),
        "not divided by the flows: That is a number of equal flows that are as uneven. Divide it "
        "by the number of flows.",
        lambda x: float(x.std() / x.mean()),
        "variation: That is the coefficient of variation, which is 0 if all rates are equal. The "
        "index is 1 then.",
        lambda x: float(1 - x.std() / x.mean()),
        "variation taken off: You subtracted the coefficient of variation from 1. This can be "
        "below 0; the index can't.",
        lambda x: float(1 / (1 + x.var(ddof=1) / x.mean() ** 2)),
        "sample variance: You divided by one flow fewer, as for a sample. These are all the flows.",
        lambda x: float(x.sum() / sqrt(x.size * (x**2).sum())),
        "not squared: That is the square root of the index. Its numerator is the square of the "
        "sum.",
        lambda x: float(np.median(x) / x.mean()),
        "median over mean: You compared the median with the mean. The index uses squares of all "
        "rates.",
    ),
)


def _two_senders(rng):
    capacity = 10 ** rng.uniform(9, 10.5)
    return {
        "first": capacity * rng.uniform(0.45, 0.75),
        "second": capacity * rng.uniform(0.02, 0.15),
        "capacity": capacity,
        "cuts": int(rng.integers(2, 4)),
    }


def _after(mean, apart):
    """Return a model: mean rate, and half of the difference, from (x, y, c, k)."""
    return by_place(
        lambda *given: np.array([mean(*given) + apart(*given), mean(*given) - apart(*given)])
    )


aimd = array(
    "aimd",
    "Increase together, halve together",
    reference=_after(lambda x, y, c, k: c / 4, lambda x, y, c, k: (x - y) / 2 ** (k + 1)),
    inputs=_two_senders,
    points=3,
    unit="bytes/s",
    mistakes=mistakes(
        _after(lambda x, y, c, k: c / 2, lambda x, y, c, k: (x - y) / 2**k),
        "before the cut: These are the rates just before the last cut, when the link is full. What "
        "does the cut do?",
        by_place(lambda x, y, c, k: c / 2 * np.array([x, y]) / (x + y)),
        "multiplicative increase: You increased both rates in proportion. Both grow by the same "
        "amount here.",
        _after(lambda x, y, c, k: c / 2, lambda x, y, c, k: (x - y) / 2 ** (k + 1)),
        "sum not cut: Your difference is right, but your rates fill the link. What is their sum "
        "right after a cut?",
        _after(lambda x, y, c, k: c / 4, lambda x, y, c, k: 0 * x),
        "fair at once: You made the two rates equal. A difference is left: what does each cut do "
        "to it?",
        _after(lambda x, y, c, k: c / 4, lambda x, y, c, k: (x - y) / 2),
        "additive decrease: Your difference never shrinks. A cut halves both rates, and so their "
        "difference.",
        _after(lambda x, y, c, k: c / 4, lambda x, y, c, k: (x - y) / 2**k),
        "one cut fewer: You halved the difference once too few.",
        _after(lambda x, y, c, k: c / 4, lambda x, y, c, k: (x - y) / 2 ** (k + 2)),
        "one cut more: You halved the difference once too often.",
        by_place(lambda x, y, c, k: np.array([x, y]) / 2**k),
        "no increase: You cut and cut again. Between two cuts both rates rise until the link is "
        "full.",
        _after(lambda x, y, c, k: c / 4, lambda x, y, c, k: (x - y) / (2 * (k + 1))),
        "shrinks in proportion: Your difference is divided by the number of cuts. Each cut halves "
        "what the previous one has left.",
    ),
)


def _router(rng):
    return {
        "gigabits": float(rng.choice([10, 25, 40, 100, 400])),
        "round_trip": rng.uniform(0.005, 0.2),
        "flows": int(10 ** rng.uniform(1.5, 4.5)),
    }


buffer = number(
    "buffer",
    "How much must the router hold?",
    reference=lambda gigabits, round_trip, flows: float(
        square_root_buffer(round_trip, gigabits * 1.25e8, flows)
    ),
    inputs=_router,
    points=2,
    unit="bytes",
    mistakes=mistakes(
        lambda g, r, n: g * 1.25e8 * r,
        "one flow: That is the buffer for one flow, or for many flows that vary together. "
        "Independent variations cancel in part.",
        lambda g, r, n: g * 1.25e8 * r / n,
        "divided by the flows: You divided by the number of flows, as if their variations canceled "
        "completely. The squares of independent variations add up.",
        lambda g, r, n: g * 1e9 * r / sqrt(n),
        "bits for bytes: Your answer is in bits. How many bits has a byte?",
        lambda g, r, n: sqrt(g * 1.25e8 * r / n),
        "root of everything: You took the square root of the bytes in flight as well. Only the "
        "number of flows is under the root.",
        lambda g, r, n: g * 1.25e8 * r * sqrt(n),
        "more flows, more buffer: Your buffer grows with the number of flows. Each flow has a "
        "smaller fraction of the link, and they vary independently.",
        lambda g, r, n: g * 1.25e8 * r / 2 / sqrt(n),
        "one way: You used the time of one way. A sender learns about a full queue only when the "
        "answer has come back.",
        lambda g, r, n: g * 2**30 / 8 * r / sqrt(n),
        "giga in twos: You used a power of two for giga. Rates of links use powers of ten.",
        lambda g, r, n: g * 1.25e8 * r / log(n),
        "logarithm: You divided by a logarithm. How does the standard deviation of a sum grow with "
        "the number of independent parts, compared with the sum?",
    ),
)

# Level 4: pipelines and plans

bubble = function(
    "bubble",
    "Build the bubble",
    answer="idle_share",
    reference=pipeline_bubble,
    inputs=lambda rng: {
        "stages": int(rng.integers(2, 65)),
        "micro_batches": int(rng.integers(2, 129)),
        "chunks": int(rng.integers(1, 5)),
    },
    points=5,
    builds="perfmodel.communication.pipeline_bubble",
    mistakes=mistakes(
        lambda p, m, v: p / (v * m + p),
        "bubble with p: Your bubble is as long as there are stages. The first micro-batch reaches "
        "the last stage after all the other stages.",
        lambda p, m, v: (p - 1) / (v * m),
        "over the useful time: You divided by the time of the work. The question asks for the "
        "fraction of the whole step, idle time included. (Some papers print your value, which can "
        "exceed 1.)",
        lambda p, m, v: (p - 1) / (m + p - 1),
        "chunks ignored: Your answer doesn't depend on the chunks. More chunks fill the pipeline "
        "faster.",
        lambda p, m, v: (p - 1) / (v * (m + p - 1)),
        "whole share divided: You divided the whole fraction by the chunks. They divide the idle "
        "time only, and the step gets shorter with it.",
        lambda p, m, v: v * (p - 1) / (m + v * (p - 1)),
        "chunks multiply the bubble: Your bubble grows with the chunks. A chunk is a part of a "
        "stage, so the pipeline fills in less time.",
        lambda p, m, v: v * m / (v * m + p - 1),
        "share of work: That is the fraction in which a stage works. How long is it idle?",
        lambda p, m, v: 2 * (p - 1) / (v * m + 2 * (p - 1)),
        "backward as well: You counted the way back in the bubble, but not in the work. Both the "
        "bubble and the work go forward and back, so the fraction stays.",
        lambda p, m, v: (p * v - 1) / (m + p * v - 1),
        "chunks are stages: You made every chunk a stage of its own. The chunks are on the same "
        "machines and fill each other's gaps.",
        lambda p, m, v: (p - 1) / (v * m + p),
        "one turn too many: You have one turn too many. Count the turns from the first micro-batch "
        "entering the first stage to the last one leaving the last stage, for two stages and one "
        "micro-batch.",
        lambda p, m, v: (v * m - 1) / (v * m + p - 1),
        "stages and micro-batches exchanged: Your bubble grows with the micro-batches. More "
        "micro-batches make it smaller.",
    ),
    properties=[
        vectorised(
            (8, np.array([1, 8, 64]), 1),
            0.5,
            "Let NumPy do the loop: given an array of micro-batches, the function should return an "
            "array. Wrap the comparisons of your checks in np.any(...).",
        ),
        limit("one stage", (1, 4, 1), 0.5, "A single stage never waits."),
        refuses((4, 0, 1), 0.5, "A step without micro-batches should raise a ValueError."),
    ],
)


def _micro(stages, idle):
    return (stages - 1) * (1 - idle) / idle


micro_batches = number(
    "micro_batches",
    "Enough micro-batches",
    reference=lambda stages, idle: ceil(_micro(stages, idle)),
    inputs=lambda rng: {"stages": int(rng.integers(8, 65)), "idle": rng.uniform(0.08, 0.25)},
    points=2,
    tolerance=1e-6,
    mistakes=mistakes(
        _micro,
        "not rounded: You didn't round. A micro-batch is sent whole or not at all.",
        lambda p, b: ceil((p - 1) / b),
        "over the useful time: You compared the bubble with the time of the work. The limit is a "
        "fraction of the whole step.",
        lambda p, b: ceil(p * (1 - b) / b),
        "bubble with p: Your bubble is as long as there are stages. How many stages are before the "
        "last?",
        lambda p, b: int(_micro(p, b)),
        "rounded down: You rounded down, so the idle fraction is slightly above the limit. Round "
        "the other way.",
        lambda p, b: ceil((p - 1) * b / (1 - b)),
        "upside down: You exchanged idle and working time: your step is idle for as much as it "
        "should work.",
        lambda p, b: ceil(2 * _micro(p, b)),
        "backward as well: You counted the way back in the bubble, but not in the work. Both "
        "double.",
        lambda p, b: ceil((p - 1) / b + (p - 1)),
        "bubble added: You have the right two parts, but one has the wrong sign. Try your number "
        "in the formula.",
    ),
)


def _stages(rng):
    times = rng.uniform(5, 20, int(rng.integers(4, 9))) * 1e-3
    return {"times": times, "micro_batches": int(rng.integers(4, 17))}


def _pass_through(time):
    return by_place(lambda times, m: float(time(times, m)))


slow_stage = number(
    "slow_stage",
    "Stages of unequal time",
    reference=_pass_through(lambda t, m: t.sum() + (m - 1) * t.max()),
    inputs=_stages,
    points=2,
    unit="s",
    mistakes=mistakes(
        _pass_through(lambda t, m: m * t.sum()),
        "one after the other: You let each micro-batch pass all stages before the next one starts. "
        "All stages can work at the same time.",
        _pass_through(lambda t, m: m * t.max()),
        "bubble forgotten: You counted the slowest stage's work. This stage first waits for the "
        "first micro-batch, and the last one has more stages to pass.",
        _pass_through(lambda t, m: (m + t.size - 1) * t.max()),
        "all as slow: You made all stages as slow as the slowest. The first micro-batch passes "
        "each stage at its own speed.",
        _pass_through(lambda t, m: (m + t.size - 1) * t.mean()),
        "mean stage: You used the mean time for every stage. At which stage does the queue grow?",
        _pass_through(lambda t, m: t.sum() + m * t.max()),
        "first counted twice: You counted the first micro-batch at the slowest stage twice.",
        _pass_through(lambda t, m: t.sum() + (m - 1) * t[-1]),
        "last stage's pace: You let micro-batches leave at the interval of the last stage. This "
        "stage may wait for another one.",
        _pass_through(lambda t, m: t.sum() + (m - 1) * t[0]),
        "first stage's pace: You let micro-batches leave at the interval at which they enter. A "
        "queue can grow in between.",
        _pass_through(lambda t, m: t.sum()),
        "one micro-batch: That is when the first micro-batch leaves. When does the last one?",
    ),
)

FITS = ("both", "1F1B", "neither")


def _stage_memory(rng):
    stages = int(rng.integers(4, 17))
    stage = int(rng.integers(1, stages))
    micro, activation = stages + int(rng.integers(2, 25)), rng.uniform(0.2, 2) * 1e9
    states = activation * rng.uniform(2, 12)
    few, all_ = states + (stages - stage + 1) * activation, states + micro * activation
    memory = [few * rng.uniform(0.8, 0.97), rng.uniform(few, all_), all_ * rng.uniform(1.03, 1.3)]
    return {
        "stages": stages,
        "stage": stage,
        "micro_batches": micro,
        "activation": activation,
        "states": states,
        "memory": float(rng.choice(memory)),
    }


def _held(flight, states=1):
    """Return a model of the choice from the micro-batches that 1F1B holds, of (p, s, m)."""

    def model(p, s, m, activation, state, memory):
        need = float(states * state + flight(p, s, m) * activation)
        all_ = state + m * activation
        return ("both" if all_ <= memory else "1F1B" if need <= memory else "neither"), need

    return by_place(model)


held = choice(
    "held",
    "What must a stage remember?",
    choices=FITS,
    reference=_held(lambda p, s, m: min(p - s + 1, m)),
    inputs=_stage_memory,
    points=3,
    unit="bytes",
    mistakes=mistakes(
        _held(lambda p, s, m: p - s),
        "one too few: You counted one micro-batch too few. Even the last stage keeps one.",
        _held(lambda p, s, m: p),
        "as the first stage: You counted as for the first stage, which keeps as many as there are "
        "stages. How far must a micro-batch go from here until it comes back?",
        _held(lambda p, s, m: s),
        "counted from the wrong end: You counted the stages before this one. A micro-batch is kept "
        "until it has come back from the stages after it.",
        _held(lambda p, s, m: m),
        "all forward first: That is what GPipe keeps. 1F1B goes back as soon as it can.",
        _held(lambda p, s, m: p - s + 1, states=0),
        "states forgotten: You left out parameters, gradients and optimizer states. They take "
        "memory, too.",
        _held(lambda p, s, m: 1),
        "one at a time: You let the stage keep a single micro-batch. While it is under way, others "
        "arrive.",
        _held(lambda p, s, m: 2 * (p - s) + 1),
        "there and back: You let a new micro-batch in at every turn of the first one's way there "
        "and back. In half of these turns the stage does backward passes of others.",
        _held(lambda p, s, m: m / p * (p - s + 1)),
        "share of the batch: You divided the batch among the stages. With 1F1B, the number depends "
        "on how far a micro-batch must go until it comes back.",
    ),
)


def _transformer(rng):
    return {
        "hidden": int(rng.choice([2048, 4096, 6144, 8192, 12288])),
        "tokens": int(rng.choice([1024, 2048, 4096, 8192])),
        "group": int(rng.choice([3, 4, 6, 8])),
        "bandwidth": 10 ** rng.uniform(10.3, 11.6),
        "rate": 10 ** rng.uniform(13.7, 14.6),
    }


def _tensor(sums=None, work=None, share=lambda c, w: c / (c + w)):
    """Return a model from functions of (h, n, t, B) and (h, n, t, R), in seconds."""
    sums = sums or (lambda h, n, t, b: 4 * _factor(t) * 2 * n * h / b)
    work = work or (lambda h, n, t, r: 72 * h**2 * n / (t * r))
    return by_place(lambda h, n, t, b, r: float(share(sums(h, n, t, b), work(h, n, t, r))))


tensor = number(
    "tensor",
    "A layer on several GPUs",
    reference=_tensor(),
    inputs=_transformer,
    points=3,
    mistakes=mistakes(
        _tensor(share=lambda c, w: c / w),
        "over the work: You divided by the time of the work. The question asks for a fraction of "
        "the whole time.",
        _tensor(share=lambda c, w: w / (c + w)),
        "share of work: That is the fraction in which the layer computes. For which fraction does "
        "it communicate?",
        _tensor(sums=lambda h, n, t, b: 2 * _factor(t) * 2 * n * h / b),
        "half of the traffic: You have half of the traffic. Check three factors: the number of "
        "sums, the two passes of a ring, and the bytes of a value.",
        _tensor(sums=lambda h, n, t, b: _factor(t) * 2 * n * h / b),
        "one sum: You added up once. How often does the layer add up, forward and backward?",
        _tensor(work=lambda h, n, t, r: 72 * h**2 * n / r),
        "work not shared: You let each GPU compute the whole layer. The group shares it.",
        _tensor(sums=lambda h, n, t, b: 4 * 2 * 2 * n * h / b),
        "(n-1)/n dropped: You let each GPU send two whole vectors in a sum. Which part does it not "
        "send in a pass?",
        _tensor(work=lambda h, n, t, r: 24 * h**2 * n / (t * r)),
        "work of forward only: You counted two operations for each parameter and token. That is "
        "the forward pass alone.",
        _tensor(sums=lambda h, n, t, b: _factor(t) * 2 * 12 * h**2 / b),
        "gradients summed: You added up gradients, one for each parameter. Data parallelism does "
        "this. Here the GPUs add up activations.",
        _tensor(sums=lambda h, n, t, b: 4 * (t - 1) * 2 * n * h / b),
        "whole vectors to all: You let each GPU send whole vectors to every other GPU. A ring "
        "sends parts.",
    ),
)

INSIDE = ("tensor", "data")


def _two_groups(rng):
    gradients, inside = 10 ** rng.uniform(8.5, 9.7), 10 ** rng.uniform(11, 11.7)
    sizes = rng.permutation([2, 4, 8])
    return {
        "tensor_group": int(sizes[0]),
        "data_group": int(sizes[1]),
        "activations": gradients * np.exp(rng.choice([-1, 1]) * rng.uniform(0.2, 1.5)),
        "gradients": gradients,
        "inside": inside,
        "outside": inside / rng.uniform(3, 12),
    }


def _placement(time, better=min):
    """Return a model from the time of (group, bytes, bandwidth), summed over both groups."""

    def model(t, d, v, g, inside, outside):
        plans = {
            "tensor": time(t, v, inside) + time(d, g, outside),
            "data": time(t, v, outside) + time(d, g, inside),
        }
        return better(plans.items(), key=lambda one: one[1])

    return by_place(lambda *given: tuple(model(*given)))


def _at_place(total):
    """Return a model from a function of the seconds of the group inside and of that outside."""

    def model(t, d, v, g, inside, outside):
        plans = {
            "tensor": total(_factor(t) * v / inside, _factor(d) * g / outside),
            "data": total(_factor(d) * g / inside, _factor(t) * v / outside),
        }
        return min(plans.items(), key=lambda one: one[1])

    return by_place(lambda *given: tuple(model(*given)))


placement = choice(
    "placement",
    "Who may have the fast links?",
    choices=INSIDE,
    reference=_placement(lambda n, s, b: _factor(n) * s / b),
    inputs=_two_groups,
    points=3,
    unit="s",
    tolerance=0.005,
    mistakes=mistakes(
        _placement(lambda n, s, b: 2 * s / b),
        "(n-1)/n dropped: You sent two whole vectors in each group. In a small group, a GPU "
        "doesn't send a large part of the vector.",
        _placement(lambda n, s, b: _factor(n) / 2 * s / b),
        "one pass: Your sums make one pass. An all-reduce makes two.",
        _placement(lambda n, s, b: _factor(n) * s / b, better=max),
        "the slower plan: That is the plan that takes longer. Compare both plans and choose the "
        "shorter time.",
        _placement(lambda n, s, b: (n - 1) * s / b),
        "whole vectors to all: You sent whole vectors to each other member of the group. A ring "
        "sends parts.",
        _at_place(max),
        "at the same time: You took the longer of the two sums. Here they come one after the "
        "other.",
        _at_place(lambda inside, outside: outside),
        "fast links for nothing: You let the transfers over the fast links take no time. They take "
        "less time, not none.",
        _at_place(lambda inside, outside: inside),
        "slow links for nothing: You left out the group that uses the slow links. Both sums must "
        "be done.",
        _placement(lambda n, s, b: s / b),
        "bytes over bandwidth: You sent each vector once. How many passes does a ring make, and "
        "which part of the vector does each pass send?",
    ),
)


def _late(rng):
    machines = int(rng.integers(50, 2000))
    time = rng.uniform(0.1, 2)
    return {
        "machines": machines,
        "time": time,
        "chance": rng.uniform(0.3, 2) / machines,
        "delay": time * rng.uniform(0.3, 3),
    }


straggler = number(
    "straggler",
    "All wait for the last",
    reference=by_place(lambda n, t, p, d: float(t + d * (1 - (1 - p) ** n))),
    inputs=_late,
    points=2,
    unit="s",
    tolerance=0.005,
    mistakes=mistakes(
        lambda n, t, p, d: float(t + p * d),
        "mean machine: That is the mean time of one machine. The step waits for the last machine.",
        lambda n, t, p, d: float(t + n * p * d),
        "delays added: You added up the delays of all machines. Machines that are late at the same "
        "time delay the step only once.",
        lambda n, t, p, d: float(t + d),
        "always late: You let a machine be late in every step. How often is no machine late?",
        lambda n, t, p, d: float(t + d * (1 - p) ** n),
        "nobody late: You added the delay to the steps in which no machine is late. Add it to the "
        "others.",
        lambda n, t, p, d: float(d * (1 - (1 - p) ** n)),
        "delay only: That is the mean delay. How long does the whole step take?",
        lambda n, t, p, d: float((t + d) * (1 - (1 - p) ** n)),
        "late steps only: You counted the steps with a late machine only. The other steps take "
        "time, too.",
        lambda n, t, p, d: float(t + d * n * p * (1 - p) ** (n - 1)),
        "exactly one late: You counted the steps with exactly one late machine. Two late machines "
        "delay the step as well.",
    ),
)


def _own_example(rng):
    sizes = 64.0 * 4.0 ** np.arange(9)
    times = 10 ** rng.uniform(-5.3, -4.3) + sizes / 10 ** rng.uniform(8.7, 9.7)
    return {"size": sizes, "time": times * np.exp(rng.normal(0, 0.08, 9))}


def _line(size, time, weights):
    """Return the latency and the seconds of a byte by weighted least squares."""
    price, latency = np.polyfit(size, time, 1, w=weights)
    return latency, price


def _implausible(size, time):
    if not ((size > 0).all() and (time > 0).all()):
        return "Every size and every time must be above 0."
    if len(set(size.tolist())) < len(size):
        return "Two messages have the same size. First take the median of these."
    if size.max() < 1000 * size.min():
        return "The largest message must have at least a thousand times the bytes of the smallest."
    latency, price = _line(size, time, 1 / time)
    if min(latency, price) <= 0:
        return "The line through these times has no latency, or no bandwidth: measure again."
    return ""


def _own_half(half):
    """Return a model from a function of sizes and times, both in the order of the sizes."""

    def model(size, time):
        order = np.argsort(size)
        return float(half(size[order], time[order]))

    return by_place(model)


def _ratio(latency, price):
    return latency / price


own_messages = measured(
    "own_messages",
    "Messages on your machine",
    columns=("size", "time"),
    reference=_own_half(lambda m, t: _ratio(*_line(m, t, 1 / t))),
    example=_own_example,
    least=6,
    plausible=_implausible,
    points=3,
    tolerance=0.005,
    unit="bytes",
    mistakes=mistakes(
        _own_half(lambda m, t: _ratio(*_line(m, t, None))),
        "weights forgotten: Your line minimises absolute errors, so the largest message decides "
        "everything and the latency is left to chance. Weight each time by its reciprocal.",
        _own_half(lambda m, t: _ratio(*_line(m, t, t**-0.5))),
        "weights of a variance: Your weights are the root of the reciprocal. `np.polyfit` "
        "multiplies the errors by the weights before it squares them, so use the reciprocal of the "
        "time itself.",
        _own_half(lambda m, t: t[0] * m[-1] / t[-1]),
        "two messages only: You took the smallest message for the latency and the largest for the "
        "bandwidth. Fit a line to all of them.",
        _own_half(lambda m, t: t[0] / _line(m, t, 1 / t)[1]),
        "smallest message for the latency: You used the smallest message's time as the latency. "
        "Use the line's value at 0 bytes.",
        _own_half(lambda m, t: 1 / _line(m, t, 1 / t)[1]),
        "bandwidth: That is the bandwidth. At which size does a message reach half of it?",
        _own_half(lambda m, t: _line(m, t, 1 / t)[0]),
        "latency: That is the latency in seconds. How many bytes would flow in this time?",
        _own_half(lambda m, t: 2 * _ratio(*_line(m, t, 1 / t))),
        "round trip in part: Your answer is twice too large. If you halved the time for the "
        "bandwidth, halve it for the latency as well.",
        _own_half(lambda m, t: np.interp(m[-1] / t[-1] / 2, m / t, m)),
        "read off: You read off where the measured rate crosses half of the largest one. The "
        "question asks about the fitted line.",
    ),
)


def _experts(rng):
    nodes, local = int(rng.choice([4, 8, 16])), int(rng.integers(2, 9))
    return {"experts": nodes * local, "nodes": nodes, "chosen": int(rng.integers(4, 9))}


def _nodes_met(missed, counted=lambda n: n):
    """Return a model from the probability that a node is missed, of (experts, nodes, chosen)."""
    return by_place(lambda e, n, k: float(counted(n) * (1 - missed(e, n, k))))


copies = number(
    "copies",
    "How many nodes does a token go to?",
    reference=_nodes_met(lambda e, n, k: comb(e - e // n, k) / comb(e, k)),
    inputs=_experts,
    points=3,
    tolerance=0.003,
    mistakes=mistakes(
        by_place(lambda e, n, k: k),
        "a copy for each expert: You counted a copy for each chosen expert. Experts on one node "
        "share a copy: count nodes.",
        by_place(lambda e, n, k: n),
        "all nodes: That is the number of nodes. A token doesn't go to nodes without a chosen "
        "expert.",
        _nodes_met(lambda e, n, k: (1 - 1 / n) ** k),
        "drawn with replacement: You let a token choose one expert several times. Its experts are "
        "all different, so count the ways to choose them.",
        _nodes_met(lambda e, n, k: comb(e - e // n, k) / comb(e, k), counted=lambda n: n - 1),
        "other nodes only: You left out the token's own node. Here it counts, too.",
        _nodes_met(lambda e, n, k: comb(e - e // n, k) / comb(e, k), counted=lambda n: 1),
        "one node: That is the probability that one given node is chosen. How many nodes are "
        "there?",
        by_place(lambda e, n, k: n * comb(e - e // n, k) / comb(e, k)),
        "nodes missed: That is the number of nodes that a token doesn't go to.",
        _nodes_met(lambda e, n, k: (1 - k / e) ** (e / n)),
        "experts apart: You let the experts of a node be chosen independently. A token chooses "
        "exactly a given number of experts, so count the ways to choose them.",
    )
    + rounded(_nodes_met(lambda e, n, k: comb(e - e // n, k) / comb(e, k))),
)


def _two_tiers(rng):
    nodes, per_node = int(rng.choice([2, 4, 8])), int(rng.choice([4, 8]))
    node_copies = nodes * rng.uniform(0.55, 0.9)
    outside = 10 ** rng.uniform(10, 10.9)
    return {
        "nodes": nodes,
        "per_node": per_node,
        "size": 10 ** rng.uniform(7, 8.5),
        "node_copies": node_copies,
        "gpu_copies": node_copies * rng.uniform(1.2, 1.9),
        "outside": outside,
        "inside": outside * rng.uniform(1.5, 6),
    }


def _tier_seconds(network=None, links=None):
    """Return a model of the table from the copies over both tiers, of (n, g, d, c).

    These are the nodes, the GPUs of a node, and the copies for nodes and for GPUs.
    """
    network = network or (lambda n, g, d, c: (n - 1) / n * d)
    links = links or (lambda n, g, d, c: (g - 1) / g * c)

    def model(nodes, per_node, size, node_copies, gpu_copies, outside, inside):
        given = nodes, per_node, node_copies, gpu_copies
        return {
            "network": float(network(*given) * size / outside),
            "node": float(links(*given) * size / inside),
        }

    return by_place(model)


tiers = array(
    "tiers",
    "Two tiers of an exchange of experts",
    reference=_tier_seconds(),
    inputs=_two_tiers,
    points=3,
    tolerance=0.005,
    mistakes=mistakes(
        _tier_seconds(network=lambda n, g, d, c: d),
        "own node over the network: You sent the copies for the own node over the network. They "
        "stay in the node.",
        _tier_seconds(links=lambda n, g, d, c: c),
        "own GPU over the links: You sent the copies for the own GPU over its links. They stay "
        "where they are.",
        _tier_seconds(lambda n, g, d, c: d, lambda n, g, d, c: c),
        "nothing stays: You sent all copies over the links. The copies for the own node and for "
        "the own GPU stay where they are.",
        _tier_seconds(network=lambda n, g, d, c: (n - 1) / n * c),
        "a copy for each GPU: You sent a copy for each GPU over the network. Only one copy for "
        "each node crosses the network.",
        _tier_seconds(links=lambda n, g, d, c: (g - 1) / g * d),
        "a copy for each node: Inside the nodes, you sent one copy for each node. There every GPU "
        "with a chosen expert gets a copy.",
        _tier_seconds(lambda n, g, d, c: (n - 1) / n, lambda n, g, d, c: (g - 1) / g),
        "one copy of a token: You sent one copy of each token. How many copies does a token need?",
        _tier_seconds(lambda n, g, d, c: (n - 1) * d, lambda n, g, d, c: (g - 1) * c),
        "copies for each other one: You multiplied by the other nodes and GPUs. The copies are "
        "counted for all of them already: which fraction leaves?",
        _tier_seconds(links=lambda n, g, d, c: (n * g - 1) / (n * g) * c),
        "own GPU of all: Inside the nodes, you left out the own GPU as one of all GPUs. Copies "
        "spread over the GPUs of one node: which fraction goes to the own one?",
        by_place(
            lambda n, g, b, d, c, outside, inside: {
                "network": (n - 1) / n * d * b / inside,
                "node": (g - 1) / g * c * b / outside,
            }
        ),
        "links exchanged: You exchanged the two bandwidths. Which one belongs to the network?",
    ),
)


bank = Bank(
    "communication",
    "When machines must talk",
    [
        message,
        enough,
        ping_pong,
        gathered,
        protocol,
        ring,
        crossover,
        two_rates,
        sparse,
        hierarchy,
        bisections,
        all_to_all,
        mesh,
        fair,
        long_way,
        jain,
        aimd,
        buffer,
        bubble,
        micro_batches,
        slow_stage,
        held,
        tensor,
        placement,
        straggler,
        copies,
        tiers,
        own_messages,
    ],
)
