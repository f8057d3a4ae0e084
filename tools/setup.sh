#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what hypbench is built, run and tested with, as far as it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${HYPBENCH_BUILD:-build}
log=$build/setup.log # what apt-get and pip say

usage() {
	cat <<-'END'
	usage: tools/setup.sh [--check] [--quiet] [WHAT...]

	Installs what is missing: distribution packages, then a Python environment in build/venv
	(HYPBENCH_BUILD names another folder than build).
	  --check   only report; exit status 1 when something is missing
	  --quiet   print nothing where nothing is missing
	  WHAT      armv7 | armv8 | qemu | host | check | debug | python   (default: these; the word
	            default names them), and
	            boards, for what a boot loader or a card is given,
	            guests, for unmodified guests,
	            peers, for other hypervisors that run the neutral probe,
	            farm, labgrid for boards in racks, in an environment of its own, and
	            report, which only the tests need
	END
}

default_groups=(armv7 armv8 qemu host check debug python)
check_only=no
quiet=no
groups=()
for word in "$@"; do
	case $word in
	--check) check_only=yes ;;
	--quiet) quiet=yes ;;
	-h | --help) usage; exit 0 ;;
	default) groups+=("${default_groups[@]}") ;;
	armv7 | armv8 | qemu | host | check | debug | python | boards | guests | peers | farm | \
		report)
		groups+=("$word")
		;;
	*) echo "setup: unknown word '$word'" >&2; usage >&2; exit 2 ;;
	esac
