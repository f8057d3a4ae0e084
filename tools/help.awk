# SPDX-License-Identifier: Apache-2.0
# Prints the targets of the makefiles by groups, a line each: the line `## target: text` of each, and
# the lines `### group: targets`, of which a group may have several. A target without a group comes
# last.
/^### / {
	at = index($0, ": ")
	name = substr($0, 5, at - 5)
	if (name != names[groups])
		names[++groups] = name
	members[groups] = members[groups] " " substr($0, at + 2)
}
/^## [a-z0-9-]*: / {
	at = index($0, ": ")
	target = substr($0, 4, at - 4)
	text[target] = substr($0, at + 2)
	order[++targets] = target
}
function line(target) {
	printf "  make %-18s %s\n", target, text[target]
	shown[target] = 1
}
END {
	for (group = 1; group <= groups; group++) {
		print names[group]
		count = split(members[group], words, " ")
		for (at = 1; at <= count; at++)
			line(words[at])
	}
	for (at = 1; at <= targets; at++)
		if (!(order[at] in shown))
			line(order[at])
}
