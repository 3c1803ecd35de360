"""Data sets measured here: descriptors, counts of both models, recorders, the recorded runs."""

import json
import socket
import struct
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.prediction.shootout.challenges import products
from perfmodel.labs.prediction.shootout.measured import (
    gpu_products,
    loopback_service,
    record,
    service_load,
    service_process,
    sessions,
    sparse_products,
    stable_sorts,
)
from perfmodel.labs.prediction.shootout.measured.gpu_products import features, peaks, waves
from perfmodel.labs.prediction.shootout.measured.loopback_service import (
    FULLEST,
    WithOverheads,
    response_time,
)
from perfmodel.labs.prediction.shootout.measured.sparse_products import (
    least_bytes,
    loop_and_gathers,
)
from perfmodel.labs.prediction.shootout.measured.stable_sorts import (
    natural_merge,
    shortest_run,
    timsort,
)
from perfmodel.labs.prediction.three_ways.product_time import FittedRoofline, flop
from perfmodel.prediction.arena.dataset import repeat_noise
from perfmodel.queueing.station.mmc import mmc

GPU_RUNS = gpu_products.dataset()


def product_of(m, n, k, precision):
    return features(pd.DataFrame([{"m": m, "n": n, "k": k, "precision": precision}]))


@pytest.mark.parametrize(
    ("n", "k", "precision", "aligned"),
    [(8, 8, "bf16", 1), (8, 4, "bf16", 0), (4, 4, "tf32", 1), (6, 4, "tf32", 0), (4, 6, "fp32", 0)],
)
def test_rows_are_aligned_where_16_bytes_divide_them(n, k, precision, aligned):
    assert product_of(5, n, k, precision)["aligned"][0] == aligned


def test_peaks_are_those_of_the_units_that_multiply():
    rates = [float(peaks(product_of(64, 64, 64, p))[0]) for p in ("bf16", "tf32", "fp32")]
    assert rates == [989e12, 494.5e12, 67e12]


def test_a_full_wave_costs_no_more_than_its_multiply_adds_and_one_more_tile_a_whole_wave():
    full = waves(product_of(128 * 132, 128, 64, "bf16"))
    assert full["waves"] == pytest.approx(full["multiply-adds"])
    more = waves(product_of(128 * 132 + 1, 128, 64, "bf16"))
    assert more["waves"] == pytest.approx(2 * full["waves"])


def test_rows_askew_cost_on_matrix_units_alone():
    assert waves(product_of(64, 63, 64, "bf16"))["waves, rows askew"][0] > 0
    assert waves(product_of(64, 64, 64, "bf16"))["waves, rows askew"][0] == 0
    assert waves(product_of(64, 63, 64, "fp32"))["waves, rows askew"][0] == 0


def test_recorded_products_of_a_gpu():
    assert len(GPU_RUNS) == 6000
    assert list(GPU_RUNS.features) == [*gpu_products.LOGGED, *gpu_products.PLAIN]
    assert set(GPU_RUNS.group("precision")) == set(gpu_products.WORDS)
    assert len(set(GPU_RUNS.group("shape"))) == 2000
    assert 0 < GPU_RUNS.noise < 0.02


def test_no_product_is_faster_than_the_data_sheet():
    assert (flop(GPU_RUNS.features) / GPU_RUNS.target < peaks(GPU_RUNS.features)).all()


def test_whiteboxes_of_a_gpu_learn_what_they_are_made_of():
    prices, roofline = gpu_products.whiteboxes().values()
    shapes = GPU_RUNS.features.iloc[:300]
    true = sum(np.asarray(count) for count in waves(shapes).values()) + 1e-6
    np.testing.assert_allclose(prices.fit(shapes, true).predict(shapes), true, rtol=1e-6)
    assert isinstance(roofline, FittedRoofline)
    true = 3e-6 + 2e-15 * gpu_products.bf16_operations(shapes)
    np.testing.assert_allclose(roofline.fit(shapes, true).predict(shapes), true, rtol=0.01)


