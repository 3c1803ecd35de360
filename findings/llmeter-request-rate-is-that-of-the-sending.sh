#!/bin/bash
# llmeter 0.2.0, seen 2026-11-28.
# In a live run "requests_per_minute" and "average_input_tokens_per_minute" divide by the time from
# the first to the last sending, not by the length of the run. The same run read back from its
# responses divides by the length of the run.
# Seen: ten clients, each sends two requests of 10 s one after the other, 20 s in all: 120 requests
# and 12,000 input tokens a minute, but 6,000 output tokens a minute, at 100 tokens in and out for
# each request. A Result made of the same responses: 60 requests a minute.
# Expected: 60 requests and 6,000 input tokens a minute (20 requests in 20 s); the docstring of the
# statistics says average number of requests processed per minute. A comment in the source calls the
# sending times the more accurate picture of the request rate. Misleads whoever takes
# the figure as capacity: twice too high here, (n + 1)/n for n rounds, without limit for one round.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v
v/bin/pip install -q --no-deps llmeter==0.2.0 boto3==1.44.8 botocore==1.44.8 s3transfer==0.19.3 \
  jmespath==1.1.0 python-dateutil==2.9.0.post0 six==1.17.0 urllib3==2.8.0 tqdm==4.70.1 \
  fsspec==2026.1.0 universal-pathlib==0.3.10 pathlib-abc==0.5.2
cat > t.py <<'P'
import importlib.metadata as md
from datetime import datetime, timedelta, timezone
from llmeter.endpoints.base import InvocationResponse
from llmeter.results import Result
from llmeter.utils import RunningStats  # what a live run counts with
print("llmeter", md.version("llmeter"))
assert md.version("llmeter") == "0.2.0"
start = datetime(2026, 1, 1, tzinfo=timezone.utc)
responses = [
    InvocationResponse("ok", request_time=start + timedelta(seconds=10 * turn), time_to_last_token=10.0,
                       num_tokens_input=100, num_tokens_output=100)
    for turn in range(2) for client in range(10)
]
live = RunningStats(metrics=["num_tokens_input", "num_tokens_output", "time_to_last_token"])
for response in responses:
    live.update(vars(response))
got = live.to_stats(end_time=start + timedelta(seconds=20))
for name in ("requests_per_minute", "average_input_tokens_per_minute", "average_output_tokens_per_minute"):
    print(name, got[name])
assert got["requests_per_minute"] == 120
assert got["average_input_tokens_per_minute"] == 12000
assert got["average_output_tokens_per_minute"] == 6000
again = Result(responses, total_requests=20, total_test_time=20.0).stats["requests_per_minute"]
print("read back:", again)
assert again == 60
P
v/bin/python t.py
