// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The location of each lane of a warp. Lanes at the same location issue together. Of several
//! groups, the group that is deepest in calls issues first, and of equally deep groups the group at
//! the lowest instruction. So lanes that are ahead wait at the instruction where the other lanes
//! rejoin them. No group starves: a group that has not issued for long gets a turn.

use bcu_program::window;
use smallvec::SmallVec;

/// The location of an instruction: the function, and the index of the instruction in the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(in super::super) struct At {
    pub function: usize,
    pub instr: usize,
}

/// Lanes at the same location and call depth.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Group {
    pub at: At,
    /// The number of open calls.
    pub depth: usize,
    /// The lanes of the group, one bit per lane.
    pub lanes: u64,
    /// The value of `Threads::done` when this group last issued.
    pub last: u64,
}

/// Groups of lanes; most warps have few.
pub(in super::super) type Groups = SmallVec<[Group; 4]>;

/// The state to which a lane returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Caller {
    /// The location of the call instruction.
    pub at: At,
    /// The index of the first register of the caller's frame.
    pub base: usize,
    /// The first byte of the caller's frame.
    pub stack: u64,
    /// The end of the caller's `alloca` stack.
    pointer: u64,
}

/// A group that can issue and has not issued gets a turn after this number of instructions of the
/// other groups. An instruction that may poll counts as `POLL` instructions.
const PATIENCE: u64 = 1024;
/// The weight, in instructions, of an instruction that may poll.
const POLL: u64 = 256;
/// The number of instructions of one turn.
const TURN: u32 = 64;

/// The locations and call stacks of the lanes of one warp.
#[derive(Clone, Debug)]
pub(in super::super) struct Threads {
    groups: Vec<Group>,
    /// The groups that a move creates; empty between moves, and kept so that no move allocates it.
    moved: Vec<Group>,
    /// For each lane, its open calls, the outermost first.
    callers: Vec<Vec<Caller>>,
    /// The number of open calls of all lanes.
    open_calls: usize,
    /// For each lane, the index of its first register.
    pub base: Vec<usize>,
    /// For each lane, the first byte of its frame in local memory.
    pub stack: Vec<u64>,
    /// For each lane, the end of its `alloca` stack, which grows down.
    pub pointer: Vec<u64>,
    /// The number of issued instructions.
    pub issued: u64,
    /// The number of issued instructions, in which an instruction that may poll counts as [`POLL`] instructions.
    done: u64,
    /// The lanes that have the turn, and the number of instructions that remain in the turn.
    turn: (u64, u32),
    /// Lanes on a path that they may not have taken, and the instruction at which this path ends.
    unknown_paths: Vec<(u64, At)>,
}

impl Threads {
    /// Starts the lanes `lanes` at the first instruction of a function.
    pub fn new(lanes: u64, width: usize, function: usize) -> Threads {
        let start = Group { at: At { function, instr: 0 }, depth: 0, lanes, last: 0 };
        Threads {
            groups: vec![start],
            moved: vec![],
            callers: vec![vec![]; width],
            open_calls: 0,
            base: vec![0; width],
            stack: vec![0; width],
            pointer: vec![window::STACK; width],
            issued: 0,
            done: 0,
            turn: (0, 0),
            unknown_paths: vec![],
        }
    }

    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The groups in issue order, each reduced to its lanes in `lanes`. Lanes on a path that they may not have taken form separate groups.
    pub fn groups_in(&self, lanes: u64) -> Groups {
        let unknown = self.on_unknown_path();
        let part = |group: &Group, lanes: u64| Group { lanes: group.lanes & lanes, ..*group };
        let parts = self.groups.iter().flat_map(|group| [part(group, lanes & unknown), part(group, lanes & !unknown)]);
        let mut found: Groups = parts.filter(|group| group.lanes != 0).collect();
        found.sort_by_key(|group| (std::cmp::Reverse(group.depth), group.at));
        let late = |group: &Group| group.lanes & self.turn.0 != 0 && self.turn.1 > 0;
        if found.len() > 1 {
            found.sort_by_key(|group| !late(group));
        }
        found
    }

    /// Records that lanes issue an instruction while the groups `others` could also issue; `polls` means that the instruction may poll.
    pub fn issue(&mut self, lanes: u64, polls: bool, others: &[Group]) {
        self.issued += 1;
        self.done += if polls { POLL } else { 1 };
        self.turn.1 = self.turn.1.saturating_sub(1);
        if self.turn.1 == 0 {
            let late = others.iter().find(|group| group.lanes & lanes == 0 && self.done - group.last > PATIENCE);
            self.turn = late.map_or((0, 0), |group| (group.lanes, TURN));
        }
    }

