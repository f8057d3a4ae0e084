#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints which share of the lines of each folder of hyp/ the unit tests execute, as gcov counts them
# in the programs' objects below the folder that is named.
find "$1" -name '*.gcda' -exec gcov --no-output {} + 2>/dev/null | awk '
	/^File / { split($2, name, "\047"); file = name[2]; next }
	/^Lines executed:/ && file ~ /^hyp\/.*\.c$/ {
		split($0, part, /[:%]/)
		sub(/\/[^\/]*$/, "", file)
		executed[file] += part[2] * $NF / 100
		lines[file] += $NF
		file = ""
	}
	END {
		for (folder in lines) {
			printf "covered %-16s %3.0f%% of %4d lines\n", folder,
				100 * executed[folder] / lines[folder], lines[folder] | "sort"
			all += executed[folder]
			count += lines[folder]
		}
		close("sort")
		if (!count) exit 1
		printf "covered %-16s %3.0f%% of %4d lines: the files that a test links\n", "hyp",
			100 * all / count, count
	}'
