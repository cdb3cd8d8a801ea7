// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why warps wait for ever.

use bcu_program::Place;
use serde::Serialize;

/// What keeps warps from going on, whatever the others do, and the waits that follow from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// Name as in `docs/guide/check.md`.
    pub code: &'static str,
    pub cta: usize,
    /// The warp in whose program `place` is.
    pub warp: usize,
    /// The place to look at first: a wait, or the init or the arrival that is wrong.
    pub place: Place,
    /// One sentence without a full stop.
    pub sentence: String,
    pub evidence: Vec<Evidence>,
    /// What to do, where that of the code does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// CTA and warp of those that wait for this reason, ...
    pub waiting: Vec<(usize, usize)>,
    /// ... and of those that wait for something that these would do.
    pub following: Vec<(usize, usize)>,
}

impl Cause {
    /// Without evidence of its own.
    pub(crate) fn new(code: &'static str, (cta, warp): (usize, usize), place: &Place, sentence: String) -> Cause {
        let (place, evidence, help) = (place.clone(), vec![], None);
        Cause { code, cta, warp, place, sentence, evidence, help, waiting: vec![], following: vec![] }
    }
}

/// Something that shows the cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    pub cta: usize,
    /// The warp in whose program `place` is.
    pub warp: usize,
    pub place: Option<Place>,
    pub note: String,
}
