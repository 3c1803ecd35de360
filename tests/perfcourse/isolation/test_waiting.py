"""Processes that are forked in advance: they wait, are taken in turn, and none is left behind."""

import os
import signal
import time

import pytest
from building import notebook
from limits import EXAMPLE, LIMITS, SECRET, needs_sandbox

from perfcourse.grading.submission import grade
from perfcourse.intake.submissions import Handin
from perfcourse.isolation import warm
from perfcourse.isolation.session import Times
from perfcourse.isolation.trial import find_sandbox
from perfcourse.isolation.warm import Warm

PATIENT = Times(notebook=300, cell=300, call=300, whole=600)
AT_ONCE = 2


@pytest.fixture
def parent():
    with Warm(find_sandbox(), LIMITS, (), at_once=AT_ONCE) as made:
        yield made


def waiting(parent, hide=False):
    return [forked.name for forked in parent._waiting[hide]]


def children_of(parent):
    """Return the host's ids of the students' processes below a warm parent."""
    below, found = {parent.process.pid}, set()
    while below:
        below = {int(pid) for at in below for pid in children(at)}
        found |= {pid for pid in below if not children(pid)}
    return found


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return file.read().split()


@needs_sandbox
class TestWaiting:
    def test_as_many_wait_as_run_and_the_first_forked_is_the_first_taken(self, parent):
        with parent.session(PATIENT):
            first, second = waiting(parent)
            with parent.session(PATIENT):
                assert waiting(parent)[0] == second
                assert len(waiting(parent)) == AT_ONCE
        assert first not in waiting(parent)

    def test_hidden_source_is_hidden_from_those_alone_that_wait_for_it(self, parent):
        look = "import os\nseen = os.listdir('/course/perfmodel')"
        for hide in (True, False, True, False):
            with parent.session(PATIENT, hide) as session:
                session.run([look], {})
                assert (session.get("seen")["value"] == []) is hide

    def test_what_one_leaves_is_not_there_for_the_next(self, parent):
        for _ in range(4):
            with parent.session(PATIENT) as session:
                session.run(["left = 'mark' in globals()\nmark = open('mark', 'x')"], {})
                assert session.finished == [None]
                assert session.get("left") == {"value": False, "callable": False}

    def test_its_time_begins_when_it_is_taken(self, parent):
        with parent.session(PATIENT):
            pass
        now = time.monotonic()
        with parent.session(PATIENT) as session:
            assert session._end >= now + PATIENT.whole

    def test_those_killed_from_outside_are_passed_over(self, parent):
        with parent.session(PATIENT) as running:
            running.run(["x = 1"], {})
            told = {name: parent._gone.get(name) for name in waiting(parent)}
            assert not any(told.values())
        names = waiting(parent)
        for pid in children_of(parent):
            os.kill(pid, signal.SIGKILL)
        with parent._news:
            assert parent._news.wait_for(lambda: set(names) <= parent._gone.keys(), 60)
        handin = Handin("ada", "ada", notebook("q1 = 1"), "ada.ipynb")
        graded = grade(handin, EXAMPLE, SECRET, lambda *how: parent.session(PATIENT, *how))
        assert not graded.broken
        assert not graded.problem
        assert not set(names) & {*waiting(parent), *parent._gone}

    def test_none_is_left_when_the_parent_is_closed(self):
        with Warm(find_sandbox(), LIMITS, (), at_once=AT_ONCE) as parent:
            with parent.session(PATIENT) as session:
                session.run(["x = 1"], {})
            left = children_of(parent)
            assert left
        assert not any(os.path.exists(f"/proc/{pid}") for pid in left)

    def test_none_waits_where_nothing_is_to_run_at_once(self):
        with Warm(find_sandbox(), LIMITS, ()) as parent, parent.session(PATIENT):
            assert not waiting(parent)


@needs_sandbox
@pytest.mark.parametrize(("at_once", "fit"), [(3, 3), (0, warm.cores())])
def test_the_control_group_allows_for_all_that_run(monkeypatch, at_once, fit):
    asked = []
    monkeypatch.setattr(warm.cgroup, "make", lambda *limits: asked.append(limits[:2]))
    with Warm(find_sandbox(), LIMITS, (), at_once=at_once):
        ((memory, processes),) = asked
    assert memory == warm.GROUP_MEMORY + fit * LIMITS.memory
    assert processes >= warm.GROUP_PROCESSES + fit * (LIMITS.processes + 1)
