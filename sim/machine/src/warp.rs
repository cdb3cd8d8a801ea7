// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A warp of the machine: the locations of its lanes, their registers, and their waits.

mod accumulators;
pub(super) mod await_loop;
mod calculate;
mod choose;
mod copies;
mod copy_group;
mod divergence;
mod meeting;
mod needs;
mod operands;
mod pending;
mod products;
mod rendezvous;
mod rounds;
mod running_product;
mod scoreboard;
mod scratch;
mod shares;
mod spin;
mod tensor_loads;
pub(super) mod threads;
mod tokens;
mod unknown_read;
mod values;

use super::report::Stop;
use super::schedule_file::Execution;
use accumulators::Accumulators;
use await_loop::Await;
use bcu_isa::mbar::{Mbar, MbarOp};
use bcu_model::decode::Instruction;
use bcu_program::window::RANK_AT;
use bcu_program::{Code, Elect, Instr, Op, Place, RedOp, WarpProgram};
pub(super) use copies::Copies;
pub(super) use copy_group::Group;
pub(super) use divergence::Divergence;
pub(super) use meeting::Rendezvous;
pub(super) use needs::Needs;
pub(super) use pending::{From, Owed, Pending};
pub(super) use products::{Hazard, Products, RegisterUse};
pub(super) use running_product::{Factor, RunningProduct, SharedFactor};
pub(super) use scratch::Scratch;
use spin::Spin;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use tensor_loads::TensorLoads;
use threads::{bits, At, Threads};
pub(super) use unknown_read::{Undecided, UnknownRead};
use values::Values;

