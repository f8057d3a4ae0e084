# SPDX-License-Identifier: Apache-2.0
# hypbench. `make` alone lists the targets, as `make help` does.
BOARD ?= virt-a72
SCENARIO ?= default
# A board.mk chooses `host` where a tick of QEMU's counter is no instruction.
CLOCK ?= $(or $(QEMU_CLOCK),icount)
TABLE ?= short

# O= is another word for it.
BUILD := $(if $(filter command,$(firstword $(origin O))),$(O),build)
OUT := $(BUILD)/$(BOARD)
export HYPBENCH_BUILD := $(BUILD)
BOARDS := $(patsubst boards/%/board.mk,%,$(wildcard boards/*/board.mk))
PYTHON := $(BUILD)/venv/bin/python
# Instead of its shell, so that a signal which make passes on is the tool's
HYPBENCH := exec $(BUILD)/venv/bin/hypbench

# The variables of a command line. Another name is refused, unless a makefile sets that variable.
WORDS := A ALLOW ALLOW_MISSING ARGS B BAUD BL1 BOARD BUILD BUILT CLOCK COMPILER CONFIG \
	CONFIRM COST CPUS DEV DIST_BOARDS DTB FIRMWARE FORMAT GEM5 GEM5_MACHINE GUEST \
	GUEST_ADDRESS GUEST_ARGS GUEST_DTB GUEST_INITRD GUEST_RAM GUEST_STATUS IMAGE KEEP LIMIT \
	NAME O PAIR PART PLACE PLATFORM PRUNE QEMU SAVE SCENARIO SEED SERVERIP SPL STATS STEPS \
	SYSTEM TABLE THRESHOLD TTY UBOOT V WITHOUT

# V=1 shows the commands
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-4s %s\n' $(1) $(2))

# What a command line chose, of what has a default
told_board := $(if $(filter command environment,$(firstword $(origin BOARD))),$(BOARD))
told_scenario := $(if $(filter command environment,$(firstword $(origin SCENARIO))),$(SCENARIO))
chosen_runs = $(if $(told_board),--board $(told_board)) \
	$(if $(told_scenario),--scenario "$(told_scenario)")

.DEFAULT_GOAL := help
TARGETS := all objects image images qemu-image qemu-images setup setup-images setup-tests bench \
	scenarios runs trace bound capture compile-commands run-guest guest-linux guest-uboot \
	guest-zephyr guest-freertos peers probe compare reference report site debug check \
	qemu-test qemu-test-all nightly test-part gem5-test hostile-nightly unit-test \
	unit-programs unit-test-nightly boards update-expected sdcard tftp flash dist dist-images \
	clean help
.PHONY: $(TARGETS) FORCE

# The boards whose path lengths are committed: every test runs on them.
REFERENCE_BOARDS := $(sort $(basename $(notdir $(wildcard tests/expected/*/*.json))))

# `make report BOARD=all`: one page of them and of every board whose records were captured
REPORT_BOARDS := $(BOARD)
ifeq ($(BOARD) $(MAKECMDGOALS),all report)
REPORT_BOARDS := $(sort $(REFERENCE_BOARDS) \
	$(filter $(BOARDS),$(notdir $(wildcard $(BUILD)/captured/*))))
override BOARD := $(firstword $(REPORT_BOARDS))
endif

# Those with a reference run: where GEM5 is set, the report runs them.
KEPT_BOARDS := $(filter $(BOARDS),$(patsubst reference/%/,%,$(wildcard reference/*/)))

# The valid word that is most like an unknown one, as a part of a message
quoted = '$(subst ','\'',$(1))'
NEAREST := import sys; from difflib import get_close_matches; \
	print(*(", nearest " + word for word in get_close_matches(sys.argv[1], sys.argv[2:], 1)))
near = $(shell python3 -c '$(NEAREST)' $(call quoted,$(1)) $(2) 2>/dev/null)

# A goal that is neither a target nor a file. Each file that make makes is in a folder.
FAMILIES := setup-% unlocked-% image-of-% qemu-image-of-% dist-of-%
strange := $(foreach goal,$(filter-out $(TARGETS) $(FAMILIES),$(MAKECMDGOALS)),\
	$(if $(findstring /,$(goal)),,$(goal)))
ifneq ($(strip $(strange)),)
$(error no target $(firstword $(strange))$(call near,$(firstword $(strange)),$(TARGETS)); \
	make help lists the targets)
