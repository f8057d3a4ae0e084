#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the unit-test programs named as arguments, all of them, with a line each. Beside a program
# it leaves <program>.xml (JUnit) and <program>.log. Fails when one of them failed.

status=0
for program in "$@"; do
	xml=$program.xml
	log=$program.log
	rm -f "$xml" # cmocka does not overwrite
	if CMOCKA_MESSAGE_OUTPUT=XML CMOCKA_XML_FILE=$xml "$program" >"$log" 2>&1 &&
		count=$(grep -c '<testcase ' "$xml"); then
		echo "ok      ${program##*/}: $count tests"
	else
		status=1
		echo "FAILED  ${program##*/}"
		# The failed ones by name with their messages, and what a sanitizer said
		test -f "$xml" && sed -n '/<testcase /h
			/<failure>/,/<\/failure>/{ x; /./p; s/.*//; x; p; }' "$xml"
		cat "$log"
	fi
done
exit $status
