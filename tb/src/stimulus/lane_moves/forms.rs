// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The forms in which lanes take part in an instruction.

use crate::stimulus::Rng;
use bcu_isa::op::Form;

/// The form parameters of a seed; probabilities are in thousandths.
pub struct Forms {
    /// The forms of arrivals, by weight.
    pub(super) arrivals: Vec<(Form, u64)>,
    /// Probability that lanes of a warp meet instead of executing another operation.
    pub meet: u64,
    /// Probability that an exit has only some of a warp's lanes.
    pub piecewise: u64,
    /// Probability that an operation is allowed although an earlier one of its warp or CTA may still be in flight: another operation after
    /// the offer of an arrival, an access to a state word, or a release.
    pub hasty: u64,
}

impl Forms {
    pub fn draw(rng: &mut Rng) -> Self {
        use Form::*;
        let weights = rng.pick(&[[1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 1], [1, 0, 9], [0, 9, 1]]).unwrap_or([1, 1, 1]);
        let pick = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        Forms {
            arrivals: [Raw, Aligned, Gathered].into_iter().zip(weights).collect(),
            meet: pick(rng, &[0, 0, 20, 200]),
            piecewise: pick(rng, &[0, 200, 900]),
            hasty: pick(rng, &[0, 0, 100, 900]),
        }
    }

    /// A random form for an instruction that has a form.
    pub fn any(&self, rng: &mut Rng) -> u64 {
        if rng.chance(self.meet) {
            rng.range(Form::WarpSync as u64, Form::Elect as u64)
        } else {
            rng.weighted(&self.arrivals).unwrap_or(Form::Raw) as u64
        }
    }
}
