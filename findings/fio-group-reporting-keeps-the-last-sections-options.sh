#!/bin/bash
# fio 3.33-3 (Debian 12), seen 2026-11-29.
# With group_reporting, sections become one entry in the JSON: it has the first section's name, the sum of all their
# operations, and the options of the last section, as if that depth had done it all.
# Seen: sections "deep" (iodepth 16) and "shallow" (iodepth 1): one entry "deep" whose job options say iodepth 1,
# with the 2 MB of both. Without group_reporting: "deep" with 16 and "shallow" with 1.
# Expected: the options of the section named, or none. Misleads whoever plots operations per second over the depth
# in the file, or checks Little's law with it: up to 17 were in flight where the file says 1.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
apt-get download -qq fio=3.33-3 2> /dev/null || { apt-get update -qq; apt-get download -qq fio=3.33-3; }
apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
  --no-enhances fio | grep -E '^(lib|ceph)' | grep -vE '^(libc6|libgcc-s1|libc-bin|libcrypt1)$' | sort -u > needed
xargs -n 1 -P 8 apt-get download -qq < needed 2> /dev/null || echo "some are not to be had"
for file in *.deb; do dpkg-deb -x "$file" root; done
export LD_LIBRARY_PATH="$tmp/root/usr/lib/x86_64-linux-gnu:$tmp/root/lib/x86_64-linux-gnu"
export LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$tmp/root/usr/lib/x86_64-linux-gnu/ceph"
for together in "" group_reporting; do
  cat > job.fio <<J
[global]
ioengine=null
rw=read
bs=4k
size=1m
$together
[deep]
iodepth=16
[shallow]
iodepth=1
J
  root/usr/bin/fio --output-format=json job.fio > "seen$together.json"
done
python3 - <<'P'
import json
def entries(name):
    content = json.load(open(name))
    found = [(job["jobname"], job["job options"]["iodepth"], job["read"]["io_bytes"]) for job in content["jobs"]]
    print(content["fio version"], name, found)
    assert content["fio version"] == "fio-3.33"
    return found
mib = 1 << 20
assert entries("seen.json") == [("deep", "16", mib), ("shallow", "1", mib)]
assert entries("seengroup_reporting.json") == [("deep", "1", 2 * mib)]
P
