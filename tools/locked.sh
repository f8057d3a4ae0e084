#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: tools/locked.sh FOLDER COMMAND...
# Runs a command that writes into FOLDER. A second command waits until every process of the first
# has ended, and reports a wait of more than two seconds.
set -euo pipefail
folder=$1
shift

mkdir -p "$folder"
if command -v flock >/dev/null; then
	exec {lock}>"$folder/make.lock"
	flock -w 2 "$lock" || {
		echo "another make is at work in $folder; waiting" >&2
		flock "$lock"
	}
fi
exec "$@"
