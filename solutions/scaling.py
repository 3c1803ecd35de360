"""Question bank of the topic scaling: what more processors can and cannot buy.

Twenty-two questions in three levels. Units are SI; ratios and fractions have none.
"""

from math import ceil, log, log2, sqrt

import numpy as np
from scipy.optimize import minimize_scalar

from perfcourse.bank import (
    Bank,
    Mistake,
    array,
    choice,
    function,
    measured,
    number,
    rounded,
)
from perfcourse.bank.properties import limit, monotone, refuses, vectorised
from perfmodel.labs.scaling.svm_scaling.step_cost import Data, Method, row_cost
from perfmodel.scaling import (
    HeterogeneousChip,
    Stencil,
    amdahl_speedup,
    bandwidth_needed,
    checkpoint_efficiency,
    failure_rate,
    failures_per_work,
    fit_serial_fraction,
    gustafson_speedup,
    isoefficiency,
    karp_flatt,
    memory_growth,
    smallest_big_cores,
    strong_scaling_efficiency,
    sun_ni_speedup,
    symmetric_speedup,
    usl_peak,
    weak_scaling_efficiency,
    young_interval,
)

ARRAYS = (
    "Let NumPy do the loop: given an array of {}, the function should return an array of the "
    "same shape. If one of your checks stops it, wrap the comparison in np.any(...); if a "
    "function of math does, use NumPy's."
)

# Level 1: the laws


def _job(rng):
    return {"serial_fraction": rng.uniform(0.02, 0.6), "processors": int(rng.integers(3, 129))}


amdahl = function(
    "amdahl",
    "Build Amdahl's law",
    answer="speedup",
    reference=amdahl_speedup,
    inputs=_job,
    points=5,
    builds=(
        "perfmodel.scaling.amdahl_speedup",
        "perfmodel.scaling.sun_ni_speedup",
        "perfmodel.scaling.usl_throughput",
        "perfmodel.scaling.symmetric_speedup",
        "perfmodel.scaling.asymmetric_speedup",
        "perfmodel.scaling.dynamic_speedup",
    ),
    mistakes=[
        Mistake(
            "scaled problem",
            lambda s, p: s + (1 - s) * p,
            "That is Gustafson's law, where the job grows with the processors. Here the job stays "
            "the same: how long does each of its two parts take?",
        ),
        Mistake(
            "fractions swapped",
            lambda s, p: 1 / ((1 - s) + s / p),
            "You divided the serial part over all processors and left the parallel part on one. "
            "Which of the two can be divided?",
        ),
        Mistake(
            "parallel part multiplied",
            lambda s, p: 1 / (s + (1 - s) * p),
            "You multiplied the parallel part by the processors, so each further one makes the job "
            "slower. What happens to the time of a piece of work that is divided?",
        ),
        Mistake(
            "serial part forgotten",
            lambda s, p: p / (1 - s),
            "You timed the parallel part only, so your speedup exceeds the number of "
            "processors. What do the others do while the serial part runs?",
        ),
        Mistake(
            "ideal",
            lambda s, p: float(p),
            "That is the ideal speedup. Your result doesn't depend on the serial fraction.",
        ),
        Mistake(
            "share of the ideal",
            lambda s, p: (1 - s) * p,
            "You took a fraction of the ideal speedup. Times add up, speedups don't: write down "
            "the run time first, then divide.",
        ),
        Mistake(
            "time instead of speedup",
            lambda s, p: s + (1 - s) / p,
            "That is the new run time as a fraction of the old one, which falls when processors "
            "are added. How many times as fast is the job?",
        ),
        Mistake(
            "efficiency",
            lambda s, p: 1 / (s * p + 1 - s),
            "That is the efficiency: the speedup per processor. The question asks for the speedup.",
        ),
    ],
    properties=[
        limit(
            "one processor",
            (0.3, 1),
            0.5,
            "Try your function on one processor: the job should be neither faster nor slower.",
        ),
        limit(
            "all serial",
            (1.0, 64),
            0.5,
            "Try a job that is all serial: the processors should make no difference to it.",
        ),
        vectorised((0.1, np.array([1.0, 4.0, 64.0])), 1, ARRAYS.format("processor counts")),
        refuses(
            (1.2, 4),
            0.5,
            "A serial fraction of 1.2 makes no sense: raise a ValueError that says so.",
            "refuses a fraction above 1",
        ),
        refuses(
            (0.2, 0),
            0.5,
            "A job can't run on 0 processors: raise a ValueError that says so.",
            "refuses no processors",
        ),
    ],
)


def _needed(serial_fraction, share):
    return share * (1 - serial_fraction) / ((1 - share) * serial_fraction)


processors_needed = number(
    "processors_needed",
    "How many processors for most of the ceiling?",
    reference=_needed,
    inputs=lambda rng: {
        "serial_fraction": rng.uniform(0.05, 0.2),
        "share": rng.uniform(0.5, 0.95),
    },
    points=2,
    tolerance=0.001,
    mistakes=[
        *rounded(_needed),
        Mistake(
            "speedup for processors",
            lambda serial_fraction, share: share / serial_fraction,
            "That is the speedup that you want. With a serial part, it takes more processors than "
            "this to reach it.",
        ),
        Mistake(
            "ceiling for processors",
            lambda serial_fraction, share: 1 / serial_fraction,
            "That is the ceiling itself, a speedup. How many processors bring you to a fraction of "
            "it?",
        ),
        Mistake(
            "whole job divided",
            lambda serial_fraction, share: share / (serial_fraction * (1 - share)),
            "You divided the whole job by the processors and then added the serial part again. "
            "Only the parallel part can be divided.",
        ),
        Mistake(
            "share of the ideal",
            lambda serial_fraction, share: (1 / share - 1 + serial_fraction) / serial_fraction,
            "You found where the efficiency falls to that fraction, which is a fraction of the "
            "ideal speedup. Here the fraction is of the ceiling.",
        ),
        Mistake(
            "share upside down",
            lambda serial_fraction, share: (
                (1 - serial_fraction) / serial_fraction * (1 - share) / share
            ),
            "With your formula, a larger fraction of the ceiling needs fewer processors. It must "
            "need more: on which side of the equation is the fraction?",
        ),
        Mistake(
            "ceiling of the parallel part",
            lambda serial_fraction, share: (
                (1 - serial_fraction) / ((1 - serial_fraction) / share - serial_fraction)
            ),
            "Your ceiling is the reciprocal of the parallel fraction. With endless processors only "
            "the serial part is left: what is the speedup then?",
        ),
    ],
)


def _run(rng):
    serial, p = rng.uniform(0.02, 0.6), int(rng.integers(4, 65))
    return {"speedup": float(amdahl_speedup(serial, p)), "processors": p}


