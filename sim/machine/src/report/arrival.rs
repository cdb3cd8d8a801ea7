// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An arrival at a named barrier, in a report.

use bcu_model::op;
use bcu_model::op::Kind;
use bcu_program::Place;
use serde::Serialize;

/// The arrival of one warp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Arrival {
    pub warp: usize,
    pub form: ArrivalForm,
    /// The cycle in which the unit accepted the instruction.
    pub cycle: u64,
    pub place: Place,
}

/// The effect of an arrival on its warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ArrivalForm {
    /// Arrives and waits.
    Sync,
    /// Arrives and resumes.
    Arv,
    /// Arrives with a predicate and waits for the reduction.
    Red,
}

impl ArrivalForm {
    /// The form of an arrival of kind `kind`; `None` if an operation of this kind does not arrive.
    pub(crate) fn from_kind(kind: Kind) -> Option<ArrivalForm> {
        match kind {
            Kind::Sync => Some(ArrivalForm::Sync),
            Kind::Arrive => Some(ArrivalForm::Arv),
            Kind::Reduce => Some(ArrivalForm::Red),
            _ => None,
        }
    }

    /// Whether the warp waits for the other participants.
    pub fn waits(self) -> bool {
        self != ArrivalForm::Arv
    }
}

/// How a reduction combines the predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Reduction {
    /// 1 if all predicates are true.
    And,
    /// 1 if at least one predicate is true.
    Or,
    /// The number of true predicates.
    Popc,
}

impl Reduction {
    pub(crate) fn from_op(reduction: op::Reduction) -> Option<Reduction> {
        match reduction {
            op::Reduction::None => None,
            op::Reduction::And => Some(Reduction::And),
            op::Reduction::Or => Some(Reduction::Or),
            op::Reduction::Popc => Some(Reduction::Popc),
        }
    }
}

impl std::fmt::Display for Reduction {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Reduction::And => "and",
            Reduction::Or => "or",
            Reduction::Popc => "popc",
        })
    }
}
