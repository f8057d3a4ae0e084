/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine of an unmodified guest on every board: addresses and interrupts of QEMU's `virt` (its
 * device tree: -M virt,dumpdtb=). All addresses are IPAs.
 */
#pragma once

#define VIRT_FLASH 0x00000000u /* two adjacent banks */
#define VIRT_FLASH_BANK_SIZE 0x04000000u
#define VIRT_FLASH_BANKS 2u
#define VIRT_GICD 0x08000000u
#define VIRT_GICC 0x08010000u /* GICv2 */
#define VIRT_GICR 0x080a0000u /* GICv3: 128 KiB for each vCPU */
#define VIRT_UART 0x09000000u /* a PL011 */
#define VIRT_UART_SIZE 0x1000u
#define VIRT_UART_INTID 33u     /* SPI 1, high level */
#define VIRT_VIRTIO 0x0a000000u /* a memory-mapped transport */
#define VIRT_VIRTIO_SLOTS 32u   /* number of transports, VIRTIO_SIZE apart */
#define VIRT_VIRTIO_INTID 48u   /* SPI 16 */
#define VIRT_RAM 0x40000000u
