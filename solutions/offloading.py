"""Question bank of the topic offloading: tiers, placements, prices, schedules, blocks and caches.

Twenty-five questions in four levels. Sizes are in bytes, rates in bytes/s or FLOP/s, times in
seconds, unless a name says otherwise (`gib`, `billions`); shares run from 0 to 1.
"""

from itertools import permutations
from math import ceil

import numpy as np

from perfcourse.bank import Bank, array, by_place, choice, function, measured, mistakes, number
from perfcourse.bank.properties import limit, monotone, refuses
from perfmodel.offloading import (
    HostDeviceJobs,
    best_split,
    chunked_time,
    diagonal_gain,
    equal_jobs_makespan,
    even_chunks,
    exact_packing,
    flow_shop_bound,
    flow_shop_makespan,
    fractional_packing,
    greedy_packing,
    heavy_cached_first,
    independent_hit_ratio,
    johnson_order,
    loads_bound,
    lru_hit_ratio,
    overlap_fraction,
    simulate_cache,
    stack_distances,
    step_time,
    two_ended_list,
    zig_zag_loads,
)
from perfmodel.validation import positive, whole

GIB = 2**30

# Level 1: does it fit, and which link bounds it?

FITS = ("fits", "too large")


def _generation(rng):
    billions, layers = rng.uniform(6, 30), int(rng.choice([32, 40, 48, 60, 80]))
    width, tokens = int(rng.choice([4096, 5120, 7168, 8192])), int(rng.integers(8, 41)) * 100
    sequences = int(rng.integers(20, 100))
    need = 2e9 * billions + 4 * layers * width * tokens * sequences
    return {
        "billions": billions,
        "layers": layers,
        "width": width,
        "tokens": tokens,
        "sequences": sequences,
        "memory_gib": need / GIB * np.exp(rng.choice([-1, 1]) * rng.uniform(0.02, 0.3)),
    }


def _needs(cache=None, weights=lambda p: 2 * p, unit=GIB):
    """Return a model of the choice from functions: cache of (l, w, t, b), weights of parameters."""
    cache = cache or (lambda layers, w, t, b: 4 * layers * w * t * b)

    def model(billions, layers, width, tokens, sequences, memory):
        need = (weights(1e9 * billions) + cache(layers, width, tokens, sequences)) / unit
        return FITS[int(need > memory)], float(need)

    return by_place(model)


fits = choice(
    "fits",
    "Does it fit?",
    choices=FITS,
    reference=_needs(),
    inputs=_generation,
    points=2,
    unit="GiB",
    tolerance=0.003,
    mistakes=mistakes(
        _needs(unit=1e9),
        "GB for GiB: Your answer is in GB of a thousand million bytes. Memory is sold in powers of "
        "two: how many bytes has a GiB?",
        _needs(lambda n, w, t, b: 4 * n * w * t),
        "cache without the batch: You kept the keys and values of a single sequence. Each has its "
        "own.",
        _needs(lambda n, w, t, b: 2 * n * w * t * b),
        "keys only: You kept one number of each place. Attention needs a key and a value.",
        _needs(lambda n, w, t, b: 4 * w * t * b),
        "one layer: You kept keys and values of one layer. Every layer has its own.",
        _needs(weights=lambda p: 0),
        "weights forgotten: You counted what the cache needs. The weights lie in the same memory.",
        _needs(lambda n, w, t, b: 0),
        "cache forgotten: You counted the weights only.",
        _needs(weights=lambda p: p),
        "one byte a weight: You gave a weight one byte. How many has a number of 16 bits?",
        _needs(weights=lambda p: 4 * p),
        "weights in 32 bits: You gave each weight 32 bits. The statement says how many it has.",
        _needs(weights=lambda p: 16 * p),
        "states of training: You took the bytes of training, with gradients and an optimizer. Here "
        "nothing is learned.",
    ),
)


def _streamed(rng):
    return {
        "bits": float(rng.choice([4.5, 5.5, 6.5, 8.5])),
        "rate": 10 ** rng.uniform(13.5, 15),
        "both_ways": 10 ** rng.uniform(10.3, 11.3),
    }


def _tokens(of):
    """Return a model from a function of (bytes of a weight, FLOP/s, bytes/s both ways)."""
    return by_place(lambda bits, rate, both: float(of(bits / 8, rate, both)))


hidden = number(
    "hidden",
    "When is a fetched weight free?",
    reference=_tokens(lambda w, r, d: w * r / (0.9 * d)),
    inputs=_streamed,
    points=2,
    unit="tokens",
    mistakes=mistakes(
        _tokens(lambda w, r, d: w * r / (2 * d)),
        "both directions for one: You let the weights come at the rate of both directions "
        "together. Weights travel one way.",
        _tokens(lambda w, r, d: w * r / (0.45 * d)),
        "one FLOP a weight: You have the link right and the work wrong. A weight is multiplied, "
        "and the product is added.",
        _tokens(lambda w, r, d: w * r / d),
        "half of the quoted rate: You let a direction carry half of the quoted rate, or all of it "
        "with one FLOP a weight. It carries 45 %, and a weight is multiplied and added.",
        _tokens(lambda w, r, d: r / (0.9 * d)),
        "bytes of a weight forgotten: Your answer doesn't depend on how many bytes a weight has. "
        "Weights of fewer bits come faster.",
        _tokens(lambda w, r, d: 8 * w * r / (0.9 * d)),
        "bits for bytes: You sent the bits of a weight over a link counted in bytes.",
        _tokens(lambda w, r, d: 2 * r / (0.9 * d)),
        "two bytes in any case: You gave the weights 16 bits. Yours have another size.",
        _tokens(lambda w, r, d: r / (0.9 * w * d)),
        "bytes upside down: In your answer larger weights are hidden sooner. They take longer to "
        "come, for the same work.",
    ),
)

BUSIEST = ("drive", "link", "GPU")


def _one_step(rng):
    """Return a step in which both directions of the link together take longest."""
    base, down, up = rng.uniform(0.5, 4), 0.0, 0.0
    while down + up < 1.08 * base:
        drive, down, gpu = base * np.exp(rng.permutation([0.0, -rng.uniform(0.1, 0.6), -0.8]))
        up = down * rng.uniform(0.3, 0.85)
    rates = 10 ** rng.uniform(9.3, 10), 10 ** rng.uniform(10.1, 10.8), 10 ** rng.uniform(13.5, 14.5)
    return {
        "from_drive": drive * rates[0],
        "drive": rates[0],
        "to_gpu": down * rates[1],
        "from_gpu": up * rates[1],
        "link": rates[1],
        "flop": gpu * rates[2],
        "rate": rates[2],
    }


def _busy(link=max, whole_step=max):
    """Return a model from functions of the times of the link's directions, and of the channels."""

    def model(from_drive, drive, to_gpu, from_gpu, wire, flop, rate):
        channels = {
            "drive": from_drive / drive,
            "link": link(to_gpu / wire, from_gpu / wire),
            "GPU": flop / rate,
        }
        return max(channels, key=channels.get), float(whole_step([*channels.values()]))

    return by_place(model)


