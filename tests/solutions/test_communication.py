"""The exercise on communication: worked values, played schedules, and the package's own answers."""

from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import solving
from hypothesis import given, strategies as st

from perfcourse.bank.loader import load
from perfmodel.answers.closeness import close
from perfmodel.communication import (
    ExpertDispatch,
    TaskGraph,
    TransformerShape,
    collective_cost,
    collective_schedule,
    full_mesh,
    gpipe,
    hierarchical_cost,
    interleaved,
    message_time,
    one_f_one_b,
    ring_network,
    ring_time,
    run_collective,
    schedule_time,
    simulate_flows,
    simulate_pipeline,
    simulate_tasks,
    single_switch,
    torus,
)

BANK = load(Path(__file__).parents[2] / "solutions" / "communication.py")
STUDENTS = [f"student-{i}" for i in range(10)]
reference = partial(solving.answer, BANK)
drawn, wrong = partial(solving.drawn, BANK), partial(solving.wrong, BANK)
changed = partial(solving.changed, BANK, STUDENTS)


@pytest.mark.parametrize(
    ("id", "arguments", "by_hand"),
    [
        ("message", (100e3, 5e-6, 20e9), 10e9),
        ("enough", (5e-6, 160.0, 0.5), 100e3),
        ("gathered", (10, 1000, 1e-6, 1e9, 1e9), 20 / 21),
        ("ring", (8, 4e9, 0.0, 1e9), 7.0),
        ("ring", (1, 4e9, 1e-6, 1e9), 0.0),
        ("crossover", (8, 1e-6, 1e9), 8800.0),
        ("hierarchy", (2, 2, 1.0, 1.0, 1.0), 1.5),
        ("mesh", (8, 2, 8.0, 1.0), 4.0),
        ("jain", (np.array([1.0, 0.0, 0.0, 0.0]),), 0.25),
        ("jain", (np.array([3.0, 3.0]),), 1.0),
        ("buffer", (10.0, 0.25, 50_000), 312.5e6 / 50_000**0.5),
        ("bubble", (4, 4, 1), 3 / 7),
        ("micro_batches", (64, 0.1), 567),
        ("slow_stage", (np.array([1.0, 3.0, 2.0]), 4), 15.0),
        ("straggler", (2, 1.0, 0.5, 4.0), 4.0),
    ],
)
def test_worked_values(id, arguments, by_hand):
    assert float(reference(id, *arguments)) == pytest.approx(by_hand)


@given(
    st.floats(1e-6, 1e-4), st.floats(1e8, 1e11), st.floats(10, 1e5), st.floats(1.5, 100)
)  # fmt: skip
def test_ping_pong_gives_back_what_was_planted(latency, bandwidth, small, times):
    large = small * times
    there_and_back = [2 * float(message_time(size, latency, bandwidth)) for size in (small, large)]
    table = reference("ping_pong", small, large, *there_and_back)
    assert table["latency"] == pytest.approx(latency, rel=1e-4)
    assert table["bandwidth"] == pytest.approx(bandwidth, rel=1e-4)


@given(st.floats(1e-6, 1e-4), st.floats(1e9, 1e11), st.floats(1e9, 1e11))
def test_protocols_take_equally_long_at_the_size_given(latency, bandwidth, copy):
    _, tie = reference("protocol", 1.0, latency, bandwidth, copy)
    eager = float(message_time(tie, latency, bandwidth)) + tie / copy
    asking = 2 * float(message_time(0, latency, bandwidth))
    assert eager == pytest.approx(asking + float(message_time(tie, latency, bandwidth)))
    assert reference("protocol", 0.9 * tie, latency, bandwidth, copy)[0] == "eager"
    assert reference("protocol", 1.1 * tie, latency, bandwidth, copy)[0] == "rendezvous"


@given(st.integers(2, 12), st.floats(1, 1e6))
def test_ring_is_the_schedule_played(machines, size):
    schedule = collective_schedule("all-reduce", "ring", machines)
    played = schedule_time(
        schedule, [size / machines] * machines, lambda message, part: 2e-6 + part / 1e9
    )
    assert reference("ring", machines, size, 2e-6, 1e9) == pytest.approx(played)


@pytest.mark.parametrize("machines", [4, 8, 16, 64])
def test_ring_and_doubling_tie_at_the_crossover(machines):
    size = reference("crossover", machines, 3e-6, 2e10)
    ring, doubling = (
        collective_cost("all-reduce", name, machines, size).time(3e-6, 2e10)
        for name in ("ring", "recursive doubling")
    )
    assert ring == pytest.approx(doubling)


