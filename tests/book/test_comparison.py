"""What rounding on another processor may change in a recorded output, and what it may not."""

import json
from types import SimpleNamespace

import pytest

from perfcourse.book.comparison import STARTS, Recorded, pytest_runtest_setup, same, started_again

FIGURE = '<figure id="live-{0}"><label for="{0}-n">n</label><path d="M43 14l7-3l2 {1}"></figure>'


@pytest.mark.parametrize(
    ("recorded", "computed"),
    [
        ("an error of 12.3 %", "an error of 12.4 %"),
        ("1,234.5 s", "1,234.6 s"),
        ('{"answer":1.2959515413434}', '{"answer":1.2959515413433}'),
        ("a rest of 8.44×10⁻¹⁶", "a rest of 6.27×10⁻¹⁶"),
        ("1.50×10⁻³ s", "1.51×10⁻³ s"),
        ("-0.0000000001 of it", "0.0000000002 of it"),
        (FIGURE.format("a0b1c2d3e4", 5), FIGURE.format("77c2e00f12", 6)),
        (FIGURE.format("a0b1c2d3e4", 0), FIGURE.format("a0b1c2d3e4", -1).replace("2 -1", "2-1")),
    ],
)
def test_rounding_is_no_difference(recorded, computed):
    assert same(recorded, computed)
    assert same(computed, recorded)


@pytest.mark.parametrize(
    ("recorded", "computed"),
    [
        ("an error of 12.3 %", "an error of 12.5 %"),
        ("191 iterations", "192 iterations"),
        ("1,234 s", "1,235 s"),
        ("it gains 3.1 times", "it loses 3.1 times"),
        ("1.50×10⁻³ s", "1.50×10⁻⁴ s"),
        ("0.50", "-0.50"),
        ("1 of 2", "1 of 2 of 3"),
        (FIGURE.format("a0b1c2d3e4", 5), FIGURE.format("a0b1c2d3e4", 9)),
        (FIGURE.format("a0b1c2d3e4", 5), FIGURE.format("a0b1c2d3e4", 5).replace("<label", "<p")),
    ],
)
def test_anything_else_is_a_difference(recorded, computed):
    assert not same(recorded, computed)
    assert not same(computed, recorded)


def test_ties_leave_an_eighth_but_no_other_words():
    assert same("11.7 (-0.96) at 48 runs", "10.9 (-0.89) at 50 runs", ties=True)
    assert not same("11.7", "9.9", ties=True)
    assert not same("the tree is first", "the line is first", ties=True)
    assert same(FIGURE.format("a" * 10, 100), FIGURE.format("b" * 10, "160l7-9"), ties=True)
    assert same('<circle cx="100">', '<circle cx="130">', ties=True)
    assert not same('<circle cx="100">', '<circle cx="160">', ties=True)


def test_an_output_that_was_recorded_is_compared_so_on_either_side():
    assert Recorded("1.23") == "1.24"
    assert Recorded("1.23") != "1.29"
    assert Recorded("1.23", ties=True) == Recorded("1.29", ties=True)
    assert Recorded("1.23") != 1.23


@pytest.mark.parametrize(("tags", "equal"), [([], False), (["hide-input", "ties"], True)])
def test_a_cell_says_by_its_tag_whether_ties_decide(tags, equal):
    cell = SimpleNamespace(metadata={"tags": tags})
    item = SimpleNamespace(cell=cell, sanitize=lambda output: output)
    pytest_runtest_setup(item)
    assert (item.sanitize("a 11.7") == item.sanitize("a 10.9")) is equal
    assert item.sanitize({"kept": 1}) == {"kept": 1}


def test_other_tests_are_left_alone():
    item = SimpleNamespace(sanitize=len)
    pytest_runtest_setup(item)
    assert item.sanitize is len


def figure(texts, states):
    said = json.dumps({"texts": texts, "states": states}, separators=(",", ":"))
    return f'<figure id="live-0123456789"><script type="application/json">{said}</script></figure>'


def test_states_that_are_one_on_one_processor_and_differ_by_a_pixel_on_another_are_the_same():
    one = figure(["M1 20l5 6", "2.06 jobs"], [[0, 1], [0, 1]])
    other = figure(["M1 20l5 6", "2.06 jobs", "M1 21l5 6"], [[0, 1], [2, 1]])
    assert same(one, other)
    assert not same(one, other.replace("M1 21", "M1 29"))
    assert not same(one, figure(["M1 20l5 6", "2.06 jobs"], [[0, 1], [1, 0]]))


@pytest.mark.parametrize(
    ("said", "deaths", "starts"),
    [
        ("Kernel died before replying to kernel_info", STARTS - 1, STARTS),
        ("Kernel died before replying to kernel_info", STARTS, STARTS),
        ("Kernel didn't respond in 60 seconds", 1, 1),
    ],
)
def test_a_kernel_that_died_at_its_start_is_started_again_but_not_for_ever(said, deaths, starts):
    asked = []

    def start(name):
        asked.append(name)
        if len(asked) <= deaths:
            raise RuntimeError(said)
        return "kernel"

    if deaths < starts:
        assert started_again(start)("python3") == "kernel"
    else:
        with pytest.raises(RuntimeError, match=said):
            started_again(start)("python3")
    assert asked == ["python3"] * starts
