"""Files of high-performance computing: what each sample holds, and damaged ones refused by line."""

import re
from pathlib import Path

import numpy as np
import pytest

from perfmodel.readers.collectives import read_collective
from perfmodel.readers.counters import read_counters
from perfmodel.readers.detect import detect
from perfmodel.readers.refusal import UnreadableFileError
from perfmodel.readers.scaling import read_scaling
from perfmodel.readers.slurm import read_sacct

SAMPLES = Path(__file__).parent / "samples" / "hpc"


def text(name):
    return (SAMPLES / name).read_text(encoding="utf-8")


class TestSamples:
    def test_nccl_counts_the_ranks_where_no_ratio_tells_them(self, tmp_path):
        listed = "".join(
            f"#  Rank {i:2} Group  0 Pid 1 on n device {i} Example GPU\n" for i in range(6)
        )
        text = (SAMPLES / "nccl-all-reduce.txt").read_text().replace("     sum", "    none")
        path = tmp_path / "alltoall.txt"
        path.write_text(text.replace("#  Rank  0 Group  0 Pid      1 on  node-a device  0 [0x00] "
                                     "Example GPU\n", listed))  # fmt: skip
        assert read_collective(path).ranks == 6

    def test_nccl(self):
        read = read_collective(SAMPLES / "nccl-all-reduce.txt")
        assert (read.collective, read.ranks, read.sizes.size) == ("allreduce", 8, 11)
        assert read.times[[0, -1]].tolist() == pytest.approx([24.31e-6, 16590e-6])
        assert read.resolution == pytest.approx(1e-8)
        assert read_collective(read_path("nccl-all-reduce.txt"), True).times[0] == pytest.approx(
            23.90e-6
        )

    def test_osu(self):
        read = read_collective(SAMPLES / "osu-allreduce.txt")
        assert (read.collective, read.ranks) == ("allreduce", None)
        assert read.sizes[[0, -1]].tolist() == [4, 1048576]
        assert read.times[-1] == pytest.approx(1064.92e-6)
        assert "mean over ranks" in read.traps[0]

    def test_likwid(self):
        read = read_counters(SAMPLES / "likwid-mem-dp.txt")
        assert [one.name for one in read.kernels] == ["Setup", "Solve"]
        solve = read.kernels[1]
        assert solve.seconds == pytest.approx(26.9307)
        assert solve.flops == pytest.approx((1186.5641 + 1186.9688) * 26.9307e6, rel=1e-5)
        assert solve.moved == pytest.approx(68.9724e9)
        # The file's own intensities, by core, weighted by their bytes.
        own = (0.8955 * 35.6829 + 0.9602 * 33.2895) / 68.9724
        assert solve.flops / solve.moved == pytest.approx(own, rel=1e-3)

    def test_likwid_s_csv_is_read_alike(self, tmp_path):
        rows = [line for line in text("likwid-mem-dp.txt").splitlines() if line.startswith("|")]
        rows = [",".join(cell.strip() for cell in row.strip("|").split("|")) for row in rows]
        start = next(i for i, row in enumerate(rows) if row.startswith("Metric,"))
        end = next(i for i, row in enumerate(rows[start + 1 :], start + 1) if row.startswith("Met"))
        csv = "TABLE,Region Setup,Group 1 Metric,MEM_DP,9,,\n" + "\n".join(rows[start:end]) + "\n"
        file = write(tmp_path, csv)
        assert (
            read_counters(file).kernels[0]
            == read_counters(read_path("likwid-mem-dp.txt")).kernels[0]
        )

    def test_ncu(self):
        read = read_counters(SAMPLES / "ncu.csv")
        (one,) = read.kernels
        assert one.seconds == pytest.approx(1.65e-3)
        assert one.flops == pytest.approx(2 * 104_533_333)
        assert (one.moved, one.precision) == (2_508_800_000, "fp64")

    @pytest.mark.parametrize("name", ["perf-stat-x.txt", "perf-stat-j.txt"])
    def test_perf_without_counters_holds_a_time_alone(self, name):
        (one,) = read_counters(SAMPLES / name).kernels
        assert 0 < one.seconds < 60
        assert (one.flops, one.moved) == (None, None)

    def test_perf_s_flops_count_lanes(self, tmp_path):
        lines = (
            "100,,fp_arith_inst_retired.scalar_double,9,100.00,,\n"
            "10,,fp_arith_inst_retired.512b_packed_double,9,50.00,,\n"
            "2.5,MiB,uncore_imc/cas_count_read/,9,100.00,,\n"
            "1000000,ns,duration_time,9,100.00,,\n"
        )
        read = read_counters(write(tmp_path, lines))
        (one,) = read.kernels
        assert (one.flops, one.moved, one.seconds) == (180, 2.5 * 2**20, pytest.approx(1e-3))
        assert any("50 % of the time" in trap for trap in read.traps)

    def test_extra_p(self):
        read = read_scaling(SAMPLES / "extra-p-strong-scaling.txt", time="time:s")
        assert sorted(set(read.processors.tolist())) == [20, 30, 40, 50, 60]
        assert read.times.size == 30
        assert np.median(read.times[read.processors == 60]) == pytest.approx(82.0, abs=0.1)

    @pytest.mark.parametrize(
        "content",
        [
            '{"parameters": ["p"], "measurements": {"main": {"time": '
            '[{"point": [2], "values": [4, 4.2]}, {"point": [4], "values": [2.1]}]}}}',
            '{"params": {"p": 2}, "metric": "time", "callpath": "main", "value": 4}\n'
            '{"params": {"p": 2}, "metric": "time", "callpath": "main", "value": 4.2}\n'
            '{"params": {"p": 4}, "metric": "time", "callpath": "main", "value": 2.1}\n',
        ],
    )
    def test_extra_p_s_json(self, content, tmp_path):
        read = read_scaling(write(tmp_path, content), time="time:ms")
        assert read.processors.tolist() == [2, 2, 4]
        assert read.times.tolist() == pytest.approx([4e-3, 4.2e-3, 2.1e-3])

    def test_sacct(self):
        read = read_sacct(SAMPLES / "sacct-P.txt")
        assert [job.id for job in read.jobs] == [str(i) for i in range(1, 11)]
        third = read.jobs[2]
        assert (third.state, third.elapsed, third.total_cpu) == ("FAILED", 66, 34.584)
        assert third.max_rss == 12044 * 1024
        assert "Without -D" in read.traps[0]

    def test_sacct_without_letters_is_bytes(self):
        jobs = read_sacct(SAMPLES / "sacct-P-noconvert.txt").jobs
        assert [job.max_rss for job in jobs] == [1087524864, 328355840]

    def test_sacct_with_requeued_runs_doesn_t_warn_of_them(self):
        read = read_sacct(SAMPLES / "sacct-P-D-requeued.txt")
        assert [job.state for job in read.jobs] == ["REQUEUED", "COMPLETED"]
        assert not any("Without -D" in trap for trap in read.traps)

    def test_jobs_are_runs_on_their_processors(self, tmp_path):
        lines = (
            "JobID|State|ElapsedRaw|AllocCPUS\n1|COMPLETED|100|1\n2|FAILED|9|2\n3|COMPLETED|52|2\n"
        )
        read = read_scaling(write(tmp_path, lines))
        assert (read.processors.tolist(), read.times.tolist()) == ([1, 2], [100, 52])
        assert "1 jobs that weren't completed" in read.traps[0]

    def test_a_table_with_german_numbers(self, tmp_path):
        read = read_scaling(write(tmp_path, "Kerne;Zeit\n1;8,5\n2;4,4\n"), "Kerne", "Zeit:min")
        assert read.times.tolist() == pytest.approx([510, 264])


