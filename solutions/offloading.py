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
        "GB for GiB: You converted with 1 GB = a thousand million bytes. The question asks for "
        "GiB. How many bytes has a GiB?",
        _needs(lambda n, w, t, b: 4 * n * w * t),
        "cache without the batch: You counted the keys and values of a single sequence. Every "
        "sequence has its own.",
        _needs(lambda n, w, t, b: 2 * n * w * t * b),
        "keys only: You counted one number where a token keeps two. It keeps a key and a value.",
        _needs(lambda n, w, t, b: 4 * w * t * b),
        "one layer: You counted the keys and values of one layer. Every layer has its own.",
        _needs(weights=lambda p: 0),
        "weights forgotten: You counted the cache only. The weights need memory, too.",
        _needs(lambda n, w, t, b: 0),
        "cache forgotten: You counted the weights only. The keys and values need memory, too.",
        _needs(weights=lambda p: p),
        "one byte a weight: You gave a weight one byte. How many has a number of 16 bits?",
        _needs(weights=lambda p: 4 * p),
        "weights in 32 bits: You gave each weight 32 bits. How many bits does the statement give "
        "it?",
        _needs(weights=lambda p: 16 * p),
        "states of training: You counted the bytes of training, with gradients and an optimizer. "
        "Here the model only generates.",
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
        "both directions for one: You let the weights arrive at the rate of both directions "
        "together. Weights travel in one direction.",
        _tokens(lambda w, r, d: w * r / (0.45 * d)),
        "one FLOP a weight: Your link is right, but you counted one FLOP for each weight. A weight "
        "is multiplied, and the product is added.",
        _tokens(lambda w, r, d: w * r / d),
        "half of the quoted rate: You used half of the quoted rate for one direction, or all of it "
        "with one FLOP per weight. One direction carries 45 %, and a weight takes two FLOP.",
        _tokens(lambda w, r, d: r / (0.9 * d)),
        "bytes of a weight forgotten: Your answer doesn't depend on the bits of a weight. Fewer "
        "bits arrive faster.",
        _tokens(lambda w, r, d: 8 * w * r / (0.9 * d)),
        "bits for bytes: You sent bits over a link that is counted in bytes. How many bits has a "
        "byte?",
        _tokens(lambda w, r, d: 2 * r / (0.9 * d)),
        "two bytes in any case: You gave each weight 16 bits. Use the size given here.",
        _tokens(lambda w, r, d: r / (0.9 * w * d)),
        "bytes upside down: In your answer larger weights are hidden with fewer tokens. They take "
        "longer to arrive, for the same work.",
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
        "one direction counted twice: You added what goes to the GPU and what comes back. The link "
        "carries both at the same time.",
        _busy(whole_step=sum),
        "nothing overlapped: You added up the channels. They all work at the same time, so take "
        "the longest.",
        _busy(link=lambda there, back: there + back, whole_step=sum),
        "everything in turn: You let one thing happen at a time, even the two directions of the "
        "link. All of them overlap.",
        _busy(whole_step=lambda times: sum(times) / 3),
        "mean channel: You took the mean of the channels. The step ends with the longest one.",
        _busy(whole_step=min),
        "first one done: You took the channel that finishes first. The step ends with the longest "
        "one.",
        _busy(whole_step=lambda times: float(np.linalg.norm(times))),
        "norm: You combined the channels by a norm. With perfect overlap, the longest one alone "
        "sets the time.",
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
        "of all work: You divided by all the work. The work of the slowest channel can't be hidden "
        "behind anything.",
        _overlap(lambda s, m, t, low: m / t),
        "of the ideal speed: That is the ideal time over the measured one. It isn't 0 without "
        "overlap. How many of the seconds that could be saved were saved?",
        _overlap(lambda s, m, t, low: (s - t) / m),
        "of the slowest channel: You divided by the time of the slowest channel. What could be "
        "hidden is the work of the others.",
        _overlap(lambda s, m, t, low: (s - t) / t),
        "of the step: You divided the hidden time by the measured step. Divide by the time that "
        "could be hidden.",
        _overlap(lambda s, m, t, low: (s - t) / (s - low)),
        "behind the fastest: You let all channels hide behind the fastest one. Behind which "
        "channel can the others hide?",
        _overlap(lambda s, m, t, low: t / s),
        "of the sum: That is the step as a fraction of the sum. How many of the seconds that could "
        "be saved were saved?",
        _overlap(lambda s, m, t, low: (s - m) / s),
        "could be hidden: That is what could be hidden, as a fraction of the work. How much of it "
        "was hidden?",
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
        "overlap assumed perfect: That is the time of the slowest channel. Its first chunk must "
        "reach it, and its last chunk must pass the channels after it.",
        lambda t, n: t.sum(),
        "nothing overlapped: You added up the channels. Different channels work on different "
        "chunks at the same time.",
        lambda t, n: t.sum() + (n - 1) * t.max(),
        "chunks as long as the step: You gave each chunk the time of the whole step. How long does "
        "one chunk take?",
        lambda t, n: t.sum() / n,
        "divided by the chunks: You divided all the work by the number of chunks. Each channel "
        "must still do all of its own work.",
        lambda t, n: t.max() + t.sum() / n,
        "slowest channel counted twice: Your first chunk passes all channels, and then the slowest "
        "channel does all of its work again. It has already done one chunk.",
        lambda t, n: t.max() * (1 + (t.size - 1) / n),
        "all as slow: You made all channels as slow as the slowest. A chunk passes each channel at "
        "its own speed.",
        lambda t, n: t.sum() / n + (n - 1) / n * t.mean(),
        "mean channel: After the first chunk, yours follow at the interval of the mean channel. "
        "The slowest channel sets the interval.",
        lambda t, n: t.sum() / n + (n - 1) / n * t[-1],
        "last channel's pace: Your chunks leave at the interval of the last channel. This channel "
        "may wait for another one.",
        lambda t, n: t.sum() / n + (n - 1) / n * t[0],
        "first channel's pace: Your chunks leave at the interval at which they enter. A queue can "
        "grow in between.",
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
        "as many times as drives: You let the step get faster in proportion to the drives. Which "
        "channel takes longest afterwards?",
        _faster(sum, sum),
        "nothing overlapped: You added up the channels before and after. They overlap, so take the "
        "longest.",
        _faster(lambda t: max(t[0], t[2])),
        "link forgotten: You left out the link. The data still cross it.",
        _faster(lambda t: sum(t) / 3),
        "mean channel: You took the mean of the channels after the purchase. The slowest channel "
        "counts.",
        _faster(max, sum),
        "overlap from now on: You added up the channels before the purchase and overlapped them "
        "after it. They overlap in both cases.",
        _faster(sum, max),
        "overlap lost: You overlapped the channels before the purchase and added them up after it. "
        "They overlap in both cases.",
        _faster(lambda t: float(np.linalg.norm(t)), lambda t: float(np.linalg.norm(t))),
        "norm: You combined the channels by a norm. With perfect overlap, the longest one alone "
        "sets the time.",
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
        "greedy taken for optimal: Your best value is what the greedy rule found. Try all choices: "
        "there are few enough.",
        _packed(best=lambda *g: fractional_packing(*g).value),
        "cut items for the best: Your best value cuts an item. It must consist of whole items.",
        _packed(bound=_whole_items),
        "nothing cut: Your bound cuts no item. What does the remaining memory save?",
        _packed(greedy=lambda *g: greedy_packing(*g, order="value").value),
        "largest saving first: Your greedy takes the item that saves most. A large item also takes "
        "much memory: rank by seconds per GB.",
        _packed(greedy=lambda *g: greedy_packing(*g, order="size").value),
        "smallest first: Your greedy takes the smallest item first, whatever it saves. Rank by "
        "seconds per GB.",
        _packed(greedy=_until_full),
        "stopped at the first that doesn't fit: Your greedy stops at the first item that doesn't "
        "fit. A later one may fit.",
        _packed(bound=lambda m, v, c: _cut(m, v, c, np.argsort(-v))),
        "bound by saving: Your bound fills the memory by saving. If items can be cut, which "
        "ranking gives the best filling?",
        _packed(bound=lambda m, v, c: c / m.sum() * v.sum()),
        "a share of each: Your bound keeps the same fraction of every item. Which items are worth "
        "their memory?",
        _packed(bound=lambda m, v, c: c * (v / m).max()),
        "best density for all: Your bound fills all memory at the best seconds per GB. There is "
        "only a limited amount of that item.",
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
        "GB for GiB: You converted with 1 GB = a thousand million bytes. How many bytes has a GiB?",
        _more(lambda t, n, p, g: n / (t - p * g) - n / t),
        "price in the wrong unit: You used the price as seconds per GiB. It is in seconds per "
        "byte.",
        _more(lambda t, n, p, g: n * p * g * GIB / t**2),
        "slope of the rate: You used the slope of the throughput. The price is the slope of the "
        "time: the time falls along a straight line, but the throughput doesn't rise along one.",
        _more(lambda t, n, p, g: p * g * GIB),
        "seconds saved: That is by how many seconds the step shrinks. How many tokens/s more is "
        "this?",
        _more(lambda t, n, p, g: n / (t - p * g * GIB)),
        "new rate: That is the new throughput. How much higher is it than today's?",
        _more(lambda t, n, p, g: n / t - n / (t + p * g * GIB)),
        "step made longer: You made the step longer. More memory makes it shorter.",
        _more(lambda t, n, p, g: n / (t - p * GIB) - n / t),
        "one GiB: You bought a single GiB.",
        _more(lambda t, n, p, g: p * g * GIB / t),
        "share of the step: That is by which fraction the step shrinks. The question asks for "
        "tokens/s.",
        _more(lambda t, n, p, g: n * p * g * GIB),
        "price of each token: You counted the price once for each token. It is for one step, which "
        "generates several tokens.",
        _more(lambda t, n, p, g: 1 / (t - p * g * GIB) - 1 / t),
        "steps for tokens: That is how many more steps per second there are. How many tokens has a "
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
        "until all fits: You let the price hold until the drive is empty. The link becomes the "
        "slower channel before that.",
        _bends(bend_=lambda s, g, h, d, b: s * (1 - d / b)),
        "GPU's share forgotten: You let all data cross the link. What is in the GPU doesn't.",
        _bends(bend_=lambda s, g, h, d, b: (s - g) * (1 - d / b) - h),
        "more than today: That is how much memory must be bought. How large is the host's memory "
        "then?",
        _bends(bend_=lambda s, g, h, d, b: (s - g) * d / b),
        "left on the drive: That is what is left on the drive at the bend. How much is in the "
        "host?",
        _bends(price_=lambda s, g, h, d, b: GIB / d),
        "GiB for GB: Your price is per GiB. The question asks for it per GB.",
        _bends(price_=lambda s, g, h, d, b: 1 / d),
        "price in the wrong unit: Your price is per byte. The question asks for it per GB.",
        _bends(price_=lambda s, g, h, d, b: 1e9 / b),
        "price of the link: You kept a GB off the link. In the host it still crosses the link. "
        "Which channel is relieved?",
        _bends(price_=lambda s, g, h, d, b: 1e9 / d - 1e9 / b),
        "link taken off: You subtracted the time on the link. It is hidden behind the drive as "
        "long as the drive is slower.",
        _bends(price_=lambda s, g, h, d, b: 1e9 / d + 1e9 / b),
        "both ways added: You let the GB use two channels one after the other. They work at the "
        "same time.",
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
        "one to one: You gave both memories the same number of bytes. Then the fast one waits for "
        "the slow one.",
        _woven(lambda f, s: 0, lambda m, f, s: m / f),
        "all in the fast one: You left the slow memory empty. It could deliver bytes at the same "
        "time.",
        _woven(lambda f, s: f / (f + s)),
        "shares exchanged: Your fraction is for the fast memory. The question asks about the slow "
        "one.",
        _woven(lambda f, s: s / f),
        "ratio for share: You divided the slow rate by the fast one. Which fraction of all bytes "
        "is this?",
        _woven(time=lambda m, f, s: 2 * m / (f + s)),
        "in turn: You read the two memories one after the other. They can be read at the same "
        "time.",
        _woven(time=lambda m, f, s: m / f),
        "fast memory for all: Your fraction is right, but your time lets the fast memory deliver "
        "all bytes.",
        _woven(time=lambda m, f, s: m / s),
        "slow memory for all: Your fraction is right, but your time lets the slow memory deliver "
        "all bytes.",
        _woven(lambda f, s: 1 / 3, lambda m, f, s: m / 3 / s),
        "two to one: You gave the fast memory twice as many bytes, whatever the rates are. Both "
        "should finish at the same time.",
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
        "one direction forgotten: You counted one direction. What Adam has changed must be written "
        "back.",
        _adam(16),
        "what is kept: You counted the bytes that a parameter occupies. How many of them are read, "
        "and how many are written?",
        _adam(24),
        "16 bits forgotten: You counted the three 32-bit numbers, read and written. A gradient is "
        "also read, and a 16-bit weight is also written.",
        _adam(26),
        "one of the 16 bits forgotten: One 16-bit number is missing: the gradient that is read, or "
        "the copy of the weight that is written.",
        _adam(30),
        "one too many of 16 bits: You counted one 16-bit number too many. Adam reads the gradient "
        "in 16 bits and the weight in 32 bits only.",
        _adam(32),
        "all in 32 bits: You gave the gradient and the copy of the weight 32 bits. They have 16.",
        _adam(20),
        "weights without their copy: One 32-bit number is missing, both read and written. Adam "
        "reads and writes the 32-bit weight and both moments.",
        _adam(12),
        "states once: You counted the three 32-bit numbers once. They are read and written.",
        _adam(56),
        "everything twice: You counted each read and each write twice. The memory carries each of "
        "them once.",
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
        "buffers without end: Your fetches never wait. A block needs a free buffer.",
        lambda f, c, k: f.sum() + c.sum(),
        "one at a time: You fetch a block when the previous one is computed, as with one buffer. "
        "There are more buffers.",
        lambda f, c, k: _shop(f, c, k + 1),
        "one buffer more: You use one buffer too many. A block keeps its buffer until the end of "
        "its computation.",
        lambda f, c, k: _shop(f, c, max(k - 1, 1)),
        "one buffer less: You use one buffer too few. The block that is computed and the block "
        "that is fetched need one each.",
        lambda f, c, k: max(f.sum(), c.sum()),
        "overlap assumed perfect: You took the longer of all fetches and all computations. The "
        "first fetch and the last computation can't be hidden.",
        lambda f, c, k: f[0] + max(f.sum() - f[0], c.sum() - c[-1]) + c[-1],
        "no waiting in between: You let only the beginning and the end wait. In between, a fetch "
        "can wait for a buffer, and a computation for its fetch.",
        lambda f, c, k: f[0] + np.maximum(f[1:], c[:-1]).sum() + c[-1],
        "in step: You start each fetch together with a computation, and both wait for the longer "
        "one. A fetch with a free buffer need not wait for a computation.",
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
            "Try a single block: it is fetched and then computed.",
        ),
        refuses(
            (np.array([2.0, 1.0]), np.array([3.0, 5.0]), 0),
            0.5,
            "No buffers deserve a ValueError.",
        ),
        refuses(
            (np.array([2.0, 0.0]), np.array([3.0, 5.0]), 2),
            0.5,
            "A fetch of 0 s should raise a ValueError.",
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
        "as numbered: You took the blocks in the given order. You can choose the order.",
        _ordered(lambda t: np.argsort(t[:, 0])),
        "shortest fetch first: You fetch the shortest block first, throughout. The first "
        "computations start early, but what is left to do after the last fetch?",
        _ordered(lambda t: np.argsort(-t[:, 1])),
        "longest computation first: You compute the longest block first, throughout. What happens "
        "until its fetch is done?",
        _ordered(lambda t: johnson_order(t)[::-1]),
        "Johnson backward: Your order is the best one reversed, which is the worst one. Which "
        "blocks should come first?",
        _ordered(lambda t: np.argsort(-t[:, 0])),
        "longest fetch first: You fetch the longest block first, and nothing is computed "
        "meanwhile.",
        _ordered(lambda t: np.argsort(t.sum(axis=1))),
        "shortest block first: You ranked blocks by the sum of both times. Which of the two times "
        "is longer also matters.",
        _no_order_undercuts,
        "bound for the optimum: That is a bound: one engine works without a break, and the other "
        "adds its shortest block. No order reaches it here.",
        lambda f, c: float(max(f.sum(), c.sum())),
        "overlap assumed perfect: You took the busier engine alone. It must wait at the beginning "
        "or at the end.",
        lambda f, c: float(f.sum() + c.sum()),
        "nothing overlapped: You added up all times. Fetching and computing overlap.",
        _any_order,
        "the mean order: That is the mean of all orders. The question asks for the best order.",
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
        "one at a time: That is the time with one buffer. There are more.",
        _row(lambda s, m, n, k: n * s / k),
        "first block forgotten: Your interval is right, but the first block must pass all stages "
        "before the interval counts.",
        _row(lambda s, m, n, k: n * m),
        "overlap assumed perfect: You counted the slowest stage alone. A block keeps its buffer "
        "through all stages.",
        _row(lambda s, m, n, k: s + (n - 1) * (s - m) / k),
        "slowest stage for nothing: In your interval the slowest stage takes no time. Add up all "
        "stages.",
        _row(lambda s, m, n, k: (n - 1) / k * (s + (k - 1) * m) + s),
        "all buffers together: You wait until all buffers are free before you fill the first "
        "again. A block can start as soon as one buffer is free.",
        _row(lambda s, m, n, k: s * (1 + (n - 1) / (k + 1))),
        "one buffer more: You let one block more run at a time than there are buffers. A block "
        "keeps its buffer from the first stage to the last.",
    ),
)


