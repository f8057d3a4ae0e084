# SPDX-License-Identifier: Apache-2.0
"""vexpress-a15 and arndale: the hypervisor starts in any state in which a boot loader enters it,
and the state does not change its measurements. arch/uboot_armv7.S plays Arndale's U-Boot."""

import subprocess
from functools import cache, partial

import pytest

import expected
from assembler import assemble
from lab import TREE, Job, Result, board_facts, need_image
from planlines import plan_lines
from proofs import two_cores
from test_cores import several

BOARD = "vexpress-a15"
REFERENCE = "virt-a15"
pytestmark = pytest.mark.long
SHIM_ADDRESS = 0x8f000000  # RAM of neither the hypervisor nor a guest
COUNTER_HZ = 62500000  # CNTFRQ of QEMU, which a boot loader has to set
SHORT = plan_lines("short")
PLAN = """order once
config native
config trapped
bench hvc n=10
bench timer_wakeup n=10
"""
GIB = 1 << 30
ARNDALE_KEPT = 0xb9000000  # U-Boot keeps RAM from this address on
MMU_AND_CACHES = 1 << 12 | 1 << 2 | 1 << 0  # bits I, C and M of SCTLR and HSCTLR


@cache
def uboot(boot: str = "HYP", other_core: str = "HYP", hz: int = COUNTER_HZ, left_on: int = 0,
          prepared: int = 1):
    """Return QEMU's options for two cores that begin in the shim, in Secure SVC."""
    shim = assemble(BOARD, "uboot", SHIM_ADDRESS, f"HYP_BASE={board_facts(BOARD)['HYP_BASE']}",
                    f"BOOT={boot}", f"OTHER={other_core}", f"COUNTER_HZ={hz}", f"LEFT_ON={left_on}",
                    f"PREPARED={prepared}")

    def machine(options: list[str]) -> list[str]:
        secure = [word.replace("secure=off", "secure=on") for word in options]
        return [*secure, "-smp", "2", "-device", f"loader,file={shim.elf},cpu-num=0",
                "-device", f"loader,addr={SHIM_ADDRESS:#x},cpu-num=1"]
    return machine


def paths(result: Result) -> dict[tuple, tuple]:
    """Return every figure by benchmark, variant and configuration."""
    return {(record["bench"], record["variant"], record["config"]):
            tuple(record[name] for name in ("n", "min", "p50", "max", "cold"))
            for record in result.records("bench")}


@pytest.fixture(scope="module", autouse=True)
def built():
    for board in (BOARD, REFERENCE, "arndale"):
        need_image(board)


@pytest.fixture
def run(lab):
    def run(plan: str, machine=None, board: str = BOARD, planted: str = "") -> Result:
        result = lab.run(Job(board, plan, machine=machine, planted=planted))
        assert not result.timed_out, result.explain()
        return result
    return run


@pytest.fixture
def good(run):
    """Return a function that runs a plan, and checks that the run ended without a problem."""
    def good(*arguments, **members) -> Result:
        result = run(*arguments, **members)
        assert result.status == 0 and result.problems == [], result.explain()
        return result
    return good


def refusal(result: Result) -> str:
    """Return the message of a run that never began. The only other record of such a run is the
    end."""
    assert result.status == 2 and not result.timed_out, result.explain()
    assert [record.kind for record in result.log.records] == ["error", "end"]
    return result.record("error")["what"]


def test_non_secure_state_beside_a_secure_one_changes_no_path(good):
    """The GIC is seen from Non-secure state, a second core is parked, and SMC is trapped as on the
    reference board. Both images load the addresses of the GIC from memory, because a constant
    address takes one instruction or two."""
    board = good(SHORT, uboot(), planted=expected.LOADED)
    assert paths(board) == paths(good(SHORT, board=REFERENCE, planted=expected.LOADED))


@pytest.mark.parametrize("other_core, entry", [
    ("HYP", "el2"), ("SECURE_SVC", "secure-svc"), ("SVC", "el1"), ("MONITOR", "el3"),
    ("NEVER", "absent")])
def test_other_core_says_how_it_came_and_disturbs_nothing(good, other_core, entry):
    result = good(PLAN, uboot(other_core=other_core))
    assert result.log.run["cores"] == ["el2", entry]
    assert paths(result) == paths(good(PLAN))


