// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Terms in the names of points that several units share: fault codes and policies, kinds of operations, forms of instruction words.

use super::points::{term, Term};
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::fields::{FormRow, FORMS};
use bcu_isa::op::FaultCode;
use bcu_model::op::{FaultPolicy, Kind};

impl Term for FaultPolicy {
    fn all() -> Vec<Self> {
        FaultPolicy::ALL.to_vec()
    }

    fn text(self) -> String {
        format!("{self:?}")
    }
}

/// All fault codes except `none`.
impl Term for FaultCode {
    fn all() -> Vec<Self> {
        FaultCode::ALL[1..].to_vec()
    }

    fn text(self) -> String {
        self.name()
    }
}

impl Term for Kind {
    fn all() -> Vec<Self> {
        Kind::ALL.to_vec()
    }

    fn text(self) -> String {
        format!("{self:?}")
    }
}

/// The form of an instruction word.
#[derive(Clone, Copy, Debug)]
pub struct Form(&'static FormRow);

impl PartialEq for Form {
    fn eq(&self, other: &Form) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Form {}

impl Form {
    /// The form whose fixed bits the lowest 32 bits of an instruction word have, whether the word is legal or not; `None`: the word
    /// has no form.
    pub fn of(word: u64) -> Option<Form> {
        let has = |row: &&FormRow| {
            let (mask, fixed) = row.form.fixed();
            u128::from(word) & mask == fixed
        };
        FORMS.iter().find(has).map(Form)
    }
}

impl Term for Form {
    fn all() -> Vec<Self> {
        FORMS.iter().map(Form).collect()
    }

    fn text(self) -> String {
        self.0.name.to_string()
    }
}

impl Term for MbarrierKind {
    fn all() -> Vec<Self> {
        MbarrierKind::ALL.to_vec()
    }

    fn text(self) -> String {
        format!("{self:?}")
    }
}

term! {
    /// A number of warps.
    pub enum Warps {
        No = "no warp",
        One = "one warp",
        Several = "several warps",
    }
}

impl Warps {
    /// The number of warps whose bit is set.
    pub fn of(mask: u64) -> Warps {
        match mask.count_ones() {
            0 => Warps::No,
            1 => Warps::One,
            _ => Warps::Several,
        }
    }
}
