# SPDX-License-Identifier: Apache-2.0
"""The former place of a type of `records`."""

from hypbench.records import Data as Data