def read_path(name):
    return SAMPLES / name


def write(folder, content):
    file = folder / "file.txt"
    file.write_text(content, encoding="utf-8")
    return file


SACCT = "sacct-P.txt"
NCCL, OSU, NCU = "nccl-all-reduce.txt", "osu-allreduce.txt", "ncu.csv"
LIKWID, EXTRA_P = "likwid-mem-dp.txt", "extra-p-strong-scaling.txt"
DAMAGED = {
    "nccl cut in a row": (NCCL, lambda t: t[: t.index("118.2")], "line 15: the row has 5 cells"),
    "nccl decimal comma": (NCCL, lambda t: t.replace("24.31", "24,31"), "line 9: '24,31' is no"),
    "nccl no rows": (NCCL, lambda t: t[: t.index("        1024")], "the log has no rows"),
    "nccl no header": (NCCL, lambda t: re.sub("#.*algbw.*", "", t), "it is no log of a collective"),
    "nccl no units": (NCCL, lambda t: re.sub("#.*elements.*", "#", t), "line 8: no unit of time"),
    "nccl a size with a letter": (
        NCCL,
        lambda t: t.replace("        4096          1024", "        4,096         1024"),
        "line 10: '4,096' is no size",
    ),
    "nccl a time of 0": (NCCL, lambda t: t.replace("24.31", " 0.00"), "line 9: the time is 0.00"),
    "nccl not a number": (
        NCCL,
        lambda t: t.replace("24.31", "  nan"),
        "line 9: 'nan' is no number",
    ),
    "nccl a message in a row": (
        NCCL,
        lambda t: t.replace("25.02    0.16", "25.02 NCCL WARN 0.16"),
        "line 10: the row has 15 cells",
    ),
    "osu cut in a row": (OSU, lambda t: t[: t.index("10.84")], "line 6: the row has 1 cells"),
    "osu decimal comma": (
        OSU,
        lambda t: t.replace("10.05", "10,05"),
        "line 5: '10,05' is no number",
    ),
    "osu no rows": (OSU, lambda t: t[: t.index("4   ")], "the log has no rows"),
    "osu no columns": (
        OSU,
        lambda t: t.replace("# Size", "# size of"),
        "no line names the columns",
    ),
    "osu no unit": (OSU, lambda t: t.replace("(us)", ""), "line 4: the latency states no unit"),
    "osu bandwidth": (
        OSU,
        lambda t: t.replace("Avg Latency(us)", "Bandwidth (MB/s)"),
        "line 4: the table holds no latency",
    ),
    "osu two tables": (OSU, lambda t: t + t, "line 26: a second benchmark begins here"),
    "osu a time of 0": (OSU, lambda t: t.replace("10.05", "0.00"), "line 5: the latency is 0.00"),
    "osu a size of half a byte": (
        OSU,
        lambda t: t.replace("\n4 ", "\n4.5 "),
        "line 5: '4.5' is no",
    ),
    "ncu cut in a row": (NCU, lambda t: t[: t.index("inst")], "line 5: the row has"),
    "ncu dots between thousands": (
        NCU,
        lambda t: t.replace("2,508,800,000", "2.508.800.000"),
        "line 3: '2.508.800.000' has dots between thousands",
    ),
    "ncu decimal comma": (
        NCU,
        lambda t: t.replace("1,650,000", "65,77"),
        "line 4: '65,77' has dots between thousands or a decimal comma; run ncu with LC_ALL=C",
    ),
    "ncu not available": (
        NCU,
        lambda t: t.replace("1,650,000", "n/a"),
        "line 4: the value is 'n/a'; leave the metric out",
    ),
    "ncu another unit": (NCU, lambda t: t.replace("nsecond", "cycle"), "line 4: the unit 'cycle'"),
    "ncu no unit column": (
        NCU,
        lambda t: t.replace("Metric Unit", "Unit"),
        "line 2: there is no column 'Metric Unit'",
    ),
    "ncu no rows": (NCU, lambda t: "\n".join(t.splitlines()[:2]), "no kernel stands there"),
    "likwid cut in a row": (
        LIKWID,
        lambda t: t[: t.index("1186.9688")].rstrip(" |"),
        "values for 2 threads",
    ),
    "likwid a dash": (
        LIKWID,
        lambda t: t.replace("|    0.9743 |", "|         - |"),
        "'-' is no number",
    ),
    "likwid nan": (
        LIKWID,
        lambda t: t.replace("426.9463 |  411", "nan |  411"),
        "'nan' is no number",
    ),
    "likwid no metrics": (
        LIKWID,
        lambda t: t.replace("Metric ", "Messung"),
        "no table of metrics stands there",
    ),
    "extra-p cut": (EXTRA_P, lambda t: t[: t.index("DATA 184")], "3 of 5 points have DATA"),
    "extra-p cut in a number": (EXTRA_P, lambda t: t.replace("82.0084", "82.e"), "is no number"),
    "extra-p decimal comma": (EXTRA_P, lambda t: t.replace("725.3", "725,3"), "line 11: '725,388"),
    "extra-p more data": (EXTRA_P, lambda t: t + "\nDATA 1", "line 17: a DATA line has no point"),
    "extra-p an empty line of data": (
        EXTRA_P,
        lambda t: t.replace("DATA 725", "DATA\n#"),
        "is empty",
    ),
    "extra-p another word": (EXTRA_P, lambda t: t.replace("METRIC", "MEASURE"), "is no section"),
    "extra-p points first": (
        EXTRA_P,
        lambda t: t.replace("PARAMETER x\n", "") + "\nPARAMETER x",
        "line 2: POINTS stand before any PARAMETER",
    ),
    "extra-p two parameters": (
        EXTRA_P,
        lambda t: t.replace("PARAMETER x", "PARAMETER x y"),
        "a point has 1 coordinates for 2 parameters",
    ),
    "sacct cut in a row": (
        SACCT,
        lambda t: t[: t.index("|UNLIMITED")],
        "line 2: the line has 10",
    ),
    "sacct no names": (SACCT, lambda t: t.partition("\n")[2], "line 1: the line names no columns"),
    "sacct another clock": (
        SACCT,
        lambda t: t.replace("00:02.200", "2.2 s"),
        "line 2: '2.2 s' is no",
    ),
    "sacct another size": (SACCT, lambda t: t.replace("10448K", "10448 KB"), "line 6: '10448 KB'"),
    "sacct no jobs": (SACCT, lambda t: t.partition("\n")[0] + "\n", "the file lists no jobs"),
    "extra-p a time of 0": (EXTRA_P, lambda t: t.replace("82.00848518948744", "0"), "a time is 0"),
}
WRITTEN = {
    "perf not counted": (
        "<not counted>,,duration_time,0,0.00,,\n",
        "line 1: duration_time was not",
    ),
    "perf not supported": (
        "<not supported>,,fp_arith_inst_retired.scalar_double,0,100.00,,\n",
        "line 1: fp_arith_inst_retired.scalar_double was not supported; leave the event out",
    ),
    "perf decimal comma": (
        "5,ns,duration_time,5,100.00,,\n0,71,msec,task-clock,708126,100,00,0,448,CPUs\n",
        "line 2: a decimal comma splits the number",
    ),
    "perf decimal comma with semicolons": (
        "5;ns;duration_time;5;100.00;;\n1,5;MiB;uncore_imc/cas_count_read/;9;100.00;;\n",
        "line 2: '1,5' is no number; run it with LC_ALL=C",
    ),
    "perf cut": ("5,ns,duration_time,5,100.00,,\n7,,cyc", "line 2: the line has 3 fields"),
    "perf bytes without a unit": (
        "5,,uncore_imc/cas_count_read/,5,100.00,,\n",
        "line 1: uncore_imc/cas_count_read/ states no unit of bytes",
    ),
    "perf json cut": (
        '{"counter-value" : "1", "event" : "duration_time"}\n{"counter-va',
        "line 2: the line is no JSON",
    ),
    "no counters": ("hello\nworld\n", "it holds no counters that are read here"),
}
TABLES = {
    "no time": ("cores,speed\n1,2\n2,3\n", "line 1: no column is called as the time"),
    "two times": ("cores,time_s,wall_s\n1,2,2\n2,3,3\n", "columns 'time_s', 'wall_s' could be"),
    "no unit": ("cores,time\n1,2\n2,3\n", "line 1: column 'time' states no unit"),
    "another unit": ("cores,time [MB]\n1,2\n2,3\n", "is in MB, which is no unit of s"),
    "a word": ("cores,time_s\n1,2\n2,fast\n", "line 3: column 'time_s' holds 'fast'"),
    "an empty cell": ("cores,time_s\n1,2\n2,\n", "line 3: column 'time_s' holds ''"),
    "a decimal comma": (
        "cores,time_s\n1,2\n2,3,5\n",
        "line 3: the row has 3 cells below 2 headers",
    ),
    "half a processor": ("cores,time_s\n1,2\n0.5,3\n", "line 3: column 'cores' holds 0.5"),
    "a time of 0": (
        "cores,time_s\n1,2\n2,0\n",
        "line 3: column 'time_s' holds 0; it must be above 0",
    ),
    "a negative time": ("cores,time_s\n1,2\n2,-4\n", "line 3: column 'time_s' holds -4"),
    "no rows": ("cores,time_s\n", "the table has no rows"),
    "no names": ("1,2\n2,3\n", "line 1: the first line holds numbers"),
    "json damaged": (
        '{"parameters": ["p"], "measurements": {"main": 3}}',
        "a measurement is damaged",
    ),
    "json without parameters": ('{"measurements": {"main": {}}}', "lacks parameters"),
    "json line damaged": ('{"params": {"p": 2}, "value": "x"}\n', "line 1: 'x' is no number"),
    "json line cut": ('{"params": {"p": 2}, "va', "line 1: the line is no measurement"),
    "empty": ("", "the file is empty; run the tool again"),
}
READERS = {NCCL: read_collective, OSU: read_collective, NCU: read_counters, LIKWID: read_counters}
READERS[SACCT] = read_sacct


