// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes the state word of a Write to Barrier: the numbers for the row, and whether the word is valid.
//!
//! *Reads:* the state word. *Writes:* the number of warps that have arrived, the number of warps that are expected, the reduction
//! with its sum, the faults of the word. *Latency:* 0, no state. Implements the state word `BARState` of spec 001 and *Write to
//! Barrier* of `docs/contract/named.md`.
//!
//! `BARState`: bits 6:0 count, 13:7 expected, 15:14 kind (0 idle, 1 sync or arrive, 2 reduction), 17:16 redop (0 And, 1 Or, 2 Popc), 29:18
//! accumulator, 31 the warp has arrived; bit 30 is 0.
//!
//! The accumulator is checked: for POPC it is at most the number of lanes of the arrived warps, for AND and OR it is 0 or 1.

use super::more_than::MoreThan;
use crate::prelude::*;

/// Sizes: counts of warps of `CW` bits, sums of a reduction of `AW` bits.
#[block]
pub struct BarrierWord<CW, AW> {
    pub word: Signal<In, Bits<32>>,
    /// Reductions are built.
    pub reductions_built: Signal<In, Bit>,
    /// Number of warps that have arrived.
    pub arrived: Signal<Out, Bits<CW>>,
    /// Number of warps that are expected; 0 = no count.
    pub expected: Signal<Out, Bits<7>>,
    /// `expected`, cut to the bits of a number of warps, is not 0: the word has a count.
    pub has_count: Signal<Out, Bit>,
    /// The word describes an idle row.
    pub is_idle: Signal<Out, Bit>,
    pub reduction: Signal<Out, Reduction>,
    /// The sum for the row: the accumulator, for AND its complement.
    pub sum: Signal<Out, Bits<AW>>,
    /// Fault `bad_state_word`, because of the kind, the counts, bit 30 or bit 31.
    pub bad_row: Signal<Out, Bit>,
    /// Fault `bad_state_word`, because of the redop or the accumulator, or because a number does not fit into the bits of a row.
    pub bad_sum: Signal<Out, Bit>,
    /// Compares the accumulator of POPC with its maximum: the number of lanes of the arrived warps.
    #[init(MoreThan::new(config))]
    excess: MoreThan,
    row_kind: Signal<Local, Bits<2>>,
    row_redop: Signal<Local, Bits<2>>,
    accumulator: Signal<Local, Bits<12>>,
    /// `accumulator`, cut to the bits of a sum.
    accumulator_bits: Signal<Local, Bits<AW>>,
    /// `expected`, cut to the bits of a number of warps.
    expected_bits: Signal<Local, Bits<CW>>,
    /// The number of arrived warps and the accumulator fit into the bits of a row.
    fits: Signal<Local, Bit>,
    /// The accumulator is more than 1.
    above_one: Signal<Local, Bit>,
}

#[block]
impl Logic for BarrierWord {
    fn update(&mut self) {
        let word = self.word.val();

        // The fields of the word.
        self.arrived.next = bit_cast::<CW, 32>(word);
        self.expected.next = word.get_bits::<7>(7);
        self.expected_bits.next = bit_cast::<CW, 7>(self.expected.val());
        self.row_kind.next = word.get_bits::<2>(14);
        self.row_redop.next = word.get_bits::<2>(16);
        self.accumulator.next = word.get_bits::<12>(18);
        self.accumulator_bits.next = bit_cast::<AW, 12>(self.accumulator.val());
        self.has_count.next = self.expected_bits.val().any();
        self.is_idle.next = self.row_kind.val() == 0;

        // The reduction. The sum of AND is 1 if a predicate was false: the complement of the accumulator.
        self.reduction.next = Reduction::None;
        self.sum.next = 0.into();
        if self.reductions_built.val() {
            self.sum.next = self.accumulator_bits.val();
        }
        if self.reductions_built.val() & (self.row_kind.val() == 2) {
            if self.row_redop.val() == 0 {
                self.reduction.next = Reduction::And;
                self.sum.next = self.accumulator_bits.val() ^ 1;
            }
            if self.row_redop.val() == 1 {
                self.reduction.next = Reduction::Or;
            }
            if self.row_redop.val() == 2 {
                self.reduction.next = Reduction::Popc;
            }
        }

        // A number that does not fit into its row field is a fault in any case, so the other comparisons use only the bits that
        // fit.
        self.fits.next = (bit_cast::<12, AW>(self.accumulator_bits.val()) == self.accumulator.val())
            & (bit_cast::<7, CW>(self.arrived.val()) == word.get_bits::<7>(0));
        self.excess.threads.next = bit_cast::<13, AW>(self.accumulator_bits.val());
        self.excess.warps.next = bit_cast::<7, CW>(self.arrived.val());
        self.above_one.next = self.accumulator.val().get_bits::<11>(1).any();
        self.bad_sum.next = (self.row_redop.val().get_bit(1) & self.excess.is_more.val())
            | (!self.row_redop.val().get_bit(1) & self.above_one.val())
            | (self.row_redop.val() == 3)
            | !self.fits.val();
        if self.row_kind.val() != 2 {
            self.bad_sum.next = self.row_redop.val().any() | self.accumulator.val().any() | !self.fits.val();
        }
        self.bad_row.next = word.get_bit(30)
            | (self.row_kind.val() == 3)
            | (!self.reductions_built.val() & (self.row_kind.val() == 2))
            | (bit_cast::<7, CW>(self.expected_bits.val()) != self.expected.val());
        if self.is_idle.val() {
            self.bad_row.next = self.bad_row.val() | self.arrived.val().any() | self.has_count.val() | word.get_bit(31);
        } else {
            self.bad_row.next = self.bad_row.val()
                | !self.arrived.val().any()
                | (self.has_count.val() & (self.arrived.val() >= self.expected_bits.val()));
        }
    }
}
