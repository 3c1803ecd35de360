"""Question bank of the topic roofline: what bounds a program, and what would move the bound.

Seventeen questions in three levels. Units are SI: bytes/s, FLOP/s, seconds, watts, joules. A word
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
            "You took the larger of the two limits. A program must respect both, so which of them "
            "decides?",
        ),
        Mistake(
            "no roof",
            lambda intensity, peak, bandwidth: intensity * bandwidth,
            "You used the memory's limit alone. At a high intensity, your program computes faster "
            "than the processor can.",
        ),
        Mistake(
            "bytes over operations",
            lambda intensity, peak, bandwidth: np.minimum(peak, bandwidth / intensity),
            "You divided by the intensity. It counts operations per byte: how many operations "
            "belong to the bytes of one second?",
        ),
        Mistake(
            "one after the other",
            lambda intensity, peak, bandwidth: 1 / (1 / peak + 1 / (intensity * bandwidth)),
            "You let arithmetic and data movement happen one after the other, so their times add "
            "up. In the roofline they happen at the same time.",
        ),
        Mistake(
            "peak whatever moves",
            lambda intensity, peak, bandwidth: peak + 0 * np.asarray(intensity),
            "In your model every program reaches the peak. How fast do its bytes arrive?",
        ),
    ],
    properties=[
        limit("ridge", (4.0, 100.0, 25.0), 0.5, "At the ridge, both limits are equal."),
        vectorised((np.array([0.1, 1.0, 100.0]), 100.0, 25.0), 0.5, ARRAYS.format("intensities")),
        refuses(
            (-1.0, 100.0, 25.0),
            0.5,
            "No program does a negative number of operations per byte: raise a ValueError.",
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
            "That is bytes per operation. The question asks for operations per byte.",
        ),
        Mistake(
            "operations for each word",
            lambda peak, bandwidth, word_bytes: peak / bandwidth * word_bytes,
            "That is operations per number, which depends on the precision. The bandwidth is in "
            "bytes/s, so no word size is needed.",
        ),
        Mistake(
            "intensity times bandwidth",
            lambda peak, bandwidth, word_bytes: peak / (bandwidth * word_bytes),
            "You multiplied the bandwidth by the size of a number. It is in bytes/s already.",
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
            "Your loops without a store are right. Before the processor writes a line, it reads "
            "it. How often does a written array cross the bus?",
        ),
        Mistake(
            "stores for free",
            _intensities(lambda r, w: r),
            "You counted the read arrays only. The written arrays move, too.",
        ),
        Mistake(
            "reads twice",
            _intensities(lambda r, w: 2 * r + w),
            "You let read arrays cross the bus twice. Which arrays cross twice: those that are "
            "read, or those that are written?",
        ),
        Mistake(
            "operations for each word",
            _words,
            "You counted numbers, not bytes. How many bytes has a number?",
        ),
        Mistake(
            "everything twice",
            _intensities(lambda r, w: 2 * (r + w)),
            "You let every array cross the bus twice. Only a written array does: the processor "
            "reads its lines first.",
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
            "Your time is right, but you named the part that waits. Which part must get faster for "
            "a shorter time?",
        ),
        Mistake(
            "one after the other",
            _bound(lambda compute, move: compute + move),
            "You named the right part, but you added both times. Arithmetic and data movement "
            "overlap.",
        ),
        Mistake(
            "the shorter time",
            _bound(min),
            "You gave the shorter time. The program ends when both parts have ended.",
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
            "You moved each matrix once, as if all three stayed in the cache. For each pair of "
            "blocks that is multiplied, a block of A and a block of B must be read.",
        ),
        Mistake(
            "result forgotten",
            _gemm(lambda n, b: 2 * n**3 / b),
            "You counted A and B only. Each block of C is also read once and written once.",
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
            "You counted the multiplications. Each of them comes with an addition.",
        ),
        Mistake(
            "a square too much",
            _gemm(lambda n, b: 2 * n**3 / b**2 + 2 * n**2),
            "You used the wrong reuse of a block. A block with side b has b squared numbers, and "
            "each is used b times.",
        ),
        Mistake(
            "operations for each word",
            lambda n, block, word_bytes: _gemm(lambda n, b: 2 * n**3 / b + 2 * n**2)(n, block, 1),
            "You divided by numbers instead of bytes. How many bytes has a number?",
        ),
        Mistake(
            "always eight bytes",
            lambda n, block, word_bytes: _gemm(lambda n, b: 2 * n**3 / b + 2 * n**2)(n, block, 8),
            "You always gave a number 8 bytes. Use the argument.",
        ),
        Mistake(
            "result moved once",
            _gemm(lambda n, b: 2 * n**3 / b + n**2),
            "You moved C once. Each of its blocks is read once and written once.",
        ),
        Mistake(
            "no block at all",
            _gemm(lambda n, b: 2 * n**3 + 2 * n**2),
            "Your traffic doesn't depend on the block. Larger blocks must move fewer bytes.",
        ),
    ],
    properties=[
        limit(
            "one block",
            (64, 64, 8),
            0.5,
            "If one block holds everything, each matrix moves "
            "once in each direction that it needs.",
        ),
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
            "three matrices.",
        ),
        Mistake(
            "bytes for words",
            lambda cache_bytes, word_bytes: sqrt(cache_bytes / 3),
            "You used bytes as numbers. How many bytes has a number?",
        ),
        Mistake(
            "area for side",
            lambda cache_bytes, word_bytes: cache_bytes / (3 * word_bytes),
            "That is how many numbers a block holds. How long is its side?",
        ),
        Mistake(
            "third of the side",
            lambda cache_bytes, word_bytes: sqrt(cache_bytes / word_bytes) / 3,
            "You divided the side by three. Three blocks share the numbers in the cache, so divide "
            "these.",
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
            "You let traffic fall in proportion to the cache. A cache four times as large holds "
            "blocks of twice the side. How does traffic depend on the side?",
        ),
        Mistake(
            "the root taken twice",
            lambda traffic_factor: sqrt(traffic_factor),
            "You took a root where a square belongs. Traffic falls more slowly than the cache "
            "grows.",
        ),
        Mistake(
            "cubed",
            lambda traffic_factor: traffic_factor**3,
            "You used the cube, as for the operations of a matrix product. The blocks in the cache "
            "are squares.",
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
            "You moved the values of the matrix, but not the column number of each value.",
        ),
        Mistake(
            "vectors for free",
            _spmv(lambda m, z: 12 * z),
            "You counted the values and column numbers of the matrix. Both vectors and the row "
            "pointers move as well.",
        ),
        Mistake(
            "result written only",
            _spmv(lambda m, z: 12 * z + 20 * m),
            "You moved the result once. Its lines are also read before they are written.",
        ),
        Mistake(
            "one operation",
            lambda rows, nonzeros, bandwidth: nonzeros * bandwidth / (12 * nonzeros + 28 * rows),
            "You counted one operation for each nonzero. It is multiplied and added.",
        ),
        Mistake(
            "intensity",
            lambda rows, nonzeros, bandwidth: 2 * nonzeros / (12 * nonzeros + 28 * rows),
            "That is the intensity in operations per byte. How many bytes arrive per second?",
        ),
        Mistake(
            "time of one product",
            lambda rows, nonzeros, bandwidth: (12 * nonzeros + 28 * rows) / bandwidth,
            "That is the time of one product. How many operations are done in this time?",
        ),
        Mistake(
            "pointers for free",
            _spmv(lambda m, z: 12 * z + 24 * m),
            "You left out the row pointers. There is one for each row.",
        ),
        Mistake(
            "vector for each value",
            _spmv(lambda m, z: 20 * z + 20 * m),
            "You read a number of the vector for each nonzero value. The statement counts each "
            "number of the vector once, because it stays in the cache.",
        ),
        Mistake(
            "indices and pointers for free",
            _spmv(lambda m, z: 8 * z + 24 * m),
            "You counted the values and the vectors. The column numbers and the row pointers are "
            "moved as well.",
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
            "You kept the intensity. With half the bytes for each number, how many operations are "
            "there per byte?",
        ),
        Mistake(
            "intensity halved",
            _narrowed(lambda slope: slope / 2),
            "You halved the intensity. The same operations now need half the bytes, so there are "
            "more operations per byte.",
        ),
        Mistake(
            "half the work, too",
            _narrowed(lambda slope: 2 * slope, lambda new, old: 2 * new / old),
            "You halved the work once more. The number of operations is the same as before.",
        ),
        Mistake(
            "slower for faster",
            _narrowed(lambda slope: 2 * slope, lambda new, old: old / new),
            "You gave the old rate over the new one. How many times as fast is the new program?",
        ),
        Mistake(
            "old peak kept",
            lambda intensity, peak, bandwidth, peak_half: (
                "memory" if 2 * intensity * bandwidth < peak else "arithmetic",
                min(peak, 2 * intensity * bandwidth) / min(peak, intensity * bandwidth),
            ),
            "You kept the old peak. The machine has another peak for the shorter numbers.",
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
            "You read the weights only. For each token, the keys and values of all earlier tokens "
            "are read as well.",
        ),
        Mistake(
            "half of the context",
            _rate(lambda p, q, n, w, c: p * q / 8 + 2 * n * w * c),
            "You counted half of the keys and values. In each layer a token has a key vector and a "
            "value vector, and each number has 2 bytes.",
        ),
        Mistake(
            "bits for bytes",
            _rate(lambda p, q, n, w, c: p * q + 4 * n * w * c),
            "You used the bits of a weight as bytes. The bandwidth is in bytes/s.",
        ),
        Mistake(
            "one layer's cache",
            _rate(lambda p, q, n, w, c: p * q / 8 + 4 * w * c),
            "You counted the keys and values of a single layer. Every layer has its own.",
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
            "You counted one operation for each weight. A weight is multiplied, and the product is "
            "added, for each text.",
        ),
        Mistake(
            "the ridge itself",
            lambda peak, bandwidth, bits: peak / bandwidth,
            "That is the ridge in operations per byte. How many operations does a batch do for "
            "each byte of the weights?",
        ),
        Mistake(
            "bits for bytes",
            lambda peak, bandwidth, bits: peak * bits / (2 * bandwidth),
            "You used the bits of a weight as bytes. How many bits has a byte?",
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
            "You left out the static power. For how long is the machine on for each operation?",
        ),
        Mistake(
            "one after the other",
            _joules(lambda compute, move: compute + move),
            "You added the times of arithmetic and data movement. Energies add up, but these times "
            "overlap. How long does an operation take?",
        ),
        Mistake(
            "as if at the peak",
            _joules(lambda compute, move: compute + 0 * move),
            "You counted the static power for the time at the peak. A program bound by memory "
            "keeps the machine on for longer.",
        ),
        Mistake(
            "always moving",
            _joules(lambda compute, move: move + 0 * compute),
            "You counted the static power for the time of the data movement. A program bound by "
            "arithmetic takes longer than this.",
        ),
        Mistake(
            "watts added to joules",
            _joules(lambda compute, move: 1 + 0 * compute),
            "You added watts to joules. For how long does an operation keep the machine on?",
        ),
        Mistake(
            "bytes times intensity",
            _joules(np.maximum, lambda e, i: e * i),
            "You multiplied by the intensity. It counts operations per byte: how many bytes belong "
            "to one operation?",
        ),
        Mistake(
            "bytes for free",
            _joules(np.maximum, lambda e, i: 0 * e / i),
            "You left out the energy of data movement. Moving a byte often takes more energy than "
            "the arithmetic on it.",
        ),
    ],
    properties=[
        limit(
            "all in registers",
            (1e12, 1e-11, 1e-10, 0.0, 1e12, 1e11),
            0.5,
            "Without data movement and static power, an operation takes its own energy only.",
        ),
        vectorised(
            (np.array([0.1, 1.0, 10.0]), 1e-11, 1e-10, 30.0, 1e12, 1e11),
            0.5,
            ARRAYS.format("intensities"),
        ),
        refuses(
            (0.0, 1e-11, 1e-10, 30.0, 1e12, 1e11),
            0.5,
            "At an intensity of zero, an operation needs infinitely many bytes: raise a "
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
            "You heated the device without cooling. The warmer it gets, the more heat it gives "
            "off, so it takes longer.",
        ),
        Mistake(
            "ambient forgotten",
            lambda power, resistance, capacity, ambient, limit_celsius: (
                -resistance
                * capacity
                * np.log(1 - min(0.999, limit_celsius / (power * resistance)))
            ),
            "You started at 0 °C. The device starts at the temperature of the air.",
        ),
        Mistake(
            "share done for share left",
            lambda power, resistance, capacity, ambient, limit_celsius: (
                -resistance * capacity * np.log((limit_celsius - ambient) / (power * resistance))
            ),
            "You took the logarithm of the fraction that is done. The remaining fraction decays "
            "exponentially.",
        ),
        Mistake(
            "time constant",
            lambda power, resistance, capacity, ambient, limit_celsius: resistance * capacity,
            "That is the time constant, after which 63 % of any change is done. When does the "
            "device reach this limit?",
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
            "You shortened the whole program by that fraction. Only the cycles lost to "
            "mispredictions get fewer.",
        ),
        Mistake(
            "share of the cycles saved",
            lambda base_cpi, misses_per_kilo, penalty, saved: (
                1 - 1 / float(speedup(base_cpi, misses_per_kilo, penalty, saved))
            ),
            "That is the saved fraction of the cycles. How many times as fast is this?",
        ),
        Mistake(
            "gain above 1",
            lambda base_cpi, misses_per_kilo, penalty, saved: (
                float(speedup(base_cpi, misses_per_kilo, penalty, saved)) - 1
            ),
            "That is by how much the program is faster. If nothing changes, it runs 1 times as "
            "fast.",
        ),
        Mistake(
            "misses an instruction",
            lambda base_cpi, misses_per_kilo, penalty, saved: float(
                speedup(base_cpi, 1000 * misses_per_kilo, penalty, saved)
            ),
            "You used the mispredictions of 1,000 instructions for one instruction.",
        ),
        Mistake(
            "a cycle each",
            lambda base_cpi, misses_per_kilo, penalty, saved: (
                (base_cpi + misses_per_kilo / 1000)
                / (base_cpi + (1 - saved) * misses_per_kilo / 1000)
            ),
            "You counted one cycle for each misprediction. Use the given penalty.",
        ),
        Mistake(
            "what is saved stays",
            lambda base_cpi, misses_per_kilo, penalty, saved: (
                (base_cpi + misses_per_kilo / 1000 * penalty)
                / (base_cpi + saved * misses_per_kilo / 1000 * penalty)
            ),
            "You kept the removed mispredictions and dropped the remaining ones.",
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
        return "Let the largest size be at least a hundred times the smallest."
    if np.polyfit(bytes_moved, seconds, 1)[0] <= 0:
        return "More bytes should take longer. Measure each size several times and take the best."
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
            "You averaged the rates of all sizes. Small sizes, which are mostly overhead, count as "
            "much as large ones. Fit a line instead.",
        ),
        Mistake(
            "slope for rate",
            lambda bytes_moved, seconds: float(np.polyfit(bytes_moved, seconds, 1)[0]),
            "That is the slope of the line, in seconds per byte. Take its reciprocal.",
        ),
        Mistake(
            "all over all",
            lambda bytes_moved, seconds: float(np.sum(bytes_moved) / np.sum(seconds)),
            "You divided all bytes by all seconds. This includes the overhead of every call; the "
            "slope of the line doesn't.",
        ),
    ],
)


def _two_batches(rng):
    small, factor = int(rng.integers(4, 17)), int(rng.integers(3, 9))
    floor = rng.uniform(0.02, 0.3)
    shared = floor * small * rng.uniform(1.5, 8)
    large = small * factor
    return {
        "small_batch": small,
        "large_batch": large,
        "small_joules": shared / small + floor,
        "large_joules": shared / large + floor,
        "new_batch": large * int(rng.integers(2, 5)),
    }


def _batch_joules(shared, floor):
    """Return a model of the table from functions of (batches, joules), small first."""

    def model(small_batch, large_batch, small_joules, large_joules, new_batch):
        given = small_batch, large_batch, small_joules, large_joules
        step, rest = shared(*given), floor(*given)
        return {"step": step, "floor": rest, "predicted": step / new_batch + rest}

    return model


def _shared(b, c, e, f):
    return (e - f) / (1 / b - 1 / c)


token_joules = array(
    "token_joules",
    "Two batches give the energy of a token",
    reference=_batch_joules(_shared, lambda b, c, e, f: e - _shared(b, c, e, f) / b),
    inputs=_two_batches,
    points=3,
    mistakes=[
        Mistake(
            "no floor",
            _batch_joules(lambda b, c, e, f: b * e, lambda b, c, e, f: 0.0),
            "You gave all joules of the small batch to the step. Then the large batch would cost "
            "less than measured: solve two equations with two unknowns.",
        ),
        Mistake(
            "floor of the large batch",
            _batch_joules(lambda b, c, e, f: (e - f) * b, lambda b, c, e, f: f),
            "You took the large batch as the floor. Its tokens also pay a part of the step.",
        ),
        Mistake(
            "line in the batch",
            lambda small_batch, large_batch, small_joules, large_joules, new_batch: {
                "step": (small_joules - large_joules) / (large_batch - small_batch),
                "floor": small_joules
                + (small_joules - large_joules) / (large_batch - small_batch) * small_batch,
                "predicted": large_joules
                - (small_joules - large_joules)
                / (large_batch - small_batch)
                * (new_batch - large_batch),
            },
            "You drew a straight line against the batch. The energy of a token is a straight line "
            "in the reciprocal of the batch.",
        ),
        Mistake(
            "halved with every doubling",
            lambda small_batch, large_batch, small_joules, large_joules, new_batch: {
                "step": _shared(small_batch, large_batch, small_joules, large_joules),
                "floor": small_joules
                - _shared(small_batch, large_batch, small_joules, large_joules) / small_batch,
                "predicted": large_joules * large_batch / new_batch,
            },
            "Your two constants are right, but your prediction is in inverse proportion to the "
            "batch. Only the step is shared; the floor stays.",
        ),
        Mistake(
            "same as the large batch",
            lambda small_batch, large_batch, small_joules, large_joules, new_batch: {
                "step": _shared(small_batch, large_batch, small_joules, large_joules),
                "floor": small_joules
                - _shared(small_batch, large_batch, small_joules, large_joules) / small_batch,
                "predicted": large_joules,
            },
            "Your two constants are right, but your prediction is the measured large batch. Put "
            "the new batch into the formula.",
        ),
        Mistake(
            "joules of a step",
            lambda small_batch, large_batch, small_joules, large_joules, new_batch: {
                "step": _shared(small_batch, large_batch, small_joules, large_joules),
                "floor": small_joules
                - _shared(small_batch, large_batch, small_joules, large_joules) / small_batch,
                "predicted": _shared(small_batch, large_batch, small_joules, large_joules)
                + new_batch
                * (
                    small_joules
                    - _shared(small_batch, large_batch, small_joules, large_joules) / small_batch
                ),
            },
            "Your two constants are right, but your prediction is the energy of a whole step. How "
            "many tokens share it?",
        ),
    ],
)


def _limited(rng):
    power, static = rng.uniform(200, 600), rng.uniform(0.4, 0.55)
    deep = rng.random() < 0.25
    above = rng.uniform(0.015, 0.05) if deep else rng.uniform(0.3, 0.7)
    return {
        "power": power,
        "static_power": power * static,
        "clocked": rng.uniform(0.8, 0.95) if deep else rng.uniform(0.3, 0.9),
        "cap": power * (static + (1 - static) * above),
    }


def _capped(time, energy=lambda power, cap, time: cap * time / power):
    """Return a model from the time under the cap, of (power, static, clocked, cap), as a ratio."""

    def model(power, static_power, clocked, cap):
        ratio = energy(power, cap, time(power, static_power, clocked, cap))
        return ("saves" if ratio < 1 else "costs"), ratio

    return model


def _slowed(power, static, clocked, cap):
    return 1 - clocked + clocked * ((power - static) / (cap - static)) ** (1 / 3)


capped = choice(
    "capped",
    "Does a power cap save energy?",
    choices=("saves", "costs"),
    reference=_capped(_slowed),
    inputs=_limited,
    points=3,
    mistakes=[
        Mistake(
            "no slower",
            _capped(lambda p, s, x, c: 1),
            "You kept the time. A lower clock makes a part of the program slower.",
        ),
        Mistake(
            "all of the time",
            _capped(lambda p, s, x, c: ((p - s) / (c - s)) ** (1 / 3)),
            "You made the whole program slower. Only the given fraction of the time depends on "
            "the clock.",
        ),
        Mistake(
            "other part",
            _capped(lambda p, s, x, c: x + (1 - x) * ((p - s) / (c - s)) ** (1 / 3)),
            "You made the other part of the program slower. The given fraction is the part that "
            "depends on the clock.",
        ),
        Mistake(
            "static part forgotten",
            _capped(lambda p, s, x, c: 1 - x + x * (p / c) ** (1 / 3)),
            "You let all power depend on the clock. The static power doesn't: subtract it before "
            "you compare.",
        ),
        Mistake(
            "no root",
            _capped(lambda p, s, x, c: 1 - x + x * (p - s) / (c - s)),
            "You made the clock proportional to the power. Power grows with the cube of the clock.",
        ),
        Mistake(
            "square root",
            _capped(lambda p, s, x, c: 1 - x + x * sqrt((p - s) / (c - s))),
            "You took a square root. Power grows with the cube of the clock.",
        ),
        Mistake(
            "time for energy",
            _capped(_slowed, lambda power, cap, time: time),
            "That is how many times as long the run takes. Energy is power times time.",
        ),
        Mistake(
            "energy above the static part",
            lambda power, static_power, clocked, cap: (
                "saves"
                if (cap - static_power)
                / (power - static_power)
                * _slowed(power, static_power, clocked, cap)
                < 1
                else "costs",
                (cap - static_power)
                / (power - static_power)
                * _slowed(power, static_power, clocked, cap),
            ),
            "You left out the static power in the energy. The machine draws it as well, for as "
            "long as the run takes.",
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
        token_joules,
        capped,
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
