"""A figure in JupyterLab itself: moved by keyboard, its model changed, its notebook reopened."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

import perfcourse.book

SETTINGS = Path(perfcourse.book.__file__).parent / "settings"
FIGURE = """
from perfmodel import live

def time_of(load):
    return 2 * load

def draw(load, panel):
    axes = live.Axis("load", 0, 10, "1/s"), live.Axis("time", 0, 50, "s")
    marks = [live.Mark("line", [0, 10], [0, panel * time_of(load)])]
    time = panel * time_of(load)
    return live.Plot(*axes, marks, f"The time is {time:.1f} s.", {"time": time})

load = live.Slider("Load", [1.0, 5.0, 9.0])
panel = live.Options("Panel", {"one": 1, "two": 2})
live.figure(draw, "A line.", "A line that rises with load", load=load, panel=panel)
"""

DRAWING = """
from perfmodel import live
from perfmodel.drawings import amdahl_bars

live.drawing(lambda processors: amdahl_bars(0.1, processors), "Amdahl's law.",
             "A bar for each processor; the serial part stays on one",
             processors=live.Steps("Processors", [1, 2, 4], 2))
"""
PROMPT = """
from perfmodel import live

live.predict("half", "Half of {n}?", lambda n: n / 2, mistakes=[(lambda n: n, "All of it.")],
             variants={"n": [5, *range(10, 18)]})
"""
DESK = """
live.predictions()
"""
WORKED = """
from perfmodel.worked_examples.queueing import MEAN_WAIT

live.worked(MEAN_WAIT)
"""
QUEUE = """
from perfmodel.drawings import fed_queue

fed_queue()
"""
GALLERY = """
live.gallery("triad_cpu", 150e9)
"""
MORE = WORKED, QUEUE, GALLERY


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab that serves one notebook, and its folder."""
    folder = tmp_path_factory.mktemp("lab")
    changed = "def time_of(load):\n    return 5 * load"
    cells = [new_code_cell(source) for source in (FIGURE, changed, DRAWING, PROMPT, DESK, *MORE)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), folder / "a.ipynb")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    places = {"JUPYTER_CONFIG_PATH": str(SETTINGS), "JUPYTER_CONFIG_DIR": str(folder / "config")}
    places |= {"JUPYTER_DATA_DIR": str(folder / "data"), "HOME": str(folder)}
    places["PERFMODEL_STATE_DIR"] = str(folder / "state")
    options = f"--no-browser --allow-root --ip=127.0.0.1 --port={port} --IdentityProvider.token="
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options.split(), f"--ServerApp.root_dir={folder}"],
        env={**os.environ, **places},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}/lab"
    _wait_for(url)
    yield url, folder
    server.terminate()
    try:
        server.wait(20)
    except subprocess.TimeoutExpired:  # a worker thread of the server's may outlive its loop
        server.kill()
        server.wait()


def _wait_for(url):
    end = time.monotonic() + 60
    while True:
        try:
            return urlopen(url).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


@pytest.fixture(scope="module")
def notebook(browser, lab):
    """The notebook open in JupyterLab, all cells run."""
    page = browser.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{lab[0]}/tree/a.ipynb")
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    run_cell(page, 0)
    page.locator("figure.live .live-says").wait_for()
    yield page
    page.close()


def run_cell(page, place):
    page.locator(".jp-CodeCell .cm-content").nth(place).click()
    page.keyboard.press("Shift+Enter")


def shown(page, words):
    page.locator(".live-says", has_text=words).wait_for()
    return page.locator("svg[role=img] > svg path").first.get_attribute("d")


def test_the_kernel_draws_values_between_those_of_the_page(notebook):
    before = shown(notebook, "The time is 10.0 s.")
    notebook.locator(".noUi-handle").press("ArrowRight")
    shown(notebook, "The time is 10.1 s.")
    notebook.locator(".noUi-handle").press("ArrowRight")
    after = shown(notebook, "The time is 10.2 s.")
    notebook.locator(".noUi-handle").press("Home")
    assert len({before, after, shown(notebook, "The time is 2.0 s.")}) == 3


def test_arrow_keys_choose_among_options_and_do_not_leave_the_figure(notebook):
    notebook.locator(".noUi-handle").press("Home")
    notebook.locator(".widget-radio input:checked").press("ArrowDown")
    shown(notebook, "The time is 4.0 s.")
    notebook.locator(".widget-radio input:checked").press("ArrowUp")
    shown(notebook, "The time is 2.0 s.")


