"""Question bank of the topic roofline: what bounds a program, and what would move the bound.

Fifteen questions in three levels. Units are SI: bytes/s, FLOP/s, seconds, watts, joules. A word
is a number of the program, and its size is given in bytes.
"""

from math import sqrt

import numpy as np

from perfcourse.bank import Accepted, Bank, Mistake, array, choice, function, measured, number
from perfcourse.bank.properties import limit, refuses, vectorised
from perfmodel.labs.roofline.sparse_branch.storage import speedup
from perfmodel.roofline.energy import EnergyMachine, energy_per_operation
from perfmodel.roofline.intensity import gemm_kernel
from perfmodel.roofline.model import attainable as _attainable
from perfmodel.roofline.thermal import ThermalBody

ARRAYS = (
    "Let NumPy do the loop: given an array of {}, the function should return an array of the "
    "same shape. Use np.minimum, not min, and wrap the comparisons of your checks in np.any(...)."
)


def _machine(rng):
    peak = rng.uniform(20, 900) * 1e9
    return {"peak": peak, "bandwidth": peak / rng.uniform(3, 40)}


# Level 1: two numbers each


def _point(rng):
    machine = _machine(rng)
    ridge = machine["peak"] / machine["bandwidth"]
    return {"intensity": ridge * 10 ** rng.uniform(-1.5, 1.5), **machine}


attainable = function(
    "attainable",
    "Build the roofline",
    answer="attainable",
    reference=lambda intensity, peak, bandwidth: _attainable(intensity, peak, bandwidth),
    inputs=_point,
    points=5,
    builds=(
        "perfmodel.roofline.model.attainable",
        "perfmodel.roofline.cache_levels.attainable_cache_aware",
    ),
    mistakes=[
        Mistake(
            "the larger limit",
            lambda intensity, peak, bandwidth: np.maximum(peak, intensity * bandwidth),
            "You took the larger of the two limits. Each of them holds by itself: can a program "
            "be faster than one that it breaks?",
        ),
        Mistake(
            "no roof",
            lambda intensity, peak, bandwidth: intensity * bandwidth,
            "That is the slope alone. At a high intensity your program computes faster than the "
            "processor can.",
        ),
        Mistake(
            "bytes over operations",
            lambda intensity, peak, bandwidth: np.minimum(peak, bandwidth / intensity),
            "You divided by the intensity. It counts operations for each byte: how many "
            "operations go with the bytes of one second?",
        ),
        Mistake(
            "one after the other",
            lambda intensity, peak, bandwidth: 1 / (1 / peak + 1 / (intensity * bandwidth)),
            "You let the processor compute only while nothing is moved, so that the times add "
            "up. The roofline is a bound: what if both go on at the same time?",
        ),
        Mistake(
            "peak whatever moves",
            lambda intensity, peak, bandwidth: peak + 0 * np.asarray(intensity),
            "With you every program reaches the peak. Where do its numbers come from?",
        ),
    ],
    properties=[
        limit("ridge", (4.0, 100.0, 25.0), 0.5, "At the ridge both limits are the same."),
        vectorised((np.array([0.1, 1.0, 100.0]), 100.0, 25.0), 0.5, ARRAYS.format("intensities")),
        refuses(
            (-1.0, 100.0, 25.0),
            0.5,
            "No program does a negative number of operations for each byte: raise a ValueError.",
            "refuses a negative intensity",
        ),
        refuses(
            (1.0, 100.0, 0.0),
            0.5,
            "Without bandwidth there is no roofline: raise a ValueError.",
            "refuses no bandwidth",
        ),
    ],
)


def _ridge(rng):
    return _machine(rng) | {"word_bytes": int(rng.choice([2, 4, 8]))}


ridge = number(
    "ridge",
    "Where is the ridge?",
    reference=lambda peak, bandwidth, word_bytes: peak / bandwidth,
    inputs=_ridge,
    points=2,
    unit="FLOP/byte",
    mistakes=[
        Mistake(
            "upside down",
            lambda peak, bandwidth, word_bytes: bandwidth / peak,
            "You have bytes for each operation. The axis of the roofline counts operations for "
            "each byte.",
        ),
        Mistake(
            "operations for each word",
            lambda peak, bandwidth, word_bytes: peak / bandwidth * word_bytes,
            "That counts operations for each number, a figure that changes with the precision. "
            "The bandwidth is in bytes.",
        ),
        Mistake(
            "intensity times bandwidth",
            lambda peak, bandwidth, word_bytes: peak / (bandwidth * word_bytes),
            "You multiplied the bandwidth by the size of a word. It is in bytes/s already.",
        ),
    ],
)


