"""Collectives: measured tables, the contest, and the reader's processes."""

from __future__ import annotations

import threading
from multiprocessing import Pipe

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings, strategies as st

from perfmodel.communication import collective_cost, collective_schedule
from perfmodel.labs.communication.collectives import contest
from perfmodel.labs.communication.collectives.contest import (
    ENTERED,
    SEEDS,
    SEEN,
    SPLITS,
    RingPrices,
    contestants,
    dataset,
    family_errors,
    held_out_errors,
    leaderboard,
    lost_by_whitebox,
    recorded,
    rounds,
)
from perfmodel.labs.communication.collectives.processes import (
    VIEWS,
    AllReduceRuns,
    LargeForecast,
    all_reduce_conclusion,
    counted,
    forecast_large,
    measure_all_reduce,
    serve,
    steps_of,
)
from perfmodel.labs.communication.collectives.steps_chart import (
    ALGORITHMS_SHOWN,
    MOST_ROUNDS,
    RANKS,
    SIZE,
    stepped_all_reduce,
    summed_ranks,
)
from perfmodel.labs.communication.collectives.tables import (
    BANDWIDTH,
    LATENCY,
    PAIRS,
    RINGS,
    break_between,
    bus_factor,
    collective_times,
    fitted,
    largest_over_measured,
    protocol_row,
)


def planted_table(collective, prices, break_):
    runs = pd.DataFrame(
        [(p, n) for p in (2, 4, 8) for n in 2.0 ** np.arange(10, 28)], columns=["ranks", "bytes"]
    )
    times = []
    for p, n in runs.itertuples(index=False):
        cost = collective_cost(collective, RINGS[collective], int(p), n)
        start, each, byte = prices[int(n > break_)]
        times.append(start + each * cost.rounds + byte * cost.volume)
    return runs, np.array(times)


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(list(RINGS)),
    st.integers(13, 24),
    st.floats(1e-6, 2e-5),
    st.floats(1e-7, 1e-5),
    st.floats(1e-12, 1e-9),
)
def test_planted_prices_and_break_are_found(collective, power, start, each, byte):
    prices = [(start, each, byte), (3 * start, 2 * each, byte / 3)]
    runs, times = planted_table(collective, prices, 2.0**power)
    ring = RingPrices(collective).fit(runs, times)
    assert ring.predict(runs) == pytest.approx(times, rel=1e-6)
    more = pd.DataFrame({"ranks": [16, 16], "bytes": [2.0**10, 2.0**30]})
    costs = [collective_cost(collective, RINGS[collective], 16, n) for n in more["bytes"]]
    expected = [
        np.dot(price, (1, cost.rounds, cost.volume))
        for price, cost in zip(prices, costs, strict=True)
    ]
    assert ring.predict(more) == pytest.approx(expected, rel=1e-3)


def test_one_protocol_is_worse_where_there_are_two():
    runs, times = planted_table("all-reduce", [(1e-5, 1e-6, 1e-10), (3e-5, 1e-6, 1e-11)], 2.0**20)
    errors = [
        np.abs(RingPrices("all-reduce", breaks).fit(runs, times).predict(runs) / times - 1).mean()
        for breaks in (0, 1)
    ]
    assert errors[0] > 0.05 > 1e-6 > errors[1]


@pytest.mark.parametrize("pair", [("V100", "reduce-scatter"), ("H200", "all-reduce")])
def test_rounds_hold_out_what_they_say(pair):
    runs = dataset(*pair)
    sizes, ranks = (runs.features[name].to_numpy() for name in ("bytes", "ranks"))
    seen = []
    for _, seed, split in rounds(runs):
        split.check(runs)
        test = split.tests["held out"]
        seen.append((seed, split.name))
        if split.name == "sizes between":
            assert not set(sizes[test]) & set(sizes[split.train])
        elif split.name == "sizes beyond":
            assert sizes[split.train].max() <= SEEN < sizes[test].min()
        else:
            assert ranks[split.train].max() < ranks[test].min()
    assert seen == [(seed, name) for seed in SEEDS for name in SPLITS]