@pytest.mark.parametrize(
    ("name", "format"),
    [
        (NCCL, "nccl-tests"),
        (OSU, "OSU micro-benchmarks"),
        (NCU, "ncu CSV"),
        (LIKWID, "likwid-perfctr"),
        (EXTRA_P, "Extra-P text"),
        (SACCT, "sacct -P"),
        ("perf-stat-x.txt", "perf stat -x"),
        ("perf-stat-j.txt", "perf stat -j"),
    ],
)
def test_a_file_is_known_by_its_content(name, format):
    assert detect(SAMPLES / name) == format


def refused(read, file, message):
    with pytest.raises(UnreadableFileError) as error:
        read(file)
    said = str(error.value)
    assert message in said
    assert said.startswith(str(file))
    assert "\n" not in said
    assert "; " in said


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_sample_is_refused_in_one_sentence(case, tmp_path):
    name, damage, message = DAMAGED[case]
    damaged = damage(text(name))
    assert damaged != text(name)
    read = READERS.get(name, lambda file: read_scaling(file, time="time:s"))
    refused(read, write(tmp_path, damaged), message)


@pytest.mark.parametrize("case", WRITTEN)
def test_counters_that_were_not_counted_are_refused(case, tmp_path):
    content, message = WRITTEN[case]
    refused(read_counters, write(tmp_path, content), message)


