"""Question bank of the topic serving: steps, caches, capacity, waiting, and work saved.

Twenty-four questions in four levels. Sizes are in bytes, rates in bytes/s or FLOP/s, times in
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
        "GB for GiB: You took the memory for GB of a thousand million bytes. How many bytes has a "
        "GiB?",
        _fitting(weights=lambda p: 2 * p * GIB),
        "weights in GiB: You counted the weights in GiB. Two bytes times so many thousand million "
        "aren't GiB.",
        _fitting(lambda n, heads, kv, d: 4 * kv * d),
        "layers forgotten: You kept the keys and values of one layer. Every layer has its own.",
        _fitting(lambda n, heads, kv, d: 4 * n * d),
        "heads forgotten: You kept keys and values of a single head.",
        _fitting(lambda n, heads, kv, d: 4 * n * heads * d),
        "all heads: You gave every head of the queries keys and values of its own. Here several "
        "share them.",
        _fitting(lambda n, heads, kv, d: 2 * n * kv * d),
        "half of the bytes: You took half of the bytes of a token. It has keys and values, and "
        "each of their numbers has 16 bits.",
        _fitting(lambda n, heads, kv, d: 8 * n * kv * d),
        "twice the bytes: You took twice the bytes of a token: numbers of 32 bits, or both keys "
        "and values counted twice.",
        _fitting(weights=lambda p: 0),
        "weights forgotten: You gave all memory to the caches. The weights lie in it as well.",
        _fitting(weights=lambda p: 1e9 * p),
        "one byte a weight: You gave a weight one byte. How many has a number of 16 bits?",
        _fitting(tokens=lambda k: 1),
        "tokens for sequences: That is for how many tokens there is room. A sequence holds many.",
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
        "weights for each sequence: You read the weights once for each sequence. That is what a "
        "batch is there to avoid.",
        _walls(read=lambda p, new, b, k, token: 2 * p),
        "caches forgotten: You read the weights only. What does each sequence read besides?",
        _walls(read=lambda p, new, b, k, token: 2 * p + token * k),
        "one cache for all: You read the cache of one sequence. Which part of the bytes does a "
        "batch share, and which not?",
        _walls(read=lambda p, new, b, k, token: token * k * b),
        "weights forgotten: You read the caches only.",
        _walls(read=lambda p, new, b, k, token: p + token * k * b),
        "one byte a weight: You gave a weight one byte. How many has a number of 16 bits?",
        _walls(read=lambda p, new, b, k, token: 2 * p * (1 + new) + token * k * b),
        "prefill counted as decoding: You read the weights again for each token of the prompt. "
        "They all go through together.",
        _walls(flop=lambda p, new, b, k, token: p * (new + b)),
        "one operation a weight: A weight is multiplied, and the product is added.",
        _walls(flop=lambda p, new, b, k, token: 2 * p * b),
        "prompt forgotten: You computed the tokens that are put out. The prompt's tokens pass all "
        "weights, too.",
        _walls(flop=lambda p, new, b, k, token: 2 * p * new),
        "sequences forgotten: You computed the prompt alone.",
        _walls(flop=lambda p, new, b, k, token: 2 * p * (new + b * k)),
        "context computed again: You let all earlier tokens pass the weights again. What is the "
        "cache for?",
        _walls(names=WALLS[::-1]),
        "shorter one: Your ratio is right. Which of the two does the step wait for?",
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
        "arithmetic of the steps only: Your share of the arithmetic is that during steps. The "
        "pauses belong to the time as well.",
        _graphs(used=lambda p, b, s, t, pause, r: t / (t + pause)),
        "time for arithmetic: You take a GPU that runs something for one that computes all it can.",
        _graphs(used=lambda p, b, s, t, pause, r: p * b / (r * (t + pause))),
        "one operation a weight: A weight is multiplied, and the product is added.",
        _graphs(used=lambda p, b, s, t, pause, r: 2 * p / (r * (t + pause))),
        "one token: You counted the operations of one token. A step gives one to each sequence.",
        _graphs(used=lambda p, b, s, t, pause, r: 2 * p * s / (r * (t + pause))),
        "all seats: You let empty seats compute.",
        _graphs(used=lambda p, b, s, t, pause, r: b / s),
        "seats for arithmetic: Your share of the arithmetic is that of the seats taken. A full "
        "batch may still leave most of the arithmetic idle.",
        _graphs(busy=lambda p, b, s, t, pause, r: b / s),
        "seats for time: You give the share of seats that are taken for the share of time in which "
        "the GPU works.",
        _graphs(busy=lambda p, b, s, t, pause, r: pause / (t + pause)),
        "idle for busy: Your share of time is that of the pauses.",
        _graphs(busy=lambda p, b, s, t, pause, r: 1 - pause / t),
        "pause over step: You took the pause as a share of the step. Of which time is it a part?",
        _graphs(
            lambda p, b, s, t, pause, r: 2 * p * b / (r * (t + pause)),
            lambda p, b, s, t, pause, r: t / (t + pause),
        ),
        "names exchanged: Your two shares have each other's names.",
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
        "caches forgotten: That is the ridge of weights alone. Each further sequence also brings "
        "something to read.",
        _crosses(lambda w, a, c, bytes: (w + c) / a),
        "one cache for all: You read one cache, however many sequences there are.",
        _crosses(lambda w, a, c, bytes: w / (a + c)),
        "cache beside the arithmetic: You added the cache to the arithmetic. Which of the two "
        "times does it make longer?",
        _crosses(lambda w, a, c, bytes: w / (a / 2 - c)),
        "one operation a weight: A weight is multiplied, and the product is added.",
        _crosses(lambda w, a, c, bytes: w / bytes / (a - c)),
        "bytes of a weight forgotten: Your answer doesn't depend on how many bits a weight has.",
        _crosses(lambda w, a, c, bytes: 8 * w / (a - c)),
        "bits for bytes: You read a weight's bits as bytes.",
        _crosses(lambda w, a, c, bytes: 2 * w / bytes / (a - c)),
        "two bytes in any case: You gave the weights 16 bits. Yours have another size.",
        _crosses(lambda w, a, c, bytes: w / c),
        "caches against weights: That is where the caches take as long to read as the weights. "
        "Where is the arithmetic?",
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
        "sum for the longer one: You added the two times. Computing and reading overlap.",
        _steps(whole_step=min),
        "shorter one: You took the time that is over first.",
        _steps(whole_step=lambda times: sum(times) / 2),
        "mean of both: You took the mean of the two times.",
        _steps(read=lambda new, b, k, p, w, token: b * w * p + token * k),
        "weights for each sequence: You read the weights once for each sequence. They share them.",
        _steps(read=lambda new, b, k, p, w, token: (1 + new) * w * p + token * k),
        "prefill counted as decoding: You read the weights again for each token of the prompt.",
        _steps(read=lambda new, b, k, p, w, token: w * p),
        "caches forgotten: You read the weights only.",
        _steps(read=lambda new, b, k, p, w, token: w * p + token * k * b),
        "cached tokens once more for each: You multiplied the tokens in memory by the sequences. "
        "They are counted together already.",
        _steps(read=lambda new, b, k, p, w, token: token * k),
        "weights forgotten: You read the caches only.",
        _steps(flop=lambda new, b, k, p, w, token: p * (new + b)),
        "one operation a weight: A weight is multiplied, and the product is added.",
        _steps(flop=lambda new, b, k, p, w, token: 2 * p * b),
        "prompt forgotten: You computed the tokens that are put out, and not the prompt's.",
        _steps(flop=lambda new, b, k, p, w, token: 2 * p * max(new, b)),
        "longer of the phases: You computed the prompt or the sequences, whichever are more. Both "
        "are in the step.",
        _steps(flop=lambda new, b, k, p, w, token: w * p * (new + b)),
        "bytes for operations: Your operations depend on the bytes of a weight.",
        _steps(flop=lambda new, b, k, p, w, token: 2 * p * (new + b + k)),
        "context computed again: You let the tokens in memory pass all weights again.",
    ),
    properties=[
        limit(
            "empty caches",
            (0, 1, 0, 1e9, 2.0, 1e5, 1e14, 1e12),
            0.5,
            "The first token of a short prompt reads the weights and nothing else.",
        ),
        vectorised((0, np.array([1, 10, 100, 1000]), 0, 1e9, 2.0, 1e5, 1e14, 1e12), 1),
        refuses(
            (0, 1, 0, 1e9, 2.0, 1e5, 1e14, 0.0), 0.5, "A bandwidth of 0: a ValueError, please."
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
        "first token without waiting: Your time to the first token begins when the prompt is "
        "started. When does the user's begin?",
        _latencies(first=lambda a, s, f, e, n: s - a),
        "waiting alone: Your time to the first token ends when the prompt is started. No token is "
        "there yet.",
        _latencies(first=lambda a, s, f, e, n: f),
        "time of the clock: You read the clock at the first token. How long did it take?",
        _latencies(token=lambda a, s, f, e, n: (e - f) / n),
        "one gap too many: You divided by the tokens. How many gaps are between them?",
        _latencies(token=lambda a, s, f, e, n: (e - f) / (n - 2)),
        "one gap too few: You divided by one gap too few.",
        _latencies(token=lambda a, s, f, e, n: (e - s) / n),
        "prefill among the gaps: Your time per token counts the prefill. It belongs to the first "
        "token.",
        _latencies(token=lambda a, s, f, e, n: (e - a) / n),
        "waiting among the gaps: Your time per token is spread over the whole stay, waiting "
        "included.",
        _latencies(token=lambda a, s, f, e, n: (n - 1) / (e - f)),
        "rate for time: That is how many tokens come in a second. How long does one take?",
        _latencies(token=lambda a, s, f, e, n: e - f),
        "all gaps: That is how long all further tokens took together.",
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
        "long answers forgotten: You took half of the mean answer. A long answer is in the batch "
        "for more steps than a short one: which do you find there more often?",
        _holding(lambda p, n: p + (_seen(n) + 1) / 2),
        "a token too many: You counted the token that a step puts out as one that it reads.",
        _holding(lambda p, n: p + _seen(n) / 2),
        "half a token too many: Look at an answer of one token: what does its only step hold?",
        _holding(lambda p, n: p + _seen(n) - 1),
        "full answers: You counted answers as long as they will be. In the batch they are under "
        "way.",
        _holding(lambda p, n: p + n.mean()),
        "mean of the requests: You added prompt and mean answer, as if all were complete.",
        _holding(lambda p, n: (p + _seen(n) - 1) / 2),
        "prompt by and by: You let the prompt come little by little. It is there at once.",
        _holding(lambda p, n: (_seen(n) - 1) / 2),
        "prompt forgotten: You counted the answer only.",
        _holding(lambda p, n: p + (n.mean() + n.std() - 1) / 2),
        "deviation for variance: You added the standard deviation to the mean. What matters is "
        "the mean of the squares over the mean.",
        _holding(lambda p, n: p + (n.mean() + n.var(ddof=1) / n.mean() - 1) / 2),
        "variance of a sample: You divided by one less, to estimate the variance of others. Here "
        "these are all there are.",
        _holding(lambda p, n: p + (np.median(n) - 1) / 2),
        "median: You took the median answer. Long answers fill the memory.",
        _holding(lambda p, n: p + (n.max() - 1) / 2),
        "longest: You took the longest answer for all of them.",
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
        "mean for the variance: Your sequences in blocks don't depend on how answers vary. Long "
        "ones are found in the batch more often.",
        _reserved(lambda p, n, scv: mean_context(p, n, scv**0.5)),
        "coefficient not squared: You took the coefficient of variation. Its square belongs here.",
        _reserved(lambda p, n, scv: p + n),
        "all complete: You compared with complete answers of the mean length. In blocks, an answer "
        "holds what there is of it so far.",
        _reserved(lambda p, n, scv: p + n * (1 + scv)),
        "long and complete: The long answers are there more often in yours, and complete. They "
        "are under way.",
        _reserved(lambda p, n, scv: p + n * scv / 2),
        "variance alone: You have kept the variance and left out the mean itself.",
        _reserved(kept=lambda p, n, longest: longest),
        "prompt not reserved: You reserved room for the answer only.",
        _reserved(lambda p, n, scv: n * (1 + scv) / 2, lambda p, n, longest: longest),
        "prompts forgotten: You left the prompts out on both sides. They hold memory, too.",
        _reserved(kept=lambda p, n, longest: p + longest / 2),
        "half reserved: You reserved half of the longest answer. A reservation is for all of it.",
        _reserved(kept=lambda p, n, longest: p + n),
        "mean reserved: You reserved room for a mean answer. Nobody knows in advance who has it.",
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
    "Drop it, or move it?",
    choices=BACK,
    reference=_back(),
    inputs=_preempted,
    points=3,
    unit="bytes/s",
    mistakes=mistakes(
        _back(swap=lambda p, d, token, n, r, b: token * (p + d)),
        "one way: You moved the cache out, or back. It has to go both ways.",
        _back(again=lambda p, d, token, n, r, b: n * (p + d) / r),
        "one operation a weight: A weight is multiplied, and the product is added.",
        _back(again=lambda p, d, token, n, r, b: 2 * n * (p + d) / b),
        "prefill counted as decoding: You computed token after token again, each reading all "
        "weights. All tokens are known now: how do known tokens go through a model?",
        _back(again=lambda p, d, token, n, r, b: 2 * n * (p + d) / r + 2 * n * d / b),
        "prompt together, answer one by one: You read the answer so far in one by one. It is "
        "known, as the prompt is.",
        _back(again=lambda p, d, token, n, r, b: 2 * n * p / r),
        "prompt only computed: You compute the prompt again. The answer so far has keys and "
        "values as well.",
        _back(again=lambda p, d, token, n, r, b: 2 * n * d / r),
        "answer only computed: You compute the answer so far again, and not the prompt.",
        _back(swap=lambda p, d, token, n, r, b: 2 * token * p),
        "prompt only moved: You move the prompt's cache. What has been answered has one, too.",
        _back(swap=lambda p, d, token, n, r, b: 2 * token * d),
        "answer only moved: You move the answer's cache. The prompt has one, too.",
        _back(swap=lambda p, d, token, n, r, b: 16 * token * (p + d)),
        "bits for bytes: You sent bits over a link that is counted in bytes.",
        _back(again=lambda p, d, token, n, r, b: 2 * n / r),
        "one token computed: You compute a single token again.",
        _back(names=BACK[::-1]),
        "wrong side of the tie: Your tie is right. On a link that is faster than that, which of "
        "the two takes less time?",
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
        "static batch: You serve each batch to its end. Who waits need not wait for the longest.",
        lambda n, b: n.sum() / b,
        "seats always full: You divided all steps by the seats. At the end some are empty.",
        lambda n, b: ceil(n.sum() / b),
        "seats full to the end: You divided all tokens by the seats and rounded up. One answer "
        "can't have two seats, even if they are free.",
        lambda n, b: n.max(),
        "longest answer: You gave everybody a seat at once.",
        lambda n, b: n.sum(),
        "one seat: You serve one after the other. Each step gives a token to every seat.",
        lambda n, b: _refilled(np.sort(n)[::-1], b),
        "longest first: You let the longest answers begin. They are served in the order given.",
        lambda n, b: _refilled(np.sort(n), b),
        "shortest first: You let the shortest answers begin. They are served in the order given.",
        lambda n, b: _refilled(n + 1, b),
        "a step to change seats: You lose a step whenever a seat changes hands. The next one gets "
        "a token in the very next step.",
        lambda n, b: _refilled(np.maximum(n - 1, 1), b),
        "a token short: You gave each answer a token too few.",
        lambda n, b: _refilled(n, b + 1),
        "a seat too many: You served one more at a time than there are seats.",
        lambda n, b: _refilled(n, max(b - 1, 1)),
        "a seat too few: You left one seat empty.",
        _turns,
        "seats in turn: You dealt the answers out to the seats like cards. Who waits takes the "
        "seat that gets free first.",
        lambda n, b: ceil(n.size / b) * n.mean(),
        "mean of the batches: You took the mean answer for all. A batch is as long as its longest, "
        "and a seat that is refilled as all of its answers.",
    ),
    properties=[
        limit("one seat", (np.array([3, 1, 2]), 1), 0.5, "With one seat they come in turn."),
        limit("seats for all", (np.array([3, 1, 2]), 9), 0.5, "With seats for all nobody waits."),
        refuses((np.array([3, 1, 2]), 0), 0.5, "No seats deserve a ValueError."),
        refuses(
            (np.array([3, 0, 2]), 2),
            0.5,
            "An answer of no tokens deserves a ValueError.",
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
    """Return the seconds of so many steps that read the prompt and serve b sequences each."""
    return count * f + a * (p + count * b)


stall = array(
    "stall",
    "A prompt in one piece or in many",
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
        "chunks of prompt only: You gave the prompt the whole chunk, and the sequences that decode "
        "came on top. The chunk counts the tokens of both.",
        _stalls(first=lambda p, b, c, f, a: _in_steps(ceil(p / c), p, b, f, a)),
        "too few chunks: You cut the prompt into pieces of a whole chunk. How much of a chunk is "
        "left for it?",
        _stalls(first=lambda p, b, c, f, a: _chunks(p, b, c) * (f + a * c)),
        "last chunk filled up: You gave the last step a full chunk. It has what is left of the "
        "prompt.",
        _stalls(first=lambda p, b, c, f, a: _in_steps(p / (c - b), p, b, f, a)),
        "part of a step: You took a part of a step for the rest of the prompt. The weights are "
        "read for it all the same.",
        _stalls(first=lambda p, b, c, f, a: _in_steps(p // (c - b), p, b, f, a)),
        "last chunk forgotten: You left out the step with the rest of the prompt.",
        _stalls(first=lambda p, b, c, f, a: f + a * (p + b)),
        "first token as in one piece: Your first token comes as early as with the whole prompt in "
        "one step. What is paid once a step is paid for every chunk now.",
        _stalls(first=lambda p, b, c, f, a: _chunks(p, b, c) * f + a * p),
        "others not served: Your steps with chunks leave out those who decode.",
        _stalls(whole_=lambda p, b, c, f, a: f + a * p),
        "prompt alone: Your step with the whole prompt leaves out those who decode.",
        _stalls(whole_=lambda p, b, c, f, a: 2 * f + a * (p + b)),
        "two steps: You gave the prompt a step of its own. Here it shares one with those who "
        "decode.",
        _stalls(whole_=lambda p, b, c, f, a: f + a * b),
        "no stall: Your gap with the whole prompt is that without it.",
        _stalls(chunked=lambda p, b, c, f, a: a * c),
        "fixed part forgotten: Your step with a chunk doesn't read the weights.",
        _stalls(chunked=lambda p, b, c, f, a: (f + a * (p + b)) / _chunks(p, b, c)),
        "stall divided: You divided the long step by the chunks. Not all of it gets shorter when "
        "it is cut.",
        _stalls(chunked=lambda p, b, c, f, a: f + a * (c - b)),
        "chunk without the others: Your step with a chunk leaves out those who decode.",
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
        "sum for the longest: You added the resources up. They work at the same time.",
        lambda r, f, w: (f / (1 - r * w)).mean(),
        "mean for the longest: You took the mean of the resources. A step waits for the last.",
        lambda r, f, w: (f / (1 - r * w)).min(),
        "shortest: You took the resource that is done first.",
        lambda r, f, w: (f + r * w).max(),
        "load added: You added a share of time to seconds. The work that comes during a step "
        "grows with the step.",
        lambda r, f, w: (f * (1 + r * w)).max(),
        "one round only: You added the work that comes during an empty step. While that is done, "
        "more comes.",
        lambda r, f, w: f.max(),
        "empty step: That is a step in which there is nothing to do.",
        lambda r, f, w: f.max() / (1 - r * w.max()),
        "worst of both: You took the largest fixed part and the largest work. They may belong to "
        "different resources.",
        lambda r, f, w: f[np.argmax(w)] / (1 - r * w.max()),
        "busiest resource: You took the resource with the most work. At a low rate another one may "
        "bind.",
        lambda r, f, w: (w / (1 - r * w)).max(),
        "work for the fixed part: You divided the work of a request. What is paid once a step?",
        lambda r, f, w: f.max() / (1 - r * w.sum()),
        "one resource for all: You let one resource do the work of all.",
        lambda r, f, w: f.sum() / (1 - r * w.max()),
        "fixed parts added: You added up what all resources pay once a step.",
        lambda r, f, w: (f / (1 - r * w) ** 2).max(),
        "denominator squared: You divided by the idle share twice.",
        lambda r, f, w: (f / (1 - r * w)).max() * r,
        "number for time: That is how many requests come during a step.",
    ),
    properties=[
        limit(
            "nobody comes",
            (0.0, np.array([0.01, 0.02]), np.array([0.1, 0.05])),
            0.5,
            "Without requests a step takes what is paid once.",
        ),
        monotone(
            "more requests, longer steps",
            0,
            [1.0, 3.0, 6.0, 9.0],
            (1.0, np.array([0.01, 0.02]), np.array([0.1, 0.05])),
            0.5,
            "More requests must make longer steps.",
        ),
        refuses(
            (10.0, np.array([0.01, 0.02]), np.array([0.1, 0.05])),
            1,
            "A resource that is asked for all of its time deserves a ValueError.",
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
        "mean of the limits: You took the mean of the rates. All limits must be kept.",
        _rates(capacity=lambda all_: 1 / sum(1 / x for x in all_)),
        "limits in a row: You added the limits up as times. They hold at the same moment.",
        _rates(capacity=sum),
        "sum of the limits: You added the rates up.",
        _rates(arithmetic=lambda n, k, f, w, a, c, z: 1 / (a + w)),
        "sum for the longer one: You let a request compute and read in turn. They overlap.",
        _rates(arithmetic=lambda n, k, f, w, a, c, z: (1 - f / z) / a),
        "weights in the arithmetic: You kept part of the arithmetic's time for reading the "
        "weights. Which resource does that?",
        _rates(tokens=lambda n, k, f, w, a, c, z: 1 / w),
        "limit on tokens forgotten: Your memory reads for requests all of the time, and steps "
        "have no end.",
        _rates(tokens=lambda n, k, f, w, a, c, z: (z - f) / w),
        "seconds for a share: You divided the seconds left of a step by the work. Which share of "
        "the time is that?",
        _rates(tokens=lambda n, k, f, w, a, c, z: f / z / w),
        "time of the weights: You gave requests the share of time in which the weights are read.",
        _rates(tokens=lambda n, k, f, w, a, c, z: 1 / (w + f)),
        "weights for each request: You let each request read the weights once for itself.",
        _rates(cache=lambda n, k, f, w, a, c, z: c / (n * k * f)),
        "empty step: You let steps be as short as with nobody there. How long is one when the "
        "cache is full?",
        _rates(cache=lambda n, k, f, w, a, c, z: c / (n * k * z)),
        "longest step: You let steps be as long as the limit on tokens allows. They are as long "
        "as they are when the cache is full.",
        _rates(cache=lambda n, k, f, w, a, c, z: c / k),
        "sequences for requests: That is how many sequences fit. By Little's law, how many come a "
        "second?",
        _rates(cache=lambda n, k, f, w, a, c, z: c / (k * f + c * w)),
        "one step or one token: You let a request leave after one step, or hold a single token. It "
        "stays for all of its tokens, and holds many.",
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
    "One seat",
    reference=_alone(lambda rate, s, first: _waiting(rate, s) + first),
    inputs=_one_seat,
    points=3,
    unit="s",
    tolerance=0.005,
    mistakes=mistakes(
        _alone(lambda rate, s, first: first),
        "first token without waiting: That is the time of the prompt's step. Others may be in the "
        "seat.",
        _alone(lambda rate, s, first: _waiting(rate, s)),
        "waiting alone: That is the time until the prompt is started.",
        _alone(lambda rate, s, first: _waiting(rate, s) + s.mean()),
        "last token: That is the time until the answer is complete.",
        _alone(lambda rate, s, first: rate * s.mean() ** 2 / 2 / (1 - rate * s.mean()) + first),
        "mean for the variance: You let all answers have the mean length. Who waits behind a long "
        "one waits long.",
        _alone(lambda rate, s, first: rate * s.mean() ** 2 / (1 - rate * s.mean()) + first),
        "exponential times: You took the waiting of M/M/1. Your answers have a law of their own.",
        _alone(lambda rate, s, first: rate * s.var() / 2 / (1 - rate * s.mean()) + first),
        "variance for the square: You took the variance for the mean of the squares.",
        _alone(lambda rate, s, first: 2 * _waiting(rate, s) + first),
        "half forgotten: You let whoever comes find the whole of the service under way still to "
        "be done.",
        _alone(lambda rate, s, first: _waiting(rate, s) * (1 - rate * s.mean()) + first),
        "queue forgotten: You waited for the one in the seat, and not for those who came before "
        "you.",
        _alone(
            lambda rate, s, first: _waiting(rate, s) + first,
            lambda first, step_, n: first + step_ * n,
        ),
        "a step too many: Your answers take a step for each token besides the prompt's. The "
        "prompt's step gives the first token.",
        _alone(
            lambda rate, s, first: _waiting(rate, s) + first,
            lambda first, step_, n: step_ * n,
        ),
        "prefill counted as decoding: In your seat a prompt takes as long as any other step.",
        _alone(lambda rate, s, first: s.mean() * rate * s.mean() + first),
        "share of a service: You waited for the mean answer, as often as the seat is taken.",
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
    "A seat for everybody",
    reference=_sharing(mean=lambda x, scv, f, a, seats: _batch(x, f, a)),
    inputs=_for_all,
    points=4,
    tolerance=0.005,
    mistakes=mistakes(
        _sharing(mean=lambda x, scv, f, a, seats: x * f / (1 - x * a)),
        "no chance: Your mean is that of a service without chance. Whoever comes shares the step "
        "with those who are there, and is there, too.",
        _sharing(
            lambda x, scv, f, a, seats: _inside(x * (1 + scv), f, a).mean(),
            lambda x, scv, f, a, seats: _inside(x * (1 + scv), f, a).sf(seats),
        ),
        "variance counted: You let the variance of answers count. With a seat for everybody, what "
        "does the number inside depend on?",
        _sharing(
            lambda x, scv, f, a, seats: x * (f + a),
            lambda x, scv, f, a, seats: poisson(x * (f + a)).sf(seats),
        ),
        "step of one: Your steps are as long as with one sequence, whoever is there.",
        _sharing(beyond=lambda x, scv, f, a, seats: poisson(_inside(x, f, a).mean()).sf(seats)),
        "Poisson: Your mean is right, but the number inside isn't Poisson. Steps get longer when "
        "many are there, and so more come meanwhile.",
        _sharing(
            beyond=lambda x, scv, f, a, seats: (1 + 1 / _inside(x, f, a).mean()) ** -(seats + 1)
        ),
        "M/M/1: Your mean is right, but you took the law of M/M/1, in which nothing is shared.",
        _sharing(beyond=lambda x, scv, f, a, seats: _inside(x, f, a).sf(seats - 1)),
        "one too many: You counted the moments in which all seats are just taken. Nobody is "
        "beyond them yet.",
        _sharing(beyond=lambda x, scv, f, a, seats: _inside(x, f, a).sf(seats + 1)),
        "one too few: You left out the moments in which one is beyond the seats.",
        _sharing(beyond=lambda x, scv, f, a, seats: _inside(x, f, a).cdf(seats)),
        "enough for too few: That is how often the seats are enough.",
        _sharing(beyond=lambda x, scv, f, a, seats: _inside(x, f, a).pmf(seats)),
        "exactly full: That is how often just so many are there.",
        _sharing(
            lambda x, scv, f, a, seats: nbinom(f / a, 1 - x * a).mean(),
            lambda x, scv, f, a, seats: nbinom(f / a, 1 - x * a).sf(seats),
        ),
        "steps of one fewer: Your steps are those of one sequence fewer: the product begins with a "
        "step of none.",
        _sharing(mean=lambda x, scv, f, a, seats: _inside(x, f, a).mean() / x),
        "time for number: Your mean is the time of a step, the number inside over the tokens that "
        "are asked for.",
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
    """Return a model of the table from functions of the first tokens, and of what is in time.

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
        "mean of the percentiles: You took the mean of the servers' percentiles. One has far "
        "fewer requests.",
        _percentiles(p90=lambda a, b: (a.size * _p90(a) + b.size * _p90(b)) / (a.size + b.size)),
        "percentiles weighted: You weighed the servers' percentiles by their requests. A "
        "percentile of all is no mean of percentiles.",
        _percentiles(p90=lambda a, b: max(_p90(a), _p90(b))),
        "worse server: You took the percentile of the worse server.",
        _percentiles(p90=lambda a, b: _p90(np.array([a.mean(), b.mean()]))),
        "percentile of means: You took the percentile of the servers' means. Requests wait, not "
        "servers.",
        _percentiles(p90=lambda a, b: np.append(a, b).mean()),
        "mean: Your percentile is the mean.",
        _percentiles(p90=lambda a, b: np.append(a, b).mean() + 1.2816 * np.append(a, b).std()),
        "bell curve: You took mean and standard deviation, as if waiting followed a bell curve.",
        _percentiles(p90=lambda a, b: np.append(a, b).max()),
        "maximum: Your percentile is the longest of all.",
        _percentiles(kept=lambda f, t, s: (f & t).mean()),
        "share for rate: Your goodput is the share of requests that keep both limits. How many "
        "are that a second?",
        _percentiles(kept=lambda f, t, s: f.sum() / s),
        "first token only: Your goodput looks at the first token only.",
        _percentiles(kept=lambda f, t, s: t.sum() / s),
        "further tokens only: Your goodput looks at the further tokens only.",
        _percentiles(kept=lambda f, t, s: (f | t).sum() / s),
        "either limit: Your requests keep one limit or the other. They must keep both.",
        _percentiles(kept=lambda f, t, s: f.mean() * t.mean() * f.size / s),
        "shares multiplied: You multiplied the shares that keep each limit. Who is late with the "
        "first token tends to be late with others: count requests.",
        _percentiles(kept=lambda f, t, s: f.size / s),
        "throughput: Your goodput counts those who were late as well.",
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
        "late answers counted: You counted the tokens of all answers. Those that come late are of "
        "no use here.",
        _million(lambda h, g, r, good, p, n: 1e6 * h * g / 3600 * good / (r * n)),
        "share upside down: In yours a token costs less the more answers come late.",
        _million(lambda h, g, r, good, p, n: 1e6 * h / 3600 / (r * good * n)),
        "one GPU: You paid for one GPU. A server has several.",
        _million(lambda h, g, r, good, p, n: 1e6 * h / g / 3600 / (r * good * n)),
        "GPUs share the bill: You divided the bill by the GPUs. Each of them is paid for.",
        _million(lambda h, g, r, good, p, n: 1e6 * h * g / 3600 / (r * good * (p + n))),
        "prompts sold: You counted the prompts' tokens, too. Which tokens are asked about?",
        _million(lambda h, g, r, good, p, n: 1e6 * h * g / 3600 / (r * good * p)),
        "prompts for answers: You counted the prompts' tokens instead of the answers'.",
        _million(lambda h, g, r, good, p, n: 1e6 * h * g / 3600 / (r * good)),
        "requests for tokens: That is for a million requests. How many tokens has one?",
        _million(lambda h, g, r, good, p, n: 1e6 * h * g / 60 / (r * good * n)),
        "minutes for seconds: You took an hour to have 60 seconds.",
        _million(lambda h, g, r, good, p, n: 1e6 * h * g / (r * good * n)),
        "hours for seconds: You set the price of an hour against the tokens of a second.",
        _million(
            lambda h, g, r, good, p, n: 1e6 * h * g / 3600 / (r * good * n + r * good * p) * 2
        ),
        "mean of prompt and answer: You counted the mean of prompt and answer.",
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
    "Leave early",
    reference=_exit(lambda n, x, d, c: ideal_exit_speedup(n, x.mean(), d + c * x.mean())),
    inputs=_leaving,
    points=3,
    tolerance=0.001,
    mistakes=mistakes(
        _exit(lambda n, x, d, c: n / x.mean()),
        "overhead forgotten: You counted the layers only. Whoever leaves early must have asked.",
        _exit(lambda n, x, d, c: n / (x.mean() + d)),
        "checks forgotten: You left out the checks.",
        _exit(lambda n, x, d, c: n / (x.mean() * (1 + c))),
        "draft forgotten: You left out the draft.",
        _exit(lambda n, x, d, c: n / (x.mean() + d + c)),
        "one check: You checked once for a token. It asks after each layer that it runs.",
        _exit(lambda n, x, d, c: n / (x.mean() + d + c * n)),
        "checks of all layers: You checked after every layer of the model. A token that has left "
        "doesn't ask any more.",
        _exit(lambda n, x, d, c: n / (x.mean() * (1 + c + d))),
        "draft for each layer: You paid the draft once for every layer. It is made once a token.",
        _exit(lambda n, x, d, c: (n / (x * (1 + c) + d)).mean()),
        "mean of speedups: You took the mean of the tokens' speedups. Tokens come one after the "
        "other: which mean adds up to the time?",
        _exit(lambda n, x, d, c: n / (n - x.mean() * (1 + c) - d)),
        "layers skipped: You divided by what is skipped. What is still run?",
        _exit(lambda n, x, d, c: 1 - (x.mean() * (1 + c) + d) / n),
        "share saved: That is the share of the time that is saved. How many times as fast is it?",
        _exit(lambda n, x, d, c: n / (np.median(x) * (1 + c) + d)),
        "median: You took the median token. Time adds up over all of them.",
        _exit(lambda n, x, d, c: n * (1 + c) / (x.mean() * (1 + c) + d)),
        "checks before, too: You let the model without exits check as well.",
        _exit(lambda n, x, d, c: n / (x.max() * (1 + c) + d)),
        "last one: You took the token that leaves last for all.",
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
    "Build the last to leave",
    answer="layers_run",
    reference=_layers_run,
    inputs=_counted,
    points=5,
    builds="perfmodel.serving.latest_exit",
    mistakes=mistakes(
        lambda c, b: latest_exit(c, 1),
        "mean exit: That is the mean of one token. A step goes on until the last of its tokens "
        "has left.",
        lambda c, b: float(c.size),
        "all layers: You ran all layers. With few tokens all may have left before.",
        lambda c, b: ((1 - _gone(c)) ** b).sum(),
        "first to leave: Your step ends when the first one leaves.",
        lambda c, b: (_gone(c) ** b).sum(),
        "layers skipped: You counted the layers that nobody needs any more. Which are run?",
        lambda c, b: (1 - (_gone(c) + c / c.sum()) ** b).sum(),
        "one layer short: You left each token off one layer too early: it runs the layer after "
        "which it leaves.",
        lambda c, b: latest_exit(c, b + 1),
        "a token too many: You had one token more in the step.",
        lambda c, b: latest_exit(c, b - 1),
        "a token too few: You had one token fewer in the step.",
        lambda c, b: np.minimum(b * (1 - _gone(c)), 1).sum(),
        "chances added: You added up the chances that each token is still there. They may be "
        "there at the same time.",
        lambda c, b: 1 + np.flatnonzero(c).mean(),
        "exits alike: You took all layers after which tokens leave to be as likely as each other.",
        lambda c, b: b * latest_exit(c, 1),
        "layers of all: You added the layers of all tokens up. A step runs a layer once for all.",
        lambda c, b: 1 + float(np.argmax(c)),
        "most frequent: You took the layer after which most leave.",
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
        refuses((np.array([1, 0, 3]), 0), 0.5, "No tokens in a step: a ValueError, please."),
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
    "Build the tokens of a step that checks guesses",
    answer="tokens_per_step",
    reference=_round_tokens,
    inputs=_guess,
    points=5,
    builds="perfmodel.serving.tokens_per_round",
    mistakes=mistakes(
        lambda a, n: _sum(a, n) - 1,
        "free token forgotten: You counted the guesses that are right. The step of the large model "
        "gives a token of its own besides.",
        lambda a, n: _sum(a, n - 1),
        "a power too low: The highest power of the chance is one too low. How many tokens come "
        "out if all guesses are right?",
        lambda a, n: _sum(a, n + 1),
        "a power too high: The highest power of the chance is one too high. How many tokens come "
        "out if all guesses are right?",
        lambda a, n: 1 + a * n,
        "wrong guesses passed over: You kept every guess that is right. What comes after a wrong "
        "one is lost.",
        lambda a, n: 1 + n * a**n,
        "all or nothing: You kept the guesses if all are right. Those before the first wrong one "
        "are kept, too.",
        lambda a, n: 1 / (1 - a),
        "guesses without end: You let the small model guess until it is wrong. It stops before.",
        lambda a, n: n + 1,
        "all right: You took all guesses to be right.",
        lambda a, n: _sum(1 - a, n),
        "wrong for right: You took the chance for that of a wrong guess.",
        lambda a, n: 1 - a ** (n + 1),
        "not divided: You have the numerator only. Add up two or three terms by hand.",
        lambda a, n: min(1 / (1 - a), n + 1),
        "mean cut off: You cut the mean off at the longest. The mean of what is cut off is less.",
        lambda a, n: 1 + a**n,
        "last guess only: You asked whether the last guess is kept. How many are?",
        lambda a, n: (n + 1) * _sum(a, n),
        "guesses counted twice: You multiplied the tokens by the guesses.",
    ),
    properties=[
        limit("never right", (0.0, 5), 0.5, "If no guess is right, the large model's token is."),
        limit("always right", (1.0, 5), 0.5, "If all guesses are right, all tokens come out."),
        vectorised((np.array([0.0, 0.5, 0.9]), 3), 0.5),
        refuses((1.2, 3), 0.5, "A chance of 1.2 deserves a ValueError."),
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
    "Do guesses pay on a busy server?",
    choices=PAYS,
    reference=_true_speedup,
    inputs=_speculation,
    points=3,
    tolerance=0.005,
    mistakes=mistakes(
        _speedup(time=lambda n, cost, load: n * cost + 1),
        "checking for nothing: You checked all guesses in the time of an ordinary step. How many "
        "tokens go through the model in it, from all sequences?",
        _speedup(time=lambda n, cost, load: n * cost + n + 1),
        "checking one by one: You let each checked token take a step. Until the ridge, several "
        "take no longer than one.",
        _speedup(time=lambda n, cost, load: n * cost + max(1, load * n)),
        "own token not computed: You computed the guesses, and left out the token that the large "
        "model adds.",
        _speedup(time=lambda n, cost, load: n * cost + 1 + load * (n + 1)),
        "sum for the longer one: You added computing and reading. They overlap.",
        _speedup(time=lambda n, cost, load: max(1, load * (n + 1))),
        "drafts for nothing: You left out what the small model takes.",
        _speedup(time=lambda n, cost, load: cost + max(1, load * (n + 1))),
        "one draft: You let the small model take one step. It guesses one token after the other.",
        _speedup(time=lambda n, cost, load: (n + 1) * cost + max(1, load * (n + 1))),
        "a draft too many: You let the small model guess one token more than it does.",
        _speedup(lambda a, n: _sum(a, n) - 1),
        "free token forgotten: You counted the guesses only. The large model adds a token.",
        _speedup(lambda a, n: _sum(a, n - 1)),
        "a power too low: The highest power of the chance is one too low.",
        _speedup(lambda a, n: 1 + a * n),
        "wrong guesses passed over: You kept every guess that is right. What comes after a wrong "
        "one is lost.",
        _speedup(lambda a, n: 1 / (1 - a)),
        "guesses without end: You let the small model guess until it is wrong.",
        _speedup(lambda a, n: n + 1),
        "all right: You took all guesses to be right.",
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
        "price forgotten: All of your tokens cost the same. One that somebody waits for costs "
        "more.",
        _ahead(from_=lambda a, d, g, q, n: a / (d * (1 - 1 / g))),
        "break-even without the price: Your number of questions counts tokens and not what they "
        "cost.",
        _ahead(
            lambda a, d, g, q, n: q * a / (d * (1 - 1 / g)),
            lambda a, d, g, q, n: d / (q * a / n + d / g),
        ),
        "price upside down: Yours are the tokens spent ahead that cost more. Which of them does "
        "somebody wait for?",
        _ahead(from_=lambda a, d, g, q, n: a / (q * d)),
        "answers for nothing: Your prepared answers take no tokens. They take fewer.",
        _ahead(from_=lambda a, d, g, q, n: a * g / (q * d)),
        "what remains for what is saved: You divided by what an answer still takes. What does "
        "each question save?",
        _ahead(from_=lambda a, d, g, q, n: a / (q * d * (g - 1))),
        "times for share: An answer doesn't save so many times its tokens; it takes a part of "
        "them.",
        _ahead(saving=lambda a, d, g, q, n: (a / n + q * d / g) / (q * d)),
        "saving upside down: Your saving is below one where working ahead pays.",
        _ahead(saving=lambda a, d, g, q, n: g),
        "work ahead forgotten: Your saving counts what happens under the clock. The work ahead "
        "has been paid for.",
        _ahead(saving=lambda a, d, g, q, n: q * d / (a + q * d / g)),
        "work ahead for each question: Each of your questions pays for all of the work ahead. They "
        "share it.",
        _ahead(saving=lambda a, d, g, q, n: 1 - (a / n + q * d / g) / (q * d)),
        "share saved: Your saving is a share. How many times as much does it cost without?",
        _ahead(saving=lambda a, d, g, q, n: n * q * d * (1 - 1 / g) / a),
        "saved over spent: Your saving is what all questions save over what is spent ahead. "
        "Compare the costs of everything.",
        _ahead(saving=lambda a, d, g, q, n: q * d / (a * n + q * d / g)),
        "multiplied by questions: In yours more questions make each of them dearer.",
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
        "caches forgotten: You read the weights only. A long thought reads all of itself so far, "
        "token by token.",
        _thinking(lambda p, kv, n, b: n * 2 * p / b + kv * n**2),
        "a factor of two: Against each other, one of weights and caches is twice what it should "
        "be. A weight has two bytes, and a token reads what there is of the text so far.",
        _thinking(lambda p, kv, n, b: n * 2 * p + kv * n**2 / 2),
        "all shared or nothing: Your sequences share the weights and the caches alike, or neither. "
        "Which of the two is the same for all of a batch?",
        _thinking(lambda p, kv, n, b: kv * n**2 / 2),
        "weights forgotten: You read the caches only, or the weights once for the whole text. "
        "Each step reads them.",
        _thinking(lambda p, kv, n, b: n),
        "tokens counted: You counted tokens. Those of a large model cost more.",
        _thinking(lambda p, kv, n, b: p),
        "parameters counted: You counted parameters. How long does each think?",
        _thinking(lambda p, kv, n, b: 2 * p / b + kv * n / 2),
        "one token: You compared one token of each. How many has the text?",
        _thinking(lambda p, kv, n, b: n * 2 * p / b + kv * n**2 / 2, MODELS[::-1]),
        "wrong one named: Your ratio is right. Which model does it say reads less?",
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
        return "Batches must be whole and 1 or more."
    if np.unique(batch).size < 5 or batch.max() < 8 * batch.min():
        return "Measure five batches or more, the largest at least eight times the smallest."
    slope, fixed = np.polyfit(batch, seconds, 1)
    if slope <= 0:
        return "Larger batches took no longer: take larger ones, or measure again."
    if fixed <= 0:
        return "Your line has no fixed part: take smaller batches or larger weights."
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
        "upside down: You divided the slope by the fixed part. How many slopes make one?",
        _line(lambda b, t, slope, fixed: fixed),
        "fixed part: That is the fixed part of a step, in seconds.",
        _line(lambda b, t, slope, fixed: slope),
        "slope: That is what a sequence adds to a step, in seconds.",
        _line(lambda b, t, slope, fixed: t[np.argmin(b)] / slope),
        "smallest batch for the fixed part: You took the smallest batch's time for the fixed "
        "part. It has sequences of its own in it.",
        _line(lambda b, t, slope, fixed: (t[np.argmin(b)] - fixed) / slope),
        "less than the smallest batch: You took the fixed part off the smallest batch's time.",
        _line(lambda b, t, slope, fixed: fixed / (b @ t / (b @ b))),
        "slope through the origin: Your slope is that of a line through the origin. A step "
        "without sequences still reads the weights.",
        _line(lambda b, t, slope, fixed: _of_ends(b, t)),
        "two points: You drew the line through the smallest and the largest batch. Use all points.",
        _line(lambda b, t, slope, fixed: -np.polyfit(t, b, 1)[1]),
        "axes exchanged: You fitted the batch to the time. What you have set is the batch, and "
        "the errors are in the time.",
        _line(lambda b, t, slope, fixed: (2 * t.min() - fixed) / slope),
        "twice the shortest: That is the batch whose step takes twice the shortest one measured.",
        _line(lambda b, t, slope, fixed: np.polyfit(np.log(b), np.log(t), 1)[0]),
        "slope in logarithms: That is the slope of a line in logarithms, which is no line here.",
        _line(lambda b, t, slope, fixed: t.mean() / slope),
        "mean for the fixed part: You took the mean time for the fixed part.",
    ),
)


def _of_ends(b, t):
    low, high = np.argmin(b), np.argmax(b)
    slope = (t[high] - t[low]) / (b[high] - b[low])
    return t[low] / slope - b[low]


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
