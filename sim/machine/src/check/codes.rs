// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every kind of finding: name, severity, meaning and remedy. `docs/guide/check.md` has this table.

use super::words::any_language;
use bcu_isa::op::FaultCode;
use serde::Serialize;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The program is wrong: on the unit, or on hardware, it does not behave as written.
    Error,
    /// The program is correct only by chance, or the instruction has no effect.
    Warning,
    /// Information.
    Note,
}

impl Severity {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

impl Code {
    /// Whether the unit reports the misuse as a fault. The fault has the name of this code. `wait_cycle` and `counted_exit` are causes of a
    /// hang, for which the unit reports the fault `deadlock`.
    pub fn reported(&self) -> bool {
        let hang = [WAIT_CYCLE.name, COUNTED_EXIT.name].contains(&self.name);
        hang || FaultCode::ALL.iter().any(|fault| of_fault(*fault).is_some_and(|code| code.name == self.name))
    }
}

impl Code {
    /// Whether the finding states for what warps wait for ever.
    pub(super) fn is_hang(&self) -> bool {
        let hangs = [&SPIN_WAIT, &SIGNAL_MISSING, &DEADLOCK, &COUNTED_EXIT, &WAIT_CYCLE, &MBARRIER_WAIT, &CLUSTER_WAIT];
        hangs.iter().any(|code| code.name == self.name)
    }
}

/// A kind of finding.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// The stable name. For a fault of the unit it is the name in `docs/contract/faults.md`.
    pub name: &'static str,
    pub severity: Severity,
    /// What the code means, in one sentence.
    pub summary: &'static str,
    /// What to change in the program.
    pub help: &'static str,
    /// Whether the finding is reported only with `--strict`.
    pub strict: bool,
}

/// Declares one constant per code, and the table of all codes.
macro_rules! codes {
    ($($constant:ident $name:literal $severity:ident $(($strict:ident))?: $summary:literal; $help:literal;)*) => {
        $(pub const $constant: Code = Code {
            name: $name,
            severity: Severity::$severity,
            summary: $summary,
            help: $help,
            strict: codes!(@strict $($strict)?),
        };)*
        /// Every code, in the order in which findings at one location are reported.
        pub const CODES: &[Code] = &[$($constant),*];
    };
    (@strict strict) => { true };
    (@strict) => { false };
}

