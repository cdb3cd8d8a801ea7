// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What comes of operations: what they do to their warps, results, refusals, and what the release, read and fault ports show.

use super::op::{Code, Reduction};
use super::wire::Fields;

/// What an operation that has its effects does to its warps, beside what the barriers do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// The bit of its warp; Release: the warp slots of the CTA.
    pub warps: u64,
    /// It is one of a warp, and no Exit that was refused upstream.
    pub warp_done: bool,
    /// It is refused, and the fault policy applies to its warp.
    pub refused: bool,
    /// A state word says that its warp is trapped, or that it is not.
    pub traps: bool,
    pub untraps: bool,
    /// It is a Release.
    pub cta_release: bool,
}

impl Commit {
    /// Those that `warp_status` takes.
    pub fn fields_of_warp_status(&mut self, at: &mut Fields) {
        let warps = at.sizes().warps();
        at.field("warps", &mut self.warps, warps);
        at.always("refused", &mut self.refused, 1);
        at.always("traps", &mut self.traps, 1);
        at.always("untraps", &mut self.untraps, 1);
        at.always("cta_release", &mut self.cta_release, 1);
    }

    pub fn fields(&mut self, at: &mut Fields) {
        self.fields_of_warp_status(at);
        at.always("warp_done", &mut self.warp_done, 1);
    }
}

/// The result of a reduction; the default is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reduced {
    pub reduction: Reduction,
    /// And, Or: 0 or 1; Popc: the number; None: 0.
    pub value: u16,
}

/// What was refused, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Refused {
    pub code: Code,
    /// It is one of a warp.
    pub has_warp: bool,
    pub warp: u8,
    pub cta: u8,
}

impl Refused {
    pub fn fields(&mut self, at: &mut Fields) {
        at.choice("code", &mut self.code);
        at.field("has_warp", &mut self.has_warp, 1);
        at.warp(&mut self.warp);
        at.cta(&mut self.cta);
    }
}

/// What a fault channel carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    pub code: Code,
    /// It is one of a warp.
    pub has_warp: bool,
    pub warp: u8,
    pub cta: u8,
    /// Barrier id; 0 for one of an mbarrier.
    pub id: u8,
    /// Shared address of an mbarrier; 0 for one of a named barrier.
    pub address: u32,
}

impl From<Refused> for Fault {
    /// One that names neither a barrier nor an address.
    fn from(Refused { code, has_warp, warp, cta }: Refused) -> Fault {
        Fault { code, has_warp, warp, cta, id: 0, address: 0 }
    }
}

impl Fault {
    /// As at `bcu`.
    pub fn fields(&mut self, at: &mut Fields) {
        self.fields_of_gateway(at);
        at.field("address", &mut self.address, 32);
    }

    /// As at `gateway`.
    pub fn fields_of_gateway(&mut self, at: &mut Fields) {
        self.refusal(at);
        at.field("id", &mut self.id, 5);
    }

    /// As at `named`.
    pub fn fields_of_named(&mut self, at: &mut Fields) {
        self.refusal(at);
        at.field("id", &mut self.id, 4);
    }

    fn refusal(&mut self, at: &mut Fields) {
        at.choice("code", &mut self.code);
        at.field("has_warp", &mut self.has_warp, 1);
        at.warp(&mut self.warp);
        at.cta(&mut self.cta);
    }
}

/// What the release strobe shows: a generation is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Release {
    pub cta: u8,
    pub id: u8,
    /// The warps that go on; 0 if nobody waited.
    pub warps: u64,
    pub result: Reduced,
}

impl Release {
    pub fn fields(&mut self, at: &mut Fields) {
        at.cta(&mut self.cta);
        at.field("id", &mut self.id, 4);
        at.warps(&mut self.warps);
        at.choice("reduction", &mut self.result.reduction);
        at.field("value", &mut self.result.value, 12);
    }
}

/// What the read strobe shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Read {
    pub warp: u8,
    pub value: u32,
    pub predicate: bool,
}

impl Read {
    pub fn fields(&mut self, at: &mut Fields) {
        at.warp(&mut self.warp);
        at.field("value", &mut self.value, 32);
        at.field("predicate", &mut self.predicate, 1);
    }
}
