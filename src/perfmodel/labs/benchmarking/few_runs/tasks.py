"""The reader's tasks: an interaction from four times, and what a fraction confounds."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

interaction = Task(
    "The interaction of two settings",
    reference=lambda none, a, b, both: (none - a - b + both) / 4,
    cases=[(15.0, 45.0, 25.0, 75.0), (8.0, 6.0, 7.0, 1.0)],
    mistakes=mistakes(
        lambda none, a, b, both: none - a - b + both,
        "not divided: The signs are right, but q is a mean over all runs. Divide by their number.",
        lambda none, a, b, both: (none - a - b + both) / 2,
        "halved: You computed the whole step from -1 to +1, which other books call the effect. "
        "Here q is half of it, because equation (2) divides by the number of runs.",
        lambda none, a, b, both: (both - none) / 4,
        "both alone: You computed the effect of both changes together. Subtract the two single "
        "changes from it.",
        lambda none, a, b, both: (a + both - none - b) / 4,
        "effect of A: You computed qA, the runs with A at +1 minus those with A at -1. The column "
        "of AB is the product of both columns: +1 if both levels are the same.",
        lambda none, a, b, both: (a + b - none - both) / 4,
        "opposite sign: Your signs are reversed. If both factors are at -1, the product is +1.",
    ),
    hint="Use equation (2) with x = xA xB. The signs of the four runs are +, -, - and +.",
    right="It is 0 if each change has the same effect at both levels of the other setting. Only "
    "then is it safe to tune one setting at a time.",
)


alias = Task(
    "What an effect is confounded with",
    reference=lambda effect, word: "".join(sorted(set(effect) ^ set(word))),
    cases=[
        ("AB", "ABCD"),
        ("A", "ABCD"),
        ("BD", "ABD"),
        ("ACE", "ABCDE"),
        ("AD", "ABCE"),
        ("AG", "BCDEF"),
    ],
    mistakes=mistakes(
        lambda effect, word: "".join(sorted(set(effect) | set(word))),
        "all letters: You kept the letters that occur in both. A column of -1 and +1 times itself "
        "is a column of 1, so they vanish.",
        lambda effect, word: "".join(sorted(set(effect) & set(word))),
        "letters in both: You kept the letters that vanish. Keep the others.",
        lambda effect, word: "".join(sorted(set(word) - set(effect))),
        "set minus set: You removed the effect's letters from the word. Also keep a letter of the "
        "effect that the word lacks.",
        lambda effect, word: "".join(
            [x for x in effect if x not in word] + [x for x in word if x not in effect]
        ),
        "the effect's letters first: The letters are right. Give them in alphabetical order.",
        lambda effect, word: "".join(
            [x for x in word if x not in effect] + [x for x in effect if x not in word]
        ),
        "the word's letters first: The letters are right. Give them in alphabetical order.",
        lambda effect, word: "".join(set(effect) ^ set(word)),
        "not sorted: The letters are right, but a set has no order. Give them in alphabetical "
        "order.",
        lambda effect, word: effect + word,
        "written one after the other: You gave the product before it is simplified. A letter that "
        "occurs twice is 1.",
    ),
    hint="`set(effect) ^ set(word)` contains the letters that occur in only one of the two. Give "
    "them in alphabetical order, as one text.",
    right="In a design with D = ABC each pair is confounded with another pair. Eight runs show "
    "only the sum of two interactions.",
)
