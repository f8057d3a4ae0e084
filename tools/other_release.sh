#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Run a command on the other Debian release, 13 on 12 and 12 on 13 (RELEASE names another). Without
# a command, run README's commands as on a machine that has nothing, the day of a new user, and the
# tests of the board imx8mp, which Debian 12's QEMU does not run. The release is a root made by
# debootstrap from this machine's own mirror (OTHER_ROOT, or in build/<release>), with this tree at
# its place and a build folder of its own. Where no such root can be, a line reports why, and a
# given command fails.
set -euo pipefail
cd "$(dirname "$0")/.."

unable() {
	echo "other_release: nothing was run on $release: $*"
	exit "$asked"
}

from_nothing() {
	apt-get -qq update
	eval "$(sed -n 's/^sudo apt \(install [^#]*\).*/apt-get -qq \1 -y/p' README.md)"
	make bench
	make qemu-test
	build/venv/bin/pytest -q -rs tests/nightly/test_new_day.py
	make qemu-image image BOARD=imx8mp # Debian 12 has no QEMU with this machine
	build/venv/bin/pytest -q -rs -n 2 tests/qemu -k imx8mp
}

# In a namespace of its own, as debootstrap is, so that no mount is left, also after a kill.
inside() {
	for folder in "$tree" "$git"; do
		mkdir -p "$root$folder"
		mount --bind "$folder" "$root$folder"
	done
	mount --bind "$build" "$root$tree/build"
	mount -t proc proc "$root/proc"
	mount --rbind /sys "$root/sys"
	mount --rbind /dev "$root/dev"
	exec chroot "$root" env -C "$tree" "GIT_CONFIG_COUNT=1" "GIT_CONFIG_KEY_0=safe.directory" \
		"GIT_CONFIG_VALUE_0=*" bash -euc '"$@"' - "$@"
}

make_root() {
	command -v debootstrap >/dev/null || {
		apt-get -qq update
		apt-get -qq install -y --no-install-recommends debootstrap
	} >"$log" 2>&1 || unable "no debootstrap (see $log)"
	rm -rf --one-file-system "$root.half"
	"${namespace[@]}" debootstrap --variant=minbase --include=ca-certificates "$release" \
		"$root.half" "$mirror" >"$log" 2>&1 ||
		unable "debootstrap failed (see $log): $(tail -n 1 "$log")"
	mv "$root.half" "$root"
}

# For the network: names, certificates, proxies, pip's index.
share_configuration() {
	local file
	for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt \
		"$HOME"/.config/pip/pip.conf; do
		[ -e "$file" ] || continue
		mkdir -p "$root${file%/*}"
		cp -L --remove-destination "$file" "$root$file" # through no link: it leads here
	done
	apt-config dump | grep -iE '^Acquire::https?::.*proxy' \
		>"$root/etc/apt/apt.conf.d/90proxy" || true
}

case $(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release) in
bookworm) release=${RELEASE:-trixie} ;;
*) release=${RELEASE:-bookworm} ;;
esac
asked=$((!!$#))
tree=$PWD
build=$tree/build/$release/build
root=${OTHER_ROOT:-$tree/build/$release/root}
log=$tree/build/$release/log
namespace=(unshare --mount --propagation private)

[ "$(id -u)" -eq 0 ] || unable "not root"
mirror=$(build/venv/bin/hypbench dev backports 2>&1) || unable "${mirror#Error: }"
mirror=$(sed -n 's/^URIs: //p' <<<"$mirror")
git=$(git rev-parse --path-format=absolute --git-common-dir) || unable "no git work tree"
"${namespace[@]}" mount --bind / /mnt || unable "no namespace with mounts of its own"
mkdir -p "$build"
exec 9>"$build.lock"
flock 9 # two at once make one root
[ -d "$root" ] || make_root
exec 9>&-
share_configuration
if [ $# -gt 0 ]; then
	set -- bash -euc 'tools/setup.sh default boards report; "$@"' - "$@"
else
	set -- from_nothing
fi
export -f inside from_nothing
export root tree git build
exec "${namespace[@]}" bash -euc 'inside "$@"' - "$@"