/// A warp of a launched CTA.
#[derive(Clone, Debug)]
pub(super) struct Warp {
    pub cta: usize,
    /// The number, in the run, of the grid of the CTA.
    pub grid: usize,
    /// The number of the warp within its CTA.
    pub warp: usize,
    /// The warp slot.
    pub slot: usize,
    /// The number of lanes of a complete warp.
    pub width: usize,
    /// The number of warps of the CTA.
    pub warps: usize,
    /// The CTAs of the cluster, in order of rank.
    pub ctas: Rc<[usize]>,
    /// The rank of the warp's CTA in the cluster.
    pub rank: usize,
    /// Lanes that exist and have not exited, one bit each.
    pub lanes: u64,
    /// Lanes that exist, whether or not they have exited, one bit each.
    pub launched: u64,
    /// Lanes that wait for other lanes of the warp, one bit each.
    pub waiting: u64,
    /// The number of cycles for which lanes that must issue together have waited for lanes that may still join them.
    held_cycles: u32,
    pub threads: Threads,
    pub values: Values,
    /// The results of the unit and of memory that have not arrived yet.
    pub scoreboard: Vec<Pending>,
    /// An instruction, and the waiting lanes that must issue it again as soon as other lanes resume.
    reissue: Option<(At, u64)>,
    /// The elections in progress: the lanes that elect a leader (one bit each), their member mask,
    /// and the registers of the result.
    electing: Vec<(u64, u64, Elect)>,
    /// The exchanges of values at which lanes wait for other lanes.
    pub rendezvous: Vec<Rendezvous>,
    /// The asynchronous copies of the warp.
    pub copies: Copies,
    /// The products that the warp has started with its warpgroup.
    pub products: Products,
    /// The values of these products.
    pub accumulators: Accumulators,
    /// The loads from tensor memory that the warp has not waited for.
    pub tensor_loads: TensorLoads,
    /// The address of the columns of tensor memory that the instruction at issue allocates.
    pub allocated: Option<u64>,
    /// The registers of a lane, if `setmaxnreg` has set them.
    pub registers: Option<u32>,
    /// While a wait for other warps holds the warp: the number of consecutive cycles in which no other warp could end the wait.
    pub held_back: Option<u32>,
    pub program: Rc<WarpProgram>,
    /// The last issued instruction.
    last: At,
    /// The branch at which lanes last diverged.
    pub diverged_at: Option<At>,
    /// The last branch that lanes have taken, and its target.
    pub jumped: Option<(At, At)>,
    /// Why accesses of the warp have given unknown values, if their addresses or the arguments are unknown.
    pub unknown_reads: HashMap<At, UnknownRead>,
    /// While lanes are on a path that they may not have taken: what made the condition of its branch unknown.
    pub unknown_path: Option<At>,
    /// The registers that lanes on such a path have calculated since its last branch or label, with these lanes as a mask.
    pub path_registers: Vec<(usize, u64)>,
    /// The last issued instruction of which it is unknown whether a lane executes it, until it is recorded.
    pub undecided: Option<Undecided>,
    /// How often the warp has issued each instruction for the unit.
    times: HashMap<At, u64>,
    /// With race detection, how often the warp has executed each access and each instruction for the unit.
    executions: HashMap<At, u32>,
    /// The load that lanes of the warp repeat in a loop.
    pub awaits: Option<Await>,
    /// Whether the unit has reported the launch of the warp's CTA.
    pub started: bool,
    /// The instruction and lanes that are offered on a channel of the unit.
    pub port: Option<Chosen>,
    /// The values at the instruction port while an instruction is offered.
    pub issue: Instruction,
    /// The first cycle in which the warp may issue again.
    pub ready_at: u64,
    /// The first cycle in which the warp may issue another access.
    pub access_at: u64,
    /// The last mbarrier wait that all lanes executed: its location, the digest of the registers at that time, and the number of
    /// consecutive executions with the same digest.
    poll: Option<(At, u64, u32)>,
    /// The loop in which the warp may spin; `None` if no loop is watched.
    spin: Option<Spin>,
    /// The number of arrivals of the warp at the barrier of its cluster.
    pub phases: u64,
    /// The cycle since which the warp waits at the barrier of its cluster; `None` if it does not wait there.
    pub at_cluster: Option<u64>,
    /// The cycle since which the warp waits for earlier grids; `None` if it does not wait for them.
    pub at_grid: Option<u64>,
    /// Whether a warp of the CTA has completed a wait for earlier grids.
    pub awaited: bool,
    /// Whether the warp itself has completed such a wait.
    pub has_awaited: bool,
    /// The barrier at which the warp waits.
    pub waits_at: Option<u8>,
    /// Whether the arrival of the warp at the barrier `waits_at` is held until the warp's accesses
    /// are performed.
    pub waits_for_memory: bool,
    /// The way in which the fault policy has stopped the warp; `None` if it has not.
    pub stopped: Option<Stop>,
    pub waited: u64,
    pub exited: Option<u64>,
}

/// The CTA, grid and cluster of a warp.
#[derive(Clone, Debug)]
pub(super) struct Home {
    pub cta: usize,
    pub grid: usize,
    /// The number of warps of the CTA.
    pub warps: usize,
    /// The CTAs of the cluster, in order of rank.
    pub ctas: Rc<[usize]>,
    pub rank: usize,
}

/// The lanes of a warp that can issue next, and their instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub at: At,
    /// The lanes at the instruction, whatever the values of their guards; one bit each.
    pub lanes: u64,
    pub depth: usize,
}

/// The lanes at an instruction, by the values of their guards; one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Active {
    pub present: u64,
    /// The lanes in which the guard is true; one bit per lane.
    pub executing: u64,
    /// The lanes in which the guard is unknown; one bit per lane.
    pub unknown: u64,
}

impl Active {
    /// Applies the assumed value `guard` to the lanes with an unknown guard: they execute the instruction if the value is true, and do not
    /// execute it if the value is false. Without an assumed value nothing changes.
    pub fn assume(&mut self, guard: Option<bool>) {
        let Some(guard_value) = guard else { return };
        self.executing |= if guard_value { self.unknown } else { 0 };
        self.unknown = 0;
    }
}

