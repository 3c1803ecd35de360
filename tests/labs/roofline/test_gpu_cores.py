"""Storage of control bits and of scoreboards by hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.roofline.gpu_cores import tasks
from perfmodel.labs.roofline.gpu_cores.load_queue import (
    MemoryUnit,
    issue_cycles,
    steady_period,
    sub_core,
    vector_latency,
)
from perfmodel.labs.roofline.gpu_cores.register_file import Operand, fma, read_operands
from perfmodel.labs.roofline.gpu_cores.simulator_errors import (
    ErrorSummary,
    benchmark_errors,
    error_levels,
)
from perfmodel.labs.roofline.gpu_cores.step_chains import (
    CHAINS,
    measure_step,
    run_chains,
    step_time,
)
from perfmodel.labs.roofline.gpu_cores.warp_issue import (
    Instruction,
    StaleRead,
    control_bits,
    scoreboard_bits,
    simulate,
    switching_kernels,
)


class TestStorage:
    def test_by_hand(self) -> None:
        assert control_bits(48) == 48 * (36 + 4 + 1)
        assert scoreboard_bits(1, 1) == 2 * 332
        assert scoreboard_bits(64, 63) == 64 * 332 * 7

    def test_a_scoreboard_is_many_times_as_large(self) -> None:
        """64 warps, 63 consumers: 332 x 7 bits over 41."""
        assert scoreboard_bits(64, 63) / control_bits(64) == pytest.approx(56.7, abs=0.05)

    def test_a_count_of_consumers_needs_its_bits(self) -> None:
        bits = [int(scoreboard_bits(1, c)) // 332 - 1 for c in (1, 2, 3, 4, 7, 8, 63)]
        assert bits == [1, 2, 2, 3, 3, 4, 6]

    def test_arrays(self) -> None:
        assert control_bits([1, 48]).tolist() == [41, 1968]


# Wide accesses take two cycles for each further word.


class TestVectorLatency:
    def test_two_cycles_for_each_further_word(self) -> None:
        assert [vector_latency(10, words) for words in (1, 2, 4)] == [10, 12, 16]

    def test_a_thread_loads_one_two_or_four_words(self) -> None:
        with pytest.raises(ValueError, match="words must be 1, 2 or 4, got 3"):
            vector_latency(10, 3)


# Issue cycles of loads: the closed form, limits, and what a larger unit would change.

UNITS = st.builds(
    MemoryUnit, st.integers(1, 8), st.integers(1, 6), st.integers(1, 4), st.just(2), st.just(10)
)


class TestIssueCycles:
    @pytest.mark.parametrize("active", [1, 2, 3, 4])
    def test_closed_form(self, active: int) -> None:
        cycles = issue_cycles(active, 20)
        later = np.arange(15) * max(4, 2 * active)
        for core in range(active):
            assert cycles[core].tolist() == [2, 3, 4, 5, 6, *(13 + 2 * core + later).tolist()]

    def test_tenth_load_of_four_sub_cores(self) -> None:
        """The sixth issues at 13, 15, 17 and 19; four more follow, 8 cycles apart."""
        assert issue_cycles(4, 10)[:, -1].tolist() == [45, 47, 49, 51]
        assert steady_period(4) == 8

    @settings(max_examples=40, deadline=None)
    @given(st.integers(1, 5), UNITS)
    def test_a_longer_queue_never_delays(self, active, unit) -> None:
        longer = MemoryUnit(
            unit.slots + 1, unit.address_cycles, unit.shared_cycles, unit.first_cycle, unit.depth
        )
        assert (issue_cycles(active, 12, longer) <= issue_cycles(active, 12, unit)).all()

    @settings(max_examples=40, deadline=None)
    @given(st.integers(1, 5), UNITS)
    def test_rate_is_that_of_the_slowest_stage_or_of_the_queue(self, active, unit) -> None:
        cycles = issue_cycles(active, 60, unit)
        period = (cycles[0, -1] - cycles[0, 39]) / 20
        turnaround = (unit.depth + 1) / unit.slots
        assert period == pytest.approx(max(steady_period(active, unit), turnaround), rel=0.1)

    def test_one_load(self) -> None:
        assert issue_cycles(3, 1).tolist() == [[2], [2], [2]]


# Bank conflicts and the register file cache, by the paper's examples.

OPERANDS = st.lists(
    st.builds(Operand, st.integers(0, 7), st.booleans()), min_size=1, max_size=3
).map(tuple)


def hits(*program):
    return [read.hits for read in read_operands(program)]


class TestBanks:
    @pytest.mark.parametrize(
        ("registers", "bubbles"),
        [((2,), 0), ((2, 3), 0), ((2, 4), 1), ((2, 3, 5), 1), ((2, 4, 6), 2), ((1, 3, 5), 2)],
    )
    def test_bubbles(self, registers, bubbles) -> None:
        assert read_operands([fma(*registers)])[0].bubbles == bubbles

    def test_a_second_port(self) -> None:
        assert [r.bubbles for r in read_operands([fma(2, 4), fma(2, 4, 6)], ports=2)] == [0, 1]


class TestCache:
    def test_kept_once(self) -> None:
        assert hits(fma(2, reuse=[0]), fma(2), fma(2)) == [0, 1, 0]

    def test_kept_again(self) -> None:
        assert hits(fma(2, reuse=[0]), fma(2, reuse=[0]), fma(2)) == [0, 1, 1]

    def test_another_place_misses(self) -> None:
        assert hits(fma(2, reuse=[0]), fma(3, 2)) == [0, 0]

    def test_same_bank_and_place_evicts(self) -> None:
        assert hits(fma(2, reuse=[0]), fma(4), fma(2)) == [0, 0, 0]

    def test_other_bank_does_not_evict(self) -> None:
        assert hits(fma(2, reuse=[0]), fma(3), fma(2)) == [0, 0, 1]

    def test_a_hit_needs_no_port(self) -> None:
        reads = read_operands([fma(2, 4, 6, reuse=[1]), fma(8, 4, 6)])
        assert [read.bubbles for read in reads] == [2, 1]


class TestProperties:
    @settings(max_examples=60, deadline=None)
    @given(st.lists(OPERANDS, min_size=1, max_size=10))
    def test_the_cache_never_hurts(self, program) -> None:
        plain = [tuple(Operand(o.register) for o in operands) for operands in program]
        for cached, without in zip(read_operands(program), read_operands(plain), strict=True):
            assert without.hits == 0
            assert cached.bubbles <= without.bubbles <= 2


class TestRefusedPrograms:
    def test_number_of_operands(self) -> None:
        with pytest.raises(ValueError, match="operands must be 1 to 3, got 4"):
            read_operands([fma(1, 2, 3, 4)])


# Four summaries of a simulator's errors, and the errors that ship.

TIMES = st.lists(st.floats(1, 1e6), min_size=3, max_size=20).filter(lambda t: np.ptp(t) > 1)


class TestErrorLevels:
    def test_by_hand(self) -> None:
        assert error_levels([-1.0, 0.0, 0.0, 0.2]) == pytest.approx((0.3, 0.2 + 0.7 * 0.8, 1.0))

    def test_no_errors(self) -> None:
        with pytest.raises(ValueError, match="errors must"):
            error_levels([])


class TestBenchmarkErrors:
    def test_one_row_a_benchmark(self) -> None:
        table = benchmark_errors()
        assert table.shape == (128, 13)
        assert table.index.is_unique
        assert not table.isna().any(axis=None)

    def test_no_simulated_time_is_negative(self) -> None:
        assert (benchmark_errors() > -1).all(axis=None)


class TestErrorSummary:
    @settings(max_examples=30, deadline=None)
    @given(TIMES, st.floats(1.05, 3))
    def test_a_constant_bias_correlates_perfectly(self, times, bias) -> None:
        summary = ErrorSummary.of(times, bias * np.array(times))
        assert summary.correlation == pytest.approx(1, abs=1e-6)
        assert (summary.mean, summary.p90, summary.worst) == pytest.approx([bias - 1] * 3)

    def test_by_hand(self) -> None:
        summary = ErrorSummary.of([1, 2, 4, 5], [2, 2, 4, 4])
        assert (summary.mean, summary.worst) == pytest.approx((0.3, 1.0))
        assert summary.p90 == pytest.approx(0.2 + 0.7 * 0.8)

    @settings(max_examples=30, deadline=None)
    @given(TIMES)
    def test_ordered(self, times) -> None:
        summary = ErrorSummary.of(times, np.array(times)[::-1])
        assert 0 <= summary.mean <= summary.worst
        assert summary.p90 <= summary.worst

    def test_equal_times_have_no_correlation(self) -> None:
        with pytest.raises(ValueError, match="simulated must have 2 values, got 3"):
            ErrorSummary.of([1, 2], [1, 2, 3])
        with pytest.raises(ValueError, match="measured must not be all equal, got 2 throughout"):
            ErrorSummary.of([2, 2], [1, 2])


# Chains end where the geometric series says; the model has two limits; no clock is judged.


@pytest.mark.parametrize("chains", CHAINS)
class TestRunChains:
    def test_is_a_geometric_series(self, chains: int) -> None:
        ends = run_chains(chains, 12, 0.75, start=3.0)
        fixed = 1 / (1 - 0.75)
        expected = [fixed + (3.0 + i - fixed) * 0.75**12 for i in range(chains)]
        assert ends == pytest.approx(expected, rel=1e-12)

    def test_no_steps(self, chains: int) -> None:
        assert run_chains(chains, 0, 0.5, start=1.0) == tuple(1.0 + i for i in range(chains))

    def test_times_are_positive(self, chains: int) -> None:
        assert (measure_step(chains, steps=1000, repeats=2) > 0).all()


class TestStepTime:
    @settings(max_examples=30, deadline=None)
    @given(st.floats(1e-10, 1e-6), st.floats(1e6, 1e11))
    def test_limits(self, latency, throughput) -> None:
        times = step_time([1e-9, 1e9], latency, throughput)
        assert times == pytest.approx([latency / 1e-9, 1 / throughput])

    def test_never_rises_with_chains(self) -> None:
        assert (np.diff(step_time(np.arange(1, 20), 8e-9, 1e9)) <= 0).all()


# The drawing of a sub-core: readable, of one size, and of the model's cycles.


@pytest.mark.parametrize("active", [1, 2, 3, 4])
def test_every_state_can_be_read_and_names_the_slower_stage(active):
    scene = sub_core(active)
    assert scene.faults() == []
    assert scene.height == sub_core(1).height
    stage = "shared stage" if steady_period(active) > steady_period(1) else "address unit"
    assert f"the {stage} decides: {steady_period(active)} cycles" in scene.says


# The tasks' answers agree with the lab's simulators, on which the reader can try them.


@pytest.mark.parametrize("between", range(6))
def test_stall_count_is_the_least_that_is_safe(between):
    def stale(stall):
        program = [Instruction(stall=stall, writes=1), *[Instruction()] * between]
        return simulate([[*program, Instruction(reads=(1,))]]).stale

    least = tasks.stall_count.reference(4, between)
    assert not stale(least)
    assert least == 1 or stale(least - 1)


@pytest.mark.parametrize("active", [1, 2, 3, 4])
@pytest.mark.parametrize("loads", [6, 8, 25])
def test_last_load_agrees_with_the_simulated_queue(active, loads):
    assert tasks.last_load.reference(active, loads) == issue_cycles(active, loads).max()


def test_fewer_warps_than_needed_leave_empty_cycles_and_so_many_need_not():
    random = np.random.default_rng(3)
    for _ in range(20):
        stalls = random.integers(1, 8, size=4).tolist()
        least = tasks.warps_needed.reference(stalls)
        program = [Instruction(stall=s) for s in stalls] * 8
        if least > 1:
            assert simulate([program] * (least - 1), "round-robin").bubbles > 0
        shares = [
            len(stalls) * 8 * k / simulate([program] * k, "round-robin").cycles
            for k in (least, least + 3)
        ]
        assert shares[0] > 0.7
        assert shares[1] > 0.95


# The issue rules one by one, then properties over random programs.

PROGRAMS = st.lists(
    st.lists(st.builds(Instruction, st.integers(1, 15), st.booleans()), min_size=1, max_size=8),
    min_size=1,
    max_size=5,
)
POLICIES = st.sampled_from(["youngest", "oldest", "round-robin"])
PLAIN = [Instruction()] * 4


def cycles_of(timeline):
    return [issue.cycle for issue in timeline.issues]


class TestControlBits:
    def test_stall_count_keeps_the_warp_back(self) -> None:
        assert cycles_of(
            simulate([[Instruction(stall=4), Instruction(stall=2), Instruction()]])
        ) == [
            0,
            4,
            6,
        ]

    def test_yield_costs_a_lone_warp_one_bubble(self) -> None:
        timeline = simulate([[Instruction(), Instruction(yields=True), Instruction()]])
        assert cycles_of(timeline) == [0, 1, 3]
        assert timeline.bubbles == 1

    def test_yield_and_stall_do_not_add_up(self) -> None:
        assert cycles_of(simulate([[Instruction(stall=3, yields=True), Instruction()]])) == [0, 3]

    def test_waiting_for_a_counter(self) -> None:
        load = Instruction(stall=2, writes=1, latency=29, sets=0)
        use = Instruction(reads=(1,), waits=(0,))
        timeline = simulate([[load, use]])
        assert cycles_of(timeline) == [0, 29]
        assert timeline.stale == ()

    def test_counter_is_not_seen_in_the_next_cycle(self) -> None:
        load = Instruction(stall=1, writes=1, latency=29, sets=0)
        timeline = simulate([[load, Instruction(reads=(1,), waits=(0,))]])
        assert cycles_of(timeline) == [0, 1]
        assert timeline.stale == (StaleRead(0, 1, 1),)

    def test_waits_only_for_the_counters_named(self) -> None:
        slow = Instruction(stall=2, latency=40, sets=0)
        fast = Instruction(stall=2, latency=10, sets=1)
        assert cycles_of(simulate([[slow, fast, Instruction(waits=(1,))]])) == [0, 2, 12]

    def test_a_stall_count_of_four_costs_three_cycles_more_than_one(self) -> None:
        first, last = (
            simulate([[Instruction(stall=stall, writes=1), Instruction(reads=(1,))]])
            for stall in (1, 4)
        )
        assert last.cycles - first.cycles == 3

    @pytest.mark.parametrize(("stall", "stale"), [(1, 1), (2, 1), (3, 1), (4, 0), (5, 0)])
    def test_nothing_checks_a_fixed_latency(self, stall: int, stale: int) -> None:
        adds = [Instruction(stall=stall, writes=1), Instruction(reads=(1,))]
        assert len(simulate([adds]).stale) == stale


class TestScheduler:
    def test_stays_with_a_warp_then_takes_the_youngest(self) -> None:
        assert simulate([PLAIN] * 3).turns == ((2, 4), (1, 4), (0, 4))

    def test_oldest_first(self) -> None:
        assert simulate([PLAIN] * 3, "oldest").turns == ((0, 4), (1, 4), (2, 4))

    def test_in_turn(self) -> None:
        turns = simulate([PLAIN] * 3, "round-robin").turns
        assert [warp for warp, _ in turns] == [0, 1, 2] * 4

    def test_warp_that_comes_back_does_not_take_over(self) -> None:
        old, young = [Instruction()] * 6, [Instruction(stall=3), Instruction()]
        assert simulate([old, young]).turns == ((1, 1), (0, 6), (1, 1))

    def test_cache_miss_sends_the_scheduler_on(self) -> None:
        timeline = simulate([PLAIN] * 2, resident=2, miss=2)
        assert timeline.turns == ((1, 2), (0, 4), (1, 2))

    def test_nobody_can_run_during_a_long_miss(self) -> None:
        timeline = simulate([PLAIN] * 2, resident=2, miss=10)
        assert timeline.turns == ((1, 2), (0, 4), (1, 2))
        assert timeline.bubbles == 8


class TestSwitchingKernels:
    def test_all_instructions_issue(self) -> None:
        for timeline in switching_kernels().values():
            assert len(timeline.issues) == 4 * 32

    def test_orders(self) -> None:
        turns = {name: line.turns for name, line in switching_kernels().items()}
        assert [warp for warp, _ in turns["plain"]] == [3, 2, 3, 1, 0]
        assert turns["stall"] == ((3, 2), (2, 2), (1, 2)) * 16 + ((0, 32),)
        assert [warp for warp, _ in turns["yield"]] == [3, 2] * 16 + [1, 0] * 16

    def test_the_last_warp_has_nobody_to_hide_its_stalls(self) -> None:
        kernels = switching_kernels()
        assert kernels["stall"].turns[-1] == (0, 32)
        assert kernels["stall"].bubbles == 15 * 3
        assert kernels["yield"].bubbles == kernels["plain"].bubbles == 0


class TestTimelines:
    @settings(max_examples=40, deadline=None)
    @given(PROGRAMS, POLICIES)
    def test_one_issue_a_cycle_and_each_program_in_order(self, programs, policy) -> None:
        timeline = simulate(programs, policy)
        cycles = cycles_of(timeline)
        assert len(set(cycles)) == len(cycles) == sum(map(len, programs))
        for warp, program in enumerate(programs):
            mine = [issue for issue in timeline.issues if issue.warp == warp]
            assert [issue.place for issue in mine] == list(range(len(program)))
            for first, second in pairwise(mine):
                control = program[first.place]
                gap = max(control.stall, 2 if control.yields else 1)
                assert second.cycle - first.cycle >= gap

    @settings(max_examples=40, deadline=None)
    @given(PROGRAMS, POLICIES)
    def test_never_idle_while_a_warp_may_issue(self, programs, policy) -> None:
        timeline = simulate(programs, policy)
        busy = set(cycles_of(timeline))
        for warp, program in enumerate(programs):
            mine = [issue for issue in timeline.issues if issue.warp == warp]
            free = 0
            for issue in mine:
                assert set(range(free, issue.cycle)) <= busy
                control = program[issue.place]
                free = issue.cycle + max(control.stall, 2 if control.yields else 1)

    @settings(max_examples=20, deadline=None)
    @given(st.integers(1, 15), st.integers(1, 6))
    def test_enough_warps_hide_any_stall(self, stall, instructions) -> None:
        program = [Instruction(stall=stall)] * instructions
        assert simulate([program] * stall, "round-robin").bubbles == 0


class TestRefused:
    def test_control_bits_that_do_not_exist_are_refused(self) -> None:
        with pytest.raises(ValueError, match="stall must be at most 15, got 16"):
            Instruction(stall=16)
        with pytest.raises(ValueError, match="counter must be at most 5, got 6"):
            Instruction(waits=(6,))
        with pytest.raises(ValueError, match="counter must be at most 5, got 7"):
            Instruction(sets=7)

    def test_nothing_to_run(self) -> None:
        for warps in ([], [[]]):
            with pytest.raises(ValueError, match="warps must hold an instruction"):
                simulate(warps)
