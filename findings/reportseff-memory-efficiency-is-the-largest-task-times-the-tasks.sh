#!/bin/bash
# reportseff 2.10.3, seen 2026-11-28.
# MemEff multiplies MaxRSS, the memory of the largest task of a step, by the number of its tasks.
# Seen: a completed job with --mem=16G and a step of four tasks, of which the largest used 10G:
# MemEff 250.0%.
# Expected: at most 100 %, as Slurm ends jobs above their memory; 81 % if the other three tasks used
# 1G each. The README shows MemEff without saying how it is computed. Misleads whoever sizes jobs in which
# one process does the reading or the gathering: the report asks for 40G where 16G were enough.
# The commands sacct and scontrol below answer in Slurm's format for one such job.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q --no-deps reportseff==2.10.3 click==8.5.1
mkdir bin
cat > bin/scontrol <<'S'
#!/bin/sh
printf 'PartitionName=main\n   MaxTime=UNLIMITED\n'
S
cat > bin/sacct <<'S'
#!/usr/bin/env python3
import sys
keys = ["JobID", "JobIDRaw", "State", "Elapsed", "Timelimit", "TotalCPU", "AllocCPUS", "ReqMem", "NNodes",
        "NTasks", "MaxRSS", "Partition", "AdminComment"]
if "--helpformat" in sys.argv:
    print(" ".join(keys))
    sys.exit()
wanted = next(a for a in sys.argv if a.startswith("--format="))[9:].split(",")
same = {"State": "COMPLETED", "Elapsed": "00:10:00", "AllocCPUS": "4", "NNodes": "1"}
rows = [
    {"JobID": "7", "Timelimit": "01:00:00", "TotalCPU": "00:40:00", "ReqMem": "16G", "Partition": "main"},
    {"JobID": "7.batch", "TotalCPU": "00:01.000", "NTasks": "1", "MaxRSS": "4000K"},
    {"JobID": "7.0", "TotalCPU": "00:39:59", "NTasks": "4", "MaxRSS": "10G"},
]
for row in rows:
    row = {key.lower(): value for key, value in {**same, **row, "JobIDRaw": row["JobID"]}.items()}
    print("^|^".join(row.get(key.lower(), "") for key in wanted) + "^|^")
S
chmod +x bin/*
version=$(v/bin/python -c 'import importlib.metadata as md; print(md.version("reportseff"))')
echo "reportseff $version"; [ "$version" = 2.10.3 ]
PATH="$PWD/bin:$PATH" v/bin/reportseff --no-color 7 | tee out
grep -q '100\.0% *250\.0%' out
