#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prove one function of pagetable_proof.c by CBMC, for lib/pagetable.c or another source:
# tests/proof/prove.sh prove_map [source [options of cbmc]]
# The limits are those of tables with two entries in three levels: a loop takes two turns and ends
# at the third, and the mapper calls itself twice. CBMC asserts that no limit cuts a run short.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec cbmc tests/proof/pagetable_proof.c "${2:-lib/pagetable.c}" -I tests/proof -I . \
	--function "$1" --drop-unused-functions --no-standard-checks --no-array-field-sensitivity \
	--unwinding-assertions --unwindset update_level.0:3,update_level:2,entry_at.0:3 \
	--verbosity 8 "${@:3}"