@pytest.mark.parametrize(
    ("pair", "only", "splits"),
    [
        (("H100", "all-gather"), ("ring, two protocols", "parabola of logs"), SPLITS),
        (("V100", "all-gather"), ("forest",), ("more GPUs",)),
    ],
)
def test_the_recorded_errors_are_those_of_a_run(pair, only, splits):
    again = leaderboard(*pair, only, splits).set_index(["split", "contestant"])
    board = recorded()
    table = board[(board["gpu"] == pair[0]) & (board["collective"] == pair[1])]
    kept = table.set_index(["split", "contestant"])
    for key in again.index:
        row, old = again.loc[key], kept.loc[key]
        names = ["error", "low", "high", "least", "most"]
        assert row[names].tolist() == pytest.approx(
            old[names].tolist(), rel=1e-3, abs=1e-5, nan_ok=True
        )


def test_recorded_is_complete():
    board = recorded()
    names = {one.name for one in contestants("all-reduce")}
    assert len(board) == len(ENTERED) * len(SPLITS) * len(names)
    assert set(board["contestant"]) == names
    assert (board["seeds"] == len(SEEDS)).all()
    assert set(zip(board["gpu"], board["collective"], strict=True)) == set(ENTERED)


def test_origin_says_how_long_and_by_what():
    about = contest.origin()
    assert about["command"] == contest.COMMAND
    assert 0 < about["seconds"] < 300
    assert about["host"]["processor"]


def test_command_keeps_errors_with_their_origin(tmp_path, monkeypatch):
    board = recorded()
    part = dict(iter(board.groupby(["gpu", "collective"], sort=False)))
    monkeypatch.setattr(contest, "leaderboard", lambda gpu, collective: part[gpu, collective])
    out = tmp_path / "errors.csv"
    done = CliRunner().invoke(contest.main, ["--out", str(out)])
    assert done.exit_code == 0, done.output
    pd.testing.assert_frame_equal(pd.read_csv(out), board)
    assert contest.COMMAND in out.with_suffix(".json").read_text("utf-8")


def test_what_the_page_says_of_the_families():
    errors = {name: values for name, _, *values in family_errors()}
    ring, forest, parabola = (
        errors[name] for name in ("ring, two protocols", "forest", "parabola of logs")
    )
    assert all(a < b for a, b in zip(ring, forest, strict=True))
    assert all(a < b for a, b in zip(ring, parabola, strict=True))
    assert 9 < ring[0] < parabola[0] < 15 < forest[0]
    assert all(a < b for a, b in zip(errors["ring x forest"], ring, strict=True))
    pcie, nvlink = (
        {name: round(beyond) for name, _, _, beyond, _ in family_errors(link)}
        for link in ("PCIe", "NVLink")
    )
    assert (pcie["ring, two protocols"], pcie["parabola of logs"]) == (14, 74)
    assert (nvlink["ring, two protocols"], nvlink["parabola of logs"]) == (47, 43)
    assert (pcie["forest"], nvlink["forest"]) == (86, 70)
    assert all(e["ring, two protocols"] < e["forest"] for e in (pcie, nvlink))
    lost = lost_by_whitebox()
    assert {(one.gpu, one.collective, one.split, one.winner) for one in lost} == {
        ("V100", "all-gather", "more GPUs", "forest"),
        ("V100", "reduce-scatter", "more GPUs", "forest"),
        ("H100", "all-gather", "sizes beyond", "parabola of logs"),
        ("H100", "all-reduce", "sizes beyond", "parabola of logs"),
        ("H200", "all-gather", "sizes beyond", "parabola of logs"),
    }
    assert all(one.units < 10 and not one.clear for one in lost)
    assert held_out_errors()[4] == (
        "H100",
        "all-reduce",
        "11 (7 to 23)",
        "51 (sizes: 16 to 78)",
        "15",
    )


