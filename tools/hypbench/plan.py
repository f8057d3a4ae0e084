# SPDX-License-Identifier: Apache-2.0
"""Writes another plan into a built image: ELF or raw, the plan is found by its magic."""

import re

import click

MAGIC = b"HYPBENCH-PLAN-1\0"
TEXT_SIZE = 8176  # bytes, with a terminating NUL (PLAN_TEXT_SIZE in abi/plan.h)
SECTION_TEXT = re.compile(rb"[\t\n\r -~]*\0+\Z")  # what the text region of a section looks like


def find_text(image: bytes) -> int:
    """Where the plan text begins. The magic may also stand in the image as a constant: a section
    is the place where nothing but text and then NULs follow."""
    found = [match.end() for match in re.finditer(re.escape(MAGIC), image)
             if len(image) >= match.end() + TEXT_SIZE
             and SECTION_TEXT.match(image[match.end():match.end() + TEXT_SIZE])]
    with_text = [place for place in found if image[place]]
    if len(with_text or found) != 1:
        what = f"{len(found)} plan sections" if found else "no plan section"
        raise click.ClickException(f"the image has {what}; it must have one")
    return (with_text or found)[0]


def read_plan(image: bytes) -> str:
    start = find_text(image)
    return image[start:start + TEXT_SIZE].rstrip(b"\0").decode("ascii")


def write_plan(image: bytes, plan: str, platform: str | None = None, machine: str = "") -> bytes:
    """The image with this plan; `platform` says what will execute it, `machine` what that is made
    of."""
    if platform:
        plan = plan.rstrip("\n") + f"\nplatform {platform}\n"
    if machine:
        plan += f"machine {machine}\n"
    if not plan.isascii() or not SECTION_TEXT.match(plan.encode() + b"\0"):
        raise click.ClickException("the plan has characters that are not printable ASCII")
    text = plan.encode()
    if len(text) >= TEXT_SIZE:
        raise click.ClickException(
            f"the plan is too long: {len(text)} bytes with the platform line, an image holds"
            f" {TEXT_SIZE - 1}")
    start = find_text(image)
    return image[:start] + text.ljust(TEXT_SIZE, b"\0") + image[start + TEXT_SIZE:]
