"""`python -m perfcourse.book`: what authors of the book run."""

from __future__ import annotations

import functools
import http.server
import os
import sys
from pathlib import Path

try:
    import click
    import nbformat
    from rich.console import Console

    from perfcourse.book import (
        about,
        build as building,
        jupyter,
        recording,
        run as running,
        sources,
        start,
    )
    from perfcourse.book.guide import reading_time
    from perfcourse.book.new_lab import new_lab
    from perfcourse.book.offline import printing
    from perfcourse.book.offline.archive import archive
except ModuleNotFoundError as error:
    sys.exit(
        f"python -m perfcourse.book needs {error.name}, of the extras 'course' and 'book': "
        "pip install 'perfmodel[course,book]'"
    )

console = Console()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Build, serve and extend the book. Run it anywhere inside the course's folder."""


def _course() -> Path:
    try:
        return sources.root()
    except FileNotFoundError as error:
        raise click.ClickException(str(error)) from error


@main.command()
@click.option("--fresh", is_flag=True, help="Run every notebook here and now, changed or not.")
def build(fresh: bool) -> None:
    """Run the notebooks that changed and write the book to _build/html.

    Labs that measure a machine show the figures they were recorded with; --fresh shows yours.
    """
    try:
        page = building.build(_course(), console, fresh)
    except (running.NotebookError, RuntimeError, FileNotFoundError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    console.print(f"The book is ready: open {page.as_uri()}", soft_wrap=True)


@main.command()
def pdf() -> None:
    """Print the built book to one PDF with Chromium; a few minutes."""
    project = _course()
    try:
        made = printing.pdf(project, project / "_build" / "pdf")
    except (printing.PrintingError, FileNotFoundError) as error:
        raise click.ClickException(str(error)) from error
    console.print(f"The book as PDF: {made}", soft_wrap=True)


@main.command("zip")
def zip_command() -> None:
    """Pack the built book into one archive, to hand out: it works without a network."""
    try:
        made = archive(_course())
    except FileNotFoundError as error:
        raise click.ClickException(str(error)) from error
    console.print(f"The book as archive: {made}", soft_wrap=True)


@main.command()
@click.option("--port", default=8000, show_default=True, help="Port on this machine.")
def serve(port: int) -> None:
    """Serve the built book on localhost until Ctrl-C."""
    folder = _course() / "_build" / "html"
    if not (folder / "index.html").is_file():
        raise click.ClickException("there is no built book yet: run `make book` first")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        console.print(f"The book is at http://localhost:{port}/ (Ctrl-C stops)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            console.print("stopped")


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("options", nargs=-1)
def lab(options: tuple[str, ...]) -> None:
    """Open JupyterLab on the map of the course; OPTIONS are JupyterLab's own."""
    project = _course()
    start.prepare(project)
    settings = str(Path(__file__).parent / "settings")
    paths = [settings, *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(paths)
    os.chdir(project)
    url = f"--LabApp.default_url=/lab/tree/{start.PLACE.as_posix()}"
    program = str(Path(sys.executable).with_name("jupyter"))
    os.execv(program, [program, "lab", url, *options])


@main.command()
def prepare() -> None:
    """Write the notebooks that JupyterLab opens: the map of the course, and the chapters."""
    start.prepare(_course())


@main.command()
@click.argument("notebooks", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--fresh", is_flag=True, help="Run them again even if nothing changed.")
@click.option("--wait", default=0.0, metavar="MINUTES", help="Wait for a quiet machine so long.")
def run(notebooks: tuple[Path, ...], fresh: bool, wait: float) -> None:
    """Run NOTEBOOKS (all labs, solutions and chapters if none are named) and store their outputs.

    They are kept in the repository with their outputs: run this after changing one. A chapter is
    named by its Markdown; its outputs go to the folder `recorded` beside it. A lab that times the
    machine runs by itself, and is stored only from a machine that was quiet before and after.
    """
    project = _course()
    chosen = [path.resolve() for path in notebooks] or sources.executable(project)
    try:
        done = recording.record(
            chosen, project / "_build" / "notebooks", console, fresh=fresh, minutes=wait
        )
    except (running.NotebookError, recording.NotQuietError) as error:
        raise click.ClickException(str(error)) from error
    console.print(f"{len(done)} notebooks are up to date")


@main.command()
def tidy() -> None:
    """Fold the code of prompts in all labs for JupyterLab, and write their roles as links."""
    project = _course()
    names = jupyter.authors(project / "book" / "references.bib")
    for path in sorted((project / "notebooks").glob("*/*.ipynb")):
        before = path.read_text("utf-8")
        nbformat.write(jupyter.tidy(nbformat.reads(before, 4), names), path)
        if path.read_text("utf-8") != before:
            console.print(f"{path.relative_to(project)} is tidied")


@main.command()
@click.argument("pages", nargs=-1)
@click.option("--write", is_flag=True, help="State the counted minutes where others are stated.")
def minutes(pages: tuple[str, ...], write: bool) -> None:
    """Count what a reader sees of PAGES, and the minutes that follow; all pages if none are named.

    A page is named without its ending, such as notebooks/serving/apex. What a page states is
    marked where it is more than a fifth off. Outputs are those stored last.
    """
    project = _course()
    contents = about.contents(project)
    if unknown := [page for page in pages if page not in contents]:
        raise click.ClickException(f"no page that states its minutes: {', '.join(unknown)}")
    names = ("stated", "counted", *reading_time.COUNTED)
    width = max(map(len, contents))
    click.echo("page".ljust(width) + "".join(f"{name:>10}" for name in names))
    for page in pages or contents:
        counted = reading_time.count(project, page)
        stated = contents[page].minutes
        mark = "" if counted.agrees(stated) else "off "
        shown = (getattr(counted, name) for name in reading_time.COUNTED)
        numbers = (f"{mark}{stated}", f"{counted.minutes:.0f}", *shown)
        click.echo(page.ljust(width) + "".join(f"{number:>10}" for number in numbers))
    if write:
        for page in reading_time.state(project, pages or contents):
            console.print(f"{page} is corrected")


@main.command("new-lab")
@click.argument("topic")
@click.argument("page")
@click.argument("title")
def new_lab_command(topic: str, page: str, title: str) -> None:
    """Start the lab PAGE in TOPIC: a model, its test and its notebook that run as they are.

    For example: python -m perfcourse.book new-lab scaling my-system "My system (Author, 2020)"
    """
    project = _course()
    try:
        made = new_lab(project, topic, page, title)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    for path in made:
        console.print(f"  {path.relative_to(project)}")
    console.print("Next: replace the example model, then run `python -m perfcourse.book run`")


if __name__ == "__main__":
    main(prog_name="python -m perfcourse.book")
