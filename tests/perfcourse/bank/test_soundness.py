"""A bank that is wrong is told in one sentence: file, question, mistake, and the way out."""

import pytest
from click.testing import CliRunner
from limits import needs_sandbox

from perfcourse.bank import BankError
from perfcourse.bank.loader import load
from perfcourse.commands.cli import main
from perfcourse.isolation.session import Times

HEAD = "from perfcourse.bank import *\nfrom perfcourse.bank.properties import *\n"
TAIL = "bank = Bank('t', 'T', [q])\n"
BROKEN_WHEN_LOADED = {
    "other parameters": (
        "q = number('q', 'Q', reference=lambda s, n: s * n, inputs={'s': 2, 'n': 3},\n"
        "    mistakes=[Mistake('sum', lambda a, b: a + b, 'No.')])\n",
        "question q: mistake 'sum' takes a, b, but is called with s, n; give every model",
    ),
    "other number of parameters": (
        "q = function('q', 'Q', reference=lambda x: x, inputs=lambda rng: {'x': 1.0, 'y': 2.0},\n"
        "    answer='f')\n",
        "question q: the reference takes x, but is called with x, y",
    ),
    "a part's parameters": (
        "q = parts('q', 'Q', inputs={'n': 1}, parts=[number('a', 'A', reference=lambda m: m),\n"
        "    number('b', 'B', reference=2)])\n",
        "question a: the reference takes m, but is called with n",
    ),
    "a model without the file": (
        "q = number('q', 'Q', file='there.csv', reference=lambda: 1)\n",
        "the reference takes nothing, but is called with the file's path",
    ),
    "inputs that fail": (
        "q = number('q', 'Q', reference=abs, inputs=lambda rng: {'x': rng.unknown()})\n",
        "question q: inputs raised AttributeError",
    ),
    "inputs that are no dict": (
        "q = number('q', 'Q', reference=abs, inputs=lambda rng: 3)\n",
        "question q: inputs must return a dict, got int",
    ),
    "other columns": (
        "q = measured('q', 'Q', columns=['a'], reference=sum, example=lambda rng: {'b': [1]})\n",
        "question q: example must draw the columns a, got b",
    ),
    "points": (
        "q = number('q', 'Q', reference=1, points=0)\n",
        "line 3: question q: points must be above 0, got 0",
    ),
    "the same id twice": (
        "q = number('q', 'Q', reference=1)\nbank = Bank('t', 'T', [q, q])\n",
        "line 4: question ids must differ from each other, got 'q' twice",
    ),
    "a set among the inputs": (
        "q = function('q', 'Q', reference=len, inputs=lambda rng: {'x': {1, 2}}, answer='f')\n",
        "question q: inputs must draw numbers, texts, and lists, dicts and arrays of these, 8 MiB "
        "at most: TypeError: Object of type set is not JSON serializable",
    ),
    "an object among the inputs": (
        "q = number('q', 'Q', reference=lambda x: 1, inputs=lambda rng: {'x': rng})\n",
        "Object of type Generator is not JSON serializable",
    ),
    "an array of texts among the inputs": (
        "import numpy as np\n"
        "q = number('q', 'Q', reference=lambda x: 1, inputs={'x': np.array(['a', 'b'])})\n",
        "question q: inputs must draw numbers, texts, and lists",
    ),
    "an integer of 5000 digits": (
        "q = function('q', 'Q', reference=abs, inputs=lambda rng: {'x': 10**5000}, answer='f')\n",
        "question q: inputs must draw numbers, texts, and lists",
    ),
    "inputs that are too large": (
        "q = function('q', 'Q', reference=sum, inputs=lambda rng: {'x': rng.random(2 * 10**6)},\n"
        "    answer='f')\n",
        "8 MiB at most: TooBigError",
    ),
    "inputs without an end": (
        "x = []\nx.append(x)\n"
        "q = function('q', 'Q', reference=len, inputs=lambda rng: {'x': x}, answer='f')\n",
        "question q: inputs must draw numbers, texts, and lists",
    ),
    "no file": (
        "q = number('q', 'Q', reference=len, file='absent.csv')\n",
        "question q: file 'absent.csv' must lie beside the bank",
    ),
    "syntax": ("q = number('q'\nz", "line 3: SyntaxError: '(' was never closed"),
    "an import": ("import nowhere_at_all\n", "line 3: ModuleNotFoundError: No module named"),
    "a misspelt word": (
        "q = number('q', 'Q', referense=1)\n",
        "line 3: TypeError: number() got an unexpected keyword argument 'referense'",
    ),
}
BROKEN_WHEN_TRIED = {
    "a reference that crashes": (
        "q = number('q', 'Q', reference=lambda x: [][9], inputs={'x': 4})\n",
        "question q: the reference raised IndexError: list index out of range, for x=4",
    ),
    "a mistake that crashes": (
        "q = number('q', 'Q', reference=lambda x: x, inputs={'x': 4},\n"
        "    mistakes=[Mistake('m', lambda x: x.y, 'No.')])\n",
        "question q: mistake 'm' raised AttributeError",
    ),
    "a function that crashes": (
        "q = function('q', 'Q', answer='f', reference=lambda x: {}[x],\n"
        "    inputs=lambda rng: {'x': 1})\n",
        "question q: the reference raised KeyError: 1, for x=1",
    ),
    "no answer at all": (
        "q = number('q', 'Q', reference=lambda x: 1 / x, inputs={'x': 0})\n",
        "inputs of q must tell its mistakes apart, got 1 draws in which two models agree "
        "within 3 tolerances, or one fails (ZeroDivisionError: division by zero)",
    ),
    "fixed numbers that tell nothing apart": (
        "q = number('q', 'Q', reference=lambda x: x, inputs={'x': 1},\n"
        "    mistakes=[Mistake('square', lambda x: x * x, 'No.')])\n",
        "(the reference and mistake 'square')",
    ),
    "an answer that is too long": (
        "q = function('q', 'Q', reference=lambda n: [1.0] * 10**6, answer='f',\n"
        "    inputs=lambda rng: {'n': 1})\n",
        "question q: the reference raised TooBigError: the answer has more than 100000 elements",
    ),
    "a text that is too long": (
        "q = text('q', 'Q', reference=lambda: 'x' * 20_000)\n",
        "question q: the reference raised TooBigError",
    ),
    "a mistake that is too deep": (
        "q = number('q', 'Q', reference=1, mistakes=[\n"
        "    Mistake('deep', [[[[[[[[[[2]]]]]]]]]], 'No.')])\n",
        "question q: mistake 'deep' raised TooBigError",
    ),
    "an answer of too many bytes": (
        "q = function('q', 'Q', reference=lambda n: ['x' * 9999] * 500, answer='f',\n"
        "    inputs=lambda rng: {'n': 1})\n",
        "question q: the reference's answer: a message of",
    ),
    "inputs too large together": (
        "import numpy as np\ndef ref(x): return 1\n"
        "qs = [number(f'q{n}', 'Q', reference=ref, inputs={'x': np.zeros(9 * 10**5)})\n"
        "    for n in range(5)]\nbank = Bank('t', 'T', qs)\n",
        "the inputs of all questions together: a message of",
    ),
    "a property that can't be asked": (
        "q = function('q', 'Q', points=2, answer='f', reference=lambda x: 1,\n"
        "    inputs=lambda rng: {'x': 1.0}, properties=[limit('p', ({1},), 1, 'H.')])\n",
        "question q: property 'p' raised TypeError: Object of type set",
    ),
    "no plot": (
        "q = plot('q', 'Q', reference=lambda: 3)\n",
        "question q: the reference must return a Plot, got int",
    ),
    "a property that the reference lacks": (
        "q = function('q', 'Q', points=2, answer='f', reference=lambda x: x,\n"
        "    inputs=lambda rng: {'x': 1.0}, properties=[refuses((-1,), 1, 'Refuse.')])\n",
        "question q: property 'refuses bad input' doesn't hold for the reference",
    ),
    "a property that crashes": (
        "q = function('q', 'Q', points=2, answer='f', reference=lambda x: x,\n"
        "    inputs=lambda rng: {'x': 1.0}, properties=[Property('p', lambda a: 1, 1, 'H.')])\n",
        "question q: property 'p' raised TypeError",
    ),
}


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Return a function that makes a course of one topic with this text in its bank."""

    def make(text):
        (tmp_path / "solutions").mkdir()
        (tmp_path / "solutions" / "there.csv").write_text("1\n")
        (tmp_path / "solutions" / "t.ipynb").write_text('{"cells": [], "metadata": {}}')
        tail = "" if "bank =" in text else TAIL
        (tmp_path / "solutions" / "t.py").write_text(HEAD + text + tail)
        (tmp_path / "in").mkdir()
        monkeypatch.chdir(tmp_path)
        return tmp_path / "solutions" / "t.py"

    return make


@pytest.mark.parametrize("name", BROKEN_WHEN_LOADED)
def test_is_told_when_it_is_loaded(course, name):
    text, message = BROKEN_WHEN_LOADED[name]
    path = course(text)
    with pytest.raises(BankError) as caught:
        load(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", BROKEN_WHEN_TRIED)
def test_is_told_when_its_models_are_tried(course, name):
    text, message = BROKEN_WHEN_TRIED[name]
    path = course(text)
    load(path)
    with pytest.raises(BankError) as caught:
        load(path, try_models=True)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    "words",
    [["diagnose", "t"], ["release", "t"], ["grade", "in", "--topic", "t", "--unsafe-no-sandbox"]],
    ids=lambda words: words[0],
)
@pytest.mark.parametrize("name", ["other parameters", "points", "a reference that crashes"])
def test_commands_end_with_one_sentence(course, words, name):
    text, message = {**BROKEN_WHEN_LOADED, **BROKEN_WHEN_TRIED}[name]
    course(text)
    ran = CliRunner().invoke(main, words)
    assert ran.exit_code == 1, ran.output
    last = ran.output.strip().splitlines()[-1]
    assert last.startswith("Error: ")
    assert message in last
    assert "Traceback" not in ran.output


def test_a_notebook_shows_it_as_one_line(course):
    path = course(BROKEN_WHEN_LOADED["points"][0])
    with pytest.raises(BankError) as caught:
        load(path)
    assert caught.value._render_traceback_() == [str(caught.value)]


def test_a_bank_that_is_right_is_loaded(course):
    assert load(course("q = number('q', 'Q', reference=1)\n"), try_models=True).points == 1


CARRIED = {
    "120 000 numbers": "{'x': rng.random(120_000)}",
    "a list of 120 000 numbers": "{'x': rng.random(120_000).tolist()}",
    "a long text": "{'x': 'ab' * 30_000}",
    "nested lists": "{'x': [[[[[[[[[[1.5]]]]]]]]]]}",
    "a dict of dicts": "{'x': {'a': {'b': (1, 2)}, 3: None}}",
    "numbers of all sorts": "{'x': [2**70, 1j, True, float('inf')]}",
    "an array of three dimensions": "{'x': rng.random((30, 40, 50))}",
}


@needs_sandbox
@pytest.mark.parametrize("inputs", CARRIED.values(), ids=CARRIED)
def test_inputs_that_are_taken_reach_the_student_as_they_reach_the_reference(
    course, grade_cells, inputs
):
    solution = "def f(x):\n    text = repr(np.asarray(x).tolist() if hasattr(x, 'shape') else x)\n"
    solution += "    return 10_000 * len(text) + sum(map(ord, text))\n"
    bank = load(
        course(
            f"import numpy as np\n{solution}"
            f"q = function('q', 'Q', reference=f, inputs=lambda rng: {inputs}, cases=2)\n"
        ),
        try_models=True,
    )
    times = Times(notebook=60, cell=60, call=30, whole=200)
    graded = grade_cells(f"import numpy as np\n{solution}", bank=bank, times=times)
    assert graded.earned == graded.points == 1, graded
