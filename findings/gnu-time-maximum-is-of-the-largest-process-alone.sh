#!/bin/bash
# GNU time 1.9-0.2 (Debian 12), seen 2026-11-29.
# "Maximum resident set size" is the largest of any one process, not of all that ran at once.
# Seen: four processes that hold 100 MB each at the same time: about 110,000 KB. One such process: the same.
# Expected: about 440,000 KB, what the machine must have. Misleads whoever sizes memory for a program with
# workers: by the number of workers. Slurm's MaxRSS of the same task is the sum.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
apt-get download -qq time=1.9-0.2 2> /dev/null || { apt-get update -qq; apt-get download -qq time=1.9-0.2; }
dpkg-deb -x time_*.deb root; echo "time $(dpkg-deb -f time_*.deb Version)"
cat > work.py <<'P'
import subprocess
import sys
hold = "data = bytearray(b'x') * 100_000_000; print('held', flush=True); input()"
pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
workers = [subprocess.Popen([sys.executable, "-c", hold], **pipes) for _ in range(int(sys.argv[1]))]
for worker in workers:
    worker.stdout.readline()
for worker in workers:
    worker.communicate("\n")
P
for workers in 1 4; do
  root/usr/bin/time -f "%M" python3 work.py $workers 2> seen.$workers
  echo "$workers at once: $(cat seen.$workers) KB"
done
python3 -c '
one, four = (int(open(f"seen.{n}").read()) for n in (1, 4))
assert 100_000 < one < 160_000 and 100_000 < four < 160_000, (one, four)'
