#!/bin/bash
# hyperfine 1.15.0-2 (Debian 12), seen 2026-11-29.
# The mean time of starting a shell is taken off each run, and what would be negative is set to 0.
# Seen: 100 runs of "true": many have exactly 0 s, so that the range begins at 0.0 ms. With -N (no shell) none has.
# Expected: times above 0, or the uncorrected ones beside them. Misleads whoever divides by a minimum or
# reports the median of a short command: it is the noise of starting a shell, cut off at 0.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
apt-get download -qq hyperfine=1.15.0-2 2> /dev/null || { apt-get update -qq; apt-get download -qq hyperfine=1.15.0-2; }
dpkg-deb -x hyperfine_*.deb root
root/usr/bin/hyperfine --version | tee version; grep -qx "hyperfine 1.15.0" version
root/usr/bin/hyperfine --runs 100 --export-json shell.json true > /dev/null 2>&1
root/usr/bin/hyperfine -N --runs 100 --export-json none.json true > /dev/null 2>&1
cat > t.py <<'P'
import json
def times(name):
    return json.load(open(name))["results"][0]["times"]
shell, none = times("shell.json"), times("none.json")
print("runs of exactly 0 s:", shell.count(0.0), "with a shell,", none.count(0.0), "without")
assert shell.count(0.0) >= 5 and none.count(0.0) == 0
P
python3 t.py