def test_no_training_row_has_the_shape_of_a_test_row():
    challenge, of = products.h100([0]), GPU_RUNS.group("shape")
    assert challenge.blind
    rounds = [split for *_, split in challenge.rounds if split.name == "unseen shape"]
    assert rounds
    for split in rounds:
        assert not set(of[split.train]) & set(of[split.tests["inside"]])


SERVICE_PLAN = service_load.plan(84)


def service_with(**changes):
    run = {"rate": 500.0, "service": 1e-3, "servers": 1, "load": 0.5, "scv": 1.0}
    return pd.DataFrame([run | {"sharing": 0, "sleeping": 0} | changes])


def test_formulas_by_hand():
    assert response_time(service_with())[0] == pytest.approx(2e-3)
    assert response_time(service_with(scv=0.0))[0] == pytest.approx(1.5e-3)
    assert response_time(service_with(scv=0.0, sharing=1))[0] == pytest.approx(2e-3)
    assert response_time(service_with(scv=4.5, sharing=1))[0] == pytest.approx(2e-3)
    several = response_time(service_with(rate=1500.0, servers=4, sleeping=1))[0]
    assert several == pytest.approx(float(mmc(1500.0, 1000.0, 4).response_time))


def test_an_idle_server_takes_what_is_asked():
    np.testing.assert_allclose(response_time(service_with(rate=1e-6)), 1e-3, rtol=1e-6)
    with pytest.raises(ValueError, match="utilization"):
        response_time(service_with(rate=2000.0))


def test_overheads_are_found_where_there_are_some():
    model = WithOverheads()
    model.constants_ = np.array([3e-5, 9e-5, 6e-5])
    true = model.predict(SERVICE_PLAN)
    assert (true > response_time(SERVICE_PLAN)).all()
    fitted = WithOverheads().fit(SERVICE_PLAN, true)
    np.testing.assert_allclose(fitted.predict(SERVICE_PLAN), true, rtol=0.02)
    np.testing.assert_allclose(fitted.constants_, model.constants_, rtol=0.3)


def test_overhead_that_would_fill_the_server_stays_finite():
    model = WithOverheads()
    model.constants_ = np.array([5e-3, 5e-3, 0.0])
    response = model.predict(service_with())[0]
    capped = FULLEST / 500
    scv = (1e-3 / capped) ** 2
    expected = response_time(service_with(service=capped, scv=scv))[0] + 6e-3 - capped
    assert response == pytest.approx(expected)


@pytest.mark.parametrize("name", service_load.DISTRIBUTIONS)
def test_sizes_have_the_mean_and_variation_that_is_told(name):
    drawn = service_load.sizes(name, np.random.default_rng(1), 200_000)
    assert drawn.mean() == pytest.approx(1.0, rel=0.02)
    scv = service_load.DISTRIBUTIONS[name]
    assert drawn.var() == pytest.approx(scv, rel=0.05, abs=1e-9)


def test_runs_go_through_all_servers_and_stay_stable():
    assert (SERVICE_PLAN["load"] <= 0.8).all()
    np.testing.assert_allclose(
        SERVICE_PLAN["rate"] * SERVICE_PLAN["service"] / SERVICE_PLAN["servers"],
        SERVICE_PLAN["load"],
    )
    assert len(SERVICE_PLAN.groupby(["distribution", "server"])) == 12
    assert set(SERVICE_PLAN.loc[SERVICE_PLAN["sleeping"] == 1, "servers"]) == set(
        service_load.WORKERS
    )


@pytest.mark.parametrize("server", service_load.SERVERS)
def test_a_server_answers_every_request_and_takes_at_least_what_is_asked(server):
    asked = [0.001, 0.002, 0.001]
    responses = service_load.respond(server, 2, np.array([0.0, 0.0001, 0.02]), asked)
    assert (responses >= np.array(asked) * 0.99).all()


def test_a_sitting_gives_a_mean_for_each_run():
    means = service_load.sitting(SERVICE_PLAN.head(2), 0, seconds=0.05)
    assert means.shape == (2,)
    assert (means > 0).all()