measured_fraction = function(
    "karp_flatt",
    "Build the Karp-Flatt metric",
    answer="serial_fraction_of",
    reference=karp_flatt,
    inputs=_run,
    points=4,
    builds=("perfmodel.scaling.karp_flatt", "perfmodel.scaling.fit_serial_fraction"),
    mistakes=[
        Mistake(
            "denominator left out",
            lambda speedup, p: 1 / speedup - 1 / p,
            "That is the time lost compared with the ideal, which is nearly the serial fraction. "
            "But the serial part would take its 1/p in the ideal run, too: solve Amdahl's law for "
            "s and collect both terms with s.",
        ),
        Mistake(
            "speedup for the ceiling",
            lambda speedup, p: 1 / speedup,
            "You used the measured speedup as the ceiling 1/s. Only endless processors reach the "
            "ceiling; yours still spent time on the parallel part.",
        ),
        Mistake(
            "lost efficiency",
            lambda speedup, p: 1 - speedup / p,
            "That is the lost efficiency. It grows with the processors even if the code stays the "
            "same; the serial fraction doesn't.",
        ),
        Mistake(
            "parallel fraction",
            lambda speedup, p: 1 - (1 / speedup - 1 / p) / (1 - 1 / p),
            "That is the parallel fraction. Subtract it from 1.",
        ),
        Mistake(
            "Gustafson inverted",
            lambda speedup, p: (p - speedup) / (p - 1),
            "You solved Gustafson's law, for a job that grows with the machine. This speedup "
            "was measured on one fixed job.",
        ),
    ],
    properties=[
        limit("no loss", (16.0, 16), 0.5, "A speedup of p on p processors leaves nothing serial."),
        limit(
            "superlinear",
            (5.0, 4),
            0.5,
            "A speedup above p is possible, for example by caches. Return the negative fraction, "
            "so that the reader notices.",
        ),
        vectorised(
            (np.array([1.9, 3.4, 5.8]), np.array([2.0, 4.0, 8.0])),
            0.5,
            ARRAYS.format("speedups and processor counts"),
        ),
        refuses(
            (1.0, 1),
            0.5,
            "A run on one processor says nothing about the serial part: raise a ValueError.",
            "refuses one processor",
        ),
    ],
)


def _two_campaigns(rng):
    p = int(rng.choice([2, 4, 8])) * np.array([1, 2, 4, 8])
    steps = np.arange(4)
    strong = rng.uniform(200, 900) / (p / p[0]) * np.exp(rng.uniform(0.08, 0.3) * steps)
    weak = rng.uniform(50, 300) * np.exp(rng.uniform(0.04, 0.12) * steps)
    return {"processors": p, "strong_seconds": strong, "weak_seconds": weak}


def _efficiencies(processors, strong_seconds, weak_seconds):
    return {
        "strong": strong_scaling_efficiency(strong_seconds, processors),
        "weak": weak_scaling_efficiency(weak_seconds),
    }


def _campaign(strong, weak):
    """Return a model of both columns from two functions of (time ratio, processor ratio)."""

    def model(processors, strong_seconds, weak_seconds):
        p = processors / processors[0]
        gain = strong_seconds[0] / strong_seconds
        return {"strong": strong(gain, p), "weak": weak(weak_seconds[0] / weak_seconds, p)}

    return model


efficiencies = array(
    "efficiencies",
    "Strong and weak efficiency of two measuring campaigns",
    reference=_efficiencies,
    inputs=_two_campaigns,
    points=3,
    mistakes=[
        Mistake(
            "weak treated as strong",
            _campaign(lambda gain, p: gain / p, lambda gain, p: gain / p),
            "Your strong column is right. In the weak column you divided by the processors as "
            "well, but there the job has grown with them: how long would it ideally take?",
        ),
        Mistake(
            "scaled speedup",
            _campaign(lambda gain, p: gain / p, lambda gain, p: gain * p),
            "Your strong column is right. Your weak column holds the scaled speedup, which grows "
            "with the machine; an efficiency is at most about 1.",
        ),
        Mistake(
            "scaled speedup over one processor",
            lambda processors, strong_seconds, weak_seconds: {
                "strong": strong_seconds[0] * processors[0] / (strong_seconds * processors),
                "weak": weak_seconds[0] / weak_seconds * processors,
            },
            "Your strong column is right. Your weak column is multiplied by the number of "
            "processors: a speedup over one processor, not an efficiency. How long would each weak "
            "run ideally take?",
        ),
        Mistake(
            "columns swapped",
            lambda processors, strong_seconds, weak_seconds: {
                "strong": weak_seconds[0] / weak_seconds,
                "weak": strong_seconds[0] * processors[0] / (strong_seconds * processors),
            },
            "Your two columns are exchanged. In which campaign did the job stay the same?",
        ),
        Mistake(
            "speedup instead of efficiency",
            _campaign(lambda gain, p: gain, lambda gain, p: gain),
            "Your strong column holds speedups. Divide by the ratio of the processors.",
        ),
        Mistake(
            "first run taken for one processor",
            lambda processors, strong_seconds, weak_seconds: {
                "strong": strong_seconds[0] / strong_seconds / processors,
                "weak": weak_seconds[0] / weak_seconds,
            },
            "Look at your first row: the baseline must be 1. It ran on several processors, and "
            "they must be counted.",
        ),
        Mistake(
            "upside down",
            _campaign(lambda gain, p: p / gain, lambda gain, p: 1 / gain),
            "Your efficiencies rise above 1 as the runs get worse. Divide the ideal time by the "
            "measured time.",
        ),
    ],
)


one_processor_share = number(
    "one_processor_share",
    "One run, two serial fractions",
    reference=lambda share_on_p, processors: share_on_p / gustafson_speedup(share_on_p, processors),
    inputs=lambda rng: {
        "share_on_p": rng.uniform(0.1, 0.5),
        "processors": int(rng.integers(4, 65)),
    },
    points=2,
    mistakes=[
        Mistake(
            "same fraction",
            lambda share_on_p, processors: share_on_p,
            "You kept the fraction. On one processor the parallel part takes much longer, and the "
            "serial part doesn't.",
        ),
        Mistake(
            "converted the other way",
            lambda share_on_p, processors: (
                share_on_p * processors / (share_on_p * processors + 1 - share_on_p)
            ),
            "You converted from one processor to p. The profile was made on p processors: which "
            "part gets longer on one?",
        ),
        Mistake(
            "divided by the processors",
            lambda share_on_p, processors: share_on_p / processors,
            "You divided by p, as if the whole run took p times as long on one processor. The "
            "serial part takes the same time on one as on many.",
        ),
        Mistake(
            "one over the speedup",
            lambda share_on_p, processors: 1 / (share_on_p + (1 - share_on_p) * processors),
            "That is the whole run time on p processors over that on one. Only part of this "
            "run was serial.",
        ),
    ],
)

# Level 2: bigger problems and other machines


