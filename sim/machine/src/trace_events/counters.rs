// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counters of each CTA: the accesses that are issued and not performed, and the bytes of the copies in flight.

use super::super::sm::{copied_bytes, Sm};
use super::tracks::process;
use super::writer::Writer;
use std::collections::BTreeMap;
use std::io::Write;

/// The names and the units of the counters.
const COUNTERS: [(&str, &str); 2] = [("outstanding", "accesses"), ("outstanding in copies", "bytes")];

/// The last written values of each CTA; a CTA without accesses is left out.
#[derive(Default)]
pub(super) struct Counters(BTreeMap<usize, [u64; 2]>);

impl Counters {
    /// Writes the values that have changed.
    pub fn cycle<W: Write>(&mut self, sms: &[Sm], cycle: u64, out: &mut Writer<W>) {
        let mut values: BTreeMap<usize, [u64; 2]> = self.0.keys().map(|cta| (*cta, [0; 2])).collect();
        for access in sms.iter().flat_map(Sm::accesses_in_flight) {
            let of_cta = values.entry(access.cta).or_default();
            match access.asynchronous() {
                true => of_cta[1] += copied_bytes(access),
                false => of_cta[0] += 1,
            }
        }
        for (cta, now) in &values {
            let before = self.0.get(cta).copied().unwrap_or_default();
            for (at, (name, unit)) in COUNTERS.into_iter().enumerate() {
                if now[at] != before[at] {
                    out.count(process(*cta), cycle, name, (unit, now[at]));
                }
            }
        }
        values.retain(|_, now| *now != [0; 2]);
        self.0 = values;
    }
}
