// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where each lane of a warp is. Lanes at one place go on together; of several such groups the one that is deepest in calls, then at
//! the lowest instruction, goes first, so that those who went ahead wait where the others will come by. None is left behind for ever.

use bcu_program::window;

/// Place of an instruction: function, and index in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(in super::super) struct At {
    pub function: usize,
    pub instr: usize,
}

/// Lanes at one place and in equally many calls.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Group {
    pub at: At,
    pub depth: usize,
    pub lanes: u64,
    /// What the warp had done when this group last went on.
    pub last: u64,
}

/// What a lane returns to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Caller {
    /// The call.
    pub at: At,
    /// First register and first byte of its frame, and where the stack below ends.
    pub base: usize,
    pub stack: u64,
    pointer: u64,
}

/// After so many instructions of others a group that could go on does, ...
const PATIENCE: u64 = 1024;
/// ... of which each that may poll counts as so many, ...
const POLL: u64 = 256;
/// ... for so many instructions.
const TURN: u32 = 64;

/// The lanes of one warp.
#[derive(Clone, Debug)]
pub(in super::super) struct Threads {
    groups: Vec<Group>,
    callers: Vec<Vec<Caller>>,
    /// By lane: first register, and first byte of the frame in local memory.
    pub base: Vec<usize>,
    pub stack: Vec<u64>,
    /// Where the memory ends that `alloca` gave; it grows down.
    pub pointer: Vec<u64>,
    /// Instructions issued, and what they count when others wait.
    pub issued: u64,
    done: u64,
    /// Lanes whose turn it is, and for how many instructions.
    turn: (u64, u32),
    /// Lanes that go through instructions of which nobody knows whether they are executed, up to a place.
    unknown_paths: Vec<(u64, At)>,
}

impl Threads {
    /// All of `lanes` at the first instruction of a function.
    pub fn new(lanes: u64, width: usize, function: usize) -> Threads {
        let start = Group { at: At { function, instr: 0 }, depth: 0, lanes, last: 0 };
        Threads {
            groups: vec![start],
            callers: vec![vec![]; width],
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

    /// The groups with only those of their lanes that are in `free`, in the order in which they go. Lanes on an unknown path go apart.
    pub fn free(&self, free: u64) -> Vec<Group> {
        let unknown = self.on_unknown_path();
        let part = |group: &Group, lanes: u64| Group { lanes: group.lanes & lanes, ..*group };
        let parts = self.groups.iter().flat_map(|group| [part(group, free & unknown), part(group, free & !unknown)]);
        let mut found: Vec<Group> = parts.filter(|group| group.lanes != 0).collect();
        found.sort_by_key(|group| (std::cmp::Reverse(group.depth), group.at));
        let late = |group: &Group| group.lanes & self.turn.0 != 0 && self.turn.1 > 0;
        if found.len() > 1 {
            found.sort_by_key(|group| !late(group));
        }
        found
    }

    /// Takes note that these lanes issue an instruction, which may poll, while those of `others` could as well.
    pub fn issue(&mut self, lanes: u64, polls: bool, others: &[Group]) {
        self.issued += 1;
        self.done += if polls { POLL } else { 1 };
        self.turn.1 = self.turn.1.saturating_sub(1);
        if self.turn.1 == 0 {
            let late = others.iter().find(|group| group.lanes & lanes == 0 && self.done - group.last > PATIENCE);
            self.turn = late.map_or((0, 0), |group| (group.lanes, TURN));
        }
    }

    /// These lanes go on at an instruction, in as many calls as before.
    pub fn go(&mut self, lanes: u64, to: At) {
        self.place(lanes, |depth| (to, depth));
        self.unknown_paths.iter_mut().filter(|(_, join)| *join == to).for_each(|path| path.0 &= !lanes);
        self.unknown_paths.retain(|path| path.0 != 0);
    }

    fn place(&mut self, lanes: u64, to: impl Fn(usize) -> (At, usize)) {
        let mut moved: Vec<Group> = vec![];
        for group in &mut self.groups {
            if group.lanes & lanes != 0 {
                let (at, depth) = to(group.depth);
                moved.push(Group { at, depth, lanes: group.lanes & lanes, last: self.done });
                group.lanes &= !lanes;
            }
        }
        self.groups.retain(|group| group.lanes != 0);
        for new in moved {
            match self.groups.iter_mut().find(|group| (group.at, group.depth) == (new.at, new.depth)) {
                Some(group) => {
                    group.lanes |= new.lanes;
                    group.last = new.last;
                }
                None => self.groups.push(new),
            }
        }
    }

    /// These lanes end.
    pub fn exit(&mut self, lanes: u64) {
        self.groups.iter_mut().for_each(|group| group.lanes &= !lanes);
        self.groups.retain(|group| group.lanes != 0);
        self.unknown_paths.iter_mut().for_each(|path| path.0 &= !lanes);
        self.unknown_paths.retain(|path| path.0 != 0);
    }

    /// These lanes enter a function from the call at `from`; its caller has so many registers and bytes of frame.
    pub fn call(&mut self, lanes: u64, from: At, function: usize, (registers, frame): (usize, u64)) {
        for lane in bits(lanes) {
            let (base, stack, pointer) = (self.base[lane], self.stack[lane], self.pointer[lane]);
            let caller = Caller { at: from, base, stack, pointer };
            self.callers[lane].push(caller);
            self.base[lane] += registers;
            self.stack[lane] += frame;
        }
        self.place(lanes, |depth| (At { function, instr: 0 }, depth + 1));
    }

    /// A lane returns; gives its caller, `None` from the first function.
    pub fn back(&mut self, lane: usize) -> Option<Caller> {
        let caller = self.callers.get_mut(lane)?.pop()?;
        (self.base[lane], self.stack[lane], self.pointer[lane]) = (caller.base, caller.stack, caller.pointer);
        let next = At { instr: caller.at.instr + 1, ..caller.at };
        self.place(1 << lane, |depth| (next, depth.saturating_sub(1)));
        Some(caller)
    }

    /// Where the stack of a lane ended when its function was called.
    pub fn first_pointer(&self, lane: usize) -> u64 {
        self.callers.get(lane).and_then(|callers| callers.last()).map_or(window::STACK, |caller| caller.pointer)
    }

    /// How many calls are open in this lane.
    pub fn depth(&self, lane: usize) -> usize {
        self.callers.get(lane).map_or(0, Vec::len)
    }

    /// Where a lane is in its call number `depth`: its own place in the innermost, else that of the call further in.
    pub fn place_in(&self, lane: usize, depth: usize) -> Option<At> {
        let own = self.groups.iter().find(|group| group.lanes >> lane & 1 == 1)?;
        let callers = self.callers.get(lane)?;
        if depth == callers.len() {
            return Some(own.at);
        }
        callers.get(depth).map(|caller| caller.at)
    }

    /// Nobody knows whether these lanes execute what stands before `join`.
    pub fn enter_unknown_path(&mut self, lanes: u64, join: At) {
        self.unknown_paths.push((lanes, join));
    }

    /// The lanes of which nobody knows whether they execute.
    pub fn on_unknown_path(&self) -> u64 {
        self.unknown_paths.iter().fold(0, |lanes, path| lanes | path.0)
    }
}

/// The numbers of the lanes of a mask.
pub(in super::super) fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 64).then_some(lane as usize)
    })
}
