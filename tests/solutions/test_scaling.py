"""The exercise on scaling: worked values and independent answers."""

from pathlib import Path

import numpy as np
import pytest

from perfcourse.bank.loader import load
from perfcourse.judge import parameters
from perfmodel import scaling
from perfmodel.labs.scaling.svm_scaling.step_cost import sparse_crossover

SOLUTIONS = Path(__file__).parents[2] / "solutions"
BANK = load(SOLUTIONS / "scaling.py")
STUDENTS = [f"student-{i}" for i in range(20)]


def reference(id, *arguments):
    return BANK.question(id).reference(*arguments)


def drawn(id):
    return [parameters("scaling", BANK.question(id), student) for student in STUDENTS]


class TestWorkedValues:
    """From the exercises of the three systems and from the papers."""

    def test_failures_of_a_chip_with_two_big_cores(self):
        assert reference("failures_per_time", 0.9, 64, 4, 2, 6, 1) == pytest.approx(
            15.892, abs=5e-4
        )

    def test_three_big_cores_cause_a_tenth_of_the_failures(self):
        assert reference("big_cores", 0.9, 4, 6, 1, 0.1, 3) == ("fits", 3)
        assert reference("big_cores", 0.9, 4, 6, 1, 0.1, 2) == ("does not fit", 3)

    def test_bandwidth_for_a_thousand_flop_per_cycle(self):
        assert reference("bandwidth", 1000, 8, 4, 1320, 12) == pytest.approx(9.09, abs=5e-3)

    @pytest.mark.parametrize(("dimension", "factor"), [(2, 4), (3, 8), (4, 16)])
    def test_area_that_doubles_the_arithmetic(self, dimension, factor):
        bought, area = reference("more_flops", 110, 786_432, dimension, 2, 1000)
        assert bought == "memory"
        assert area == 110_000 + (factor - 1) * 786_432

    def test_training_that_waits_for_memory(self):
        bound, seconds = reference("svm_time", 60_000, 780, 1000, 4, 0.9e12, 80e9)
        assert (bound, seconds) == ("memory", pytest.approx(2.34))

    def test_sparse_storage_in_double_precision(self):
        assert reference("storage", 8, 4, 0.5, 0.3) == ("sparse", pytest.approx(1 / 3))
        assert reference("storage", 8, 4, 0.5, 0.4)[0] == "dense"

    def test_a_training_that_saves_by_young(self):
        """2,048 nodes at a rate of 3.789 in 1,000 node-days: an interruption every 3.09 hours."""
        assert reference("saving", 2048, 3.789e-3, 1, 5) == pytest.approx(0.8758, abs=5e-5)
        assert reference("saving", 2048, 3.789e-3, 5, 5) == pytest.approx(0.7641, abs=5e-5)

    def test_hill_and_marty_s_chip_of_seven(self):
        assert reference("hill_marty", 0.975, 256, 7) == pytest.approx(51.21, abs=5e-3)


class TestOtherWays:
    """The same answers by a way that the bank does not go."""

    def test_work_of_a_training_by_interruptions_played(self):
        for given in drawn("saving")[:4]:
            mean = 1440 / (given["nodes"] * given["node_rate"])
            gaps = np.random.default_rng(1).exponential(mean, 100_000)
            interval = float(scaling.young_interval(given["save"], mean))
            run = scaling.simulate_interruptions(gaps, interval, given["save"], given["recovery"])
            assert reference("saving", *given.values()) == pytest.approx(run.efficiency, rel=0.03)

    def test_processors_reach_their_share_of_the_ceiling(self):
        for p in drawn("processors_needed"):
            needed = reference("processors_needed", *p.values())
            speedup = scaling.amdahl_speedup(p["serial_fraction"], needed)
            assert speedup * p["serial_fraction"] == pytest.approx(p["share"])

    def test_longer_run_is_grown_work_over_speedup(self):
        for s, nodes, dimension in (p.values() for p in drawn("longer")):
            growth = nodes ** (1 + 1 / dimension)
            work = s + (1 - s) * growth
            expected = work / scaling.sun_ni_speedup(s, nodes, growth)
            assert reference("longer", s, nodes, dimension) == pytest.approx(float(expected))

    def test_one_run_has_one_speedup_by_both_laws(self):
        for share, p in (p.values() for p in drawn("one_processor_share")):
            amdahl = scaling.amdahl_speedup(reference("one_processor_share", share, p), p)
            assert amdahl == pytest.approx(float(scaling.gustafson_speedup(share, p)))

    def test_needed_work_has_the_efficiency(self):
        for efficiency, p, cost in (p.values() for p in drawn("work_needed")):
            work = reference("work_needed", efficiency, p, cost)
            assert work / (work + cost * p * np.log2(p)) == pytest.approx(efficiency)

    def test_best_load_has_no_better_neighbour(self):
        for sigma, kappa, users in (p.values() for p in drawn("best_load")):
            word, best = reference("best_load", sigma, kappa, users)
            around = scaling.usl_throughput([0.99 * best, best, 1.01 * best], 1, sigma, kappa)
            assert np.argmax(around) == 1
            towards = scaling.usl_throughput(
                [users, users + np.sign(best - users)], 1, sigma, kappa
            )
            assert (word == "raise") == (best > users)
            assert towards[1] > towards[0]

    def test_fitted_fraction_has_least_squares(self):
        for p, seconds in (p.values() for p in drawn("serial_fit")):
            best = reference("serial_fit", p, seconds)
            assert best > 0

            def squares(s, p=p, seconds=seconds):
                return np.sum((seconds / seconds[0] - s - (1 - s) / p) ** 2)

            assert squares(best) < min(squares(1.005 * best), squares(0.995 * best))

    def test_chip_that_grows_agrees_with_the_package(self):
        for f, n, _, growth in (p.values() for p in drawn("code_or_chip")):
            kept, grown = scaling.best_symmetric(f, n), scaling.best_symmetric(f, growth * n)
            _, ratio = reference("code_or_chip", f, n, 1.0, growth)
            assert ratio == pytest.approx(float(kept.speedup / grown.speedup))

    def test_slabs_lose_their_efficiency_at_the_limit(self):
        for m, cost, efficiency, nodes in (p.values() for p in drawn("partition")):
            word, most = reference("partition", m, cost, efficiency, nodes)
            edge = np.sqrt(m * np.array([0.99, 1.01]) * most)
            useful = edge**2 / (most * np.array([0.99, 1.01]))
            above, below = useful / (useful + 2 * cost * edge)
            assert above > efficiency > below
            assert word == ("slabs" if nodes <= most else "blocks")

    def test_big_cores_are_the_fewest(self):
        for f, r, big_rate, small_rate, share, _ in (p.values() for p in drawn("big_cores")):
            _, b = reference("big_cores", f, r, big_rate, small_rate, share, 99)
            big = (1 - f) / np.sqrt(r) * big_rate / np.array([b, b - 1 or np.nan])
            assert (big / (big + f * small_rate) <= share).tolist() == [True, False]

    @pytest.mark.parametrize("word", [2, 4, 8])
    def test_density_agrees_with_the_package(self, word):
        assert reference("storage", word, 4, 0.7, 0.1)[1] == pytest.approx(
            float(sparse_crossover(word, 0.7))
        )


class TestBank:
    def test_has_three_sorts_of_questions_and_many_misconceptions(self):
        kinds = [question.kind for question in BANK.questions]
        assert min(kinds.count(kind) for kind in ("function", "number", "choice")) >= 4
        assert sum(len(question.mistakes) for question in BANK.questions) >= 25