def test_intervals_speak_of_sizes_and_of_numbers_of_gpus():
    board = recorded()
    for (split, gpu), part in board.groupby(["split", "gpu"]):
        if split == "sizes between":
            assert (part["units"] == (19 if gpu == "V100" else 18)).all()
            assert (part["low"] < part["error"]).all()
            assert (part["error"] < part["high"]).all()
        else:
            assert set(part["units"]) == ({1} if split == "more GPUs" else {6 - (gpu != "V100")})
            assert part[["low", "high", "behind_low"]].isna().all(axis=None)
    rivals = board["contestant"].isin([contest.RING, "forest", "power law", "parabola of logs"])
    assert (board["behind"].notna() == rivals).all()


def test_a_loss_is_clear_where_its_interval_says_so(monkeypatch):
    """As if the whitebox had been beaten at enough sizes."""
    board = recorded()
    where = (board["split"] == "sizes between") & (board["gpu"] == "H200")
    ring = board["contestant"] == contest.RING
    monkeypatch.setattr(contest, "recorded", lambda: board)
    for low, clear in ((0.01, True), (-0.01, False)):
        board.loc[where & ring, ["error", "behind_low"]] = [0.9, low]
        seen = [one for one in lost_by_whitebox() if one.split == "sizes between"]
        assert [one.clear for one in seen] == [clear] * 3


def test_two_v100_say_too_little_of_four():
    """Small vectors come out 40 % too low, large ones a third too high."""
    runs = dataset("V100", "all-gather")
    two, sizes = (runs.features["ranks"] == 2).to_numpy(), runs.features["bytes"].to_numpy()
    ring = RingPrices("all-gather").fit(runs.features[two], runs.target[two])
    off = ring.predict(runs.features[~two]) / runs.target[~two] - 1
    assert off[sizes[~two] <= 4096] == pytest.approx(-0.43, abs=0.05)
    assert off[sizes[~two] >= 2**24] == pytest.approx(0.36, abs=0.03)


ALGORITHMS = ("ring", "tree", "recursive doubling", "Rabenseifner")
SIZES = 8.0 * 4.0 ** np.arange(3, 10)


def test_steps_are_the_schedule():
    schedule = collective_schedule("all-reduce", "tree", 3)
    steps = [steps_of(schedule, rank) for rank in range(3)]
    for index, sent in enumerate(schedule.rounds):
        assert {step[index].send for step in steps} - {None} == set(sent)
        assert {step[index].receive for step in steps} - {None} == set(sent)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(("ranks", "elements"), [(3, 1), (3, 50_000), (4, 7)])
def test_workers_end_with_the_sum(algorithm, ranks, elements):
    """Threads instead of processes; the larger vectors don't fit into a pipe."""
    schedule = collective_schedule("all-reduce", algorithm, ranks)
    pairs = {(one.sender, one.receiver) for sent in schedule.rounds for one in sent}
    pipes = {pair: Pipe(duplex=False) for pair in pairs}
    orders = []
    for rank in range(ranks):
        ours, theirs = Pipe()
        sources = {pair[0]: pipes[pair][0] for pair in pairs if pair[1] == rank}
        sinks = {pair[1]: pipes[pair][1] for pair in pairs if pair[0] == rank}
        plans = [(schedule.blocks, steps_of(schedule, rank))]
        arguments = (theirs, sources, sinks, rank, plans)
        threading.Thread(target=serve, args=arguments, daemon=True).start()
        orders.append(ours)
    for order in orders:
        order.send((0, elements))
    for order in orders:
        assert order.poll(10)
        assert order.recv() is None
    for order in orders:
        order.send(None)
    for order in orders:
        assert order.poll(10)
        start, end, least = order.recv()
        assert start <= end
        assert least == ranks * (ranks + 1) / 2
        order.close()


