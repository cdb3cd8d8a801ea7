// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides whether an operation may change its row.
//!
//! *Reads:* the operation one cycle inside, with its row, its CTA's entry and whether its warp waits. *Writes:* in the same cycle whether it
//! lands; one cycle later what stood against it (latency 1). Implements the fault table of `docs/faults.md`, as far as it asks for rows and
//! CTAs: what specs 000 to 002 call undefined, unpredictable or a run-time exception.

use super::enter::Step;
use super::operands::Traits;
use rust_hdl::prelude::*;

/// What stands against an operation.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Against {
    /// Its id is not declared, and must be.
    pub undeclared: Bit,
    /// There is something among the rest.
    pub refused: Bit,
    /// It is an arrival; its count exceeds the CTA; the warp has arrived; the row is of another reduction.
    pub arrival: Bit,
    pub exceeds: Bit,
    pub again: Bit,
    pub unlike: Bit,
}

/// `W` warps counted in `CW` bits, ids in `IW`.
#[derive(LogicBlock, Default)]
pub struct Judge<const W: usize, const CW: usize, const IW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub doing: Signal<In, Step>,
    pub mask: Signal<In, Bits<W>>,
    /// Id of the row that it looks at.
    pub id: Signal<In, Bits<4>>,
    // Its numbers, as in `Operands`.
    pub marks: Signal<In, Traits>,
    pub wanted: Signal<In, Bits<CW>>,
    pub before_last: Signal<In, Bits<CW>>,
    pub steps: Signal<In, Bits<CW>>,
    pub reduction: Signal<In, Bits<2>>,
    // Its row; what is left over in an idle one counts for nothing.
    pub arrived: Signal<In, Bits<W>>,
    pub expected: Signal<In, Bits<CW>>,
    pub row_reduction: Signal<In, Bits<2>>,
    pub row_marks: Signal<In, Bits<3>>,
    // Its CTA.
    pub warps: Signal<In, Bits<CW>>,
    pub live: Signal<In, Bits<CW>>,
    pub barriers: Signal<In, Bits<IW>>,
    /// Its warp waits.
    pub waits_now: Signal<In, Bit>,
    /// Its row changes: by an arrival or a Write to Barrier; by a Write to Warp; by either. The warp's state is written.
    pub lands: Signal<Out, Bit>,
    pub joins: Signal<Out, Bit>,
    pub changes: Signal<Out, Bit>,
    pub restores: Signal<Out, Bit>,
    /// Its warp has arrived in the row already.
    pub again: Signal<Out, Bit>,
    pub against: Signal<Out, Against>,
    kept: DFF<Against>,
    own: Signal<Local, Bits<W>>,
    there: Signal<Local, Bit>,
    outside: Signal<Local, Bit>,
    exceeds: Signal<Local, Bit>,
    uneven: Signal<Local, Bit>,
    unlike: Signal<Local, Bit>,
    apart: Signal<Local, Bit>,
    row_stands: Signal<Local, Bit>,
    cta_stands: Signal<Local, Bit>,
    landing: Signal<Local, Bit>,
    joining: Signal<Local, Bit>,
    restoring: Signal<Local, Bit>,
}

impl<const W: usize, const CW: usize, const IW: usize> Logic for Judge<W, CW, IW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kept);
        self.own.next = self.arrived.val() & self.mask.val();
        self.there.next = self.own.val().any() & self.row_marks.val().get_bit(0);
        self.uneven.next = self.expected.val() != self.wanted.val();
        self.unlike.next = self.row_reduction.val() != self.reduction.val();
        // What stands against each kind of change, in three parts that are there at about the same time.
        self.apart.next = self.row_marks.val().get_bit(0)
            & ((self.doing.val().arrives & (self.uneven.val() | self.unlike.val()))
                | (self.doing.val().writes_row & self.row_marks.val().get_bit(1)));
        self.row_stands.next = self.apart.val()
            | (self.doing.val().arrives & self.there.val())
            | (self.doing.val().writes_warp & !self.there.val());
        self.outside.next = bit_cast::<5, 4>(self.id.val()) >= bit_cast::<5, IW>(self.barriers.val());
        self.exceeds.next = self.marks.val().counted & (self.before_last.val() >= self.warps.val());
        self.cta_stands.next = self.outside.val()
            | self.exceeds.val()
            | (self.doing.val().writes_row & !self.marks.val().counted & (self.steps.val() > self.live.val()));
        self.landing.next = self.doing.val().arrives | self.doing.val().writes_row;
        self.joining.next = self.doing.val().writes_warp & self.marks.val().waits & !self.waits_now.val();
        self.changes.next = (self.landing.val() | self.joining.val()) & !self.cta_stands.val() & !self.row_stands.val();
        self.lands.next = self.landing.val() & !self.cta_stands.val() & !self.row_stands.val();
        self.joins.next = self.joining.val() & !self.cta_stands.val() & !self.row_stands.val();
        self.restoring.next = self.doing.val().writes_warp
            & !self.waits_now.val()
            & !self.exceeds.val()
            & (!self.marks.val().waits | (!self.outside.val() & self.there.val()));
        self.restores.next = self.restoring.val();
        self.again.next = self.there.val();

        self.kept.d.next = self.kept.q.val();
        self.kept.d.next.undeclared = self.doing.val().named & self.outside.val();
        self.kept.d.next.refused = (self.landing.val() & (self.cta_stands.val() | self.row_stands.val()))
            | (self.doing.val().writes_warp & !self.restoring.val());
        self.kept.d.next.arrival = self.doing.val().arrives;
        self.kept.d.next.exceeds = self.exceeds.val();
        self.kept.d.next.again = self.there.val();
        self.kept.d.next.unlike = self.unlike.val();
        if self.reset.val() {
            self.kept.d.next.undeclared = false;
            self.kept.d.next.refused = false;
        }
        self.against.next = self.kept.q.val();
    }
}
