# SPDX-License-Identifier: Apache-2.0
# Unit tests on the host: included by the top Makefile, run by `make unit-test`; one program alone
# by `make build/unit/test_plan` and then that program, from the top of the tree, with the name
# of a test as an argument for that test alone.
#
# A program is one file, tests/unit/test_<subject>.c, found by its name; its tests are TEST(name) of
# tests/unit/unit.h. It gets all of lib/ and the fake machine (tests/unit/fake); sources of other
# layers that it needs stand in lines of its own:
#	/* LINK: hyp/mem/stage2.c drivers/gic/gicv2.c */
# The word exit-path stands for everything after hyp/trap/trap.c but the GIC driver;
# exit-path-of-cores for the same on several cores; exit-path-but-posts for the same without the
# files of posts, which a test includes; vgic-oracle for the oracle of the virtual GIC;
# gicv2-combined for the GICv2 driver with gicv2_combined.c.

BUILD ?= build
HOST_CC ?= gcc

unit_dir := $(BUILD)/unit
unit_tests := $(patsubst tests/unit/%.c,%,$(sort $(wildcard tests/unit/test_*.c)))
unit_programs := $(unit_tests:%=$(unit_dir)/%)
unit_headers := $(patsubst %,$(unit_dir)/generated/%.inc,sysreg sysreg_gicv3 el1_regs newer_regs)
unit_lib := $(patsubst %.c,$(unit_dir)/%.o,$(wildcard lib/*.c))
unit_fake := $(patsubst %.c,$(unit_dir)/%.o,tests/unit/unit.c $(wildcard tests/unit/fake/*.c))

unit_cflags := -std=gnu11 -O1 -g -fno-omit-frame-pointer -ffp-contract=off \
	-fsanitize=address,undefined -fno-sanitize-recover=all \
	-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wmissing-prototypes -Wvla -Wundef \
	-Werror -Wno-unused-parameter -Itests/unit/fake -I. -I$(unit_dir) -Iarch/common/include \
	'-DGIC_BASES=(&gic)'

unit_exit_path := \
	tests/unit/vgic_guest.c tests/unit/cold_exit.c hyp/trap/trap.c hyp/trap/trap_account.c \
	hyp/arch/armv8/sysreg_trap.c hyp/trap/hypercall.c hyp/mem/cold.c hyp/cpu/smp.c \
	hyp/cpu/errata.c hyp/trap/exit_stats.c hyp/cpu/fp.c hyp/dev/null_device.c hyp/vm/psci.c \
	hyp/base/record.c hyp/sched/sched.c hyp/cpu/timerq.c hyp/vcpu/vcpu_switch.c \
	hyp/mem/guest_ram.c hyp/mem/stage2.c hyp/mem/stage2_lazy.c hyp/vm/guest_record.c \
	hyp/vm/vgicd.c hyp/vm/vgicd_v2.c hyp/vm/vgicd_v3.c hyp/vcpu/vgic.c hyp/vcpu/vgic_lr.c \
	hyp/vcpu/vgic_post.c hyp/vm/vgicd_post.c hyp/dev/vpl011.c \
	hyp/vcpu/vtimer.c hyp/vcpu/vppi.c drivers/gic/gic_dist.c drivers/timer/generic_timer.c

# Of several cores, which tests/unit/cores.c plays.
unit_exit_path_of_cores := tests/unit/cores.c \
	$(filter-out tests/unit/vgic_guest.c hyp/cpu/smp.c hyp/sched/sched.c,$(unit_exit_path))

# test_x:hyp/y.c for every source that a test asks for
unit_links := $(if $(unit_tests),$(shell awk '/^\/\* LINK: .*\*\/$$/ { \
	split(FILENAME, path, "/"); name = path[3]; sub(/\.c$$/, "", name); \
	for (i = 3; i < NF; i++) print name ":" $$i }' $(unit_tests:%=tests/unit/%.c)))
unit_links += $(foreach link,$(filter %:drivers/gic/gicv2.c,$(unit_links)),\
	$(addprefix $(link:%gicv2.c=%),gic_bases.c gic_active.c gicv2_split.c))
unit_links += $(foreach link,$(filter %:drivers/gic/gicv3.c,$(unit_links)),\
	$(addprefix $(link:%gicv3.c=%),gic_bases.c gic_active.c))
unit_links += $(foreach link,$(filter %:gicv2-combined,$(unit_links)),\
	$(addprefix $(link:%gicv2-combined=%)drivers/gic/,gic_bases.c gicv2.c gicv2_combined.c))
unit_links += $(foreach link,$(filter %:exit-path,$(unit_links)),\
	$(addprefix $(link:%exit-path=%),$(unit_exit_path)))
unit_links += $(foreach link,$(filter %:exit-path-of-cores,$(unit_links)),\
	$(addprefix $(link:%exit-path-of-cores=%),$(unit_exit_path_of_cores)))

unit_links += $(foreach link,$(filter %:vgic-oracle,$(unit_links)),\
	$(addprefix $(link:%vgic-oracle=%),tests/unit/vgic_oracle.c tests/unit/vgic_model.c))

unit_links += $(foreach link,$(filter %:exit-path-but-posts,$(unit_links)),\
	$(addprefix $(link:%exit-path-but-posts=%),\
	$(filter-out hyp/vcpu/vgic_post.c hyp/vm/vgicd_post.c,$(unit_exit_path))))

unit_linked = $(patsubst $(1):%.c,$(unit_dir)/%.o,$(filter $(1):%.c,$(unit_links)))

.PHONY: unit-test unit-programs unit-test-nightly
$(unlocked)unit-programs: $(unit_programs)

unit-test: setup-host+python unit-programs
	@find $(unit_dir) -name '*.gcda' -delete
	@$(PYTEST) tests/unit
	@tests/unit/coverage.sh $(unit_dir)/hyp

# The oracle of the virtual GIC and the fuzzer of rings, longer: STEPS in all, and other sequences
# with each SEED.
unit-test-nightly: STEPS ?= 2000000
unit-test-nightly: setup-host+python unit-programs
	@STEPS=$(STEPS) $(PYTEST) tests/nightly/test_oracles.py

define unit_program
$(unit_dir)/$(1): $(unit_dir)/tests/unit/$(1).o $(call unit_linked,$(1)) $(unit_dir)/libunit.a
	@echo "  HOSTLD $$@"
	@$$(HOST_CC) $$(unit_cflags) -o $$@ $$^ -lcmocka -lm -lgcov
endef
$(foreach test,$(unit_tests),$(eval $(call unit_program,$(test))))

# An archive: a program takes what it uses.
$(unit_dir)/libunit.a: $(unit_lib) $(unit_fake)
	@rm -f $@
	@ar rcs $@ $^

$(unit_dir)/%.o: %.c | $(unit_headers)
	@mkdir -p $(@D)
	@echo "  HOSTCC $<"
	@rm -f $(@:.o=.gcda)
	@$(HOST_CC) $(unit_cflags) -MMD -MP -c -o $@ $<

# How much of the hypervisor the tests execute.
$(unit_dir)/hyp/%.o: unit_cflags += --coverage

# board.mk has it
$(unit_dir)/boards/arndale/board.o: unit_cflags += -DGUEST_BASE=0x40000000

.SECONDARY: $(unit_headers)

# The fake machine has the system registers of arch/armv8.
$(unit_dir)/generated/%.inc: arch/armv8/include/arch/%.h $(wildcard arch/common/include/arch/*.inc)
	@mkdir -p $(@D)
	@sed -nE -e 's/^SYSREG(32|64)?(_[A-Z]+)?\((\w+).*/SYSREG\2(\3)/p' \
		-e 's/^\tX\((\w+),.*/SYSREG(\1)/p' $< \
		$(wildcard arch/common/include/arch/$*.inc) >$@

-include $(wildcard $(unit_dir)/*/*.d $(unit_dir)/*/*/*.d $(unit_dir)/*/*/*/*.d)
