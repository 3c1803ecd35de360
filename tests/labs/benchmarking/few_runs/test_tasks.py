"""What is said to half-right aliases."""

import pytest

from perfmodel.labs.benchmarking.few_runs import tasks


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda effect, word: "".join(sorted(set(word) - set(effect))), "lacks"),
        (lambda effect, word: "".join(set(effect) ^ set(word)), "alphabetical"),
        (
            lambda effect, word: "".join(
                [x for x in effect if x not in word] + [x for x in word if x not in effect]
            ),
            "alphabetical",
        ),
    ],
)
def test_a_half_right_alias_is_told_what_it_misses(answer, said):
    outcome = tasks.alias.judge(answer)
    assert outcome.state == "wrong"
    assert said in outcome.said


def test_the_right_alias_passes_however_it_is_sorted():
    letters = "ABCDEFG"
    right = lambda effect, word: "".join(x for x in letters if (x in effect) != (x in word))  # noqa: E731
    assert tasks.alias.judge(right).state == "right"