codes! {
    BAD_ACCESS "bad_access" Error: "An access outside of memory, to memory that this access may not use, or at an address that is not a multiple of its size.";
        "check the bounds and the alignment of the access";
    LANE_MASK "lane_mask" Error: "A lane mask that PTX forbids: without the lane that executes the instruction, or with lanes beyond the warp.";
        "give a mask with every lane that executes the instruction, and with no lane beyond the warp";
    GRID_RACE "grid_race" Error: "A grid loads data of its prerequisite grid, or overwrites data that the prerequisite grid loads, without waiting for that grid.";
        "put `griddepcontrol.wait` (`cudaGridDependencySynchronize()`) before this access";
    BAD_CALL "bad_call" Error: "A call or an indexed branch without a valid target, or an endless recursion.";
        "check the table of the indexed branch, or the address of the called function";
    TRAPPED "trapped" Error: "The program stops itself: `trap`, or an assertion that fails.";
        "check the condition of the assertion, or of the branch that leads to `trap`";
    UNKNOWN_DECISION "unknown_decision" Error: "The run ended because a decision, an address or an operand of a barrier depends on an unknown value.";
        "give the value by an argument or a buffer; for a guard, assume a value: `--assume LINE=taken`";
    NOT_BUILT "not_built" Error: "The run ended at an instruction that this version or this configuration does not support.";
        "docs/guide/opcodes.md lists the supported instructions";
    ILLEGAL_INSTRUCTION "illegal_instruction" Error: "The unit does not implement this instruction; it has no effect, and its warp continues.";
        "docs/contract/isa.md lists every instruction; `bcu disasm` prints what is wrong with a word";
    ID_OUT_OF_RANGE "id_out_of_range" Error: "The barrier id is not below the number of barriers that the CTA declares or the configuration has.";
        "use a lower id, declare more barriers (machine key `barriers`), or use a configuration with more";
    ID_ALIAS "id_alias" Error: "A register holds an id above 15: only its low 4 bits are used, so the instruction names another barrier.";
        "keep ids below 16; a typical cause: two parts of a kernel add different offsets to the same id";
    COUNT_ALIAS "count_alias" Error: "A register holds a count above 4095: only its low 12 bits are used; 4096 means all warps.";
        "keep counts below 4096; for all warps leave the count out";
    EQUAL_REGISTERS "equal_registers" Warning: "One register gives both id and count: the id is the low 4 bits of the count.";
        "give id and count in separate registers; only a reduction takes both from one register";
    OPERAND_NOT_UNIFORM "operand_not_uniform" Error: "The lanes of a warp give different ids or counts.";
        "compute id and count from values that all lanes of the warp share";
    PARTIAL_MASK "partial_mask" Error: "An aligned barrier is executed by some lanes of the warp only.";
        "let the whole warp reach the barrier together, or use `barrier.sync` without `.aligned`";
    GATHER_MISMATCH "gather_mismatch" Error: "The lanes of a warp execute one barrier with different operands.";
        "let all lanes of the warp name the same barrier, count and kind";
    COUNT_ZERO_ARRIVE "count_zero_arrive" Error: "An arrival that does not wait has no count.";
        "give the number of threads that complete the barrier";
    COUNT_NOT_WARP_MULTIPLE "count_not_warp_multiple" Error: "The count is not a multiple of the lanes of a warp.";
        "give a multiple of the lanes of a warp: a warp arrives with all its lanes, whichever lanes execute";
    COUNT_EXCEEDS_CTA "count_exceeds_cta" Error: "The count is larger than the CTA: hardware would hang.";
        "count only the threads that arrive, or launch more warps";
    DOUBLE_ARRIVAL "double_arrival" Error: "A warp arrives again before the generation in which it has arrived is complete.";
        "wait for the completion (at this barrier or at a second one) before arriving again, or alternate two ids";
    KIND_MISMATCH "kind_mismatch" Error: "One generation has a reduction and an arrival without a reduction, or two different reductions: an H100 stops the kernel.";
        "give the reduction a separate id";
    COUNT_MISMATCH "count_mismatch" Error: "The arrivals of one generation give different counts: an H100 stops the kernel, other GPUs may hang.";
        "let every participant give the same count: all that arrive, whether they wait or not";
    NO_RESULT "no_result" Error: "B2R.RESULT before the warp has taken part in a reduction.";
        "execute {reduction} first";
    BAD_STATE_WORD "bad_state_word" Error: "R2B writes a word that is not a possible state of a barrier or warp.";
        "write back only words that B2R has read; restore barriers before warps, while no warp waits at the barrier";
    BARRIER_LEFT_OPEN "barrier_left_open" Error: "A CTA ends with an incomplete generation of a barrier: warps have arrived, but fewer than the count.";
        "complete the generation: add the missing wait or arrival, or remove this arrival";
    COUNTED_EXIT "counted_exit" Error: "A barrier with a count waits for warps that have exited: an exit does not count as an arrival.";
        "let every warp arrive before it exits, or lower the count to the remaining warps";
    WAIT_CYCLE "wait_cycle" Error: "Warps wait for each other: a circular wait.";
        "let all these warps use the barriers in the same order";
    DEADLOCK "deadlock" Error: "Warps wait at a barrier that can never complete.";
        "compare the barrier id and the thread count that the waiting warps give with those that the missing warps give";
    SPIN_WAIT "spin_wait" Error: "Warps spin in a loop on memory that no warp will change.";
        "let the storing warp store before it waits itself, and check the value that the loop expects";
    GRID_NOT_RESIDENT "grid_not_resident" Error: "CTAs spin until other CTAs arrive, which are never launched because the spinning CTAs occupy all CTA slots or warp slots.";
        "launch no more CTAs than fit at once: CTAs that wait for each other must all be resident";
    CYCLE_LIMIT "cycle_limit" Error: "The run was stopped at its limit of cycles; whether it hangs is unknown.";
        "if the program needs more cycles, give a higher limit: `--max-cycles N`";
    ID_SHARED "id_shared" Error: "Two groups of warps, each large enough for its own count, use one barrier at the same time.";
        "give each group a separate id";
    RANK_OUT_OF_RANGE "rank_out_of_range" Error: "The address of an mbarrier names a CTA that the cluster does not have.";
        "a shared address has the rank of its CTA in bits 31:24: take it from the variable, `cvta` or `mapa`";
    WAIT_REMOTE "wait_remote" Error: "A wait at an mbarrier of another CTA.";
        "wait only at mbarriers of the warp's own CTA; at an mbarrier of another CTA a warp can only arrive";
    ADDRESS_MISALIGNED "address_misaligned" Error: "The address of an mbarrier is not a multiple of 8.";
        "declare mbarriers as `.b64` with `.align 8`";
    ADDRESS_OUT_OF_RANGE "address_out_of_range" Error: "The address of an mbarrier is outside of shared memory.";
        "use the address of a variable in shared memory; where a shared address is required, do not use a generic one";
    MBARRIER_COUNT "mbarrier_count" Error: "A number of arrivals out of range, summed over all lanes: 0, or 1048576 and more.";
        "give 1 to 1048575 arrivals";
    RANK_ABSENT "rank_absent" Error: "An operation on an mbarrier of a CTA that has ended or is not launched yet.";
        "no CTA may exit while others still arrive at its mbarriers: put {cluster_barrier} before the exit";
    MBARRIER_INVALID "mbarrier_invalid" Error: "An operation on a word that is not an mbarrier: not initialised, invalidated, overwritten, or all participants have dropped out.";
        "let one thread initialise it, and put a barrier of the CTA between the init and the first use";
    MBARRIER_TX_RANGE "mbarrier_tx_range" Error: "The tx-count of an mbarrier, the bytes that its phase still needs, leaves the range -1048575 to 1048575.";
        "expect fewer bytes in a phase, and expect them before the copy writes them";
    MBARRIER_OVER_ARRIVAL "mbarrier_over_arrival" Error: "More arrivals than an mbarrier has pending: an H100 stops the kernel, other GPUs may count them in a later phase.";
        "every lane that executes an arrival counts: initialise the mbarrier for all these lanes, or let one elected lane arrive; no thread may arrive again before the phase is complete";
    MBARRIER_DROP_TO_ZERO "mbarrier_drop_to_zero" Error: "A drop would leave an mbarrier without expected arrivals in an incomplete phase.";
        "let the last participant drop out with the arrival that completes the phase, or do not drop";
    MBARRIER_COMPLETES "mbarrier_completes" Error: "An arrival with noComplete that would complete the phase.";
        "leave `.noComplete` out, or let another thread arrive last";
    MBARRIER_EXPECT_LATE "mbarrier_expect_late" Error: "Bytes are expected after all arrivals and all other bytes of the phase: no rule of PTX completes the phase, although an H100 completes it.";
        "expect bytes with the last arrival or before it: `mbarrier.arrive.expect_tx`";
    CLUSTER_DOUBLE_ARRIVAL "cluster_double_arrival" Error: "A warp arrives at the barrier of its cluster again before it has waited.";
        "let each {cluster_arrive} be followed by {cluster_wait} of the same warp";
    CLUSTER_WAIT_WITHOUT_ARRIVAL "cluster_wait_without_arrival" Error: "A warp waits at the barrier of its cluster without having arrived.";
        "put {cluster_arrive} before each {cluster_wait}";
    SIGNAL_TYPE "signal_type" Error: "A signal of type 3: 0 is producer and consumer, 1 producer, 2 consumer.";
        "give the type as 0, 1 or 2";
    COUNT_ZERO "count_zero" Error: "A signal has a count of 0 producers or 0 consumers.";
        "give at least 1 producer and 1 consumer; a thread that signals as both is counted in both numbers";
    COUNT_EXCEEDS_GROUP "count_exceeds_group" Error: "A signal counts more threads than the thread group has: hardware would hang.";
        "count the hardware threads of the group that signal, not work-items";
    SIGNAL_MISMATCH "signal_mismatch" Error: "The signals of one phase give different numbers of producers or consumers.";
        "let every signal of the phase give the same number of producers and the same number of consumers";
    OVER_SIGNAL "over_signal" Error: "More threads signal as producer, or as consumer, than take part in the phase.";
        "raise the number of producers or consumers in the signals, or use a separate barrier for the extra threads";
    NOTIFICATION_LOST "notification_lost" Error: "A consumer signals again before it has waited: a barrier holds one notification per consumer.";
        "let each signal as consumer be followed by a wait of the same thread";
    PRODUCER_WAITS "producer_waits" Error: "A thread waits at a named barrier at which it has not signalled as consumer since it last waited.";
        "producers must not wait: let the thread signal as consumer (type 2) or as both (type 0) before the wait";
    SIGNAL_MISSING "signal_missing" Error: "Threads wait at a named barrier of Intel's gateway for signals that are never sent.";
        "let as many producers and consumers signal in each phase as the signals give, all with the same id";
    BARRIER_REUSED "barrier_reused" Warning: "Other threads use a named barrier of Intel's gateway again before all consumers of the previous phase have waited.";
        "let the other threads wait for these consumers at another barrier, or use another id: a barrier can be reused only after all its consumers have waited";
    CLUSTER_WAIT "cluster_wait" Error: "Warps wait at the barrier of their cluster for warps that never arrive there.";
        "let every warp of every CTA of the cluster arrive the same number of times, or exit";
    GRID_BARRIER_WAIT "grid_barrier_wait" Error: "CTAs of a cooperative launch wait at the barrier of the grid for CTAs that never arrive there.";
        "let every CTA of the grid execute the same `grid.sync()`, and none exit before it";
    CLUSTER_CTA_EXITED "cluster_cta_exited" Error: "An access to the shared memory of a CTA of the cluster that has exited.";
        "no CTA may exit while others use its shared memory: put {cluster_barrier} before the exit, whose arrival is not `.relaxed`";
    CLUSTER_LATE_ENTRY "cluster_late_entry" Error: "An access to the shared memory of another CTA of the cluster before it is certain that this CTA has started.";
        "put {cluster_barrier} before the first access to other CTAs";
    CLUSTER_EARLY_EXIT "cluster_early_exit" Error: "A CTA exits without waiting for accesses of other CTAs to its shared memory; in another schedule they come after its exit.";
        "put {cluster_barrier} between the last access to other CTAs and the exit, or let the CTA wait at an mbarrier for the others";
    GRID_NOT_AWAITED "grid_not_awaited" Note: "A grid that may begin before the earlier grids have ended never waits for them.";
        "legal if the grid uses no data of the earlier grids; a later launch that depends on the earlier grids must itself execute `griddepcontrol.wait`";
    MBARRIER_WAIT "mbarrier_wait" Error: "Warps wait at an mbarrier for a phase that can no longer complete.";
        "compare the count with the arriving threads, the expected bytes with the copied bytes, and the parity with the phase";
    MBARRIER_WRONG_PARITY "mbarrier_wrong_parity" Error: "A warp waits at an mbarrier for the parity of the wrong phase.";
        "in the first phase wait for parity 0 if the buffer must be full, for parity 1 if it must be empty; flip the parity after each wait";
    MBARRIER_REINIT "mbarrier_reinit" Error: "An mbarrier is initialised again without having been invalidated.";
        "initialise the mbarrier once, or execute `mbarrier.inval` before the second init";
    MBARRIER_INIT_LANES "mbarrier_init_lanes" Warning: "Several lanes initialise one mbarrier by one instruction.";
        "let one thread initialise it: `if (threadIdx.x == 0)`";
    MBARRIER_NOT_VISIBLE "mbarrier_not_visible" Error: "An operation on an mbarrier that is not ordered after its init.";
        "put {barrier} between the init and the first use by other threads";
    MBARRIER_NOT_FENCED "mbarrier_not_fenced" Note: "A copy signals an mbarrier of its CTA whose init no fence has made visible to copies; an error in a cluster of several CTAs, and with `--strict`.";
        "execute `fence.mbarrier_init.release.cluster` or `fence.proxy.async.shared::cta` after the init, and then a barrier before the copy starts, as the CUDA guide does; Triton relies on the barrier alone";
    MBARRIER_OVERLAID "mbarrier_overlaid" Error: "A store, an atomic operation or a copy to the bytes of an mbarrier.";
        "keep data out of the 8 bytes of an mbarrier; to use these bytes for data, execute `mbarrier.inval` first";
    MBARRIER_LOADED "mbarrier_loaded" Note: "A load of the bytes of an mbarrier: memory may hold an older word than the unit.";
        "use `mbarrier.test_wait`, or the state that an arrival returns";
    MBARRIER_MISSING_WAIT "mbarrier_missing_wait" Error: "A thread arrives in a phase of an mbarrier, although no thread has waited for the previous phase.";
        "PTX requires that at least one thread observes the completion of a phase (`mbarrier.test_wait`, `.try_wait`) before any thread arrives in the next";
    MBARRIER_STALE_PHASE "mbarrier_stale_phase" Warning: "A lane waits again for a phase whose completion it has observed: the wait returns at once.";
        "flip the parity after each wait";
    MBARRIER_BYTES_LEFT "mbarrier_bytes_left" Warning: "A CTA ends while an mbarrier waits for bytes, or has received bytes that no thread has expected.";
        "make the bytes of `expect_tx` equal to the copied bytes, and wait for them before the CTA ends";
    MBARRIER_LEFT_OPEN "mbarrier_left_open" Warning: "A CTA ends in the middle of a phase of an mbarrier.";
        "legal if no thread needs the phase; otherwise an arrival is missing";
    WRONG_RESULT "wrong_result" Error: "A buffer differs from its expected contents.";
        "check the first element that differs, and the thread that stores it";
    UNKNOWN_ADDRESS "unknown_address" Error: "An access at an address that depends on memory that was never written.";
        "store to that memory before it is read, or give the buffer a `fill`";
    UNKNOWN_CONDITION "unknown_condition" Error: "Whether a branch is taken, or a store is executed, depends on memory or on a register that was never written.";
        "store to that memory before it is read, or give the buffer a `fill`";
    UNKNOWN_OUTPUT "unknown_output" Warning: "An unknown value is stored to a buffer or a variable in global memory.";
        "give the unknown value at its origin: by an argument, a buffer with a `fill`, or a store before the load";
    VARIABLE_NOT_SET "variable_not_set" Note: "A kernel reads a variable of the program that has neither an initial value nor data from the launch, and that no kernel writes: it is 0.";
        "give its contents, as the host does with `cudaMemcpyToSymbol`: `--arg NAME=…`, in a launch file `[variables.\"NAME\"]`; to keep 0, give 0";
    RACE "race" Error: "Two threads access the same byte of shared or global memory, at least one of them stores, and the accesses are not ordered.";
        "put {barrier} between the two accesses, or {warp_barrier} if both are of one warp; wait for a copy before its bytes are used";
    PROXY_FENCE_MISSING "proxy_fence_missing" Error: "An asynchronous bulk or tensor copy uses bytes that threads have stored to, or a tensor map that they have changed, and no proxy fence orders the stores before the copy.";
        "execute `fence.proxy.async` after the stores and before the barrier that orders them before the copy; for a tensor map `fence.proxy.tensormap::generic`, a release after the change and an acquire before the copy";
    PROXY_FENCE_AFTER_LOAD "proxy_fence_after_load" Warning (strict): "An asynchronous bulk or tensor copy stores to bytes that threads have loaded, and no proxy fence orders the loads before the copy.";
        "PTX requires `fence.proxy.async` between the loads and the copy; CUTLASS's pipelines leave it out";
    WGMMA_FENCE_MISSING "wgmma_fence_missing" Error: "A product of a warpgroup uses registers that other instructions have used since the last `wgmma.fence`, or is the first and has no fence before it.";
        "execute `wgmma.fence.sync.aligned` (`warpgroup_arrive()`) after the last other use of the accumulator and of A, before the first product";
    WGMMA_NOT_WAITED "wgmma_not_waited" Error: "An instruction uses a register of the accumulator of a product, or overwrites one of A, before `wgmma.wait_group` has waited for the product.";
        "execute `wgmma.commit_group` after the product, and `wgmma.wait_group` with a number that covers this group before the use";
    WGMMA_NOT_COMMITTED "wgmma_not_committed" Warning: "`wgmma.wait_group` has no group to wait for, although the warp has started products: they are in no group, and the warp commits none afterwards.";
        "execute `wgmma.commit_group` after the products and before the wait";
    WGMMA_NOT_CONVERGED "wgmma_not_converged" Error: "The four warps of a warpgroup, or the lanes of a warp, do not execute the same instructions `wgmma` with the same matrix descriptors.";
        "let all 128 threads of the four warps from a multiple of 4 on execute each `wgmma`, under one condition and with equal descriptors";
    WGMMA_DESCRIPTOR "wgmma_descriptor" Error: "PTX describes no layout of a matrix in shared memory with the start, the byte offsets and the base offset of its matrix descriptor. The result of the product is unknown.";
        "give a start and byte offsets that are multiples of the swizzle pattern (8 rows), as the message states, and the base offset 0";
    WGMMA_NOT_CHECKED "wgmma_not_checked" Note: "The reads of a product are not checked for races, because its matrix descriptor or its form is unknown.";
        "give the descriptor a known value: an argument, or a known address in shared memory";
    SETMAXNREG_WAIT "setmaxnreg_wait" Error: "A warp waits at `setmaxnreg.inc` for registers that no warp of the CTA frees; the run then continues.";
        "let the other warps execute `setmaxnreg.dec` first, and keep the sum of all warps within the registers of the launch (`.maxnreg` times the threads)";
    TCGEN05_NOT_ORDERED "tcgen05_not_ordered" Error: "An instruction `tcgen05` uses tensor memory that an earlier one still uses: no thread has waited for its end and then synchronised.";
        "wait at an mbarrier for a `tcgen05.commit` after `tcgen05.mma` and `tcgen05.cp`, and execute `tcgen05.wait` after `tcgen05.ld` and `.st`, before other threads use the tensor memory";
    TCGEN05_NOT_WAITED "tcgen05_not_waited" Error: "An instruction uses a register of `tcgen05.ld` before `tcgen05.wait::ld`, which does not follow in the same block.";
        "execute `tcgen05.wait::ld.sync.aligned` between the load and the first use of its registers";
    TCGEN05_NOT_FREED "tcgen05_not_freed" Error: "A CTA ends without `tcgen05.dealloc` of tensor memory that it has allocated.";
        "let one warp execute `tcgen05.dealloc` with the address and the columns of each allocation when no thread uses them any more";
    TCGEN05_ALLOC_WAIT "tcgen05_alloc_wait" Error: "The run ended because a warp waits at `tcgen05.alloc` for columns of tensor memory that no warp can free.";
        "allocate fewer columns, free those of the CTA first, or let fewer CTAs share a multiprocessor";
    TCGEN05_NOT_CHECKED "tcgen05_not_checked" Note: "The result of an instruction `tcgen05` is not calculated: it is unknown.";
        "the other findings are valid; docs/guide/ptx.md lists the kinds that are calculated";
    ACCESS_NOT_CHECKED "access_not_checked" Note: "The kernel has accesses that are not executed: of 128 bits, atomic operations on vectors, `multimem`, surfaces and textures. Their results are unknown, and they are not checked for races.";
        "the other findings are valid; races with these accesses are missed";
    ADDRESS_NOT_CHECKED "address_not_checked" Note: "Threads store to unknown addresses: these stores are not executed, and not checked for races.";
        "give each parameter a value by `--arg`; the other findings are valid";
    CONDITION_NOT_CHECKED "condition_not_checked" Note: "Whether a branch is taken, or a store is executed, depends on an argument without a value or on a result that is not calculated: what follows under this condition is not checked.";
        "give each parameter a value by `--arg`; the other findings are valid";
    NOBODY_WAITS "nobody_waits" Warning: "A barrier completes at which every warp arrived and no warp waited: it orders nothing.";
        "let the warps that need data of other warps wait ({barrier}), or remove the arrivals";
    ARRIVAL_IN_OTHER_PHASE "arrival_in_other_phase" Error: "In another schedule, which was executed, an arrival or an expectation counts in another generation of its barrier or in another phase of its mbarrier, and the launch fails.";
        "let every warp that arrives again first wait for the generation or phase before, and expect bytes by the arrival itself (`arrive.expect_tx`)";
    WAIT_IN_OTHER_PHASE "wait_in_other_phase" Error: "In another schedule, which was executed, a wait at an mbarrier is for an earlier or a later phase, and the launch fails.";
        "let the warps that complete the next phase wait for the waiting warp, and let the waiting warp wait for every phase in turn";
    USED_BEFORE_INIT "used_before_init" Error: "In another schedule, which was executed, an mbarrier is used before its init or after its invalidation, and the launch fails.";
        "put {barrier} between the init and all other operations, and between these and an invalidation";
    SCHEDULE_FAILS "schedule_fails" Error: "Another schedule, which was executed, hangs or has an error that this run does not have.";
        "order the two operations, or make the program independent of their order";
    SCHEDULE_RESULT "schedule_result" Warning: "Another schedule, which was executed, gives another result.";
        "if the result must not depend on the order of the two operations, order them";
    SAME_VALUE "same_value" Warning (strict): "Two threads store the same value to a byte, and nothing orders the stores.";
        "harmless on hardware; PTX calls it a race: let one thread store, or order the stores";
    RACE_IF_DIFFERENT "race_if_different" Warning: "Two threads store to a byte, nothing orders the stores, and a stored value is unknown: a race unless the values are equal.";
        "give the unknown value, such as a missing argument, so that the values can be compared; or order the stores";
    VOLATILE_ONLY "volatile_only" Warning: "A volatile load and a volatile store of another thread are not ordered: no data race in PTX, but the load may return the old or the new value.";
        "put {barrier} between the two accesses, or {warp_barrier} if both are of one warp: `volatile` makes accesses happen, but orders nothing";
    READ_ONLY_LOAD "read_only_load" Error: "A load by `ld.global.nc`, or a fetch from a texture, of bytes to which a thread of the same grid stores.";
        "load these bytes without `.nc`, and those of a texture by a plain load; or store in an earlier grid";
    EXIT_BEFORE_BARRIER "exit_before_barrier" Warning: "Threads wait at a barrier of all threads of the CTA, as `__syncthreads()`, after others have exited; an error with `--strict`.";
        "let every thread reach the barrier before it exits, or give the barrier a count: hardware completes the barrier, but CUDA leaves the result undefined";
    TEXT "text" Warning: "The program has legal text that is probably a mistake.";
        "legal, but probably not intended: see the message";
    RESERVED_ID "reserved_id" Note (strict): "CUTLASS uses barriers 1 to 7 if it is linked in.";
        "in a kernel with CUTLASS use ids from 8 on; otherwise ignore this";
    DIFFERENT_PLACES "different_places" Warning (strict): "Warps wait at barrier 0 for all threads, as `__syncthreads()` does, at different places of the program.";
        "let all threads of the CTA execute the same `__syncthreads()`, as CUDA requires; hardware requires this only within a warp";
}