endif
ifneq ($(words $(BUILD)),1)
$(error BUILD=$(BUILD): make wants the name of a folder, without a blank)
endif
ifneq ($(filter command environment,$(firstword $(origin PLAN))),)
$(error PLAN=$(PLAN) is now SCENARIO=$(PLAN))
endif
ifeq ($(filter icount host,$(CLOCK)),)
$(error unknown CLOCK=$(CLOCK)$(call near,$(CLOCK),icount host); valid: icount host)
endif
ifeq ($(filter short long,$(TABLE)),)
$(error unknown TABLE=$(TABLE)$(call near,$(TABLE),short long); valid: short long)
endif
COST ?= off
ifeq ($(filter on off,$(COST)),)
$(error unknown COST=$(COST)$(call near,$(COST),on off); valid: on off)
endif
costs := $(filter on,$(COST))
ifeq ($(filter $(BOARD),$(BOARDS)),)
$(error unknown BOARD=$(BOARD)$(call near,$(BOARD),$(BOARDS)); the boards are: $(BOARDS))
endif
include boards/$(BOARD)/board.mk
OPTIONS :=
include arch/$(ISA)/toolchain.mk
MAKE_FILES := $(MAKEFILE_LIST)

# Boards of one instruction set share their objects. Where a core needs other compiler options,
# toolchain.mk names its objects in OPTIONS.
OBJECTS := $(BUILD)/$(ISA)$(OPTIONS:%=-%)
OBJECT_FILES := Makefile arch/$(ISA)/toolchain.mk

WARNINGS := -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wmissing-prototypes -Wvla \
	-Wundef -Werror -Wno-unused-parameter # a callback need not use them all
COMMON_FLAGS := -std=gnu11 -O2 -g -ffreestanding -ffunction-sections -fdata-sections \
	-fno-common -fno-pie -fno-stack-protector -fno-delete-null-pointer-checks \
	-fno-asynchronous-unwind-tables -fno-tree-loop-distribute-patterns -Wa,--fatal-warnings \
	'-ffile-prefix-map=$(CURDIR)/=' $(WARNINGS) $(ISA_FLAGS) $(LIBC_SPECS) \
	-I. -Iarch/common/include -Iarch/$(ISA)/include
# Functions follow each other without a gap: linker/hot.ld.inc begins cache lines. Loops and labels
# have no padding either: a core would execute the padding as NOPs. -fno-ipa-sra: a function keeps
# its arguments. The compiler would pass members of a structure instead, some of them on the stack
# or in x6 and x7.
HYP_FLAGS := $(COMMON_FLAGS) $(HYP_ISA_FLAGS) -flto=auto -flto-partition=one -falign-functions=4 \
	-fno-ipa-sra -falign-loops=1 -falign-jumps=1 -falign-labels=1 \
	'-DGIC_BASES=gic_board_bases()'
GUEST_COMMON := $(COMMON_FLAGS) -Iguest/arch/common/include -Iguest/arch/$(ISA)/include \
	'-DGIC_BASES=(&gic)'
GUEST_FLAGS := $(GUEST_COMMON) $(GUEST_ISA_FLAGS)
# Programs alone may use FP and SIMD registers, which interrupt handlers do not save.
PROGRAM_FLAGS := $(GUEST_COMMON) $(GUEST_FP_FLAGS) -fhosted -fno-math-errno
LINK := -nostartfiles -static -no-pie -Wl,--gc-sections -Wl,--build-id=none -Wl,--fatal-warnings \
	-Wl,-z,max-page-size=4096 $(ISA_LINK)

