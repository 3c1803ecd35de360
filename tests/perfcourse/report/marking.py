"""Outcomes for the tests of what is said of them, without a submission that is run."""

import example

from perfcourse.judge import Verdict
from perfcourse.judge.result import Graded
from perfcourse.report.autograde_outcome import Marked, Outcome

EVIL = (
    "::set-output name=grade::100\r\n::add-mask::points\n##[add-mask]points##[set-output]"
    "::notice title=Autograding report::{}%0A::error::x\x1b[0Ksection_start:1:x\r\x1b[0K\x1b[2J"
    "\u2028::stop-commands::x\x85::group::x | <b>x</b> <img src=x onerror=alert(1)> `x` "
    "[x](https://evil.example) ![x](https://evil.example/x.png) https://evil.example "
    "www.evil.example @everybody #1 a@evil.example \u202eevil &lt; *x* _x_ ~~x~~ $x$ --- ]]>\x00"
)
"""What a student may write into a name or a message: commands, Markdown, HTML and escapes."""


def marked(*shares, file="ada.ipynb", message="Think again.", **graded):
    """Return a notebook that earned these shares of the example's questions."""
    verdicts = tuple(
        Verdict(q.id, share * q.points, float(q.points), "" if share == 1 else message)
        for q, share in zip(example.bank.questions, shares, strict=True)
    )
    made = {"student": "ada", "digest": "d", "problem": "", "seconds": 1.5, **graded}
    return Marked(file, example.bank, Graded(name=file, verdicts=verdicts, **made))


def hostile():
    """Return an outcome in which everything that can stem from a student is evil."""
    errors = ((1, EVIL, EVIL),)
    parts = {"message": EVIL, "file": EVIL, "student": EVIL, "problem": EVIL, "errors": errors}
    return Outcome((marked(0, 0.5, 0, 0, 0, **parts),))
