"""Several calls as one message: each has its own time, and who is to blame is known as ever."""

import numpy as np
import pytest
from building import notebook
from limits import EXAMPLE, LIMITS, SECRET, TIMES, needs_sandbox

from perfcourse.grading.submission import grade
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.notebook import LEFT_RUNNING, Notebook
from perfcourse.isolation.session import Session, StoppedError, Times
from perfcourse.isolation.trial import find_sandbox
from perfcourse.isolation.warm import Warm
from perfcourse.kernel.plain import TooBigError

PATIENT = Times(notebook=300, cell=300, call=300, whole=600)
TEN = [[number] for number in range(10)]
WITNESS = "seen = []\ndef f(n):\n    seen.append(n)\n"


@pytest.fixture(scope="module")
def bare():
    """A warm parent that has loaded no more than it needs itself."""
    with Warm(find_sandbox(), LIMITS, ()) as parent:
        yield parent


@needs_sandbox
class TestCalls:
    def test_replies_come_in_the_order_of_the_calls(self, bare):
        with bare.session(PATIENT) as session:
            session.run(["def f(n):\n    return n * n"], {})
            squares = [reply["value"] for reply in session.calls("f", *TEN)]
            assert squares == [number**2 for number in range(10)]
            assert session.call("f", [12]) == {"value": 144}

    def test_one_that_raises_leaves_the_others_alone(self, bare):
        with bare.session(PATIENT) as session:
            session.run(["def f(n):\n    return 12 // (n - 2)"], {})
            replies = list(session.calls("f", *TEN))
            assert replies.pop(2)["error"][0] == "ZeroDivisionError"
            assert [reply["value"] for reply in replies] == [
                -6,
                -12,
                *(12 // n for n in range(1, 8)),
            ]

    @pytest.mark.parametrize(
        "hang", ["while n == 2: pass", "import time\n    if n == 2: time.sleep(99)"]
    )
    def test_after_one_that_hangs_what_came_before_is_kept_and_none_is_called(self, bare, hang):
        with bare.session(TIMES) as session:
            session.run([f"{WITNESS}    {hang}\n    return n"], {})
            replies = list(session.calls("f", *TEN))
            assert [reply["value"] for reply in replies[:2]] == [0, 1]
            assert {reply["error"][0] for reply in replies[2:]} == {"OutOfTimeError"}
            assert session.get("seen")["value"] == [0, 1, 2]

    def test_each_call_has_the_whole_time(self, bare):
        slow = "import time\ndef f(n):\n    time.sleep(0.5)\n    return n"
        with bare.session(Times(notebook=60, cell=20, call=4, whole=120)) as session:
            session.run([slow], {})
            assert [reply["value"] for reply in session.calls("f", *TEN)] == [*range(10)]

    def test_an_error_called_like_ours_is_taken_for_ours_on_both_sides(self, bare):
        false = f"class OutOfTimeError(Exception): pass\n{WITNESS}    raise OutOfTimeError(str(n))"
        with bare.session(PATIENT) as session:
            session.run([false], {})
            replies = list(session.calls("f", *TEN))
            assert {reply["error"] for reply in replies} == {("OutOfTimeError", "0")}
            assert session.get("seen")["value"] == [0]

    def test_a_process_that_ends_is_told_at_the_call(self, bare):
        with bare.session(PATIENT) as session:
            session.run(["import os\ndef f(n):\n    return n if n < 5 else os._exit(3)"], {})
            with pytest.raises(StoppedError, match="ended its own process"):
                list(session.calls("f", *TEN))

    @pytest.mark.parametrize(
        "meanwhile",
        [
            "if os.fork() == 0: os._exit(0)\n    os.wait()",
            "os.closerange(4, 64)",
            "time.monotonic = time.time = lambda: 0.0",
            "print('y' * 10**6)",
            "globals().update(n=n)",
        ],
    )
    def test_what_a_function_does_beside_costs_no_reply(self, bare, meanwhile):
        with bare.session(PATIENT) as session:
            session.run([f"import os, time\ndef f(n):\n    {meanwhile}\n    return 2 * n"], {})
            replies = list(session.calls("f", *TEN))
            assert [reply["value"] for reply in replies] == [*range(0, 20, 2)]
            assert session.call("f", [12]) == {"value": 24}

    def test_large_answers_come_one_by_one(self, bare):
        with bare.session(PATIENT) as session:
            session.run(["def f(n):\n    return [float(n)] * 90_000"], {})
            sizes = [len(reply["value"]) for reply in session.calls("f", *TEN)]
            assert sizes == [90_000] * 10

    @pytest.mark.parametrize(
        ("cell", "reply"), [("", {"missing": True}), ("f = 3", {"callable": False})]
    )
    def test_what_is_no_function_is_told(self, bare, cell, reply):
        with bare.session(PATIENT) as session:
            session.run([f"import os\n{cell}"], {})
            assert session.call("f", [1]) == reply


@needs_sandbox
class TestNotebook:
    def test_another_process_is_asked_for_what_is_left(self, bare):
        """The thread ends the process at the sixth call; without its cell the function is right."""
        bomb = (
            "import os, threading\ncalled = threading.Event()\n"
            "threading.Thread(target=lambda: (called.wait(), os._exit(1)), daemon=True).start()"
        )
        function = (
            "def f(n):\n    if n == 5 and 'called' in globals():\n        called.set()\n"
            "        import time\n        time.sleep(0.2)\n    return n * n"
        )
        start = lambda spent: bare.session(PATIENT, spent=spent)  # noqa: E731
        with Notebook([bomb, function], {}, (), start) as tried:
            replies = tried.calls("f", *TEN)
            assert [reply["value"] for reply in replies] == [number**2 for number in range(10)]
            assert tried.left_out == {0: LEFT_RUNNING}
            assert tried.get("f")["callable"]

    def test_a_function_that_ends_the_process_costs_its_own_question(self, bare):
        cells = ["import os", "def speedup(p, n):\n    return os._exit(3)", "limit = 20.0"]
        new = lambda hide, spent: bare.session(PATIENT, hide, spent)  # noqa: E731
        graded = grade(Handin("ada", "ada", notebook(*cells), "a.ipynb"), EXAMPLE, SECRET, new)
        verdicts = {verdict.question: verdict for verdict in graded.verdicts}
        assert "ended its own process" in verdicts["q1"].message
        assert not any(
            "process" in verdict.message for name, verdict in verdicts.items() if name != "q1"
        )


@needs_sandbox
class TestWarmParent:
    def test_its_practice_leaves_nothing_behind(self, bare):
        with bare.session(PATIENT) as session:
            names = "names = sorted(name for name in globals() if not name.startswith('_'))"
            session.run(["%precision 3", names, "inputs = len(In)"], {})
            assert session.get("twice") == {"missing": True}
            assert session.get("inputs")["value"] == 4
            assert session.get("names")["value"] == [
                "In",
                "Out",
                "exit",
                "get_ipython",
                "open",
                "quit",
            ]

    def test_matplotlib_is_loaded_for_who_asks_for_it(self, bare):
        config = "%config InlineBackend.figure_format = 'svg'"
        loaded = "import sys\nbefore = 'matplotlib' in sys.modules"
        read = "made = get_ipython().run_line_magic('config', 'InlineBackend.figure_formats')"
        with bare.session(PATIENT) as session:
            assert session.run([loaded, config, read, "made = sorted(made)"], {}) == [None] * 4
            assert session.get("before")["value"] is False
            assert session.get("made")["value"] == ["svg"]


class Limited:
    """A channel to a process that answers each call with its argument, and takes three at most."""

    def __init__(self):
        self.sent, self.waiting = [], []

    def send(self, request, deadline, most):
        if len(request["calls"]) > 3 or "too big" in request["calls"][0]:
            raise TooBigError("larger than allowed")
        self.sent.append(len(request["calls"]))
        self.waiting += [{"value": arguments[0]} for arguments in request["calls"]]

    def receive(self, deadline, hurry):
        return self.waiting.pop(0)

    def close(self):
        """Nothing to close."""


class TestTooMuchForOneMessage:
    def test_calls_go_in_several(self):
        channel = Limited()
        session = Session(lambda leaving: "", channel, Times())
        assert [reply["value"] for reply in session.calls("f", *TEN)] == [*range(10)]
        assert sum(channel.sent) == 10
        assert max(channel.sent) <= 3

    def test_one_call_that_is_too_large_is_refused(self):
        with pytest.raises(TooBigError):
            Session(lambda leaving: "", Limited(), Times()).call("f", ["too big"])


@needs_sandbox
def test_arguments_beyond_one_message_arrive(bare):
    calls = [[np.full(30_000, float(number))] for number in range(9)]
    with bare.session(PATIENT) as session:
        session.run(["def f(x):\n    return float(x.mean()), x.size"], {})
        replies = [reply["value"] for reply in session.calls("f", *calls)]
        assert replies == [[float(number), 30_000] for number in range(9)]
