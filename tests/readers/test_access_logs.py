"""Access logs of web servers: fields by position, by name and by quotation marks."""

import pytest

from perfmodel.readers.access_logs import access_log_rows, is_access_log
from perfmodel.readers.refusal import UnreadableFileError
from perfmodel.readers.tables import read_table

START = '10.0.0.7 - - [28/Nov/2026:10:00:01 +0100] "GET /a?b=\\"c\\" HTTP/1.1" 200 512'


@pytest.mark.parametrize(
    ("rest", "names"),
    [
        ("", ()),
        (' "-" "curl 8"', ("referer", "agent")),
        (' "-" "curl 8" 0.083', ("referer", "agent", "added1")),
        (" 83000", ("added1",)),
        (' "-" "curl" rt=0.083 uct="0.001"', ("referer", "agent", "rt", "uct")),
        (' "" "" 83000', ("referer", "agent", "added1")),
    ],
)
def test_fields_have_names(rest, names):
    header, rows, lines = access_log_rows("log", f"{START}{rest}\n")
    assert header[5:] == names
    assert (rows[0][0], rows[0][1]) == ("10.0.0.7", "2026-11-28T10:00:01+01:00")
    assert lines == (1,)


def test_a_named_field_may_have_quotation_marks():
    assert access_log_rows("log", f'{START} rt="0.083"')[1][0][-1] == "0.083"


def test_an_access_log_is_a_table(tmp_path):
    log = tmp_path / "access.log"
    log.write_text(f"{START} 83000\n\n{START.replace(':01 ', ':03 ')} 17000\n")
    table = read_table(log)
    assert table.numbers("added1:us", "s")[0].tolist() == pytest.approx([0.083, 0.017])
    assert (table.numbers("time:iso")[0] - table.numbers("time:iso")[0][0]).tolist() == [0, 2]


@pytest.mark.parametrize("line", ["half of a li", f"{START} 0.1 0.2"])
def test_a_line_of_another_kind_is_refused(tmp_path, line):
    log = tmp_path / "access.log"
    log.write_text(f"{START} 0.083\n{line}\n")
    with pytest.raises(UnreadableFileError, match="access.log, line 2: the line"):
        read_table(log)


@pytest.mark.parametrize("date", ["31/Feb/2026", "28/Okt/2026"])
def test_a_date_that_is_none_is_refused_with_its_line(date):
    text = f"{START}\n{START.replace('28/Nov/2026', date)}\n"
    with pytest.raises(UnreadableFileError, match=f"log, line 2: '{date}.*' is no date"):
        access_log_rows("log", text)


def test_a_table_is_no_access_log():
    assert not is_access_log("start,took\n0,1\n")
