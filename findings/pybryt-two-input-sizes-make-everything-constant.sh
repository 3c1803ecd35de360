#!/bin/bash
# pybryt 0.7.0 (grades notebooks), seen 2026-11-29.
# A TimeComplexity annotation whose students time their function at two input sizes finds every function constant:
# two points lie on any line, the fit returns no residual, and that counts as an infinite one.
# Seen: two nested loops over n of 10 and 20: the annotation "quadratic" fails and "constant" passes. With a third
# size of 30, "quadratic" passes and "constant" fails.
# Expected: an error, or no answer from two points. Misleads graders: right solutions fail, wrong ones pass.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q pybryt==0.7.0 ipykernel
cat > t.py <<'P'
import importlib.metadata as md
import nbformat
import pybryt
from pybryt import complexities
print("pybryt", md.version("pybryt"))
CODE = """import pybryt
def f(n):
    total = 0
    for i in range(n):
        for j in range(n):
            total += 1
    return total
"""
def passing(sizes):
    checks = [f"with pybryt.check_time_complexity('f', {n}):\n    f({n})" for n in sizes]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CODE + "\n".join(checks))])
    student = pybryt.StudentImplementation(notebook)
    names = ("constant", "logarithmic", "linear", "linearithmic", "quadratic", "cubic")
    found = []
    for name in names:
        annotation = pybryt.TimeComplexity(getattr(complexities, name), name="f")
        if student.check(pybryt.ReferenceImplementation("lesson", [annotation])).correct:
            found.append(name)
    print("two nested loops, sizes", sizes, "pass as", found)
    return found
assert passing([10, 20]) == ["constant"]
assert passing([10, 20, 30]) == ["quadratic"]
P
v/bin/python t.py 2> log || { cat log; exit 1; }