def test_a_server_that_ends_is_an_error(tmp_path, monkeypatch):
    program = tmp_path / "service_load.py"
    program.with_name("service_process.py").write_text(
        "import socket\n"
        "with socket.create_server(('127.0.0.1', 0)) as listening:\n"
        "    print(listening.getsockname()[1], flush=True)\n"
        "    listening.accept()[0].close()\n"
    )
    monkeypatch.setattr(service_load, "__file__", str(program))
    with pytest.raises((RuntimeError, OSError)):
        service_load.respond("one worker", 1, np.array([0.0, 0.05]), [0.0, 0.0])


def _asked(serve, requests):
    """Return the numbers in the order in which `serve` answers them."""
    client, server = socket.socketpair()
    with client, server:
        for number, seconds in requests:
            client.sendall(struct.pack("<Id", number, seconds))
        client.shutdown(socket.SHUT_WR)
        thread = threading.Thread(target=serve, args=(service_process.Requests(server),))
        thread.start()
        answers = b""
        while len(answers) < 4 * len(requests):
            answers += client.recv(1 << 10)
        thread.join()
    return [number for (number,) in struct.iter_unpack("<I", answers)]


def test_one_worker_keeps_the_order_and_slices_let_the_short_ones_out():
    requests = [(0, 0.004), (1, 0.001)]

    def whole(read):
        service_process.take_turns(read, float("inf"))

    def slices(read):
        service_process.take_turns(read, 0.0002)

    assert _asked(whole, requests) == [0, 1]
    assert _asked(slices, requests) == [1, 0]


def test_sleepers_sleep_side_by_side():
    began = time.perf_counter()
    order = _asked(lambda read: service_process.sleep(read, 2), [(0, 0.2), (1, 0.01)])
    assert order == [1, 0]
    assert time.perf_counter() - began >= 0.2


def test_requests_that_come_in_pieces_are_put_together():
    client, server = socket.socketpair()
    with client, server:
        read, sent = service_process.Requests(server), struct.pack("<Id", 7, 0.5)
        assert list(read.read(wait=False)) == []
        client.sendall(sent[:5])
        assert list(read.read(wait=True)) == []
        client.sendall(sent[5:])
        assert list(read.read(wait=True)) == [(7, 0.5)]
        client.close()
        assert list(read.read(wait=True)) == []
        assert not read.open


def test_recorded_services():
    runs = loopback_service.dataset()
    assert len(runs) == 84
    assert runs.unit == "s"
    assert (runs.features[list(loopback_service.LOGGED)] > 0).all(axis=None)
    assert {*loopback_service.LOGGED, *loopback_service.PLAIN} == set(runs.features)
    assert set(runs.group("distribution")) == set(service_load.DISTRIBUTIONS)
    assert set(runs.group("server")) == set(service_load.SERVERS)
    assert runs.noise > 0
    np.testing.assert_array_equal(loopback_service.work(runs.features), runs.features["service"])
    for model in loopback_service.whiteboxes().values():
        assert (model.fit(runs.features, runs.target).predict(runs.features) > 0).all()


PLAN = pd.DataFrame({"run": [0, 1, 2], "size": [1.0, 2.0, 4.0]})


def twice(runs):
    return [2.0 * run for run in runs]


def test_each_run_gets_its_own_result_in_any_order(monkeypatch):
    asked = []
    monkeypatch.setattr(sessions, "CHUNK", 4)
    monkeypatch.setattr(
        sessions.child, "run", lambda measure, chunk, cores: asked.append(chunk) or measure(chunk)
    )
    seconds = sessions.shuffled(twice, 10, 1)
    np.testing.assert_array_equal(seconds, 2.0 * np.arange(10))
    assert [len(chunk) for chunk in asked] == [4, 4, 2]
    visited = [run for chunk in asked for run in chunk]
    assert visited != sorted(visited)