@given(st.integers(2, 9), st.integers(2, 9))
def test_bus_bandwidth_is_what_links_carry(few, many):
    size, link = 8.0 * few * many, 1e9
    times = [
        run_collective(
            collective_schedule("all-reduce", "ring", count),
            [np.ones(few * many)] * count,
        ).run.volume
        / link
        for count in (few, many)
    ]
    table = reference("two_rates", size, times[0], few, many)
    assert table["bus"] == pytest.approx(link)
    assert table["algorithm"] == pytest.approx(size / times[1])


@pytest.mark.parametrize("machines", [2, 5, 8])
def test_lists_and_vectors_are_as_many_bytes_at_the_density_given(machines):
    _, density = reference("sparse", machines, 4, 8, 0.1)
    values = 1e6
    lists = collective_cost("all-gather", "ring", machines, machines * density * values * 12)
    vectors = collective_cost("all-reduce", "ring", machines, values * 4)
    assert lists.volume == pytest.approx(vectors.volume)


@given(st.integers(2, 9), st.integers(2, 9))
def test_hierarchy_is_that_of_the_package(nodes, per_node):
    tiers = hierarchical_cost(nodes * per_node, per_node, 1e9)
    time = tiers.intra_node.volume / 3e11 + tiers.inter_node.volume / 5e10
    assert reference("hierarchy", nodes, per_node, 1e9, 3e11, 5e10) == pytest.approx(time)


def test_bisections_are_those_of_the_networks():
    table = reference("bisections", 4, 5e9)
    networks = {
        "ring": ring_network(16, 5e9),
        "torus": torus((4, 4), 5e9),
        "switch": single_switch(16, 5e9),
        "mesh": full_mesh(16, 5e9),
    }
    assert table == pytest.approx({name: one.bisection for name, one in networks.items()})


@pytest.mark.parametrize("machines", [4, 10])
def test_all_to_all_counts_the_parts_that_cross(machines):
    crossing = sum(i < machines / 2 <= j for i, j in product(range(machines), repeat=2))
    table = reference("all_to_all", machines, 6e8, 2e9, 5e9)
    assert table["bisection"] == pytest.approx(crossing * 6e8 / machines / 5e9)
    pairwise = collective_cost("all-to-all", "pairwise", machines, 6e8)
    assert table["links"] == pytest.approx(pairwise.volume / 2e9)


@pytest.mark.parametrize("group", [2, 3, 8])
def test_gathering_in_a_mesh_is_played_by_flows(group):
    mesh = full_mesh(8, 64e9)
    pairs = [(i, j) for i, j in product(range(group), repeat=2) if i != j]
    routes = mesh.routes(*np.array(pairs).T)
    flows = simulate_flows(routes, mesh.capacities, 1e9 / group)
    assert reference("mesh", 8, group, 1e9, 64e9) == pytest.approx(flows.makespan)


DEMANDS = st.lists(st.floats(0.1, 100), min_size=1, max_size=8).map(np.array)


@given(DEMANDS, st.floats(0.1, 400))
def test_nobody_could_get_more_without_taking_from_who_has_no_more(demands, capacity):
    rates = reference("fair", demands, capacity)
    assert np.all(rates <= demands * (1 + 1e-9))
    assert rates.sum() == pytest.approx(min(capacity, demands.sum()))
    wanting = rates < demands * (1 - 1e-9)
    assert np.all(rates[wanting] >= rates.max() * (1 - 1e-9))


@given(
    st.floats(1, 10), st.floats(1, 10), st.integers(1, 6), st.integers(1, 6)
)  # fmt: skip
def test_long_flow_has_its_share_of_the_tighter_link(first, second, k, m):
    long, near, far = reference("long_way", first, second, k, m)
    assert long == pytest.approx(min(first / (k + 1), second / (m + 1)))
    assert long + k * near == pytest.approx(first)
    assert long + m * far == pytest.approx(second)


def test_aimd_is_that_of_small_steps():
    x, y, cuts, step = 0.6, 0.05, 0, 1e-6
    while cuts < 3:
        rise = (1 - x - y) / 2
        x, y = (x + rise + step) / 2, (y + rise + step) / 2
        cuts += 1
        found = reference("aimd", 0.6, 0.05, 1.0, cuts)
        assert found == pytest.approx([x, y], abs=1e-5)


@pytest.mark.parametrize("schedule", [gpipe, one_f_one_b])
@pytest.mark.parametrize(("stages", "micro"), [(2, 1), (4, 4), (5, 12)])
def test_bubble_is_that_of_a_pipeline_played(schedule, stages, micro):
    run = simulate_pipeline(schedule(stages, micro), 1.0, 2.0)
    idle = 1 - 3 * micro / run.makespan
    assert reference("bubble", stages, micro, 1) == pytest.approx(idle)


