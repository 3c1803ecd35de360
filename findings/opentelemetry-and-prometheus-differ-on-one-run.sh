#!/bin/bash
# opentelemetry-sdk 1.45.2 and prometheus_client 0.26.0, seen 2026-11-29.
# Both record the same latencies in seconds with their own bounds. OpenTelemetry's are 0, 5, 10, ... 10,000,
# made for milliseconds; a unit of "s" doesn't change them.
# Seen: 95 latencies of 0.02 s and five of 0.9 s: OpenTelemetry puts all 100 into one bucket from 0 to 5 s,
# from which p50 is 2.5 s and p95 4.75 s. Prometheus' buckets give 0.018 s and 0.025 s.
# Expected: the same percentiles to a bucket or two, or bounds that follow the unit. Misleads whoever moves a
# dashboard from one library to the other: the p50 is a hundred times the old one.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q opentelemetry-sdk==1.45.2 prometheus_client==0.26.0
cat > t.py <<'P'
import importlib.metadata as md
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from prometheus_client import CollectorRegistry, Histogram
versions = md.version("opentelemetry-sdk"), md.version("prometheus_client")
print("opentelemetry-sdk, prometheus_client", versions)
assert versions == ("1.45.2", "0.26.0")
latencies = [0.02] * 95 + [0.9] * 5
reader, registry = InMemoryMetricReader(), CollectorRegistry()
one = MeterProvider(metric_readers=[reader]).get_meter("x").create_histogram("latency", unit="s")
other = Histogram("latency", "s", registry=registry)
for latency in latencies:
    one.record(latency)
    other.observe(latency)
def quantile(bounds, counts, q):
    """Interpolate in a bucket, as Prometheus' histogram_quantile does."""
    rank, seen, low = q * sum(counts), 0, 0.0
    for bound, count in zip(bounds, counts):
        if seen + count >= rank and count:
            return low + (bound - low) * (rank - seen) / count
        seen, low = seen + count, bound
point = reader.get_metrics_data().resource_metrics[0].scope_metrics[0].metrics[0].data.data_points[0]
counts = list(point.bucket_counts)
print("OpenTelemetry", dict(zip(point.explicit_bounds, counts)))
assert counts[1] == 100 and point.explicit_bounds[1] == 5.0
bars = [(float(s.labels["le"]), s.value) for m in registry.collect() for s in m.samples if "le" in s.labels]
bounds, totals = [bound for bound, _ in bars], [total for _, total in bars]
each = [b - a for a, b in zip([0, *totals], totals)]
got = [[round(quantile(b, c, q), 3) for q in (0.5, 0.95)]
       for b, c in ((point.explicit_bounds, counts), (bounds, each))]
print("p50 and p95, OpenTelemetry then Prometheus:", got)
assert got[0] == [2.5, 4.75] and got[1][0] < 0.026 and got[1][1] < 0.026
P
v/bin/python t.py
