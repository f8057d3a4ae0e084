# SPDX-License-Identifier: Apache-2.0
"""Core models and caches for board.py, with the parameters that gem5 publishes for such cores:
O3_ARM_v7a (Cortex-A15) for the out-of-order core, HPI for the in-order one."""

from m5.objects import (ArmMinorCPU, ArmO3CPU, BiModeBP, Cache, FUDesc, FUPool, MinorDefaultFUPool,
                        OpDesc, ReturnAddrStack, SimpleBTB, TaggedPrefetcher, TournamentBP)

PREFETCHED_LINES = 3  # 100095 4.3.67, CPUECTLR_EL1[36:35]: the most, and the value at reset

SIMD = {"SimdAdd": 4, "SimdAddAcc": 4, "SimdAlu": 4, "SimdCmp": 4, "SimdCvt": 3, "SimdMisc": 3,
        "SimdMult": 5, "SimdMultAcc": 5, "SimdMatMultAcc": 5, "SimdShift": 3, "SimdShiftAcc": 3,
        "SimdSqrt": 9, "SimdFloatAdd": 5, "SimdFloatAlu": 5, "SimdFloatCmp": 3, "SimdFloatCvt": 3,
        "SimdFloatDiv": 3, "SimdFloatMisc": 3, "SimdFloatMult": 3, "SimdFloatMultAcc": 5,
        "SimdFloatMatMultAcc": 5, "SimdFloatSqrt": 9, "FloatAdd": 5, "FloatCmp": 5, "FloatCvt": 5,
        "FloatMult": 4, "FloatMultAcc": 5, "FloatMisc": 3}


def unit(count, latencies, not_pipelined=()):
    return FUDesc(count=count, opList=[
        OpDesc(opClass=name, opLat=cycles, pipelined=name not in not_pipelined)
        for name, cycles in latencies.items()])


def out_of_order_units():
    return FUPool(FUList=[
        unit(2, {"IntAlu": 1}),
        unit(1, {"IntMult": 3, "IprAccess": 3, "IntDiv": 12}, ("IntDiv",)),
        unit(1, {"MemRead": 2, "FloatMemRead": 2}),
        unit(1, {"MemWrite": 2, "FloatMemWrite": 2}),
        unit(2, {**SIMD, "FloatDiv": 9, "FloatSqrt": 33}, ("FloatDiv", "FloatSqrt"))])


def out_of_order(**arguments):
    return ArmO3CPU(
        LQEntries=16, SQEntries=16, LSQDepCheckShift=0, LFSTSize=1024, SSITSize=1024,
        fetchWidth=3, fetchBufferSize=16, fetchToDecodeDelay=3, decodeWidth=3,
        decodeToRenameDelay=2, renameWidth=3, renameToIEWDelay=1, dispatchWidth=6, issueWidth=8,
        wbWidth=8, commitWidth=8, squashWidth=8, trapLatency=13, numPhysIntRegs=128,
        numPhysFloatRegs=192, numPhysVecRegs=48, numIQEntries=32, numROBEntries=40,
        fuPool=out_of_order_units(),
        branchPred=BiModeBP(btb=SimpleBTB(numEntries=2048, tagBits=18),
                            ras=ReturnAddrStack(numEntries=16), globalPredictorSize=8192,
                            globalCtrBits=2, choicePredictorSize=8192, choiceCtrBits=2,
                            instShiftAmt=2),
        **arguments)


def in_order(**arguments):
    return ArmMinorCPU(
        fetch1LineSnapWidth=0, fetch1LineWidth=0, fetch1FetchLimit=1, fetch2CycleInput=True,
        decodeInputBufferSize=3, decodeInputWidth=2, decodeCycleInput=True, executeInputWidth=2,
        executeCycleInput=True, executeIssueLimit=2, executeMemoryIssueLimit=1,
        executeCommitLimit=2, executeMemoryCommitLimit=1, executeInputBufferSize=7,
        executeMaxAccessesInMemory=2, executeLSQMaxStoreBufferStoresPerCycle=2,
        executeLSQRequestsQueueSize=1, executeLSQTransfersQueueSize=2,
        executeLSQStoreBufferSize=5, executeBranchDelay=1, executeAllowEarlyMemoryIssue=True,
        executeFuncUnits=MinorDefaultFUPool(),
        branchPred=TournamentBP(btb=SimpleBTB(numEntries=128, tagBits=18),
                                ras=ReturnAddrStack(numEntries=8), localPredictorSize=64,
                                localCtrBits=2, localHistoryTableSize=64,
                                globalPredictorSize=1024, globalCtrBits=2,
                                choicePredictorSize=1024, choiceCtrBits=2, instShiftAmt=2),
        **arguments)


CORES = {"out-of-order": out_of_order, "in-order": in_order}


def cache(cycles, response, **arguments):
    return Cache(tag_latency=cycles, data_latency=cycles, response_latency=response,
                 tgts_per_mshr=8, **arguments)


def l1_caches(settings):
    instructions = cache(1, 1, size=f"{settings['l1i_kib']}KiB", assoc=settings["l1i_ways"],
                         mshrs=2, is_read_only=True, writeback_clean=True)
    data = cache(2, 2, size=f"{settings['l1d_kib']}KiB", assoc=settings["l1d_ways"], mshrs=6,
                 write_buffers=16, writeback_clean=True)
    return instructions, data


def l2_cache(settings):
    """Return the shared cache. With prefetcher=instructions the cache also reads the lines after an
    instruction fetch that misses, as the L2 cache of a Cortex-A72 does."""
    prefetcher = {}
    if settings["prefetcher"] == "instructions":
        prefetcher["prefetcher"] = TaggedPrefetcher(degree=PREFETCHED_LINES, on_data=False)
    return cache(12, 12, size=f"{settings['l2_kib']}KiB", assoc=16, mshrs=16, write_buffers=8,
                 clusivity="mostly_excl", **prefetcher)