def test_bubble_of_chunks_is_that_of_the_interleaved_schedule():
    run = simulate_pipeline(interleaved(4, 8, 3), 1.0, 2.0)
    assert reference("bubble", 4, 8, 3) == pytest.approx(1 - 24 / run.makespan)


@given(st.integers(2, 64), st.floats(0.05, 0.5))
def test_one_micro_batch_fewer_idles_too_long(stages, idle):
    count = reference("micro_batches", stages, idle)
    assert reference("bubble", stages, count, 1) <= idle * (1 + 1e-12)
    if count > 1:
        assert reference("bubble", stages, count - 1, 1) > idle * (1 - 1e-12)


@given(st.lists(st.floats(0.1, 9), min_size=1, max_size=6).map(np.array), st.integers(1, 9))
def test_slow_stage_sets_the_pace_of_tasks_played(times, micro):
    number = np.arange(times.size * micro).reshape(times.size, micro)
    graph = TaskGraph(
        stage=np.repeat(np.arange(times.size), micro),
        duration=np.repeat(times, micro),
        edges=np.stack([number[:-1].ravel(), number[1:].ravel()], 1),
    )
    assert reference("slow_stage", times, micro) == pytest.approx(simulate_tasks(graph).makespan)


@pytest.mark.parametrize("stage", [1, 2, 5])
def test_stage_holds_what_the_schedule_makes_it_hold(stage):
    memory = simulate_pipeline(one_f_one_b(5, 9), 1.0, 2.0, activation=7.0).peak(stage - 1)
    all_ = simulate_pipeline(gpipe(5, 9), 1.0, 2.0, activation=7.0).peak(stage - 1)
    assert reference("held", 5, stage, 9, 7.0, 10.0, 10.0 + memory) == ("1F1B", 10.0 + memory)
    assert reference("held", 5, stage, 9, 7.0, 10.0, 10.0 + all_)[0] == "both"
    assert reference("held", 5, stage, 9, 7.0, 10.0, 9.9 + memory)[0] == "neither"


def test_tensor_share_is_that_of_the_planner_s_terms():
    shape = TransformerShape(1, 6144, 48, 1, 1)
    work = 2048 * float(shape.operations_per_token()) / (8 * 2e14)
    sums = 4 * float(ring_time(2.0 * 2048 * 6144, 8, 1e11))
    found = reference("tensor", 6144, 2048, 8, 1e11, 2e14)
    assert found == pytest.approx(sums / (sums + work), rel=1e-3)


@given(st.sampled_from([2, 4, 8]), st.sampled_from([2, 4, 8]), st.floats(1e8, 1e10))
def test_placement_is_the_better_of_both(t, d, activations):
    inside, outside, gradients = 3e11, 5e10, 1e9
    tensor_inside, data_inside = (
        float(ring_time(activations, t, one)) + float(ring_time(gradients, d, other))
        for one, other in ((inside, outside), (outside, inside))
    )
    best, time = reference("placement", t, d, activations, gradients, inside, outside)
    assert time == pytest.approx(min(tensor_inside, data_inside))
    if abs(tensor_inside - data_inside) > 1e-9:
        assert best == ("tensor" if tensor_inside < data_inside else "data")


def test_stragglers_of_a_simulation_take_as_long():
    late = np.random.default_rng(0).random((40_000, 50)) < 0.02
    steps = 1.5 + 0.8 * late.any(axis=1)
    found = reference("straggler", 50, 1.5, 0.02, 0.8)
    assert found == pytest.approx(steps.mean(), abs=4 * steps.std() / 200)


def test_own_messages_on_a_line_have_its_half_bandwidth_size():
    size = np.array([4096.0, 16, 256, 1e6, 3e4, 64])
    assert float(reference("own_messages", size, 3e-6 + size / 2e9)) == pytest.approx(6000)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({}, ""),
        ({"time": np.zeros(6)}, "above 0"),
        ({"size": np.array([1.0, 10, 100, 1e3, 1e4, 1e4])}, "same size"),
        ({"size": np.arange(1.0, 7)}, "a thousand times"),
        ({"time": np.linspace(2, 1, 6)}, "no latency, or no bandwidth"),
    ],
)
def test_what_cannot_be_messages_is_told_so(change, complaint):
    size = 10.0 ** np.arange(1, 7)
    said = BANK.question("own_messages").plausible(
        **{"size": size, "time": 1e-5 + size / 1e9, **change}
    )
    assert (complaint in said) if complaint else said == ""


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("protocol", "asked one way"),
        ("protocol", "link for the copy"),
        ("sparse", "indexes forgotten"),
        ("sparse", "one pass"),
        ("held", "one too few"),
        ("held", "all forward first"),
    ],
)
def test_mistake_changes_the_decision_of_some_students(id, name):
    assert any(changed(id, name))
    assert not all(changed(id, name))


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("ring", "one latency in all"),
        ("two_rates", "bus bandwidth as size over time"),
        ("two_rates", "names exchanged"),
        ("bisections", "mesh twice"),
        ("mesh", "both directions halved"),
        ("long_way", "all as the long one"),
        ("long_way", "rest not divided"),
        ("aimd", "sum not cut"),
        ("tensor", "share of work"),
    ],
)
def test_mistake_is_told_from_all_others(id, name):
    """Some student's numbers must tell two mistakes apart; most do."""
    question, model = BANK.question(id), wrong(id, name)
    others = [one for one in question.mistakes if one.name != name]
    for other in [question.reference, *(one.model for one in others)]:
        cases = [drawn(id, student) for student in STUDENTS]
        same = [close(model(**case), other(**case), 1e-6) for case in cases]
        assert sum(same) <= 2


