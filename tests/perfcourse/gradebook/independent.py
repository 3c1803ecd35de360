"""Made-up classes of people who work alone: answers to eight questions on scaling, right and wrong.

Each answer was written by hand as another person might: from the reference, from a misconception
of the bank, or by another way to the same number.
"""

import builtins
import functools
import json
import keyword
import re
from pathlib import Path

from perfcourse.gradebook.answers import by_answer
from perfcourse.gradebook.fingerprints import fingerprints, prints

EXERCISE = Path(__file__).parents[3] / "exercises" / "scaling.ipynb"

SPEEDUP = [
    """def speedup(serial_fraction, processors):
    s, p = np.asarray(serial_fraction, dtype=float), np.asarray(processors, dtype=float)
    if np.any((s < 0) | (s > 1)):
        raise ValueError("serial fraction")
    if np.any(p < 1):
        raise ValueError("processors")
    return 1 / (s + (1 - s) / p)
""",
    """def speedup(serial_fraction, processors):
    if serial_fraction < 0 or serial_fraction > 1:
        raise ValueError("serial_fraction must be in [0, 1]")
    if processors < 1:
        raise ValueError("need at least one processor")
    parallel = 1 - serial_fraction
    return 1 / (serial_fraction + parallel / processors)
""",
    """def speedup(serial_fraction, processors):
    assert 0 <= serial_fraction <= 1
    time_serial = serial_fraction
    time_parallel = (1 - serial_fraction) / processors
    total = time_serial + time_parallel
    return 1.0 / total
""",
    """def speedup(serial_fraction, processors):
    return processors / (1 + serial_fraction * (processors - 1))
""",
    """def speedup(serial_fraction, processors):
    # the job grows
    return serial_fraction + (1 - serial_fraction) * processors
""",
    """def speedup(serial_fraction, processors):
    if not (0 <= serial_fraction <= 1):
        raise ValueError(serial_fraction)
    t1 = 1
    tp = t1 * serial_fraction + t1 * (1 - serial_fraction) / processors
    return t1 / tp
""",
    """def speedup(serial_fraction, processors):
    x = np.array(serial_fraction)
    n = np.array(processors)
    if (x < 0).any() or (x > 1).any() or (n < 1).any():
        raise ValueError("bad input")
    denominator = x + (1 - x) / n
    return np.reciprocal(denominator)
""",
    """def speedup(serial_fraction, processors):
    old_time = 1
    new_time = serial_fraction * old_time + (old_time - serial_fraction * old_time) / processors
    return new_time / old_time
""",
]
NEEDED = [
    """s, share = p["serial_fraction"], p["share"]
processors_needed = (1 - s) / (s / share - s)
""",
    """s = p["serial_fraction"]
ceiling = 1 / s
target = p["share"] * ceiling
processors_needed = (1 - s) / (1 / target - s)
""",
    """processors_needed = p["share"] * (1 - p["serial_fraction"]) / (
    (1 - p["share"]) * p["serial_fraction"])
""",
    """from scipy.optimize import brentq
goal = p["share"] / p["serial_fraction"]
processors_needed = brentq(lambda n: speedup(p["serial_fraction"], n) - goal, 1, 1e9)
""",
    """processors_needed = 1 / p["serial_fraction"]
""",
    """n = 1
while speedup(p["serial_fraction"], n) < p["share"] / p["serial_fraction"]:
    n = n + 1
processors_needed = n
""",
    """a = p["serial_fraction"]
b = 1 - a
S = p["share"] / a
# S = 1/(a + b/n)  ->  b/n = 1/S - a
rest = 1 / S - a
processors_needed = b / rest
""",
]
FRACTION = [
    """def serial_fraction_of(speedup, processors):
    measured, p = np.asarray(speedup, dtype=float), np.asarray(processors, dtype=float)
    if np.any(p < 2):
        raise ValueError("processors must be 2 or more")
    return (1 / measured - 1 / p) / (1 - 1 / p)
""",
    """def serial_fraction_of(speedup, processors):
    if processors < 2:
        raise ValueError("at least two")
    return (processors / speedup - 1) / (processors - 1)
""",
    """def serial_fraction_of(speedup, processors):
    if processors < 2:
        raise ValueError("cannot be determined")
    top = processors - speedup
    bottom = speedup * (processors - 1)
    return top / bottom
""",
    """def serial_fraction_of(speedup, processors):
    efficiency = speedup / processors
    return 1 - efficiency
""",
    """def serial_fraction_of(speedup, processors):
    if np.min(processors) < 2:
        raise ValueError
    inverse = 1 / processors
    e = (1 / speedup - inverse) / (1 - inverse)
    return e
""",
    """def serial_fraction_of(speedup, processors):
    time = 1 / speedup
    perfect = 1 / processors
    excess = time - perfect
    worst = 1 - perfect
    if processors == 1:
        raise ValueError("one processor says nothing")
    return excess / worst
""",
    """def serial_fraction_of(speedup, processors):
    return (processors - speedup) / (processors - 1)
""",
]
EFFICIENCIES = [
    """cost = p["strong_seconds"] * p["processors"]
efficiencies = {
    "strong": cost[0] / cost,
    "weak": p["weak_seconds"][0] / p["weak_seconds"],
}
""",
    """n = np.array(p["processors"])
ts = np.array(p["strong_seconds"])
tw = np.array(p["weak_seconds"])
efficiencies = {"strong": ts[0] * n[0] / (ts * n), "weak": tw[0] / tw}
""",
    """strong = []
weak = []
for i in range(len(p["processors"])):
    ideal = p["strong_seconds"][0] * p["processors"][0] / p["processors"][i]
    strong.append(ideal / p["strong_seconds"][i])
    weak.append(p["weak_seconds"][0] / p["weak_seconds"][i])
efficiencies = {"strong": strong, "weak": weak}
""",
    """speedups = p["strong_seconds"][0] / p["strong_seconds"]
relative = p["processors"] / p["processors"][0]
efficiencies = dict(strong=speedups / relative, weak=p["weak_seconds"][0] / p["weak_seconds"])
""",
    """efficiencies = {
    "strong": p["strong_seconds"][0] / p["strong_seconds"],
    "weak": p["weak_seconds"][0] / p["weak_seconds"],
}
""",
    """e_s = [p["strong_seconds"][0] / t * (p["processors"][0] / n)
       for t, n in zip(p["strong_seconds"], p["processors"])]
e_w = [p["weak_seconds"][0] / t for t in p["weak_seconds"]]
efficiencies = {"strong": np.array(e_s), "weak": np.array(e_w)}
""",
    """def eff(times, ideal):
    return ideal / times
first = p["strong_seconds"][0]
efficiencies = {}
efficiencies["strong"] = eff(p["strong_seconds"], first * p["processors"][0] / p["processors"])
efficiencies["weak"] = eff(p["weak_seconds"], p["weak_seconds"][0])
""",
]
SHARE = [
    """serial = p["share_on_p"]
parallel = (1 - serial) * p["processors"]
one_processor_share = serial / (serial + parallel)
""",
    """one_processor_share = p["share_on_p"] / (
    p["share_on_p"] + p["processors"] * (1 - p["share_on_p"]))
""",
    """x = p["share_on_p"]
n = p["processors"]
total_on_one = x + n * (1 - x)
one_processor_share = x / total_on_one
""",
    """ratio = p["processors"] * (1 - p["share_on_p"]) / p["share_on_p"]
one_processor_share = 1 / (1 + ratio)
""",
    """one_processor_share = p["share_on_p"] / p["processors"]
""",
    """t_run = 1.0
t_serial = p["share_on_p"] * t_run
t_parallel = t_run - t_serial
t_one = t_serial + t_parallel * p["processors"]
one_processor_share = t_serial / t_one
""",
    """gustafson = p["share_on_p"] + (1 - p["share_on_p"]) * p["processors"]
one_processor_share = p["share_on_p"] / gustafson
""",
]
BOUNDED = [
    """def memory_bounded_speedup(serial_fraction, processors, memory_growth):
    s, p = np.asarray(serial_fraction, dtype=float), np.asarray(processors, dtype=float)
    growth = np.asarray(memory_growth, dtype=float)
    if np.any(growth <= 0):
        raise ValueError("growth")
    parallel = (1 - s) * growth
    return (s + parallel) / (s + parallel / p)
""",
    """def memory_bounded_speedup(serial_fraction, processors, memory_growth):
    if memory_growth <= 0:
        raise ValueError("memory_growth must be positive")
    one = serial_fraction + (1 - serial_fraction) * memory_growth
    many = serial_fraction + (1 - serial_fraction) * memory_growth / processors
    return one / many
""",
    """def memory_bounded_speedup(serial_fraction, processors, memory_growth):
    parallel_fraction = 1 - serial_fraction
    work = serial_fraction + memory_growth * parallel_fraction
    time = serial_fraction + memory_growth * parallel_fraction / processors
    if memory_growth > 0:
        return work / time
    raise ValueError(memory_growth)
""",
    """def memory_bounded_speedup(serial_fraction, processors, memory_growth):
    return 1 / (serial_fraction + (1 - serial_fraction) / processors) * memory_growth
""",
    """def memory_bounded_speedup(serial_fraction, processors, memory_growth):
    assert memory_growth > 0, "no shrinking"
    f = serial_fraction / (serial_fraction + (1 - serial_fraction) * memory_growth)
    return speedup(f, processors)
""",
    """def memory_bounded_speedup(serial_fraction, processors, memory_growth):
    g = np.array(memory_growth)
    if (g <= 0).any():
        raise ValueError("g")
    top = serial_fraction + g - serial_fraction * g
    bottom = serial_fraction + (g - serial_fraction * g) / processors
    return top / bottom
""",
]
LONGER = [
    """s, nodes = p["serial_fraction"], p["processors"]
work = nodes * nodes ** (1 / p["dimension"])
longer = s + (1 - s) * work / nodes
""",
    """edge = p["processors"] ** (1 / p["dimension"])
longer = p["serial_fraction"] + (1 - p["serial_fraction"]) * edge
""",
    """points = p["processors"]
steps = p["processors"] ** (1 / p["dimension"])
parallel_time = (1 - p["serial_fraction"]) * points * steps / p["processors"]
longer = parallel_time + p["serial_fraction"]
""",
    """longer = p["processors"] ** (1 / p["dimension"])
""",
    """n, d = p["processors"], p["dimension"]
f = p["serial_fraction"]
growth = n ** (1 + 1 / d)
before = f + (1 - f)
after = f + (1 - f) * growth / n
longer = after / before
""",
    """k = np.power(p["processors"], 1.0 / p["dimension"])
old = 1
new = p["serial_fraction"] * old + k * (old - p["serial_fraction"] * old)
longer = new
""",
]
WORK = [
    """overhead = p["cost"] * p["processors"] * np.log2(p["processors"])
work_needed = p["efficiency"] / (1 - p["efficiency"]) * overhead
""",
    """import math
rounds = math.log2(p["processors"])
lost = rounds * p["cost"] * p["processors"]
E = p["efficiency"]
work_needed = lost * E / (1 - E)
""",
    """e = p["efficiency"]
K = e / (1 - e)
work_needed = K * p["processors"] * p["cost"] * np.log(p["processors"]) / np.log(2)
""",
    """work_needed = p["cost"] * np.log2(p["processors"]) * p["efficiency"] / (1 - p["efficiency"])
""",
    """to = 0
for _ in range(int(np.log2(p["processors"]))):
    to += p["cost"] * p["processors"]
work_needed = to / (1 / p["efficiency"] - 1)
""",
    """depth = np.log2(p["processors"])
T_overhead = p["processors"] * depth * p["cost"]
work_needed = T_overhead / (1 - p["efficiency"])
""",
]
ANSWERS = {
    "speedup": SPEEDUP,
    "processors_needed": NEEDED,
    "serial_fraction_of": FRACTION,
    "efficiencies": EFFICIENCIES,
    "one_processor_share": SHARE,
    "memory_bounded_speedup": BOUNDED,
    "longer": LONGER,
    "work_needed": WORK,
}


