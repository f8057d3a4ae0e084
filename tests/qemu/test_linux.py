# SPDX-License-Identifier: Apache-2.0
"""Debian's unmodified Linux as a guest: up to a shell in user space, and off again; in two VMs at
once, with a link of kind=virtio between them; and over such a link to the bench guest."""

import re

import pytest

from fetched import missing, skip_unless_possible
from hypbench.guests import recipes
from hypbench.rules import check_rules
from lab import PLATFORM
from linux_files import drivers
from linux_guest import BARE, Boot, Booted, perform_boot
from old_qemu import IS_OLD, fails_on_old
from pages import column, page

pytestmark = pytest.mark.nightly

HZ = 62_500_000  # of the counter
# The first timer interrupt after a second wakes a program that sleeps for a second.
SECOND = range(HZ, HZ + HZ // 1000)
# The uptime is in hundredths of a second, and the measured time includes the start of one program
# before the sleep and of two after it.
SLEEP_S = (0.99, 1.1)
# The instructions up to user space, as multiples of those on the bare machine. Two processors also
# wait for each other, and each boot waits differently.
MOST = {("trapped", 1): 1.02, ("direct", 1): 1.002, ("trapped", 2): 1.15}
LEAST = 0.99
BOOTS = [Boot(board, config, cpus) for board in ("virt-a15", "virt-a72", "virt-a72-gicv3")
         for config, cpus in (("trapped", 1), ("trapped", 2), ("direct", 1))]


def name_of(boot: Boot) -> str:
    return f"{boot.board}-{boot.config}-{boot.cpus}"


def bare(boot: Boot) -> Boot:
    return Boot(boot.board, BARE, boot.cpus)


def reason_to_skip(boot: Boot) -> str:
    return missing("Linux", lambda: recipes.kernel(boot.isa),
                   lambda: recipes.busybox(boot.isa))


@pytest.fixture
def boots(lab):
    """Return a function that runs a boot with a time limit, or skips the test if the boot is
    impossible here."""
    def run(boot: Boot) -> Booted:
        skip_unless_possible(boot, reason_to_skip)
        return lab.run(boot, perform_boot)
    return run


@pytest.fixture
def booted(request, boots) -> Booted:
    if IS_OLD and request.param == Boot("virt-a15", "trapped", cpus=2):
        pytest.skip("QEMU 7.2 divides the time among several cores otherwise: CAVEATS.md")
    booted = boots(request.param)
    assert not booted.timed_out, booted.explain()
    return booted


each_boot = pytest.mark.parametrize("booted", BOOTS, ids=name_of, indirect=True)


@each_boot
def test_linux_reaches_user_space_and_powers_off(booted):
    assert booted.user_space, booted.explain()
    assert booted.status == 0, booted.explain()
    assert "reboot: Power down" in booted.text
    assert [record["outcome"] for record in booted.log.of_kind("step")] == ["done"]
    assert booted.log.problems + check_rules(booted.log, PLATFORM) == []


@each_boot
def test_every_processor_runs(booted):
    cpus = booted.boot.cpus
    assert f"processors {cpus}\n" in booted.text
    timers = booted.interrupts("arch_timer")
    assert len(timers) == cpus and min(timers) > 250, booted.explain()  # ticks during the sleep


@each_boot
def test_a_second_takes_a_second(booted):
    """The second is measured on every processor, by its counter and by the kernel's clock."""
    assert len(booted.seconds) == len(booted.sleeps) == booted.boot.cpus, booted.explain()
    assert all(second in SECOND for second in booted.seconds), booted.seconds
    assert all(SLEEP_S[0] <= sleep <= SLEEP_S[1] for sleep in booted.sleeps), booted.sleeps


@each_boot
def test_user_space_is_not_much_farther(booted, boots):
    """Under icount a tick is an instruction, and the kernel never waits on its way, so its counter
    includes what the hypervisor executes."""
    boot = booted.boot
    ratio = booted.user_space / boots(bare(boot)).user_space
    assert LEAST <= ratio <= MOST[boot.config, boot.cpus], ratio


# --- the figures of docs/guests.md ---

WAY = "## The way to user space"


def documented(booted: Booted, heading: str) -> float:
    """Return a figure of the page. The figures are those of one version of the kernel."""
    version = re.search(r"Linux (\d\S+) \(", page("docs/guests.md"))[1]
    if booted.package != version:
        pytest.skip(f"docs/guests.md has figures of Linux {version}, this is"
                    f" {booted.package}")
    return column("docs/guests.md", WAY, heading)[f"`{booted.boot.board}`"][0]


@fails_on_old("takes a few thousand instructions less for Linux' way")
@pytest.mark.parametrize("booted", [boot for boot in BOOTS if boot.cpus == 1], ids=name_of,
                         indirect=True)
def test_documented_way_is_that_of_a_run(booted, boots):
    """The figure is rounded to the last digit of the page. The margin is a tenth of that digit,
    because any change moves the kernel's timer ticks along its path, which changes the length by a
    few thousand instructions."""
    native = boots(bare(booted.boot)).user_space
    assert documented(booted, "bare") == pytest.approx(native / 1e6, abs=0.06)
    assert (f"hold `direct` to {MOST['direct', 1]} and `trapped` to {MOST['trapped', 1]}"
            in page("docs/guests.md"))
    assert documented(booted, f"`{booted.boot.config}`") == pytest.approx(
        booted.user_space / native, abs=0.0006)


def test_documented_sleep_is_that_of_a_run(boots):
    """The figure is the instructions to fall asleep and to wake up. Any change moves the kernel's
    timer ticks along this path."""
    booted = boots(Boot("virt-a72", "trapped"))
    documented(booted, "bare")
    match = re.search(r"less than 0\.1 % more \(some (\d+) (\d+) on a Cortex-A72",
                      " ".join(page("docs/guests.md").split()))
    assert booted.seconds[0] - HZ == pytest.approx(int("".join(match.groups())), abs=5000)


# --- several VMs ---

TWO = "vm one image=guest cores=0\nvm two image=guest cores=1\n"
SHARED = "vm one image=guest cores=0\nvm two image=guest cores=0\n"
HOW = [(TWO, "trapped"), (SHARED, "trapped sched=rr fp=lazy")]
# The two boards have different GICs, and also different isas.
on_each_gic = pytest.mark.parametrize("on", ("virt-a15", "virt-a72-gicv3"))
DRIVERS = """\
mount -t proc proc /proc
mount -t sysfs sys /sys
for module in /modules/*; do insmod $module; done
"""
# The last byte of a device's MAC address is the VM's number. The VM with the larger number listens
# first, then the other VM. Both send numbers, one a line.
CARRY = DRIVERS + """\
mac=$(cat /sys/class/net/eth0/address)
me=${mac##*0}
other=$((3 - me))
ip addr add 10.0.0.$me/24 dev eth0
ip link set eth0 up
until ping -c 1 -W 1 10.0.0.$other >/dev/null; do :; done
ping -c 5 -s 1000 10.0.0.$other | grep received
echo sum $(seq 1 170000 | md5sum)
if [ $me = 2 ]; then
    echo got $(nc -l -p 7 | md5sum)
    until seq 1 170000 | nc 10.0.0.1 7; do sleep 1; done
else
    until seq 1 170000 | nc 10.0.0.2 7; do sleep 1; done
    echo got $(nc -l -p 7 | md5sum)
fi
cat /sys/class/net/eth0/statistics/rx_errors
sleep 2
poweroff -f
"""
# Linux is VM 2. Linux pings first, and answers no ping meanwhile. The benchmark ends when it has
# its samples.
PING = DRIVERS + """\
echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all
ip addr add 10.0.0.2/24 dev eth0
ip link set eth0 up
until ping -c 1 -W 1 10.0.0.1 >/dev/null; do :; done
ping -c 5 -s 1000 10.0.0.1 | grep received
echo 0 > /proc/sys/net/ipv4/icmp_echo_ignore_all
sleep 1000
"""
PINGS = 200
PONG = "5 packets transmitted, 5 packets received"


def several(boots, on: str, config: str, extra_lines: str, script: str = "") -> Booted:
    boot = Boot(on, config, limit_ms=600_000, extra_lines=extra_lines, cores=2, script=script)
    if script and (reason := missing("drivers", lambda: drivers(boot.isa))):
        pytest.skip(reason)
    booted = boots(boot)
    assert not booted.timed_out and booted.status == 0, booted.explain()
    assert booted.log.problems == [], booted.explain()
    return booted


def outputs_of(booted: Booted) -> list[str]:
    """Return the lines of either VM, both of which reached their end. A long line comes in
    parts."""
    assert {vm["vm"]: vm["outcome"] for vm in booted.log.of_kind("vm")} == {
        "one": "done", "two": "done"}
    return ["\n".join(re.findall(rf"^{vm}: (.*)$", booted.text, re.MULTILINE))
            for vm in ("one", "two")]


@pytest.mark.parametrize("vms, config", HOW, ids=["a core each", "one core"])
@on_each_gic
def test_two_linux_vms(boots, on, vms, config):
    booted = several(boots, on, config, vms)
    for output in outputs_of(booted):
        assert "user space at CNTVCT" in output and "reboot: Power down" in output, booted.explain()
        assert len(re.findall(r"a second at CNTVCT \+", output)) == 1


@on_each_gic
def test_two_linux_vms_reach_each_other(boots, on):
    """The VMs ping each other, and TCP carries a megabyte each way."""
    booted = several(boots, on, "trapped", f"{TWO}link net kind=virtio a=one b=two\n", CARRY)
    for output in outputs_of(booted):
        assert PONG in output, booted.explain()
        [digest] = re.findall(r"^sum (\w{32})", output, re.MULTILINE)
        assert re.findall(r"^got (\w{32})", output, re.MULTILINE) == [digest], booted.explain()
    for vm in booted.log.of_kind("vm"):
        assert vm["net_broken"] == 0 and vm["net_received"] > 700


@on_each_gic
def test_linux_and_the_bench_guest_ping_each_other(boots, on):
    booted = several(boots, on, "trapped-sw", f"bench net_ping n={PINGS}\nvm bench cores=0\n"
                     "vm linux image=guest cores=1\nlink net kind=virtio a=bench b=linux\n", PING)
    assert PONG in booted.text, booted.explain()
    [check] = [check for check in booted.log.of_kind("check") if check["variant"] == "answers"]
    assert check["ok"] and check["answered"] == PINGS + 1 and check["peer"] == 2, check
    assert check["lost"] == check["late"] == check["wrong"] == 0
    [row] = booted.log.of_kind("bench")
    assert row["n"] == PINGS
    for vm in booted.log.of_kind("vm"):
        assert vm["net_broken"] == 0 and vm["net_received"] > PINGS