busiest = choice(
    "busiest",
    "Which channel bounds the step?",
    choices=BUSIEST,
    reference=_busy(),
    inputs=_one_step,
    points=2,
    unit="s",
    mistakes=mistakes(
        _busy(link=lambda there, back: there + back),
        "one direction counted twice: You added up what goes there and what comes back. The link "
        "carries both at the same time.",
        _busy(whole_step=sum),
        "nothing overlapped: You added the channels up. Here they all work at the same time.",
        _busy(link=lambda there, back: there + back, whole_step=sum),
        "everything in turn: You let one thing happen at a time, even the two directions of the "
        "link.",
        _busy(whole_step=lambda times: sum(times) / 3),
        "mean channel: You took the mean of the channels. The others wait for the last.",
        _busy(whole_step=min),
        "first one done: You took the channel that is done first.",
        _busy(whole_step=lambda times: float(np.linalg.norm(times))),
        "norm: You drew a norm through the channels. With perfect overlap, which of them is felt?",
    ),
)


def _measured_step(rng):
    times = np.sort(rng.uniform(0.5, 1, 3))[::-1] * [1, 0.8, 0.5] * rng.uniform(1, 10)
    share = rng.uniform(0.25, 0.8)
    measured = times.sum() - share * (times.sum() - times.max())
    return {"times": rng.permutation(times), "measured": float(measured)}


def _overlap(share):
    """Return a model from a function of (sum, maximum, measured, minimum)."""
    return by_place(lambda times, t: float(share(sum(times), max(times), t, min(times))))


hidden_share = number(
    "hidden_share",
    "How much was hidden?",
    reference=by_place(lambda times, t: float(overlap_fraction(times, t))),
    inputs=_measured_step,
    points=2,
    mistakes=mistakes(
        _overlap(lambda s, m, t, low: (s - t) / s),
        "of all work: You divided by all the work. The slowest channel's can't be hidden behind "
        "anything.",
        _overlap(lambda s, m, t, low: m / t),
        "of the ideal speed: That is how near the step comes to the ideal one. It isn't 0 where "
        "nothing overlaps.",
        _overlap(lambda s, m, t, low: (s - t) / m),
        "of the slowest channel: You divided by the slowest channel. What could be hidden is what "
        "the others do.",
        _overlap(lambda s, m, t, low: (s - t) / t),
        "of the step: You divided what is hidden by the measured step.",
        _overlap(lambda s, m, t, low: (s - t) / (s - low)),
        "behind the fastest: You kept the fastest channel and let all others be hidden. Behind "
        "which channel can the others hide?",
        _overlap(lambda s, m, t, low: t / s),
        "of the sum: That is the step as a share of the sum.",
        _overlap(lambda s, m, t, low: (s - m) / s),
        "could be hidden: That is what could be hidden, as a share of the work. How much was?",
    ),
)


def _pieces(rng):
    return {
        "times": rng.uniform(0.5, 8, int(rng.integers(2, 5))),
        "chunks": int(rng.integers(2, 20)),
    }


def _chunked(times, chunks):
    return float(chunked_time(even_chunks(positive("times", times), whole("chunks", chunks, 1))))


chunks = function(
    "chunks",
    "Build a step in chunks",
    answer="chunked_step",
    reference=_chunked,
    inputs=_pieces,
    points=5,
    builds=("perfmodel.offloading.chunked_time", "perfmodel.offloading.equal_jobs_makespan"),
    mistakes=mistakes(
        lambda t, n: t.max(),
        "overlap assumed perfect: That is the slowest channel. Its first chunk must get there, and "
        "its last has channels to pass after it.",
        lambda t, n: t.sum(),
        "nothing overlapped: You added the channels up. Chunks are there so that all can work.",
        lambda t, n: t.sum() + (n - 1) * t.max(),
        "chunks as long as the step: You gave each chunk the time of the whole step. How long is "
        "one of them?",
        lambda t, n: t.sum() / n,
        "divided by the chunks: You divided all the work by the chunks, as if each had a machine "
        "of its own. No channel can be done before its own work is.",
        lambda t, n: t.max() + t.sum() / n,
        "slowest channel counted twice: Your first chunk passes all channels, and then the slowest "
        "does all of its work again. One chunk of that is done.",
        lambda t, n: t.max() * (1 + (t.size - 1) / n),
        "all as slow: You made all channels as slow as the slowest. A chunk passes each at its own "
        "speed.",
        lambda t, n: t.sum() / n + (n - 1) / n * t.mean(),
        "mean channel: After the first chunk yours come at the pace of the mean channel.",
        lambda t, n: t.sum() / n + (n - 1) / n * t[-1],
        "last channel's pace: Your chunks leave at the pace of the last channel. It may be waiting "
        "for another.",
        lambda t, n: t.sum() / n + (n - 1) / n * t[0],
        "first channel's pace: Your chunks leave at the pace at which they enter. A queue may grow "
        "in between.",
    ),
    properties=[
        limit("one chunk", (np.array([1.0, 2.0, 4.0]), 1), 0.5, "In one chunk nothing overlaps."),
        monotone(
            "more chunks, less time",
            1,
            [1, 2, 4, 8],
            (np.array([1.0, 2.0, 4.0]), 1),
            0.5,
            "More chunks must overlap more.",
            rises=False,
        ),
        refuses((np.array([1.0, 2.0]), 0), 0.5, "No chunks deserve a ValueError."),
        refuses(
            (np.array([1.0, 0.0]), 2),
            0.5,
            "A time of 0 deserves a ValueError.",
            "refuses a time of 0",
        ),
    ],
)


def _bought(rng):
    drive = rng.uniform(2, 20)
    link, gpu = drive * np.sort(rng.uniform(0.25, 0.75, 2))[::-1]
    return {"drive": drive, "link": link, "gpu": gpu, "drives": int(rng.integers(4, 9))}


def _faster(after=max, before=max):
    """Return a model of the speedup from functions of the channels' times in a list."""
    return by_place(lambda d, link, g, k: float(before([d, link, g]) / after([d / k, link, g])))


drives = number(
    "drives",
    "Drives instead of one drive",
    reference=by_place(
        lambda d, link, g, k: float(step_time([d, link, g]) / step_time([d / k, link, g]))
    ),
    inputs=_bought,
    points=2,
    mistakes=mistakes(
        lambda d, link, g, k: float(k),
        "as many times as drives: You let the step get faster as the drives do. What takes longest "
        "once they have?",
        _faster(sum, sum),
        "nothing overlapped: You added the channels up before and after. They overlap.",
        _faster(lambda t: max(t[0], t[2])),
        "link forgotten: You let the data jump from the drives into the GPU. The link takes its "
        "time.",
        _faster(lambda t: sum(t) / 3),
        "mean channel: You took the mean of the channels after the purchase. The slowest counts.",
        _faster(max, sum),
        "overlap from now on: You added the channels up before the purchase and overlapped them "
        "after it. Drives don't change the program.",
        _faster(sum, max),
        "overlap lost: You overlapped the channels before the purchase and added them up after it.",
        _faster(lambda t: float(np.linalg.norm(t)), lambda t: float(np.linalg.norm(t))),
        "norm: You drew a norm through the channels, which lies between the sum and the perfect "
        "overlap that was asked for.",
        lambda d, link, g, k: d - max(d / k, link, g),
        "seconds saved: That is how many seconds are saved. How many times as fast is the step?",
        lambda d, link, g, k: float(d / max(d / k, link, g) - 1),
        "gain alone: That is by how much the step became faster. How many times as fast is it?",
    ),
)

# Level 2: where to put it


def _items(rng):
    """Return items of which greedy, the best packing and the bound are more than 1 % apart."""
    while True:
        size = rng.integers(3, 20, int(rng.integers(4, 7)))
        saves = np.round(size * rng.uniform(0.5, 2, size.size), 1)
        given = size, saves, int(size.sum() * rng.uniform(0.35, 0.7))
        best = _whole_items(*given)
        if 1.01 * greedy_packing(*given).value < best < fractional_packing(*given).value / 1.01:
            return dict(zip(("size", "saves", "room"), given, strict=True))