@pytest.mark.parametrize("machines", [8, 16, 32])
def test_ring_against_a_tree_crosses_where_one_pass_does(machines):
    """Both slips end at one size, so what is said to it names both."""
    size = wrong("crossover", "one pass")(machines, 2e-6, 1e10)
    tree, ring = (
        collective_cost("all-reduce", name, machines, size).time(2e-6, 1e10)
        for name in ("tree", "ring")
    )
    assert tree == pytest.approx(ring)


@pytest.mark.parametrize("student", STUDENTS)
class TestEveryStudent:
    """Each mistake of the chapter does to each student's numbers what the chapter says."""

    def test_vectors_that_stay_nowhere_make_the_ring_look_slow(self, student):
        given = drawn("two_rates", student)
        dropped = wrong("two_rates", "(n-1)/n dropped")(**given)
        assert dropped["bus"] > BANK.question("two_rates").reference(**given)["bus"]

    def test_bus_bandwidth_is_above_the_algorithm_s(self, student):
        given = drawn("two_rates", student)
        table = BANK.question("two_rates").reference(**given)
        assert table["bus"] > given["size"] / given["time"] > table["algorithm"]

    def test_one_large_ring_is_as_slow_as_its_slowest_links(self, student):
        given = drawn("hierarchy", student)
        flat = wrong("hierarchy", "one large ring")(**given)
        assert flat > 2 * BANK.question("hierarchy").reference(**given)

    def test_full_mesh_wastes_the_wires_to_those_outside(self, student):
        given = drawn("mesh", student)
        assert wrong("mesh", "all wires busy")(**given) < BANK.question("mesh").reference(**given)

    def test_group_of_the_mesh_is_not_half_of_it(self, student):
        given = drawn("mesh", student)
        assert 2 * given["group"] != given["gpus"]

    def test_rest_of_a_link_goes_to_those_who_can_use_it(self, student):
        given = drawn("long_way", student)
        found = BANK.question("long_way").reference(**given)
        unused = wrong("long_way", "rest given to nobody")(**given)
        assert found[0] == pytest.approx(unused[0])
        assert found[1:].sum() > unused[1:].sum()

    def test_cuts_make_two_flows_more_alike(self, student):
        given = drawn("aimd", student)
        first, second = BANK.question("aimd").reference(**given)
        assert first / second < given["first"] / given["second"]
        assert first + second == pytest.approx(given["capacity"] / 2)

    def test_bubble_of_all_stages_asks_for_more_micro_batches(self, student):
        given = drawn("micro_batches", student)
        exact = BANK.question("micro_batches").reference(**given)
        assert wrong("micro_batches", "bubble with p")(**given) > exact

    def test_mean_machine_is_too_optimistic_and_a_sum_too_pessimistic(self, student):
        given = drawn("straggler", student)
        exact = BANK.question("straggler").reference(**given)
        assert wrong("straggler", "mean machine")(**given) < exact
        assert wrong("straggler", "delays added")(**given) > exact


@pytest.mark.parametrize("student", STUDENTS[:3])
def test_copies_are_those_of_the_package(student):
    given = drawn("copies", student)
    links = ExpertDispatch(1e9, 1e9, given["experts"], given["chosen"], node_ranks=1)
    assert reference("copies", *given.values()) == pytest.approx(links.copies(given["nodes"])[0])


def test_tiers_are_those_of_the_package():
    nodes, per_node, size = 4, 8, 1e8
    links = ExpertDispatch(50e9, 150e9, 256, 8, per_node)
    copies = links.copies(nodes)
    found = reference("tiers", nodes, per_node, size, *copies, 50e9, 150e9)
    network, node = links.tier_times(nodes, size)
    assert found == pytest.approx({"network": float(network), "node": float(node)})
