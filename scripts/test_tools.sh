#!/usr/bin/env bash
# Installs what tests need beside what is built: Debian packages, and the virtual environments in the build folder. Goes on after
# failures: those who need what is missing say so, and their tests are skipped.
set -uo pipefail
build=${1:-build}
cd "$(dirname "$0")/.."

bash scripts/readers.sh "$build" || echo "make: tests with other people's readers of draws will be skipped" >&2
bash scripts/python_tools.sh "$build"
bash scripts/setup.sh r
bash scripts/setup.sh browser || echo "make: tests that open reports in a browser will be skipped" >&2
