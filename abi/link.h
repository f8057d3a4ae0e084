/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A link between two VMs (a table [link.NAME] of a scenario) of kind doorbell: shared memory, and a
 * register that raises an interrupt in the other VM. Each VM finds both at guest_run.link_base:
 *
 *   +0x00000  the doorbell, emulated: a write of any size rings; reads return 0
 *   +0x10000  the window: LINK_WINDOW_SIZE bytes of normal memory that both VMs share, 0 at the
 *             begin of a step; a restart of a VM keeps its contents
 *
 * A ring pends an SPI of the other VM, its guest_run.link_intid. A ring is lost if that SPI is
 * pending already; a ring waits while the VM is paused or has the SPI disabled.
 */
#pragma once

#define LINK_DOORBELL 0x0u
#define LINK_DOORBELL_SIZE 0x1000u
#define LINK_WINDOW 0x10000u
#define LINK_WINDOW_SIZE 0x10000u
#define LINK_SIZE 0x200000u /* addresses, and RAM, that a link takes */