def _loops(rng):
    return {
        "flops": rng.integers(1, 12, 4),
        "arrays_read": rng.integers(1, 5, 4),
        "arrays_written": np.array([0, 1, 1, 2]),
        "word_bytes": int(rng.choice([4, 8])),
    }


def _intensities(count):
    """Return a model of intensities from a count of words moved for each element."""
    return lambda flops, arrays_read, arrays_written, word_bytes: (
        flops / (word_bytes * count(arrays_read, arrays_written))
    )


def _words(flops, arrays_read, arrays_written, word_bytes):
    return flops / (arrays_read + 2 * arrays_written)


loops = array(
    "loops",
    "Intensity of four loops",
    reference=_intensities(lambda r, w: r + 2 * w),
    inputs=_loops,
    points=3,
    unit="FLOP/byte",
    mistakes=[
        Mistake(
            "write-allocate forgotten",
            _intensities(lambda r, w: r + w),
            "Your loops without a store are right. To write to a line of memory, the processor "
            "first reads it. How often does a written array cross the bus?",
        ),
        Mistake(
            "stores for free",
            _intensities(lambda r, w: r),
            "You counted what is read. What is written has to get to memory, too.",
        ),
        Mistake(
            "reads twice",
            _intensities(lambda r, w: 2 * r + w),
            "You let what is read cross the bus twice. Which of the two, reading or writing, needs "
            "the line to be fetched first?",
        ),
        Mistake(
            "operations for each word",
            _words,
            "You counted numbers, not bytes. How large is a number here?",
        ),
    ],
)


def _placed(rng):
    machine = _machine(rng)
    ridge_point = machine["peak"] / machine["bandwidth"]
    intensity = ridge_point * rng.choice([rng.uniform(0.05, 0.7), rng.uniform(1.5, 8)])
    elements = rng.uniform(0.2, 5) * 1e9
    return {"flops": intensity * elements * 8, "bytes_moved": elements * 8, **machine}


def _bound(time, memory_first=True):
    """Return a model: what binds, and a time of (time for arithmetic, time for memory)."""

    def model(flops, bytes_moved, peak, bandwidth):
        compute, move = flops / peak, bytes_moved / bandwidth
        binds = "memory" if (move > compute) == memory_first else "arithmetic"
        return binds, time(compute, move)

    return model


bound = choice(
    "bound",
    "What binds, and for how long?",
    choices=("memory", "arithmetic"),
    reference=_bound(max),
    inputs=_placed,
    points=3,
    unit="s",
    mistakes=[
        Mistake(
            "the idle one",
            _bound(max, memory_first=False),
            "Your time is right, but you named the part that waits. Which of the two would you "
            "have to speed up to get a shorter time?",
        ),
        Mistake(
            "one after the other",
            _bound(lambda compute, move: compute + move),
            "You named the right part. The least time, though, is that of both at once: while "
            "numbers are moved, others are worked on.",
        ),
        Mistake(
            "the shorter time",
            _bound(min),
            "You gave the time of the part that is done first. The program is done when both are.",
        ),
    ],
)

# Level 2: moving to the right


def _product(rng):
    block = int(rng.choice([8, 16, 32, 64]))
    words = {"block": block, "word_bytes": int(rng.choice([2, 4, 8]))}
    return {"n": block * int(rng.integers(2, 30)), **words}


def _gemm(words, flops=lambda n: 2 * n**3):
    """Return a model of the intensity from words moved, a function of (n, block)."""
    return lambda n, block, word_bytes: (
        flops(np.asarray(n, dtype=float)) / (word_bytes * words(np.asarray(n, dtype=float), block))
    )


def _blocked(n, block, word_bytes):
    if np.any(np.asarray(block) > np.asarray(n)):
        raise ValueError(f"block must be at most n {n}, got {block}")

    def one(size):
        return gemm_kernel(size, size, size, block=(block, block), word=word_bytes).intensity

    return np.vectorize(one, otypes=[float])(n)


