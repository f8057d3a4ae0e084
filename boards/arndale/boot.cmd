# SPDX-License-Identifier: Apache-2.0
# U-Boot's script on the card. bootm with a device tree enters HYP; `go`, or bootm without a tree,
# does not.
load ${devtype} ${devnum}:${distro_bootpart} ${loadaddr} hypbench.itb
bootm ${loadaddr}
