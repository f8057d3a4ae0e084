#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: tools/debug.sh "QEMU COMMAND" BUILD_FOLDER [GDB ARGUMENT...]
# QEMU halted before the first instruction, gdb attached to it, symbols of hypervisor and guest.
# The console goes to BUILD_FOLDER/debug.log. QEMU ends with gdb.
set -euo pipefail
qemu=$1
folder=$2
shift 2

gdb=$(command -v gdb-multiarch || command -v gdb) || {
	echo "debug: no gdb-multiarch; install it with: make setup" >&2
	exit 1
}
echo "debug: the console is in $folder/debug.log; hypervisor symbols: hyp_main, trap_sync;" \
	"guest symbols: guest_main"
# Also where gdb is killed.
command -v setpriv >/dev/null && qemu="setpriv --pdeathsig KILL $qemu"
exec "$gdb" -q \
	-ex "set confirm off" \
	-ex "file $folder/hypbench.elf" \
	-ex "add-symbol-file $folder/guest.elf" \
	-ex "target remote | exec $qemu -smp 1 -display none -monitor none -nic none \
-serial file:$folder/debug.log -semihosting-config enable=on,target=gdb \
-icount shift=4,sleep=off -kernel $folder/hypbench.elf -S -gdb stdio" "$@"
