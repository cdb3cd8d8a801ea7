// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where each lane of a warp is in its code. The lanes at the lowest instruction go first, so that those who went ahead wait
//! where the others will come by, and all go on together from there.

/// The place of a lane that has exited.
const EXITED: usize = usize::MAX;

/// The lanes of one warp.
pub(super) struct Lanes {
    /// Index of each lane's next instruction.
    at: Vec<usize>,
    /// Lanes that wait at an unaligned barrier for the rest of their warp, one bit each.
    waiting: u64,
    end: usize,
}

/// What happens next.
pub(super) enum Next {
    /// These lanes execute the instruction with this index.
    Execute(usize, u64),
    /// All lanes wait, so the warp has arrived: those that executed the instructions with these indices go on.
    Gathered(Vec<(usize, u64)>),
    End,
}

impl Lanes {
    /// So many lanes at the first of `end` instructions.
    pub fn new(count: usize, end: usize) -> Lanes {
        Lanes { at: vec![0; count], waiting: 0, end }
    }

    pub fn next(&mut self) -> Next {
        let runs = |lane: &usize| self.at[*lane] < self.end && self.waiting >> lane & 1 == 0;
        if let Some(lowest) = (0..self.at.len()).filter(runs).map(|lane| self.at[lane]).min() {
            return Next::Execute(lowest, mask((0..self.at.len()).filter(runs).filter(|lane| self.at[*lane] == lowest)));
        }
        if self.waiting == 0 {
            return Next::End;
        }
        let waiting = |lane: &usize| self.waiting >> lane & 1 == 1;
        let mut places: Vec<usize> = (0..self.at.len()).filter(waiting).map(|lane| self.at[lane]).collect();
        places.sort_unstable();
        places.dedup();
        let of = |place: usize| mask((0..self.at.len()).filter(waiting).filter(|lane| self.at[*lane] == place));
        let groups = places.into_iter().map(|place| (place, of(place))).collect();
        self.waiting = 0;
        Next::Gathered(groups)
    }

    /// All lanes of the warp, exited or not.
    pub fn all(&self) -> u64 {
        mask(0..self.at.len())
    }

    /// Lanes that have not exited, wherever they are.
    pub fn left(&self) -> u64 {
        mask((0..self.at.len()).filter(|lane| self.at[*lane] != EXITED))
    }

    /// These lanes go on at an instruction; gives those of them that are past the last one.
    pub fn go(&mut self, lanes: u64, to: usize) -> u64 {
        self.set(lanes, to);
        if to >= self.end {
            lanes
        } else {
            0
        }
    }

    pub fn exit(&mut self, lanes: u64) {
        self.set(lanes, EXITED);
    }

    /// These lanes wait where they are for the rest of their warp.
    pub fn wait(&mut self, lanes: u64) {
        self.waiting |= lanes;
    }

    fn set(&mut self, lanes: u64, to: usize) {
        let members = self.at.iter_mut().enumerate().filter(|(lane, _)| lanes >> lane & 1 == 1);
        members.for_each(|(_, at)| *at = to);
    }
}

fn mask(lanes: impl Iterator<Item = usize>) -> u64 {
    lanes.fold(0, |mask, lane| mask | 1 << lane)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_instruction_goes_first_and_lanes_meet_again() {
        let mut lanes = Lanes::new(4, 9);
        assert!(matches!(lanes.next(), Next::Execute(0, 0b1111)));
        assert_eq!((lanes.go(0b0011, 5), lanes.go(0b1100, 1)), (0, 0));
        assert!(matches!(lanes.next(), Next::Execute(1, 0b1100)));
        lanes.go(0b1100, 5);
        assert!(matches!(lanes.next(), Next::Execute(5, 0b1111)));
        lanes.exit(0b0001);
        assert_eq!(lanes.go(0b1110, 9), 0b1110);
        assert_eq!(lanes.left(), 0b1110);
        assert!(matches!(lanes.next(), Next::End));
    }

    #[test]
    fn lanes_wait_for_all_that_are_left() {
        let mut lanes = Lanes::new(3, 9);
        lanes.exit(0b001);
        lanes.go(0b010, 4);
        lanes.wait(0b010);
        assert!(matches!(lanes.next(), Next::Execute(0, 0b100)));
        lanes.wait(0b100);
        let Next::Gathered(groups) = lanes.next() else { panic!("not gathered") };
        assert_eq!(groups, [(0, 0b100), (4, 0b010)]);
        assert!(matches!(lanes.next(), Next::Execute(0, 0b100)));
    }
}