def test_core_that_did_not_wait_is_parked(good):
    """Both cores begin at the image's first instruction, and the second one is parked."""
    result = good(PLAN, two_cores)
    assert result.log.run["cores"] == ["el2", "el2"]
    assert paths(result) == paths(good(PLAN))


def beside(machine):
    """Return a guest with two vCPUs, and QEMU's options for it beside two cores."""
    guest = several(BOARD)
    return guest.plan, lambda options: machine(guest.machine(options)[:len(options)]) + \
        guest.machine(options)[-2:]


@pytest.mark.parametrize("machine", [lambda: two_cores, uboot, partial(uboot, boot="MONITOR")],
                         ids=["did not wait", "from the pen", "beside monitor mode"])
def test_the_other_core_runs_a_vcpu(good, machine):
    """The guest of test_cores runs: SGIs both ways, CPU_OFF, CPU_ON again, SYSTEM_RESET."""
    assert good(*beside(machine())).record("step")["resets"] == 1


@pytest.mark.parametrize("other_core", [
    "SVC", *(pytest.param(other_core, marks=pytest.mark.long)
             for other_core in ("SECURE_SVC", "MONITOR", "NEVER"))])
def test_a_core_that_is_not_in_hyp_mode_runs_no_vcpu(run, other_core):
    result = run(*beside(uboot(other_core=other_core)))
    assert result.status == 1
    assert result.record("error")["what"] == "the VMs want 2 cores: 1 came"


@pytest.mark.parametrize("left_on", [0, 1])
def test_monitor_mode_is_left_for_hyp_mode(good, left_on):
    result = good(SHORT, uboot(boot="MONITOR", left_on=left_on))
    entry = result.log.run
    assert entry["entry_level"] == "el3" and entry["cores"] == ["el3", "el2"]
    assert int(entry["entry_sctlr"], 16) & MMU_AND_CACHES == (MMU_AND_CACHES if left_on else 0)
    assert int(entry["entry_psr"], 16) & 0x11f == 0x016  # in monitor mode, with aborts unmasked
    assert paths(result) == paths(good(SHORT, uboot()))


def test_monitor_mode_hands_over_what_no_loader_prepared(good):
    """No loader has prepared anything: interrupts are in Group 0, and Non-secure state has no
    coprocessors and no access."""
    plan = SHORT + "bench fp_first_use n=5\n"
    result = good(plan, uboot(boot="MONITOR", prepared=0))
    assert paths(result) == paths(good(plan, uboot()))


@pytest.mark.parametrize("left_on", [0, 1])
def test_secure_svc_is_told_from_non_secure(run, left_on):
    message = refusal(run(PLAN, uboot(boot="SECURE_SVC", left_on=left_on)))
    assert message.startswith("entered in Secure SVC") and "bootm" in message


def test_non_secure_svc_has_a_line_of_its_own(run):
    assert refusal(run(PLAN, uboot(boot="SVC"))).startswith("started at EL1 (Non-secure SVC mode)")


@pytest.mark.parametrize("boot", ["HYP", "MONITOR"])
def test_a_frequency_of_0_is_refused(run, boot):
    assert refusal(run(PLAN, uboot(boot=boot, hz=0))).startswith("CNTFRQ is 0")


@pytest.mark.parametrize("boot", ["HYP", "MONITOR", "SECURE_SVC", "SVC"])
def test_early_exception_is_told(run, boot):
    """The exception comes after the first vectors are installed."""
    result = run(PLAN, uboot(boot=boot), planted="crash in clean_image")
    assert result.status == 2, result.explain()
    assert b"panic: " in result.console and b"exception in the first instructions" in result.console


def test_arndales_memory_is_apart(lab):
    """Hypervisor, guest and the memory that U-Boot keeps are apart in the built image."""
    image = TREE.build("arndale") / "hypbench.elf"
    lines = subprocess.run(["arm-none-eabi-nm", image], capture_output=True, text=True,
                           check=True).stdout.split("\n")
    address = {words[2]: int(words[0], 16) for words in map(str.split, lines) if len(words) == 3}
    guest_base = int(board_facts("arndale")["GUEST_BASE"], 16)
    assert guest_base % GIB == 0 and guest_base + GIB <= address["__image_start"]
    assert address["__image_end"] <= ARNDALE_KEPT