def test_sittings_lie_beside_each_other_and_are_replaced_by_number(tmp_path):
    path = tmp_path / "runs.csv"
    sessions.record(
        path, PLAN, lambda number: np.full(3, 1.0 + number), [0, 1], {"rule": "made up"}
    )
    sessions.record(path, PLAN, lambda number: np.full(3, 9.0), [1], {})
    table = pd.read_csv(path)
    assert list(table) == ["run", "size", "sitting_0", "sitting_1"]
    assert set(table["sitting_0"]) == {1.0}
    assert set(table["sitting_1"]) == {9.0}
    origin = json.loads(path.with_suffix(".json").read_text())
    assert {"host", "versions", "date"} <= origin.keys()
    assert {"seconds of sitting_0", "seconds of sitting_1"} <= origin.keys()


def test_another_plan_begins_anew(tmp_path):
    path = tmp_path / "runs.csv"
    sessions.record(path, PLAN, lambda _: np.ones(3), [0], {})
    sessions.record(path, PLAN.head(2), lambda _: np.ones(2), [1], {})
    assert list(pd.read_csv(path)) == ["run", "size", "sitting_1"]


def test_noise_is_that_of_the_sittings():
    table = PLAN.assign(sitting_0=[1.0, 2.0, 3.0], sitting_1=[1.1, 2.0, 3.0])
    expected = repeat_noise([[1.0, 1.1], [2.0, 2.0], [3.0, 3.0]])
    assert sessions.noise(table) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["sorts", "products"])
def test_recorders_of_kernels_run(name, tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "SAMPLE_SECONDS", 1e-5)
    monkeypatch.setattr(sessions.child, "run", lambda measure, chunk, cores: measure(chunk))
    record.main([name, "0", "1"], tmp_path, 2)
    table = pd.read_csv(tmp_path / record.RECORDINGS[name].file)
    assert len(table) == 2
    assert (table[sessions.sitting_columns(table)] > 0).all(axis=None)


def test_unknown_recordings_are_refused():
    with pytest.raises(SystemExit, match="recording must be one of sorts, products, service"):
        record.main(["walks"])
    with pytest.raises(SystemExit, match="got ''"):
        record.main([])


@pytest.mark.parametrize("name", record.RECORDINGS)
def test_what_is_recorded_is_the_whole_plan(name):
    recording = record.RECORDINGS[name]
    folder = Path(record.__file__).parent
    table = pd.read_csv(folder / recording.file)
    origin = json.loads((folder / recording.file).with_suffix(".json").read_text())
    assert len(table) == recording.runs
    assert len(sessions.sitting_columns(table)) == recording.sittings
    assert origin["command"].endswith(f"record {name}")
    assert origin["rule"] == recording.rule
    assert (folder / recording.file).stat().st_size < 1e6


SCATTERED = {
    "rows": 2**20,
    "nonzeros": 2**23,
    "word": 8,
    "gap": 2**17,
    "drift": 2**18,
    "hot": 0.01,
    "unevenness": 0.0,
}


def gathers_count(name, **changes):
    return float(loop_and_gathers(pd.DataFrame([SCATTERED | changes]))[name][0])


def test_least_bytes_are_those_of_the_arrays():
    product, _ = sparse_products.matrix(3)
    parts = (product.data, product.indices, product.indptr)
    vectors = 2 * product.shape[0] * product.dtype.itemsize
    least = least_bytes(pd.DataFrame([sparse_products.describe(product)]))[0]
    assert least == pytest.approx(sum(part.nbytes for part in parts) + vectors - 4)


def test_gathers_of_a_vector_that_the_cache_holds_cost_nothing():
    assert gathers_count("gathers past the cache", rows=2**18, nonzeros=2**21) == 0
    assert gathers_count("bytes past the cache", rows=2**12, nonzeros=2**15) == 0


def test_scattered_gathers_fetch_a_line_each_and_neighbours_share_one():
    scattered = gathers_count("gathers past the cache")
    assert scattered == pytest.approx(2**23 * 0.75 * 0.99)
    assert gathers_count("gathers past the cache", gap=1) == pytest.approx(scattered / 8)
    assert gathers_count("gathers past the cache", gap=1, drift=1) == pytest.approx(scattered / 64)
    assert gathers_count("gathers past the cache", hot=1.0) == 0