def _whole_items(size, saves, room):
    return float(exact_packing(size, saves, room, method="dynamic").value)


def _cut(size, saves, room, order):
    """Return what is saved if items are taken in an order, the last one cut."""
    before = np.cumsum(size[order]) - size[order]
    return float(saves[order] @ np.clip((room - before) / size[order], 0, 1))


def _until_full(size, saves, room):
    order = np.argsort(-saves / size, kind="stable")
    return float(saves[order][np.cumsum(size[order]) <= room].sum())


def _packed(greedy=None, best=None, bound=None):
    """Return a model of the table from functions of (size, saves, room)."""

    def model(size, saves, room):
        found = {
            "greedy": greedy or (lambda *given: greedy_packing(*given).value),
            "best": best or _whole_items,
            "bound": bound or (lambda *given: fractional_packing(*given).value),
        }
        return {name: float(of(size, saves, room)) for name, of in found.items()}

    return by_place(model)


packed = array(
    "packed",
    "What stays near",
    reference=_packed(),
    inputs=_items,
    points=4,
    unit="s",
    tolerance=0.002,
    mistakes=mistakes(
        _packed(best=lambda *g: greedy_packing(*g).value),
        "greedy taken for optimal: Your best is what greedy found. Try the other packings: there "
        "are few enough.",
        _packed(best=lambda *g: fractional_packing(*g).value),
        "cut items for the best: Your best has an item cut. Whole items can't reach that here.",
        _packed(bound=_whole_items),
        "nothing cut: Your bound cuts no item. What does the room that is left over save?",
        _packed(greedy=lambda *g: greedy_packing(*g, order="value").value),
        "largest saving first: Your greedy takes what saves most. A large item saves much and "
        "takes much room: rank by what matters per byte.",
        _packed(greedy=lambda *g: greedy_packing(*g, order="size").value),
        "smallest first: Your greedy takes the smallest first, whatever it saves.",
        _packed(greedy=_until_full),
        "stopped at the first that doesn't fit: Your greedy stops where the first item doesn't "
        "fit. A later one may.",
        _packed(bound=lambda m, v, c: _cut(m, v, c, np.argsort(-v))),
        "bound by saving: Your bound fills up by saving. By which rank is the filling the best "
        "there is if items can be cut?",
        _packed(bound=lambda m, v, c: c / m.sum() * v.sum()),
        "a share of each: Your bound holds the same share of every item. Is each worth its room?",
        _packed(bound=lambda m, v, c: c * (v / m).max()),
        "best density for all: Your bound fills all room at the best density. There is only so "
        "much of that item.",
    ),
)


def _dual(rng):
    time, gib = rng.uniform(1, 10), int(rng.choice([4, 8, 16, 32, 64]))
    return {
        "time": time,
        "tokens": int(rng.integers(16, 513)),
        "price": time * rng.uniform(0.12, 0.4) / (gib * GIB),
        "gib": gib,
    }


def _more(rate):
    """Return a model from a function of (seconds, tokens, seconds per byte, GiB)."""
    return by_place(lambda time, tokens, price, gib: float(rate(time, tokens, price, gib)))


price = number(
    "price",
    "What is memory worth?",
    reference=_more(lambda t, n, p, g: n / (t - p * g * GIB) - n / t),
    inputs=_dual,
    points=3,
    unit="tokens/s",
    mistakes=mistakes(
        _more(lambda t, n, p, g: n / (t - p * g * 1e9) - n / t),
        "GB for GiB: You bought GB of a thousand million bytes. Memory comes in powers of two.",
        _more(lambda t, n, p, g: n / (t - p * g) - n / t),
        "price in the wrong unit: You took the price for one of a GiB. It is in seconds for a "
        "byte.",
        _more(lambda t, n, p, g: n * p * g * GIB / t**2),
        "slope of the rate: You followed the slope of the rate. The price is that of time: the "
        "step shrinks along a straight line, its rate doesn't grow along one.",
        _more(lambda t, n, p, g: p * g * GIB),
        "seconds saved: That is by how many seconds the step shrinks.",
        _more(lambda t, n, p, g: n / (t - p * g * GIB)),
        "new rate: That is the rate with the new memory. How much more is it than today's?",
        _more(lambda t, n, p, g: n / t - n / (t + p * g * GIB)),
        "step made longer: You made the step longer by what the memory is worth.",
        _more(lambda t, n, p, g: n / (t - p * GIB) - n / t),
        "one GiB: You bought a single GiB.",
        _more(lambda t, n, p, g: p * g * GIB / t),
        "share of the step: That is by which share the step shrinks.",
        _more(lambda t, n, p, g: n * p * g * GIB),
        "price of each token: You paid the price once for each token. It is that of a step.",
        _more(lambda t, n, p, g: 1 / (t - p * g * GIB) - 1 / t),
        "steps for tokens: That is how many more steps a second there are. How many tokens has a "
        "step?",
    ),
)


def _tiers(rng):
    data, link = rng.uniform(100, 400) * 1e9, rng.uniform(20, 60) * 1e9
    gpu, drive = data * rng.uniform(0.1, 0.3), link * rng.uniform(0.1, 0.4)
    bend = (data - gpu) * (1 - drive / link)
    return {
        "data": data,
        "gpu": gpu,
        "host": bend * rng.uniform(0.4, 0.85),
        "drive": drive,
        "link": link,
    }


def _bends(price_=None, bend_=None):
    """Return a model of the table from functions of (data, GPU, host, drive, link)."""
    price_ = price_ or (lambda s, g, h, d, b: 1e9 / d)
    bend_ = bend_ or (lambda s, g, h, d, b: (s - g) * (1 - d / b))
    return by_place(lambda *given: {"price": float(price_(*given)), "bend": float(bend_(*given))})


bend = array(
    "bend",
    "Up to where is it worth that?",
    reference=_bends(),
    inputs=_tiers,
    points=3,
    mistakes=mistakes(
        _bends(bend_=lambda s, g, h, d, b: s - g),
        "until all fits: You let the price hold until nothing is left on the drive. Another "
        "channel becomes the slowest before.",
        _bends(bend_=lambda s, g, h, d, b: s * (1 - d / b)),
        "GPU's share forgotten: You let everything cross the link. What lies in the GPU doesn't.",
        _bends(bend_=lambda s, g, h, d, b: (s - g) * (1 - d / b) - h),
        "more than today: That is how much must be bought. How large is the host's memory then?",
        _bends(bend_=lambda s, g, h, d, b: (s - g) * d / b),
        "left on the drive: That is what is left on the drive at the bend. What is in the host?",
        _bends(price_=lambda s, g, h, d, b: GIB / d),
        "GiB for GB: Your price is that of a GiB.",
        _bends(price_=lambda s, g, h, d, b: 1 / d),
        "price in the wrong unit: Your price is that of a byte.",
        _bends(price_=lambda s, g, h, d, b: 1e9 / b),
        "price of the link: You kept a GB off the link. In the host it still has to cross it: "
        "which channel does it no longer keep busy?",
        _bends(price_=lambda s, g, h, d, b: 1e9 / d - 1e9 / b),
        "link taken off: You took off what the GB takes on the link. That is hidden behind the "
        "drive, as long as this is the slower one.",
        _bends(price_=lambda s, g, h, d, b: 1e9 / d + 1e9 / b),
        "both ways added: You let the GB keep two channels busy one after the other. They work at "
        "the same time.",
    ),
)