gemm_intensity = function(
    "gemm_intensity",
    "Build the intensity of a blocked product",
    answer="gemm_intensity",
    reference=_blocked,
    inputs=_product,
    points=5,
    builds=("perfmodel.roofline.intensity.gemm_kernel",),
    mistakes=[
        Mistake(
            "each matrix once",
            _gemm(lambda n, b: 4 * n**2),
            "You moved each matrix once, as if all of them stayed in the cache. A block of A and "
            "one of B have to be fetched for each pair of blocks that meet.",
        ),
        Mistake(
            "result forgotten",
            _gemm(lambda n, b: 2 * n**3 / b),
            "You counted A and B only. C is read and written, once.",
        ),
        Mistake(
            "result moved each time",
            _gemm(lambda n, b: 4 * n**3 / b),
            "You moved a block of C with every pair of blocks. It stays in the cache until it is "
            "finished.",
        ),
        Mistake(
            "multiplications only",
            _gemm(lambda n, b: 2 * n**3 / b + 2 * n**2, lambda n: n**3),
            "You counted the multiplications. Each comes with an addition.",
        ),
        Mistake(
            "a square too much",
            _gemm(lambda n, b: 2 * n**3 / b**2 + 2 * n**2),
            "A block has the side b: it holds b squared numbers, and they are used b times each. "
            "By how much does that cut the traffic?",
        ),
        Mistake(
            "operations for each word",
            lambda n, block, word_bytes: _gemm(lambda n, b: 2 * n**3 / b + 2 * n**2)(n, block, 1),
            "You divided by the numbers that are moved. How many bytes does each of them have?",
        ),
        Mistake(
            "always eight bytes",
            lambda n, block, word_bytes: _gemm(lambda n, b: 2 * n**3 / b + 2 * n**2)(n, block, 8),
            "You took 8 bytes for a number, whatever is given. The argument says how many.",
        ),
        Mistake(
            "result moved once",
            _gemm(lambda n, b: 2 * n**3 / b + n**2),
            "You moved C once. Each of its blocks is read, and written when it is finished.",
        ),
        Mistake(
            "no block at all",
            _gemm(lambda n, b: 2 * n**3 + 2 * n**2),
            "Your traffic does not depend on the block: that is the product without one.",
        ),
    ],
    properties=[
        limit("one block", (64, 64, 8), 0.5, "If one block holds all, each matrix moves once."),
        vectorised((np.array([64, 128, 256]), 32, 8), 0.5, ARRAYS.format("sizes")),
        refuses(
            (16, 32, 8),
            0.5,
            "A block of 32 in a matrix of 16: raise a ValueError.",
            "refuses a block larger than the matrix",
        ),
    ],
)


def _cache(rng):
    return {
        "cache_bytes": float(rng.uniform(24, 4000) * 1024),
        "word_bytes": int(rng.choice([4, 8])),
    }


block_side = number(
    "block_side",
    "Three blocks in a cache",
    reference=lambda cache_bytes, word_bytes: sqrt(cache_bytes / (3 * word_bytes)),
    inputs=_cache,
    points=2,
    mistakes=[
        Mistake(
            "one block",
            lambda cache_bytes, word_bytes: sqrt(cache_bytes / word_bytes),
            "You filled the cache with a single block. A product needs a block of each of its "
            "three matrices at a time.",
        ),
        Mistake(
            "bytes for words",
            lambda cache_bytes, word_bytes: sqrt(cache_bytes / 3),
            "You took every byte for a number of the matrix.",
        ),
        Mistake(
            "area for side",
            lambda cache_bytes, word_bytes: cache_bytes / (3 * word_bytes),
            "That is how many numbers a block holds. How long is its side?",
        ),
        Mistake(
            "third of the side",
            lambda cache_bytes, word_bytes: sqrt(cache_bytes / word_bytes) / 3,
            "You divided the side by three. It is the numbers in the cache that three blocks "
            "share.",
        ),
    ],
)

cache_growth = number(
    "cache_growth",
    "How much cache for less traffic?",
    reference=lambda traffic_factor: traffic_factor**2,
    inputs=lambda rng: {"traffic_factor": rng.uniform(1.6, 6)},
    points=2,
    mistakes=[
        Mistake(
            "in proportion",
            lambda traffic_factor: traffic_factor,
            "You expect traffic to fall as the cache grows, one for one. A cache four times as "
            "large holds blocks of twice the side.",
        ),
        Mistake(
            "the root taken twice",
            lambda traffic_factor: sqrt(traffic_factor),
            "The root is at the right place in the law, but you solved it for the wrong side: "
            "traffic falls more slowly than the cache grows.",
        ),
        Mistake(
            "cubed",
            lambda traffic_factor: traffic_factor**3,
            "Operations grow with the cube of the matrix. The question is about the cache, whose "
            "blocks are squares.",
        ),
    ],
)


