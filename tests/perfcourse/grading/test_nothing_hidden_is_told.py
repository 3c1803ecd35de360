"""Data that students don't see leaves by no way that a page shows."""

import json

import pytest
from building import notebook
from limits import HERE, SECRET

from perfcourse.bank import Bank, DataFile, function, number, one_of
from perfcourse.bank.loader import load
from perfcourse.grading.submission import NOT_SHOWN, grade
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.session import Times
from perfcourse.isolation.trial import find_sandbox
from perfcourse.isolation.warm import Warm
from perfcourse.judge.result import as_record

HIDDEN = "4711"
TIMES = Times(notebook=60, cell=30, call=10, whole=120)
READ = "import os\ntext = open('data.csv').read().strip()\n"


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bank")
    (folder / "data.csv").write_text("1\n")
    (folder / "hidden.csv").write_text(f"{HIDDEN}\n")
    return Bank(
        "hiding",
        "Hidden data",
        [
            function("double", "2x", reference=double, inputs=lambda rng: {"x": rng.uniform(1, 9)}),
            number("number", "It", reference=content, file=DataFile("data.csv", "hidden.csv")),
            one_of("word", "A word", choices=["a", "b"], reference="a"),
        ],
    ).within(folder)


def double(x):
    return 2 * x


def content(path):
    return float(path.read_text())


@pytest.fixture(scope="module")
def parent(bank):
    if not find_sandbox().bwrap:
        pytest.skip("no sandbox here")
    files = {file.name: file.path(hidden=True) for file in bank.files}
    with Warm(find_sandbox(), preload=["numpy"], files=files) as warm:
        yield warm


@pytest.fixture
def told(bank, parent):
    """Return a function that grades cells and returns all that is told of it, but the points."""

    def of(*cells):
        handin = Handin("ada", "ada", notebook(*cells), "ada.ipynb")
        graded = grade(handin, bank, SECRET, lambda *how: parent.session(TIMES, *how))
        assert not graded.broken
        record = as_record(graded)
        verdicts = [{**verdict, "earned": 0, "points": 0} for verdict in record["verdicts"]]
        return json.dumps([record["problem"], record["errors"], verdicts])

    return of


WAYS = {
    "a message": "raise ValueError(text)",
    "a class": "raise type('E' + text, (Exception,), {})",
    "a class called Stopped": "class Stopped(Exception): pass\nraise Stopped(text)",
    "a class called as one of Python's": "class KeyError(Exception): pass\nraise KeyError(text)",
    "a class of Python's": "raise (KeyError, OSError, ValueError)[int(text[0]) % 3]",
    "a class called NotImplementedError": "raise NotImplementedError(text)",
    "a warning": "import warnings\nwarnings.simplefilter('error')\nwarnings.warn(text)",
    "a type of an answer": "number = type('T' + text, (), {})()",
    "a text for a number": "number = text",
    "a text for a choice": "word = text",
    "a shape": "import numpy as np\nnumber = np.zeros((int(text[0]), 2))",
    "another's id": "STUDENT = text\nnumber = 3",
    "the length of an answer": "number = [0.0] * int(text)",
    "a function that raises": "def double(x): raise ValueError(text)",
    "a function that raises a class": "def double(x): raise type('E' + text, (Exception,), {})",
    "a function that returns a type": "def double(x): return type('E' + text, (), {})()",
    "a function whose result cannot be sent": "def double(x): return text * 99999",
    "an answer that raises": (
        "class Odd:\n    @property\n    def __class__(self): raise ValueError(text)\nnumber = Odd()"
    ),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_nothing_that_is_told_depends_on_what_is_hidden(told, way):
    """Told is what would be told if other data were hidden."""
    first = told(READ + way)
    assert HIDDEN not in first
    assert first == told(READ + "text = '5822'\n" + way) == told(READ + "text = '7'\n" + way)


@pytest.mark.parametrize(
    "end", ["os._exit(0)", "raise ValueError", "os.abort()", "import ctypes; ctypes.string_at(0)"]
)
def test_which_cell_failed_is_not_told(told, end):
    cells = [f"import os\nif open('data.csv').read()[0] == '{n}': {end}" for n in range(9)]
    turned = list(reversed(cells))
    assert told(*cells) == told(*turned)
    assert NOT_SHOWN in told(*cells)


@pytest.mark.parametrize(
    "end", ["os._exit(0)", "os.abort()", "import ctypes; ctypes.string_at(0)", "os.kill(1, 11)"]
)
def test_how_a_function_ended_is_not_told(told, end):
    ends = f"import os\ndef double(x):\n    {end}\n    os._exit(3)"
    assert told(ends) == told("import os\ndef double(x): os._exit(1)")


def test_where_nothing_is_hidden_errors_are_told(grade_cells):
    graded = grade_cells("class Stopped(Exception): pass\nraise Stopped('so')")
    assert graded.errors == ((1, "Stopped", "so"),)


def test_the_bank_of_all_kinds_hides_too():
    assert load(HERE / "kinds.py").hides
