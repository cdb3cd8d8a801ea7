// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a step writes to a register or a predicate of its warp, lane by lane.

use bcu_hw::isa::instr::{Pred, Reg};

/// A 32-bit value in every lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Number(u32),
    Register(Reg),
    /// The lane's number in its warp.
    LaneId,
    /// The warp's number in its CTA.
    WarpId,
    /// One value per lane from lane 0 on; 0 in the lanes behind.
    Lanes(Vec<u32>),
}

/// An operation on 32-bit numbers without sign; results wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alu {
    Add,
    Sub,
    And,
    Or,
    Xor,
    /// Counts of 32 and more shift everything out.
    Shl,
    Shr,
}

/// A comparison of 32-bit numbers without sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// A truth value in every lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    /// One bit per lane.
    Mask(u64),
    Predicate(Pred),
    Compare(Compare, Source, Source),
}

/// A register (RZ takes no write) or a predicate (0 to 6) and what it holds afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    Mov { to: Reg, from: Source },
    Alu { to: Reg, alu: Alu, a: Source, b: Source },
    Predicate { to: u8, from: Truth },
}

impl Alu {
    /// Every operation with its mnemonic.
    pub const ALL: [(&'static str, Alu); 7] = [
        ("ADD", Alu::Add),
        ("SUB", Alu::Sub),
        ("AND", Alu::And),
        ("OR", Alu::Or),
        ("XOR", Alu::Xor),
        ("SHL", Alu::Shl),
        ("SHR", Alu::Shr),
    ];

    pub fn result(self, a: u32, b: u32) -> u32 {
        match self {
            Alu::Add => a.wrapping_add(b),
            Alu::Sub => a.wrapping_sub(b),
            Alu::And => a & b,
            Alu::Or => a | b,
            Alu::Xor => a ^ b,
            Alu::Shl => a.checked_shl(b).unwrap_or(0),
            Alu::Shr => a.checked_shr(b).unwrap_or(0),
        }
    }
}

impl Compare {
    /// Every comparison with its modifier.
    pub const ALL: [(&'static str, Compare); 6] = [
        ("EQ", Compare::Eq),
        ("NE", Compare::Ne),
        ("LT", Compare::Lt),
        ("LE", Compare::Le),
        ("GT", Compare::Gt),
        ("GE", Compare::Ge),
    ];

    pub fn holds(self, a: u32, b: u32) -> bool {
        match self {
            Compare::Eq => a == b,
            Compare::Ne => a != b,
            Compare::Lt => a < b,
            Compare::Le => a <= b,
            Compare::Gt => a > b,
            Compare::Ge => a >= b,
        }
    }
}

impl Write {
    /// The registers that it reads.
    pub fn registers(&self) -> impl Iterator<Item = Reg> + '_ {
        let sources = match self {
            Write::Mov { from, .. } => [Some(from), None],
            Write::Alu { a, b, .. } => [Some(a), Some(b)],
            Write::Predicate { from: Truth::Compare(_, a, b), .. } => [Some(a), Some(b)],
            Write::Predicate { .. } => [None, None],
        };
        sources.into_iter().flatten().filter_map(|source| match source {
            Source::Register(register) => Some(*register),
            _ => None,
        })
    }

    /// The predicate that it reads.
    pub fn predicate(&self) -> Option<u8> {
        match self {
            Write::Predicate { from: Truth::Predicate(predicate), .. } => Some(predicate.index),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_wrap_and_shifts_run_out() {
        let of = |alu: Alu| alu.result(0xffff_fff0, 0x20);
        assert_eq!(Alu::ALL.map(|(_, alu)| of(alu)), [0x10, 0xffff_ffd0, 0x20, 0xffff_fff0, 0xffff_ffd0, 0, 0]);
        assert_eq!((Alu::Shl.result(3, 31), Alu::Shr.result(0x8000_0000, 31)), (0x8000_0000, 1));
    }

    #[test]
    fn comparisons_have_no_sign() {
        assert_eq!(Compare::ALL.map(|(_, c)| c.holds(u32::MAX, 1)), [false, true, false, false, true, true]);
        assert_eq!(Compare::ALL.map(|(_, c)| c.holds(1, 1)), [true, false, false, true, false, true]);
    }
}