def test_between_processes():
    runs = measure_all_reduce([64, 800_000], ("ring", "tree"), processes=2, runs=2)
    assert runs.samples.shape == (2, 2, 2)
    assert (runs.samples > 0).all()
    assert runs.times.shape == (2, 2)


def planted(view):
    counts = [[counted(4, name, size, view) for name in ALGORITHMS] for size in SIZES]
    times = np.array(counts) @ [2e-5, 1e-9]
    return AllReduceRuns(4, ALGORITHMS, SIZES, np.stack([times] * 3, axis=1))


@pytest.mark.parametrize("view", VIEWS)
def test_the_view_that_was_planted_is_the_right_one(view):
    forecasts = {name: forecast_large(planted(view), 40_000, name) for name in VIEWS}
    assert forecasts[view].error < 1e-9
    assert forecasts[view].right_winners == len(forecasts[view].sizes) == 3
    assert forecasts[view].prices == pytest.approx([2e-5, 1e-9])
    other = next(name for name in VIEWS if name != view)
    assert forecasts[other].error > 0.1
    verdict = all_reduce_conclusion(*forecasts.values())
    assert ("take turns" if view == "shared cores" else "flow in parallel") in verdict


def test_neither_view_ahead():
    forecast = LargeForecast(SIZES, np.ones((7, 1)), np.full((7, 1), 1.2), np.ones(2), ("ring",))
    assert "Neither model is far ahead" in all_reduce_conclusion(forecast, forecast)


def test_a_view_that_misses_the_soonest_is_not_said_to_hold():
    names, measured = ("ring", "tree"), np.array([[1.0, 1.1], [2.0, 2.1]])
    near = LargeForecast(2.0 ** np.array([20, 22]), measured, measured[:, ::-1], np.ones(2), names)
    far = near._replace(forecast=3 * measured)
    verdict = all_reduce_conclusion(far, near)
    assert "take turns" not in verdict
    assert "misses the fastest algorithm" in verdict
    assert "2 and 0 of 2 sizes" in verdict
    assert "worst: ring at 1,024 KiB, forecast at 1.10 of its time" in verdict
    assert "take turns" in all_reduce_conclusion(far, near._replace(forecast=1.1 * measured))


def test_all_algorithms_have_the_same_traffic_in_powers_of_two_but_doubling():
    traffic = {name: counted(8, name, 800.0, "shared cores")[1] for name in ALGORITHMS}
    assert traffic.pop("recursive doubling") == 24 * 800
    assert set(traffic.values()) == {14 * 800.0}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: measure_all_reduce([12]), "sizes must be multiples of 8 bytes"),
        (lambda: forecast_large(planted("a network"), 1e9), "largest must leave sizes on both"),
    ],
)
def test_sizes_that_cannot_be_cut_or_forecast_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("algorithm", ALGORITHMS_SHOWN)
def test_every_state_can_be_read(algorithm):
    heights = set()
    for done in range(MOST_ROUNDS + 1):
        scene = stepped_all_reduce(algorithm, done)
        assert scene.faults() == []
        heights.add(scene.height)
    assert len(heights) == 1
    cost = collective_cost("all-reduce", algorithm, RANKS, SIZE)
    assert scene.values["ranks that have it all"] == RANKS  # noqa: PD011
    assert scene.values["time (µs)"] == pytest.approx(1e6 * cost.time(LATENCY, BANDWIDTH))  # noqa: PD011


def test_sums_by_hand():
    assert (summed_ranks("tree", 0) == 1).all()
    assert summed_ranks("tree", 3).max(axis=1).tolist() == [8, 4, 2, 2, 1, 1, 1, 1]
    assert (summed_ranks("recursive doubling", 2) == 4).all()
    ring = summed_ranks("ring", 7)
    assert sorted(ring[0]) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert np.argwhere(ring == 8).tolist() == [[rank, rank] for rank in range(RANKS)]


