# SPDX-License-Identifier: Apache-2.0
"""The device tree of a guest's machine, compiled by dtc; or the user's own, with what the loader of
a kernel has to say put into its /chosen."""

from pathlib import Path

from hypbench.boards.programs import run
from hypbench.guests.formats import read_file
from hypbench.guests.machine import FLASH_BANK, REDISTRIBUTOR, BadGuest, Machine
from hypbench.guests.placement import DTB_ROOM, Layout, Piece

MAGIC = bytes.fromhex("d00dfeed")
SPARE = 4096  # bytes that firmware can still put something into
UART_HZ = 24_000_000  # virt's
# Interrupt cells of the GIC's binding: kind, number, flags; a PPI of a GICv2 also names its cores.
SPI, PPI = 0, 1
FIRST_SPI, FIRST_PPI = 32, 16
LEVEL = 4
TIMER_PPIS = {"secure": 29, "physical": 30, "virtual": 27, "hypervisor": 26}

TREE = """/dts-v1/;
/ {{
	compatible = "linux,dummy-virt";
	model = "hypbench guest";
	#address-cells = <2>;
	#size-cells = <2>;
	interrupt-parent = <&gic>;

	chosen {{
{chosen}	}};

	memory@{ram:x} {{
		device_type = "memory";
		reg = <{memory}>;
	}};

	cpus {{
		#address-cells = <1>;
		#size-cells = <0>;
{cpus}	}};

	psci {{
		compatible = "arm,psci-1.0", "arm,psci-0.2";
		method = "hvc";
	}};

	timer {{
		compatible = {timer};
		always-on;
		interrupts = {timer_interrupts};
	}};

	clock: apb-pclk {{
		compatible = "fixed-clock";
		#clock-cells = <0>;
		clock-frequency = <{uart_hz}>;
		clock-output-names = "clk24mhz";
	}};

	gic: intc@{gicd:x} {{
		compatible = "{controller}";
		interrupt-controller;
		#interrupt-cells = <3>;
		reg = {gic_reg};
{gic_more}	}};

	pl011@{uart:x} {{
		compatible = "arm,pl011", "arm,primecell";
		reg = <{uart_reg}>;
		interrupts = <{uart_interrupt}>;
		clocks = <&clock>, <&clock>;
		clock-names = "uartclk", "apb_pclk";
	}};
{pmu}{flash}}};
"""

CPU = """
		cpu@{number} {{
			device_type = "cpu";
			compatible = "arm,{cpu}";
			reg = <{number}>;
			enable-method = "psci";
		}};
"""

PMU = """
	pmu {{
		compatible = "{compatible}";
		interrupts = <{interrupt}>;
	}};
"""

FLASH = """
	flash@0 {{
		compatible = "mtd-rom";
		reg = <{first}>, <{second}>;
		bank-width = <4>;
	}};
"""


def source(machine: Machine, layout: Layout, arguments: str) -> str:
    """The tree as text. It has flash where the image lies in it."""
    v3 = machine.gic == "gicv3"
    return TREE.format(
        uart_hz=UART_HZ, chosen=chosen(machine, layout, arguments), ram=machine.ram,
        memory=region(machine.ram, machine.ram_size),
        cpus="".join(CPU.format(number=number, cpu=machine.cpu)
                     for number in range(machine.cpus)).lstrip("\n"),
        timer='"arm,armv8-timer", "arm,armv7-timer"' if machine.isa == "armv8"
        else '"arm,armv7-timer"',
        timer_interrupts=", ".join(f"<{ppi(machine, intid)}>" for intid in TIMER_PPIS.values()),
        gicd=machine.gicd, controller="arm,gic-v3" if v3 else "arm,cortex-a15-gic",
        gic_reg=gic_regions(machine), gic_more=V3_MORE if v3 else V2_MORE, uart=machine.uart,
        uart_reg=region(machine.uart, 0x1000),
        uart_interrupt=f"{SPI} {machine.uart_intid - FIRST_SPI} {LEVEL}",
        pmu=pmu(machine), flash=flash(machine, layout))


V2_MORE = "		#address-cells = <0>;\n"
V3_MORE = V2_MORE + "		#redistributor-regions = <1>;\n"


