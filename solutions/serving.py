"""Question bank of the topic serving: steps, caches, capacity, waiting, and work saved.

Twenty-six questions in four levels. Sizes are in bytes, rates in bytes/s or FLOP/s, times in
seconds, unless a name says otherwise (`gib`, `billions`); shares run from 0 to 1.
"""

from heapq import heapify, heapreplace
from math import ceil

import numpy as np
from scipy.stats import nbinom, poisson

from perfcourse.bank import (
    Accepted,
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
from perfcourse.bank.properties import limit, monotone, refuses, vectorised
from perfmodel.queueing import mg1
from perfmodel.serving import (
    Precomputation,
    RequestMix,
    StepPieces,
    fluid_state,
    ideal_exit_speedup,
    latest_exit,
    mean_context,
    processor_sharing_queue,
    speculation_speedup,
    tokens_per_round,
    verification_cost,
)
from perfmodel.validation import non_negative, positive, sample, whole

GIB = 2**30

# Level 1: two phases, two walls


def _card(rng):
    """Draw a card on which a whole number of sequences and a good part of one more fit."""
    billions, layers = rng.uniform(6, 35), int(rng.choice([32, 40, 48, 60, 80]))
    kv_heads, numbers = int(rng.choice([4, 8, 16])), int(rng.choice([64, 80, 96, 128]))
    fit = int(rng.integers(8, 60)) + rng.uniform(0.3, 0.7)
    sequence = 2e9 * billions * rng.uniform(0.25, 1.8) / fit
    tokens = int(sequence / (4 * layers * kv_heads * numbers)) + 1
    held = fit * tokens * 4 * layers * kv_heads * numbers
    return {
        "billions": billions,
        "layers": layers,
        "heads": kv_heads * int(rng.choice([3, 4, 5, 7])),
        "kv_heads": kv_heads,
        "numbers": numbers,
        "tokens": tokens,
        "memory_gib": (2e9 * billions + held) / GIB,
    }


def _fitting(token=None, weights=lambda p: 2e9 * p, unit=GIB, tokens=lambda k: k):
    """Return a model from functions of (layers, heads, KV heads, numbers) and of the weights."""
    token = token or (lambda n, heads, kv, numbers: 4 * n * kv * numbers)

    def model(billions, layers, heads, kv, numbers, held, memory):
        free = memory * unit - weights(billions)
        return float(free / (token(layers, heads, kv, numbers) * tokens(held)))

    return by_place(model)


room = number(
    "room",
    "How many sequences fit?",
    reference=_fitting(),
    inputs=_card,
    points=2,
    unit="sequences",
    tolerance=0.003,
    mistakes=mistakes(
        _fitting(unit=1e9),
        "GB for GiB: You converted the memory with 1 GB = a thousand million bytes. The memory is "
        "given in GiB. How many bytes has a GiB?",
        _fitting(weights=lambda p: 2 * p * GIB),
        "weights in GiB: You counted the weights in GiB. Two bytes times a thousand million is a "
        "GB, not a GiB.",
        _fitting(lambda n, heads, kv, d: 4 * kv * d),
        "layers forgotten: You counted the keys and values of one layer. Every layer has its own.",
        _fitting(lambda n, heads, kv, d: 4 * n * d),
        "heads forgotten: You counted the keys and values of one head. How many heads keep them?",
        _fitting(lambda n, heads, kv, d: 4 * n * heads * d),
        "all heads: You gave every query head its own keys and values. Here several query heads "
        "share one. Which parameter counts the heads that keep keys and values?",
        _fitting(lambda n, heads, kv, d: 2 * n * kv * d),
        "half of the bytes: You counted half of a token's bytes. A token keeps a key and a value, "
        "and each of their numbers has 16 bits.",
        _fitting(lambda n, heads, kv, d: 8 * n * kv * d),
        "twice the bytes: You counted twice a token's bytes. Either your numbers have 32 bits, or "
        "you counted keys and values twice.",
        _fitting(weights=lambda p: 0),
        "weights forgotten: You gave all memory to the caches. The weights need memory, too. How "
        "much is left?",
        _fitting(weights=lambda p: 1e9 * p),
        "one byte a weight: You gave a weight one byte. How many has a number of 16 bits?",
        _fitting(tokens=lambda k: 1),
        "tokens for sequences: That is the number of tokens that fit. One sequence has many "
        "tokens.",
        _fitting(lambda n, heads, kv, d: 2 * n * kv * d, weights=lambda p: 1e9 * p),
        "one byte a number: You gave every number one byte. How many bytes has a number of 16 "
        "bits?",
    )
    + rounded(_fitting()),
)

WALLS = ("arithmetic", "memory")


def _mixed_step(rng):
    billions, rate = rng.uniform(6, 20), 10 ** rng.uniform(13.8, 14.6)
    prompt, sequences = int(rng.integers(80, 400)), int(rng.integers(10, 80))
    token, context = 10 ** rng.uniform(5.4, 6), int(rng.integers(1000, 4000))
    compute = 2e9 * billions * (prompt + sequences) / rate
    read = 2e9 * billions + token * context * sequences
    return {
        "billions": billions,
        "prompt": prompt,
        "sequences": sequences,
        "context": context,
        "kv_bytes": token,
        "rate": rate,
        "bandwidth": read / compute * np.exp(rng.choice([-1, 1]) * rng.uniform(0.1, 1.2)),
    }


def _walls(flop=None, read=None, names=WALLS):
    """Return a model of the choice from functions of the FLOP and bytes of a step.

    Both take (parameters, prompt, sequences, context, bytes of a token).
    """
    flop = flop or (lambda p, new, b, k, token: 2 * p * (new + b))
    read = read or (lambda p, new, b, k, token: 2 * p + token * k * b)

    def model(billions, new, b, k, token, rate, bandwidth):
        work = 1e9 * billions, new, b, k, token
        compute, memory = flop(*work) / rate, read(*work) / bandwidth
        return names[int(memory > compute)], float(max(compute, memory) / min(compute, memory))

    return by_place(model)


wall = choice(
    "wall",
    "Which wall?",
    choices=WALLS,
    reference=_walls(),
    inputs=_mixed_step,
    points=2,
    tolerance=0.005,
    mistakes=mistakes(
        _walls(read=lambda p, new, b, k, token: (2 * p + token * k) * b),
        "weights for each sequence: You read the weights once for each sequence. The whole batch "
        "shares one reading.",
        _walls(read=lambda p, new, b, k, token: 2 * p),
        "caches forgotten: You counted only the reading of weights. What else does each sequence "
        "read?",
        _walls(read=lambda p, new, b, k, token: 2 * p + token * k),
        "one cache for all: You read the cache of one sequence. Which bytes does the batch share, "
        "and which belong to each sequence?",
        _walls(read=lambda p, new, b, k, token: token * k * b),
        "weights forgotten: You counted only the reading of caches. The step reads the weights as "
        "well.",
        _walls(read=lambda p, new, b, k, token: p + token * k * b),
        "one byte a weight: You gave a weight one byte. How many has a number of 16 bits?",
        _walls(read=lambda p, new, b, k, token: 2 * p * (1 + new) + token * k * b),
        "prefill counted as decoding: You read the weights again for each token of the prompt. All "
        "its tokens pass through together.",
        _walls(flop=lambda p, new, b, k, token: p * (new + b)),
        "one operation a weight: You counted one operation for each weight. A weight is "
        "multiplied, and the product is added.",
        _walls(flop=lambda p, new, b, k, token: 2 * p * b),
        "prompt forgotten: You counted the operations of the generated tokens only. The prompt's "
        "tokens also pass through all weights.",
        _walls(flop=lambda p, new, b, k, token: 2 * p * new),
        "sequences forgotten: You counted the operations of the prompt only. The generated tokens "
        "also pass through all weights.",
        _walls(flop=lambda p, new, b, k, token: 2 * p * (new + b * k)),
        "context computed again: You let all earlier tokens pass through the weights again. What "
        "is the cache for?",
        _walls(names=WALLS[::-1]),
        "shorter one: Your ratio is right, but you named the shorter time. Which of the two does "
        "the step wait for?",
    ),
)


def _graph(rng):
    step, seats = rng.uniform(15, 60) * 1e-3, int(rng.integers(60, 260))
    billions, batch = rng.uniform(6, 35), int(seats * rng.uniform(0.2, 0.85))
    used = rng.uniform(0.02, 0.12)
    return {
        "billions": billions,
        "batch": batch,
        "seats": seats,
        "step": step,
        "pause": step * rng.uniform(0.06, 0.4),
        "rate": 2e9 * billions * batch / (step * used),
    }


def _graphs(busy=None, used=None):
    """Return a model of the table from functions of (parameters, b, seats, step, pause, rate)."""
    busy = busy or (lambda p, b, seats, t, pause, rate: t / (t + pause))
    used = used or (lambda p, b, seats, t, pause, rate: 2 * p * b / (rate * (t + pause)))

    def model(billions, *given):
        return {
            "busy": float(busy(1e9 * billions, *given)),
            "used": float(used(1e9 * billions, *given)),
        }

    return by_place(model)


graph = array(
    "graph",
    "The graph says busy",
    reference=_graphs(),
    inputs=_graph,
    points=2,
    mistakes=mistakes(
        _graphs(used=lambda p, b, s, t, pause, r: 2 * p * b / (r * t)),
        "arithmetic of the steps only: You computed the used arithmetic during steps only. The "
        "question asks about all of the time, pauses included.",
        _graphs(used=lambda p, b, s, t, pause, r: t / (t + pause)),
        "time for arithmetic: You treated a GPU that runs something as a GPU that computes at its "
        "peak. How many operations does a step really do?",
        _graphs(used=lambda p, b, s, t, pause, r: p * b / (r * (t + pause))),
        "one operation a weight: You counted one operation for each weight. A weight is "
        "multiplied, and the product is added.",
        _graphs(used=lambda p, b, s, t, pause, r: 2 * p / (r * (t + pause))),
        "one token: You counted the operations of one token. A step generates a token for each "
        "sequence.",
        _graphs(used=lambda p, b, s, t, pause, r: 2 * p * s / (r * (t + pause))),
        "all seats: You counted operations for empty slots. Only the taken slots hold a sequence.",
        _graphs(used=lambda p, b, s, t, pause, r: b / s),
        "seats for arithmetic: You gave the fraction of taken slots as the used arithmetic. Even a "
        "full batch can leave most of the arithmetic unused. Count operations.",
        _graphs(busy=lambda p, b, s, t, pause, r: b / s),
        "seats for time: You gave the fraction of taken slots as the fraction of time. How long "
        "does the GPU run a step, and how long does it wait?",
        _graphs(busy=lambda p, b, s, t, pause, r: pause / (t + pause)),
        "idle for busy: You gave the fraction of time spent in pauses. The question asks for the "
        "time spent in steps.",
        _graphs(busy=lambda p, b, s, t, pause, r: 1 - pause / t),
        "pause over step: You divided the pause by the step. The whole time is the step and the "
        "pause together.",
        _graphs(
            lambda p, b, s, t, pause, r: 2 * p * b / (r * (t + pause)),
            lambda p, b, s, t, pause, r: t / (t + pause),
        ),
        "names exchanged: Your two fractions are right, but they have each other's names. Exchange "
        "them.",
    ),
)


def _crossing(rng):
    billions, rate = rng.uniform(6, 35), 10 ** rng.uniform(14, 15)
    bandwidth, context = rng.uniform(1, 5) * 1e12, int(rng.integers(200, 2000))
    return {
        "billions": billions,
        "bits": float(rng.choice([4.5, 5.5, 6.5, 8.5])),
        "context": context,
        "kv_bytes": rng.uniform(0.1, 0.42) * 2e9 * billions * bandwidth / (rate * context),
        "rate": rate,
        "bandwidth": bandwidth,
    }


def _crosses(of):
    """Return a model from a function of (weights' time, arithmetic of one, cache of one)."""

    def model(billions, bits, context, token, rate, bandwidth):
        weights = 1e9 * billions * bits / 8 / bandwidth
        return float(of(weights, 2e9 * billions / rate, token * context / bandwidth, bits / 8))

    return by_place(model)


ridge = number(
    "ridge",
    "When does arithmetic take over?",
    reference=_crosses(lambda w, a, c, bytes: w / (a - c)),
    inputs=_crossing,
    points=3,
    unit="sequences",
    mistakes=mistakes(
        _crosses(lambda w, a, c, bytes: w / a),
        "caches forgotten: That is the ridge for weights alone. Each further sequence also adds "
        "bytes to read.",
        _crosses(lambda w, a, c, bytes: (w + c) / a),
        "one cache for all: You read one cache for any number of sequences. Every sequence reads "
        "its own cache.",
        _crosses(lambda w, a, c, bytes: w / (a + c)),
        "cache beside the arithmetic: You added the cache to the arithmetic. Which of the two "
        "times does reading the cache make longer?",
        _crosses(lambda w, a, c, bytes: w / (a / 2 - c)),
        "one operation a weight: You counted one operation for each weight. A weight is "
        "multiplied, and the product is added.",
        _crosses(lambda w, a, c, bytes: w / bytes / (a - c)),
        "bytes of a weight forgotten: Your answer doesn't depend on the bits of a weight. More "
        "bits per weight take longer to read.",
        _crosses(lambda w, a, c, bytes: 8 * w / (a - c)),
        "bits for bytes: You used the bits of a weight as bytes. How many bits has a byte?",
        _crosses(lambda w, a, c, bytes: 2 * w / bytes / (a - c)),
        "two bytes in any case: You gave each weight 16 bits. Use the size given here.",
        _crosses(lambda w, a, c, bytes: w / c),
        "caches against weights: That is where reading the caches takes as long as reading the "
        "weights. The question compares reading with arithmetic.",
    ),
)


def _any_step(rng):
    parameters, width = rng.uniform(1, 70) * 1e9, float(rng.choice([0.5, 1, 2]))
    prompt, sequences = int(rng.choice([0, 1, 1]) * rng.integers(20, 600)), int(rng.integers(2, 99))
    cached, token = sequences * int(rng.integers(100, 3000)), 10 ** rng.uniform(4.7, 5.9)
    rate = 10 ** rng.uniform(13.5, 15)
    compute = 2 * parameters * (prompt + sequences) / rate
    memory = width * parameters + token * cached
    return {
        "prompt": prompt,
        "sequences": sequences,
        "cached": cached,
        "parameters": parameters,
        "weight_bytes": width,
        "token_bytes": token,
        "rate": rate,
        "bandwidth": memory / compute * np.exp(rng.choice([-1, 1]) * rng.uniform(0.1, 1)),
    }


def _step(prompt, sequences, cached, parameters, weight_bytes, token_bytes, rate, bandwidth):
    new = non_negative("prompt", prompt) + non_negative("sequences", sequences)
    weights = positive("weight_bytes", weight_bytes) * positive("parameters", parameters)
    read = weights + positive("token_bytes", token_bytes) * non_negative("cached", cached)
    flop = 2 * parameters * new
    return np.maximum(flop / positive("rate", rate), read / positive("bandwidth", bandwidth))


def _steps(flop=None, read=None, whole_step=max):
    """Return a model from functions of the FLOP, the bytes, and the two times.

    The first two take (prompt, sequences, cached, parameters, bytes of a weight, of a token).
    """
    flop = flop or (lambda new, b, k, p, w, token: 2 * p * (new + b))
    read = read or (lambda new, b, k, p, w, token: w * p + token * k)

    def model(*given):
        *work, rate, bandwidth = given
        return float(whole_step([flop(*work) / rate, read(*work) / bandwidth]))

    return by_place(model)


steps = function(
    "steps",
    "Build the time of a step",
    answer="step_seconds",
    reference=_step,
    inputs=_any_step,
    points=5,
    mistakes=mistakes(
        _steps(whole_step=sum),
        "sum for the longer one: You added the two times. Computing and reading happen at the same "
        "time.",
        _steps(whole_step=min),
        "shorter one: You took the shorter time. The step ends when both computing and reading "
        "have ended.",
        _steps(whole_step=lambda times: sum(times) / 2),
        "mean of both: You took the mean of the two times. The step ends when both computing and "
        "reading have ended.",
        _steps(read=lambda new, b, k, p, w, token: b * w * p + token * k),
        "weights for each sequence: You read the weights once for each sequence. All sequences "
        "share one reading.",
        _steps(read=lambda new, b, k, p, w, token: (1 + new) * w * p + token * k),
        "prefill counted as decoding: You read the weights again for each token of the prompt. All "
        "its tokens pass through together.",
        _steps(read=lambda new, b, k, p, w, token: w * p),
        "caches forgotten: You counted only the reading of weights. The cached tokens are read, "
        "too.",
        _steps(read=lambda new, b, k, p, w, token: w * p + token * k * b),
        "cached tokens once more for each: You multiplied the cached tokens by the sequences. They "
        "are already counted for all sequences together.",
        _steps(read=lambda new, b, k, p, w, token: token * k),
        "weights forgotten: You counted only the reading of caches. The step reads the weights, "
        "too.",
        _steps(flop=lambda new, b, k, p, w, token: p * (new + b)),
        "one operation a weight: You counted one operation for each weight. A weight is "
        "multiplied, and the product is added.",
        _steps(flop=lambda new, b, k, p, w, token: 2 * p * b),
        "prompt forgotten: You counted the operations of the generated tokens, but not those of "
        "the prompt's tokens.",
        _steps(flop=lambda new, b, k, p, w, token: 2 * p * max(new, b)),
        "longer of the phases: You counted either the prompt or the sequences, whichever is "
        "larger. A step contains both.",
        _steps(flop=lambda new, b, k, p, w, token: w * p * (new + b)),
        "bytes for operations: Your number of operations depends on the bytes of a weight. It "
        "depends on the number of weights only.",
        _steps(flop=lambda new, b, k, p, w, token: 2 * p * (new + b + k)),
        "context computed again: You let the cached tokens pass through all weights again. They "
        "are only read.",
        _steps(read=lambda new, b, k, p, w, token: w * p + token * (k + new)),
        "prompt read from memory: You read the keys and values of the prompt's new tokens as "
        "well. The statement counts only the cached tokens.",
    ),
    properties=[
        limit(
            "empty caches",
            (0, 1, 0, 1e9, 2.0, 1e5, 1e14, 1e12),
            0.5,
            "Try one sequence's first token after a short prompt: the step reads the weights and "
            "nothing else.",
        ),
        vectorised((0, np.array([1, 10, 100, 1000]), 0, 1e9, 2.0, 1e5, 1e14, 1e12), 1),
        refuses(
            (0, 1, 0, 1e9, 2.0, 1e5, 1e14, 0.0), 0.5, "A bandwidth of 0 should raise a ValueError."
        ),
    ],
)


def _clock(rng):
    arrived = rng.uniform(10, 20)
    started = arrived + rng.uniform(0.5, 4)
    first, tokens = started + rng.uniform(0.3, 2), int(rng.integers(8, 50))
    last = first + (tokens - 1) * rng.uniform(0.05, 0.3)
    return {"arrived": arrived, "started": started, "first": first, "last": last, "tokens": tokens}


def _latencies(first=None, token=None):
    """Return a model of the table from functions of (arrived, started, first, last, tokens)."""
    first = first or (lambda a, s, f, e, n: f - a)
    token = token or (lambda a, s, f, e, n: (e - f) / (n - 1))
    return by_place(lambda *given: {"first": float(first(*given)), "token": float(token(*given))})


clock = array(
    "clock",
    "Two latencies",
    reference=_latencies(),
    inputs=_clock,
    points=2,
    unit="s",
    tolerance=0.003,
    mistakes=mistakes(
        _latencies(first=lambda a, s, f, e, n: f - s),
        "first token without waiting: Your time to first token begins when the prompt is started. "
        "The user starts to wait on arrival.",
        _latencies(first=lambda a, s, f, e, n: s - a),
        "waiting alone: Your time to first token ends when the prompt is started. There is no "
        "token yet.",
        _latencies(first=lambda a, s, f, e, n: f),
        "time of the clock: You gave the clock's reading at the first token. How long after the "
        "arrival is that?",
        _latencies(token=lambda a, s, f, e, n: (e - f) / n),
        "one gap too many: You divided by the number of tokens. How many gaps are between them?",
        _latencies(token=lambda a, s, f, e, n: (e - f) / (n - 2)),
        "one gap too few: You divided by one gap too few. How many gaps are between three tokens?",
        _latencies(token=lambda a, s, f, e, n: (e - s) / n),
        "prefill among the gaps: Your time per output token includes the prefill. The prefill "
        "belongs to the first token.",
        _latencies(token=lambda a, s, f, e, n: (e - a) / n),
        "waiting among the gaps: Your time per output token covers the whole stay, waiting "
        "included. It starts at the first token.",
        _latencies(token=lambda a, s, f, e, n: (n - 1) / (e - f)),
        "rate for time: That is the number of tokens per second. How long does one token take?",
        _latencies(token=lambda a, s, f, e, n: e - f),
        "all gaps: That is the time of all further tokens together. How long does one gap take?",
    ),
)

# Level 2: a memory that fills as answers grow


def _answers(rng):
    lengths = np.maximum(np.rint(np.exp(rng.normal(3, 0.8, int(rng.integers(8, 15))))), 2)
    return {"prompt": int(rng.integers(10, 60)), "outputs": lengths.astype(int)}


def _holding(of):
    """Return a model from a function of (prompt, outputs as floats)."""
    return by_place(lambda prompt, outputs: float(of(prompt, np.asarray(outputs, dtype=float))))


def _seen(n):
    """Return the mean length of the answers found in a batch."""
    return (n**2).mean() / n.mean()


held = number(
    "held",
    "What a sequence holds",
    reference=_holding(lambda p, n: mean_context(p, n.mean(), n.var() / n.mean() ** 2)),
    inputs=_answers,
    points=3,
    unit="tokens",
    tolerance=0.001,
    mistakes=mistakes(
        _holding(lambda p, n: p + (n.mean() - 1) / 2),
        "long answers forgotten: You used half of the mean answer. A long answer stays in the "
        "batch for more steps than a short one. Which one do you find there more often?",
        _holding(lambda p, n: p + (_seen(n) + 1) / 2),
        "a token too many: You counted the token that a step generates as one that it keeps. A "
        "step reads what was kept before.",
        _holding(lambda p, n: p + _seen(n) / 2),
        "half a token too many: You are half a token too high. Look at an answer of one token: "
        "what does its only step keep?",
        _holding(lambda p, n: p + _seen(n) - 1),
        "full answers: You used the final length of the answers. At a random moment an answer is "
        "still growing.",
        _holding(lambda p, n: p + n.mean()),
        "mean of the requests: You added the prompt and the mean answer, as if every answer were "
        "complete. At a random moment it is still growing.",
        _holding(lambda p, n: (p + _seen(n) - 1) / 2),
        "prompt by and by: You let the prompt grow token by token. All of it is kept from the "
        "first step.",
        _holding(lambda p, n: (_seen(n) - 1) / 2),
        "prompt forgotten: You counted the answer only. The sequence also keeps its prompt.",
        _holding(lambda p, n: p + (n.mean() + n.std() - 1) / 2),
        "deviation for variance: You added the standard deviation to the mean. What counts is the "
        "mean of the squares over the mean.",
        _holding(lambda p, n: p + (n.mean() + n.var(ddof=1) / n.mean() - 1) / 2),
        "variance of a sample: You divided the variance by one less than the count, as for a "
        "sample. Here the array holds all possible lengths.",
        _holding(lambda p, n: p + (np.median(n) - 1) / 2),
        "median: You used the median answer. Long answers fill the memory, so they count more.",
        _holding(lambda p, n: p + (n.max() - 1) / 2),
        "longest: You used the longest answer for every sequence. Which lengths does the array "
        "hold?",
        _holding(lambda p, n: p + n.mean() / 2),
        "half of the mean answer: You added half of the mean answer. A long answer stays in the "
        "batch for more steps than a short one, so at a random moment you find long answers more "
        "often.",
    ),
)


def _reserving(rng):
    output = int(rng.integers(150, 800))
    sd = output * rng.uniform(0.5, 1.8)
    return {
        "prompt": int(rng.integers(100, 1000)),
        "output": output,
        "sd": sd,
        "longest": int((output + sd) * rng.uniform(1.8, 5)),
    }


def _reserved(held=None, kept=lambda p, n, longest: p + longest):
    """Return a model from functions of (prompt, mean, scv) and of (prompt, mean, longest)."""
    held = held or mean_context
    return by_place(lambda p, n, sd, top: float(kept(p, n, top) / held(p, n, (sd / n) ** 2)))


reserved = number(
    "reserved",
    "Blocks instead of reservations",
    reference=_reserved(),
    inputs=_reserving,
    points=3,
    tolerance=0.005,
    mistakes=mistakes(
        _reserved(lambda p, n, scv: mean_context(p, n)),
        "mean for the variance: Your answer doesn't depend on how much the lengths vary. The batch "
        "contains long answers more often than short ones.",
        _reserved(lambda p, n, scv: mean_context(p, n, scv**0.5)),
        "coefficient not squared: You used the coefficient of variation. The formula needs its "
        "square.",
        _reserved(lambda p, n, scv: p + n),
        "all complete: You compared with complete answers of the mean length. With blocks, an "
        "answer takes only what it has so far.",
        _reserved(lambda p, n, scv: p + n * (1 + scv)),
        "long and complete: You weighted long answers correctly, but treated them as complete. At "
        "a random moment they are still growing.",
        _reserved(lambda p, n, scv: p + n * scv / 2),
        "variance alone: You kept the term with the variance and left out the mean itself. The "
        "mean square contains both.",
        _reserved(kept=lambda p, n, longest: longest),
        "prompt not reserved: You reserved memory for the answer only. The prompt needs memory, "
        "too.",
        _reserved(lambda p, n, scv: n * (1 + scv) / 2, lambda p, n, longest: longest),
        "prompts forgotten: You left out the prompts on both servers. They need memory, too.",
        _reserved(kept=lambda p, n, longest: p + longest / 2),
        "half reserved: You reserved half of the longest answer. Server 1 reserves all of it.",
        _reserved(kept=lambda p, n, longest: p + n),
        "mean reserved: You reserved memory for a mean answer. The server doesn't know the length "
        "in advance, so it reserves the longest.",
    ),
)

BACK = ("swap", "recompute")


def _preempted(rng):
    billions, rate = rng.uniform(6, 35), 10 ** rng.uniform(14, 14.9)
    token = 10 ** rng.uniform(5, 6)
    tie = token * rate / (1e9 * billions)
    return {
        "prompt": int(rng.integers(300, 3000)),
        "done": int(rng.integers(100, 1000)),
        "kv_bytes": token,
        "billions": billions,
        "rate": rate,
        "bandwidth": rng.uniform(1, 5) * 1e12,
        "link": tie * np.exp(rng.choice([-1, 1]) * rng.uniform(0.1, 1)),
    }


def _back(swap=None, again=None, names=BACK):
    """Return a model of the choice from functions of the bytes, and of the seconds to recompute.

    Both take (prompt, done, bytes of a token, parameters, FLOP/s, bytes/s of the memory).
    """
    swap = swap or (lambda p, d, token, n, r, b: 2 * token * (p + d))
    again = again or (lambda p, d, token, n, r, b: 2 * n * (p + d) / r)

    def model(p, d, token, billions, r, b, link):
        given = p, d, token, 1e9 * billions, r, b
        tie = swap(*given) / again(*given)
        return names[int(link < tie)], float(tie)

    return by_place(model)


evicted = choice(
    "evicted",
    "Drop the cache, or move it?",
    choices=BACK,
    reference=_back(),
    inputs=_preempted,
    points=3,
    unit="bytes/s",
    mistakes=mistakes(
        _back(swap=lambda p, d, token, n, r, b: token * (p + d)),
        "one way: You moved the cache in one direction only. It goes out and comes back.",
        _back(again=lambda p, d, token, n, r, b: n * (p + d) / r),
        "one operation a weight: You counted one operation for each weight. A weight is "
        "multiplied, and the product is added.",
        _back(again=lambda p, d, token, n, r, b: 2 * n * (p + d) / b),
        "prefill counted as decoding: You recomputed token after token, each reading all weights. "
        "All tokens are known now. How do known tokens pass through a model?",
        _back(again=lambda p, d, token, n, r, b: 2 * n * (p + d) / r + 2 * n * d / b),
        "prompt together, answer one by one: You recomputed the answer token by token. Its tokens "
        "are known, just as the prompt's.",
        _back(again=lambda p, d, token, n, r, b: 2 * n * p / r),
        "prompt only computed: You recomputed the prompt only. The answer so far has keys and "
        "values as well.",
        _back(again=lambda p, d, token, n, r, b: 2 * n * d / r),
        "answer only computed: You recomputed the answer so far only. The prompt has keys and "
        "values as well.",
        _back(swap=lambda p, d, token, n, r, b: 2 * token * p),
        "prompt only moved: You moved the cache of the prompt only. The answer so far has one, "
        "too.",
        _back(swap=lambda p, d, token, n, r, b: 2 * token * d),
        "answer only moved: You moved the cache of the answer only. The prompt has one, too.",
        _back(swap=lambda p, d, token, n, r, b: 16 * token * (p + d)),
        "bits for bytes: You counted the link in bits. It carries bytes.",
        _back(again=lambda p, d, token, n, r, b: 2 * n / r),
        "one token computed: You recomputed a single token. How many tokens has the sequence?",
        _back(names=BACK[::-1]),
        "wrong side of the tie: Your bandwidth for equal times is right. Is your link faster or "
        "slower, and which choice takes less time then?",
    ),
)


def _queue_of_answers(rng):
    return {
        "outputs": rng.integers(1, 40, int(rng.integers(8, 20))),
        "seats": int(rng.integers(2, 6)),
    }


def _refilled(outputs, seats):
    """Return the steps until all are done if the next one takes each seat that gets free."""
    lengths = positive("outputs", sample("outputs", outputs))
    free = [0.0] * whole("seats", seats, 1)
    heapify(free)
    for length in lengths:
        heapreplace(free, free[0] + length)
    return max(free)


def _static(outputs, seats):
    return float(sum(max(outputs[i : i + seats]) for i in range(0, len(outputs), seats)))


def _turns(outputs, seats):
    return float(max(outputs[i::seats].sum() for i in range(seats)))


refilled = function(
    "refilled",
    "Build the batch that is formed again",
    answer="refilled_steps",
    reference=_refilled,
    inputs=_queue_of_answers,
    points=5,
    mistakes=mistakes(
        _static,
        "static batch: You ran each batch to its end. A waiting request need not wait for the "
        "longest answer: it takes the first free slot.",
        lambda n, b: n.sum() / b,
        "seats always full: You divided all steps by the slots. At the end some slots are empty.",
        lambda n, b: ceil(n.sum() / b),
        "seats full to the end: You divided all tokens by the slots and rounded up. One answer "
        "can't use two slots, even if they are free.",
        lambda n, b: n.max(),
        "longest answer: You gave every request a slot at once. How many slots are there?",
        lambda n, b: n.sum(),
        "one seat: You served one request after the other. Each step gives a token to every slot.",
        lambda n, b: _refilled(np.sort(n)[::-1], b),
        "longest first: You started the longest answers first. Requests are served in the given "
        "order.",
        lambda n, b: _refilled(np.sort(n), b),
        "shortest first: You started the shortest answers first. Requests are served in the given "
        "order.",
        lambda n, b: _refilled(n + 1, b),
        "a step to change seats: You lost a step whenever a slot changes its request. The next "
        "request gets a token in the very next step.",
        lambda n, b: _refilled(np.maximum(n - 1, 1), b),
        "a token short: You gave each answer one token too few. An answer of one token takes one "
        "step.",
        lambda n, b: _refilled(n, b + 1),
        "a seat too many: You used one slot more than the server has.",
        lambda n, b: _refilled(n, max(b - 1, 1)),
        "a seat too few: You left one slot empty.",
        _turns,
        "seats in turn: You assigned the requests to slots in turn. A waiting request takes the "
        "slot that is free first.",
        lambda n, b: ceil(n.size / b) * n.mean(),
        "mean of the batches: You used the mean answer for all. Add up the real lengths in each "
        "slot.",
    ),
    properties=[
        limit("one seat", (np.array([3, 1, 2]), 1), 0.5, "With one seat they come in turn."),
        limit("seats for all", (np.array([3, 1, 2]), 9), 0.5, "With seats for all nobody waits."),
        refuses((np.array([3, 1, 2]), 0), 0.5, "No seats deserve a ValueError."),
        refuses(
            (np.array([3, 0, 2]), 2),
            0.5,
            "An answer without tokens should raise a ValueError.",
            "refuses an empty answer",
        ),
    ],
)


def _prompt_in(rng):
    sequences, chunk = int(rng.integers(20, 120)), int(rng.choice([192, 256, 384, 512]))
    return {
        "prompt": int((chunk - sequences) * rng.uniform(2.2, 7.8)),
        "sequences": sequences,
        "chunk": chunk,
        "fixed": rng.uniform(8, 30) * 1e-3,
        "each": rng.uniform(30, 150) * 1e-6,
    }


def _chunks(p, b, c):
    return ceil(p / (c - b))


def _stalls(whole_=None, chunked=None, first=None):
    """Return a model of the table from functions of (prompt, sequences, chunk, fixed, each)."""
    whole_ = whole_ or (lambda p, b, c, f, a: f + a * (p + b))
    chunked = chunked or (lambda p, b, c, f, a: f + a * c)
    first = first or (lambda p, b, c, f, a: _in_steps(_chunks(p, b, c), p, b, f, a))
    return by_place(
        lambda *given: {
            "whole": float(whole_(*given)),
            "chunked": float(chunked(*given)),
            "first": float(first(*given)),
        }
    )


def _in_steps(count, p, b, f, a):
    """Return the seconds of `count` steps that read the prompt and serve b sequences each."""
    return count * f + a * (p + count * b)


stall = array(
    "stall",
    "A prompt in one piece or in chunks",
    reference=_stalls(),
    inputs=_prompt_in,
    points=4,
    unit="s",
    tolerance=0.005,
    mistakes=mistakes(
        _stalls(
            chunked=lambda p, b, c, f, a: f + a * (c + b),
            first=lambda p, b, c, f, a: _in_steps(ceil(p / c), p, b, f, a),
        ),
        "chunks of prompt only: You gave the prompt the whole chunk, and added the decoding "
        "sequences. A chunk counts the tokens of both.",
        _stalls(first=lambda p, b, c, f, a: _in_steps(ceil(p / c), p, b, f, a)),
        "too few chunks: You cut the prompt into pieces of a whole chunk. How many tokens of a "
        "chunk are left for the prompt?",
        _stalls(first=lambda p, b, c, f, a: _chunks(p, b, c) * (f + a * c)),
        "last chunk filled up: You filled up the last step. It contains only what is left of the "
        "prompt.",
        _stalls(first=lambda p, b, c, f, a: _in_steps(p / (c - b), p, b, f, a)),
        "part of a step: You counted a fraction of a step for the rest of the prompt. A step has "
        "its fixed part for any number of tokens.",
        _stalls(first=lambda p, b, c, f, a: _in_steps(p // (c - b), p, b, f, a)),
        "last chunk forgotten: You left out the step with the rest of the prompt.",
        _stalls(first=lambda p, b, c, f, a: f + a * (p + b)),
        "first token as in one piece: Your first token comes as early as with the whole prompt in "
        "one step. Every chunk pays the fixed part of a step.",
        _stalls(first=lambda p, b, c, f, a: _chunks(p, b, c) * f + a * p),
        "others not served: Your steps with chunks leave out the decoding sequences. Each adds a "
        "token to every step.",
        _stalls(whole_=lambda p, b, c, f, a: f + a * p),
        "prompt alone: Your step with the whole prompt leaves out the decoding sequences. Each "
        "adds a token.",
        _stalls(whole_=lambda p, b, c, f, a: 2 * f + a * (p + b)),
        "two steps: You gave the prompt a step of its own. Here it shares one step with the "
        "decoding sequences.",
        _stalls(whole_=lambda p, b, c, f, a: f + a * b),
        "no stall: Your longest step with the whole prompt is a step without a prompt. The "
        "prompt's tokens are in it, too.",
        _stalls(chunked=lambda p, b, c, f, a: a * c),
        "fixed part forgotten: Your step with a chunk has no fixed part. Every step has one.",
        _stalls(chunked=lambda p, b, c, f, a: (f + a * (p + b)) / _chunks(p, b, c)),
        "stall divided: You divided the long step by the number of chunks. The fixed part of a "
        "step doesn't get shorter.",
        _stalls(chunked=lambda p, b, c, f, a: f + a * (c - b)),
        "chunk without the others: Your step with a chunk leaves out the decoding sequences. Each "
        "adds a token.",
    ),
)

# Level 3: capacity and waiting


def _resources(rng):
    count = int(rng.integers(2, 5))
    work = rng.uniform(0.01, 0.2, count)
    return {
        "rate": rng.uniform(0.2, 0.9) / work.max(),
        "fixed": rng.uniform(2, 20, count) * 1e-3,
        "work": work,
    }


def _steady(rate, fixed, work):
    return fluid_state(rate, StepPieces(fixed, 0.0, work, 0.0), RequestMix(0, 1)).step


steady = function(
    "steady",
    "Build the steady step",
    answer="steady_step",
    reference=_steady,
    inputs=_resources,
    points=5,
    builds="perfmodel.serving.fluid_state",
    mistakes=mistakes(
        lambda r, f, w: (f / (1 - r * w)).sum(),
        "sum for the longest: You added up the resources. They work at the same time.",
        lambda r, f, w: (f / (1 - r * w)).mean(),
        "mean for the longest: You took the mean of the resources. A step waits for the last one.",
        lambda r, f, w: (f / (1 - r * w)).min(),
        "shortest: You took the resource that finishes first. A step waits for the last one.",
        lambda r, f, w: (f + r * w).max(),
        "load added: You added a fraction of time to seconds. The work that arrives during a step "
        "grows with the length of the step.",
        lambda r, f, w: (f * (1 + r * w)).max(),
        "one round only: You added the work that arrives during an empty step. While this work is "
        "done, more arrives. Solve for the length of the step.",
        lambda r, f, w: f.max(),
        "empty step: That is a step without requests. How much work arrives while it lasts?",
        lambda r, f, w: f.max() / (1 - r * w.max()),
        "worst of both: You took the largest fixed part and the largest work. They can belong to "
        "different resources. Compute a step for each resource.",
        lambda r, f, w: f[np.argmax(w)] / (1 - r * w.max()),
        "busiest resource: You took the resource with the most work. At a low rate, another "
        "resource can bind. Compute a step for each resource.",
        lambda r, f, w: (w / (1 - r * w)).max(),
        "work for the fixed part: You divided the work of a request by the idle fraction. The "
        "fixed part of a step belongs there.",
        lambda r, f, w: f.max() / (1 - r * w.sum()),
        "one resource for all: You gave the work of all resources to one. Each resource does its "
        "own work at the same time.",
        lambda r, f, w: f.sum() / (1 - r * w.max()),
        "fixed parts added: You added up the fixed parts of all resources. They work at the same "
        "time.",
        lambda r, f, w: (f / (1 - r * w) ** 2).max(),
        "denominator squared: You divided by the idle fraction twice. Once is enough.",
        lambda r, f, w: (f / (1 - r * w)).max() * r,
        "number for time: That is the number of requests that arrive during a step. How long is "
        "the step?",
        lambda r, f, w: f.sum() / (1 - r * w.sum()),
        "all in one: You added up both the fixed parts and the work of all resources. The "
        "resources work at the same time: compute a step for each.",
        lambda r, f, w: (f + w).max(),
        "one request a step: You put exactly one request into each step. The longer a step, the "
        "more requests arrive while it lasts.",
    ),
    properties=[
        limit(
            "nobody comes",
            (0.0, np.array([0.01, 0.02]), np.array([0.1, 0.05])),
            0.5,
            "Try a rate of 0: without requests, a step takes its longest fixed part.",
        ),
        monotone(
            "more requests, longer steps",
            0,
            [1.0, 3.0, 6.0, 9.0],
            (1.0, np.array([0.01, 0.02]), np.array([0.1, 0.05])),
            0.5,
            "Try two rates: more requests must make the step longer.",
        ),
        refuses(
            (10.0, np.array([0.01, 0.02]), np.array([0.1, 0.05])),
            1,
            "A resource that requests keep busy all the time should raise a ValueError.",
            "refuses an overload",
        ),
    ],
)


def _service(rng):
    output, held_ = int(rng.integers(100, 600)), int(rng.integers(400, 2500))
    fixed, reads = rng.uniform(8, 25) * 1e-3, rng.uniform(0.02, 0.2)
    gap = fixed * rng.uniform(1.4, 4)
    about = (1 - fixed / gap) / reads
    batch = about * output * gap * np.exp(rng.uniform(-0.9, 0.4))
    return {
        "output": output,
        "held": held_,
        "fixed": fixed,
        "reads": reads,
        "computes": 1 / (about * np.exp(rng.uniform(-0.4, 0.9))),
        "room": int(batch * held_),
        "gap": gap,
    }


def _rates(arithmetic=None, tokens=None, cache=None, capacity=min):
    """Return a model of the table from functions of (n, held, fixed, reads, computes, room, gap).

    `capacity` takes the three rates in a list.
    """
    arithmetic = arithmetic or (lambda n, k, f, w, a, c, z: 1 / a)
    tokens = tokens or (lambda n, k, f, w, a, c, z: (1 - f / z) / w)
    cache = cache or (lambda n, k, f, w, a, c, z: c / (n * k * f + c * w))

    def model(*given):
        found = {
            "arithmetic": float(arithmetic(*given)),
            "tokens": float(tokens(*given)),
            "cache": float(cache(*given)),
        }
        return found | {"capacity": float(capacity([*found.values()]))}

    return by_place(model)


limits = array(
    "limits",
    "Every limit is a rate",
    reference=_rates(),
    inputs=_service,
    points=4,
    unit="requests/s",
    mistakes=mistakes(
        _rates(capacity=max),
        "largest for least: You took the largest of the rates. Which limit is reached first?",
        _rates(capacity=lambda all_: sum(all_) / 3),
        "mean of the limits: You took the mean of the rates. The capacity must meet all limits.",
        _rates(capacity=lambda all_: 1 / sum(1 / x for x in all_)),
        "limits in a row: You added up the limits as times. All limits hold at the same moment.",
        _rates(capacity=sum),
        "sum of the limits: You added up the rates. All limits hold at the same moment.",
        _rates(arithmetic=lambda n, k, f, w, a, c, z: 1 / (a + w)),
        "sum for the longer one: You let a request compute and read one after the other. Both "
        "happen at the same time.",
        _rates(arithmetic=lambda n, k, f, w, a, c, z: (1 - f / z) / a),
        "weights in the arithmetic: You subtracted the reading of weights from the arithmetic's "
        "time. Which resource reads the weights?",
        _rates(tokens=lambda n, k, f, w, a, c, z: 1 / w),
        "limit on tokens forgotten: Your memory serves requests all of the time. Then steps would "
        "have no end. Which limit holds for the gap?",
        _rates(tokens=lambda n, k, f, w, a, c, z: (z - f) / w),
        "seconds for a share: You divided the remaining seconds of a step by the work. Use the "
        "remaining fraction of the time.",
        _rates(tokens=lambda n, k, f, w, a, c, z: f / z / w),
        "time of the weights: You gave requests the fraction of time in which the weights are "
        "read. They get the rest.",
        _rates(tokens=lambda n, k, f, w, a, c, z: 1 / (w + f)),
        "weights for each request: You let each request read the weights once for itself. One "
        "reading serves the whole batch.",
        _rates(cache=lambda n, k, f, w, a, c, z: c / (n * k * f)),
        "empty step: You used the length of a step without requests. How long is a step when the "
        "cache is full?",
        _rates(cache=lambda n, k, f, w, a, c, z: c / (n * k * z)),
        "longest step: You used the longest step that the gap allows. How long is a step when the "
        "cache is full?",
        _rates(cache=lambda n, k, f, w, a, c, z: c / k),
        "sequences for requests: That is the number of sequences that fit. By Little's law, how "
        "many requests per second is this?",
        _rates(cache=lambda n, k, f, w, a, c, z: c / (k * f + c * w)),
        "one step or one token: You let a request leave after one step, or keep a single token. It "
        "stays for all of its tokens and keeps many.",
        _rates(tokens=lambda n, k, f, w, a, c, z: z / w),
        "weights forgotten: Your limit on the gap divides the gap by the work of one request. "
        "First each step reads the weights. Which fraction of the time is left for requests?",
    ),
)


def _one_seat(rng):
    lengths = np.maximum(np.rint(np.exp(rng.normal(3.2, 0.9, int(rng.integers(8, 13))))), 2)
    first, step_ = rng.uniform(0.1, 0.5), rng.uniform(10, 40) * 1e-3
    mean = first + step_ * (lengths.mean() - 1)
    return {
        "rate": rng.uniform(0.4, 0.8) / mean,
        "first": first,
        "step": step_,
        "outputs": lengths.astype(int),
    }


def _alone(of, service=lambda first, step_, n: first + step_ * (n - 1)):
    """Return a model from functions of (rate, service times, first), and of the service."""
    return by_place(
        lambda rate, first, step_, n: float(of(rate, service(first, step_, np.array(n)), first))
    )


def _waiting(rate, s):
    return float(
        mg1(arrival_rate=rate, mean_service=s.mean(), scv=s.var() / s.mean() ** 2).waiting_time
    )


seat = number(
    "seat",
    "One slot",
    reference=_alone(lambda rate, s, first: _waiting(rate, s) + first),
    inputs=_one_seat,
    points=3,
    unit="s",
    tolerance=0.005,
    mistakes=mistakes(
        _alone(lambda rate, s, first: first),
        "first token without waiting: That is the time of the prompt's step. The slot can be taken "
        "when a request arrives.",
        _alone(lambda rate, s, first: _waiting(rate, s)),
        "waiting alone: That is the time until the prompt is started. The first token appears at "
        "the end of the prompt's step.",
        _alone(lambda rate, s, first: _waiting(rate, s) + s.mean()),
        "last token: That is the time until the answer is complete. The question asks for the "
        "first token.",
        _alone(lambda rate, s, first: rate * s.mean() ** 2 / 2 / (1 - rate * s.mean()) + first),
        "mean for the variance: You gave all answers the mean length. A request behind a long "
        "answer waits long, so the mean square counts.",
        _alone(lambda rate, s, first: rate * s.mean() ** 2 / (1 - rate * s.mean()) + first),
        "exponential times: You used the waiting time of M/M/1. Your answers have another "
        "distribution. Use Pollaczek and Khinchine.",
        _alone(lambda rate, s, first: rate * s.var() / 2 / (1 - rate * s.mean()) + first),
        "variance for the square: You used the variance instead of the mean square. The mean "
        "square also contains the square of the mean.",
        _alone(lambda rate, s, first: 2 * _waiting(rate, s) + first),
        "half forgotten: You let each arrival wait for all of the service that it finds. On "
        "average, half of it is over for equal services.",
        _alone(lambda rate, s, first: _waiting(rate, s) * (1 - rate * s.mean()) + first),
        "queue forgotten: You waited for the request in the slot only. The requests that came "
        "before also wait in front of you.",
        _alone(
            lambda rate, s, first: _waiting(rate, s) + first,
            lambda first, step_, n: first + step_ * n,
        ),
        "a step too many: Your answers take a step for each token, plus the prompt's. The prompt's "
        "step already gives the first token.",
        _alone(
            lambda rate, s, first: _waiting(rate, s) + first,
            lambda first, step_, n: step_ * n,
        ),
        "prefill counted as decoding: In your slot a prompt takes as long as any other step. It "
        "takes its own time.",
        _alone(lambda rate, s, first: s.mean() * rate * s.mean() + first),
        "share of a service: You waited for a mean answer, weighted by how often the slot is "
        "taken. Which answers does an arrival find, and who waits in front?",
    ),
)


def _for_all(rng):
    output, fixed = int(rng.integers(80, 500)), rng.uniform(8, 25) * 1e-3
    each, load = fixed * rng.uniform(0.08, 0.35), rng.uniform(0.35, 0.7)
    inside = load * (fixed / each + 1) / (1 - load)
    return {
        "rate": load / (each * output),
        "output": output,
        "scv": rng.uniform(0.15, 0.35),
        "fixed": fixed,
        "each": each,
        "seats": int(inside * rng.uniform(1, 1.5)),
    }


def _sharing(mean=None, beyond=None):
    """Return a model of the table from functions of (tokens/s asked, scv, fixed, each, seats)."""
    mean = mean or (lambda x, scv, f, a, seats: _inside(x, f, a).mean())
    beyond = beyond or (lambda x, scv, f, a, seats: _inside(x, f, a).sf(seats))

    def model(rate, output, scv, fixed, each, seats):
        given = rate * output, scv, fixed, each, seats
        return {"mean": float(mean(*given)), "beyond": float(beyond(*given))}

    return by_place(model)


def _inside(asked, fixed, each):
    """Return the law of how many are inside: here the product form is negative binomial."""
    return nbinom(fixed / each + 1, 1 - asked * each)


def _batch(asked, fixed, each):
    return processor_sharing_queue(
        asked, 1, fixed + each * np.arange(1, 3), slots=np.inf
    ).mean_batch


shared = array(
    "shared",
    "A slot for every request",
    reference=_sharing(mean=lambda x, scv, f, a, seats: _batch(x, f, a)),
    inputs=_for_all,
    points=4,
    tolerance=0.005,
    mistakes=mistakes(
        _sharing(mean=lambda x, scv, f, a, seats: x * f / (1 - x * a)),
        "no chance: Your mean ignores randomness. Requests that arrive together share the steps "
        "and stay longer.",
        _sharing(
            lambda x, scv, f, a, seats: _inside(x * (1 + scv), f, a).mean(),
            lambda x, scv, f, a, seats: _inside(x * (1 + scv), f, a).sf(seats),
        ),
        "variance counted: You used the variance of the answers. With a slot for every request, "
        "what does the number of requests depend on?",
        _sharing(
            lambda x, scv, f, a, seats: x * (f + a),
            lambda x, scv, f, a, seats: poisson(x * (f + a)).sf(seats),
        ),
        "step of one: Your steps are as long as with one sequence. They get longer with every "
        "further sequence.",
        _sharing(beyond=lambda x, scv, f, a, seats: poisson(_inside(x, f, a).mean()).sf(seats)),
        "Poisson: Your mean is right, but the number of requests isn't Poisson. Steps get longer "
        "when many requests are there, so more arrive meanwhile.",
        _sharing(
            beyond=lambda x, scv, f, a, seats: (1 + 1 / _inside(x, f, a).mean()) ** -(seats + 1)
        ),
        "M/M/1: Your mean is right, but you used the distribution of M/M/1. There, a step doesn't "
        "depend on the number of requests.",
        _sharing(beyond=lambda x, scv, f, a, seats: _inside(x, f, a).sf(seats - 1)),
        "one too many: You counted the moments with exactly as many requests as slots. The "
        "question asks for more than that.",
        _sharing(beyond=lambda x, scv, f, a, seats: _inside(x, f, a).sf(seats + 1)),
        "one too few: You left out the moments with one request more than slots.",
        _sharing(beyond=lambda x, scv, f, a, seats: _inside(x, f, a).cdf(seats)),
        "enough for too few: That is the fraction of time in which the slots are enough. The "
        "question asks for the rest.",
        _sharing(beyond=lambda x, scv, f, a, seats: _inside(x, f, a).pmf(seats)),
        "exactly full: That is the fraction of time with exactly this number. The question asks "
        "for more than that.",
        _sharing(
            lambda x, scv, f, a, seats: nbinom(f / a, 1 - x * a).mean(),
            lambda x, scv, f, a, seats: nbinom(f / a, 1 - x * a).sf(seats),
        ),
        "steps of one fewer: You used the steps of one sequence fewer. The product begins with a "
        "step of one sequence.",
        _sharing(mean=lambda x, scv, f, a, seats: _inside(x, f, a).mean() / x),
        "time for number: Your mean is the length of a step. Little's law turns the tokens per "
        "second into a number of requests.",
        _sharing(lambda x, scv, f, a, seats: _batch(x, f, a) * (1 + scv) / 2),
        "spread of a queue: You multiplied the mean by the factor of Pollaczek and Khinchine. It "
        "belongs to first come, first served. With a slot for every request, does the variance of "
        "the answers matter?",
    ),
)


def _two_servers(rng):
    load = {}
    for name, count, slow in (
        ("a", int(rng.integers(18, 27)), 1),
        ("b", int(rng.integers(6, 10)), rng.uniform(1.5, 2.5)),
    ):
        load[f"first_{name}"] = np.round(slow * rng.lognormal(-0.7, 0.6, count), 2)
        load[f"token_{name}"] = np.round(slow * rng.lognormal(3.3, 0.3, count))
    return {
        "first_a": load["first_a"],
        "first_b": load["first_b"],
        "token_a": load["token_a"].astype(int),
        "token_b": load["token_b"].astype(int),
        "first_limit": round(rng.uniform(0.6, 1.2), 1),
        "token_limit": int(rng.integers(28, 45)),
        "seconds": rng.uniform(3, 20),
    }


def _p90(first):
    return np.quantile(first, 0.9)


def _percentiles(p90=None, kept=None):
    """Return a model of the table from functions of the first tokens and of the requests in time.

    `p90` takes the two servers' times, `kept` two arrays of truth values (first token, further
    tokens) and the seconds.
    """
    p90 = p90 or (lambda a, b: _p90(np.append(a, b)))
    kept = kept or (lambda first, token, seconds: (first & token).sum() / seconds)

    def model(first_a, first_b, token_a, token_b, first_limit, token_limit, seconds):
        first = np.append(first_a, first_b) <= first_limit
        token = np.append(token_a, token_b) <= token_limit
        return {"p90": float(p90(first_a, first_b)), "goodput": float(kept(first, token, seconds))}

    return by_place(model)


goodput = array(
    "goodput",
    "Percentiles and goodput",
    reference=_percentiles(),
    inputs=_two_servers,
    points=3,
    tolerance=0.005,
    mistakes=mistakes(
        _percentiles(p90=lambda a, b: (_p90(a) + _p90(b)) / 2),
        "mean of the percentiles: You took the mean of the servers' percentiles. One server has "
        "far fewer requests. Put all requests together first.",
        _percentiles(p90=lambda a, b: (a.size * _p90(a) + b.size * _p90(b)) / (a.size + b.size)),
        "percentiles weighted: You weighted the servers' percentiles by their requests. A "
        "percentile of all isn't a mean of percentiles. Put all requests together first.",
        _percentiles(p90=lambda a, b: max(_p90(a), _p90(b))),
        "worse server: You took the percentile of the worse server. The question asks about all "
        "requests.",
        _percentiles(p90=lambda a, b: _p90(np.array([a.mean(), b.mean()]))),
        "percentile of means: You took the percentile of the servers' means. Requests wait, not "
        "servers. Put all requests together first.",
        _percentiles(p90=lambda a, b: np.append(a, b).mean()),
        "mean: Your percentile is the mean.",
        _percentiles(p90=lambda a, b: np.append(a, b).mean() + 1.2816 * np.append(a, b).std()),
        "bell curve: You used mean and standard deviation, as for a normal distribution. Sort the "
        "waiting times instead.",
        _percentiles(p90=lambda a, b: np.append(a, b).max()),
        "maximum: That is the longest of all times. At the 90th percentile, 10 % are longer.",
        _percentiles(kept=lambda f, t, s: (f & t).mean()),
        "share for rate: Your goodput is the fraction of requests that meet both limits. How many "
        "requests per second is this?",
        _percentiles(kept=lambda f, t, s: f.sum() / s),
        "first token only: Your goodput checks the first token only. Both limits count.",
        _percentiles(kept=lambda f, t, s: t.sum() / s),
        "further tokens only: Your goodput checks the further tokens only. Both limits count.",
        _percentiles(kept=lambda f, t, s: (f | t).sum() / s),
        "either limit: Your requests meet one limit or the other. They must meet both.",
        _percentiles(kept=lambda f, t, s: f.mean() * t.mean() * f.size / s),
        "shares multiplied: You multiplied the fractions that meet each limit. A request with a "
        "late first token often has other late tokens. Count requests.",
        _percentiles(kept=lambda f, t, s: f.size / s),
        "throughput: Your goodput includes requests that miss a limit. Count only the good ones.",
    ),
)


def _bill(rng):
    return {
        "hour": rng.uniform(1.5, 5),
        "gpus": int(rng.choice([2, 4, 6, 8])),
        "rate": rng.uniform(1, 8),
        "good": rng.uniform(0.75, 0.96),
        "prompt": int(rng.integers(200, 2000)),
        "output": int(rng.integers(150, 800)),
    }


def _million(of):
    """Return a model from a function of (cost of an hour, GPUs, rate, share, prompt, output)."""
    return by_place(lambda *given: float(of(*given)))


price = number(
    "price",
    "What a million tokens cost",
    reference=_million(lambda h, g, r, good, p, n: 1e6 * h * g / 3600 / (r * good * n)),
    inputs=_bill,
    points=2,
    unit="euros",
    mistakes=mistakes(
        _million(lambda h, g, r, good, p, n: 1e6 * h * g / 3600 / (r * n)),
        "late answers counted: You counted the tokens of all answers. Only those of good requests "
        "count.",
        _million(lambda h, g, r, good, p, n: 1e6 * h * g / 3600 * good / (r * n)),
        "share upside down: With your formula a token gets cheaper if more answers are late. It "
        "must get more expensive.",
        _million(lambda h, g, r, good, p, n: 1e6 * h / 3600 / (r * good * n)),
        "one GPU: You paid for one GPU. The server has several.",
        _million(lambda h, g, r, good, p, n: 1e6 * h / g / 3600 / (r * good * n)),
        "GPUs share the bill: You divided the cost by the number of GPUs. Each of them must be "
        "paid.",
        _million(lambda h, g, r, good, p, n: 1e6 * h * g / 3600 / (r * good * (p + n))),
        "prompts sold: You counted the prompts' tokens, too. Which tokens does the question ask "
        "about?",
        _million(lambda h, g, r, good, p, n: 1e6 * h * g / 3600 / (r * good * p)),
        "prompts for answers: You counted the prompts' tokens instead of the answers'.",
        _million(lambda h, g, r, good, p, n: 1e6 * h * g / 3600 / (r * good)),
        "requests for tokens: That is the cost of a million requests. How many tokens has one "
        "answer?",
        _million(lambda h, g, r, good, p, n: 1e6 * h * g / 60 / (r * good * n)),
        "minutes for seconds: Your hour has 60 seconds. How many has a real one?",
        _million(lambda h, g, r, good, p, n: 1e6 * h * g / (r * good * n)),
        "hours for seconds: You divided the price of an hour by the tokens of a second. Use the "
        "same time for both.",
        _million(
            lambda h, g, r, good, p, n: 1e6 * h * g / 3600 / (r * good * n + r * good * p) * 2
        ),
        "mean of prompt and answer: You used the mean of prompt and answer. Which tokens does the "
        "question ask about?",
    ),
)

# Level 4: paying less for an answer


def _leaving(rng):
    layers = int(rng.choice([24, 32, 40, 48]))
    return {
        "layers": layers,
        "exits": np.minimum(rng.integers(int(0.3 * layers), int(1.25 * layers), 12), layers),
        "draft": rng.uniform(0.5, 2.5),
        "check": rng.uniform(0.08, 0.25),
    }


def _exit(of):
    """Return a model from a function of (layers, exits, draft, check)."""
    return by_place(lambda n, x, d, c: float(of(n, np.asarray(x, dtype=float), d, c)))


exits = number(
    "exits",
    "Exit early",
    reference=_exit(lambda n, x, d, c: ideal_exit_speedup(n, x.mean(), d + c * x.mean())),
    inputs=_leaving,
    points=3,
    tolerance=0.001,
    mistakes=mistakes(
        _exit(lambda n, x, d, c: n / x.mean()),
        "overhead forgotten: You counted the layers only. Drafts and checks take time, too.",
        _exit(lambda n, x, d, c: n / (x.mean() + d)),
        "checks forgotten: You left out the checks. There is one after each layer that runs.",
        _exit(lambda n, x, d, c: n / (x.mean() * (1 + c))),
        "draft forgotten: You left out the draft. Each token begins with one.",
        _exit(lambda n, x, d, c: n / (x.mean() + d + c)),
        "one check: You checked once for each token. The check comes after each layer that runs.",
        _exit(lambda n, x, d, c: n / (x.mean() + d + c * n)),
        "checks of all layers: You checked after every layer of the model. A token that has exited "
        "makes no more checks.",
        _exit(lambda n, x, d, c: n / (x.mean() * (1 + c + d))),
        "draft for each layer: You paid for a draft at every layer. There is one draft for each "
        "token.",
        _exit(lambda n, x, d, c: (n / (x * (1 + c) + d)).mean()),
        "mean of speedups: You took the mean of the tokens' speedups. Tokens run one after the "
        "other. Which mean adds up to the time?",
        _exit(lambda n, x, d, c: n / (n - x.mean() * (1 + c) - d)),
        "layers skipped: You divided by the skipped layers. Which layers still run?",
        _exit(lambda n, x, d, c: 1 - (x.mean() * (1 + c) + d) / n),
        "share saved: That is the fraction of the time that is saved. How many times as fast is "
        "this?",
        _exit(lambda n, x, d, c: n / (np.median(x) * (1 + c) + d)),
        "median: You used the median token. Time adds up over all tokens.",
        _exit(lambda n, x, d, c: n * (1 + c) / (x.mean() * (1 + c) + d)),
        "checks before, too: You let the model without exits make checks as well. It makes none.",
        _exit(lambda n, x, d, c: n / (x.max() * (1 + c) + d)),
        "last one: You used the token that exits last for all tokens. Add up the time of each.",
    ),
)


def _counted(rng):
    counts = rng.integers(0, 12, int(rng.integers(4, 9)))
    counts[[0, -1]] = rng.integers(1, 12, 2)
    return {"counts": counts, "batch": int(rng.integers(2, 9))}


def _layers_run(counts, batch):
    return float(latest_exit(counts, batch))


def _gone(counts):
    """Return the share of tokens that have left before each layer."""
    return (np.cumsum(counts) - counts) / np.sum(counts)


together = function(
    "together",
    "Build the last exit of a batch",
    answer="layers_run",
    reference=_layers_run,
    inputs=_counted,
    points=5,
    builds="perfmodel.serving.latest_exit",
    mistakes=mistakes(
        lambda c, b: latest_exit(c, 1),
        "mean exit: That is the mean of one token. A step runs until the last of its tokens has "
        "exited.",
        lambda c, b: float(c.size),
        "all layers: You ran all layers. With few tokens, all of them can have exited before the "
        "last layer.",
        lambda c, b: ((1 - _gone(c)) ** b).sum(),
        "first to leave: Your step ends when the first token exits. It ends with the last one.",
        lambda c, b: (_gone(c) ** b).sum(),
        "layers skipped: You counted the layers that no token needs. Which layers run?",
        lambda c, b: (1 - (_gone(c) + c / c.sum()) ** b).sum(),
        "one layer short: Your tokens exit one layer too early. A token runs the layer after which "
        "it exits.",
        lambda c, b: latest_exit(c, b + 1),
        "a token too many: You had one token too many in the step.",
        lambda c, b: latest_exit(c, b - 1),
        "a token too few: You had one token too few in the step.",
        lambda c, b: np.minimum(b * (1 - _gone(c)), 1).sum(),
        "chances added: You added up the probabilities that each token still runs. Several tokens "
        "can still run at the same time.",
        lambda c, b: 1 + np.flatnonzero(c).mean(),
        "exits alike: You made all exits equally likely. Use the counts.",
        lambda c, b: b * latest_exit(c, 1),
        "layers of all: You added up the layers of all tokens. A step runs each layer once for "
        "all.",
        lambda c, b: 1 + float(np.argmax(c)),
        "most frequent: You took the most frequent exit. A step runs until the last of its tokens "
        "has exited.",
    ),
    properties=[
        limit("one token", (np.array([1, 0, 3]), 1), 0.5, "One token runs its mean."),
        monotone(
            "more tokens, more layers",
            1,
            [1, 2, 4, 8],
            (np.array([3, 2, 1, 1]), 1),
            0.5,
            "More tokens must run more layers.",
        ),
        refuses((np.array([1, 0, 3]), 0), 0.5, "A step without tokens should raise a ValueError."),
    ],
)


def _guess(rng):
    return {"chance": rng.uniform(0.2, 0.95), "drafts": int(rng.integers(1, 9))}


def _round_tokens(chance, drafts):
    tokens = tokens_per_round(chance, drafts)
    return tokens if tokens.ndim else float(tokens)


def _sum(a, n):
    """Return 1 + a + ... + a^n."""
    return (a ** np.arange(n + 1)).sum()


guesses = function(
    "guesses",
    "Build the tokens of a speculative step",
    answer="tokens_per_step",
    reference=_round_tokens,
    inputs=_guess,
    points=5,
    builds="perfmodel.serving.tokens_per_round",
    mistakes=mistakes(
        lambda a, n: _sum(a, n) - 1,
        "free token forgotten: You counted only the drafts that are right. The step of the large "
        "model adds a token of its own.",
        lambda a, n: _sum(a, n - 1),
        "a power too low: Your highest power of the probability is one too low. How many tokens "
        "come out if all drafts are right?",
        lambda a, n: _sum(a, n + 1),
        "a power too high: Your highest power of the probability is one too high. How many tokens "
        "come out if all drafts are right?",
        lambda a, n: 1 + a * n,
        "wrong guesses passed over: You kept every draft that is right. Drafts after a wrong one "
        "are lost.",
        lambda a, n: 1 + n * a**n,
        "all or nothing: You kept the drafts only if all are right. The drafts before the first "
        "wrong one are kept, too.",
        lambda a, n: 1 / (1 - a),
        "guesses without end: You let the small model draft until a draft is wrong. It stops after "
        "a given number.",
        lambda a, n: n + 1,
        "all right: You treated all drafts as right. Each is right with a probability.",
        lambda a, n: _sum(1 - a, n),
        "wrong for right: You used the probability of a wrong draft. The given one is for a right "
        "draft.",
        lambda a, n: 1 - a ** (n + 1),
        "not divided: You have the numerator only. Add up two or three terms by hand and compare.",
        lambda a, n: min(1 / (1 - a), n + 1),
        "mean cut off: You cut off the mean at the longest run. The mean of the cut-off runs is "
        "smaller.",
        lambda a, n: 1 + a**n,
        "last guess only: You asked whether the last draft is kept. How many drafts are kept on "
        "average?",
        lambda a, n: (n + 1) * _sum(a, n),
        "guesses counted twice: You multiplied the tokens by the number of drafts. They are "
        "counted already.",
    ),
    properties=[
        limit(
            "never right",
            (0.0, 5),
            0.5,
            "Try a probability of 0: if no draft is right, only the large model's token comes out.",
        ),
        limit(
            "always right",
            (1.0, 5),
            0.5,
            "Try a probability of 1: if all drafts are right, all "
            "of them and one more token come out.",
        ),
        vectorised((np.array([0.0, 0.5, 0.9]), 3), 0.5),
        refuses((1.2, 3), 0.5, "A probability of 1.2 should raise a ValueError."),
    ],
)

PAYS = ("pays", "doesn't pay")


def _speculation(rng):
    drafts, ridge_ = int(rng.integers(3, 7)), int(rng.integers(100, 400))
    return {
        "chance": rng.uniform(0.6, 0.9),
        "drafts": drafts,
        "cost": rng.uniform(0.06, 0.2),
        "batch": int(ridge_ * np.exp(rng.uniform(np.log(1.1 / (drafts + 1)), np.log(0.95)))),
        "ridge": ridge_,
    }


def _speedup(tokens=None, time=None):
    """Return a model of the choice from functions of (chance, drafts) and (drafts, cost, load)."""
    tokens = tokens or _sum
    time = time or (lambda n, cost, load: n * cost + max(1, load * (n + 1)))

    def model(chance, drafts, cost, batch, ridge_):
        ratio = tokens(chance, drafts) / time(drafts, cost, batch / ridge_)
        return PAYS[int(ratio <= 1)], float(ratio)

    return by_place(model)


def _true_speedup(chance, drafts, cost, batch, ridge):
    verify = verification_cost(batch, drafts, ridge)
    ratio = float(speculation_speedup(chance, drafts, cost, verify))
    return PAYS[int(ratio <= 1)], ratio


pays = choice(
    "pays",
    "Does drafting pay on a busy server?",
    choices=PAYS,
    reference=_true_speedup,
    inputs=_speculation,
    points=3,
    tolerance=0.005,
    mistakes=mistakes(
        _speedup(time=lambda n, cost, load: n * cost + 1),
        "checking for nothing: You checked all drafts in the time of an ordinary step. How many "
        "tokens, from all sequences, pass through the model? Compare with the ridge.",
        _speedup(time=lambda n, cost, load: n * cost + n + 1),
        "checking one by one: You gave each checked token a step of its own. Up to the ridge, "
        "several tokens take no longer than one.",
        _speedup(time=lambda n, cost, load: n * cost + max(1, load * n)),
        "own token not computed: You computed the drafts and left out the token that the large "
        "model adds. It passes through the model, too.",
        _speedup(time=lambda n, cost, load: n * cost + 1 + load * (n + 1)),
        "sum for the longer one: You added computing and reading. They happen at the same time.",
        _speedup(time=lambda n, cost, load: max(1, load * (n + 1))),
        "drafts for nothing: You left out the time of the small model. Its drafts come before the "
        "step.",
        _speedup(time=lambda n, cost, load: cost + max(1, load * (n + 1))),
        "one draft: You let the small model take one step. It drafts one token after the other.",
        _speedup(time=lambda n, cost, load: (n + 1) * cost + max(1, load * (n + 1))),
        "a draft too many: You let the small model draft one token too many. How many drafts does "
        "a step check?",
        _speedup(lambda a, n: _sum(a, n) - 1),
        "free token forgotten: You counted only the drafts that are right. The large model adds a "
        "token.",
        _speedup(lambda a, n: _sum(a, n - 1)),
        "a power too low: Your highest power of the probability is one too low. How many tokens "
        "come out if all drafts are right?",
        _speedup(lambda a, n: 1 + a * n),
        "wrong guesses passed over: You kept every draft that is right. Drafts after a wrong one "
        "are lost.",
        _speedup(lambda a, n: 1 / (1 - a)),
        "guesses without end: You let the small model draft until a draft is wrong. It stops after "
        "a given number.",
        _speedup(lambda a, n: n + 1),
        "all right: You treated all drafts as right. Each is right with a probability.",
    ),
)


def _prepared(rng):
    fresh, times, weight = rng.uniform(2e3, 2e4), rng.uniform(2.2, 8), rng.uniform(3, 15)
    from_ = rng.uniform(1.5, 12)
    return {
        "ahead": from_ * weight * fresh * (1 - 1 / times),
        "fresh": fresh,
        "times": times,
        "weight": weight,
        "questions": int(rng.integers(2, 60)),
    }


def _ahead(from_=None, saving=None):
    """Return a model of the table from functions of (ahead, fresh, times, weight, questions)."""
    from_ = from_ or (lambda a, d, g, q, n: a / (q * d * (1 - 1 / g)))
    saving = saving or (lambda a, d, g, q, n: q * d / (a / n + q * d / g))
    return by_place(lambda *given: {"from": float(from_(*given)), "saving": float(saving(*given))})


def _plan(ahead, fresh, times, weight, questions):
    plan = Precomputation(ahead, fresh, times, weight)
    return {"from": plan.break_even, "saving": float(plan.saving(questions))}


worked_ahead = array(
    "worked_ahead",
    "Work ahead",
    reference=_plan,
    inputs=_prepared,
    points=3,
    mistakes=mistakes(
        _ahead(
            lambda a, d, g, q, n: a / (d * (1 - 1 / g)), lambda a, d, g, q, n: d / (a / n + d / g)
        ),
        "price forgotten: All your tokens cost the same. A token that a user waits for costs more.",
        _ahead(from_=lambda a, d, g, q, n: a / (d * (1 - 1 / g))),
        "break-even without the price: Your number of questions compares tokens. Compare what the "
        "tokens cost.",
        _ahead(
            lambda a, d, g, q, n: q * a / (d * (1 - 1 / g)),
            lambda a, d, g, q, n: d / (q * a / n + d / g),
        ),
        "price upside down: You made the tokens ahead the more expensive ones. Which tokens does a "
        "user wait for?",
        _ahead(from_=lambda a, d, g, q, n: a / (q * d)),
        "answers for nothing: Your prepared answers take no tokens. They take fewer tokens.",
        _ahead(from_=lambda a, d, g, q, n: a * g / (q * d)),
        "what remains for what is saved: You divided by the tokens that an answer still takes. "
        "What does each question save?",
        _ahead(from_=lambda a, d, g, q, n: a / (q * d * (g - 1))),
        "times for share: You multiplied the tokens where the statement divides. With preparation, "
        "a question takes its tokens divided by that number.",
        _ahead(saving=lambda a, d, g, q, n: (a / n + q * d / g) / (q * d)),
        "saving upside down: Your saving is below one where working ahead pays. Divide the cost "
        "without it by the cost with it.",
        _ahead(saving=lambda a, d, g, q, n: g),
        "work ahead forgotten: Your saving counts only the tokens that a user waits for. The work "
        "ahead costs something, too.",
        _ahead(saving=lambda a, d, g, q, n: q * d / (a + q * d / g)),
        "work ahead for each question: Each of your questions pays for all of the work ahead. They "
        "share it.",
        _ahead(saving=lambda a, d, g, q, n: 1 - (a / n + q * d / g) / (q * d)),
        "share saved: Your saving is a fraction of the cost. How many times as much does a "
        "question cost without it?",
        _ahead(saving=lambda a, d, g, q, n: n * q * d * (1 - 1 / g) / a),
        "saved over spent: You divided the saved cost by the cost ahead. Compare all costs without "
        "and with working ahead.",
        _ahead(saving=lambda a, d, g, q, n: q * d / (a * n + q * d / g)),
        "multiplied by questions: With your formula, more questions make each question more "
        "expensive. They share the work ahead.",
    ),
)

MODELS = ("small", "large")


def _two_models(rng):
    small, tokens = rng.uniform(1, 4), int(rng.integers(1000, 4000))
    large, batch = small * rng.uniform(3, 8), int(rng.choice([2, 3, 4, 6]))
    half = rng.uniform(2000, 20000)
    small_kv = 2e9 * small / batch / half
    large_kv = small_kv * rng.uniform(1.2, 3)
    alike = 2e9 * large / batch * tokens + large_kv * tokens**2 / 2
    fixed = 2e9 * small / batch
    longer = (np.sqrt(fixed**2 + 2 * small_kv * alike) - fixed) / small_kv
    return {
        "small": small,
        "large": large,
        "small_kv": small_kv,
        "large_kv": large_kv,
        "small_tokens": int(longer * np.exp(rng.choice([-1, 1]) * rng.uniform(0.05, 0.4))),
        "large_tokens": tokens,
        "batch": batch,
    }


def _thinking(read, names=MODELS):
    """Return a model of the choice from a function of (parameters, bytes of a token, n, b)."""

    def model(small, large, small_kv, large_kv, small_n, large_n, batch):
        one = read(1e9 * small, small_kv, small_n, batch)
        other = read(1e9 * large, large_kv, large_n, batch)
        return names[int(other < one)], float(one / other)

    return by_place(model)


think = choice(
    "think",
    "A larger model, or a longer thought?",
    choices=MODELS,
    reference=_thinking(lambda p, kv, n, b: n * 2 * p / b + kv * n**2 / 2),
    inputs=_two_models,
    points=3,
    mistakes=mistakes(
        _thinking(lambda p, kv, n, b: n * 2 * p / b),
        "caches forgotten: You counted the reading of weights only. Each token also reads the "
        "whole answer so far, so a long answer reads a lot.",
        _thinking(lambda p, kv, n, b: n * 2 * p / b + kv * n**2),
        "a factor of two: One of your two terms, weights or caches, is twice the right size "
        "compared with the other. A weight has two bytes. A token reads only the answer so far.",
        _thinking(lambda p, kv, n, b: n * 2 * p + kv * n**2 / 2),
        "all shared or nothing: Your sequences share both weights and caches, or neither. Which of "
        "the two is common to the whole batch?",
        _thinking(lambda p, kv, n, b: kv * n**2 / 2),
        "weights forgotten: You counted the caches only, or the weights once for the whole answer. "
        "Each step reads the weights.",
        _thinking(lambda p, kv, n, b: n),
        "tokens counted: You compared tokens. A token of the large model reads more bytes.",
        _thinking(lambda p, kv, n, b: p),
        "parameters counted: You compared weights. How many tokens does each model generate?",
        _thinking(lambda p, kv, n, b: 2 * p / b + kv * n / 2),
        "one token: You compared one token of each model. How many tokens does an answer have?",
        _thinking(lambda p, kv, n, b: n * 2 * p / b + kv * n**2 / 2, MODELS[::-1]),
        "wrong one named: Your ratio is right. Which model does it say reads fewer bytes?",
    ),
)


def _own_example(rng):
    batch = np.array([1, 2, 4, 8, 16, 32])[: int(rng.integers(5, 7))]
    each = 10 ** rng.uniform(-4, -2.5)
    line = each * (rng.uniform(2, 30) + batch)
    return {"batch": batch, "seconds": line * rng.uniform(0.9, 1.1, batch.size)}


def _implausible(batch, seconds):
    if not (seconds > 0).all():
        return "Every time must be above 0."
    if not (batch >= 1).all() or (batch % 1).any():
        return "Batch sizes must be whole and at least 1."
    if np.unique(batch).size < 5 or batch.max() < 8 * batch.min():
        return "Measure five batches or more, the largest at least eight times the smallest."
    slope, fixed = np.polyfit(batch, seconds, 1)
    if slope <= 0:
        return "Your larger batches took no longer. Use larger ones, or measure again."
    if fixed <= 0:
        return "Your line has no fixed part. Use smaller batches or larger matrices."
    return ""


def _line(of):
    """Return a model from a function of (batch, seconds, slope, fixed part)."""
    return by_place(
        lambda b, t: float(of(np.asarray(b, float), np.asarray(t), *np.polyfit(b, t, 1)))
    )


own_steps = measured(
    "own_steps",
    "The step of your machine",
    columns=("batch", "seconds"),
    reference=_line(lambda b, t, slope, fixed: fixed / slope),
    example=_own_example,
    least=5,
    plausible=_implausible,
    points=3,
    unit="sequences",
    tolerance=0.005,
    mistakes=mistakes(
        _line(lambda b, t, slope, fixed: slope / fixed),
        "upside down: You divided the slope by the fixed part. Divide the fixed part by the slope.",
        _line(lambda b, t, slope, fixed: fixed),
        "fixed part: That is the fixed part of a step in seconds. How many sequences cost as much?",
        _line(lambda b, t, slope, fixed: slope),
        "slope: That is the time that one sequence adds, in seconds. How many of them cost as much "
        "as the fixed part?",
        _line(lambda b, t, slope, fixed: t[np.argmin(b)] / slope),
        "smallest batch for the fixed part: You used the time of the smallest batch as the fixed "
        "part. Its sequences take time, too. Extend the line to 0.",
        _line(lambda b, t, slope, fixed: (t[np.argmin(b)] - fixed) / slope),
        "less than the smallest batch: You subtracted the fixed part from the time of the smallest "
        "batch. Divide the fixed part by the slope.",
        _line(lambda b, t, slope, fixed: fixed / (b @ t / (b @ b))),
        "slope through the origin: Your line goes through the origin. A step without sequences "
        "still reads the weights.",
        _line(lambda b, t, slope, fixed: _of_ends(b, t)),
        "two points: You drew the line through two points. Fit it to all points.",
        _line(lambda b, t, slope, fixed: -np.polyfit(t, b, 1)[1]),
        "axes exchanged: You fitted the batch to the time. You set the batch, and the errors are "
        "in the time. Exchange the axes.",
        _line(lambda b, t, slope, fixed: (2 * t.min() - fixed) / slope),
        "twice the shortest: That is the batch whose step takes twice the shortest measured time. "
        "Use the line's value at 0 instead.",
        _line(lambda b, t, slope, fixed: np.polyfit(np.log(b), np.log(t), 1)[0]),
        "slope in logarithms: That is a slope in logarithms. Fit the line to the times themselves.",
        _line(lambda b, t, slope, fixed: t.mean() / slope),
        "mean for the fixed part: You used the mean time as the fixed part. The fixed part is the "
        "line's value at 0.",
    ),
)


def _of_ends(b, t):
    low, high = np.argmin(b), np.argmax(b)
    slope = (t[high] - t[low]) / (b[high] - b[low])
    return t[low] / slope - b[low]


def _two_pools(rng):
    fixed = rng.uniform(0.015, 0.035)
    return {
        "servers": int(rng.integers(6, 41)),
        "fixed": fixed,
        "prompt": fixed * rng.uniform(1, 6),
        "answer": fixed * rng.uniform(0.8, 4),
        "gap": fixed * rng.uniform(1.3, 3),
        "busy": rng.uniform(0.6, 0.9),
    }


def _pooled(one=None, prefill=None, decode=None, two=None):
    """Return a model of the table from functions of (N, F, prompt, answer, limit, busy).

    `two` takes N and the rates of a prefill and of a decode server.
    """
    one = one or (lambda n, f, p, a, t, u: n * (1 - f / t) / (p + a))
    prefill = prefill or (lambda n, f, p, a, t, u: u / (p + f))
    decode = decode or (lambda n, f, p, a, t, u: (1 - f / t) / a)
    two = two or (lambda n, x, y: n * x * y / (x + y))

    def model(*given):
        n = given[0]
        return {
            "one": float(one(*given)),
            "two": float(two(n, prefill(*given), decode(*given))),
        }

    return by_place(model)


pools = array(
    "pools",
    "One pool or two?",
    reference=_pooled(),
    inputs=_two_pools,
    points=4,
    tolerance=0.005,
    mistakes=mistakes(
        _pooled(one=lambda n, f, p, a, t, u: n / (p + a)),
        "no fixed part: Your single pool pays no fixed part. Each iteration pays it, and they are "
        "as long as the limit allows.",
        _pooled(one=lambda n, f, p, a, t, u: n / (f + p + a)),
        "fixed part for each request: Your single pool pays the fixed part once for each request. "
        "Each iteration pays it: which fraction of the time is left?",
        _pooled(one=lambda n, f, p, a, t, u: n * u * (1 - f / t) / (p + a)),
        "busy in one pool: You kept the single pool idle for a part of the time. Only prefill "
        "servers have such a limit here.",
        _pooled(prefill=lambda n, f, p, a, t, u: u / p),
        "prefill without the fixed part: Your prefill servers pay no fixed part. Each prompt is "
        "an iteration of its own.",
        _pooled(prefill=lambda n, f, p, a, t, u: 1 / (p + f)),
        "prefill always busy: Your prefill servers are busy all of the time. They may be busy for "
        "a fraction of it.",
        _pooled(prefill=lambda n, f, p, a, t, u: u * (1 - f / t) / p),
        "prefill under the limit: Your prefill servers meet the limit on the gap. They generate "
        "no further tokens: an iteration is a prompt and the fixed part.",
        _pooled(decode=lambda n, f, p, a, t, u: 1 / a),
        "decode without the fixed part: Your decode servers pay no fixed part. Each iteration "
        "pays it, and they are as long as the limit allows.",
        _pooled(decode=lambda n, f, p, a, t, u: 1 / (a + f)),
        "one iteration an answer: Your decode servers pay the fixed part once for each answer. "
        "Each iteration pays it: which fraction of the time is left?",
        _pooled(two=lambda n, x, y: n / 2 * min(x, y)),
        "half of the servers: You gave each pool half of the servers. Choose the numbers so that "
        "both pools serve the same rate.",
        _pooled(two=lambda n, x, y: n * (x + y)),
        "rates added: You added the rates of both pools. Every request needs both, one after the "
        "other.",
        _pooled(two=lambda n, x, y: n * min(x, y)),
        "all servers in both: You gave all servers to each pool. They share the servers.",
        _pooled(two=lambda n, x, y: n * y / (x + y)),
        "servers for a rate: Your second value is the number of prefill servers. Which rate do "
        "they serve?",
    ),
)


def _sending(rng):
    step = rng.uniform(0.02, 0.05)
    prompt, kv_bytes = int(rng.integers(800, 6000)), rng.uniform(1e5, 1e6)
    return {
        "prompt": prompt,
        "kv_bytes": kv_bytes,
        "link": prompt * kv_bytes / (step * rng.uniform(2, 8)),
        "step": step,
        "output": int(rng.integers(6, 25)),
    }


def _gaps(largest=None, mean=None):
    """Return a model of the table from functions of (seconds of sending, step, tokens)."""
    largest = largest or (lambda x, s, n: x + s)
    mean = mean or (lambda x, s, n: s + x / (n - 1))

    def model(prompt, kv_bytes, link, step, output):
        given = prompt * kv_bytes / link, step, output
        return {"largest": float(largest(*given)), "mean": float(mean(*given))}

    return by_place(model)


sent = array(
    "sent",
    "What sending the cache costs",
    reference=_gaps(),
    inputs=_sending,
    points=3,
    tolerance=0.001,
    mistakes=mistakes(
        _gaps(largest=lambda x, s, n: x),
        "step forgotten: Your largest gap is the sending alone. The second token also takes a "
        "step.",
        _gaps(largest=lambda x, s, n: s),
        "sending forgotten: Your largest gap leaves out the sending. It comes between the first "
        "and the second token.",
        _gaps(mean=lambda x, s, n: s),
        "sending hidden: Your mean gap leaves out the sending. It is part of one of the gaps.",
        _gaps(mean=lambda x, s, n: s + x),
        "sent for each token: You sent the cache before every token. It is sent once.",
        _gaps(mean=lambda x, s, n: s + x / n),
        "a gap too many: You divided by the tokens. How many gaps are between them?",
        _gaps(mean=lambda x, s, n: (s * n + x) / (n - 1)),
        "first token among the gaps: You counted a step for the first token. It comes before the "
        "first gap.",
        _gaps(lambda x, s, n: 8 * x + s, lambda x, s, n: s + 8 * x / (n - 1)),
        "bytes for bits: You counted the link in bits. It carries bytes.",
        _gaps(lambda x, s, n: 2 * x + s, lambda x, s, n: s + 2 * x / (n - 1)),
        "there and back: You sent the cache there and back. It goes one way.",
    ),
)


bank = Bank(
    "serving",
    "A queue whose jobs grow",
    [
        room,
        wall,
        graph,
        ridge,
        steps,
        clock,
        held,
        reserved,
        evicted,
        refilled,
        stall,
        steady,
        limits,
        seat,
        shared,
        goodput,
        price,
        exits,
        together,
        guesses,
        pays,
        worked_ahead,
        think,
        pools,
        sent,
        own_steps,
    ],
    accepted=[
        Accepted(
            id,
            "the right answer",
            name,
            "This mistake is the right number with the wrong word: the word tells them apart.",
        )
        for id, name in (
            ("wall", "shorter one"),
            ("evicted", "wrong side of the tie"),
            ("think", "wrong one named"),
        )
    ],
)
