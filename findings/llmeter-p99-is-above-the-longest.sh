#!/bin/bash
# llmeter 0.2.0, seen 2026-11-28.
# Percentiles are extrapolated beyond the data: with fewer than 99 requests p99 lies above the
# longest request, and with fewer than 9 so does p90.
# Seen: nine requests of 1 s and one of 10 s: p99 18.01 s. Four of 1 s and one of 10 s: p90 13.6 s,
# p99 18.46 s.
# Expected: at most 10 s (numpy's p99 of the ten is 9.19). The docstring of Result.stats lists p50,
# p90 and p99 and names no method; it is the default ("exclusive") of Python's statistics.quantiles.
# Misleads whoever tests a deadline with a few dozen requests: p99 can exceed a time-out that no
# request hit.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v
v/bin/pip install -q --no-deps llmeter==0.2.0 boto3==1.44.8 botocore==1.44.8 s3transfer==0.19.3 \
  jmespath==1.1.0 python-dateutil==2.9.0.post0 six==1.17.0 urllib3==2.8.0 tqdm==4.70.1 \
  fsspec==2026.1.0 universal-pathlib==0.3.10 pathlib-abc==0.5.2
cat > t.py <<'P'
import importlib.metadata as md
from llmeter.endpoints.base import InvocationResponse
from llmeter.results import Result
print("llmeter", md.version("llmeter"))
assert md.version("llmeter") == "0.2.0"
def stats(times):
    responses = [InvocationResponse("ok", time_to_last_token=seconds) for seconds in times]
    got = Result(responses, total_requests=len(times), total_test_time=60.0).stats
    got = [got[f"time_to_last_token-{name}"] for name in ("p50", "p90", "p99")]
    print(times, "p50, p90, p99:", got)
    return got
def near(got, want):
    assert abs(got - want) < 1e-9 * want, (got, want)
ten = stats([1.0] * 9 + [10.0])
near(ten[2], 18.01)
five = stats([1.0] * 4 + [10.0])
near(five[1], 13.6)
near(five[2], 18.46)
P
v/bin/python t.py