def test_arrow_keys_move_a_drawing_and_do_not_leave_it(notebook):
    run_cell(notebook, 2)
    slider = notebook.locator("[data-live=drawing] input[type=range]")
    slider.press("ArrowRight")
    notebook.locator(".live-says", has_text="With 4 processors the speedup").wait_for()
    slider.press("ArrowLeft")
    notebook.locator(".live-says", has_text="With 2 processors the speedup").wait_for()


def test_the_space_bar_and_enter_press_the_buttons_of_a_drawing(notebook):
    on = notebook.locator(".live-player [data-do=on]")
    on.press("Space")
    notebook.locator(".live-says", has_text="With 4 processors the speedup").wait_for()
    notebook.locator(".live-player [data-do=back]").press("Enter")
    notebook.locator(".live-says", has_text="With 2 processors the speedup").wait_for()
    assert notebook.locator(".jp-mod-editMode").count() == 0


def test_enter_commits_an_answer(notebook):
    run_cell(notebook, 3)
    entry = notebook.locator(".live-predict input[type=text]")
    entry.fill("2.5")
    entry.press("Enter")
    notebook.locator(".live-score", has_text="right").wait_for()


def _kept(file, part):
    """Return what the kernel keeps of practice, once a part of it has come."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if file.is_file() and (kept := json.loads(file.read_text())["practice"])[part]:
            return kept
        time.sleep(0.1)
    raise TimeoutError(f"nothing of {part} in {file}")


def test_new_numbers_come_from_the_page_and_the_kernel_keeps_what_was_missed(notebook, lab):
    notebook.get_by_role("button", name="New numbers").click()
    practice = notebook.locator(".live-practice")
    asked = practice.locator(".live-question").inner_text()
    practice.locator("input").fill(re.search(r"\d+", asked)[0])
    practice.locator("input").press("Enter")
    practice.locator(".live-score", has_text="All of it.").wait_for()
    run_cell(notebook, 4)
    desk = notebook.locator("[data-live=predictions]")
    desk.locator(".live-says", has_text="Nothing to review today.").wait_for()
    kept = _kept(lab[1] / "state" / "progress.json", "asked")
    assert kept["predictions"]["half"]["guess"] == 2.5
    assert kept["review"]["half"]["box"] == 0
    assert kept["asked"]["half"]["fresh"]["question"] == "Half of {0}?"


def test_a_changed_model_changes_the_figure_when_its_cell_has_run(notebook):
    notebook.locator(".noUi-handle").press("End")
    before = shown(notebook, "The time is 18.0 s.")
    run_cell(notebook, 1)
    assert shown(notebook, "The time is 45.0 s.") != before


def test_a_saved_notebook_shows_its_figure_before_it_is_run_again(notebook, browser, lab):
    address, folder = lab
    notebook.keyboard.press("Control+s")
    notebook.wait_for_function("!document.querySelector('.jp-mod-dirty')")
    shutil.copy(folder / "a.ipynb", folder / "b.ipynb")
    again = browser.new_page()
    again.goto(f"{address}/workspaces/again/tree/b.ipynb")
    first = again.locator(".jp-OutputArea").first
    first.locator("svg[role=img], .jp-OutputArea-output:has-text('Error displaying')").wait_for()
    assert first.locator("figure.live .live-says").inner_text() == "The time is 45.0 s."
    again.close()


def test_another_browser_has_what_the_kernel_keeps(browser, lab):
    again = browser.new_context().new_page()
    again.set_default_timeout(60_000)
    again.goto(f"{lab[0]}/workspaces/other/tree/a.ipynb")
    again.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    run_cell(again, 0)
    again.locator("figure.live .live-says").wait_for()
    run_cell(again, 4)
    again.locator("[data-live=predictions] td", has_text="Half of 5?").wait_for(state="attached")
    again.context.close()


def test_a_worked_example_is_tried_a_queue_fed_and_a_machine_marked(notebook):
    for place in range(5, 8):
        run_cell(notebook, place)
    worked = notebook.locator("[data-live=worked]")
    worked.locator("summary", has_text="Fill the gap").click()
    entry = worked.get_by_label("Your answer").first
    entry.fill("0.5")
    entry.press("Enter")
    worked.locator(".live-score", has_text="Right: 0.5 s.").wait_for()
    queue = notebook.locator("[data-live=queue]")
    queue.get_by_role("button", name="A job arrives").press("Enter")
    queue.get_by_role("button", name="Pause").press("Space")
    queue.get_by_role("button", name="Step 0.5 s").press("Space")
    queue.locator(".live-says", has_text="The server is busy").wait_for()
    shown = notebook.locator("[data-live=gallery] .live-says")
    shown.locator("text=Your machine: 150 GB/s, number 9 of 12").wait_for()
