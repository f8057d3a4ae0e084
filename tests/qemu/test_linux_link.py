# SPDX-License-Identifier: Apache-2.0
"""Debian's Linux in two VMs with a link of kind=virtio: they ping each other, and TCP carries a
megabyte each way."""

import re

import pytest

from fetched import possible, skip_unless_possible
from linux_guest import Boot, Booted, perform_boot
from linux_files import drivers
from fetched import missing
from test_linux import reason_to_skip
from test_linux_vms import ends, lines_of

pytestmark = pytest.mark.long

VMS = ("vm one image=guest cores=0\nvm two image=guest cores=1\n"
       "link net kind=virtio a=one b=two\n")
# The address is the last byte of the device's MAC address. The larger one listens first, then the
# other one does. What both carry is numbers, one a line.
SCRIPT = """\
mount -t proc proc /proc
mount -t sysfs sys /sys
for module in /modules/*; do insmod $module; done
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
BOARDS = ("virt-a15", "virt-a72-gicv3")  # each isa, each GIC


def linked(on: str) -> Boot:
    return Boot(on, "trapped", limit_ms=600_000, also=VMS, cores=2, script=SCRIPT)


def reason(boot: Boot) -> str:
    return reason_to_skip(boot) or missing("drivers", lambda: drivers(boot.isa))


@pytest.fixture(scope="module", autouse=True)
def started():
    """Every boot begins with the first of these tests."""
    from conftest import LAB
    for boot in possible(map(linked, BOARDS), reason):
        LAB.start(boot, perform_boot)


def run(lab, boot: Boot) -> Booted:
    skip_unless_possible(boot, reason)
    booted = lab.run(boot, perform_boot)
    assert not booted.timed_out and booted.status == 0, booted.explain()
    assert booted.log.problems == [], booted.explain()
    return booted


@pytest.mark.parametrize("on", BOARDS)
def test_two_linux_vms_reach_each_other(lab, on):
    booted = run(lab, linked(on))
    assert ends(booted) == {"one": "done", "two": "done"}
    for vm in ("one", "two"):
        said = lines_of(booted, vm)
        assert "5 packets transmitted, 5 packets received" in said, booted.explain()
        [what] = re.findall(r"^sum (\w{32})", said, re.MULTILINE)
        assert re.findall(r"^got (\w{32})", said, re.MULTILINE) == [what], booted.explain()
    for vm in booted.log.of_kind("vm"):
        assert vm["net_broken"] == 0 and vm["net_received"] > 700
