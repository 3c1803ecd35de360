#!/bin/bash
# prometheus-fastapi-instrumentator 8.1.0 with fastapi 0.165.0, seen 2026-11-29.
# The duration of a request ends when its background tasks have ended, not when its response is complete.
# Seen: a handler that answers at once and leaves a task of 5 s: the client has the whole answer before the task
# ends, and the metric's sum is above 5 s.
# Expected: the time until the response is sent. FastAPI runs background tasks after sending the response, and the
# metric's help text says "latency". Misleads dashboards and alerts on latency: moving work out of the
# response into a task, which users feel, changes nothing in them.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v
v/bin/pip install -q prometheus-fastapi-instrumentator==8.1.0 fastapi==0.165.0 uvicorn==0.51.0 prometheus_client==0.26.0
cat > t.py <<'P'
import importlib.metadata as md
import threading
import time
import urllib.request
import uvicorn
from fastapi import BackgroundTasks, FastAPI
from prometheus_client import REGISTRY
from prometheus_fastapi_instrumentator import Instrumentator
for name, version in (("prometheus-fastapi-instrumentator", "8.1.0"), ("fastapi", "0.165.0")):
    print(name, md.version(name))
    assert md.version(name) == version
app = FastAPI()
ended = threading.Event()
def task():
    time.sleep(5)
    ended.set()
@app.get("/order")
def order(tasks: BackgroundTasks):
    tasks.add_task(task)
    return "accepted"
Instrumentator().instrument(app)
server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
thread = threading.Thread(target=server.run, daemon=True)
thread.start()
while not server.started:
    time.sleep(0.05)
port = server.servers[0].sockets[0].getsockname()[1]
with urllib.request.urlopen(f"http://127.0.0.1:{port}/order", timeout=60) as answer:
    body = answer.read().decode()
before = not ended.is_set()
print("answer", body, "before the task ended:", before)
labels = {"handler": "/order", "method": "GET"}
count = total = None
deadline = time.monotonic() + 60
while count is None and time.monotonic() < deadline:
    time.sleep(0.1)
    count = REGISTRY.get_sample_value("http_request_duration_seconds_count", labels)
    total = REGISTRY.get_sample_value("http_request_duration_seconds_sum", labels)
print("requests", count, "sum of durations above 5 s:", total >= 5)
assert body == '"accepted"' and before
assert count == 1 and total >= 5
server.should_exit = True
thread.join(10)
P
timeout 100 v/bin/python t.py