def test_rows_by_hand():
    sizes, times = collective_times("H100", "all-reduce").of(2)
    printed = [8, 8, 8, 8, 9, 9, 9, 9, 10, 12, 25, 28, 34, 48, 79, 139, 248, 465]
    assert times * 1e6 == pytest.approx(printed)
    assert sizes / 1024 == pytest.approx(2.0 ** np.arange(18))
    sizes, times = collective_times("V100", "all-reduce").of(2)
    assert (sizes[-1], times[-1]) == (2**28, pytest.approx(71_418e-6))


@pytest.mark.parametrize("pair", PAIRS)
def test_every_table_can_be_fitted(pair):
    table = collective_times(*pair)
    assert table.counts == ([2] if pair[1] == "send and receive" else table.counts)
    for ranks in table.counts:
        sizes, times = table.of(ranks)
        assert sizes.size == np.unique(sizes).size >= 18
        assert times.min() > 4e-6
        assert protocol_row(pair[0], pair[1], ranks)[:2] == (pair[0], str(ranks))


def test_bus_bandwidth_of_the_largest_vectors():
    """At 128 MiB by hand: 2 (p - 1) / p n / t is 289, 329 and 393 GB/s on 2, 4 and 8 H100."""
    for ranks, expected in ((2, 289), (4, 329), (8, 393)):
        sizes, times = collective_times("H100", "all-reduce").of(ranks)
        rate = bus_factor("all-reduce", ranks) * sizes[-1] / times[-1] / 1e9
        assert rate == pytest.approx(expected, abs=1)
        low, high = fitted("H100", "all-reduce", ranks).bandwidth()
        assert 0.9 * low < rate * 1e9 / bus_factor("all-reduce", ranks) < 1.1 * high


def test_what_the_page_says_of_the_fits():
    two, eight = (fitted("H100", "all-reduce", ranks).fit for ranks in (2, 8))
    assert eight.latencies[0] / two.latencies[0] == pytest.approx(2.1, abs=0.1)
    share = bus_factor("all-reduce", 8) / bus_factor("all-reduce", 2)
    assert share * eight.bandwidths[-1] > 1.2 * two.bandwidths[-1]
    for ranks in (2, 4):
        old, new = (fitted(gpu, "all-reduce", ranks).fit for gpu in ("V100", "H100"))
        assert new.bandwidths[-1] / old.bandwidths[-1] == pytest.approx(80, rel=0.1)
        assert old.latencies[0] < 2 * new.latencies[0]
    assert (break_between(eight), break_between(two)) == ("256 and 512", "512 and 1,024")


@pytest.mark.parametrize("mebibytes", [0.5, 1, 4])
def test_just_past_the_break_a_fit_is_sure_and_wrong(mebibytes):
    sizes, times = collective_times("H100", "all-reduce").of(8)
    low, _ = fitted("H100", "all-reduce", 8, mebibytes * 2.0**20).time(sizes[-1])
    assert low > 1.5 * times[-1]


def test_what_the_page_says_of_eight_up_to_4_mebibytes():
    assert not fitted("H100", "all-reduce", 8, 4 * 2.0**20).fit.breaks.size
    fit, low, high = largest_over_measured("H100", "all-reduce", 8, 4 * 2.0**20)
    assert (round(fit, 1), round(low, 1)) == (2.3, 1.6)
    assert low < fit < high


def test_bus_factor_is_the_rings_volume():
    assert bus_factor("send and receive", 2) == 1
    for collective, algorithm in RINGS.items():
        volume = collective_cost(collective, algorithm, 6, 60.0).volume
        assert bus_factor(collective, 6) == pytest.approx(volume / 60)


def test_a_table_that_nobody_measured_is_refused():
    with pytest.raises(ValueError, match="gpu and collective must be one of"):
        collective_times("H100", "reduce-scatter")