def test_row_ends_are_foreseen_where_rows_are_alike_and_short():
    assert gathers_count("unforeseen row ends") == 0
    assert gathers_count("unforeseen row ends", unevenness=1.0) == 2**20
    assert gathers_count("unforeseen row ends", rows=2**16, nonzeros=2**23) == 2**16


def test_long_rows_chain_their_additions():
    assert gathers_count("chained nonzeros") == pytest.approx(2**23 * 8 / 72)
    assert gathers_count("chained nonzeros", rows=2**10) > 0.99 * 2**23


@pytest.mark.parametrize("index", range(6))
def test_structures_are_what_they_are_called(index):
    product, structure = sparse_products.matrix(60 + index)
    described = sparse_products.describe(product)
    assert structure == sparse_products.STRUCTURES[index]
    assert product.has_sorted_indices
    assert product.nnz == product.indptr[-1]
    assert {
        "band": described["unevenness"] == 0 and described["gap"] < 0.1 * described["rows"],
        "stencil": described["unevenness"] == 0 and described["drift"] < 0.1 * described["rows"],
        "blocks": described["nonzeros"] % sparse_products.BLOCK == 0,
        "random": described["hot"] < 0.2,
        "uneven rows": described["unevenness"] > 0.5,
        "popular columns": described["hot"] > 0.1,
    }[structure]


