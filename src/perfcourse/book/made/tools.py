"""The pages "What ... print", made from the table of behaviours that ships with the package."""

from __future__ import annotations

from pathlib import Path

from perfcourse.book import sources
from perfmodel import live
from perfmodel.tool_outputs import PAGES, Behaviour, behaviours

FOLDER = "book/tools"
SOURCE = "src/perfmodel/tool_outputs/outputs.csv"
"""The file that all these pages are made from."""
DRAWN = 10
"""Questions that a reader gets at a visit."""


def pages(project: Path) -> dict[str, str]:
    """Return the text of the pages below `FOLDER` that `_toc.yml` names and nobody wrote."""
    listed = [page for page in sources.pages(project) if page.startswith(f"{FOLDER}/")]
    wanted = [page for page in listed if not (project / f"{page}.md").is_file()]
    return {page: _page(page.rpartition("/")[2]) for page in wanted}


def _page(name: str) -> str:
    rows = behaviours(page=name)
    quiz = live.quiz(
        "tools",
        [live.question(r.question, r.options, r.answer, r.why, reasons=r.reasons) for r in rows],
        draw=min(DRAWN, len(rows)),
        names=[row.id for row in rows],
    )
    lines = [
        f"# What {PAGES[name]} print",
        "",
        f"{len(rows)} behaviours of {PAGES[name]} that surprise good engineers. Each was seen in a "
        "run of the version and on the day that it names; another version may differ. Search this "
        "page, or the book, for your tool's name.",
        "",
        "## Predict first",
        "",
        "Answer before you look below. Each visit draws questions that you haven't answered.",
        "",
        "```{raw} html",
        f"<details><summary>The questions</summary>{quiz.html}</details>",
        "```",
        "",
        "## The tools",
        "",
    ]
    return "\n".join(lines) + "".join(_entry(row) for row in rows)


def _entry(row: Behaviour) -> str:
    tested = f"{row.version}, run on {row.run.day} {row.run:%B %Y}"
    parts = [
        ("it prints", row.prints),
        ("this is", row.means),
        ("it misleads", row.misleads),
        ("do", row.instead),
    ]
    body = "".join(f"| {label} | {_cell(text)} |\n" for label, text in parts)
    return f"\n### {row.tool}: {row.title}\n\n| version | {_cell(tested)} |\n| --- | --- |\n{body}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
