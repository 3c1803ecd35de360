"""The issue rules one by one, then properties over random programs."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.roofline.gpu_cores.warp_issue import (
    Instruction,
    StaleRead,
    simulate,
    switching_kernels,
)

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


class TestProperties:
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


class TestBadInput:
    def test_control_bits_that_do_not_exist(self) -> None:
        with pytest.raises(ValueError, match="stall must be 15 or less, it has four bits, got 16"):
            Instruction(stall=16)
        with pytest.raises(ValueError, match="counter must be below 6, got 6"):
            Instruction(waits=(6,))
        with pytest.raises(ValueError, match="counter must be below 6, got 7"):
            Instruction(sets=7)

    def test_nothing_to_run(self) -> None:
        for warps in ([], [[]]):
            with pytest.raises(ValueError, match="warps must hold an instruction"):
                simulate(warps)

    def test_unknown_policy(self) -> None:
        with pytest.raises(ValueError, match="policy must be one of youngest, .*, got 'fair'"):
            simulate([PLAIN], "fair")  # type: ignore[arg-type]
