# SPDX-License-Identifier: Apache-2.0
# U-Boot's script on the card: the image beside it, with the device tree that the firmware left.
load ${devtype} ${devnum}:${distro_bootpart} ${kernel_addr_r} hypbench.img
booti ${kernel_addr_r} - ${fdt_addr}