def chosen(machine: Machine, layout: Layout, arguments: str) -> str:
    lines = [f'stdout-path = "/pl011@{machine.uart:x}";']
    if arguments:
        lines.append(f'bootargs = "{escaped(arguments)}";')
    if layout.initrd:
        lines += [f"{name} = <{cells(address)}>;" for name, address in initrd_words(layout.initrd)]
    return "".join(f"\t\t{line}\n" for line in lines)


def initrd_words(initrd: Piece) -> list[tuple[str, int]]:
    return [("linux,initrd-start", initrd.address), ("linux,initrd-end", initrd.end)]


def escaped(text: str) -> str:
    check_arguments(text)
    return text.replace("\\", "\\\\").replace('"', '\\"')


def check_arguments(text: str) -> None:
    if not text.isascii() or not text.isprintable():
        raise BadGuest("GUEST_ARGS has characters that are not printable ASCII")


def cells(number: int) -> str:
    return f"{number >> 32:#x} {number & 0xffffffff:#x}"


def region(address: int, size: int) -> str:
    return f"{cells(address)} {cells(size)}"


def gic_regions(machine: Machine) -> str:
    """With the sizes of what answers: GICD, then GICC or a GICR for each vCPU."""
    if machine.gic == "gicv3":
        return (f"<{region(machine.gicd, 0x10000)}>,"
                f" <{region(machine.gicc, machine.cpus * REDISTRIBUTOR)}>")
    return f"<{region(machine.gicd, 0x1000)}>, <{region(machine.gicc, 0x2000)}>"


def ppi(machine: Machine, intid: int) -> str:
    cores = 0 if machine.gic == "gicv3" else (1 << machine.cpus) - 1
    return f"{PPI} {intid - FIRST_PPI} {cores << 8 | LEVEL:#x}"


def pmu(machine: Machine) -> str:
    if not machine.pmu_intid:
        return ""
    compatible = "arm,armv8-pmuv3" if machine.isa == "armv8" else f"arm,{machine.cpu}-pmu"
    return PMU.format(compatible=compatible, interrupt=ppi(machine, machine.pmu_intid))


def flash(machine: Machine, layout: Layout) -> str:
    if all(piece.address >= machine.ram for piece in layout.image):
        return ""
    return FLASH.format(first=region(0, FLASH_BANK), second=region(FLASH_BANK, FLASH_BANK))


def make(machine: Machine, layout: Layout, arguments: str, folder: Path) -> Path:
    """guest.dts and guest.dtb of that folder."""
    text, blob = folder / "guest.dts", folder / "guest.dtb"
    text.write_text(source(machine, layout, arguments))
    run("dtc", "-q", "-I", "dts", "-O", "dtb", "-p", SPARE, "-o", blob, text)
    return blob


def read(path: Path) -> bytes:
    """The user's own, which must be a whole one."""
    content = read_file(path, "GUEST_DTB", DTB_ROOM, "the room for it")
    if not content.startswith(MAGIC):
        hint = "; dtc compiles it" if content.startswith(b"/dts-v1/") else ""
        raise BadGuest(f"GUEST_DTB={path}: this is no device tree blob (it begins with"
                       f" {content[:4].hex()}, not {MAGIC.hex()}){hint}")
    size = int.from_bytes(content[4:8], "big")
    if size > len(content):
        raise BadGuest(f"GUEST_DTB={path}: this device tree is cut: its header gives {size}"
                       f" bytes, the file has {len(content)}")
    return content


def completed(content: bytes, layout: Layout, arguments: str, folder: Path) -> Path:
    """A copy of the user's, with initrd and arguments in /chosen where the user has given any."""
    blob = folder / "guest.dtb"
    blob.write_bytes(content)
    if arguments:
        check_arguments(arguments)
        run("fdtput", "-p", "-t", "s", "--", blob, "/chosen", "bootargs", arguments)
    for name, address in initrd_words(layout.initrd) if layout.initrd else []:
        run("fdtput", "-p", "-t", "x", blob, "/chosen", name,
            *(f"{word:x}" for word in (address >> 32, address & 0xffffffff)))
    return blob
