from bs4 import BeautifulSoup

from perfcourse.book.offline.paper import fit


def fitted(*cells):
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    table = BeautifulSoup(f"<table class='table'><tr>{row}</tr></table>", "html.parser").table
    fit(table)
    return table


def test_words_that_fit_side_by_side_are_kept_whole_and_smaller_where_they_must_be():
    assert fitted("model", "measured")["class"] == "table paper-fits"
    assert fitted(*["measured"] * 10)["class"] == "table paper-fits-small"
    assert fitted(*["communication"] * 11)["class"] == ["table"]


def test_numbers_stay_on_a_line_and_names_in_code_may_break():
    number, unit, words, name = fitted("-1,234.5", "0.5 GB/s", "so many words", "a_" * 20)("td")
    assert number["class"] == unit["class"] == "paper-number"
    assert "class" not in words.attrs
    assert name["class"] == "paper-long"


def test_a_long_name_doesnt_break_its_neighbours():
    assert fitted("outcome", "queueing_by_name_of_a_trace" * 9)["class"] == "table paper-fits"
