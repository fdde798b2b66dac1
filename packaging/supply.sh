#!/bin/sh
# Checks what urlset is made of: licences, sources and known vulnerabilities of crates and of Python packages, and the
# workflows. It needs the network for the databases of advisories; what cannot be reached is said, and fails the check.
set -eu
cd "$(dirname "$0")/.."
bin="${BIN:-.venv/bin}"
failed=""
try() {
    echo "\$ $*"
    "$@" || failed="$failed
  $*"
}
command -v cargo-deny > /dev/null || cargo install --locked --quiet cargo-deny
"$bin/python" -m pip install --quiet pip-audit zizmor
try "$bin/python" packaging/notices.py --check
try cargo deny --locked check licenses bans sources
try cargo deny --locked check advisories
try "$bin/zizmor" --offline --pedantic .github/workflows action.yml
try "$bin/pip-audit" --strict --progress-spinner off .
if [ -n "$failed" ]; then
    echo "these checks failed:$failed" >&2
    exit 1
fi