def _sparse(rng):
    rows = int(rng.integers(1e5, 3e6))
    return {
        "rows": rows,
        "nonzeros": int(rows * rng.uniform(3, 12)),
        "bandwidth": rng.uniform(5, 300) * 1e9,
    }


def _spmv(size):
    return lambda rows, nonzeros, bandwidth: 2 * nonzeros * bandwidth / size(rows, nonzeros)


spmv = number(
    "spmv",
    "The fastest sparse product",
    reference=_spmv(lambda m, z: 12 * z + 28 * m),
    inputs=_sparse,
    points=3,
    unit="FLOP/s",
    mistakes=[
        Mistake(
            "indices for free",
            _spmv(lambda m, z: 8 * z + 28 * m),
            "You moved the values of the matrix, but not the column number of each.",
        ),
        Mistake(
            "vectors for free",
            _spmv(lambda m, z: 12 * z),
            "You counted the matrix. Both vectors and the row pointers are moved as well.",
        ),
        Mistake(
            "result written only",
            _spmv(lambda m, z: 12 * z + 20 * m),
            "Before the result is written, its lines are read: it crosses the bus twice.",
        ),
        Mistake(
            "one operation",
            lambda rows, nonzeros, bandwidth: nonzeros * bandwidth / (12 * nonzeros + 28 * rows),
            "Each value is multiplied and added: two operations.",
        ),
        Mistake(
            "intensity",
            lambda rows, nonzeros, bandwidth: 2 * nonzeros / (12 * nonzeros + 28 * rows),
            "That is the intensity: operations for each byte. How many bytes come in a second?",
        ),
        Mistake(
            "time of one product",
            lambda rows, nonzeros, bandwidth: (12 * nonzeros + 28 * rows) / bandwidth,
            "That is how long one product takes. How many operations are done in that time?",
        ),
        Mistake(
            "pointers for free",
            _spmv(lambda m, z: 12 * z + 24 * m),
            "You left out the pointers: each row has one, which says where it begins.",
        ),
        Mistake(
            "vector for each value",
            _spmv(lambda m, z: 20 * z + 20 * m),
            "You fetched a number of the vector for each value of the matrix. The statement counts "
            "each number of the vector once: it stays in the cache.",
        ),
    ],
)


def _precisions(rng):
    machine = _machine(rng)
    ridge_point = machine["peak"] / machine["bandwidth"]
    if rng.random() < 0.5:
        # The slope reaches the new peak, though the old program was bound by memory.
        ratio, place = rng.uniform(1.3, 2), rng.uniform(0.7, 0.95)
        intensity = ridge_point * place * min(1.0, ratio)
        return {"intensity": intensity, **machine, "peak_half": 2 * machine["peak"] * place / ratio}
    intensity = ridge_point * 10 ** rng.uniform(-1, 0.4)
    return {"intensity": intensity, **machine, "peak_half": machine["peak"] * rng.uniform(6, 20)}


def _narrowed(after, factor=lambda new, old: new / old):
    """Return a model: what binds with half the bytes, and a factor of the new and old rates."""

    def model(intensity, peak, bandwidth, peak_half):
        slope = after(intensity * bandwidth)
        binds = "memory" if slope < peak_half else "arithmetic"
        return binds, factor(min(peak_half, slope), min(peak, intensity * bandwidth))

    return model


narrower = choice(
    "narrower",
    "Half the bytes, another peak",
    choices=("memory", "arithmetic"),
    reference=_narrowed(lambda slope: 2 * slope),
    inputs=_precisions,
    points=3,
    mistakes=[
        Mistake(
            "intensity kept",
            _narrowed(lambda slope: slope),
            "You kept the intensity. With half the bytes for each number, how many operations "
            "are there for a byte?",
        ),
        Mistake(
            "intensity halved",
            _narrowed(lambda slope: slope / 2),
            "You halved the intensity. Half the bytes are below the fraction's line: the same "
            "operations come with fewer of them.",
        ),
        Mistake(
            "half the work, too",
            _narrowed(lambda slope: 2 * slope, lambda new, old: 2 * new / old),
            "You halved the work once more. The rates are operations a second, and the "
            "operations are as many as before.",
        ),
        Mistake(
            "slower for faster",
            _narrowed(lambda slope: 2 * slope, lambda new, old: old / new),
            "You gave the old rate over the new one. How many times as fast is the new program?",
        ),
    ],
)

