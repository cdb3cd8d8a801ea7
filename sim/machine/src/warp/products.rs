// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The products of a warpgroup (`wgmma.mma_async`) as one warp has started them: their groups, and the registers that they use. PTX
//! requires `wgmma.fence` between another use of these registers and a product, and `wgmma.wait_group` before another use after it.

use super::threads::At;
use std::collections::HashMap;

/// The use of registers that PTX forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Hazard {
    /// A product starts, and the warp has never executed `wgmma.fence`.
    NeverFenced,
    /// A product uses a register that the instruction at `by` has used since the last `wgmma.fence`.
    NotFenced { register: usize, by: At },
    /// An instruction uses a register of the product that was started at `of`. No `wgmma.wait_group` has covered this product.
    NotWaited { register: usize, of: At, accumulates: bool },
}

/// An instruction, and its number among the issued instructions of the warp.
type When = (u64, At);

/// The last uses of a register.
#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    /// The last instruction, apart from products, that read or wrote the register, and the last that wrote it.
    used: Option<When>,
    written: Option<When>,
    /// The last product with the register in its accumulator.
    accumulated: Option<When>,
    /// The last product with the register as accumulator or in A, with its group, and whether it is the accumulator; `None` if that product
    /// is complete.
    in_flight: Option<(At, u32, bool)>,
    /// Whether `in_flight` is that of another register, of which this one is a copy.
    is_copy: bool,
}

/// The products of one warp.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Products {
    /// The number of groups that the warp has committed.
    pub committed: u32,
    /// The products that belong to no group: the number, and the last of them.
    pub uncommitted: Option<(usize, At)>,
    /// The first wait without a group to wait for, since which the warp has committed none, and the products that were in no group.
    pub not_covered: Option<(At, (usize, At))>,
    /// The number of groups that waits of the warp have covered.
    complete: u32,
    /// The number of issued instructions.
    issued: u64,
    /// The number of the last `wgmma.fence`.
    fenced: Option<u64>,
    registers: HashMap<usize, Uses>,
}

/// How an instruction that is no product uses registers, which are numbered over all open calls.
pub(in super::super) enum RegisterUse<'a> {
    /// `mov` from another register. Compilers insert such copies, so the copy is no use: the destination takes over the state of the source.
    Copied {
        from: usize,
        to: usize,
    },
    /// `mov` of a constant.
    Set {
        to: usize,
    },
    Used {
        read: &'a [usize],
        written: &'a [usize],
    },
}

impl Products {
    /// The first group that a wait does not cover.
    pub fn end(&self, max_in_flight: u32) -> u32 {
        self.committed.saturating_sub(max_in_flight)
    }

    pub fn fence(&mut self) {
        self.issued += 1;
        self.fenced = Some(self.issued);
    }

    pub fn commit(&mut self) {
        self.committed += 1;
        (self.uncommitted, self.not_covered) = (None, None);
    }

    /// Records a wait, which completes the products of the groups before `end`. If the wait covers no new group, returns the products that
    /// are in no group, as in `uncommitted`.
    pub fn waited(&mut self, end: u32) -> Option<(usize, At)> {
        let covers_no_group = end <= self.complete;
        self.complete = self.complete.max(end);
        for uses in self.registers.values_mut() {
            uses.in_flight = uses.in_flight.filter(|(_, group, _)| *group >= end);
        }
        self.uncommitted.filter(|_| covers_no_group)
    }

    /// Forgets the registers from `first` on, because their function returns.
    pub fn returns(&mut self, first: usize) {
        self.registers.retain(|register, _| *register < first);
    }

    /// Records an instruction that is no product, and returns its use of a register that a product in flight uses.
    pub fn use_registers(&mut self, at: At, registers: &RegisterUse) -> Option<Hazard> {
        self.issued += 1;
        let now = Some((self.issued, at));
        let hazard = match *registers {
            RegisterUse::Copied { from, to } => {
                let copied = self.registers.get(&from).copied();
                match copied {
                    Some(uses) => _ = self.registers.insert(to, Uses { is_copy: true, ..uses }),
                    None => _ = self.registers.remove(&to),
                }
                None
            }
            RegisterUse::Set { to } => self.registers.remove(&to).and_then(|uses| not_waited(&uses, to, false)),
            RegisterUse::Used { read, written } => {
                let mut hazard = None;
                for register in read {
                    let uses = self.registers.entry(*register).or_default();
                    hazard = hazard.or(not_waited(uses, *register, true));
                    uses.used = now;
                }
                for register in written {
                    let uses = self.registers.entry(*register).or_default();
                    hazard = hazard.or(not_waited(uses, *register, false));
                    // The copy is overwritten.
                    uses.in_flight = uses.in_flight.filter(|_| !uses.is_copy);
                    (uses.used, uses.written) = (now, now);
                }
                hazard
            }
        };
        // One finding for each product is enough.
        if let Some(Hazard::NotWaited { of, .. }) = hazard {
            for uses in self.registers.values_mut() {
                uses.in_flight = uses.in_flight.filter(|(product, ..)| *product != of);
            }
        }
        hazard
    }

