#!/bin/sh
# Makes docs/report.png: the HTML report of a local node with a fault. Needs Chromium.
set -eu
cd "$(dirname "$0")/.."
cargo build --quiet --workspace --bin nodeproof --bin devnode
folder=$(mktemp -d)
target/debug/devnode --fault remarks-cut >"$folder/greeting" &
node=$!
trap 'kill $node; rm -rf "$folder"' EXIT
until grep -q 'Ctrl-C' "$folder/greeting"; do sleep 0.1; done
target/debug/nodeproof --base-url http://localhost:8420 --report-dir "$folder" --quiet >"$folder/text" || true
chromium --headless --no-sandbox --disable-gpu --disable-background-networking --user-data-dir="$folder/profile" \
  --hide-scrollbars --window-size=1000,720 --screenshot=docs/report.png "file://$folder/report.html"