impl Warp {
    /// A warp of `width` lanes, of which only the lanes in the mask `lanes` exist.
    pub fn new(
        (Home { cta, grid, warps, ctas, rank }, warp): (Home, usize),
        slot: usize,
        (lanes, width): (u64, usize),
        program: Rc<WarpProgram>,
    ) -> Self {
        let mut values = Values::new(width, program.code.bare.zeroed);
        values.grow(program.code.functions.get(program.entry).map_or(0, |entry| entry.registers.len()));
        let start = At { function: program.entry, instr: 0 };
        Warp {
            cta,
            grid,
            warp,
            slot,
            width,
            warps,
            ctas,
            rank,
            lanes,
            launched: lanes,
            waiting: 0,
            held_cycles: 0,
            threads: Threads::new(lanes, width, program.entry),
            values,
            scoreboard: vec![],
            reissue: None,
            electing: vec![],
            rendezvous: vec![],
            copies: Copies::new(width),
            products: Products::default(),
            accumulators: Accumulators::default(),
            tensor_loads: TensorLoads::default(),
            allocated: None,
            registers: None,
            held_back: None,
            program,
            last: start,
            diverged_at: None,
            jumped: None,
            unknown_reads: HashMap::new(),
            unknown_path: None,
            path_registers: vec![],
            undecided: None,
            times: HashMap::new(),
            executions: HashMap::new(),
            awaits: None,
            started: false,
            port: None,
            issue: Instruction::default(),
            ready_at: 0,
            access_at: 0,
            poll: None,
            spin: None,
            phases: 0,
            at_cluster: None,
            at_grid: None,
            awaited: false,
            has_awaited: false,
            waits_at: None,
            waits_for_memory: false,
            stopped: None,
            waited: 0,
            exited: None,
        }
    }

    pub fn code(&self) -> &Arc<Code> {
        &self.program.code
    }

    /// The instruction at `at`; `None` after the last instruction of the function.
    pub fn instr(&self, at: At) -> Option<&Instr> {
        self.program.code.instr(at.function, at.instr)
    }

    /// Records that lanes have requested a result of the unit for the register and the predicate that the instruction word names.
    pub fn await_result(&mut self, at: At, lanes: u64, word: (u8, u8)) {
        let Some(instr) = self.instr(at) else { return };
        let (number, truth) = match instr.op {
            Op::Result(RedOp::Popc) => (instr.writes.first().copied().flatten(), None),
            Op::Result(_) => (None, instr.writes.first().copied().flatten()),
            _ => (instr.writes.first().copied().flatten(), instr.writes.get(1).copied().flatten()),
        };
        let registers = self.owed(lanes, number.into_iter());
        let predicates = self.owed(lanes, truth.into_iter());
        self.expect(Pending { from: From::Unit(word.0, word.1), registers, predicates });
    }

    /// Records that the executing lanes of an accepted instruction wait for other lanes.
    pub fn waits(&mut self, chosen: Chosen) {
        let lanes = self.issue.lanes();
        self.waiting |= lanes;
        if let Some(Instr { op: Op::Meet { elect: Some(elect), .. }, .. }) = self.instr(chosen.at) {
            let elect = *elect;
            self.electing.push((lanes, self.issue.members, elect));
        }
    }

    /// Ends the wait of lanes: their instruction was refused, or they arrive at a barrier as a whole warp.
    pub fn end_wait(&mut self, lanes: u64) {
        self.waiting &= !lanes;
        self.held_cycles = 0;
        self.electing.retain(|(other, ..)| other & lanes == 0);
    }

    /// Resumes lanes that waited for other lanes, and with them the lanes that must issue again. If the lanes elected a leader, `leaders`
    /// has its bit.
    pub fn resume_lanes(&mut self, lanes: u64, leaders: u64) {
        let elections: Vec<_> =
            self.electing.iter().copied().filter(|(elected_lanes, ..)| elected_lanes & lanes != 0).collect();
        for (own_lanes, members, Elect { leader, leads }) in elections {
            let first = leaders & members;
            for lane in bits(own_lanes) {
                if let Some(slot) = leads {
                    self.set(slot, lane, Some(first >> lane & 1));
                }
                if let Some(slot) = leader {
                    self.set(slot, lane, Some(first.trailing_zeros().into()));
                }
            }
        }
        self.end_wait(lanes);
        if let Some((at, lanes)) = self.reissue.take() {
            self.waiting &= !lanes;
            self.threads.move_to(lanes, at);
        }
    }