def test_a_band_has_neighbouring_columns():
    product, _ = sparse_products.matrix(0)
    columns = product[product.shape[0] // 2].nonzero()[0]
    assert set(np.diff(columns)) <= {1}


@pytest.mark.parametrize("module", [sparse_products, stable_sorts])
def test_whiteboxes_learn_what_they_are_made_of(module):
    runs = module.dataset()
    for model in module.whiteboxes().values():
        true = sum(np.asarray(count) for count in model.counts(runs.features).values()) * 1e-9
        fitted = model.fit(runs.features, true)
        np.testing.assert_allclose(fitted.predict(runs.features), true, rtol=1e-6)


@pytest.mark.parametrize(
    ("module", "rows", "groups"),
    [
        (sparse_products, 252, {"structure": set(sparse_products.STRUCTURES), "word": {4, 8}}),
        (stable_sorts, 300, {"order": set(stable_sorts.ORDERS), "type": set(stable_sorts.TYPES)}),
    ],
)
def test_recorded_runs(module, rows, groups):
    runs = module.dataset()
    assert len(runs) == rows
    assert runs.unit == "s"
    assert list(runs.features) == [*module.LOGGED, *module.PLAIN]
    assert (runs.features[list(module.LOGGED)] > 0).all(axis=None)
    assert {name: set(runs.group(name)) for name in groups} == groups
    assert 0 < runs.noise < 0.2
    assert (module.work(runs.features) > 0).all()


def test_the_work_of_a_sparse_product_is_its_nonzeros():
    runs = sparse_products.dataset()
    np.testing.assert_array_equal(sparse_products.work(runs.features), runs.features["nonzeros"])


SHUFFLED = {
    "keys": 2**16,
    "word": 8,
    "runs": 2**15,
    "distinct": 2**16,
    "displacement": 2**16 / 3,
    "reach": 2**16,
    "floating": 0,
}


def sort_of(**changes):
    return pd.DataFrame([SHUFFLED | changes])


def sort_count(name, **changes):
    return float(timsort(sort_of(**changes))[name][0])


def test_textbook_counts():
    counted = natural_merge(sort_of())
    assert counted["merged keys"][0] == 2**16 * 15
    assert natural_merge(sort_of(runs=1))["merged keys"][0] == 0


def test_a_shuffle_is_inserted_and_merged_from_64_keys_up():
    assert sort_count("insertion moves") == pytest.approx(2**16 * 64 / 4, rel=1e-3)
    assert sort_count("merged keys") == pytest.approx(2**16 * 10, rel=0.01)
    assert sort_count("unforeseen comparisons") == pytest.approx(2**16 * (10 / 2 + 1), rel=0.01)


def test_two_sorted_halves_are_merged_once_and_hardly_anything_is_inserted():
    assert sort_count("insertion moves", runs=2) < 0.01 * sort_count("insertion moves")
    assert sort_count("merged keys", runs=2) == pytest.approx(2**16, rel=0.01)


def test_keys_near_their_places_are_hardly_merged():
    near = {"displacement": 8 / 3, "reach": 8}
    assert sort_count("merged keys", **near) < 0.3 * 2**16
    assert sort_count("insertion moves", **near) == pytest.approx(2**16 * 8 / 4, rel=1e-3)


def test_few_values_are_foreseen_but_merged():
    few = {"distinct": 2, "runs": 2**14}
    assert sort_count("merged keys", **few) == pytest.approx(sort_count("merged keys"), rel=0.01)
    assert sort_count("unforeseen comparisons", **few) < 0.3 * sort_count("unforeseen comparisons")


def test_only_floating_keys_have_float_comparisons_and_only_large_ones_leave_the_cache():
    assert sort_count("float comparisons") == 0
    assert sort_count("float comparisons", floating=1) > 2**16 * 10
    assert sort_count("bytes past the cache") == 0
    # Runs are merged to 128 and 256 and 512 kB: two levels are beyond 200 kB.
    past = timsort(sort_of(), cache=200_000)["bytes past the cache"][0]
    assert past == pytest.approx(2 * 2**16 * 8, rel=0.02)


@given(keys=st.integers(2, 2**22))
def test_short_runs_are_between_half_of_64_and_64(keys):
    run = shortest_run(np.array([float(keys)]))[0]
    assert run == keys if keys <= 64 else 32 <= run <= 64


@settings(max_examples=25)
@given(run=st.integers(0, 10**6))
def test_counts_are_finite_and_never_negative(run):
    values, _ = stable_sorts.keys(run)
    table = pd.DataFrame([stable_sorts.describe(values[:5000])])
    if table["displacement"][0] > 0:
        for counts in (timsort(table), natural_merge(table)):
            assert all(np.isfinite(count).all() and (count >= 0).all() for count in counts.values())


def test_merged_keys_agree_with_a_sort_that_counts():
    """Of shuffles: every level of pairwise merges touches nearly all keys."""
    for length in (1000, 3000):
        values = np.random.default_rng(length).permutation(length)
        runs = int(shortest_run(np.array([float(length)]))[0])
        parts = [np.sort(values[at : at + runs]) for at in range(0, length, runs)]
        touched = 0
        while len(parts) > 1:
            pairs = [parts[at : at + 2] for at in range(0, len(parts), 2)]
            touched += sum(sum(map(len, pair)) for pair in pairs if len(pair) == 2)
            parts = [np.sort(np.concatenate(pair)) for pair in pairs]
        counted = timsort(pd.DataFrame([stable_sorts.describe(values)]))["merged keys"][0]
        assert counted == pytest.approx(touched, rel=0.06)


@pytest.mark.parametrize("run", range(5))
def test_orders_are_what_they_are_called(run):
    values, order = stable_sorts.keys(run + 20)
    described = stable_sorts.describe(values)
    assert order == stable_sorts.ORDERS[run]
    assert {
        "random": described["runs"] > 0.4 * described["keys"],
        "few values": described["distinct"] <= 1000,
        "sorted runs": described["runs"] <= 256,
        "swapped": described["runs"] <= 1 + 0.11 * described["keys"],
        "windows": described["reach"] < 4096,
    }[order]
    np.testing.assert_array_equal(values, stable_sorts.keys(run + 20)[0])


def test_the_package_of_the_plan_gives_the_recorded_features():
    values, order = stable_sorts.keys(7)
    runs = stable_sorts.dataset()
    assert runs.group("order")[7] == order
    described = pd.DataFrame([stable_sorts.describe(values)])[list(stable_sorts.UNITS)]
    np.testing.assert_allclose(runs.features.iloc[7].to_numpy(float), described.iloc[0], rtol=1e-5)