def _memories(rng):
    fast = rng.uniform(100, 400) * 1e9
    return {
        "data": rng.uniform(20, 200) * 1e9,
        "fast": fast,
        "slow": fast * rng.uniform(0.1, 0.45),
    }


def _woven(share=None, time=None):
    """Return a model of the table from functions of the rates, and of (bytes, rates)."""
    share = share or (lambda f, s: s / (f + s))
    time = time or (lambda m, f, s: m / (f + s))
    return by_place(lambda m, f, s: {"share": float(share(f, s)), "time": float(time(m, f, s))})


woven = array(
    "woven",
    "Two memories at once",
    reference=_woven(),
    inputs=_memories,
    points=3,
    mistakes=mistakes(
        _woven(lambda f, s: 0.5, lambda m, f, s: m / 2 / s),
        "one to one: You gave both memories the same. The fast one waits for the slow one.",
        _woven(lambda f, s: 0, lambda m, f, s: m / f),
        "all in the fast one: You left the slow memory empty. What it could carry meanwhile is "
        "lost.",
        _woven(lambda f, s: f / (f + s)),
        "shares exchanged: Your share is that of the fast memory.",
        _woven(lambda f, s: s / f),
        "ratio for share: You divided the slow rate by the fast one. Which share of the bytes?",
        _woven(time=lambda m, f, s: 2 * m / (f + s)),
        "in turn: You read the two memories one after the other.",
        _woven(time=lambda m, f, s: m / f),
        "fast memory for all: Your share is right, but you let the fast memory carry all bytes.",
        _woven(time=lambda m, f, s: m / s),
        "slow memory for all: Your share is right, but you let the slow memory carry all bytes.",
        _woven(lambda f, s: 1 / 3, lambda m, f, s: m / 3 / s),
        "two to one: You gave the fast memory twice as much, whatever the rates.",
    ),
)


def _adam(of):
    """Return a model from the bytes of a parameter."""
    return by_place(lambda billions, dram: 1e9 * billions * of / dram)


adam = number(
    "adam",
    "Adam's bytes",
    reference=_adam(28),
    inputs=lambda rng: {"billions": rng.uniform(1, 70), "dram": rng.uniform(50, 400) * 1e9},
    points=2,
    unit="s",
    mistakes=mistakes(
        _adam(14),
        "one direction forgotten: You counted one direction. What Adam has changed must go back.",
        _adam(16),
        "what is kept: You counted the bytes that a parameter occupies, gradient included. How "
        "many of them are read, and how many written?",
        _adam(24),
        "16 bits forgotten: You moved the three numbers of 32 bits there and back. A gradient "
        "comes in, and a weight goes out.",
        _adam(26),
        "one of the 16 bits forgotten: Either the gradient that comes in or the weight that goes "
        "out is missing.",
        _adam(30),
        "one too many of 16 bits: You read the weight of 16 bits as well, or the gradient in 32. "
        "Look up what Adam needs.",
        _adam(32),
        "all in 32 bits: You took the gradient and the weight that goes out for numbers of 32 "
        "bits.",
        _adam(20),
        "weights without their copy: You moved both moments, a gradient and a weight of 16 bits. "
        "Adam changes the weight of 32 bits.",
        _adam(12),
        "states once: You moved the three numbers of 32 bits once.",
        _adam(56),
        "everything twice: You counted each read and each write once for the sender and once for "
        "the receiver.",
    ),
)

# Level 3: which schedule hides it?


def _blocks(rng):
    fetch, compute = rng.uniform(0.5, 9, (2, int(rng.integers(6, 13))))
    return {"fetch": fetch, "compute": compute, "slots": int(rng.choice([1, 2, 2, 3]))}


def _shop(fetch, compute, slots):
    times = np.stack([positive("fetch", fetch), positive("compute", compute)], axis=1)
    return float(flow_shop_makespan(times, slots))


def _rounds(fetch, compute, slots):
    """Return the time where all slots are filled, then all emptied."""
    starts = range(0, len(fetch), slots)
    return sum(float(_shop(fetch[i : i + slots], compute[i : i + slots], slots)) for i in starts)


flow = function(
    "flow",
    "Build a fetch with few buffers",
    answer="fetched_and_computed",
    reference=_shop,
    inputs=_blocks,
    points=6,
    builds=("perfmodel.offloading.flow_shop_makespan", "perfmodel.offloading.run_flow_shop"),
    mistakes=mistakes(
        lambda f, c, k: _shop(f, c, np.inf),
        "buffers without end: Your fetches never wait. A block has to have somewhere to go.",
        lambda f, c, k: f.sum() + c.sum(),
        "one at a time: You fetch a block when the one before is computed, as with one buffer.",
        lambda f, c, k: _shop(f, c, k + 1),
        "one buffer more: It is as if you had one buffer more. Is yours free again as soon as its "
        "block is being computed? Computing reads it to the end.",
        lambda f, c, k: _shop(f, c, max(k - 1, 1)),
        "one buffer less: You have one buffer fewer than there are. The block in work needs one, "
        "and so does the one that is fetched.",
        lambda f, c, k: max(f.sum(), c.sum()),
        "overlap assumed perfect: You took the longer of all fetches and all computing. The first "
        "fetch hides behind nothing, nor does the last computation.",
        lambda f, c, k: f[0] + max(f.sum() - f[0], c.sum() - c[-1]) + c[-1],
        "no waiting in between: You fill at the beginning and empty at the end. In between, too, "
        "one waits for the other.",
        lambda f, c, k: f[0] + np.maximum(f[1:], c[:-1]).sum() + c[-1],
        "in step: You let each fetch begin together with a computation, and both wait for the "
        "longer one. Who has a buffer need not wait for that.",
        _rounds,
        "all buffers together: You fill all buffers, empty all of them, and fill again. Each can "
        "be filled as soon as it is free.",
    ),
    properties=[
        limit(
            "one buffer",
            (np.array([2.0, 1.0]), np.array([3.0, 5.0]), 1),
            0.5,
            "With one buffer nothing overlaps.",
        ),
        limit(
            "one block",
            (np.array([2.0]), np.array([3.0]), 2),
            0.5,
            "A single block is fetched and computed.",
        ),
        refuses(
            (np.array([2.0, 1.0]), np.array([3.0, 5.0]), 0),
            0.5,
            "No buffers deserve a ValueError.",
        ),
        refuses(
            (np.array([2.0, 0.0]), np.array([3.0, 5.0]), 2),
            0.5,
            "A fetch of 0 s deserves a ValueError.",
            "refuses a time of 0",
        ),
    ],
)


def _ordered(order):
    """Return a model from a function of the times, shape (blocks, 2), giving an order."""

    def model(fetch, compute):
        times = np.stack([fetch, compute], axis=1)
        return float(flow_shop_makespan(times[order(times)]))

    return by_place(model)


def _any_order(fetch, compute):
    """Return the mean over all orders."""
    times = np.stack([fetch, compute], axis=1)
    return float(flow_shop_makespan(times[list(permutations(range(len(times))))]).mean())


def _no_order_undercuts(fetch, compute):
    return float(flow_shop_bound(np.stack([fetch, compute], axis=1)))


def _unlike(rng):
    """Return blocks whose best order needs thought: no engine works without a break."""
    while True:
        fetch, compute = np.round(rng.uniform(1, 12, (2, 6)), 1)
        if _ordered(johnson_order)(fetch, compute) > 1.01 * _no_order_undercuts(fetch, compute):
            return {"fetch": fetch, "compute": compute}