@functools.lru_cache(maxsize=1)
def stub():
    """Return the code cells of the notebook that was handed out."""
    cells = json.loads(EXERCISE.read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def handed_in(answers):
    """Return the code cells of a notebook in which these answers were filled in."""
    cells = []
    for cell in stub():
        (name, *_) = [*(name for name in answers if _sets(cell, name)), ""]
        drawn = "\n".join(line for line in cell.splitlines() if line.startswith(("p =", "print")))
        cells.append(f"{drawn}\n{answers[name]}" if name else cell)
    return cells


def _sets(cell, name):
    return f"def {name}(" in cell or f"\n{name} = ..." in cell


def alone(rng, habit=0.0):
    """Return somebody's answers: drawn from those above, each with turns of phrase of their own.

    With `habit` above 0 people have habits: with this probability an answer is the one at a place
    of the lists above that is this person's, and not drawn independently of the others.
    """
    style = rng.integers(6)
    chosen = {
        name: ways[style] if rng.random() < habit else ways[rng.integers(len(ways))]
        for name, ways in ANSWERS.items()
    }
    return {name: phrased(code, name, rng) for name, code in chosen.items()}


def phrased(code, name, rng):
    """Return code written a little differently: a step more, brackets, a conversion, a name."""
    if rng.random() < 0.3:
        code = re.sub(r"(?m)^( *)return (.+)$", r"\1result = \2\n\1return result", code)
        code = re.sub(rf"(?m)^{name} = ([^\n{{(\[]+)$", rf"value = \1\n{name} = value", code)
    if rng.random() < 0.2:
        code = re.sub(r"(?m)= (.+[^:,({\[])$", r"= (\1)", code)
    if rng.random() < 0.2:
        code = re.sub(r"(?m)return (.+)$", r"return float(\1)", code)
    if rng.random() < 0.3:
        code = code.replace("1 /", "1.0 /").replace("1 -", "1.0 -")
    for key in ("processors", "serial_fraction", "cost", "share_on_p"):
        if f'p["{key}"]' in code and rng.random() < 0.3:
            code = f'{key[:4]} = p["{key}"]\n' + code.replace(f'p["{key}"]', key[:4])
    return code


def copied(answers, rng, share=1.0):
    """Return a copy of some of the answers, the others by oneself, made to look different.

    Names are changed, comments taken off and others put in, lines that can change places do.
    """
    own = alone(rng)
    taken = [name for name in answers if rng.random() < share]
    return own | {name: disguised(answers[name], name, rng) for name in taken}


def disguised(code, name, rng):
    """Return the same code with other names, comments and order of lines."""
    lines = [re.sub(r"#.*", "", line).rstrip() for line in code.splitlines()]
    lines = _turned([line for line in lines if line], rng)
    code = "\n".join(lines)
    kept = {name, "p", "np", "range", "len", "float", *ANSWERS, *_KEPT}
    names = sorted(set(re.findall(r"(?<![.\w\"'])[A-Za-z_]\w*(?![\w\"'])", code)) - kept)
    for number, old in enumerate(names):
        code = re.sub(rf"(?<![.\w\"']){old}(?![\w\"'])", f"my_{number}", code)
    return "".join(f"{line}  # a step\n" for line in code.splitlines())


_KEPT = set(keyword.kwlist) | set(dir(builtins))


def _turned(lines, rng):
    """Swap neighbours that set different names at one indentation."""
    turned = list(lines)
    for place in range(len(turned) - 1):
        pair = turned[place : place + 2]
        alike = [re.match(r"( *)\w+ = .*[^,({\[:]$", line) for line in pair]
        if all(alike) and alike[0][1] == alike[1][1] and rng.random() < 0.5:
            turned[place : place + 2] = pair[::-1]
    return turned


@functools.lru_cache(maxsize=1)
def given():
    """Return the fingerprints of what was handed out."""
    return frozenset(mark for cell in stub() for mark in fingerprints(cell))


@functools.lru_cache(maxsize=10_000)
def _prints(name, code):
    (cell,) = (cell for cell in handed_in({name: code}) if code in cell)
    return prints(by_answer([cell], ANSWERS), given())


def prints_of(people):
    """Return the fingerprints of people's answers, by name; as of whole notebooks, but faster."""
    return {
        name: {k: v for answer, code in answers.items() for k, v in _prints(answer, code).items()}
        for name, answers in people.items()
    }