/// The code of the finding for a fault of the unit; `None` for [`FaultCode::None`], and for faults that no program can cause.
pub fn of_fault(fault: FaultCode) -> Option<&'static Code> {
    Some(match fault {
        FaultCode::None => return None,
        FaultCode::NotResident | FaultCode::WarpBlocked | FaultCode::SlotOccupied | FaultCode::CannotSave => return None,
        FaultCode::IllegalInstruction => &ILLEGAL_INSTRUCTION,
        FaultCode::IdOutOfRange => &ID_OUT_OF_RANGE,
        FaultCode::OperandNotUniform => &OPERAND_NOT_UNIFORM,
        FaultCode::PartialMask => &PARTIAL_MASK,
        FaultCode::GatherMismatch => &GATHER_MISMATCH,
        FaultCode::CountZeroArrive => &COUNT_ZERO_ARRIVE,
        FaultCode::CountNotWarpMultiple => &COUNT_NOT_WARP_MULTIPLE,
        FaultCode::CountExceedsCta => &COUNT_EXCEEDS_CTA,
        FaultCode::DoubleArrival => &DOUBLE_ARRIVAL,
        FaultCode::KindMismatch => &KIND_MISMATCH,
        FaultCode::CountMismatch => &COUNT_MISMATCH,
        FaultCode::NoResult => &NO_RESULT,
        FaultCode::BadStateWord => &BAD_STATE_WORD,
        FaultCode::BarrierLeftOpen => &BARRIER_LEFT_OPEN,
        FaultCode::Deadlock => &DEADLOCK,
        FaultCode::RankOutOfRange => &RANK_OUT_OF_RANGE,
        FaultCode::WaitRemote => &WAIT_REMOTE,
        FaultCode::AddressMisaligned => &ADDRESS_MISALIGNED,
        FaultCode::AddressOutOfRange => &ADDRESS_OUT_OF_RANGE,
        FaultCode::MbarrierCount => &MBARRIER_COUNT,
        FaultCode::RankAbsent => &RANK_ABSENT,
        FaultCode::MbarrierInvalid => &MBARRIER_INVALID,
        FaultCode::MbarrierTxRange => &MBARRIER_TX_RANGE,
        FaultCode::MbarrierOverArrival => &MBARRIER_OVER_ARRIVAL,
        FaultCode::MbarrierDropToZero => &MBARRIER_DROP_TO_ZERO,
        FaultCode::MbarrierCompletes => &MBARRIER_COMPLETES,
        FaultCode::MbarrierExpectLate => &MBARRIER_EXPECT_LATE,
        FaultCode::ClusterDoubleArrival => &CLUSTER_DOUBLE_ARRIVAL,
        FaultCode::ClusterWaitWithoutArrival => &CLUSTER_WAIT_WITHOUT_ARRIVAL,
        FaultCode::SignalType => &SIGNAL_TYPE,
        FaultCode::CountZero => &COUNT_ZERO,
        FaultCode::CountExceedsGroup => &COUNT_EXCEEDS_GROUP,
        FaultCode::SignalMismatch => &SIGNAL_MISMATCH,
        FaultCode::OverSignal => &OVER_SIGNAL,
        FaultCode::NotificationLost => &NOTIFICATION_LOST,
        FaultCode::ProducerWaits => &PRODUCER_WAITS,
    })
}

/// The table of codes in `docs/guide/check.md`.
pub fn markdown() -> String {
    let mut text = "| code | severity | what it means | what to do |\n|---|---|---|---|\n".to_string();
    for code in CODES {
        let strict = if code.strict { ", with `--strict`" } else { "" };
        let (name, severity, help) = (code.name, code.severity.name(), any_language(code.help));
        text += &format!("| `{name}` | {severity}{strict} | {} | {help} |\n", code.summary);
    }
    text
}

/// The lines in `docs/guide/check.md` between which the generated table is.
pub const TABLE_BEGIN: &str = "<!-- codes begin: written by cargo xtask regen -->";
pub const TABLE_END: &str = "<!-- codes end -->";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NO_PROGRAM;

    #[test]
    fn every_fault_has_the_code_of_its_name() {
        for &fault in FaultCode::ALL {
            let named = of_fault(fault).map(|code| code.name.to_string());
            let has_code = fault != FaultCode::None && !NO_PROGRAM.contains(&fault);
            assert_eq!(named, has_code.then(|| fault.name()));
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = CODES.iter().map(|c| c.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CODES.len());
    }
}