johnson = number(
    "johnson",
    "In which order?",
    reference=_ordered(johnson_order),
    inputs=_unlike,
    points=3,
    unit="ms",
    tolerance=0.002,
    mistakes=mistakes(
        _ordered(lambda t: np.arange(len(t))),
        "as numbered: You took the blocks as they are numbered.",
        _ordered(lambda t: np.argsort(t[:, 0])),
        "shortest fetch first: You fetch the shortest first, all the way. The first computations "
        "start early, but what is left to do after the last fetch?",
        _ordered(lambda t: np.argsort(-t[:, 1])),
        "longest computation first: You compute the longest first, all the way. What happens "
        "until the first fetch is done?",
        _ordered(lambda t: johnson_order(t)[::-1]),
        "Johnson backward: Your order is the best one backward. That makes it the worst there is.",
        _ordered(lambda t: np.argsort(-t[:, 0])),
        "longest fetch first: You fetch the longest first, and nothing is computed meanwhile.",
        _ordered(lambda t: np.argsort(t.sum(axis=1))),
        "shortest block first: You ranked blocks by both times together. It matters which of the "
        "two is the longer.",
        _no_order_undercuts,
        "bound for the optimum: That is a bound: one engine works without a break, and the other "
        "adds its shortest piece. No order of yours reaches it.",
        lambda f, c: float(max(f.sum(), c.sum())),
        "overlap assumed perfect: You took the busier engine alone. It has to wait at one end.",
        lambda f, c: float(f.sum() + c.sum()),
        "nothing overlapped: You added everything up.",
        _any_order,
        "the mean order: That is what a random order takes on average.",
    ),
)


def _rows(rng):
    slots = int(rng.integers(2, 4))
    return {
        "times": rng.uniform(0.7, 1, 5) * rng.uniform(1, 10),
        "blocks": 1 + slots * int(rng.integers(5, 20)),
        "slots": slots,
    }


def _row(time):
    """Return a model from a function of (sum, maximum, blocks, slots)."""
    return by_place(lambda t, n, k: float(time(float(np.sum(t)), float(np.max(t)), n, k)))


buffers = number(
    "buffers",
    "Too few buffers",
    reference=by_place(lambda t, n, k: float(equal_jobs_makespan(t, n, k))),
    inputs=_rows,
    points=3,
    unit="s",
    mistakes=mistakes(
        _row(lambda s, m, n, k: s + (n - 1) * m),
        "buffers enough: That is the time with as many buffers as stages. Here a block waits until "
        "a buffer is free.",
        _row(lambda s, m, n, k: n * s),
        "one at a time: That is the time with one buffer.",
        _row(lambda s, m, n, k: n * s / k),
        "first block forgotten: Your pace is right, but the first block takes its whole way before "
        "the pace counts.",
        _row(lambda s, m, n, k: n * m),
        "overlap assumed perfect: You counted the slowest stage alone.",
        _row(lambda s, m, n, k: s + (n - 1) * (s - m) / k),
        "slowest stage for nothing: In your pace the slowest stage takes no time.",
        _row(lambda s, m, n, k: (n - 1) / k * (s + (k - 1) * m) + s),
        "all buffers together: You wait until all buffers are free before you fill the first "
        "again. A block can start as soon as one of them is.",
        _row(lambda s, m, n, k: s * (1 + (n - 1) / (k + 1))),
        "one buffer more: You let one block more go at a time than there are buffers. A block "
        "keeps its buffer from its first stage to its last.",
    ),
)


def _experts(rng):
    """Return experts of unlike sizes, for which the list from both ends isn't the best."""
    while True:
        fetch = np.where(rng.random(6) < 0.3, 0.0, np.round(rng.uniform(1, 5, 6), 1))
        host, device = np.round(rng.uniform(2, 9, 6), 1), round(rng.uniform(0.5, 2), 1)
        if _two_ended(host, fetch, device) > 1.01 * _shared(host, fetch, device):
            return {"host": host, "fetch": fetch, "device": device}


def _two_ended(host, fetch, device):
    return two_ended_list(HostDeviceJobs(host, device, fetch)).makespan


def _shared(host, fetch, device):
    return best_split(HostDeviceJobs(host, device, fetch)).makespan


def _in_turn(host, fetch, device):
    """Return the time of the rule where nothing is fetched while the GPU computes."""
    order = heavy_cached_first(HostDeviceJobs(host, device, fetch))
    return two_ended_list(HostDeviceJobs(host, fetch + device, 0.0), order).makespan


def _best_in_turn(host, fetch, device):
    return _shared(host, 0.0, fetch + device)


def _split(greedy=None, best=None):
    """Return a model of the table from functions of (host, fetch, device)."""
    greedy, best = greedy or _two_ended, best or _shared
    return by_place(lambda *given: {"greedy": float(greedy(*given)), "best": float(best(*given))})


def _cheapest(host, fetch, device):
    here = host < fetch + device
    return max(host[here].sum(), (fetch + device)[~here].sum())


experts = array(
    "experts",
    "Fetch it, or compute it where it is?",
    reference=_split(),
    inputs=_experts,
    points=4,
    unit="ms",
    tolerance=0.002,
    mistakes=mistakes(
        _split(best=_two_ended),
        "greedy taken for optimal: Your best is what the list from both ends found. There are 64 "
        "ways to share six experts: try them.",
        _split(greedy=_shared),
        "optimum for greedy: Your greedy is as good as the best. Follow the rule to the letter.",
        _split(greedy=_in_turn),
        "greedy without overlap: In your greedy the link waits for the GPU. It brings the next "
        "expert while the GPU computes.",
        _split(_in_turn, _best_in_turn),
        "nothing overlapped: In both of yours the link waits for the GPU. It brings the next "
        "expert while the GPU computes.",
        _split(best=_best_in_turn),
        "best without overlap: In your best the link waits for the GPU. It brings the next expert "
        "while the GPU computes.",
        _split(best=lambda h, f, d: d * len(h) + f.sum()),
        "fetch and compute in turn: Your best lets the GPU do everything, one thing after the "
        "other.",
        _split(best=lambda h, f, d: h.sum()),
        "all on the host: Your best leaves everything to the host.",
        _split(best=lambda h, f, d: max(h[f > 0].sum(), d * (f == 0).sum())),
        "each where it lies: Your best computes each expert where it lies. The GPU idles long "
        "enough to fetch one.",
        _split(best=_cheapest),
        "each where it is faster: Your best sends each expert where it is sooner done by itself. "
        "Two machines should be done at the same time.",
        _split(best=lambda h, f, d: _shared(h, 0.0, d)),
        "link for nothing: Your best lets the weights come in no time.",
    ),
)

AGAIN = ("swap", "recompute")


def _kept(rng):
    link, rate, hidden = (
        10 ** rng.uniform(10.1, 10.8),
        10 ** rng.uniform(13.5, 14.7),
        rng.uniform(0.2, 0.7),
    )
    tie = 2 * (1 - hidden) * rate / link
    return {
        "flop_per_byte": tie * np.exp(rng.choice([-1, 1]) * rng.uniform(0.1, 1)),
        "link": link,
        "rate": rate,
        "hidden": hidden,
    }


def _again(tie):
    """Return a model of the choice from a function of (FLOP/s over bytes/s, share hidden)."""

    def model(flop_per_byte, link, rate, hidden):
        border = float(tie(rate / link, hidden))
        return AGAIN[int(flop_per_byte < border)], border

    return by_place(model)


