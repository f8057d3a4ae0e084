#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a QEMU that has raspi4b, from Debian's backports suite, where the release has an older
# one. It adds a source to apt, so only .ci/run calls it, on a machine of its own. Without such a
# suite everything stays as it was, and the tests go on with the QEMU of the release.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted=9.0
program=qemu-system-aarch64
say() { echo "newer_qemu: $*"; }
go_on() {
	say "$*; going on with what the release has, without raspi4b"
	exit 0
}

version() { "$program" --version 2>/dev/null | sed -n '1s/.*version \([0-9.]*\).*/\1/p'; }
# what apt would install
candidate() {
	apt-cache policy qemu-system-arm 2>/dev/null |
		sed -n 's/^ *Candidate: \([0-9]*:\)\?\([0-9.]*[0-9]\).*/\2/p'
}
at_least() { [ "$(printf '%s\n' "$1" "$wanted" | sort -V | head -n 1)" = "$wanted" ]; }
is_new() { command -v "$program" >/dev/null && at_least "$(version)"; }

if is_new; then
	say "QEMU $(version) has raspi4b"
	exit 0
fi
[ "$(id -u)" -eq 0 ] || go_on "not root"
if ! command -v "$program" >/dev/null; then
	apt-get -qq update || true
	if at_least "$(candidate)"; then
		say "QEMU $(candidate) of the release has raspi4b"
		exit 0
	fi
fi
entry=$(build/venv/bin/hypbench dev backports 2>&1) || go_on "${entry#Error: }"
suite=$(sed -n 's/^Suites: //p' <<<"$entry")
parts=
eval "$(apt-config shell parts Dir::Etc::sourceparts/d)"

source=
if [ -n "$(build/venv/bin/hypbench dev backports --missing)" ]; then
	source=${parts%/}/hypbench-backports.sources
	printf '%s\n' "$entry" >"$source"
fi
apt-get -qq update || true # what is missing is seen below
# These three alone, and what they need newer: with -t, libraries would come from there, too, of
# which the release's compilers want their own version.
if ! env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
	qemu-system-{arm,common,data}/"$suite" >/dev/null; then
	if [ -n "$source" ]; then
		rm -f "$source"
		apt-get -qq update || true
	fi
	go_on "the suite $suite gives no QEMU"
fi
is_new || go_on "the QEMU of $suite is $(version)"
say "installed: QEMU $(version) from $suite"