# Level 3: systems


def _decode(rng):
    return {
        "parameters": rng.uniform(1, 70) * 1e9,
        "bits": float(rng.choice([4.5, 8, 16])),
        "layers": int(rng.integers(24, 81)),
        "kv_width": int(rng.choice([1024, 2048, 4096])),
        "context": int(rng.integers(16, 128)) * 1024,
        "bandwidth": rng.uniform(40, 3500) * 1e9,
    }


def _rate(size):
    """Return a model of tokens/s from bytes a token: (parameters, bits, layers, width, context)."""
    return lambda parameters, bits, layers, kv_width, context, bandwidth: (
        bandwidth / size(parameters, bits, layers, kv_width, context)
    )


decode = number(
    "decode",
    "How fast can it talk?",
    reference=_rate(lambda p, q, n, w, c: p * q / 8 + 4 * n * w * c),
    inputs=_decode,
    points=3,
    unit="tokens/s",
    mistakes=[
        Mistake(
            "context forgotten",
            _rate(lambda p, q, n, w, c: p * q / 8),
            "You read the weights. For each token, the keys and values of all earlier ones are "
            "read as well, and here there are many.",
        ),
        Mistake(
            "half of the context",
            _rate(lambda p, q, n, w, c: p * q / 8 + 2 * n * w * c),
            "You have half of what the earlier tokens left. In each layer that is a vector of keys "
            "and one of values, and each of their numbers has 2 bytes.",
        ),
        Mistake(
            "bits for bytes",
            _rate(lambda p, q, n, w, c: p * q + 4 * n * w * c),
            "A weight has that many bits. The bandwidth is in bytes/s.",
        ),
        Mistake(
            "one layer's cache",
            _rate(lambda p, q, n, w, c: p * q / 8 + 4 * w * c),
            "You counted keys and values of a single layer. Every layer keeps its own.",
        ),
    ],
)

batch = number(
    "batch",
    "From which batch on does arithmetic bind?",
    reference=lambda peak, bandwidth, bits: peak * bits / 8 / (2 * bandwidth),
    inputs=lambda rng: (
        (found := _machine(rng))
        | {"peak": found["peak"] * 20, "bits": float(rng.choice([4.5, 8, 16]))}
    ),
    points=2,
    mistakes=[
        Mistake(
            "one operation a weight",
            lambda peak, bandwidth, bits: peak * bits / 8 / bandwidth,
            "Each weight is multiplied and its product added: two operations for each text.",
        ),
        Mistake(
            "the ridge itself",
            lambda peak, bandwidth, bits: peak / bandwidth,
            "That is the ridge, in operations for each byte. How many operations does a batch do "
            "for each byte of the weights?",
        ),
        Mistake(
            "bits for bytes",
            lambda peak, bandwidth, bits: peak * bits / (2 * bandwidth),
            "You took a weight to have as many bytes as it has bits.",
        ),
    ],
)


def _power(rng):
    intensity = 10 ** rng.uniform(-1, 1.5)
    return {
        "intensity": intensity,
        "flop_energy": rng.uniform(5, 60) * 1e-12,
        "byte_energy": rng.uniform(50, 600) * 1e-12,
        "static_power": rng.uniform(5, 120),
        "peak": rng.uniform(0.2, 10) * 1e12,
        "bandwidth": rng.uniform(20, 900) * 1e9,
    }


def _joules(time, moving=lambda e, i: e / i):
    """Return a model of J/FLOP from seconds a FLOP: (time for arithmetic, time for memory)."""

    def model(intensity, flop_energy, byte_energy, static_power, peak, bandwidth):
        spent = time(1 / np.asarray(peak), 1 / (np.asarray(intensity) * bandwidth))
        return flop_energy + moving(byte_energy, intensity) + static_power * spent

    return model


def _energy(intensity, flop_energy, byte_energy, static_power, peak, bandwidth):
    machine = EnergyMachine(peak, bandwidth, flop_energy, byte_energy, static_power)
    return energy_per_operation(machine, intensity)