memory_bounded = function(
    "sun_ni",
    "Build Sun and Ni's memory-bounded speedup",
    answer="memory_bounded_speedup",
    reference=sun_ni_speedup,
    inputs=lambda rng: {**_job(rng), "memory_growth": rng.uniform(1.5, 60)},
    points=4,
    builds="perfmodel.scaling.sun_ni_speedup",
    mistakes=[
        Mistake(
            "growth forgotten",
            lambda s, p, growth: 1 / (s + (1 - s) / p),
            "That is Amdahl's law: the growth has no effect. If you multiplied both parts by "
            "it, it cancels; only the parallel part grows with the memory.",
        ),
        Mistake(
            "growth equal to p",
            lambda s, p, growth: s + (1 - s) * p,
            "That is Gustafson's law, the case in which the work grows exactly as the "
            "processors do. Here the growth is an argument of its own.",
        ),
        Mistake(
            "different jobs compared",
            lambda s, p, growth: 1 / (s + (1 - s) * growth / p),
            "You compared the grown job on p processors with the small job on one. A speedup "
            "compares one and the same job: how long would one processor need for the grown one?",
        ),
        Mistake(
            "growth not shared out",
            lambda s, p, growth: s + (1 - s) * growth,
            "You found how much work the grown job is, but not how long p processors take. This "
            "time is 1 only if the growth equals p.",
        ),
        Mistake(
            "growth as processors",
            lambda s, p, growth: 1 / (s + (1 - s) / (p * growth)),
            "You used the growth as if it were more processors. It is more work: it makes the "
            "parallel part longer, on one processor and on p.",
        ),
        Mistake(
            "over the small job",
            lambda s, p, growth: (s + (1 - s) * growth) / (s + (1 - s) / p),
            "You compared the grown job on one processor with the small job on p. A speedup "
            "compares one job: how long do p processors need for the grown one?",
        ),
    ],
    properties=[
        limit(
            "no growth is Amdahl",
            (0.3, 8, 1.0),
            0.5,
            "With a growth of 1 the job has not changed: compare with your Amdahl function.",
        ),
        monotone(
            "rises with the growth",
            2,
            [1.0, 2.0, 8.0, 64.0],
            (0.3, 16, 1.0),
            0.5,
            "The more parallel work there is, the less the serial part matters: try growing it.",
        ),
        vectorised(
            (0.2, np.array([2.0, 4.0, 8.0]), np.array([2.0, 8.0, 22.0])),
            0.5,
            ARRAYS.format("processor counts and one of growths"),
        ),
        refuses(
            (0.2, 4, -1.0),
            0.5,
            "Work can't grow by a factor of -1: raise a ValueError that says so.",
            "refuses a negative growth",
        ),
    ],
)


def _longer(growth):
    """Return a model of the run time on filled memories from the growth of the parallel work."""

    def model(serial_fraction, processors, dimension):
        s, p = serial_fraction, processors
        return s + (1 - s) * growth(p, dimension) / p

    return model


longer = number(
    "longer",
    "How much longer does the finer simulation take?",
    reference=_longer(lambda p, d: p ** (1 + 1 / d)),
    inputs=lambda rng: {
        "serial_fraction": rng.uniform(0.05, 0.4),
        "processors": int(rng.choice([8, 16, 27, 64, 125, 256, 512, 1000, 4096])),
        "dimension": int(rng.integers(2, 4)),
    },
    points=2,
    mistakes=[
        Mistake(
            "time steps forgotten",
            _longer(lambda p, d: p),
            "You let the work grow with the grid points only, which would keep the time the "
            "same. A finer grid also needs more time steps.",
        ),
        Mistake(
            "serial part grew too",
            lambda serial_fraction, processors, dimension: processors ** (1 / dimension),
            "You multiplied the whole run time, but the statement keeps the serial part as "
            "long as it was. Only the parallel part takes longer.",
        ),
        Mistake(
            "work not shared out",
            lambda serial_fraction, processors, dimension: (
                serial_fraction + (1 - serial_fraction) * processors ** (1 + 1 / dimension)
            ),
            "That is the time one node would need for the finer grid. Share the parallel work "
            "out over all nodes.",
        ),
        Mistake(
            "points forgotten",
            _longer(lambda p, d: p ** (1 / d)),
            "You counted the additional time steps but not the additional grid points that "
            "fill the memory of all nodes.",
        ),
        Mistake(
            "steps follow the nodes",
            _longer(lambda p, d: p**2),
            "You made p times as many time steps. The steps follow the spacing along one edge "
            "of the grid: how much finer does an edge get when p times the points fill all "
            "its dimensions?",
        ),
        Mistake(
            "speedup",
            lambda serial_fraction, processors, dimension: sun_ni_speedup(
                serial_fraction, processors, processors ** (1 + 1 / dimension)
            ),
            "That is the memory-bounded speedup. The question asks for the run time over that of "
            "the coarse grid on one node.",
        ),
    ],
)


work_needed = number(
    "work_needed",
    "How large a problem keeps the machine busy?",
    reference=lambda efficiency, processors, cost: isoefficiency(
        efficiency, processors, lambda work, p: cost * p * np.log2(p), work_range=(1e-9, 1e9)
    ),
    inputs=lambda rng: {
        "efficiency": rng.uniform(0.6, 0.95),
        "processors": int(2 ** rng.integers(4, 13)),
        "cost": rng.uniform(1e-5, 1e-3),
    },
    points=2,
    unit="s",
    mistakes=[
        Mistake(
            "efficiency for the ratio",
            lambda efficiency, processors, cost: efficiency * cost * processors * log2(processors),
            "You set work over overhead equal to the efficiency. The efficiency is work over all "
            "the time, overhead included: solve this for the work.",
        ),
        Mistake(
            "all time for work",
            lambda efficiency, processors, cost: (
                cost * processors * log2(processors) / (1 - efficiency)
            ),
            "That is all the time, overhead included. How much of it is useful work?",
        ),
        Mistake(
            "ratio inverted",
            lambda efficiency, processors, cost: (
                (1 - efficiency) / efficiency * cost * processors * log2(processors)
            ),
            "With your formula the problem shrinks as the efficiency rises. At high efficiency, "
            "which must be larger, work or overhead?",
        ),
        Mistake(
            "one processor's overhead",
            lambda efficiency, processors, cost: (
                efficiency / (1 - efficiency) * cost * log2(processors)
            ),
            "You counted the overhead of a single processor. All processors lose this time, and "
            "the work is also counted over all.",
        ),
        Mistake(
            "logarithm left out",
            lambda efficiency, processors, cost: efficiency / (1 - efficiency) * cost * processors,
            "You counted a single round of exchange. A reduction over a tree has more rounds "
            "the more processors there are.",
        ),
        Mistake(
            "two for each round",
            lambda efficiency, processors, cost: (
                efficiency / (1 - efficiency) * cost * 2 * processors * log2(processors)
            ),
            "You counted twice the cost of a round. Here a round costs `cost` seconds in all.",
        ),
        Mistake(
            "natural logarithm",
            lambda efficiency, processors, cost: (
                efficiency / (1 - efficiency) * cost * processors * log(processors)
            ),
            "You used another base of the logarithm. The tree has two branches at each step, and "
            "np.log and math.log have base e.",
        ),
    ],
)