    /// Records a product with its accumulator and the registers of A, and returns a use of these registers that is not fenced. `is_shape`
    /// states whether the product of an instruction has the shape of this product.
    pub fn start(&mut self, at: At, (accumulator, a): (&[usize], &[usize]), is_shape: impl Fn(At) -> bool) -> Option<Hazard> {
        self.issued += 1;
        let number = self.uncommitted.map_or(1, |(number, _)| number + 1);
        self.uncommitted = Some((number, at));
        let mut hazard = if self.fenced.is_none() { Some(Hazard::NeverFenced) } else { None };
        let fenced = *self.fenced.get_or_insert(0);
        let not_fenced =
            |register: usize, when: Option<When>| when.filter(|(number, _)| *number > fenced).map(|(_, by)| (register, by));
        let mut add = |unfenced: Option<(usize, At)>| {
            hazard = hazard.or(unfenced.map(|(register, by)| Hazard::NotFenced { register, by }));
        };
        for register in accumulator {
            let uses = self.registers.entry(*register).or_default();
            add(not_fenced(*register, uses.used));
            // The accumulators of products of one shape are ordered without a fence.
            add(not_fenced(*register, uses.accumulated.filter(|(_, product)| !is_shape(*product))));
            // One finding for each use is enough.
            (uses.used, uses.written, uses.accumulated) = (None, None, Some((self.issued, at)));
            (uses.in_flight, uses.is_copy) = (Some((at, self.committed, true)), false);
        }
        for register in a {
            let uses = self.registers.entry(*register).or_default();
            add(not_fenced(*register, uses.written));
            add(not_fenced(*register, uses.accumulated));
            uses.written = None;
            (uses.in_flight, uses.is_copy) = (Some((at, self.committed, false)), false);
        }
        hazard
    }
}

/// The use of a register of a product in flight; registers of A may still be read, and copies of registers be overwritten.
fn not_waited(uses: &Uses, register: usize, only_reads: bool) -> Option<Hazard> {
    let (of, _, accumulates) = uses.in_flight?;
    let is_hazard = if only_reads { accumulates } else { !uses.is_copy };
    is_hazard.then_some(Hazard::NotWaited { register, of, accumulates })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(instr: usize) -> At {
        At { function: 0, instr }
    }

    fn used(read: &[usize], written: &[usize], products: &mut Products, number: usize) -> Option<Hazard> {
        products.use_registers(at(number), &RegisterUse::Used { read, written })
    }

    #[test]
    fn a_product_needs_a_fence_after_another_use_of_its_registers() {
        let mut products = Products::default();
        assert_eq!(products.start(at(0), (&[1], &[2]), |_| true), Some(Hazard::NeverFenced));
        products.fence();
        assert_eq!(products.start(at(1), (&[1], &[2]), |_| true), None);
        assert_eq!(products.start(at(2), (&[1], &[2]), |_| true), None);
        assert_eq!(products.start(at(3), (&[1], &[]), |_| false), Some(Hazard::NotFenced { register: 1, by: at(2) }));
        products.commit();
        products.waited(1);
        assert_eq!(used(&[1], &[], &mut products, 4), None);
        assert_eq!(used(&[2], &[], &mut products, 5), None);
        assert_eq!(products.start(at(6), (&[1], &[]), |_| true), Some(Hazard::NotFenced { register: 1, by: at(4) }));
        // A read of A is no hazard, a write is one.
        assert_eq!(products.start(at(7), (&[3], &[2]), |_| true), None);
        products.commit();
        products.waited(2);
        assert_eq!(used(&[], &[2], &mut products, 8), None);
        assert_eq!(products.start(at(9), (&[3], &[2]), |_| true), Some(Hazard::NotFenced { register: 2, by: at(8) }));
    }

    #[test]
    fn registers_in_flight_are_free_after_the_wait_for_their_group() {
        let mut products = Products::default();
        products.fence();
        products.start(at(1), (&[1], &[5]), |_| true);
        products.commit();
        products.start(at(2), (&[2], &[]), |_| true);
        products.commit();
        products.waited(products.end(1));
        assert_eq!(used(&[1], &[5], &mut products, 3), None);
        // A copy is no use, but its result is in flight too.
        assert_eq!(products.use_registers(at(5), &RegisterUse::Copied { from: 2, to: 9 }), None);
        assert_eq!(used(&[9], &[], &mut products, 6), Some(Hazard::NotWaited { register: 9, of: at(2), accumulates: true }));
        assert_eq!(used(&[2], &[], &mut products, 6), None, "one finding for each product");
        products.start(at(4), (&[4], &[]), |_| true);
        assert_eq!(products.use_registers(at(5), &RegisterUse::Copied { from: 4, to: 9 }), None);
        assert_eq!(used(&[], &[9], &mut products, 6), None, "a copy may be overwritten");
        assert_eq!(used(&[9], &[], &mut products, 6), None);
        products.start(at(2), (&[2], &[]), |_| true);
        let not_waited = Hazard::NotWaited { register: 2, of: at(2), accumulates: true };
        assert_eq!(products.use_registers(at(6), &RegisterUse::Set { to: 2 }), Some(not_waited));
        assert_eq!(products.waited(products.end(0)), None);
        assert_eq!(products.waited(products.end(0)), Some((2, at(2))), "the products are in no group");
        products.commit();
        assert_eq!(products.waited(products.end(0)), None);
        assert_eq!(used(&[2, 9], &[2, 9], &mut products, 7), None);
    }
}
