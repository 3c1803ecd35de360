"""Students' files are read as they are, or refused in a sentence that says why."""

import dataclasses

import pytest

from perfcourse.study.exports import COLUMNS, Answer, ExportError, parse, read, read_folder, table

ANSWER = Answer(
    student="ada",
    phase="before",
    page="book/queueing.html",
    box="wait",
    question="How long?",
    unit="s",
    prediction=3.0,
    truth=2.5,
    right=False,
    confidence=0.6,
    time="2026-01-01T10:00:00Z",
)
HEADER = ",".join(COLUMNS)


def line(**changes):
    values = dict.fromkeys(COLUMNS, "") | {"student": "ada", "phase": "before", "box": "wait"}
    return HEADER + "\n" + ",".join((values | changes).values()) + "\n"


def write(folder, name, *answers):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(table(answers), "utf-8")


def test_what_is_written_is_read_again():
    nothing = dataclasses.replace(ANSWER, box="seen", prediction=None, right=None, confidence=None)
    assert parse(table([ANSWER, nothing]), "x") == [ANSWER, nothing]
    assert [answer.given for answer in (ANSWER, nothing)] == [True, False]


def test_no_cell_of_the_merged_table_is_a_formula():
    assert "'=HYPER" in table([dataclasses.replace(ANSWER, student="=HYPER")])


@pytest.mark.parametrize("choice", ["network", "4"])
def test_a_choice_has_no_number(choice):
    (answer,) = parse(line(prediction=choice, right="yes"), "x")
    assert answer.prediction is None
    assert answer.right is True


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no export of predictions"),
        ("key,question,guess\n", "not from 'Save as CSV'"),
        (HEADER + "\n", "holds no answer"),
        (HEADER + '\n"ada', "a broken table"),
        (HEADER + "\nada,before\n", "line 2: 2 columns where there must be 11"),
        (line(student=""), "line 2: student is empty"),
        (line(box=""), "line 2: box is empty"),
        (line(phase="during"), "phase must be before or after, got 'during'"),
        (line(right="perhaps"), "right must be yes, no or empty, got 'perhaps'"),
        (line(confidence="70"), "confidence must be from 0 to 1, got 70"),
    ],
)
def test_what_is_no_export_is_refused_with_its_place(text, message):
    with pytest.raises(ExportError, match=message) as error:
        parse(text, "file.csv")
    assert str(error.value).startswith("file.csv")


@pytest.mark.parametrize("number", ["nan", "inf", "many"])
def test_a_number_that_is_none_is_left_out(number):
    (answer,) = parse(line(prediction=number, truth="2"), "x")
    assert answer.prediction is None


def test_a_picture_or_a_huge_file_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_bytes(b"\x89PNG\xff")
    with pytest.raises(ExportError, match=r"a\.csv: not text"):
        read(path)
    monkeypatch.setattr("perfcourse.study.exports.LARGEST", 3)
    with pytest.raises(ExportError, match=r"a\.csv: larger than"):
        read(path)


class TestFolder:
    def test_an_answer_saved_twice_counts_once_and_before(self, tmp_path):
        later = dataclasses.replace(ANSWER, phase="after")
        new = dataclasses.replace(later, box="other", time="2026-02-01T10:00:00Z")
        write(tmp_path / "class", "1.csv", ANSWER)
        write(tmp_path / "class", "1 again.csv", ANSWER)
        write(tmp_path / "class", "2.csv", later, new)
        assert sorted(map(str, read_folder(tmp_path / "class"))) == sorted(map(str, [ANSWER, new]))

    def test_the_same_prompt_answered_again_counts_in_both(self, tmp_path):
        again = dataclasses.replace(ANSWER, phase="after", time="2026-02-01T10:00:00Z")
        write(tmp_path / "class", "1.csv", ANSWER)
        write(tmp_path / "class", "2.csv", again)
        assert len(read_folder(tmp_path / "class")) == 2

    def test_two_answers_under_one_id_name_both_files(self, tmp_path):
        write(tmp_path / "class", "1.csv", ANSWER)
        write(tmp_path / "class", "2.csv", dataclasses.replace(ANSWER, prediction=9.0))
        with pytest.raises(ExportError, match=r"1\.csv and 2\.csv: two different answers of 'ada'"):
            read_folder(tmp_path / "class")

    def test_no_folder_or_nothing_in_it(self, tmp_path):
        with pytest.raises(ExportError, match="no such folder"):
            read_folder(tmp_path / "nowhere")
        with pytest.raises(ExportError, match="holds no file"):
            read_folder(tmp_path)
