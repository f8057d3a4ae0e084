# SPDX-License-Identifier: Apache-2.0
"""Media that a real board boots from: images for its boot loader, cards, folders for TFTP."""