flop_joules = function(
    "flop_joules",
    "Build the energy of an operation",
    answer="flop_joules",
    reference=_energy,
    inputs=_power,
    points=4,
    builds=("perfmodel.roofline.energy.energy_per_operation",),
    mistakes=[
        Mistake(
            "static power forgotten",
            _joules(lambda compute, move: 0 * (compute + move)),
            "The machine draws power for being on, too. For how long is it on for each operation?",
        ),
        Mistake(
            "one after the other",
            _joules(lambda compute, move: compute + move),
            "Energies add up, times don't: arithmetic and moving go on together. How long does an "
            "operation take?",
        ),
        Mistake(
            "as if at the peak",
            _joules(lambda compute, move: compute + 0 * move),
            "You charge the static power for the time at the peak. A program that memory binds "
            "keeps the machine on for longer.",
        ),
        Mistake(
            "always moving",
            _joules(lambda compute, move: move + 0 * compute),
            "You charged the static power for the time to move. A program that arithmetic binds "
            "takes longer than its moving does.",
        ),
        Mistake(
            "watts added to joules",
            _joules(lambda compute, move: 1 + 0 * compute),
            "You added watts to joules. For how long does an operation keep the machine on?",
        ),
        Mistake(
            "bytes times intensity",
            _joules(np.maximum, lambda e, i: e * i),
            "Intensity is operations for each byte. How many bytes go with one operation?",
        ),
        Mistake(
            "bytes for free",
            _joules(np.maximum, lambda e, i: 0 * e / i),
            "Moving a byte takes energy, often more than the arithmetic on it.",
        ),
    ],
    properties=[
        limit(
            "all in registers",
            (1e12, 1e-11, 1e-10, 0.0, 1e12, 1e11),
            0.5,
            "With nothing to move and no static power, an operation costs what it costs.",
        ),
        vectorised(
            (np.array([0.1, 1.0, 10.0]), 1e-11, 1e-10, 30.0, 1e12, 1e11),
            0.5,
            ARRAYS.format("intensities"),
        ),
        refuses(
            (0.0, 1e-11, 1e-10, 30.0, 1e12, 1e11),
            0.5,
            "At an intensity of zero an operation would move bytes without end: raise a "
            "ValueError.",
            "refuses no intensity",
        ),
    ],
)


def _device(rng):
    ambient = rng.uniform(15, 30)
    limit_celsius = ambient + rng.uniform(15, 30)
    resistance = rng.uniform(2, 5)
    return {
        "power": (limit_celsius - ambient) / resistance * rng.uniform(1.3, 3),
        "resistance": resistance,
        "capacity": rng.uniform(40, 200),
        "ambient": ambient,
        "limit_celsius": limit_celsius,
    }


def _until(power, resistance, capacity, ambient, limit_celsius):
    return ThermalBody(resistance, capacity, ambient).time_to_limit(power, limit_celsius)


throttle = number(
    "throttle",
    "When does it throttle?",
    reference=_until,
    inputs=_device,
    points=3,
    unit="s",
    mistakes=[
        Mistake(
            "no heat given off",
            lambda power, resistance, capacity, ambient, limit_celsius: (
                capacity * (limit_celsius - ambient) / power
            ),
            "You heated the device without letting it cool. The warmer it gets, the more heat it "
            "gives off, so it takes longer.",
        ),
        Mistake(
            "ambient forgotten",
            lambda power, resistance, capacity, ambient, limit_celsius: (
                -resistance
                * capacity
                * np.log(1 - min(0.999, limit_celsius / (power * resistance)))
            ),
            "You started at zero degrees. The device is as warm as the air.",
        ),
        Mistake(
            "share done for share left",
            lambda power, resistance, capacity, ambient, limit_celsius: (
                -resistance * capacity * np.log((limit_celsius - ambient) / (power * resistance))
            ),
            "You took the logarithm of the share of the way that is done. It is what is left of it "
            "that decays.",
        ),
        Mistake(
            "time constant",
            lambda power, resistance, capacity, ambient, limit_celsius: resistance * capacity,
            "That is the time in which 63 % of any change is done, whatever the limit. When is "
            "this one reached?",
        ),
    ],
)


def _branches(rng):
    return {
        "base_cpi": rng.uniform(0.2, 1.2),
        "misses_per_kilo": rng.uniform(1, 15),
        "penalty": rng.uniform(10, 25),
        "saved": rng.uniform(0.1, 0.6),
    }


