// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The outcomes of operations: effects on warps, results, refusals, and the payloads of the release, read and fault ports.

use super::op::{Code, Reduction};
use super::wire::{Fields, PortAction};

/// The effects of an operation on its warps, besides its effects on the barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// The bit of the operation's warp; Release: the warp slots of the CTA.
    pub warps: u64,
    /// The operation is of a warp, and is not an Exit that was refused upstream.
    pub warp_done: bool,
    /// The operation is refused, so the fault policy applies to its warp.
    pub refused: bool,
    /// A state word marks its warp as trapped (`traps`), or as not trapped (`untraps`).
    pub traps: bool,
    pub untraps: bool,
    /// The operation is a Release without a fault.
    pub cta_release: bool,
}

impl Commit {
    /// Visits the fields at `warp_status`.
    pub fn fields_of_warp_status(&mut self, at: &mut Fields<impl PortAction>) {
        let warps = at.sizes().warps();
        at.field("warps", &mut self.warps, warps);
        at.always("refused", &mut self.refused, 1);
        at.always("traps", &mut self.traps, 1);
        at.always("untraps", &mut self.untraps, 1);
        at.always("cta_release", &mut self.cta_release, 1);
    }

    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        self.fields_of_warp_status(at);
        at.always("warp_done", &mut self.warp_done, 1);
    }
}

/// The result of a reduction; the default is no result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reduced {
    pub reduction: Reduction,
    /// And, Or: 0 or 1; Popc: the count of true lanes; None: 0.
    pub value: u16,
}

/// A refused operation, and the fault code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Refused {
    pub code: Code,
    /// The operation is of a warp, so `warp` is valid.
    pub has_warp: bool,
    pub warp: u8,
    pub cta: u8,
}

impl Refused {
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.choice("code", &mut self.code);
        at.field("has_warp", &mut self.has_warp, 1);
        at.warp(&mut self.warp);
        at.cta(&mut self.cta);
    }
}

/// The payload of a fault channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    pub code: Code,
    /// The operation is of a warp, so `warp` is valid.
    pub has_warp: bool,
    pub warp: u8,
    pub cta: u8,
    /// Barrier id; 0 for the fault of an mbarrier.
    pub id: u8,
    /// Shared address of an mbarrier; 0 for the fault of a named barrier.
    pub address: u32,
}

impl From<Refused> for Fault {
    /// A fault without barrier id and address.
    fn from(Refused { code, has_warp, warp, cta }: Refused) -> Fault {
        Fault { code, has_warp, warp, cta, id: 0, address: 0 }
    }
}

impl Fault {
    /// Visits the fields at `bcu`.
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        self.fields_of_gateway(at);
        at.field("address", &mut self.address, 32);
    }

    /// Visits the fields at `gateway`.
    pub fn fields_of_gateway(&mut self, at: &mut Fields<impl PortAction>) {
        self.refusal(at);
        at.field("id", &mut self.id, 5);
    }

    /// Visits the fields at `named`.
    pub fn fields_of_named(&mut self, at: &mut Fields<impl PortAction>) {
        self.refusal(at);
        at.field("id", &mut self.id, 4);
    }

    fn refusal(&mut self, at: &mut Fields<impl PortAction>) {
        at.choice("code", &mut self.code);
        at.field("has_warp", &mut self.has_warp, 1);
        at.warp(&mut self.warp);
        at.cta(&mut self.cta);
    }
}

/// The payload of the release strobe: a completed generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Release {
    pub cta: u8,
    pub id: u8,
    /// The warps that resume, one bit per warp; 0 if no warp waited.
    pub warps: u64,
    pub result: Reduced,
}

impl Release {
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.cta(&mut self.cta);
        at.field("id", &mut self.id, 4);
        at.warps(&mut self.warps);
        at.choice("reduction", &mut self.result.reduction);
        at.field("value", &mut self.result.value, 12);
    }
}

/// The payload of the read strobe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Read {
    pub warp: u8,
    pub value: u32,
    pub predicate: bool,
}

impl Read {
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.warp(&mut self.warp);
        at.field("value", &mut self.value, 32);
        at.field("predicate", &mut self.predicate, 1);
    }
}
