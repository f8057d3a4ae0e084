# SPDX-License-Identifier: Apache-2.0
# Images for boot loaders, from the linked image: IMAGES of board.mk lists them. docs/boards.md

# One date in every header, so that two builds give the same bytes.
SOURCE_DATE_EPOCH ?= 315532800
export SOURCE_DATE_EPOCH

UBOOT_ARCH := $(if $(filter armv8,$(ISA)),arm64,arm)
DTB_ARCH := $(if $(filter armv8,$(ISA)),arm64,armhf)
image_of_Image := hypbench.img
image_of_uImage := hypbench.uimg
image_of_fit := hypbench.itb
unknown_images := $(filter-out Image uImage fit,$(IMAGES))
ifneq ($(unknown_images),)
$(error boards/$(BOARD)/board.mk: IMAGES has $(unknown_images); valid: Image uImage fit)
endif
# WITHOUT=fit: without this one. `make images` fetches no files.
$(unlocked)image: $(foreach kind,$(filter-out $(WITHOUT),$(IMAGES)),$(OUT)/$(image_of_$(kind)))

.DELETE_ON_ERROR:
# $(call needs,PROGRAM,PACKAGE)
needs = @command -v $(1) >/dev/null || { echo "$(1) is missing: it is in the package $(2);" \
	"\`tools/setup.sh boards\` installs it" >&2; exit 1; }

$(OUT)/hypbench.bin: $(OUT)/hypbench.elf
	$(Q)$(CROSS)objcopy -O binary $< $@

# The arm64 Image is the raw one: its header (Linux, Documentation/arm64/booting.rst) is the
# image's beginning, with the magic at offset 56.
$(OUT)/hypbench.img: $(OUT)/hypbench.bin
	$(call say,IMG,$@)
	@[ "$$(od -An -j56 -N4 -tx1 $< | tr -d ' ')" = 41524d64 ] || { echo "$<: no arm64 Image" \
		"header: its magic, ARM\x64, is not at offset 56" >&2; exit 1; }
	$(Q)cp $< $@

# The date of the headers: written when it is another one.
$(OUT)/date: FORCE
	@mkdir -p $(@D)
	@echo $(SOURCE_DATE_EPOCH) | cmp -s - $@ || echo $(SOURCE_DATE_EPOCH) > $@

$(OUT)/hypbench.uimg: $(OUT)/hypbench.bin $(OUT)/date
	$(call needs,mkimage,u-boot-tools)
	$(call say,IMG,$@)
	$(Q)mkimage -A $(UBOOT_ARCH) -O linux -T kernel -C none -a $(HYP_BASE) -e $(HYP_BASE) \
		-n "hypbench $(BOARD)" -d $< $@ $(if $(V),,>/dev/null)

ifneq ($(filter fit,$(IMAGES)),)
$(OUT)/hypbench.itb: $(OUT)/hypbench.its $(OUT)/hypbench.bin $(OUT)/$(DEVICE_TREE) $(OUT)/date
	$(call needs,mkimage,u-boot-tools)
	$(call needs,dtc,device-tree-compiler)
	$(call say,IMG,$@)
	$(Q)mkimage -f $< $@ $(if $(V),,>/dev/null)

$(OUT)/hypbench.its: linker/fit.its.in $(MAKE_FILES) boards/images.mk
	$(Q)$(CROSS)gcc -E -P -x assembler-with-cpp -DUBOOT_ARCH='"$(UBOOT_ARCH)"' \
		-DHYP_BASE=$(HYP_BASE) -DBOARD='"$(BOARD)"' -DTREE='"$(DEVICE_TREE)"' $< -o $@

# Looked for each time, written when it is another one: DTB=<file>, or Debian's kernel has it.
$(OUT)/$(DEVICE_TREE): FORCE
	$(Q)$(HYPBENCH) device-tree $(DEVICE_TREE) --arch $(DTB_ARCH) \
		$(if $(DTB),--given "$(DTB)") -o $@
endif

# A recipe that begins with has_card refuses a board without a card before it builds anything.
has_card = $(if $(wildcard boards/$(BOARD)/card.toml),,$(error board $(BOARD) has no card \
	(boards/$(BOARD)/card.toml); with one: $(patsubst boards/%/card.toml,%,$(wildcard \
	boards/*/card.toml))))

# Files of the user's own, which win over Debian's
given_files := $(foreach name,FIRMWARE UBOOT SPL DTB BL1,\
	$(if $($(name)),--given $(name)="$($(name))"))

## sdcard: an image of BOARD's card with SCENARIO (your own files: FIRMWARE= UBOOT= SPL= DTB= BL1=)
sdcard: setup-images
	$(has_card)
	@$(HYPBENCH) sdcard --check --board $(BOARD) --scenario "$(SCENARIO)" $(given_files)
	@$(MAKE) --no-print-directory image
	@$(HYPBENCH) sdcard --board $(BOARD) --scenario "$(SCENARIO)" $(given_files) \
		$(if $(PLATFORM),--platform "$(PLATFORM)")

## tftp: a folder to boot BOARD from over the network, with SCENARIO in it, and what to type
tftp: setup-images
	$(has_card)
	@$(HYPBENCH) tftp --check --board $(BOARD) --scenario "$(SCENARIO)" $(given_files)
	@$(MAKE) --no-print-directory image
	@$(HYPBENCH) tftp --board $(BOARD) --scenario "$(SCENARIO)" $(given_files) \
		$(if $(SERVERIP),--serverip "$(SERVERIP)") \
		$(if $(PLATFORM),--platform "$(PLATFORM)")

## flash: write the card image to DEV=/dev/…; shows what DEV is, and asks (or CONFIRM=<its name>)
flash: setup-images
	@$(HYPBENCH) flash --board $(BOARD) --dev "$(DEV)" $(if $(CONFIRM),--confirm "$(CONFIRM)")
