#!/bin/bash
# haralyzer 2.4.0, seen 2026-11-29.
# time_to_first_byte adds up every timing of the page's request but "receive". HAR 1.2 says that the time in "ssl"
# is already in "connect", so TLS counts twice.
# Seen: a request of 200 ms in all, of which connect 100 (with ssl 80), send 10, wait 80, receive 10: the first byte
# comes after 270 ms.
# Expected: 190 ms, and never more than the whole request. The documentation calls it the time to the first byte of
# the page request. Misleads whoever compares HTTPS with HTTP or budgets a page by it: TLS costs twice its time.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q haralyzer==2.4.0
cat > t.py <<'P'
import importlib.metadata as md
from haralyzer import HarPage
print("haralyzer", md.version("haralyzer"))
assert md.version("haralyzer") == "2.4.0"
def first_byte(connect, ssl):
    timings = {"blocked": 0, "dns": 0, "connect": connect, "ssl": ssl, "send": 10, "wait": 80, "receive": 10}
    message = {"httpVersion": "HTTP/1.1", "cookies": [], "headers": [], "headersSize": -1, "bodySize": 0}
    started = "2026-11-29T10:00:00.000Z"
    entry = {
        "pageref": "p",
        "startedDateTime": started,
        "time": connect + 100,  # ssl is part of connect
        "request": {**message, "method": "GET", "url": "https://a.example/", "queryString": []},
        "response": {**message, "status": 200, "statusText": "OK", "redirectURL": "", "content": {"size": 0, "mimeType": "text/html"}},
        "cache": {},
        "timings": timings,
    }
    page = {"id": "p", "title": "", "startedDateTime": started, "pageTimings": {"onContentLoad": 200, "onLoad": 200}}
    log = {"version": "1.2", "creator": {"name": "a", "version": "1"}, "pages": [page], "entries": [entry]}
    har = HarPage("p", har_data={"log": log})
    print(f"connect {connect}, of it ssl {ssl}: whole request {entry['time']}, first byte {har.time_to_first_byte}")
    return har.time_to_first_byte
assert first_byte(20, -1) == 110
assert first_byte(100, 80) == 270
P
v/bin/python t.py