done
[ ${#groups[@]} -gt 0 ] || groups=("${default_groups[@]}")

fail() {
	echo "setup: $*" >&2
	exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }
# A file a compiler finds by itself is printed with its whole path, any other as it was asked for.
compiler_finds() { have "$1" && [ "$("$1" -print-file-name="$2")" != "$2" ]; }
host_header() {
	local name
	have gcc && for name in "$@"; do echo "#include <$name>"; done | gcc -E - >/dev/null 2>&1
}

has_font() {
	if have fc-list; then
		[ -n "$(fc-list :lang=en family | head -n 1)" ]
	else
		compgen -G '/usr/share/fonts/truetype/*/*.ttf' >/dev/null
	fi
}

packages=() # missing distribution packages
# need PACKAGE TOOL REASON: notes a missing package and says what it is for.
need() {
	packages+=("$1")
	printf 'missing: %s (package %s): %s\n' "$2" "$1" "$3"
}

group_armv7() {
	have arm-none-eabi-gcc ||
		need gcc-arm-none-eabi arm-none-eabi-gcc "compiles hypervisor and guest for ARMv7"
	compiler_finds arm-none-eabi-gcc libc.a ||
		need libnewlib-arm-none-eabi newlib "the ARMv7 guest's C library"
}

group_armv8() {
	# The bare-metal toolchain brings a C library of its own.
	have aarch64-none-elf-gcc && return
	have aarch64-linux-gnu-gcc ||
		need gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc \
			"compiles hypervisor and guest for ARMv8"
	compiler_finds aarch64-linux-gnu-gcc picolibc.specs ||
		[ -e /usr/lib/picolibc/aarch64-linux-gnu/picolibc.specs ] ||
		need picolibc-aarch64-linux-gnu picolibc "the ARMv8 guest's C library"
}

group_qemu() {
	{ have qemu-system-arm && have qemu-system-aarch64; } ||
		need qemu-system-arm "qemu-system-arm, qemu-system-aarch64" \
			"runs the images without a board"
}

group_host() {
	have gcc || need gcc gcc "compiles the unit tests for this machine"
	have make || need make make "runs the build"
	have git || need git git "names the build in every record"
	host_header stdio.h || need libc6-dev stdio.h "the C library the unit tests link"
	host_header stdarg.h stddef.h setjmp.h stdint.h cmocka.h ||
		need libcmocka-dev cmocka "the unit tests' framework"
}

group_check() {
	have clang-format || need clang-format clang-format "checks the layout of the C text"
	have cppcheck || need cppcheck cppcheck "looks for faults in the C text"
	have shellcheck || need shellcheck shellcheck "checks the shell scripts"
}

group_debug() {
	have gdb-multiarch || need gdb-multiarch gdb-multiarch "debugs an image under QEMU"
}

group_python() {
	have python3 || need python3 python3 "runs the host tools"
	python3 -c 'import venv, ensurepip' 2>/dev/null ||
		need python3-venv "python3 venv" "makes the environment of the host tools"
}

group_farm() {
	group_python
}

group_boards() {
	{ have mkimage && have dumpimage; } ||
		need u-boot-tools "mkimage, dumpimage" "makes what U-Boot boots, and reads it back"
	have mcopy || need mtools mtools "fills and lists the FAT of a card"
	# /usr/sbin is not in every user's PATH
	have sfdisk || [ -x "${SBIN:-/usr/sbin}/sfdisk" ] || need fdisk sfdisk "partitions a card"
	group_guests
}

group_guests() {
	have dtc || need device-tree-compiler dtc "reads and makes device trees, and FIT images"
}

group_peers() {
	group_guests
	have aarch64-linux-gnu-gcc ||
		need gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc \
			"compiles the VMM that KVM is run by"
	[ -e "${CROSS_LIBC:-/usr/aarch64-linux-gnu/lib/libc.a}" ] ||
		need libc6-dev-arm64-cross "an arm64 C library" \
			"is linked into the VMM that KVM is run by"
}

group_report() {
	# No command needs them: they are for the tests of the page, of make flash and of guests.
	have chromium || need chromium chromium "opens the report in its test"
	have mkfs.ext4 || [ -x "${SBIN:-/usr/sbin}/mkfs.ext4" ] ||
		need e2fsprogs mkfs.ext4 "makes what make flash refuses, in its test"
	has_font || need fonts-dejavu-core "a font" "shows the report's text in its test"
	have lz4 || need lz4 lz4 "packs a guest's image, which run-guest refuses, in its test"
}

install_packages() {
	local as_root=()
	[ "$(id -u)" -eq 0 ] || as_root=(sudo)
	if ! have apt-get; then
		fail "this system has no apt-get; install the tools above with its own package" \
			"manager (the names are Debian's), then run this again"
	fi
	if [ ${#as_root[@]} -gt 0 ] && ! have sudo; then
		fail "run as root: apt-get install ${packages[*]}"
	fi
	{
		"${as_root[@]}" apt-get -qq update
		"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y \
			--no-install-recommends "${packages[@]}"
	} >"$log" 2>&1 9>&- || # a daemon that a package starts keeps no lock
		fail "apt-get could not install: ${packages[*]}; $log has the reason (no network?)"
	echo "installed: ${packages[*]}"
}

at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]; }

# A distribution may carry a QEMU older than this project was tried with.
check_qemu_version() {
	local version
	have qemu-system-aarch64 || return 0
	version=$(qemu-system-aarch64 --version | sed -n '1s/.*version \([0-9.]*\).*/\1/p')
	at_least "$version" 7.2 || fail "QEMU $version is too old: hypbench needs 7.2 or newer"
	[ $quiet = yes ] || at_least "$version" 9.0 ||
		echo "setup: QEMU $version has no raspi4b: what runs on it is skipped;" \
			"9.0 or newer has (Debian 12: the suite bookworm-backports)"
}

# An environment has the packages of one file. labgrid has one of its own: labgrid's serial library
# takes the place of the library that the host tools use.
declare -A requirements=([venv]=tools/requirements.txt [farm-venv]=tools/requirements_farm.txt)
declare -A program=([venv]=hypbench [farm-venv]=labgrid-client)
venv_key() { cat "${requirements[$1]}" <(pwd; python3 --version) | sha256sum | cut -d ' ' -f 1; }
venv_ready() {
	[ -x "$build/$1/bin/${program[$1]}" ] &&
		[ "$(cat "$build/$1/hypbench.stamp" 2>/dev/null)" = "$(venv_key "$1")" ]
}

# The stamp goes first and comes last: a half-made environment is made anew.
install_venv() {
	local venv=$build/$1
	python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
		fail "$(python3 --version) is too old: hypbench needs 3.11 or newer"
	rm -f "$venv/hypbench.stamp"
	{
		python3 -m venv --clear "$venv" &&
			"$venv/bin/pip" install -q --no-compile --disable-pip-version-check \
				-r "${requirements[$1]}"
	} >"$log" 2>&1 ||
		fail "the Python packages could not be installed; $log has the reason (no network?)"
	[ "$1" != venv ] || install_command "$venv"
	venv_key "$1" >"$venv/hypbench.stamp"
	echo "installed: $venv (${requirements[$1]})"
}

# The package is used where it lies: nothing is written into the source.
install_command() {
	echo "$PWD/tools" >"$(echo "$1"/lib/python3*/site-packages)/hypbench.pth"
	cat >"$1/bin/hypbench" <<-'END'
		#!/bin/sh
		main="from hypbench.cli import main; main(prog_name='hypbench')"
		exec "${0%/*}/python" -P -c "$main" "$@"
	END
	chmod +x "$1/bin/hypbench"
}

# One set-up at a time: the second finds what the first installed.
wait_for_others() {
	have flock || return 0
	mkdir -p "$build"
	exec 9>"$build/setup.lock"
	flock -n 9 || { echo "setup: another one is under way; waiting" >&2; flock 9; }
}

wants() { [[ " ${groups[*]} " == *" $1 "* ]]; }

[ $check_only = yes ] || wait_for_others
for group in "${groups[@]}"; do
	"group_$group"
done
venvs=()
# missing_venv NAME REASON: notes an environment that is missing or old.
missing_venv() {
	venv_ready "$1" && return
	venvs+=("$1")
	echo "missing: $build/$1: $2"
}
! wants python || missing_venv venv "the Python environment of the host tools"
! wants farm || missing_venv farm-venv "labgrid, for boards in racks"
if [ ${#packages[@]} -eq 0 ] && [ ${#venvs[@]} -eq 0 ]; then
	! wants qemu || check_qemu_version
	[ $quiet = yes ] || echo "setup: nothing missing"
	exit 0
fi
if [ $check_only = yes ]; then
	fail "tools/setup.sh ${groups[*]} installs it"
fi
[ ${#packages[@]} -eq 0 ] || install_packages
! wants qemu || check_qemu_version
for name in "${venvs[@]}"; do
	install_venv "$name"
done
