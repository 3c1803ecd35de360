#!/bin/bash
# haralyzer 2.4.0 and pagexray 4.4.4 (npm), seen 2026-11-29.
# haralyzer's time_to_first_byte adds up every timing of the page's request but "receive", and pagexray's totalTime of a
# request adds up all of them. HAR 1.2 says that the time in "ssl" is already in "connect", so TLS counts twice.
# Seen: a request of 200 ms in all, of which connect 100 (with ssl 80), send 10, wait 80, receive 10: the first byte
# comes after 270 ms by haralyzer, and the request takes 280 ms by pagexray.
# Expected: 190 ms and 200 ms: the first byte cannot come after the end. Misleads whoever compares HTTPS with HTTP or
# budgets a page by these numbers: TLS costs twice its time.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q haralyzer==2.4.0
npm init -y > /dev/null; npm install --silent --no-audit --no-fund pagexray@4.4.4
cat > t.py <<'P'
import importlib.metadata as md
import json
import subprocess
from haralyzer import HarPage
print("haralyzer", md.version("haralyzer"))
assert md.version("haralyzer") == "2.4.0"
pagexray = json.load(open("node_modules/pagexray/package.json"))["version"]
print("pagexray", pagexray)
assert pagexray == "4.4.4"
script = '''
const har = JSON.parse(require("fs").readFileSync(0))
console.log(require("pagexray").convert(har, { includeAssets: true })[0].assets[0].totalTime)
'''
def times(connect, ssl):
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
    har = {"log": log}
    first = HarPage("p", har_data=har).time_to_first_byte
    total = int(subprocess.run(["node", "-e", script], input=json.dumps(har), check=True, capture_output=True, text=True).stdout)
    print(f"connect {connect}, of it ssl {ssl}: whole request {entry['time']}, first byte {first}, total time {total}")
    return first, total
assert times(20, -1) == (110, 120)
assert times(100, 80) == (270, 280)
P
v/bin/python t.py
