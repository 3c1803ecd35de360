"""What the tests of the exercises share."""

from perfcourse.judge import parameters


def answer(bank, id, *arguments):
    """Return the reference answer of a question, its arguments in the order of its statement."""
    question = bank.question(id)
    if question.kind == "function":
        return question.reference(*arguments)
    names = parameters(bank.topic, question, "ada")
    return question.reference(**dict(zip(names, arguments, strict=True)))


def drawn(bank, id, student):
    """Return what a student is given in a question, by name."""
    return parameters(bank.topic, bank.question(id), student)


def wrong(bank, id, name):
    """Return the model of a named mistake."""
    return next(one.model for one in bank.question(id).mistakes if one.name == name)


def changed(bank, students, id, name):
    """Return for each student whether a mistake leads to another choice."""
    question, model = bank.question(id), wrong(bank, id, name)
    given = [drawn(bank, id, student) for student in students]
    return [question.reference(**case)[0] != model(**case)[0] for case in given]
