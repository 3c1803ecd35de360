#!/bin/bash
# esrally 2.13.0 (Rally, benchmarks of Elasticsearch), seen 2026-11-29.
# Each throughput sample is all operations since the start of the task, warm-up included, over the whole time since
# then. Minimum, mean, median and maximum of the report are those of this running average.
# Seen, by its calculator of samples: 60 s of warm-up at 10 documents/s and 60 s at 1,000: from 26 to 505, mean 318.
# 50 s at 1,000 and 50 s at 10, without a warm-up: the minimum is 505.
# Expected: 1,000 each in the first case and a minimum of 10 in the second. The documentation keeps what is captured
# during warm-up out of the results and calls throughput the operations within a certain period, usually a second.
# Misleads whoever reads the maximum as peak (half of it) or the minimum as the worst second (fifty times too high).
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v
v/bin/pip install -q --no-deps --no-compile esrally==2.13.0 elasticsearch==8.6.1 elastic-transport==8.4.1 \
  urllib3==1.26.19 certifi==2026.10.19.post1 thespian==4.0.1 ecs-logging==2.2.0 google-crc32c==1.7.1 ijson==3.4.0 \
  jinja2==3.1.6 markupsafe==3.0.3 jsonschema==3.1.1 attrs==26.1.0 pyrsistent==0.20.0 six==1.17.0 \
  importlib_metadata==10.2.0 zipp==4.1.2 psutil==5.9.4 py-cpuinfo==7.0.0 tabulate==0.8.9 \
  typing_extensions==4.12.2 zstandard==0.21.0 idna==3.20 setuptools==65.5.0 lazy-importer==0.1.0
cat > t.py <<'P'
import importlib.metadata as md
import statistics
from esrally import track
from esrally.driver.driver import Sample, ThroughputCalculator
from esrally.metrics import SampleType
print("esrally", md.version("esrally"))
assert md.version("esrally") == "2.13.0"
def report(rates, warm_up):
    task = track.Task("index", track.Operation("index", "bulk", param_source="bulk"))
    samples = [
        Sample(
            client_id=0, absolute_time=float(end), request_start=end - 1.0, task_start=0.0, task=task,
            sample_type=SampleType.Warmup if end <= warm_up else SampleType.Normal, request_meta_data={},
            latency=1.0, service_time=1.0, processing_time=1.0, throughput=None, total_ops=rate,
            total_ops_unit="docs", time_period=float(end), percent_completed=None,
        )
        for end, rate in enumerate(rates, start=1)
    ]
    found = ThroughputCalculator().calculate(samples)[task]
    measured = [value for _, _, kind, value, _ in found if kind == SampleType.Normal]
    got = [f(measured) for f in (min, statistics.mean, statistics.median, max)]
    print(f"{len(measured)} measured seconds: min, mean, median, max", [round(value, 1) for value in got])
    return got
slow_start = report([10] * 60 + [1000] * 60, warm_up=60)
collapse = report([1000] * 50 + [10] * 50, warm_up=0)
assert abs(slow_start[0] - 1600 / 61) < 1e-6 and abs(slow_start[3] - 505) < 1e-6
assert abs(collapse[0] - 505) < 1e-6 and abs(collapse[3] - 1000) < 1e-6
P
timeout 60 v/bin/python t.py
