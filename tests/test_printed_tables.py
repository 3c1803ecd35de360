"""Results as tables: columns in line, HTML that escapes, notes below."""

from perfmodel.printed_tables import PrintedTable
from perfmodel.units import SPACE

TABLE = PrintedTable("a < b", ["n", "time"], [["1", f"12{SPACE}s"], ["100", "3"]], ["beware"])


def test_columns_are_in_line():
    assert str(TABLE) == "a < b\nn    time\n1    12 s\n100  3\nbeware"


def test_without_a_head():
    assert str(PrintedTable("t", ["", ""], [["a", "b"]])) == "t\na  b"


def test_html():
    html = TABLE.html()
    assert html.startswith("<table><caption>a &lt; b</caption><thead><tr><th scope='col'>n</th>")
    assert html.count("<tr>") == 3
    assert html.endswith("</tbody></table><p>beware</p>")
