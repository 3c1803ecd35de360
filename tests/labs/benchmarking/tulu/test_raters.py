"""The drawing of two readers, and what is said of the reader's own ratings."""

import pytest

from perfmodel.labs.benchmarking.tulu.answers import PAIRS, longer_won, read_ratings, verdict
from perfmodel.labs.benchmarking.tulu.raters import ITEMS, two_readers

STEPS = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0]


@pytest.mark.parametrize("guessing", STEPS)
def test_every_state_can_be_read_and_agreement_is_drawn(guessing):
    scene = two_readers(guessing)
    assert scene.faults() == []
    marks = sum(getattr(shape, "words", "") == "=" for shape in scene.shapes)
    assert marks == scene.values["agree on"]
    assert scene.values["kappa expected"] == pytest.approx((1 - guessing) ** 2)


def test_readers_who_see_agree_on_all():
    assert two_readers(0.0).values["agree on"] == ITEMS


def test_ratings_are_read_and_refused():
    assert read_ratings(" AbT abt abt a\n") == list("abtabtabta")
    for text in ("abt", "abtabtabtx", "a" * 11):
        with pytest.raises(ValueError, match="text must be 10 letters of a, b and t"):
            read_ratings(text)


def test_longer_answers_are_counted():
    longer = [pair.longer for pair in PAIRS]
    assert longer_won(longer) == (10, 10)
    assert longer_won(["t", *longer[1:]]) == (9, 9)
    shorter = ["b" if letter == "a" else "a" for letter in longer]
    assert longer_won(shorter) == (0, 10)
    assert 3 <= longer.count("a") <= 7


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("", "aaaaabbbbb", "Not rated yet"),
        ("aaaaabbbb", "aaaaabbbbb", "takes 10 letters"),
        ("aaaaaaaaaa", "bbbbbbbbbb", "agree on no pair"),
        ("tttttttttt", "tttttttttt", "one letter only"),
        ("abababtaba", "abababtaba", "above 0"),
        ("ababababab", "aabbaabbaa", "holds 0"),
    ],
)
def test_the_verdict_follows_the_ratings(first, second, said):
    assert said in verdict(first, second)