again = choice(
    "again",
    "Keep it below, or compute it again?",
    choices=AGAIN,
    reference=_again(lambda r, h: 2 * (1 - h) * r),
    inputs=_kept,
    points=3,
    unit="FLOP/byte",
    mistakes=mistakes(
        _again(lambda r, h: 2 * r),
        "nothing hidden: You let the whole swapping be felt. A part of it is hidden.",
        _again(lambda r, h: (1 - h) * r),
        "one way: You moved the bytes one way. They go out and come back, at different times.",
        _again(lambda r, h: 0 * r),
        "overlap assumed perfect: You let swapping cost nothing at all. A share of it is hidden, "
        "not all.",
        _again(lambda r, h: 2 * h * r),
        "hidden exchanged: You charged the part that is hidden. It is the other part that is felt.",
        _again(lambda r, h: 2 * r / (1 - h)),
        "computing hidden: You hid computing behind swapping. The statement hides swapping.",
        _again(lambda r, h: (2 - h) * r),
        "one way hidden: You hid a share of one way only.",
        _again(lambda r, h: r),
        "ridge point: That is where the link takes as long as computing, once over the link and "
        "nothing hidden.",
        _again(lambda r, h: 4 * (1 - h) * r),
        "two bytes: You gave FLOP for a number of two bytes. The statement counts them for a byte.",
    ),
)

# Level 4: blocks and caches


def _served(rng):
    return {
        "weights_gib": rng.uniform(50, 400),
        "batch": int(rng.choice([8, 16, 32, 48])),
        "batches": int(rng.integers(3, 13)),
        "tokens": int(rng.choice([24, 32, 48, 64])),
    }


def _per_token(times, unit=GIB):
    """Return a model from how many weights are moved for a token, of (batch, batches, tokens)."""
    return by_place(lambda w, b, k, n: float(w * unit * times(b, k, n)))


per_token = number(
    "per_token",
    "Weights for a token",
    reference=_per_token(lambda b, k, n: 1 / (b * k)),
    inputs=_served,
    points=2,
    unit="bytes",
    mistakes=mistakes(
        _per_token(lambda b, k, n: 1 / (b * k), 1e9),
        "GB for GiB: You took a GiB for a thousand million bytes.",
        _per_token(lambda b, k, n: 1 / b),
        "batch by batch: You loaded the weights for each batch anew. A block shares a load.",
        _per_token(lambda b, k, n: 1 / k),
        "sequences of a batch forgotten: You shared a load among the batches. How many sequences "
        "has each of them?",
        _per_token(lambda b, k, n: 1 / (b * k * n)),
        "loaded once: You loaded the weights once for the whole answer. They don't fit, so that "
        "each token needs them anew.",
        _per_token(lambda b, k, n: n / (b * k)),
        "bytes of a sequence: That is what is moved for all tokens of a sequence.",
        _per_token(lambda b, k, n: 1),
        "all for each token: You moved all weights for each token of each sequence.",
        _per_token(lambda b, k, n: 1 / n),
        "tokens for sequences: You shared a load among the tokens of a sequence. They come one "
        "after the other, and the weights are gone in between.",
        _per_token(lambda b, k, n: 2 / (b * k)),
        "both directions: You let the weights go back as well. Nobody has changed them.",
        _per_token(lambda b, k, n: 1 / (b + k)),
        "batch and batches added: You added what should be multiplied: how many sequences share a "
        "load?",
    ),
)


def _long_run(rng):
    return {
        "width": int(rng.choice([4096, 5120, 7168, 9216, 12288])),
        "layers": int(rng.choice([32, 40, 48, 64, 96])),
        "prompt": int(rng.integers(20, 150)),
        "tokens": int(rng.integers(12, 65)),
        "sequences": int(rng.integers(16, 400)),
    }


def _cached(positions=None, each=lambda h, layers, b: 4 * h * layers * b):
    """Return a model from functions: tokens' caches moved of (s, n), bytes of a token."""
    positions = positions or (lambda s, n: s * n + n * (n - 1) / 2)
    return by_place(lambda h, layers, s, n, b: float(each(h, layers, b) * positions(s, n)))


cache_moved = number(
    "cache_moved",
    "Keys and values on the way",
    reference=_cached(),
    inputs=_long_run,
    points=3,
    unit="bytes",
    tolerance=0.003,
    mistakes=mistakes(
        _cached(each=lambda h, layers, b: 4 * h * layers),
        "cache without the batch: You moved the cache of a single sequence.",
        _cached(each=lambda h, layers, b: 2 * h * layers * b),
        "keys only: You moved keys and left the values.",
        _cached(each=lambda h, layers, b: 4 * h * b),
        "one layer: You moved the cache of one layer.",
        _cached(lambda s, n: s * n),
        "answer forgotten: Your cache stays as long as the prompt. It grows with each token.",
        _cached(lambda s, n: (s + n) * n),
        "always full: You read the whole cache for each token. At the first token it holds the "
        "prompt only.",
        _cached(lambda s, n: s + n),
        "moved once: You moved each key and value once. For each token all of them are read.",
        _cached(lambda s, n: s * (n - 1) + (n - 1) * (n - 2) / 2),
        "reads only: You counted what is read. What is written moves as well.",
        _cached(lambda s, n: 2 * (s * n + n * (n - 1) / 2)),
        "one direction counted twice: You wrote back the whole cache after each token, or gave a "
        "number 32 bits. Only the new token's is new, and 16 bits are two bytes.",
        _cached(lambda s, n: s * (n + 1) + n * (n + 1) / 2),
        "one pass too many: You made one pass too many. The first token of the answer comes from "
        "the pass that reads the prompt.",
        _cached(lambda s, n: n * (n - 1) / 2),
        "prompt forgotten: Your cache is empty at first. The prompt fills it.",
    ),
)


def _block_run(rng):
    prompt, tokens = int(rng.integers(2, 60)), int(rng.integers(3, 40))
    return {
        "batches": int(rng.integers(5, 60)),
        "layers": int(rng.integers(2, 97)),
        "prompt": prompt,
        "tokens": tokens,
        "capacity": int((prompt + tokens - 1) * rng.uniform(1.6, 9)),
    }


def _loads(batches, layers, prompt, tokens, capacity):
    return zig_zag_loads(batches, layers, prompt + np.arange(whole("tokens", tokens, 1)), capacity)


def _by_block(blocks):
    """Return a model from the number of blocks, of (batches, prompt, tokens, capacity)."""
    return lambda batches, layers, s, n, room: layers * n * blocks(batches, s, n, room)


def _fitting(prompt, tokens, room):
    return room // (prompt + tokens - 1)