@pytest.mark.parametrize("case", TABLES)
def test_a_table_that_says_too_little_is_refused(case, tmp_path):
    content, message = TABLES[case]
    refused(read_scaling, write(tmp_path, content), message)


def test_perf_that_the_hardware_lacks_is_told_from_perf_that_was_not_asked():
    (one,) = read_counters(SAMPLES / "perf-stat-not-supported.txt").kernels
    assert one.flops is None


@pytest.mark.parametrize(
    "content",
    ["a;b;c;d;e\n1;2;3;4;5\n", "1,2,3,4,5\n6,7,8,9,10\n", "users,rate\n1,2.5\n2,4.5\n"],
)
def test_a_table_of_numbers_is_no_output_of_perf(content, tmp_path):
    refused(read_counters, write(tmp_path, content), "holds no counters that are read here")


def test_a_second_parameter_must_not_vary(tmp_path):
    content = "PARAMETER p n\nPOINTS (1 1) (2 2) (4 4)\nMETRIC time\nDATA 3\nDATA 2\nDATA 1\n"
    refused(
        lambda file: read_scaling(file, processors="p", time="time:s"),
        write(tmp_path, content),
        "parameter 'n' varies as well",
    )


def test_a_unit_is_never_guessed(tmp_path):
    refused(read_scaling, write(tmp_path, text(EXTRA_P)), "the file states no unit of 'time'")
