import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from perfcourse.commands.release import release_command
from perfcourse.release.links import book_address, leaving

PROJECT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("config", "address"), [("", ""), ("https://example.org/a/", "https://example.org/a")]
)
def test_the_address_is_the_one_that_jupyter_book_is_given(tmp_path, config, address):
    (tmp_path / "_config.yml").write_text(f'html: {{baseurl: "{config}"}}')
    assert book_address(tmp_path) == address
    assert book_address(tmp_path / "none") == ""


def test_links_elsewhere_and_code_stay_as_they_are():
    text = "[a](https://example.org/b.md) and [c](#d)"
    cells = [{"cell_type": kind, "source": text} for kind in ("markdown", "code")]
    cells.append({"cell_type": "code", "source": "[a](../b.md)"})
    done = leaving({"cells": cells}, "https://example.org")
    assert [cell["source"] for cell in done["cells"]] == [text, text, "[a](../b.md)"]


@pytest.mark.parametrize("options", [["--student", "ada"], ["--for-nbgrader"], ["--for-otter"]])
def test_a_copy_handed_out_has_no_link_that_is_dead_there(tmp_path, options):
    done = CliRunner().invoke(release_command, ["scaling", *options, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    (copy,) = tmp_path.rglob("scaling.ipynb")
    cells = json.loads(copy.read_text("utf-8"))["cells"]
    text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    assert "](../" not in text
    inside = (PROJECT / "exercises" / "scaling.ipynb").read_text("utf-8")
    assert "](../" in inside
