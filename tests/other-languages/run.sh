#!/usr/bin/env bash
# Generates clients for Python and TypeScript, and runs the programs of docs/other-languages.md with them.
#
#   tests/other-languages/run.sh [DEVNODE]
#
# DEVNODE is the built local node, by default target/debug/devnode. Ends with 77 if the tools are missing
# or the packages can't be downloaded. Everything is in a temporary folder, which is removed at the end.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
devnode=${1:-${CARGO_TARGET_DIR:-$root/target}/debug/devnode}

left_out() {
  echo "left out: $1" >&2
  exit 77
}

# A program that waits forever fails.
limit=()
if command -v timeout >/dev/null; then limit=(timeout 60); fi
run() { ${limit[@]+"${limit[@]}"} "$@"; }

python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  left_out "Python 3.11 or newer with venv is not on this machine"
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' \
  2>/dev/null || left_out "Node.js 20.19 or newer is not on this machine"
npm --version >/dev/null 2>&1 || left_out "npm is not on this machine"

work=$(mktemp -d)
nodes=() checks=()
trap 'kill ${nodes[@]+"${nodes[@]}"} ${checks[@]+"${checks[@]}"} 2>/dev/null || true; wait; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
run python3 -m pip download --quiet --no-deps --retries 0 --timeout 5 --dest "$work" attrs >/dev/null 2>&1 ||
  left_out "pip can't download packages"
(cd "$work" && run npm view --fetch-retries=0 --fetch-timeout=5000 openapi-fetch version >/dev/null 2>&1) ||
  left_out "npm can't download packages"
if [ ! -x "$devnode" ]; then
  echo "$devnode does not exist: run cargo build -p nodeproof-devnode" >&2
  exit 1
fi
devnode=$(realpath "$devnode")

# The page expects a clone beside the folder of the program.
ln -s "$root" "$work/nodeproof"
mkdir "$work/app"
cd "$work/app"

# Writes the blocks of the page that have a file name.
awk '/^```/ { if (file) { close(file); file = "" } else if (NF == 2) file = $2; next } file { print > file }' \
  "$root/docs/other-languages.md"
for file in python.sh typescript.sh read.txt; do
  [ -s "$file" ] || { echo "docs/other-languages.md has no block $file" >&2; exit 1; }
done
cp "$here"/{claim,read,sign}.{py,ts} .

# Starts a local node, and writes its address to `url`.
start() {
  local file=node-${#nodes[@]}.json
  : >"$file"
  "$devnode" --port 0 --block-time on-submission --json "$@" >"$file" &
  nodes+=($!)
  for _ in {1..100}; do
    url=$(sed -n 's/.*"base_url":"\([^"]*\)".*/\1/p' "$file")
    if [ -n "$url" ]; then return; fi
    sleep 0.1
  done
  echo "$devnode does not start" >&2
  return 1
}

# Runs a generator, which must not print a warning.
without_warnings() {
  local output
  output=$(run "$@" 2>&1) || { echo "$output" >&2; return 1; }
  # npm and pip report old packages and new versions of themselves.
  if grep -v '^npm \|^WARNING: ' <<<"$output" | grep -iE 'warn|⚠' >&2; then
    echo "the warning is from: $*" >&2
    return 1
  fi
}

# Runs a program, and compares its output with the expected text.
prints() {
  local expected=$1
  shift
  diff <(printf '%s\n' "$expected") <(run "$@" || echo "exit status $?") >&2 ||
    { echo "this is the output of: $*" >&2; return 1; }
}

# Replaces the address of the local node in a program.
at() { sed -i.original "s#http://127.0.0.1:8420#$1#" "$2"; }

documented=../nodeproof/openapi/node-documented.json
vectors=../nodeproof/docs/signing-vectors.json
blocks=$(<read.txt)
rows="block 12 as a row of a table
$(tail -n +2 read.txt)"

check_python() {
  export PIP_CONSTRAINT="$here/constraints.txt" PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_COMPILE=1
  without_warnings bash -e python.sh
  . venv/bin/activate
  run pip install --quiet mypy eth-keys 'eth-hash[pycryptodome]'
  run mypy --strict read.py sign.py claim.py
  local python=(python -W error::DeprecationWarning)
  prints "$blocks" "${python[@]}" read.py
  prints "$rows" "${python[@]}" rows.py
  prints "claimed lot-python" "${python[@]}" claim.py $vectors

  mkdir documented
  without_warnings openapi-python-client generate --fail-on-warning --meta none \
    --path $documented --output-path documented/blockchain_node_api_client
  cat >documented/program.py <<'END'
from typing import assert_type

from blockchain_node_api_client import Client
from blockchain_node_api_client.api.queries import get_block
from blockchain_node_api_client.models import Block

assert_type(get_block.sync(client=Client(base_url=""), block_index=1), Block | None)
END
  cd documented
  run mypy --strict --follow-imports silent program.py
}

check_typescript() {
  without_warnings bash -e typescript.sh
  run npm install --silent --no-fund --no-audit @noble/curves@2.4.0 @noble/hashes@2.4.0 @types/node@20.19.43
  without_warnings npx openapi-typescript $documented --output documented.ts
  cat >program.ts <<'END'
import createClient from "openapi-fetch";
import type { paths } from "./documented.js";

const { data } = await createClient<paths>().GET("/get-block", { params: { query: { block_index: 1 } } });
if (data) data.index satisfies number;
END
  run npx tsc --strict --module nodenext --target es2022 read.ts rows.ts claim.ts program.ts
  prints "$blocks" node read.js
  prints "$rows" node rows.js
  prints "claimed lot-typescript" node claim.js $vectors
}

cp read.py rows.py
cp read.ts rows.ts
start --fault block-rows
for file in rows.py rows.ts; do at "$url" $file; done
start
for file in read.py claim.py; do at "$url" $file; done
start
for file in read.ts claim.ts; do at "$url" $file; done

# Most of the time is for packages, so both run at once.
checks=()
for language in python typescript; do
  (set -e; "check_$language") >$language.log 2>&1 &
  checks+=($!)
done
failed=0
for check in "${checks[@]}"; do wait "$check" || failed=1; done
cat python.log typescript.log >&2
if [ $failed = 0 ]; then echo "the clients for Python and TypeScript read the local node, and made claims" >&2; fi
exit $failed
