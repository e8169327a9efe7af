#!/bin/sh
# Checks a node, and shows what has changed since the last run that had a verdict.
# Usage: check.sh URL NETWORK [FOLDER]
# The exit status is the one of nodeproof: 0 if the node conforms.
set -eu
url=$1
network=$2
folder=${3:-nodeproof-reports}

status=0
nodeproof --base-url="$url" --network="$network" --format compact --report-dir="$folder/now" ||
  status=$?
if [ -f "$folder/now/report.json" ] && [ -f "$folder/last/report.json" ]; then
  echo
  nodeproof diff "$folder/last/report.json" "$folder/now/report.json" || true
fi
# A run without a verdict is nothing to compare the next one with.
case $status in
  0 | 1 | 5)
    rm -rf "$folder/last"
    cp -R "$folder/now" "$folder/last"
    ;;
esac
exit "$status"