# How interrupts end: `split` by EOIR and DIR; `combined` on a GICv2 that has EOIR alone.
GIC_ENDS ?= split
gicv2_split := gicv2 gicv2_split gic_active
gicv2_combined := gicv2 gicv2_combined
gicv3_split := gicv3 gic_active
# linker/hot.ld.inc: the exit of an interrupt lies in the vector table, where it fits.
in_vectors_split := HOT(name)
GIC_SOURCES := $(patsubst %,drivers/gic/%.c,gic_dist $($(GIC)_$(GIC_ENDS)))
# The layers of the hypervisor: each may include those before it (hypbench dev check layers).
HYP_FOLDERS := base cpu mem vcpu sched vm dev trap run
HYP_SOURCES := $(wildcard $(HYP_FOLDERS:%=hyp/%/*.c) hyp/arch/common/*.c hyp/arch/$(ISA)/*.[cS] \
	lib/*.c) \
	$(GIC_SOURCES) drivers/uart/uart.c $(UART:%=drivers/uart/%.c) $(TIMER:%=drivers/timer/%.c) \
	boards/$(BOARD)/board.c
# The background VM's page is in the hypervisor's image.
HYP_SOURCES += guest/arch/background/$(ISA).S
GUEST_SOURCES := $(wildcard guest/*.c guest/kernel/*.c guest/measure/*.c guest/bench/*.c \
	guest/loads/*.c guest/programs/*.c guest/arch/common/*.[cS] guest/arch/$(ISA)/*.[cS] \
	lib/*.c) $(GIC_SOURCES) drivers/gic/gic_bases.c

HYP_OBJECTS := $(HYP_SOURCES:%=$(OBJECTS)/hyp/%.o)
GUEST_OBJECTS := $(GUEST_SOURCES:%=$(OBJECTS)/guest/%.o)
IMAGE_OBJECTS := $(OUT)/embedded.o $(OUT)/build_id.o

# Two makes at once: one waits for the other. This one has the lock, or only shows commands (-n).
ifneq ($(HYPBENCH_LOCKED)$(findstring n,$(firstword -$(MAKEFLAGS))),)
unlocked :=
else
unlocked := unlocked-
locked = HYPBENCH_LOCKED=1 tools/locked.sh $(1) $(MAKE) $(abreast) --no-print-directory
image qemu-image:
	+@$(call locked,$(OBJECTS)) objects
	+@$(call locked,$(OUT)) $@
unit-programs:
	+@$(call locked,$(unit_dir)) $@
endif

objects: $(HYP_OBJECTS) $(GUEST_OBJECTS)
	@:
$(unlocked)image: $(OUT)/hypbench.elf

$(OUT)/hypbench.elf: $(HYP_OBJECTS) $(IMAGE_OBJECTS) $(OUT)/hyp.ld
	$(call say,LD,$@)
	$(Q)$(CROSS)gcc $(HYP_FLAGS) $(LINK) $(HYP_LDFLAGS) -nostdlib -T $(OUT)/hyp.ld \
		$(HYP_OBJECTS) $(IMAGE_OBJECTS) -lgcc -o $@

$(OUT)/guest.elf: $(GUEST_OBJECTS) $(OUT)/guest.ld
	$(call say,LD,$@)
	$(Q)$(CROSS)gcc $(GUEST_COMMON) $(GUEST_FP_FLAGS) $(LINK) -T $(OUT)/guest.ld \
		$(GUEST_OBJECTS) -lm -o $@

$(OUT)/guest.bin: $(OUT)/guest.elf
	$(Q)$(CROSS)objcopy -O binary $< $@

$(OUT)/%.ld: linker/%.ld.S linker/hot.ld.inc $(MAKE_FILES)
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc -E -P -x c -I. -DHYP_BASE=$(HYP_BASE) -DGUEST_BASE=$(GUEST_BASE) \
		-D'IN_VECTORS(name)=$(in_vectors_$(GIC_ENDS))' $< -o $@

$(OUT)/embedded.o: hyp/arch/common/embedded.S $(OUT)/guest.bin $(OUT)/plan.bin $(MAKE_FILES)
	$(call say,CC,$@)
	$(Q)$(CROSS)gcc $(HYP_FLAGS) -DGUEST_BIN='"$(OUT)/guest.bin"' \
		-DPLAN_FILE='"$(OUT)/plan.bin"' -MMD -MP -c $< -o $@

# By any Python 3.11: an image is built without the host tools' environment.
$(OUT)/plan.bin: scenarios/default.toml $(wildcard tools/hypbench/plan_*.py) \
		$(addprefix tools/hypbench/,__init__.py abi.py home.py renamed.py scenario.py) \
		tools/hypbench/scenario_places.py \
		$(wildcard abi/*.h)
	@mkdir -p $(@D)
	$(Q)PYTHONPATH=tools python3 -B -m hypbench.plan_binary $(BOARD) default \
		< $< > $@.new
	$(Q)mv $@.new $@

# The compiler calls these by itself, so they must exist before the link.
$(OBJECTS)/hyp/hyp/base/mem.c.o: HYP_FLAGS += -fno-lto
$(OBJECTS)/hyp/boards/$(BOARD)/board.c.o: HYP_FLAGS += -DGUEST_BASE=$(GUEST_BASE)
$(OBJECTS)/hyp/boards/$(BOARD)/board.c.o: $(MAKE_FILES)
$(OBJECTS)/hyp/%.o: % $(OBJECT_FILES)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CROSS)gcc $(HYP_FLAGS) -MMD -MP -c $< -o $@

$(OBJECTS)/guest/guest/programs/%.o: GUEST_FLAGS := $(PROGRAM_FLAGS)
$(OBJECTS)/guest/%.o: % $(OBJECT_FILES)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CROSS)gcc $(GUEST_FLAGS) -MMD -MP -c $< -o $@

# Written anew only when it says something else, so that nothing is rebuilt for nothing. The image
# has the commit whatever tags the clone has: a tag's name would change the image's bytes.
$(OUT)/build_id.c: FORCE
	@mkdir -p $(@D)
	@echo '#include "hyp/base/build_id.h"' > $@.new
	@echo 'const char build_id[sizeof(build_id)] = "$(shell git describe --always \
		--exclude='*' --abbrev=8 --dirty 2>/dev/null || echo unknown)";' >> $@.new
	@cmp -s $@.new $@ || mv $@.new $@; rm -f $@.new
$(OUT)/build_id.o: $(OUT)/build_id.c $(MAKE_FILES)
	$(call say,CC,$@)
	$(Q)$(CROSS)gcc $(HYP_FLAGS) -MMD -MP -c $< -o $@

-include $(patsubst %.o,%.d,$(HYP_OBJECTS) $(GUEST_OBJECTS) $(IMAGE_OBJECTS))

include tests/unit/unit.mk
include boards/images.mk
include guest/probe/probe.mk

told := $(foreach name,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(name)))),$(name)))
ifneq ($(filter-out $(WORDS) SHELL,$(told)),)
unknown := $(filter-out $(WORDS) SHELL $(shell sed -n 's/^\([A-Z_]*\) *[:?+]*=.*/\1/p' \
	$(MAKEFILE_LIST)),$(told))
$(if $(unknown),$(error unknown $(unknown:%=%=)$(call \
	near,$(firstword $(unknown)),$(WORDS)); valid: $(WORDS:%=%=)))
endif

# The variables of a target, beside those of all; a word that only other targets take is refused.
# A target that needs images calls make for `image` with the words of its own command line.
OF_ALL := BOARD BUILD GEM5 GEM5_MACHINE O SHELL V
ifeq ($(MAKELEVEL),0)
OF_image := DTB WITHOUT
OF_all := DTB WITHOUT
endif
OF_boards := TABLE
OF_bench := CLOCK COST FORMAT GUEST PLACE SAVE SCENARIO TABLE
OF_scenarios :=
OF_runs := CONFIRM PRUNE SCENARIO
OF_trace := SCENARIO
OF_bound := TABLE
OF_debug :=
OF_sdcard := BL1 DTB FIRMWARE PLATFORM SCENARIO SPL UBOOT
OF_tftp := $(OF_sdcard) SERVERIP
OF_flash := CONFIRM DEV
OF_capture := BAUD LIMIT TABLE TTY
OF_compare := A ALLOW ALLOW_MISSING B FORMAT SCENARIO TABLE THRESHOLD
OF_report :=
OF_reference :=
OF_dist := DIST_BOARDS
OF_site :=
OF_check :=
OF_qemu-test :=
OF_qemu-test-all :=
OF_nightly :=
OF_test-part := PART
OF_gem5-test :=
OF_hostile-nightly := SEED STEPS
OF_unit-test :=
OF_unit-test-nightly := SEED STEPS
OF_update-expected :=
OF_probe := ARGS
OF_peers := ARGS BUILT COMPILER COST IMAGE KEEP NAME PAIR QEMU SYSTEM
OF_run-guest := CLOCK CONFIG CPUS GUEST GUEST_ADDRESS GUEST_ARGS GUEST_DTB GUEST_INITRD GUEST_RAM \
	GUEST_STATUS LIMIT STATS
OF_guest-linux := $(OF_run-guest)
OF_guest-uboot := $(OF_run-guest)
OF_guest-zephyr := $(OF_run-guest)
OF_guest-freertos := $(OF_run-guest)
with_words := $(patsubst OF_%,%,$(filter-out OF_ALL,$(filter OF_%,$(.VARIABLES))))
takers = $(strip $(foreach goal,$(with_words),$(if $(filter $(1),$(OF_$(goal))),$(goal))))
not_taken = $(filter-out $(OF_ALL) $(OF_$(1)),$(filter $(WORDS),$(told)))
$(foreach goal,$(filter $(with_words),$(MAKECMDGOALS)),$(foreach word,$(call not_taken,$(goal)),\
	$(if $(filter-out $(with_words),$(MAKECMDGOALS))$(filter $(MAKECMDGOALS),$(call \
		takers,$(word))),,$(error make $(goal) takes no $(word)=; \
	make $(goal) takes: $(strip $(OF_$(goal):%=%=) $(OF_ALL:%=%=))$(if $(call \
	takers,$(word)),; \
	$(word)= is a word of: $(call takers,$(word)))))))

## compile-commands: write build/compile_commands.json for clangd, with the compiler of BOARD
compile-commands: setup
	@$(MAKE) -nB V=1 --no-print-directory image | \
		$(BUILD)/venv/bin/hypbench dev compile-commands > $(BUILD)/compile_commands.json
	@echo "$(BUILD)/compile_commands.json"

# On all cores: an image, or those of many boards
abreast = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

## image: build the image of BOARD (build/BOARD/hypbench.elf), and what boot loaders boot
## all: the same, with what is missing installed
all: setup-images
	@$(MAKE) $(abreast) --no-print-directory image

# The images that QEMU starts: no boot loader, and so none of their tools.
$(unlocked)qemu-image: $(OUT)/hypbench.elf $(QEMU_IMAGE:%=$(OUT)/%)

qemu-images:
	+@$(call qemu_images,$(REFERENCE_BOARDS))

images:
	@$(MAKE) $(abreast) --no-print-directory $(BOARDS:%=image-of-%) WITHOUT=fit

qemu_images = $(MAKE) $(abreast) --no-print-directory $(1:%=qemu-image-of-%) \
	BOARD=$(firstword $(1)) # it may be `all` here
qemu-image-of-% image-of-%:
	@$(MAKE) --no-print-directory $(@:-of-$*=) BOARD=$*

## setup: install what is missing: packages, and a Python environment under build/
setup:
	@tools/setup.sh

# The same for one command, which wants no more than it needs: setup-WORD+WORD…
setup-%:
	@tools/setup.sh --quiet $(subst +, ,$*) >&2
uimage_tools := $(if $(filter %.uimg,$(QEMU_IMAGE)),+boards)
setup-run := setup-$(ISA)$(if $(SIMULATOR),,+qemu)+python$(uimage_tools)
setup-runs := setup-armv7+armv8+qemu+python

setup-images:
	@tools/setup.sh --quiet $(ISA) python $(if $(IMAGES),boards)

## scenarios: list the scenarios by their questions, with what each needs
scenarios: setup-python
	@$(HYPBENCH) scenarios

## bench: run SCENARIO on BOARD under QEMU or gem5, print its table, keep the run in runs/
##   (CLOCK=icount or host, TABLE=long, COST=on);
##   SAVE=before names the run, as a baseline for `make compare A=before`;
##   FORMAT=junit=run.xml writes the result for other programs, too (docs/howto/ci.md);
##   PLACE=pi-rack-3 runs on a board in a rack instead (docs/howto/farm.md);
##   GUEST=zephyr.elf is the image of a scenario that wants one (docs/howto/latency-measure.md)
# An unmodified guest wants more.
ifneq ($(PLACE),)
bench: setup-images
	@$(HYPBENCH) check-scenario "$(SCENARIO)"
	@$(MAKE) $(abreast) --no-print-directory image >&2
	@$(HYPBENCH) farm run --board $(BOARD) --places "$(PLACE)" --scenario "$(SCENARIO)" \
		$(if $(PLATFORM),--platform "$(PLATFORM)")
else
bench: $(setup-run)$(if $(shell grep -ls '^\[variant\.$(SCENARIO)\.guest' scenarios/*.toml; \
		grep -ls '^\[guest' 'scenarios/$(SCENARIO).toml' '$(SCENARIO)' /dev/null \
		$$(grep -ls '^\[variant\.$(SCENARIO)\]' scenarios/*.toml)),+guests)
	@$(HYPBENCH) check-scenario "$(SCENARIO)" --board $(BOARD) \
		$(if $(costs),--clock $(CLOCK) --cost) $(call option,--guest,GUEST) \
		$(call option,--save,SAVE) $(FORMAT:%=--format "%")
	@$(MAKE) $(abreast) --no-print-directory qemu-image >&2
	@$(HYPBENCH) run --board $(BOARD) --scenario "$(SCENARIO)" --clock $(CLOCK) \
		--table $(TABLE) $(if $(costs),--cost) $(call option,--save,SAVE) \
		$(call option,--guest,GUEST) $(FORMAT:%=--format "%")
endif

## runs: list the kept runs (BOARD=, SCENARIO=), and with PRUNE=5 what is to be removed
##   (older than the last 5 of each board and scenario, and no baseline; CONFIRM=yes removes that)
runs: setup-python
	$(if $(CONFIRM),$(if $(PRUNE),,$(error make runs CONFIRM=$(CONFIRM) wants PRUNE=<number \
		of the runs that stay>)))
	@$(HYPBENCH) runs $(if $(PRUNE),prune --keep "$(PRUNE)" \
		$(if $(filter yes,$(CONFIRM)),--yes)) $(chosen_runs)

## boards: list the boards: core, GIC, entry, and the machine that proves each (TABLE=long: more)
boards: setup-python
	@$(HYPBENCH) boards --table $(TABLE)

## trace: exits and VM switches of BOARD under SCENARIO (trace), a file for ui.perfetto.dev
trace: $(setup-run)
	@$(HYPBENCH) check-scenario --board $(BOARD) \
		$(if $(filter file,$(origin SCENARIO)),trace,"$(SCENARIO)")
	@$(MAKE) $(abreast) --no-print-directory qemu-image >&2
	@$(HYPBENCH) trace --board $(BOARD) \
		$(if $(filter file,$(origin SCENARIO)),,--scenario "$(SCENARIO)")

## bound: prove how many instructions each kind of exit of BOARD takes at most (TABLE=long)
bound: $(setup-run)
	@$(MAKE) $(abreast) --no-print-directory qemu-image >&2
	@$(HYPBENCH) bound --board $(BOARD) --table $(TABLE)

## run-guest: run GUEST=<image> as a VM on this terminal (more words: docs/guests.md)
option = $(if $($(2)),$(1) $(call quoted,$($(2))))
run_guest = $(HYPBENCH) run-guest --board $(BOARD) $(call option,--config,CONFIG) \
	$(call option,--dtb,GUEST_DTB) $(call option,--initrd,GUEST_INITRD) \
	$(call option,--args,GUEST_ARGS) $(call option,--ram,GUEST_RAM) \
	$(call option,--address,GUEST_ADDRESS) $(call option,--cpus,CPUS) \
	$(call option,--limit,LIMIT) $(call option,--guest-status,GUEST_STATUS) \
	$(if $(filter-out 0,$(STATS)),--stats) \
	$(if $(filter command environment,$(firstword $(origin CLOCK))),--clock \
	$(CLOCK)) $(1) -- $(call quoted,$(GUEST))
run-guest: $(setup-run)+guests
	$(if $(GUEST),,$(error make run-guest wants GUEST=<image>: an arm64 Image, a zImage, an \
		ELF or a raw binary))
	@$(call run_guest,--check)
	@$(MAKE) $(abreast) --no-print-directory qemu-image >&2
	@$(call run_guest)

## guest-linux: Debian's Linux as a VM, a shell on this terminal
## guest-uboot: Debian's U-Boot as a VM
guest-linux guest-uboot:
	@$(MAKE) --no-print-directory run-guest GUEST=$(@:guest-%=%)

## guest-zephyr: a Zephyr of yours, GUEST=zephyr.elf, on a GICv3 (docs/howto/rtos.md)
## guest-freertos: a FreeRTOS of yours, GUEST=<its ELF>
guest-zephyr: its_board = $(if $(told_board),,BOARD=virt-a72-gicv3)
guest-zephyr guest-freertos:
	@$(MAKE) --no-print-directory run-guest $(if $(GUEST),,GUEST=$(@:guest-%=%)) $(its_board)

## capture: follow a run on the board itself over TTY=/dev/ttyUSB0 (BAUD=115200, LIMIT= seconds)
capture: setup-python
	@$(HYPBENCH) capture --board $(BOARD) --table $(TABLE) $(if $(TTY),--tty "$(TTY)") \
		$(if $(BAUD),--baud "$(BAUD)") $(if $(LIMIT),--limit "$(LIMIT)")

## probe: build the probe that measures a hypervisor of yours, build/BOARD/probe.bin (ARGS=)
probe: $(if $(ARGS),$(setup-runs))
	@$(if $(ARGS),$(HYPBENCH) dev probe-args --check "$(ARGS)",:)
	@$(MAKE) $(abreast) --no-print-directory $(OUT)/probe.bin
	@$(if $(ARGS),$(HYPBENCH) dev probe-args "$(ARGS)" $(OUT)/probe.bin $(OUT)/probe-args.bin,:)

## peers: the probe under this hypervisor, none, Debian's Xen and KVM, or one of yours (SYSTEM=)
##   (yours: IMAGE=, NAME=, QEMU=; COST=on: lines and accesses, too; docs/howto/peers.md)
# Another hypervisor that cannot be had has a line; so has what it lacks, which ends nothing.
# A board's own QEMU is another variable of that name, for its images.
PEERS = $(HYPBENCH) peers $(if $(told_board),--board $(told_board)) $(SYSTEM:%=--system %) \
	$(if $(IMAGE),--image "$(IMAGE)") $(if $(NAME),--name "$(NAME)") \
	$(if $(PAIR),--pair "$(PAIR)") \
	$(if $(told_qemu),--qemu "$(told_qemu)") $(if $(BUILT),--build "$(BUILT)") \
	$(if $(COMPILER),--compiler "$(COMPILER)") $(if $(ARGS),--args "$(ARGS)") \
	$(if $(costs),--cost) $(if $(KEEP),--keep)
peers: told_qemu = $(if $(filter command,$(firstword $(origin QEMU))),$(QEMU))
peers: $(setup-runs)+guests
	@$(PEERS) --check
	-@tools/setup.sh --quiet peers
	+@$(if $(IMAGE),,$(call qemu_images,$(or $(told_board),virt-a72 virt-a72-gicv3 virt-a15)))
	@$(PEERS)

## compare: what changed from run A=before to B=after, or to the latest run of A's scenario
##   (names of kept runs, or files with records; BOARD= and SCENARIO= choose a name's)
# (THRESHOLD=5% or 10: fails when a row of B is slower by more per cent, or ticks; ALLOW_MISSING=1;
# ALLOW=compiler, or hz, batch: one or more words)
ifneq ($(filter compare,$(MAKECMDGOALS)),)
$(if $(A),,$(error make compare wants A=<kept run or records>; B= is the latest run of A's board))
# The tool's own status: make ends with 2 whatever a recipe ends with, and with 1 where it was only
# asked (-q) and something is left to do. So the tool runs before any recipe, with make's output.
compared := $(shell out=/proc/$$PPID/fd/1; { : >>$$out; } 2>/dev/null || out=/dev/stderr; \
	( tools/setup.sh --quiet python && \
	$(HYPBENCH) compare "$(A)" $(if $(B),"$(B)") --table $(TABLE) \
	$(chosen_runs) $(FORMAT:%=--format "%") \
	$(if $(THRESHOLD),--threshold "$(THRESHOLD)") \
	$(if $(ALLOW_MISSING),--allow-missing) $(ALLOW:%=--allow "%") ) >>$$out; echo $$?)
MAKEFLAGS += $(if $(filter 1,$(compared)),-q)
compare:
	@exit $(compared)
endif

## reference: run the missing scenarios of BOARD=gem5-… under GEM5=, keep them in reference/
# (of a commit; the boards of QEMU count the instructions of the same paths)
reference: $(setup-run)
	@$(HYPBENCH) reference --check --board $(BOARD)
	+@$(call qemu_images,$(BOARD) $(REFERENCE_BOARDS))
	@$(HYPBENCH) reference --board $(BOARD)

## dist: the archive of a release: every board's images and cards, and the host tools as a wheel
##   (build/hypbench-<version>.tar.xz, which needs no compiler; docs/howto/release.md)
# The same bytes on every machine that has these compilers: every date is the commit's.
DIST_BOARDS ?= $(BOARDS)
dist:
	@tools/setup.sh --quiet armv7 armv8 python boards >&2
	@SOURCE_DATE_EPOCH=$$($(HYPBENCH) dev dist --epoch) && export SOURCE_DATE_EPOCH && \
		$(MAKE) $(abreast) --no-print-directory dist-images && \
		$(HYPBENCH) dev dist $(DIST_BOARDS:%=--board %)

dist-images: $(DIST_BOARDS:%=dist-of-%)
dist-of-%:
	@$(MAKE) --no-print-directory image BOARD=$*
	@$(MAKE) --no-print-directory $(BUILD)/$*/release.elf BOARD=$*

# Debug information names the folder of the build: a link with LTO maps no prefix.
$(OUT)/release.elf: $(OUT)/hypbench.elf
	$(Q)$(CROSS)objcopy --strip-debug $< $@

## report: run what is missing, write a page of everything, build/report/index.html (BOARD=all)
report: $(setup-runs)
	@$(HYPBENCH) report --check $(REPORT_BOARDS:%=--board %)
	+@$(call qemu_images,$(REPORT_BOARDS) $(if $(GEM5),$(KEPT_BOARDS)))
	@$(HYPBENCH) report $(REPORT_BOARDS:%=--board %)

## site: the documentation as a site, build/site/index.html (docs/, README, boards' pages)
site: setup-python
	@$(HYPBENCH) dev site

## debug: BOARD under QEMU, halted before its first instruction, in gdb with all symbols
debug: $(setup-run)+debug
	$(if $(QEMU),,$(error make debug runs QEMU, which has no board $(BOARD); make boards lists \
		those that QEMU has))
	@$(MAKE) $(abreast) --no-print-directory qemu-image
	@tools/debug.sh "$(QEMU)" $(OUT)

## check: the gates on the source: layers, isa, headers, encodings, format, text, types, linters
check: setup-armv7+armv8+host+check+python
	@$(HYPBENCH) dev check

## qemu-test: unit programs, host tools, whole images on QEMU: what a change breaks at once
## qemu-test-all: the same, and the rest of what must hold before a release: tests marked long
## nightly: planted faults, hostile guests, fresh seeds, how-tos, Linux, the other Debian release
## test-part: one of five parts of the tests marked long or nightly, PART=0 to 4
##   (the number of commits chooses where PART is not given)
# A twin (virt-a72, whose core and GIC other boards have) has the tests marked every_board;
# HYPBENCH_BOARDS=virt-a72 has all there.
PART ?= $(shell expr $$(git rev-list --count HEAD) % 5)
ifneq ($(filter test-part,$(MAKECMDGOALS)),)
ifneq ($(words $(PART)) $(filter-out 0 1 2 3 4,$(PART)),1 )
$(error PART=$(PART): the parts are 0 to 4)
endif
endif
PYTEST = PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX="$(abspath $(BUILD))/pycache" \
	$(BUILD)/venv/bin/pytest -q -n $(shell nproc) -o cache_dir="$(abspath $(BUILD))/pytest" \
	--junitxml=$(BUILD)/tests.xml
qemu-test: chosen := -m "not long and not nightly"
qemu-test-all: chosen := -m "not nightly"
nightly: chosen := -m nightly
test-part: chosen = --part $(PART)
qemu-test: setup-tests unit-programs qemu-images
qemu-test-all nightly test-part: setup-tests unit-programs images qemu-images
qemu-test qemu-test-all nightly test-part:
	@$(if $(filter test-part,$@),echo "part $(PART) of the parts 0 to 4")
	@exec env $(PYTEST) $(chosen)

## gem5-test: the tests of whole images that need no QEMU, on the boards that GEM5= plays
GEM5_BOARDS = $(patsubst boards/%/board.mk,%,\
	$(shell grep -l 'SIMULATOR := gem5' boards/*/board.mk))
gem5-test: $(setup-runs)
	+@$(call qemu_images,$(GEM5_BOARDS) $(REFERENCE_BOARDS))
	@HYPBENCH_BOARDS="$(GEM5_BOARDS)" $(PYTEST) -m gem5 \
		$(shell grep -l 'pytest\.mark\.gem5' tests/qemu/test_*.py)

## hostile-nightly: hostile guests and fail overs on BOARD, STEPS=1000000, with a fresh SEED=
hostile-nightly: STEPS ?= 1000000
hostile-nightly: $(setup-run)
	@$(MAKE) $(abreast) --no-print-directory qemu-image
	@HYPBENCH_BOARDS=$(BOARD) STEPS=$(STEPS) exec env $(PYTEST) tests/qemu/test_hostile_seeds.py

## update-expected: write path lengths, ceilings to tests/expected/; CHANGELOG.md says why, first
# (without BOARD= also the figures of tests/figures.json, and which times of reference/ stand)
update-expected: $(setup-runs) $(if $(told_board),qemu-image,qemu-images)
	@PYTHONPATH=tests $(PYTHON) tests/qemu/update_expected.py $(told_board)
	@PYTHONPATH=tests $(PYTHON) tests/qemu/update_bounds.py $(told_board)
	@PYTHONPATH=tests $(PYTHON) tests/qemu/update_costs.py $(told_board)
	$(if $(told_board),,@$(PYTEST) -n 0 tests/qemu/test_documents.py \
		tests/qemu/test_reference_lengths.py --keep-figures)
	@$(HYPBENCH) dev reference

# Before `images`: some images are made by tools that only these groups have.
setup-tests:
	@tools/setup.sh --quiet default boards report
	-@tools/setup.sh --quiet peers

## unit-test: the host unit tests alone
## unit-test-nightly: the oracle of the virtual GIC and the fuzzer of virtio rings, STEPS=2000000
## clean: remove what was built; the Python environment stays
clean:
	rm -rf $(BOARDS:%=$(BUILD)/%) $(patsubst arch/%/toolchain.mk,$(BUILD)/%*,\
		$(wildcard arch/*/toolchain.mk)) $(BUILD)/unit $(BUILD)/peers

### Measure: bench scenarios runs compare report
### See why: trace bound debug
### Other guests, other hypervisors: run-guest guest-linux guest-uboot guest-zephyr guest-freertos
### Other guests, other hypervisors: peers probe
### On a board: boards sdcard tftp flash capture dist
### Build and test: setup image all check qemu-test qemu-test-all nightly test-part unit-test
### Build and test: unit-test-nightly gem5-test hostile-nightly reference update-expected site
### Build and test: compile-commands clean
help:
	@echo "hypbench: BOARD=$(BOARD) of: $(BOARDS)"
	@echo "          SCENARIO=$(SCENARIO); make scenarios lists the others by their questions"
	@awk -f tools/help.awk $(MAKEFILE_LIST)