def _experts(rng):
    """Return experts of different sizes, for which the list from both ends isn't the best."""
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
        "greedy taken for optimal: Your best value is what the greedy rule found. There are 64 "
        "ways to assign six experts: try them.",
        _split(greedy=_shared),
        "optimum for greedy: Your greedy is as good as the best assignment. Follow the rule "
        "exactly.",
        _split(greedy=_in_turn),
        "greedy without overlap: In your greedy, the link waits for the GPU. It brings the next "
        "expert while the GPU computes.",
        _split(_in_turn, _best_in_turn),
        "nothing overlapped: In both of your values, the link waits for the GPU. It brings the "
        "next expert while the GPU computes.",
        _split(best=_best_in_turn),
        "best without overlap: In your best assignment, the link waits for the GPU. It brings the "
        "next expert while the GPU computes.",
        _split(best=lambda h, f, d: d * len(h) + f.sum()),
        "fetch and compute in turn: Your best assignment gives the GPU everything, one thing after "
        "the other. The host can compute, too, and fetches overlap with computing.",
        _split(best=lambda h, f, d: h.sum()),
        "all on the host: Your best assignment gives everything to the host. The GPU can compute, "
        "too.",
        _split(best=lambda h, f, d: max(h[f > 0].sum(), d * (f == 0).sum())),
        "each where it lies: Your best assignment computes each expert where its weights are. "
        "While the host computes, the GPU has time to fetch and compute another.",
        _split(best=_cheapest),
        "each where it is faster: Your best assignment puts each expert where it finishes earlier "
        "by itself. Compare the finishing times of host and GPU together.",
        _split(best=lambda h, f, d: _shared(h, 0.0, d)),
        "link for nothing: In your best assignment, weights arrive in no time. The link takes "
        "time.",
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
        "nothing hidden: You counted the whole swap. A part of it is hidden.",
        _again(lambda r, h: (1 - h) * r),
        "one way: You moved the bytes in one direction. They go out and come back, at different "
        "times.",
        _again(lambda r, h: 0 * r),
        "overlap assumed perfect: You let swapping cost nothing. Only a part of it is hidden.",
        _again(lambda r, h: 2 * h * r),
        "hidden exchanged: You counted the hidden part. The other part costs time.",
        _again(lambda r, h: 2 * r / (1 - h)),
        "computing hidden: You hid computing behind swapping. Only swapping is hidden here.",
        _again(lambda r, h: (2 - h) * r),
        "one way hidden: You hid a part of one direction only. The fraction holds for both.",
        _again(lambda r, h: r),
        "ridge point: That is where computing takes as long as one transfer, with nothing hidden. "
        "There are two transfers, and a part is hidden.",
        _again(lambda r, h: 4 * (1 - h) * r),
        "two bytes: Your FLOP are per number of two bytes. The question counts them per byte.",
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
        "GB for GiB: You converted a GiB as a thousand million bytes. How many bytes has it?",
        _per_token(lambda b, k, n: 1 / b),
        "batch by batch: You loaded the weights for each batch again. All batches of a block share "
        "a load.",
        _per_token(lambda b, k, n: 1 / k),
        "sequences of a batch forgotten: You divided by the batches only. How many sequences has "
        "each batch?",
        _per_token(lambda b, k, n: 1 / (b * k * n)),
        "loaded once: You loaded the weights once for the whole answer. They don't fit, so each "
        "token needs them again.",
        _per_token(lambda b, k, n: n / (b * k)),
        "bytes of a sequence: That is what is moved for all tokens of a sequence. The question "
        "asks for one token.",
        _per_token(lambda b, k, n: 1),
        "all for each token: You moved all weights for each token of each sequence. All sequences "
        "of the block share a load.",
        _per_token(lambda b, k, n: 1 / n),
        "tokens for sequences: You shared a load among the tokens of a sequence. They come one "
        "after the other, and the weights are gone in between.",
        _per_token(lambda b, k, n: 2 / (b * k)),
        "both directions: You moved the weights back as well. They haven't changed.",
        _per_token(lambda b, k, n: 1 / (b + k)),
        "batch and batches added: You added the batch size and the number of batches. How many "
        "sequences share a load?",
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
        "cache without the batch: You moved the cache of a single sequence. How many sequences are "
        "there?",
        _cached(each=lambda h, layers, b: 2 * h * layers * b),
        "keys only: You moved the keys only. The values move, too.",
        _cached(each=lambda h, layers, b: 4 * h * b),
        "one layer: You moved the cache of one layer. Every layer has its own.",
        _cached(lambda s, n: s * n),
        "answer forgotten: Your cache keeps the length of the prompt. It grows with each token.",
        _cached(lambda s, n: (s + n) * n),
        "always full: You read the full cache for each token. At the first token it holds the "
        "prompt only.",
        _cached(lambda s, n: s + n),
        "moved once: You moved each key and value once. For each token all of them are read.",
        _cached(lambda s, n: s * (n - 1) + (n - 1) * (n - 2) / 2),
        "reads only: You counted the reads only. The writes count as well.",
        _cached(lambda s, n: 2 * (s * n + n * (n - 1) / 2)),
        "one direction counted twice: Either you wrote back the whole cache after each token, or a "
        "number has 32 bits. Only the new token's keys and values are written, with 16 bits a "
        "number.",
        _cached(lambda s, n: s * (n + 1) + n * (n + 1) / 2),
        "one pass too many: You made one pass too many. The first token of the answer comes from "
        "the pass that reads the prompt.",
        _cached(lambda s, n: n * (n - 1) / 2),
        "prompt forgotten: Your cache is empty at first. The first pass fills it with the prompt.",
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
        "row by row: You load each layer for each batch. All batches of a block share a load.",
        _by_block(lambda b, s, n, room: 1),
        "all in one block: You put all batches into one block. Their caches must fit.",
        lambda b, layers, s, n, room: layers * ceil(b / _fitting(s, n, room)),
        "tokens forgotten: You load each layer once for a block. The next pass needs all layers "
        "again.",
        _by_block(lambda b, s, n, room: ceil(b / (room // s))),
        "room at the prompt: Your block fits at the first pass, but no longer at the last one. How "
        "large is the cache then?",
        _by_block(lambda b, s, n, room: ceil(b / (room // (s + n) or 1))),
        "a token too many: Your cache has one token too many at the last pass. At the first pass "
        "it has the prompt only.",
        _by_block(lambda b, s, n, room: ceil(b / (room // (s + (n - 1) / 2)))),
        "mean cache: Your block fits on average. All of its caches are largest at the same time.",
        _by_block(lambda b, s, n, room: b // _fitting(s, n, room)),
        "last block forgotten: You left out the last block if it isn't full. It needs its loads, "
        "too.",
        _by_block(lambda b, s, n, room: b / _fitting(s, n, room)),
        "part of a load: You count a fraction of a load for the last block. A layer is loaded or "
        "not.",
        _by_block(lambda b, s, n, room: ceil(b / (room / (s + n - 1)))),
        "part of a batch: Your block holds a fraction of a batch. Round down.",
        _by_block(lambda b, s, n, room: ceil(b / ceil(room / (s + n - 1)))),
        "one batch too many: You rounded the block up, so the last batch doesn't fit. Round down.",
        lambda b, layers, s, n, room: n * ceil(b / _fitting(s, n, room)),
        "layers forgotten: You count loads of the whole model. Count loads of layers.",
        lambda b, layers, s, n, room: loads_bound(b, layers, s + np.arange(n), room),
        "bound for the block: You divided what all caches need by the capacity, as in the lower "
        "bound for every order. A block needs more loads.",
    ),
    properties=[
        limit(
            "all fit",
            (3, 4, 5, 6, 1000),
            0.5,
            "Try a large capacity: if all batches fit, there is one block.",
        ),
        limit(
            "one token",
            (7, 2, 5, 1, 10),
            0.5,
            "With one pass, the cache has the tokens of the prompt.",
        ),
        refuses((3, 4, 5, 6, 9), 0.5, "A capacity below one batch should raise a ValueError."),
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
        "bound for the value: Two is the limit for an answer much longer than the prompt. Use your "
        "prompt and answer.",
        _gain(lambda s, n: (s + n) / s),
        "against the first token: You compared the largest cache with the first token's cache. In "
        "the other order, the batches are at all tokens.",
        _gain(lambda s, n: (2 * s + 2 * n) / (s + 2 * n)),
        "prompt and answer exchanged: You let the prompt grow token by token. It is there at once; "
        "the answer grows.",
        _gain(lambda s, n: (2 * s + n) / (2 * s)),
        "mean against the first: You compared the mean cache with the first token's. Compare the "
        "largest cache with the mean.",
        _gain(lambda s, n: n / (2 * s + n)),
        "gain alone: That is by how much the other order is better. How many times the loads?",
        _gain(lambda s, n: (s + n) / n),
        "against the answer: You compared the full cache with the answer's part of it. The prompt "
        "is part of every cache.",
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
        "distance one too large: Your cache of size 1 never hits. An object used twice in a row is "
        "still there.",
        lambda t, c: _hits(t, c + 1),
        "distance one too small: Your cache holds one object too many. Count the object itself "
        "among the different objects.",
        _in_time,
        "time for distance: You counted all uses in between. Three uses of the same object take "
        "one place.",
        _played("FIFO"),
        "first in, first out: You replace the object that was loaded first. LRU replaces the "
        "object that was used least recently.",
        _played("LFU"),
        "least frequently used: You replace the object that was used least often. LRU replaces the "
        "object that was used least recently.",
        _played("optimal"),
        "Belady for LRU: You replace the object that is needed last, which requires knowing the "
        "future. LRU looks at the past.",
        _warm,
        "first uses left out: You divided by the uses of objects seen before. All uses count.",
        _first_hits,
        "first uses as hits: You counted the first use of an object as a hit.",
        lambda t, c: 1 - _hits(t, c),
        "misses: These are the fractions of misses. The question asks for hits.",
        lambda t, c: _hits(t, c) * len(t),
        "number of hits: These are numbers of hits. Divide by the number of uses.",
    ),
    properties=[
        limit(
            "room for all",
            (np.array([0, 1, 2, 0, 1, 2]), np.array([3, 10])),
            0.5,
            "Try a cache for all objects: only first uses miss.",
        ),
        limit(
            "loop",
            (np.array([0, 1, 2, 0, 1, 2]), np.array([2])),
            0.5,
            "Try a loop with one place too few: LRU never hits.",
        ),
        refuses(
            (np.array([0, 1, 0]), np.array([-1])), 0.5, "A size below 0 should raise a ValueError."
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
        "LRU as its share: You let LRU hit in proportion to the places. Which layer was used least "
        "recently when a new one comes?",
        _loop(lru=lambda n, c: (c - 1) / (n - 1)),
        "LRU taken for optimal: You let LRU do as well as the best rule. Play a few layers by "
        "hand.",
        _loop(best=lambda n, c: c / n),
        "all places kept: You keep as many layers as there are places, for ever. Where does a "
        "fetched layer go while it is used?",
        _loop(best=lambda n, c: (c - 1) / n),
        "one place for fetching: You never change the layers in the first places and fetch through "
        "the last one. Replacing the layer just used is slightly better: then it isn't always "
        "the same layer that misses.",
        _loop(lambda n, c: (c - 1) / (n - 1), lambda n, c: 0),
        "names exchanged: Your two values have each other's names.",
        _loop(best=lambda n, c: 0),
        "best never hits: Your best rule always misses. It can keep some layers.",
        _loop(best=lambda n, c: 1 - (c - 1) / (n - 1)),
        "misses for hits: Your best value is the fraction of misses. The question asks for hits.",
        _loop(best=lambda n, c: 1),
        "best never misses: Your best rule never misses. It knows the future, but it has no more "
        "places.",
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
    "A cache shared by hot and cold objects",
    reference=_che(lambda p, c, h: independent_hit_ratio(p, c)),
    inputs=_popular,
    points=3,
    mistakes=mistakes(
        _che(lambda p, c, h: np.sort(p)[::-1][:c].sum()),
        "most popular kept: You keep the most popular objects for ever. LRU doesn't know them, and "
        "lets the others in.",
        _che(lambda p, c, h: c / len(p)),
        "all alike: You let every object be in the cache equally often. Hot objects are there more "
        "often.",
        _che(lambda p, c, h: _for_a_time(p, c)),
        "size for the time: You let an object stay for as many uses as there are places. A use of "
        "a cached object takes no further place, so objects stay longer.",
        _che(lambda p, c, h: p[:h].sum()),
        "hot ones always there: You let hot objects always hit and cold objects never. Both are in "
        "the cache with some probability.",
        _che(lambda p, c, h: independent_hit_ratio(p, c, "FIFO")),
        "first in, first out: Your objects' time starts when they are loaded. With LRU, each use "
        "starts it again.",
        _che(lambda p, c, h: independent_hit_ratio(p[:h] / p[:h].sum(), min(c, h - 1))),
        "hot ones among themselves: You left the cold objects out. They take places, too.",
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
        "every reference a block: You counted a block as often as it is used in the window. Count "
        "each block once.",
        _reach(blocks=lambda g, r, w: r * w * (g > w).mean()),
        "misses times the window: You multiplied the misses by the window. A reused block also "
        "counts, until its next use. Integrate 1 - H from 0 to the window.",
        _reach(
            blocks=lambda g, r, w: r * np.minimum(g, w)[np.isfinite(g)].mean(),
            hits=lambda g, r, w: (g[np.isfinite(g)] <= w).mean(),
        ),
        "first uses left out: You left the first uses out. They miss, and their blocks take "
        "memory.",
        _reach(hits=lambda g, r, w: (g > w).mean()),
        "misses for hits: That is the fraction of misses. The question asks for hits.",
        _reach(hits=lambda g, r, w: (g[np.isfinite(g)] <= w).mean()),
        "share of the reuses: Your hit ratio is a fraction of the reuses. First uses count as uses "
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
        return (
            "Both together took more than three times as long as one after the other. Measure "
            "again."
        )
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
        "mean: That is the mean. A single disturbed measurement moves it, so take the median.",
        _own(lambda a, b, t: (a + b - t).sum() / np.minimum(a, b).sum()),
        "sums: You first added up all times. Then the longest measurements decide. Take the "
        "fraction of each pair first.",
        _own(lambda a, b, t: np.median((a + b - t) / np.maximum(a, b))),
        "over the longer: You divided by the longer of the two. Only the shorter one can be "
        "hidden.",
        _own(lambda a, b, t: np.median((a + b - t) / (a + b))),
        "of the sum: You divided by the sum of both. Only the shorter one can be hidden.",
        _own(lambda a, b, t: np.median(np.maximum(a, b) / t)),
        "of the ideal speed: You divided the longer of the two by the step. How much of the "
        "shorter one was hidden?",
        _own(lambda a, b, t: np.median((a + b) / t)),
        "speedup: That is how many times as fast both are at the same time as one after the other. "
        "How much of the shorter one was hidden?",
        _own(lambda a, b, t: np.median((a + b - t) / a)),
        "of the copy: You always divided by the copy. Where computing is shorter, divide by "
        "computing.",
        _own(lambda a, b, t: np.median((a + b - t) / b)),
        "of the computing: You always divided by computing. Where the copy is shorter, divide by "
        "the copy.",
        _own(lambda a, b, t: np.median(a + b - t) / np.median(np.minimum(a, b))),
        "ratio of medians: You divided two medians. Take the fraction of each pair first.",
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