branches = number(
    "branches",
    "Fewer wrong guesses",
    reference=lambda base_cpi, misses_per_kilo, penalty, saved: float(
        speedup(base_cpi, misses_per_kilo, penalty, saved)
    ),
    inputs=_branches,
    points=2,
    tolerance=0.002,
    mistakes=[
        Mistake(
            "all of the time",
            lambda base_cpi, misses_per_kilo, penalty, saved: 1 / (1 - saved),
            "You let the whole program run shorter by that share. Only the cycles that are lost "
            "to misses do.",
        ),
        Mistake(
            "share of the cycles saved",
            lambda base_cpi, misses_per_kilo, penalty, saved: (
                1 - 1 / float(speedup(base_cpi, misses_per_kilo, penalty, saved))
            ),
            "That is the share of the cycles that is saved. How many times as fast is that?",
        ),
        Mistake(
            "gain above 1",
            lambda base_cpi, misses_per_kilo, penalty, saved: (
                float(speedup(base_cpi, misses_per_kilo, penalty, saved)) - 1
            ),
            "That is by how much it is faster, as a share. A program that is no faster runs 1 "
            "times as fast, not 0 times.",
        ),
        Mistake(
            "misses an instruction",
            lambda base_cpi, misses_per_kilo, penalty, saved: float(
                speedup(base_cpi, 1000 * misses_per_kilo, penalty, saved)
            ),
            "You took the misses of a thousand instructions for those of one.",
        ),
        Mistake(
            "a cycle each",
            lambda base_cpi, misses_per_kilo, penalty, saved: (
                (base_cpi + misses_per_kilo / 1000)
                / (base_cpi + (1 - saved) * misses_per_kilo / 1000)
            ),
            "You charged one cycle for a miss. All work since the guess is thrown away.",
        ),
        Mistake(
            "what is saved stays",
            lambda base_cpi, misses_per_kilo, penalty, saved: (
                (base_cpi + misses_per_kilo / 1000 * penalty)
                / (base_cpi + saved * misses_per_kilo / 1000 * penalty)
            ),
            "You kept the misses that are gone, and dropped those that remain.",
        ),
    ],
)


def _transfers(rng):
    moved = np.array([1e4, 3e4, 1e5, 1e6, 3e6, 1e7])
    seconds = rng.uniform(20e-6, 80e-6) + moved / rng.uniform(2e9, 9e9)
    return {"bytes_moved": moved, "seconds": seconds}


def _unlikely(bytes_moved, seconds):
    if not ((bytes_moved > 0).all() and (seconds > 0).all()):
        return "Bytes and seconds must be above 0."
    if bytes_moved.max() < 100 * bytes_moved.min():
        return "Let the largest size be a hundred times the smallest, or more."
    if np.polyfit(bytes_moved, seconds, 1)[0] <= 0:
        return "More bytes should take longer: measure each size several times, take the best."
    return ""


own_memory = measured(
    "own_memory",
    "Overhead and bandwidth of your own machine",
    columns=("bytes_moved", "seconds"),
    reference=lambda bytes_moved, seconds: 1 / np.polyfit(bytes_moved, seconds, 1)[0],
    example=_transfers,
    least=5,
    plausible=_unlikely,
    points=3,
    unit="bytes/s",
    mistakes=[
        Mistake(
            "mean of the rates",
            lambda bytes_moved, seconds: float(np.mean(bytes_moved / seconds)),
            "You averaged the rates of all sizes, so that the small ones, which are mostly "
            "overhead, count as much as the large ones.",
        ),
        Mistake(
            "slope for rate",
            lambda bytes_moved, seconds: float(np.polyfit(bytes_moved, seconds, 1)[0]),
            "That is the slope of the line: seconds for each byte.",
        ),
        Mistake(
            "all over all",
            lambda bytes_moved, seconds: float(np.sum(bytes_moved) / np.sum(seconds)),
            "You divided all bytes by all seconds. The overhead of every call is in it still; the "
            "slope of a line leaves it out.",
        ),
    ],
)

bank = Bank(
    "roofline",
    "What bounds a program, and what would move the bound",
    [
        attainable,
        ridge,
        loops,
        bound,
        gemm_intensity,
        block_side,
        cache_growth,
        spmv,
        narrower,
        decode,
        batch,
        flop_joules,
        throttle,
        branches,
        own_memory,
    ],
    accepted=[
        Accepted(
            "bound",
            "the right answer",
            "the idle one",
            "This mistake is the right time with the wrong word: the word tells them apart.",
        )
    ],
)
