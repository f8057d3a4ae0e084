# SPDX-License-Identifier: Apache-2.0
"""Mistakes of a user, each with a part of the one line that answers. make itself finds the words of
WRONG_WORDS; a tool finds those of IMPOSSIBLE, and make adds a line of its own. Nothing is built
before either message (test_make.py, and in a tree without a build test_new_day.py)."""

BINARY = "/etc/ld.so.cache"  # a binary file that every Debian has

WRONG_WORDS = [
    (["bnch"], "no target bnch, nearest bench; make help lists the targets"),
    (["bench", "CPUS=2"], "make bench takes no CPUS=; make bench takes: CLOCK= COST="),
    (["bench", "CPUS=2"], "CPUS= is a word of: run-guest guest-linux"),
    (["bound", "SCENARIO=tlb"], "make bound takes no SCENARIO=; make bound takes: TABLE="),
    (["compare", "A=before", "TTY=x"], "make compare takes no TTY=; "),
    (["compare"], "make compare wants A=<kept run or records>"),
    (["run-guest"], "make run-guest wants GUEST=<image>: an arm64 Image, a zImage, an ELF or"),
    (["BOARD=virt-a27"], "unknown BOARD=virt-a27, nearest virt-a72; the boards are: "),
    (["bench", "CLOCK=icont"], "unknown CLOCK=icont, nearest icount; valid: icount host"),
    (["bench", "TABLE=wide"], "unknown TABLE=wide; valid: short long"),
    (["bench", "CLK=icount"], "unknown CLK=, nearest CLOCK; valid: A="),
    (["test-part", "PART=9"], "PART=9: the parts are 0 to 4"),
    (["test-part", "PART=x"], "PART=x: the parts are 0 to 4"),
    (["debug", "BOARD=arndale"], "make debug runs QEMU, which has no board arndale; make boards"),
    (["debug", "BOARD=gem5-a72"], "make debug runs QEMU, which has no board gem5-a72; make boards"),
    (["debug", "SCENARIO=x"], "make debug takes no SCENARIO=; make debug takes: BOARD="),
    (["sdcard", "BOARD=rpi4", "CPUS=2"], "make sdcard takes no CPUS=; make sdcard takes: BL1= "),
    (["sdcard", "flash", "BOARD=rpi4", "SAVE=x"], "make sdcard takes no SAVE=; "),
    (["qemu-test", "CPUS=2"], "make qemu-test takes no CPUS=; "),
    (["scenarios", "CPUS=2"], "make scenarios takes no CPUS=; "),
    (["runs", "CONFIRM=yes"], "make runs CONFIRM=yes wants PRUNE=<number of the runs that stay>"),
    (["bench", "BOARD=it's"], "unknown BOARD=it's; the boards are: "),
    (["bench", "PLAN=traps"], "PLAN=traps is now SCENARIO=traps"),
    (["sdcard", "BOARD=virt-a72"], "board virt-a72 has no card (boards/virt-a72/card.toml); with"
                                   " one: arndale rpi4")]

IMPOSSIBLE = [
    (["bench", "SCENARIO=tlb"], "scenario tlb does not run on virt-a72: events=tlb"),
    (["trace", "SCENARIO=tlb"], "scenario tlb does not run on virt-a72: events=tlb"),
    (["bench", "BOARD=arndale"], "QEMU has no board 'arndale'; it has: "),
    (["bench", "SCENARIO=defaults"], "no scenario 'defaults', nearest 'default'; there are: "),
    (["bench", "BOARD=gem5-a72", "GEM5=no-such-gem5"], "gem5-a72 needs gem5: GEM5=no-such-gem5 is"),
    (["bench", "SAVE=a b"], "SAVE=a b is no name of a baseline: letters, digits"),
    (["bench", "FORMAT=junt=x.xml"], "no format 'junt', nearest 'junit'; there are: junit, "),
    (["bench", "FORMAT=junit=/none/x.xml"], "--format junit=/none/x.xml: there is no folder /none"),
    (["bench", "COST=on", "CLOCK=host"], "costs are counted with CLOCK=icount alone"),
    (["bench", "SCENARIO=latency-measure"], "this scenario runs an image of yours, and GUEST= names"
                                            " none; give GUEST=<its file>"),
    (["bench", "GUEST=zephyr.elf"], "GUEST=zephyr.elf: this scenario runs no image of yours"),
    (["compare", "A=nosuch"], "no file and no kept run 'nosuch'"),
    (["compare", "A=latest", "SCENARIO=x"], "no scenario with kept runs 'x'; there are: "),
    (["compare", "A=latest", "THRESHOLD=much"], "'much' is neither per cent, as 5%, nor a number of"
                                                " ticks, as 10"),
    (["report", "BOARD=arndale"], "arndale has no records, and QEMU no such board: `make sdcard"),
    (["reference", "BOARD=virt-a72"], "virt-a72 is no board that gem5 plays; those are: gem5-a15"),
    (["capture", "TTY=/dev/ttyUSB77"], "cannot open /dev/ttyUSB77 at 115200 8N1: it is not there"),
    (["run-guest", "GUEST=linx"], "no guest of that name, nearest 'linux'; valid: "),
    (["run-guest", "GUEST=linux", "CONFIG=foo"], "CONFIG=foo: "),
    (["run-guest", "GUEST=linux", "GUEST_RAM=0"], "GUEST_RAM=0 bytes: it must be a multiple of 2M"),
    (["run-guest", "GUEST=uboot", "GUEST_RAM=abc"], "GUEST_RAM=abc: not a size; good ones are"),
    (["run-guest", "GUEST=linux", "CPUS=99"], "CPUS=99: board 'virt-a72' has "),
    (["run-guest", "GUEST=linux", "GUEST_DTB=/none"], "GUEST_DTB=/none: No such file or directory"),
    (["run-guest", "GUEST=linux", "GUEST_INITRD=/none"], "GUEST_INITRD=/none: No such file or"),
    (["run-guest", "GUEST=README.md"], "GUEST=README.md: this is a text file. An image is one of"),
    (["bench", "SCENARIO=latency-measure", "GUEST=README.md"], "GUEST=README.md: this is a text"),
    (["run-guest", f"GUEST={BINARY}", "GUEST_ADDRESS=0xf0000000"], "is outside of the guest's RAM"
     " (0x40000000 to 0x4fffffff)"),
    (["peers", "SYSTEM=xen-credti"], "no system 'xen-credti', nearest 'xen-credit'; there are: "),
    (["peers", "NAME=x"], "NAME= describes an image of yours: IMAGE=<its file> is missing"),
    (["peers", "BOARD=virt-a15", "COST=on", "QEMU=foo"], "QEMU= describes an image of yours: "),
    (["probe", "ARGS=foo=1"], "ARGS=foo=1: the probe takes call, yield, pair and samples, delay, "),
    (["sdcard", "BOARD=rpi4", "FIRMWARE=/none"], "/none: No such file or directory")]