block_loads = function(
    "block_loads",
    "Build the loads of a block",
    answer="block_loads",
    reference=_loads,
    inputs=_block_run,
    points=5,
    builds="perfmodel.offloading.zig_zag_loads",
    mistakes=mistakes(
        _by_block(lambda b, s, n, room: b),
        "row by row: You load each layer for each batch. A block shares a load.",
        _by_block(lambda b, s, n, room: 1),
        "all in one block: You took all batches in one block. Their caches must have room.",
        lambda b, layers, s, n, room: layers * ceil(b / _fitting(s, n, room)),
        "tokens forgotten: You load each layer once for a block. After the last layer the first "
        "is needed again, for the next token.",
        _by_block(lambda b, s, n, room: ceil(b / (room // s))),
        "room at the prompt: Your block fits after the prompt, and at the last token no longer.",
        _by_block(lambda b, s, n, room: ceil(b / (room // (s + n) or 1))),
        "a token too many: Your cache has a token too many at the last pass. At the first it has "
        "the prompt's only.",
        _by_block(lambda b, s, n, room: ceil(b / (room // (s + (n - 1) / 2)))),
        "mean cache: Your block fits on average. All of its caches are full at the same time.",
        _by_block(lambda b, s, n, room: b // _fitting(s, n, room)),
        "last block forgotten: Your last block is missing where it isn't full.",
        _by_block(lambda b, s, n, room: b / _fitting(s, n, room)),
        "part of a load: You count a part of a load for the last block. A layer is loaded or not.",
        _by_block(lambda b, s, n, room: ceil(b / (room / (s + n - 1)))),
        "part of a batch: Your block holds a part of a batch.",
        _by_block(lambda b, s, n, room: ceil(b / ceil(room / (s + n - 1)))),
        "one batch too many: Your block is rounded up, and the last batch has no room.",
        lambda b, layers, s, n, room: n * ceil(b / _fitting(s, n, room)),
        "layers forgotten: You load the model as one piece. Count loads of layers.",
        lambda b, layers, s, n, room: loads_bound(b, layers, s + np.arange(n), room),
        "bound for the block: You divided what all caches need by the room, as in the bound that "
        "no order undercuts. A block doesn't reach it.",
    ),
    properties=[
        limit("all fit", (3, 4, 5, 6, 1000), 0.5, "With room for all there is one block."),
        limit("one token", (7, 2, 5, 1, 10), 0.5, "With one token the cache is the prompt's."),
        refuses((3, 4, 5, 6, 9), 0.5, "No room for a single batch deserves a ValueError."),
    ],
)


def _two_lengths(rng):
    prompt = int(rng.integers(200, 2000))
    return {"prompt": prompt, "tokens": int(prompt * np.exp(rng.uniform(-0.7, 1.5)))}


def _gain(ratio):
    """Return a model from a function of (prompt, tokens)."""
    return by_place(lambda s, n: float(ratio(s, n)))


gain = number(
    "gain",
    "How much better can an order be?",
    reference=by_place(lambda s, n: float(diagonal_gain(s, n))),
    inputs=_two_lengths,
    points=3,
    mistakes=mistakes(
        _gain(lambda s, n: 2),
        "bound for the value: Two is what it can't exceed, with an answer much longer than the "
        "prompt. Yours has a prompt.",
        _gain(lambda s, n: (s + n) / s),
        "against the first token: You compared the last token's cache with the first one's. The "
        "other order has batches at all tokens.",
        _gain(lambda s, n: (2 * s + 2 * n) / (s + 2 * n)),
        "prompt and answer exchanged: You let the prompt come little by little. It is there at "
        "once; the answer grows.",
        _gain(lambda s, n: (2 * s + n) / (2 * s)),
        "mean against the first: You compared the mean with the first token.",
        _gain(lambda s, n: n / (2 * s + n)),
        "gain alone: That is by how much the other order is better. How many times the loads?",
        _gain(lambda s, n: (s + n) / n),
        "against the answer: You compared the full cache with the answer's part of it.",
        _gain(lambda s, n: (2 * s + 2 * n) / (2 * s + n) * 2),
        "one direction counted twice: You counted each load twice.",
    ),
)


def _references(rng):
    count = int(rng.integers(18, 30))
    weights = 1 / np.arange(1, 8)
    return {
        "trace": rng.choice(7, count, p=weights / weights.sum()),
        "sizes": np.arange(1, 6),
    }


def _hits(trace, sizes):
    return lru_hit_ratio(stack_distances(trace), sizes)


def _played(policy):
    """Return a model that plays the trace through a cache of each size."""
    return by_place(
        lambda trace, sizes: np.array(
            [simulate_cache(trace, int(size), policy).hit_ratio for size in sizes]
        )
    )


def _in_time(trace, sizes):
    """Return hit ratios from how long ago each object was used, others counted again and again."""
    last, ago = {}, []
    for now, one in enumerate(trace):
        ago.append(now - last.get(one, -np.inf))
        last[one] = now
    return (np.array(ago)[:, None] <= sizes).mean(axis=0)


def _warm(trace, sizes):
    known = np.isfinite(stack_distances(trace))
    return _hits(trace, sizes) / known.mean()


def _first_hits(trace, sizes):
    return _hits(trace, sizes) + np.isinf(stack_distances(trace)).mean()


hits = function(
    "hits",
    "Build the hit ratio at every size",
    answer="lru_hit_ratios",
    reference=_hits,
    inputs=_references,
    points=6,
    builds=(
        "perfmodel.offloading.lru_hit_ratio",
        "perfmodel.offloading.stack_distances",
        "perfmodel.offloading.simulate_cache",
    ),
    mistakes=mistakes(
        lambda t, c: _hits(t, c - 1),
        "distance one too large: Your cache of one place never hits. An object used twice in a row "
        "is still there.",
        lambda t, c: _hits(t, c + 1),
        "distance one too small: Your cache has a place too many. Count the object itself among "
        "those that must have room.",
        _in_time,
        "time for distance: You counted the references in between. An object used three times in "
        "between takes one place.",
        _played("FIFO"),
        "first in, first out: You throw out what came first. LRU throws out what was not used for "
        "longest.",
        _played("LFU"),
        "least frequently used: You throw out what was used least often.",
        _played("optimal"),
        "Belady for LRU: You throw out what is needed last, which takes knowing the future.",
        _warm,
        "first uses left out: You divided by the references to objects seen before. All references "
        "count.",
        _first_hits,
        "first uses as hits: You counted the first use of an object as a hit.",
        lambda t, c: 1 - _hits(t, c),
        "misses: Those are the shares of misses.",
        lambda t, c: _hits(t, c) * len(t),
        "number of hits: Those are numbers of hits. Which share of the references?",
    ),
    properties=[
        limit(
            "room for all",
            (np.array([0, 1, 2, 0, 1, 2]), np.array([3, 10])),
            0.5,
            "With room for all, only first uses miss.",
        ),
        limit(
            "loop",
            (np.array([0, 1, 2, 0, 1, 2]), np.array([2])),
            0.5,
            "Round and round with one place too few: LRU never hits.",
        ),
        refuses(
            (np.array([0, 1, 0]), np.array([-1])), 0.5, "A size below 0 deserves a ValueError."
        ),
    ],
)


def _loop_case(rng):
    layers = int(rng.integers(10, 41))
    return {"layers": layers, "room": int(layers * rng.uniform(0.4, 0.8))}


def _loop(lru=None, best=None):
    """Return a model of the table from functions of (layers, room)."""
    lru, best = lru or (lambda n, c: 0), best or (lambda n, c: (c - 1) / (n - 1))
    return by_place(lambda n, c: {"lru": float(lru(n, c)), "best": float(best(n, c))})


loop = array(
    "loop",
    "Round and round",
    reference=_loop(),
    inputs=_loop_case,
    points=3,
    tolerance=0.002,
    mistakes=mistakes(
        _loop(lru=lambda n, c: c / n),
        "LRU as its share: You let LRU hit as often as there is room. Which layer was not used for "
        "longest when a new one comes?",
        _loop(lru=lambda n, c: (c - 1) / (n - 1)),
        "LRU taken for optimal: You let LRU do as well as the best. Play a few layers.",
        _loop(best=lambda n, c: c / n),
        "all places kept: You keep as many layers as there are places, for ever. Where does the "
        "layer go that is fetched and used?",
        _loop(best=lambda n, c: (c - 1) / n),
        "one place for fetching: You keep all but one place for ever, and fetch through the last. "
        "That is good; throwing out always the layer just used is better by a little: it isn't "
        "the same one that is missed each time.",
        _loop(lambda n, c: (c - 1) / (n - 1), lambda n, c: 0),
        "names exchanged: Your two values have each other's names.",
        _loop(best=lambda n, c: 0),
        "best never hits: You let the best miss all the time. It may keep what it likes.",
        _loop(best=lambda n, c: 1 - (c - 1) / (n - 1)),
        "misses for hits: Your best is the share of misses.",
        _loop(best=lambda n, c: 1),
        "best never misses: You let the best never miss. It knows the future, but has no more "
        "room.",
    ),
)


def _popular(rng):
    hot, cold = int(rng.integers(10, 40)), int(rng.integers(150, 500))
    return {
        "hot": hot,
        "cold": cold,
        "share": rng.uniform(0.5, 0.85),
        "size": int(hot * rng.uniform(0.8, 2)),
    }


def _popularity(hot, cold, share):
    return np.repeat([share / hot, (1 - share) / cold], [hot, cold])


def _che(ratio):
    """Return a model from a function of (popularity of each object, size, hot objects)."""
    return by_place(
        lambda hot, cold, share, size: float(ratio(_popularity(hot, cold, share), size, hot))
    )


def _for_a_time(p, time):
    return p @ -np.expm1(-p * time)


che = number(
    "che",
    "A cache that everybody shares",
    reference=_che(lambda p, c, h: independent_hit_ratio(p, c)),
    inputs=_popular,
    points=3,
    mistakes=mistakes(
        _che(lambda p, c, h: np.sort(p)[::-1][:c].sum()),
        "most popular kept: You keep the most popular objects for ever. LRU doesn't know them, and "
        "lets the others in.",
        _che(lambda p, c, h: c / len(p)),
        "all alike: You let every object be held as often as any other.",
        _che(lambda p, c, h: _for_a_time(p, c)),
        "size for the time: You let an object stay for as many references as there are places. One "
        "that is used again keeps its place and doesn't take another.",
        _che(lambda p, c, h: p[:h].sum()),
        "hot ones always there: You let the hot objects always hit and the cold ones never.",
        _che(lambda p, c, h: independent_hit_ratio(p, c, "FIFO")),
        "first in, first out: You let an object's time run from when it came in. With LRU each use "
        "starts it anew.",
        _che(lambda p, c, h: independent_hit_ratio(p[:h] / p[:h].sum(), min(c, h - 1))),
        "hot ones among themselves: You left the cold objects out. They take places.",
    ),
)


def _reuses(rng):
    gaps = rng.lognormal(rng.uniform(3.5, 5), 1.2, int(rng.integers(12, 25))).round(1)
    first = int(rng.integers(6, 15))
    return {
        "gaps": gaps,
        "first_uses": first,
        "rate": rng.uniform(20, 200),
        "window": float(np.median(gaps) * rng.uniform(0.6, 1.6)),
    }


def _reach(blocks=None, hits=None):
    """Return a model of (blocks, hit ratio) from functions of all gaps, rate and window."""
    blocks = blocks or (lambda g, r, w: r * np.minimum(g, w).mean())
    hits = hits or (lambda g, r, w: (g <= w).mean())

    def model(gaps, first_uses, rate, window):
        every = np.concatenate([gaps, np.full(first_uses, np.inf)])
        found = {"blocks": blocks, "hit_ratio": hits}
        return {name: float(part(every, rate, window)) for name, part in found.items()}

    return model


reach = array(
    "reach",
    "How far back does a cache of prompts reach?",
    reference=_reach(),
    inputs=_reuses,
    points=3,
    tolerance=0.002,
    mistakes=mistakes(
        _reach(blocks=lambda g, r, w: r * w),
        "every reference a block: You counted a block as often as it is used in the window.",
        _reach(blocks=lambda g, r, w: r * w * (g > w).mean()),
        "misses times the window: A block that is used again also counts, until its next use. "
        "Integrate 1 - H from 0 to the window.",
        _reach(
            blocks=lambda g, r, w: r * np.minimum(g, w)[np.isfinite(g)].mean(),
            hits=lambda g, r, w: (g[np.isfinite(g)] <= w).mean(),
        ),
        "first uses left out: First uses are references too. They miss, and their blocks take up "
        "memory.",
        _reach(hits=lambda g, r, w: (g > w).mean()),
        "misses for hits: That is the share of misses.",
        _reach(hits=lambda g, r, w: (g[np.isfinite(g)] <= w).mean()),
        "share of the reuses: Your hit ratio is a share of the reuses. First uses are references "
        "as well.",
    ),
)


def _own_example(rng):
    copy, compute = rng.uniform(0.02, 0.2, 7), rng.uniform(0.02, 0.2, 7)
    share = np.clip(rng.normal(0.7, 0.1, 7), 0.3, 1)
    return {
        "copy": copy,
        "compute": compute,
        "both": copy + compute - share * np.minimum(copy, compute),
    }


def _implausible(copy, compute, both):
    if not ((copy > 0).all() and (compute > 0).all() and (both > 0).all()):
        return "Every time must be above 0."
    if (both < 0.8 * np.maximum(copy, compute)).any():
        return "Both together can't be done before the longer of the two: measure again."
    if (both > 3 * (copy + compute)).any():
        return "Both together took more than three times as long as in turn: measure again."
    if len(set((copy / compute).tolist())) < len(copy):
        return "Two measurements are the same: copy other sizes."
    return ""


def _own(share):
    """Return a model from a function of the arrays (copy, compute, both)."""
    return by_place(lambda a, b, t: float(share(a, b, t)))


own_overlap = measured(
    "own_overlap",
    "What your machine hides",
    columns=("copy", "compute", "both"),
    reference=_own(lambda a, b, t: np.median((a + b - t) / np.minimum(a, b))),
    example=_own_example,
    least=5,
    plausible=_implausible,
    points=3,
    tolerance=0.005,
    mistakes=mistakes(
        _own(lambda a, b, t: np.mean((a + b - t) / np.minimum(a, b))),
        "mean: That is the mean. One disturbed measurement moves it.",
        _own(lambda a, b, t: (a + b - t).sum() / np.minimum(a, b).sum()),
        "sums: You added all times up first. The longest measurements decide.",
        _own(lambda a, b, t: np.median((a + b - t) / np.maximum(a, b))),
        "over the longer: You divided by the longer of the two. What can be hidden is the shorter.",
        _own(lambda a, b, t: np.median((a + b - t) / (a + b))),
        "of the sum: You divided by both. At most the shorter can be hidden.",
        _own(lambda a, b, t: np.median(np.maximum(a, b) / t)),
        "of the ideal speed: That is how near the step comes to the longer of the two.",
        _own(lambda a, b, t: np.median((a + b) / t)),
        "speedup: That is how many times as fast both are at the same time as in turn.",
        _own(lambda a, b, t: np.median((a + b - t) / a)),
        "of the copy: You divided by the copy, also where computing is the shorter.",
        _own(lambda a, b, t: np.median((a + b - t) / b)),
        "of the computing: You divided by the computing, also where the copy is the shorter.",
        _own(lambda a, b, t: np.median(a + b - t) / np.median(np.minimum(a, b))),
        "ratio of medians: You divided two medians. Take the share of each measurement first.",
    ),
)

bank = Bank(
    "offloading",
    "When it doesn't fit",
    [
        fits,
        hidden,
        busiest,
        hidden_share,
        chunks,
        drives,
        packed,
        price,
        bend,
        woven,
        adam,
        flow,
        johnson,
        buffers,
        experts,
        again,
        per_token,
        cache_moved,
        block_loads,
        gain,
        hits,
        loop,
        che,
        reach,
        own_overlap,
    ],
)
