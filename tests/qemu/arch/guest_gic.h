/* SPDX-License-Identifier: Apache-2.0 */
/* Access to the GIC of an unmodified guest (abi/virt.h), by instructions that EL2 can emulate.
 * Defines: GIC, 2 or 3. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/mmio.h"
#include "guest_core.h"

#define GICD 0x08000000u
#define GICC 0x08010000u
#define GICR 0x080a0000u
#define GICR_STRIDE 0x20000u
#define GICR_SGI 0x10000u

#define IGROUPR 0x080u
#define ISENABLER 0x100u
#define ICENABLER 0x180u
#define ISPENDR 0x200u
#define ICACTIVER 0x380u
#define IPRIORITYR 0x400u
#define ITARGETSR 0x800u
#define ICFGR 0xc00u
#define SGIR 0xf00u
#define IROUTER 0x6000u

#define SPURIOUS 1023u
#define NOBODY (~0u) /* argument of route(): no vCPU */

#if GIC == 2
/* Return the base address of the registers for private interrupts. */
static inline uintptr_t private_of(uint32_t vcpu)
{
	(void)vcpu;
	return GICD;
}

static inline void route(uint32_t intid, uint32_t vcpu)
{
	mmio_write8(GICD + ITARGETSR + intid, vcpu == NOBODY ? 0 : (uint8_t)(1u << vcpu));
}

static inline void send(uint32_t id, uint32_t vcpus)
{
	mmio_write32(GICD + SGIR, vcpus << 16 | id);
}

static inline uint32_t acknowledge(bool group0)
{
	(void)group0;
	return mmio_read32(GICC + 0xc);
}

static inline void end(bool group0, uint32_t iar)
{
	(void)group0;
	mmio_write32(GICC + 0x10, iar);
}

/* Turn the interface on for the group in which interrupts are by default. */
static inline void interface_on(uint32_t vcpu)
{
	(void)vcpu;
	mmio_write32(GICD, 1);
	mmio_write32(GICC + 4, 0xff); /* PMR */
	mmio_write32(GICC, 1);
}
#else
static inline uintptr_t private_of(uint32_t vcpu)
{
	return GICR + GICR_STRIDE * vcpu + GICR_SGI;
}

static inline void route(uint32_t intid, uint32_t vcpu)
{
	mmio_write64(GICD + IROUTER + 8 * intid, vcpu == NOBODY ? 0x100 : vcpu);
}

static inline void send(uint32_t id, uint32_t vcpus)
{
	__asm__ volatile("msr s3_0_c12_c11_5, %0" ::"r"((uint64_t)id << 24 | vcpus)); /* SGI1R */
}

static inline uint32_t acknowledge(bool group0)
{
	uint64_t iar;

	if (group0)
		__asm__ volatile("mrs %0, s3_0_c12_c8_0" : "=r"(iar)); /* ICC_IAR0_EL1 */
	else
		__asm__ volatile("mrs %0, s3_0_c12_c12_0" : "=r"(iar)); /* ICC_IAR1_EL1 */
	return (uint32_t)iar;
}

static inline void end(bool group0, uint32_t iar)
{
	if (group0)
		__asm__ volatile("msr s3_0_c12_c8_1, %0\n\tisb" ::"r"((uint64_t)iar)); /* EOIR0 */
	else
		__asm__ volatile("msr s3_0_c12_c12_1, %0\n\tisb" ::"r"((uint64_t)iar)); /* EOIR1 */
}

/* Turn Group 1 on and put all interrupts into it. */
static inline void interface_on(uint32_t vcpu)
{
	mmio_write32(GICD, 0x12); /* ARE, Group 1 */
	mmio_write32(private_of(vcpu) + IGROUPR, ~0u);
	for (unsigned i = 1; i < 4; i++)
		mmio_write32(GICD + IGROUPR + 4 * i, ~0u);
	__asm__ volatile("msr s3_0_c4_c6_0, %0\n\t"      /* ICC_PMR_EL1 */
			 "msr s3_0_c12_c12_7, %1\n\tisb" /* ICC_IGRPEN1_EL1 */
			 ::"r"(0xfful),
			 "r"(1ul));
}
#endif

/* Sleep until an interrupt is signalled, and acknowledge it. */
static inline uint32_t next_interrupt(void)
{
	uint32_t iar;

	while (((iar = acknowledge(false)) & 0x3ff) == SPURIOUS) {
		dsb_sy();
		sleep();
	}
	return iar;
}
