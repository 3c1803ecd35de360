"""Build the book: run its notebooks, lay out its pages, write its HTML."""

import sys

# Importing nbformat imports jsonschema, which would build 38 grammars of web addresses: two seconds
# in each process, for a check that notebooks don't ask for. It does without what can't be imported.
# The book's own processes only: a student's kernel never comes here.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
