"""Property tests try the same examples, whatever else has run in the process."""

import importlib

from hypothesis import given, strategies as st


def _tried():
    seen = []

    @given(st.lists(st.integers(), min_size=20))
    def look(value):
        seen.append(value)

    look()
    return seen


def test_examples_do_not_hang_on_the_modules_that_others_imported(tmp_path, monkeypatch):
    before = _tried()
    numbers = ", ".join(str(7919 * n) for n in range(1, 200))
    (tmp_path / "module_of_numbers.py").write_text(f"NUMBERS = [{numbers}]\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("module_of_numbers")
    assert _tried() == before