    /// Moves lanes to an instruction at the same call depth.
    pub fn move_to(&mut self, lanes: u64, to: At) {
        self.place(lanes, |depth| (to, depth));
        self.unknown_paths.iter_mut().filter(|(_, join)| *join == to).for_each(|path| path.0 &= !lanes);
        self.unknown_paths.retain(|path| path.0 != 0);
    }

    fn place(&mut self, lanes: u64, to: impl Fn(usize) -> (At, usize)) {
        let mut moved = std::mem::take(&mut self.moved);
        for group in &mut self.groups {
            if group.lanes & lanes != 0 {
                let (at, depth) = to(group.depth);
                moved.push(Group { at, depth, lanes: group.lanes & lanes, last: self.done });
                group.lanes &= !lanes;
            }
        }
        self.groups.retain(|group| group.lanes != 0);
        for new in moved.drain(..) {
            match self.groups.iter_mut().find(|group| (group.at, group.depth) == (new.at, new.depth)) {
                Some(group) => {
                    group.lanes |= new.lanes;
                    group.last = new.last;
                }
                None => self.groups.push(new),
            }
        }
        self.moved = moved;
    }

    /// Removes lanes that exit.
    pub fn exit(&mut self, lanes: u64) {
        self.groups.iter_mut().for_each(|group| group.lanes &= !lanes);
        self.groups.retain(|group| group.lanes != 0);
        self.unknown_paths.iter_mut().for_each(|path| path.0 &= !lanes);
        self.unknown_paths.retain(|path| path.0 != 0);
    }

    /// Records that lanes call a function from `from`. The caller has `registers` registers and a frame of `frame` bytes.
    pub fn call(&mut self, lanes: u64, from: At, function: usize, (registers, frame): (usize, u64)) {
        for lane in bits(lanes) {
            let (base, stack, pointer) = (self.base[lane], self.stack[lane], self.pointer[lane]);
            let caller = Caller { at: from, base, stack, pointer };
            self.callers[lane].push(caller);
            self.open_calls += 1;
            self.base[lane] += registers;
            self.stack[lane] += frame;
        }
        self.place(lanes, |depth| (At { function, instr: 0 }, depth + 1));
    }

    /// Returns a lane from its function to its caller; `None` if the lane is in the outermost function.
    pub fn back(&mut self, lane: usize) -> Option<Caller> {
        let caller = self.callers.get_mut(lane)?.pop()?;
        self.open_calls -= 1;
        (self.base[lane], self.stack[lane], self.pointer[lane]) = (caller.base, caller.stack, caller.pointer);
        let next = At { instr: caller.at.instr + 1, ..caller.at };
        self.place(1 << lane, |depth| (next, depth.saturating_sub(1)));
        Some(caller)
    }

    /// The end of the lane's `alloca` stack at the call of its present function.
    pub fn first_pointer(&self, lane: usize) -> u64 {
        self.callers.get(lane).and_then(|callers| callers.last()).map_or(window::STACK, |caller| caller.pointer)
    }

    /// The number of open calls of a lane.
    pub fn depth(&self, lane: usize) -> usize {
        self.callers.get(lane).map_or(0, Vec::len)
    }

    /// The location of a lane at call depth `depth`: in its innermost function, its next instruction; in an outer function, its open call.
    pub fn place_in(&self, lane: usize, depth: usize) -> Option<At> {
        let own_group = self.groups.iter().find(|group| group.lanes >> lane & 1 == 1)?;
        let callers = self.callers.get(lane)?;
        if depth == callers.len() {
            return Some(own_group.at);
        }
        callers.get(depth).map(|caller| caller.at)
    }

    /// The index of the first register of all `lanes`; `None` if the lanes have their registers at different places.
    pub fn common_base(&self, lanes: u64) -> Option<usize> {
        if self.open_calls == 0 {
            return Some(0);
        }
        let mut bases = bits(lanes).map(|lane| self.base[lane]);
        let first = bases.next()?;
        bases.all(|base| base == first).then_some(first)
    }

    /// Records that it is unknown whether lanes execute the instructions before `join`.
    pub fn enter_unknown_path(&mut self, lanes: u64, join: At) {
        self.unknown_paths.push((lanes, join));
    }

    /// The lanes on a path that they may not have taken.
    pub fn on_unknown_path(&self) -> u64 {
        self.unknown_paths.iter().fold(0, |lanes, path| lanes | path.0)
    }
}

/// The indices of the lanes in a mask.
pub(in super::super) fn bits(mask: u64) -> Bits {
    Bits(mask)
}

/// The lanes that remain to be visited, one bit each. The iterator has its exact length, so that a list of lanes is allocated once.
pub(in super::super) struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let lane = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (lane < 64).then_some(lane as usize)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let lanes = self.0.count_ones() as usize;
        (lanes, Some(lanes))
    }
}
