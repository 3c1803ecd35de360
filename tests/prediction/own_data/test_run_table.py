"""Tables of runs: read, refused, or warned about."""

import re

import numpy as np
import pandas as pd
import pytest

from perfmodel.prediction.arena.dataset import LeakError
from perfmodel.prediction.own_data.columns import is_swept
from perfmodel.prediction.own_data.expressions import Counts
from perfmodel.prediction.own_data.run_table import read_runs


def test_categories_become_flags_and_groups_are_kept_apart(table):
    runs = read_runs(table(), "seconds", "machine")
    assert runs.logged == ["size", "threads"]
    assert runs.plain == ["kind is hash", "kind is sort", *runs.group_columns]
    assert runs.group_columns == ["machine is a", "machine is b", "machine is c"]
    assert "machine" in runs.dataset.features


def test_units_come_from_headers_and_from_the_argument(tmp_path, table):
    path = tmp_path / "my runs.csv"
    table().rename(columns={"size": "size [B]", "seconds": "seconds [s]"}).to_csv(path, index=False)
    runs = read_runs(path, "seconds", units={"threads": "cores"})
    assert runs.dataset.units["size"] == "B"
    assert runs.dataset.units["threads"] == "cores"
    assert (runs.dataset.unit, runs.dataset.name) == ("s", "my runs")


def test_repeats_become_one_run_and_the_noise_floor(table):
    frame = table()
    again = frame.iloc[:10].assign(seconds=frame["seconds"][:10] * 1.1)
    runs = read_runs(pd.concat([frame, again, frame.iloc[:3]]), "seconds")
    assert len(runs.dataset) == 40
    assert runs.dataset.noise == pytest.approx((0.1 + 0.1 / 1.1) / 2)
    assert runs.dataset.target.min() > 0
    assert any("3 row(s) repeat another in every column" in note for note in runs.notes)
    assert any("10 run(s) were measured more than once" in note for note in runs.notes)


def test_noise_weighs_runs_of_different_repeats(table):
    frame = table()
    twice = frame.iloc[:1].assign(seconds=frame["seconds"][0] * 3)
    thrice = pd.concat([frame.iloc[1:2].assign(seconds=frame["seconds"][1] * f) for f in (2, 3)])
    runs = read_runs(pd.concat([frame, twice, thrice]), "seconds")
    of_two = (2 + 2 / 3) / 2
    of_three = (1.5 / 2.5 + 0 + 1.5 / 1.5) / 3
    assert runs.dataset.noise == pytest.approx((of_two + of_three) / 2)


def test_a_column_that_counts_is_a_setting_unless_its_name_says_otherwise(table):
    frame = table()
    for name, kept in (("users", True), ("index", False), ("Run ID", False), ("Unnamed: 0", False)):
        runs = read_runs(frame.assign(**{name: range(1, len(frame) + 1)}), "seconds")
        assert (name in runs.dataset.features) == kept
        assert any(repr(name) in note for note in runs.notes)


def test_a_column_that_was_named_is_kept(table):
    frame = table().assign(index=range(1, 1 + len(table())))
    assert "index" in read_runs(frame, "seconds", settings=["index"]).dataset.features
    assert "index" in read_runs(frame, "seconds", known=["index"]).dataset.features


def test_the_order_of_rows_decides_nothing(table):
    frame = table()
    one, other = (read_runs(item, "seconds") for item in (frame, frame.sample(frac=1)))
    assert one.dataset.features.equals(other.dataset.features)
    assert np.array_equal(one.dataset.target, other.dataset.target)


def test_a_grid_of_settings_is_no_leak_even_if_it_explains_the_target(table):
    frame = table().assign(users=np.arange(1, 1 + len(table())))
    frame = frame.assign(seconds=0.05 + 0.01 * frame["users"])
    assert "users" in read_runs(frame, "seconds").dataset.features


def test_constant_and_counting_columns_are_left_out_with_a_word(table):
    frame = table().assign(cores=8)
    frame.insert(0, "run", range(len(frame)))
    runs = read_runs(frame, "seconds")
    assert not {"cores", "run"} & set(runs.dataset.features)
    assert any("'cores' is" in note for note in runs.notes)
    assert any("'run' only counts" in note for note in runs.notes)


def test_a_column_that_may_be_zero_is_seen_as_it_is(table):
    frame = table()
    frame["misses"] = np.arange(len(frame)) % 5
    assert "misses" in read_runs(frame, "seconds").plain


def missing(frame):
    frame.loc[4, "size"] = np.nan
    return frame


