import hashlib

import pytest
from building import notebook
from results import BANK, a_grade

from perfcourse.gradebook.answers import by_answer
from perfcourse.intake.collection import Collected
from perfcourse.intake.submissions import Submission
from perfcourse.report.similarity_page import ClassSimilarity, answers_shared, similarity_page_of
from perfcourse.report.write import class_page, write_reports

EVIL = "<script>alert(1)</script>"
NAMES = [question.answer for question in BANK.questions]
STUB = ["def speedup(serial, n):\n    raise NotImplementedError  # your answer here"]


def own(number, comment=""):
    """Return answers that nobody else has, about one idea a student."""
    steps = [f"x{number}.a{number}_{place} * 2 + y - x{number}" for place in range(6)]
    body = "\n".join(f"    z = {step}  # {comment}" for step in steps)
    values = "\n".join(
        f"{name} = w.b{number}_{name} + 3 * (u - w) / r.c{number}" for name in NAMES[1:]
    )
    return [f"def speedup(serial, n):\n{body}\n    return z", values]


def code(count=20, **more):
    people = {f"s{number:02}.ipynb": own(number) for number in range(count)} | more
    return {name: by_answer(cells, NAMES, STUB) for name, cells in people.items()}


def alike(every):
    """Return the pairs of a class."""
    everybody = ClassSimilarity(STUB)
    for name, answers in every.items():
        everybody.add(name, answers)
    return everybody.pairs()


def test_both_codes_stand_side_by_side_with_what_was_left_out():
    every = code(copy=own(7, EVIL))
    pairs = alike(every)
    text = similarity_page_of(pairs, every, BANK)
    assert answers_shared(pairs[0], BANK) == "q2, q3, q4, q5, q1"
    assert "<h2>s07.ipynb and copy</h2>" in text
    assert "Alike: 5 answers." in text
    assert "Alike isn't copied." in text
    assert text.count("x7.a7_5 * 2") == 2
    assert "# &lt;script&gt;" in text
    assert EVIL not in text
    assert pairs[0].left_out > 0


@pytest.mark.parametrize(
    ("count", "said"), [(20, "Among 20 submissions there is no such pair."), (3, "3 submissions")]
)
def test_no_pair_is_said_in_a_sentence(count, said):
    every = code(count)
    assert said in similarity_page_of(alike(every), every, BANK)


def test_pages_of_a_run_list_the_pair_and_show_the_code(tmp_path):
    (tmp_path / "in").mkdir()
    names = [*(f"s{number:02}" for number in range(20)), "copy"]
    submissions, results = [], []
    for name in names:
        path = tmp_path / "in" / f"{name}.ipynb"
        path.write_bytes(notebook(*own(7 if name == "copy" else int(name[1:]))))
        submission = Submission(path.name, name, path)
        submissions.append(submission)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        results.append(a_grade(name, *[1] * 5, digest=digest))
    write_reports(tmp_path / "out", BANK, results, [], Collected(tuple(submissions)), stub=STUB)
    assert "s07.ipynb and copy.ipynb: q2, q3" in (tmp_path / "out" / "class.html").read_text()
    assert "x7.a7_5 * 2" in (tmp_path / "out" / "similar.html").read_text()
    (page,) = (tmp_path / "out" / "feedback").glob("copy-*.html")
    assert "x7.a7_5 * 2" in page.read_text()


def test_class_report_without_a_pair():
    assert "No two submissions share more than chance explains." in class_page([], BANK, [])
