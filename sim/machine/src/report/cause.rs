// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The causes of waits that never end.

use bcu_program::Place;
use serde::Serialize;

/// A condition that keeps warps waiting, whatever other warps do, and the warps that it keeps waiting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// The name of the code, as in `docs/guide/check.md`.
    pub code: &'static str,
    pub cta: usize,
    /// The warp whose program contains `place`.
    pub warp: usize,
    /// The first location to examine: a wait, or the wrong init or arrival.
    pub place: Place,
    /// The sentence that states the cause, without a full stop.
    pub sentence: String,
    pub evidence: Vec<Evidence>,
    /// The remedy for this cause; `None` if the remedy of the code fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The warps that wait for this reason, as CTA and warp.
    pub waiting: Vec<(usize, usize)>,
    /// The warps that wait for an action of a warp in `waiting`, as CTA and warp.
    pub following: Vec<(usize, usize)>,
}

impl Cause {
    /// A cause without separate evidence.
    pub(crate) fn new(code: &'static str, (cta, warp): (usize, usize), place: &Place, sentence: String) -> Cause {
        let (place, evidence, help) = (place.clone(), vec![], None);
        Cause { code, cta, warp, place, sentence, evidence, help, waiting: vec![], following: vec![] }
    }
}

/// A location that supports a cause, with a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    pub cta: usize,
    /// The warp whose program contains `place`.
    pub warp: usize,
    pub place: Option<Place>,
    pub note: String,
}
