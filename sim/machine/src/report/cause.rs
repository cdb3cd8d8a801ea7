// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The causes of waits that never end.

use bcu_program::Place;
use serde::Serialize;

/// A condition that keeps warps waiting whatever other warps do, and the waits that follow from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// Name as in `docs/guide/check.md`.
    pub code: &'static str,
    pub cta: usize,
    /// The warp in whose program `place` is.
    pub warp: usize,
    /// The first location to examine: a wait, or the wrong init or arrival.
    pub place: Place,
    /// One sentence without a full stop.
    pub sentence: String,
    pub evidence: Vec<Evidence>,
    /// The remedy, if that of the code does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// CTA and warp of the warps that wait for this reason.
    pub waiting: Vec<(usize, usize)>,
    /// CTA and warp of the warps that wait for an action of those in `waiting`.
    pub following: Vec<(usize, usize)>,
}

impl Cause {
    /// A cause without separate evidence.
    pub(crate) fn new(code: &'static str, (cta, warp): (usize, usize), place: &Place, sentence: String) -> Cause {
        let (place, evidence, help) = (place.clone(), vec![], None);
        Cause { code, cta, warp, place, sentence, evidence, help, waiting: vec![], following: vec![] }
    }
}

/// Evidence for the cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    pub cta: usize,
    /// The warp in whose program `place` is.
    pub warp: usize,
    pub place: Option<Place>,
    pub note: String,
}
