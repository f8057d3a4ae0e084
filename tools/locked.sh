#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: tools/locked.sh FOLDER COMMAND...
# Runs a command that writes into FOLDER; who comes second waits. Whatever the command started
# holds the lock until it ends.
set -euo pipefail
folder=$1
shift

mkdir -p "$folder"
if command -v flock >/dev/null; then
	exec {lock}>"$folder/make.lock"
	flock -n "$lock" || {
		echo "another make is at work in $folder; waiting" >&2
		flock "$lock"
	}
fi
exec "$@"
