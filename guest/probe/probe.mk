# SPDX-License-Identifier: Apache-2.0
# The neutral probe (docs/design/probe.md): build/BOARD/probe.bin, an arm64 Image or a zImage.

# A static position-independent executable: it runs wherever a loader puts it.
PROBE_FLAGS := $(COMMON_FLAGS) $(HYP_ISA_FLAGS) -fpie -Iguest/probe/arch/$(ISA)/include \
	'-DGIC_BASES=(&gic)'
PROBE_SOURCES := $(wildcard guest/probe/*.c guest/probe/arch/$(ISA)/*.S) guest/kernel/memcpy.c \
	guest/kernel/memset.c lib/crc32.c lib/median.c lib/text.c $(GIC_SOURCES) \
	drivers/gic/gic_bases.c drivers/uart/uart.c drivers/uart/pl011.c
PROBE_OBJECTS := $(PROBE_SOURCES:%=$(OUT)/probe/%.o)

$(OUT)/probe.elf: $(PROBE_OBJECTS) $(OUT)/probe.ld
	$(call say,LD,$@)
	$(Q)$(CROSS)gcc $(PROBE_FLAGS) $(filter-out -no-pie -static,$(LINK)) -nostdlib -Wl,-pie \
		-Wl,--no-dynamic-linker -T $(OUT)/probe.ld $(PROBE_OBJECTS) -lgcc -o $@

$(OUT)/probe.bin: $(OUT)/probe.elf
	$(Q)$(CROSS)objcopy -O binary $< $@

$(OUT)/probe/%.o: % $(MAKE_FILES) guest/probe/probe.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CROSS)gcc $(PROBE_FLAGS) -MMD -MP -c $< -o $@

-include $(PROBE_OBJECTS:.o=.d)

$(unlocked)qemu-image: $(OUT)/probe.bin
