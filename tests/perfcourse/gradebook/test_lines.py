import pytest

from perfcourse.gradebook.due import read_due
from perfcourse.gradebook.lines import read_lines
from perfcourse.gradebook.options import read_extensions

DUE = read_due("2026-10-05 23:59Z")


def sheet(tmp_path, text):
    path = tmp_path / "sheet.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def rows(path):
    return [row.values for row in read_lines(path, ("student", "due"), ("why",))]


@pytest.mark.parametrize(
    "text",
    [
        "student,due\nada,1\n",
        "\ufeffStudent; Due\r\n ada ; 1 \r\n",
        "due,student\n\n1,ada\n,\n",
        '"student","due"\n"ada","1"',
    ],
)
def test_tables_are_read_as_spreadsheets_save_them(tmp_path, text):
    assert rows(sheet(tmp_path, text)) == [{"student": "ada", "due": "1"}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n", "sheet.csv is empty"),
        ("student,dew\nada,1\n", r"student, due, why \(if wanted\); got student, dew"),
        ("student,due,day\na,b,c\n", "must have the columns student, due"),
        ("student,due\nada,1,2\n", "sheet.csv line 2 has 3 cells"),
        (b"student,due\nJos\xe9,1\n", "sheet.csv isn't UTF-8 text"),
    ],
)
def test_what_is_no_such_table_is_named(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        rows(sheet(tmp_path, text))


def test_line_and_value_are_named_with_the_nearest_that_is_allowed(tmp_path):
    path = sheet(tmp_path, "student,due\nada,x\n\nadda,1,\n".replace("1,", "1"))
    first, second = read_lines(path, ("student", "due"))
    with pytest.raises(ValueError, match="line 2: due must be a number or empty, got 'x'"):
        first.amount("due")
    with pytest.raises(ValueError, match="line 4: student must be one of ada, .*, got 'adda'"):
        second.known("student", ["ada", *(f"s{n}" for n in range(100))])
    with pytest.raises(ValueError, match="student must be one of ada, ben, got 'adda'"):
        second.known("student", ["ben", "ada"])


def test_a_number_has_a_point_or_a_comma(tmp_path):
    path = sheet(tmp_path, "student;due\n2,5;nan\n2.5;inf\n;\n1;")
    found = list(read_lines(path, ("student", "due")))
    assert [row.amount("student") for row in found] == [2.5, 2.5, 1.0]
    assert found[2].amount("due") is None
    for row in found[:2]:
        with pytest.raises(ValueError, match="must be a number"):
            row.amount("due")


def test_extensions_by_student(tmp_path):
    path = sheet(tmp_path, "student,due,why\nada,2026-10-08 12:00Z,ill\nben,2026-10-05 23:59Z,\n")
    dates = read_extensions(path, DUE, ["ada", "ben"])
    assert {who: str(due) for who, due in dates.items()} == {
        "ada": "Thu 8 Oct 2026 12:00",
        "ben": "Mon 5 Oct 2026 23:59",
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cleo,2026-10-08", "line 3: student must be one of .*, got 'cleo'"),
        ("ada,2026-10-08", "line 3: student must be given, and once, got 'ada'"),
        ("ben,soon", "line 3: due must be such as 2026-10-05 23:59 .*, got 'soon'"),
        ("ben,2026-10-01Z", "line 3: due must be no earlier than the date for all, Mon 5 Oct"),
    ],
)
def test_a_line_that_cannot_be_taken_is_named(tmp_path, line, message):
    path = sheet(tmp_path, f"student,due\nada,2026-10-08\n{line}\n")
    with pytest.raises(ValueError, match=message):
        read_extensions(path, DUE, ["ada", "ben"])