def _noisy_runs(rng):
    p = np.array([1, 2, 4, 8, 16])
    serial, noise = rng.uniform(0.08, 0.3), np.append(1, rng.lognormal(0, 0.1, 4))
    return {
        "processors": p,
        "seconds": rng.uniform(20, 200) * (serial + (1 - serial) / p) * noise,
    }


def _fitted_to_speedups(processors, seconds):
    speedups = seconds[0] / seconds
    return minimize_scalar(
        lambda s: np.sum((1 / (s + (1 - s) / processors) - speedups) ** 2),
        bounds=(0, 1),
        options={"xatol": 1e-9},
    ).x


serial_fit = number(
    "serial_fit",
    "Fit a serial fraction to noisy runs",
    reference=lambda processors, seconds: (
        fit_serial_fraction(processors, seconds[0] / seconds).unclipped
    ),
    inputs=_noisy_runs,
    points=3,
    tolerance=0.005,
    mistakes=[
        Mistake(
            "mean of Karp-Flatt",
            lambda processors, seconds: np.mean(
                karp_flatt(seconds[0] / seconds[1:], processors[1:])
            ),
            "You averaged the fractions of the single runs. A run on two processors says little "
            "about the serial part but counts as much as the others: use least squares.",
        ),
        Mistake(
            "last run only",
            lambda processors, seconds: karp_flatt(seconds[0] / seconds[-1], processors[-1]),
            "You used the largest run alone, with all its noise. The fit uses every run.",
        ),
        Mistake(
            "free line",
            lambda processors, seconds: np.polyfit(1 / processors, seconds / seconds[0], 1)[1],
            "You fitted a line with its own slope and intercept. In Amdahl's law one number sets "
            "both, and they add up to 1.",
        ),
        Mistake(
            "fitted to speedups",
            _fitted_to_speedups,
            "You minimised the errors of the speedups, where the fastest runs outweigh all others. "
            "The question asks for least squares on T(p)/T(1), in which the law is linear in s.",
        ),
        Mistake(
            "one over the best speedup",
            lambda processors, seconds: np.min(seconds) / seconds[0],
            "You used the best speedup as the ceiling. With so few processors the parallel part "
            "still takes a part of the time.",
        ),
    ],
)

GROWS = 1.25


def _colleague(rng):
    p = np.array([2, 4, 8, 16])
    serial, overhead = rng.uniform(0.04, 0.15), rng.choice([0.0, rng.uniform(0.002, 0.006)])
    alone = rng.uniform(50, 500)
    seconds = alone * (serial + (1 - serial) / p + overhead * p) * rng.uniform(0.995, 1.005, 4)
    fractions = karp_flatt(alone / seconds, p)
    ratio = fractions[-1] / fractions[0]
    if not (0.85 < ratio < 1.15 or 1.4 < ratio < 5):
        raise ValueError("too close to call")
    return {"processors": p, "seconds": seconds, "seconds_alone": alone}


def _until_clear(draw):
    """Return `draw` repeated until it doesn't raise, so that no decision is a close call."""

    def clear(rng):
        while True:
            try:
                return draw(rng)
            except ValueError:
                continue

    return clear


def _cause(quantity):
    """Return a model that decides by the growth of a quantity of (speedup, processors)."""

    def model(processors, seconds, seconds_alone):
        values = quantity(seconds_alone / seconds, processors)
        ratio = values[-1] / values[0]
        return ("overhead" if ratio > GROWS else "serial code"), ratio

    return model


def _last_fraction(processors, seconds, seconds_alone):
    fractions = karp_flatt(seconds_alone / seconds, processors)
    return _cause(karp_flatt)(processors, seconds, seconds_alone)[0], fractions[-1]


diagnosis = choice(
    "diagnosis",
    "Serial code, or overhead?",
    choices=("serial code", "overhead"),
    reference=_cause(karp_flatt),
    inputs=_until_clear(_colleague),
    points=3,
    tolerance=0.005,
    mistakes=[
        Mistake(
            "fraction for its growth",
            _last_fraction,
            "That is the serial fraction of the largest run. Divide it by the one of the smallest.",
        ),
        Mistake(
            "efficiency lost",
            _cause(lambda speedup, p: 1 - speedup / p),
            "You followed the lost efficiency. It grows with the processors for any serial part, "
            "so it can't distinguish the two causes. Which quantity stays constant under Amdahl's "
            "law?",
        ),
        Mistake(
            "time over the ideal",
            _cause(lambda speedup, p: 1 / speedup - 1 / p),
            "You followed the time above the ideal. That grows a little under Amdahl's law as "
            "well: take out the 1/p that the serial part would use in the ideal run.",
        ),
        Mistake(
            "efficiency",
            _cause(lambda speedup, p: speedup / p),
            "You followed the efficiency. It falls with the processors for any serial part, so it "
            "can't distinguish the two causes. Which quantity stays constant under Amdahl's law?",
        ),
        Mistake(
            "speedup",
            _cause(lambda speedup, p: speedup),
            "You followed the speedup, which grows in both cases. First work out what serial "
            "fraction each run would need for Amdahl's law to explain it.",
        ),
    ],
)


def _server(rng):
    sigma, kappa = rng.uniform(0.1, 0.35), 10 ** rng.uniform(-4, -2.3)
    off = rng.choice([rng.uniform(0.5, 0.8), rng.uniform(1.3, 1.8)])
    return {
        "contention": sigma,
        "coherency": kappa,
        "users": round(float(off * usl_peak(sigma, kappa).load)),
    }


def _admit(peak):
    """Return a model that decides by a peak load, a function of (contention, coherency)."""

    def model(contention, coherency, users):
        best = float(peak(contention, coherency))
        return ("raise" if best > users else "lower"), best

    return model


best_load = choice(
    "best_load",
    "Admit more users, or fewer?",
    choices=("raise", "lower"),
    reference=_admit(lambda sigma, kappa: usl_peak(sigma, kappa).load),
    inputs=_server,
    points=3,
    tolerance=0.001,
    unit="users",
    mistakes=[
        *rounded(_admit(lambda sigma, kappa: usl_peak(sigma, kappa).load)),
        Mistake(
            "contention ignored",
            _admit(lambda sigma, kappa: sqrt(1 / kappa)),
            "You left out the contention. It reduces the throughput, so the peak comes at slightly "
            "fewer users. Set the derivative of N over the whole denominator to 0.",
        ),
        Mistake(
            "root left out",
            _admit(lambda sigma, kappa: (1 - sigma) / kappa),
            "You left out a root. The cost of coherency grows with the square of the users.",
        ),
        Mistake(
            "ceiling of contention",
            _admit(lambda sigma, kappa: 1 / sigma),
            "That is the ceiling that contention alone sets, and it is a speedup. The question "
            "asks for a number of users: where does the throughput begin to fall?",
        ),
        Mistake(
            "coefficients exchanged",
            _admit(lambda sigma, kappa: sqrt((1 - kappa) / sigma)),
            "You exchanged the two coefficients. Which of them grows with pairs of users and "
            "turns the curve down?",
        ),
        Mistake(
            "costs set equal",
            _admit(lambda sigma, kappa: sigma / kappa),
            "You looked for the load at which contention and coherency cost equally much. The "
            "throughput is highest where one more user brings as much as all others lose: take the "
            "derivative.",
        ),
    ],
)


