"""A gallery of machines: the reader's file is drawn among them, and nothing leaves the page."""

import json
from dataclasses import asdict

import pytest

from perfmodel import live, machines
from perfmodel.recordings import recorded

EXAMPLE = machines.get("example-2vcpu")


@pytest.fixture
def opened(small_page):
    """Return a function that opens a gallery and notes every request."""

    def open_page(name, mine=None):
        page = small_page(live.gallery(name, mine), viewport={"width": 390, "height": 800})
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        return page

    return open_page


def given(page, name, text):
    page.get_by_label("Your own, from a file").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
    )
    page.locator(".live-says", has_text=name).wait_for()
    return page.locator(".live-says").inner_text()


def names(page):
    return page.locator("tbody th").all_inner_texts()


def test_what_stream_printed_stands_in_its_place(opened):
    page = opened("triad_cpu")
    said = given(page, "out.txt", "Copy: 9.0e9 x\nTriad:           150000.0     0.028\n")
    assert said.startswith("Yours (out.txt): 150 GB/s, number 9 of 12, next to AWS Graviton2 and")
    assert names(page)[8] == "Yours (out.txt)"
    said = given(page, "again.txt", "Triad       1000000.0   0.002\n")
    assert "number 1 of 12, next to Fujitsu" in said
    assert len(names(page)) == 12
    assert page.asked == []


def test_a_saved_machine_is_read_and_one_that_the_kernel_measured_is_there(opened):
    page = opened("triad_cpu")
    said = given(page, "this-machine.json", json.dumps(asdict(EXAMPLE)))
    assert "69.9 GB/s" in said
    measured = machines.Machine(**{**vars(EXAMPLE), "id": machines.THIS})
    assert (
        "Your machine: 69.9 GB/s"
        in opened("triad_cpu", measured).locator(".live-says").inner_text()
    )
    assert "Your machine" not in opened("triad_cpu", EXAMPLE).locator("body").inner_text()


def test_a_table_of_times_counts_by_its_median_and_less_is_better(opened):
    page = opened("core_to_core")
    said = given(page, "times.csv", ",,\n10,,\n30,1000,\n")
    assert said.startswith("Yours (times.csv): 30 ns")
    best = sorted(r.value for r in recorded("core_to_core").recordings)
    assert names(page).index("Yours (times.csv)") == sum(value < 30e-9 for value in best)


def test_what_hpl_printed_is_read(opened):
    line = "WR11C2R4       22000   256     1     4             213.41             3.3266e+01\n"
    assert "33.3 GFLOP/s" in given(opened("linpack"), "hpl.out", line)


def test_of_two_kinds_of_cores_the_faster_counts(opened):
    size, pages = "  67108864 : ", "block size : single random read / dual, [MADV_{}HUGEPAGE]\n"
    slow, fast, huge = (f"{size} {ns:.1f} ns          /   200.0 ns\n" for ns in (170, 150, 90))
    text = "".join([pages.format("NO"), slow, pages.format(""), huge, pages.format("NO"), fast])
    assert "Yours (out.txt): 150 ns" in given(opened("memory_latency"), "out.txt", text)


def test_a_file_that_tells_nothing_is_refused_with_what_would_do(opened):
    page = opened("triad_cpu")
    said = given(page, "notes.txt", "Nothing here.")
    assert said.startswith("notes.txt doesn't tell this: Choose or drop your machine's file")
    assert len(names(page)) == 11


def test_a_dropped_file_is_read(opened):
    page = opened("triad_cpu")
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["Triad: 150000.0 0"], "dropped.txt"));
          document.querySelector(".live-gallery").dispatchEvent(
            new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }"""
    )
    page.locator(".live-says", has_text="Yours (dropped.txt): 150 GB/s").wait_for()