    /// Records that the unit had no entry in which the lanes `lanes` could wait: these lanes must issue the last instruction again as soon
    /// as other lanes resume.
    pub fn retry(&mut self, lanes: u64) {
        self.end_wait(lanes);
        self.waiting |= lanes;
        self.reissue = Some((self.last, lanes));
    }

    /// Why only the lanes `executing`, of the lanes `present` at an instruction or of all lanes, execute it.
    pub fn divergence(&self, executing: u64, present: u64) -> Divergence {
        match (executing == present, self.diverged_at) {
            (false, _) => Divergence::Guard,
            (true, Some(split)) if executing != self.lanes => Divergence::Branch(self.place_of(split)),
            _ => Divergence::None,
        }
    }

    /// Records the offer of an instruction at the port of the unit.
    pub fn offer(&mut self, chosen: Chosen) {
        self.port = Some(chosen);
        *self.times.entry(chosen.at).or_insert(0) += 1;
    }

    /// Counts an execution of an instruction.
    pub fn count_execution(&mut self, at: At) {
        *self.executions.entry(at).or_default() += 1;
    }

    /// How often the warp has executed an instruction.
    pub fn executions(&self, at: At) -> u32 {
        self.executions.get(&at).copied().unwrap_or(0)
    }

    /// Whether an execution is one of this warp and has occurred.
    pub fn has_executed(&self, execution: &Execution) -> bool {
        let Execution { cta, warp, function, instr, time } = *execution;
        (cta, warp) == (self.cta, self.warp) && self.executions(At { function, instr }) >= time
    }

    /// The number of executed operations, with the exit.
    pub fn operations(&self) -> u64 {
        self.executions.values().map(|times| u64::from(*times)).sum::<u64>() + u64::from(self.exited.is_some())
    }

    /// Whether an operation is on an mbarrier of another CTA of the cluster.
    pub fn is_remote(&self, mbar: &Mbar, issue: &Instruction) -> bool {
        let cluster = matches!(mbar.does, MbarOp::Tx { cluster: true, .. } | MbarOp::Arrive { cluster: true, .. });
        let rank = (issue.ra.wrapping_add(mbar.address.offset.into()) >> RANK_AT) as usize;
        cluster && rank != self.rank && rank < self.ctas.len()
    }

    /// The location of the next instruction of the warp.
    pub fn place(&self) -> Place {
        let next = self.port.or_else(|| self.chosen()).map(|chosen| chosen.at);
        self.place_of(next.or_else(|| self.threads.groups().first().map(|group| group.at)).unwrap_or(self.last))
    }

    /// The last issued instruction of the warp.
    pub fn last_at(&self) -> At {
        self.last
    }

    /// The location of the last issued instruction of the warp.
    pub fn last_place(&self) -> Place {
        self.place_of(self.last)
    }

    /// The location of the exit of the warp: of the conditional branch to a `ret` or `exit`, as a compiler makes of a `return` in the middle,
    /// else of this instruction.
    pub fn exit_place(&self) -> Place {
        let is_exit = self.instr(self.last).is_some_and(|instr| matches!(instr.op, Op::Return | Op::Exit));
        let is_conditional = |from: At| self.instr(from).is_some_and(|instr| instr.guard.is_some());
        match self.jumped.filter(|(from, to)| is_exit && *to == self.last && is_conditional(*from)) {
            Some((from, _)) => self.place_of(from),
            None => self.last_place(),
        }
    }

    pub fn place_of(&self, at: At) -> Place {
        let function = self.code().functions.get(at.function);
        let end = || {
            let last = function.and_then(|function| function.instrs.last()).map(|last| last.place.clone());
            let place = last.unwrap_or(Place { line: 1, text: "".into(), origin: None });
            Place { text: "end of program".into(), ..place }
        };
        self.instr(at).map_or_else(end, |instr| instr.place.clone())
    }
}