def _chip(rng):
    budget = int(2 ** rng.integers(4, 9))
    return {
        "parallel_fraction": rng.uniform(0.3, 0.99),
        "budget": budget,
        "core_size": int(rng.integers(2, budget // 2 + 1)),
    }


equal_cores = function(
    "hill_marty",
    "Build Hill and Marty's symmetric chip",
    answer="chip_speedup",
    reference=symmetric_speedup,
    inputs=_chip,
    points=4,
    builds=("perfmodel.scaling.symmetric_speedup", "perfmodel.scaling.best_symmetric"),
    mistakes=[
        Mistake(
            "speed in proportion to area",
            lambda f, n, r: 1 / ((1 - f) / r + f / n),
            "You made a core of r base cores r times as fast. By Pollack's rule its speed grows "
            "with the square root of its area.",
        ),
        Mistake(
            "asymmetric chip",
            lambda f, n, r: 1 / ((1 - f) / sqrt(r) + f / (sqrt(r) + n - r)),
            "That is the asymmetric chip: one big core among base cores. Here all cores are "
            "equal: how many of them fit?",
        ),
        Mistake(
            "dynamic chip",
            lambda f, n, r: 1 / ((1 - f) / sqrt(r) + f / n),
            "You ran the parallel part on n base cores, as a dynamic chip could. Once the area "
            "is built into cores of r it stays so in the parallel part too.",
        ),
        Mistake(
            "n cores of size r",
            lambda f, n, r: 1 / ((1 - f) / sqrt(r) + f / (sqrt(r) * n)),
            "You used n cores of r base cores each, which is more area than the chip has. How "
            "many cores does the budget pay for?",
        ),
        Mistake(
            "parallel part at base speed",
            lambda f, n, r: 1 / ((1 - f) / sqrt(r) + f * r / n),
            "Your number of cores is right, but in the parallel part they run at the speed of a "
            "base core. Each of them is as fast as in the serial part.",
        ),
        Mistake(
            "cores at base speed",
            lambda f, n, r: 1 / ((1 - f) + f * r / n),
            "You counted the cores but kept the speed of a base core. A core of r base cores is "
            "faster: by which factor?",
        ),
        Mistake(
            "fractions swapped",
            lambda f, n, r: 1 / (f / sqrt(r) + (1 - f) * r / (sqrt(r) * n)),
            "The fraction here is the parallel one, not the serial one as in Amdahl's law "
            "above: you exchanged the two parts.",
        ),
    ],
    properties=[
        limit(
            "base cores only",
            (0.9, 64, 1),
            0.5,
            "With r = 1 the chip is n base cores: compare with your Amdahl function.",
        ),
        limit(
            "one core",
            (0.9, 64, 64),
            0.5,
            "With r = n there is a single core, whose speed both parts enjoy.",
        ),
        vectorised((0.9, 64, np.array([1.0, 4.0, 16.0])), 0.5, ARRAYS.format("core sizes")),
        refuses(
            (0.9, 16, 32),
            0.5,
            "A core of 32 does not fit on a chip of 16: raise a ValueError that says so.",
            "refuses a core larger than the chip",
        ),
    ],
)


def _lattice(rng):
    return {
        "flop_rate": rng.uniform(100, 3000),
        "side": int(rng.integers(4, 33)),
        "dimension": int(rng.integers(2, 5)),
        "flops_per_site": int(rng.integers(100, 1600)),
        "face_words": int(rng.integers(2, 25)),
    }


def _exchange(words):
    """Return a model of the bandwidth from the words that a block sends, for its work."""

    def model(flop_rate, side, dimension, flops_per_site, face_words):
        sent = face_words * words(side, dimension)
        return flop_rate * sent / (flops_per_site * side**dimension)

    return model


bandwidth = number(
    "bandwidth",
    "How much bandwidth feeds a lattice chip?",
    reference=lambda flop_rate, side, dimension, flops_per_site, face_words: bandwidth_needed(
        flop_rate, side, Stencil(dimension, flops_per_site, face_words, words_per_site=1)
    ),
    inputs=_lattice,
    points=2,
    unit="words/cycle",
    mistakes=[
        Mistake(
            "one face",
            _exchange(lambda side, d: side ** (d - 1)),
            "You sent one face of the block. It has neighbours on all sides: how many faces "
            "does a block have in that many dimensions?",
        ),
        Mistake(
            "one face a dimension",
            _exchange(lambda side, d: d * side ** (d - 1)),
            "You sent one face for each dimension. Along each of them the block has a "
            "neighbour before it and one behind it.",
        ),
        Mistake(
            "in and out",
            _exchange(lambda side, d: 4 * d * side ** (d - 1)),
            "You counted what comes in as well as what goes out. The statement counts the two "
            "separately: how much leaves the chip?",
        ),
        Mistake(
            "whole block sent",
            _exchange(lambda side, d: 2 * d * side**d),
            "You sent every site of the block. Only sites on its surface are needed by the "
            "neighbours: that is why a larger block helps.",
        ),
        Mistake(
            "work of one site",
            lambda flop_rate, side, dimension, flops_per_site, face_words: (
                flop_rate * face_words * 2 * dimension * side ** (dimension - 1) / flops_per_site
            ),
            "You counted the words of a whole block, but the arithmetic of a single site. Over "
            "the time of one exchange all sites of the block are computed.",
        ),
        Mistake(
            "face of an edge",
            _exchange(lambda side, d: 2 * d * side),
            "You took the edge of the block for its face. A face has one dimension less than "
            "the block, not just one dimension.",
        ),
    ],
)


def _big_and_small(rng):
    return {
        "parallel_fraction": rng.uniform(0.5, 0.95),
        "budget": int(rng.integers(72, 129)),
        "core_size": int(rng.choice([4, 9, 16])),
        "big_cores": int(rng.integers(2, 5)),
        "big_rate": rng.uniform(4, 20),
        "small_rate": rng.uniform(0.5, 2),
    }


def _wearing(big=lambda rate, b: rate / b, speed=sqrt, swap=False, everywhere=False, times=-1):
    """Return a model of the failure rate that differs from Song et al.'s Eq. 23 in one place."""

    def model(parallel_fraction, budget, core_size, big_cores, big_rate, small_rate):
        f = 1 - parallel_fraction if swap else parallel_fraction
        serial = (1 - f) / speed(core_size)
        small_cores = budget - big_cores * core_size
        time = serial + f / (budget if everywhere else small_cores)
        return (serial * big(big_rate, big_cores) + f * small_rate) * time**times

    return model


failures_per_time = number(
    "failures_per_time",
    "How often does a chip of big and small cores fail?",
    reference=lambda parallel_fraction, budget, core_size, big_cores, big_rate, small_rate: (
        failure_rate(
            parallel_fraction,
            HeterogeneousChip(budget, core_size, big_cores),
            big_rate,
            small_rate,
        )
    ),
    inputs=_big_and_small,
    points=3,
    unit="failures per unit of time",
    mistakes=[
        Mistake(
            "per unit of work",
            _wearing(times=0),
            "That is failures per unit of work, what the equation gives. How much time does the "
            "chip take over that work?",
        ),
        Mistake(
            "multiplied by the time",
            _wearing(times=1),
            "You multiplied by the time. Failures per unit of work over time per unit of work is "
            "failures per unit of time.",
        ),
        Mistake(
            "no rotation",
            _wearing(big=lambda rate, b: rate),
            "You let one big core take all serial phases. They rotate over the big cores, so "
            "in the equation the wear of each is shared.",
        ),
        Mistake(
            "more big cores, more failures",
            _wearing(big=lambda rate, b: rate * b),
            "You let all big cores wear at once in a serial phase. Only one of them runs; the "
            "others are off.",
        ),
        Mistake(
            "speed in proportion to area",
            _wearing(speed=float),
            "You made the big core faster in proportion to its area. Its speed is the square root "
            "of its area.",
        ),
        Mistake(
            "small cores everywhere",
            _wearing(everywhere=True),
            "Your parallel phase is too short. The big cores take area: how many small cores are "
            "left?",
        ),
        Mistake(
            "fractions swapped",
            _wearing(swap=True),
            "The fraction given is the parallel one. You ran the serial part on the small cores.",
        ),
    ],
)


def _training(rng):
    width = int(rng.choice([4, 8]))
    bandwidth = rng.uniform(5e9, 200e9)
    return {
        "samples": int(rng.integers(10, 200)) * 1000,
        "features": int(rng.integers(20, 1500)),
        "iterations": int(rng.integers(1, 50)) * 500,
        "word_bytes": width,
        "flop_rate": bandwidth * rng.uniform(2.2, 6) / width,
        "bandwidth": bandwidth,
    }


def _smo(passes=1, decides=max, both=False, once=False):
    """Return a model of SMO's training time: the bound, and seconds for all iterations."""

    def model(samples, features, iterations, word_bytes, flop_rate, bandwidth):
        data = Data(samples, features, word_bytes=word_bytes)
        flops, moved = row_cost(data, Method(fused=passes == 1))
        times = {"compute": float(flops / flop_rate), "memory": float(moved / bandwidth)}
        bound = decides(times, key=times.get)
        seconds = sum(times.values()) if both else times[bound]
        return bound, seconds * (1 if once else iterations)

    return model


svm_time = choice(
    "svm_time",
    "What limits the training of a support vector machine?",
    choices=("memory", "compute"),
    reference=_smo(),
    inputs=_training,
    points=3,
    unit="s",
    mistakes=[
        Mistake(
            "two passes",
            _smo(passes=2),
            "You read the table twice in an iteration. Both kernel rows are computed in one pass "
            "over it.",
        ),
        Mistake(
            "times added",
            _smo(both=True),
            "You added the two times. The arithmetic is done while data arrive, so they overlap.",
        ),
        Mistake(
            "faster one decides",
            _smo(decides=min),
            "You took the shorter of the two times. The iteration ends when both have ended.",
        ),
        Mistake(
            "one iteration",
            _smo(once=True),
            "That is the time of one iteration. The question asks for the whole training.",
        ),
    ],
)

# Level 3: decide


def _upgrade(rng):
    drawn = {
        "parallel_fraction": 1 - 10 ** rng.uniform(-3, -0.3),
        "budget": int(2 ** rng.integers(4, 9)),
        "tuning": rng.uniform(1.5, 4),
        "chip_growth": int(rng.integers(2, 5)),
    }
    if abs(log(_code_or_chip(**drawn)[1])) < 0.05:
        raise ValueError("too close to call")
    return drawn


def _best_speedup(f, n, tuning=1.0, sizes=None):
    r = np.arange(1, n + 1) if sizes is None else sizes
    return np.max(1 / ((1 - f) / (tuning * np.sqrt(r)) + f * np.sqrt(r) / n))


def _code_or_chip(parallel_fraction, budget, tuning, chip_growth):
    f = parallel_fraction
    return _verdict(_best_speedup(f, budget, tuning), _best_speedup(f, chip_growth * budget))


def _verdict(code, chip):
    return ("code" if code > chip else "chip"), code / chip


def _core_size_kept(parallel_fraction, budget, tuning, chip_growth):
    f, r = parallel_fraction, np.arange(1, budget + 1)
    kept = r[np.argmax(symmetric_speedup(f, budget, r))]
    return _verdict(
        _best_speedup(f, budget, tuning, kept), _best_speedup(f, chip_growth * budget, 1, kept)
    )


def _parallel_part_grown(parallel_fraction, budget, tuning, chip_growth):
    f = 1 - (1 - parallel_fraction) / tuning
    return _verdict(
        _best_speedup(f, budget), _best_speedup(parallel_fraction, chip_growth * budget)
    )


code_or_chip = choice(
    "code_or_chip",
    "Tune the code, or build a larger chip?",
    choices=("code", "chip"),
    reference=_code_or_chip,
    inputs=_until_clear(_upgrade),
    points=4,
    tolerance=0.004,
    mistakes=[
        Mistake(
            "base cores only",
            lambda parallel_fraction, budget, tuning, chip_growth: _verdict(
                _best_speedup(parallel_fraction, budget, tuning, 1),
                _best_speedup(parallel_fraction, chip_growth * budget, 1, 1),
            ),
            "You built both chips of base cores only. For each offer, choose the best core size.",
        ),
        Mistake(
            "core size kept",
            _core_size_kept,
            "You kept the core size that is best today. The best size changes with the code and "
            "with the chip: search again for each offer.",
        ),
        Mistake(
            "parallel part grown",
            _parallel_part_grown,
            "You scaled the two fractions to add up to 1 after tuning, which gives the job more "
            "parallel work. Tuning shortens the serial part and leaves the other as it is.",
        ),
        Mistake(
            "factors compared",
            lambda parallel_fraction, budget, tuning, chip_growth: _verdict(
                tuning, float(chip_growth)
            ),
            "You compared the two factors themselves. Each acts on a part of the run time only: "
            "compute both speedups.",
        ),
    ],
)


def _slab_limit(sites_per_node, exchange_cost, efficiency, neighbours=2):
    ratio = efficiency / (1 - efficiency)
    return sites_per_node / (neighbours * exchange_cost * ratio) ** 2


def _grid(rng):
    drawn = {
        "sites_per_node": int(rng.integers(5, 500)) * 10_000,
        "exchange_cost": rng.uniform(3, 20),
        "efficiency": rng.uniform(0.6, 0.9),
    }
    most = _slab_limit(**drawn)
    blocks = 4 * drawn["exchange_cost"] * drawn["efficiency"] / (1 - drawn["efficiency"])
    if most < 16 or sqrt(drawn["sites_per_node"]) < blocks:
        raise ValueError("blocks must keep the efficiency, and slabs do so on a few nodes")
    off = rng.choice([rng.uniform(0.3, 0.8), rng.uniform(1.25, 4)])
    return {**drawn, "nodes": round(most * off)}


def _cut(limit_of):
    """Return a model that decides by the largest number of nodes on which slabs will do."""

    def model(sites_per_node, exchange_cost, efficiency, nodes):
        most = limit_of(sites_per_node, exchange_cost, efficiency)
        return ("slabs" if nodes <= most else "blocks"), most

    return model


partition = choice(
    "partition",
    "Slabs or blocks?",
    choices=("slabs", "blocks"),
    reference=_cut(_slab_limit),
    inputs=_until_clear(_grid),
    points=4,
    unit="nodes",
    mistakes=[
        Mistake(
            "one neighbour",
            _cut(lambda m, k, e: _slab_limit(m, k, e, neighbours=1)),
            "You exchanged one edge of the slab. A slab in the middle of the grid has a "
            "neighbour on either side.",
        ),
        Mistake(
            "edges of a block",
            _cut(lambda m, k, e: _slab_limit(m, k, e, neighbours=4)),
            "You gave the slab four neighbours, as a block has. How many edges does a slab "
            "share with others?",
        ),
        Mistake(
            "efficiency for the ratio",
            _cut(lambda m, k, e: m / (2 * k * e) ** 2),
            "You set work over exchange equal to E. But E is work over all the time, exchange "
            "included: what is work over exchange then?",
        ),
        Mistake(
            "ratio inverted",
            _cut(lambda m, k, e: m / (2 * k * (1 - e) / e) ** 2),
            "With your limit a higher efficiency allows more nodes. It must be harder to reach.",
        ),
        Mistake(
            "memory of one node",
            _cut(lambda m, k, e: sqrt(m) / (2 * k * e / (1 - e))),
            "You kept the grid to what one node can hold. The grid fills the memory of all "
            "nodes: let N grow with them.",
        ),
        Mistake(
            "efficiency multiplied",
            _cut(lambda m, k, e: m * (e / (2 * k)) ** 2),
            "You set exchange over work equal to E. But E is work over all the time, exchange "
            "included: what is work over exchange then?",
        ),
    ],
)


def _wear(rng):
    return {
        "parallel_fraction": rng.uniform(0.6, 0.95),
        "core_size": int(rng.choice([4, 9, 16])),
        "big_rate": rng.uniform(4, 40),
        "small_rate": rng.uniform(0.5, 2),
        "share": rng.uniform(0.1, 0.4),
        "room": int(rng.integers(3, 13)),
    }


def _enough(cores):
    """Return a model that decides by a number of big cores."""

    def model(parallel_fraction, core_size, big_rate, small_rate, share, room):
        needed = cores(parallel_fraction, core_size, big_rate, small_rate, share)
        return ("fits" if needed <= room else "does not fit"), needed

    return model


def _ratio(f, r, big_rate, small_rate):
    big, small = failures_per_work(f, HeterogeneousChip(3 * r, r, 1), big_rate, small_rate)
    return float(big / small)


big_cores = choice(
    "big_cores",
    "How many big cores make a chip last?",
    choices=("fits", "does not fit"),
    reference=_enough(smallest_big_cores),
    inputs=_wear,
    points=4,
    mistakes=[
        Mistake(
            "share of the small cores'",
            _enough(lambda f, r, big, small, share: ceil(_ratio(f, r, big, small) / share)),
            "You compared the big cores' failures with those of the small cores. The share "
            "is of all failures, and the big cores' own are among them.",
        ),
        Mistake(
            "rounded down",
            _enough(lambda *wear: smallest_big_cores(*wear) - 1),
            "Your number is one too small: with it the big cores still cause more than the allowed "
            "fraction. Put your number into the formula.",
        ),
        Mistake(
            "speed left out",
            _enough(lambda f, r, big, small, share: smallest_big_cores(f, 1, big, small, share)),
            "You let the serial phase last as long as on a base core. A big core is faster and "
            "so has less time in which to fail.",
        ),
        Mistake(
            "speed in proportion to area",
            _enough(
                lambda f, r, big, small, share: smallest_big_cores(f, r * r, big, small, share)
            ),
            "You made the big core as many times faster as it is larger. By Pollack's rule its "
            "speed is the square root of its area.",
        ),
        Mistake(
            "rates exchanged",
            _enough(lambda f, r, big, small, share: smallest_big_cores(f, r, small, big, share)),
            "You exchanged the two failure rates: serial phases run on a big core.",
        ),
    ],
)


def _wish(rng):
    flop_rate, area_per_flop = rng.uniform(50, 500), int(rng.integers(2, 40)) * 100
    gain = float(rng.choice([1.5, 2, 2.5, 3]))
    dimension = int(rng.integers(2, 5))
    units = (gain - 1) * flop_rate * area_per_flop
    tilt = rng.choice([rng.uniform(0.3, 0.8), rng.uniform(1.25, 10)])
    return {
        "flop_rate": flop_rate,
        "memory_words": round(tilt * units / (gain**dimension - 1)),
        "dimension": dimension,
        "gain": gain,
        "area_per_flop": area_per_flop,
    }


def _spend(growth, spent_before=1, with_units=True):
    """Return a model of the extra area: which part takes more of it, and the area."""

    def model(flop_rate, memory_words, dimension, gain, area_per_flop):
        units = (gain - spent_before) * flop_rate * area_per_flop * with_units
        memory = (growth(gain, dimension) - spent_before) * memory_words
        return ("memory" if memory > units else "units"), float(units + memory)

    return model


more_flops = choice(
    "more_flops",
    "What does a faster lattice chip cost?",
    choices=("memory", "units"),
    reference=_spend(memory_growth),
    inputs=_wish,
    points=4,
    unit="areas of a word",
    mistakes=[
        Mistake(
            "memory in proportion",
            _spend(lambda gain, d: gain),
            "You let the memory grow as the arithmetic does. At fixed bandwidth the block's "
            "side must grow by that factor: what does this do to its volume?",
        ),
        Mistake(
            "root for power",
            _spend(lambda gain, d: gain ** (1 / d)),
            "Your law is inverted: arithmetic grows with the root of the memory. By how much must "
            "the memory grow for this gain?",
        ),
        Mistake(
            "surface",
            _spend(lambda gain, d: gain ** (d - 1)),
            "You let the memory grow as the surface of the block. The stored words fill its "
            "volume; the surface is what is sent.",
        ),
        Mistake(
            "whole chip",
            _spend(memory_growth, spent_before=0),
            "That is the area of the whole new chip. The question asks how much must be added "
            "to the old one.",
        ),
        Mistake(
            "units for nothing",
            _spend(memory_growth, with_units=False),
            "You counted the memory only. The additional arithmetic needs functional units, which "
            "take area, too.",
        ),
    ],
)


def _data_set(rng):
    drawn = {
        "word_bytes": int(rng.choice([2, 4, 8])),
        "index_bytes": int(rng.choice([2, 4, 8])),
        "gather_efficiency": rng.uniform(0.15, 0.85),
    }
    at = _sparse_below(**drawn)
    off = rng.choice([rng.uniform(0.3, 0.85), rng.uniform(1.15, 2)])
    return {**drawn, "density": min(at * off, 0.99)}


def _sparse_below(word_bytes, index_bytes, gather_efficiency):
    return gather_efficiency * word_bytes / (word_bytes + index_bytes)


def _store(threshold):
    """Return a model that decides by the density below which CSR is the faster."""

    def model(word_bytes, index_bytes, gather_efficiency, density):
        at = threshold(word_bytes, index_bytes, gather_efficiency)
        return ("sparse" if density < at else "dense"), at

    return model


storage = choice(
    "storage",
    "Dense or sparse?",
    choices=("sparse", "dense"),
    reference=_store(_sparse_below),
    inputs=_data_set,
    points=3,
    mistakes=[
        Mistake(
            "gather for nothing",
            _store(lambda w, i, e: w / (w + i)),
            "You counted the bytes only. Gathered values don't arrive at the full bandwidth.",
        ),
        Mistake(
            "index for nothing",
            _store(lambda w, i, e: e),
            "You moved the values only. In CSR each value moves together with the index of its "
            "column.",
        ),
        Mistake(
            "efficiency inverted",
            _store(lambda w, i, e: w / (w + i) / e),
            "With your formula a slower gather makes sparse storage more attractive. Which of the "
            "two formats does a slow gather slow down?",
        ),
        Mistake(
            "value and index exchanged",
            _store(lambda w, i, e: e * i / (w + i)),
            "You exchanged the bytes of a value and of an index. Which of them does dense storage "
            "move?",
        ),
        Mistake(
            "index for the whole",
            _store(lambda w, i, e: e * w / i),
            "You moved only the index of each nonzero value. In CSR, each value moves together "
            "with its index.",
        ),
    ],
)


def _training(rng):
    nodes = int(rng.integers(200, 3000))
    return {
        "nodes": nodes,
        "node_rate": rng.uniform(2e-3, 7e-3),
        "save": rng.uniform(0.5, 5),
        "recovery": rng.uniform(3, 20),
    }


def _saved(interval=young_interval, mtbf=lambda n, r: 1440 / (n * r), work=None):
    """Return a model of the share of work from functions of the training, times in minutes."""
    kept = work or checkpoint_efficiency

    def model(nodes, node_rate, save, recovery):
        mean = mtbf(nodes, node_rate)
        return float(kept(interval(save, mean), save, mean, recovery))

    return model


saving = number(
    "saving",
    "How much of a training is work?",
    reference=_saved(),
    inputs=_training,
    points=3,
    tolerance=0.002,
    mistakes=[
        Mistake(
            "first order",
            _saved(work=lambda t, c, m, r: 1 - c / t - t / (2 * m) - r / m),
            "You subtracted three losses of first order. Here they are too large for this: use the "
            "exact fraction.",
        ),
        Mistake(
            "no recovery",
            _saved(work=lambda t, c, m, r: checkpoint_efficiency(t, c, m, 0)),
            "You left out the recoveries. Each interruption costs one.",
        ),
        Mistake(
            "no failures during a save",
            _saved(work=lambda t, c, m, r: checkpoint_efficiency(t, 0, m, r) * t / (t + c)),
            "You let no failure happen during a save. It must be repeated as well.",
        ),
        Mistake(
            "saves only",
            _saved(work=lambda t, c, m, r: t / (t + c)),
            "That is the fraction without failures. Which time do failures take?",
        ),
        Mistake(
            "interval without the 2",
            _saved(interval=lambda c, m: np.sqrt(c * m)),
            "Your interval lacks the 2 under the root: half an interval is lost on average.",
        ),
        Mistake(
            "one node",
            _saved(mtbf=lambda n, r: 1440 / r),
            "That is for one node. The job stops when any of its nodes fails.",
        ),
    ],
)


def _own_runs(rng):
    p = np.arange(1, int(rng.integers(3, 7)))
    serial = rng.uniform(0.05, 0.4)
    seconds = rng.uniform(1, 9) * (serial + (1 - serial) / p) * rng.lognormal(0, 0.01, p.size)
    return {"processors": p, "seconds": seconds}


def _complaint(processors, seconds):
    if processors[0] != 1:
        return "Start with the run on 1 processor and add at least one run on more."
    if (np.diff(processors) <= 0).any() or (processors % 1 != 0).any():
        return "Give whole numbers of processors in rising order, each once."
    if not (seconds > 0).all():
        return "Times must be above 0 seconds."
    return ""


def _own(quantity):
    """Return a model of the last of the student's own runs from (speedup, processors)."""

    def model(processors, seconds):
        return float(quantity(seconds[0] / seconds[-1], processors[-1]))

    return model


own_machine = measured(
    "own_machine",
    "The serial fraction of your own machine",
    columns=("processors", "seconds"),
    reference=_own(karp_flatt),
    example=_own_runs,
    least=2,
    plausible=_complaint,
    points=3,
    mistakes=[
        Mistake(
            "efficiency",
            _own(lambda speedup, p: speedup / p),
            "That is the efficiency of your largest run. Which serial fraction explains it?",
        ),
        Mistake(
            "lost efficiency",
            _own(lambda speedup, p: 1 - speedup / p),
            "That is the efficiency that your largest run lost. It depends on the number of "
            "processors as well as on the serial fraction.",
        ),
        Mistake(
            "speedup for the ceiling",
            _own(lambda speedup, p: 1 / speedup),
            "You used your best speedup as the ceiling. Use your Karp-Flatt function, which "
            "subtracts the time of the parallel part.",
        ),
        Mistake(
            "speedup",
            _own(lambda speedup, p: speedup),
            "That is the speedup of your largest run. Which serial fraction explains it?",
        ),
    ],
)

bank = Bank(
    "scaling",
    "What more processors can and cannot buy",
    [
        amdahl,
        processors_needed,
        measured_fraction,
        efficiencies,
        one_processor_share,
        memory_bounded,
        longer,
        work_needed,
        serial_fit,
        diagnosis,
        best_load,
        equal_cores,
        bandwidth,
        failures_per_time,
        svm_time,
        code_or_chip,
        partition,
        big_cores,
        more_flops,
        storage,
        saving,
        own_machine,
    ],
)
