# SPDX-License-Identifier: Apache-2.0
# On the card as boot.scr: U-Boot's distro boot runs it and says by the variables where it found it.
# bootm with a device tree enters HYP mode; `go`, or bootm without a tree, does not. The image goes
# from loadaddr (0x43e00000) to where it is linked (0x82000000).
setenv from ${devtype} ${devnum}:${distro_bootpart}
if load ${from} ${loadaddr} ${prefix}hypbench.itb; then
	bootm ${loadaddr}
fi
# without a FIT: the image and the device tree, a file each
if load ${from} ${loadaddr} ${prefix}hypbench.uimg; then
	if load ${from} ${fdt_addr_r} ${prefix}${fdtfile}; then
		bootm ${loadaddr} - ${fdt_addr_r}
	fi
fi
echo "hypbench: neither hypbench.itb nor hypbench.uimg and ${fdtfile} could be started"