BAD = {
    "no value in 1 row.*line 6": (missing, {}),
    "'size' has no value": (lambda f: f.assign(size=[np.inf, *f["size"][1:]]), {}),
    "did you mean machine": (None, {"group": "machin"}),
    "it has size, threads": (None, {"drop": ["zzz"]}),
    "target: there is no column 'second'": (None, {"target": "second"}),
    "known: there is no": (None, {"known": ["siz"]}),
    "above 0, got 0": (lambda f: f.assign(seconds=[0.0, *f["seconds"][1:]]), {}),
    "must be numbers, got 'hash' on line 2|got 'sort' on line 2": (None, {"target": "kind"}),
    "must be numbers, got 'failed' on line 4": (
        lambda f: f.assign(seconds=[*f["seconds"][:2], "failed", *f["seconds"][3:]]),
        {},
    ),
    "an id and not a category": (lambda f: f.assign(name=[f"r{i}" for i in f.index]), {}),
    "different runs; a contest needs 20": (lambda f: f[:19], {}),
    "in every row: no group can": (lambda f: f.assign(machine="a"), {"group": "machine"}),
    "has no column left": (lambda f: f[["seconds"]].assign(row=range(len(f))), {}),
    "two columns are called 'size'": (
        lambda f: f.rename(columns={"threads": "size [B]"}),
        {},
    ),
}


@pytest.mark.parametrize("said", BAD)
def test_what_is_wrong_is_named(said, table):
    change, options = BAD[said]
    frame = table() if change is None else change(table())
    with pytest.raises(ValueError, match=said):
        read_runs(frame, **{"target": "seconds", **options})


LEAKS = {
    "milliseconds": lambda f: 1000 * f["seconds"],
    "a rate": lambda f: f["size"] / f["seconds"],
    "rounded": lambda f: f["seconds"].map(lambda s: float(f"{s:.4g}")),
    "a part": lambda f: f["seconds"] - 0.01 * f["size"],
}


@pytest.mark.parametrize("kind", LEAKS)
def test_a_column_computed_from_the_target_is_named(kind, table):
    frame = table()
    with pytest.raises(LeakError, match="'leak'"):
        read_runs(frame.assign(leak=LEAKS[kind](frame)), "seconds")
    assert len(read_runs(frame.assign(leak=LEAKS[kind](frame)), "seconds", drop=["leak"]).dataset)


def noisy(frame, noise):
    random = np.random.default_rng(3)
    return frame.assign(
        joules=90 * frame["seconds"] * np.exp(noise * random.normal(size=len(frame)))
    )


def test_a_column_that_is_nearly_the_target_is_remarked_on(table):
    said = [note for note in read_runs(noisy(table(), 0.01), "seconds").notes if "alone" in note]
    assert len(said) == 1
    assert re.match(r"Column 'joules' alone gives the target to (0\.9|1\.\d) %", said[0])
    assert not any("alone" in note for note in read_runs(noisy(table(), 0.2), "seconds").notes)
    known = read_runs(noisy(table(), 0.01), "seconds", known=["joules"]).notes
    assert not any("alone" in note for note in known)


@pytest.mark.parametrize(("mark", "named"), [(";", "semicolons"), ("\t", "tabs")])
def test_other_separators_are_named(tmp_path, table, mark, named):
    path = tmp_path / "runs.csv"
    table().to_csv(path, index=False, sep=mark)
    with pytest.raises(ValueError, match=f"commas between the columns instead of {named}"):
        read_runs(path, "seconds")


def test_a_column_that_is_meant_to_determine_the_target_may(table):
    frame = table()
    runs = read_runs(frame.assign(work=2 * frame["seconds"]), "seconds", known=["work"])
    assert "work" in runs.logged


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00\x01", b'a,b\n1,2,3\n"'])
def test_a_file_that_is_no_table_is_refused(tmp_path, content):
    path = tmp_path / "runs.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="runs"):
        read_runs(path, "a")
    with pytest.raises(ValueError, match="there is no file"):
        read_runs(tmp_path / "none.csv", "a")


@pytest.mark.parametrize(
    ("values", "swept"),
    [
        ([1, 2, 3, 4], True),
        ([8, 16, 24, 40], False),
        ([1, 4, 16, 64], True),
        ([0, 1, 4, 16], False),
        ([1, 2, 7, 40], False),
        ([0.5, 1.0, 1.5, 2.0], False),
        ([7, 7, 9], True),
    ],
)
def test_equal_distances_or_ratios_of_whole_numbers(values, swept):
    assert is_swept(pd.Series(values)) is swept


TABLE = pd.DataFrame({"m": [1, 2**40], "n": [3, 2**40]})


def test_counts_by_hand():
    counted = Counts("m*n, 1, max(m, n)+min(m, 2), -log(m/m), ceil(n/2)**2 - 1")(TABLE)
    first = [float(values[0]) for values in counted.values()]
    assert first == [3, 1, 4, 0, 3]
    assert counted["m*n"][1] == 2.0**80


def test_names_are_those_of_columns():
    assert Counts("log(a)*b, max(b, c)").names == ["b", "a", "c"]


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "m.values",
        "m[0]",
        "m if n else 1",
        "(lambda: 1)()",
        "exp(m)",
        "log(m, n)",
        "max(m)",
        "log",
        "True",
        "'m'",
        "m, , n",
        "m) + (n",
        "",
        " ",
        "m // n",
        "m @ n",
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(ValueError, match="counts"):
        Counts(text)
