import json

import pytest
from hypothesis import given, strategies as st

from perfmodel.readers.refusal import UnreadableFileError
from perfmodel.readers.tables import read_table


@pytest.fixture
def written(tmp_path):
    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_units_come_from_the_map_or_the_header(written):
    table = read_table(written("a [ms],b_us,seconds,c\n5,6,7,8\n"))
    assert table.numbers("a", "s")[0] == pytest.approx([0.005])
    assert table.numbers("b", "s")[0] == pytest.approx([6e-6])
    assert table.numbers("seconds", "s")[0] == pytest.approx([7.0])
    assert table.numbers("c:min", "s")[0] == pytest.approx([480.0])
    assert table.numbers("c")[0] == pytest.approx([8.0])


def test_the_map_overrides_the_header(written):
    assert read_table(written("a_ms,b\n5,1\n")).numbers("a:s", "s")[0].tolist() == [5.0]


@pytest.mark.parametrize(
    ("unit", "value"), [("1/s", 60.0), ("rps", 60.0), ("1/min", 1.0), ("req/h", 1 / 60)]
)
def test_rates_are_per_second(written, unit, value):
    table = read_table(written("n,x\n1,60\n"))
    assert table.numbers(f"x:{unit}", "1/s")[0] == pytest.approx([value])


def test_decimal_commas_are_read_where_they_are_plain(written):
    table = read_table(written("n;x\n1;1.234,5\n2;0,25\n"))
    assert table.numbers("x")[0].tolist() == [1234.5, 0.25]


def test_dates_are_seconds(written):
    table = read_table(written("at,n\n2026-01-05T10:00:00.250Z,1\n2026-01-05T11:00:01,2\n"))
    gaps = table.numbers("at:iso", "s")[0]
    assert gaps[1] - gaps[0] == pytest.approx(3600.75)


def test_json_rows_are_a_table(written):
    table = read_table(written(json.dumps([{"a": 1, "b": "x"}, {"b": "y", "a": 2}]), "rows.json"))
    assert table.numbers("a")[0].tolist() == [1.0, 2.0]
    assert table.texts("b") == ("x", "y")


@pytest.mark.parametrize(
    ("text", "spec", "kind", "told"),
    [
        ("a,b\n1,2\n", "a", "s", "line 1: column 'a' states no unit; write a:UNIT"),
        ("a,b\n1,2\n", "a:MB", "s", "line 1: column 'a' is in MB, which is no unit of s"),
        ("took,b\n1,2\n", "tokk:s", "s", "there is no column 'tokk'; did you mean took"),
        ("a,b\n1,2\nx,3\n", "a:s", "s", "line 3: column 'a' holds 'x', which is no number"),
        ("a,b\n1,2\n,3\n", "a:s", "s", "line 3: .*fill the cell or delete the row"),
        ("a,b\nnan,2\n", "a:s", "s", "line 2: .*which is no number"),
        ("a,b\n1_0,2\n", "a:s", "s", "line 2: .*which is no number"),
        ("at,b\n2026-13-01,2\n", "at:iso", "s", "line 2: .*no ISO date"),
    ],
)
def test_a_column_that_can_not_be_read_is_refused(written, text, spec, kind, told):
    table = read_table(written(text))
    with pytest.raises(UnreadableFileError, match=told):
        table.numbers(spec, kind)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the file is empty"),
        ("  \n", "the file is empty"),
        ("a,b\n", "the table has no rows; give a header"),
        ("a,b\n1,2\n3\n", "line 3: the row has 1 cells below 2 headers; the file may be truncated"),
        ("a,b\n1,5,2,5\n", "line 2: the row has 4 cells .*; write decimal points"),
        ("a,a\n1,2\n", "line 1: two columns are called 'a'"),
        ("1,2\n3,4\n", "line 1: the first line holds numbers"),
        ("n;x\n1;1,234\n", "line 2: '1,234' can be a decimal comma or thousands"),
        (b"a,b\n1,\xff\n", "line 2: the file is no UTF-8 text"),
        ("{}", "the JSON is no list of rows"),
        ('[{"a": 1}, {"b": 2}]', "row 2 has other names than row 1"),
        ('[{"a": 1}, ', "line 1: no JSON"),
    ],
)
def test_a_damaged_table_is_refused_in_one_sentence(written, text, told):
    with pytest.raises(UnreadableFileError, match=told) as refused:
        read_table(written(text))
    assert "\n" not in str(refused.value)


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=20), st.sampled_from(",;\t"))
def test_what_was_written_is_read(tmp_path_factory, values, mark):
    path = tmp_path_factory.mktemp("tables") / "table.csv"
    rows = [f"{i}{mark}{value!r}" for i, value in enumerate(values)]
    path.write_text("\n".join([f"n{mark}x", *rows]))
    assert read_table(path).numbers("x")[0].tolist() == values


def test_lines_of_json_are_a_table(written):
    path = written('{"at_s": 1, "n": 2}\n\n{"at_s": 3, "n": 4}\n', "log.jsonl")
    assert read_table(path).numbers("at", "s")[0].tolist() == [1.0, 3.0]


def test_a_line_that_breaks_off_is_named(written):
    with pytest.raises(UnreadableFileError, match="line 2: no JSON"):
        read_table(written('{"at_s": 1}\n{"at_', "log.jsonl"))


def test_a_rate_may_be_the_header_itself(written):
    assert read_table(written("n,tps\n1,60\n")).numbers("tps", "1/s")[0].tolist() == [60.0]


@pytest.mark.parametrize("cell", ["1.234", "12.345.678", "1,234.5", "1.2,5"])
def test_points_beside_decimal_commas_are_no_guess(written, cell):
    table = read_table(written(f"n;x\n0,25;1\n1,5;{cell}\n"))
    with pytest.raises(UnreadableFileError, match="line 3.*two ways"):
        table.numbers("x")
