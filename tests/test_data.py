"""Third-party data: where a file is looked for, what is refused, and what the reader is told."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

import pytest

from perfmodel import data
from perfmodel.data import DataUnavailable, PublishedData, Remote

CONTENT = b"time\n1\n"
NOWHERE = "http://127.0.0.1:9"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def published(tmp_path: Path) -> Iterator[PublishedData]:
    """Serve a data set of two files on this machine."""
    site = tmp_path / "site" / "v1"
    site.mkdir(parents=True)
    for name in ("a.csv", "b.csv"):
        (site / name).write_bytes(CONTENT)
    handler = partial(Quiet, directory=str(site.parent))
    server = HTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield declared(f"http://127.0.0.1:{server.server_port}")
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def _no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(data.FOLDER_VARIABLE, raising=False)


def declared(address: str) -> PublishedData:
    digest = hashlib.sha256(CONTENT).hexdigest()
    files = {"first.csv": Remote("v1/a.csv", digest), "second.csv": Remote("v1/b.csv", digest)}
    return PublishedData("demo", address, files, "MIT", "counted by hand", "Nobody1900")


def own_folder(tmp_path: Path, content: bytes = CONTENT) -> Path:
    folder = tmp_path / "mine"
    (folder / "demo").mkdir(parents=True)
    (folder / "demo" / "first.csv").write_bytes(content)
    return folder


def test_folder_comes_first_and_needs_no_network(tmp_path, monkeypatch):
    folder = own_folder(tmp_path)
    fetch = partial(data.fetch, declared(NOWHERE), "first.csv", cache=tmp_path / "cache")
    assert fetch(folder) == folder / "demo" / "first.csv"
    monkeypatch.setenv(data.FOLDER_VARIABLE, str(folder))
    assert fetch() == folder / "demo" / "first.csv"
    assert fetch(str(folder)).read_bytes() == CONTENT


def test_the_argument_goes_before_the_variable(tmp_path, monkeypatch):
    monkeypatch.setenv(data.FOLDER_VARIABLE, str(tmp_path / "empty"))
    folder = own_folder(tmp_path)
    assert data.fetch(declared(NOWHERE), "first.csv", folder).parent.parent == folder


def test_hash_of_the_folder_is_checked(tmp_path):
    folder = own_folder(tmp_path, b"time\n2\n")
    with pytest.raises(ValueError, match=r"first\.csv must have the SHA-256 .* damaged"):
        data.fetch(declared(NOWHERE), "first.csv", folder)


def test_download_is_kept_and_shows_the_licence_once(published, tmp_path):
    told: list[str] = []
    fetch = partial(data.fetch, published, cache=tmp_path / "cache", show=told.append)
    path = fetch("first.csv")
    assert path.read_bytes() == CONTENT
    assert told == ["demo: counted by hand. Licence: MIT."]
    fetch("second.csv")
    gone = replace(published, address=NOWHERE)
    assert data.fetch(gone, "first.csv", cache=tmp_path / "cache", show=told.append) == path
    assert len(told) == 1


def test_a_folder_without_the_file_does_not_stop_the_search(published, tmp_path):
    (tmp_path / "other").mkdir()
    path = data.fetch(
        published, "first.csv", tmp_path / "other", cache=tmp_path / "cache", show=len
    )
    assert path == tmp_path / "cache" / "demo" / "first.csv"


def test_a_download_of_another_content_is_refused(published, tmp_path):
    wrong = replace(published, files={"first.csv": Remote("v1/a.csv", "0" * 64)})
    with pytest.raises(ValueError, match="hash"):
        data.fetch(wrong, "first.csv", cache=tmp_path / "cache", show=len)
    assert not (tmp_path / "cache" / "demo" / "first.csv").exists()


@pytest.mark.parametrize("missing", ["network", "file"])
def test_neither_folder_nor_network(missing, published, tmp_path):
    gone = replace(published, address=NOWHERE)
    if missing == "file":
        gone = replace(published, address=f"{published.address}/v0")
    told: list[str] = []
    with pytest.raises(DataUnavailable) as raised:
        data.fetch(gone, "first.csv", cache=tmp_path / "cache", show=told.append)
    message = str(raised.value)
    assert told == []
    assert message.startswith("first.csv of the data set demo is not in ")
    assert gone.url("first.csv") in message
    assert f"FOLDER/demo/first.csv and set {data.FOLDER_VARIABLE}=FOLDER" in message


def test_what_is_not_declared():
    with pytest.raises(ValueError, match="dataset must be one of edge-queue.*, got 'edge'"):
        data.fetch("edge", "first.csv")
    with pytest.raises(ValueError, match=r"file must be one of .*, got 'first\.csv'"):
        data.fetch("edge-queue", "first.csv")


@pytest.mark.parametrize("dataset", data.DATASETS.values(), ids=lambda d: d.name)
def test_declarations_are_complete_and_pinned(dataset):
    assert dataset.name in data.DATASETS
    assert dataset.address.startswith("https://")
    assert len(dataset.address.rpartition("/")[2]) == 40
    assert dataset.licence
    assert dataset.provenance
    bibliography = Path(__file__).parents[1] / "book" / "references.bib"
    assert f"{{{dataset.citation}," in bibliography.read_text("utf-8")
    assert all(len(bytes.fromhex(r.sha256)) == 32 for r in dataset.files.values())


@pytest.mark.parametrize(
    ("dataset", "file"), [(d.name, file) for d in data.DATASETS.values() for file in d.files]
)
def test_declared_hashes_are_those_of_the_files(dataset, file, third_party):
    assert third_party(dataset, file).name == file
