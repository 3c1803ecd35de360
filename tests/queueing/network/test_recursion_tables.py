"""Tables by hand end where the solvers do, and each line follows from the one above."""

import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.network import convolution, mva, recursion_tables
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.station import erlang


def terminals(population=20, think=4.0):
    users = JobClass("users", population=population, think_time=think)
    stations = [Station("cpu"), Station("disk"), Station("late", discipline="delay")]
    return Network(stations, [users], [0.125, 0.3, 0.2], visits=[16, 10, 5])


class TestErlang:
    @given(st.integers(1, 60), st.floats(0.01, 100))
    def test_last_line_is_the_solvers(self, servers, load):
        assert recursion_tables.erlang_b_table(servers, load).rows[-1][-1] == pytest.approx(
            float(erlang.erlang_b(servers, load)), rel=1e-12
        )
        if load < servers:
            assert recursion_tables.erlang_c_table(servers, load).rows[-1][-1] == pytest.approx(
                float(erlang.erlang_c(servers, load)), rel=1e-10
            )

    def test_overload_always_waits(self):
        assert recursion_tables.erlang_c_table(2, 3.0).column("C") == [1.0, 1.0]

    def test_the_step_says_its_numbers(self):
        assert recursion_tables.erlang_b_table(1, 2.0).rows[1][1] == "2 x 1 / (1 + 2 x 1)"


class TestClosed:
    def test_mva_ends_at_the_solution(self):
        last = recursion_tables.mva_table(terminals()).rows[-1]
        solved = mva.exact_mva(terminals())
        assert last[1:4] == pytest.approx(solved.residence_time[0])
        assert last[5] == pytest.approx(solved.throughput[0])
        assert last[6:] == pytest.approx(solved.queue_length[0])

    def test_each_line_of_mva_follows_from_the_one_above(self):
        table = recursion_tables.mva_table(terminals())
        queues, waits = table.column("Q cpu"), table.column("R cpu (s)")
        assert waits[1:] == pytest.approx([2 * (1 + q) for q in queues[:-1]])

    @pytest.mark.parametrize("think", [0.0, 4.0])
    def test_convolution_ends_at_the_solution(self, think):
        table = recursion_tables.convolution_table(terminals(think=think))
        solved = convolution.convolution_algorithm(terminals(think=think))
        assert table.column("X (1/s)")[-1] == pytest.approx(solved.throughput[0])
        assert table.rows[0][0] == 0

    def test_buzen_adds_the_left_and_the_scaled_upper_neighbour(self):
        table = recursion_tables.convolution_table(terminals(think=0.0))
        cpu, disk = table.column("G cpu"), table.column("G disk")
        assert disk[1:] == pytest.approx([c + 3 * d for c, d in zip(cpu[1:], disk, strict=False)])


TWO = [JobClass("a", population=1), JobClass("b", population=1)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: recursion_tables.mva_table(terminals(1001)),
            "population must be at most 1000.*got 1001",
        ),
        (
            lambda: recursion_tables.mva_table(Network([Station("x")], TWO, [1])),
            "classes must be one.*'a', 'b'",
        ),
        (
            lambda: recursion_tables.mva_table(Network([Station("x", servers=2)], TWO[:1], [1])),
            "station 'x' must have one server",
        ),
        (
            lambda: recursion_tables.convolution_table(
                Network([Station("x")], [JobClass("u", population=900)], [1e3])
            ),
            "population must keep G in range, got G\\(900\\) = inf",
        ),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()
