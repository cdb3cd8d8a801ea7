// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How each unit is made, and the sizes that are compiled in: widths of signals are const generics, so a size that a configuration asks for
//! must stand here.

use crate::config::Config;
use crate::ports::Unit;
use crate::unit::{
    decode::Decode,
    gather::Gather,
    named::{Named, Parts},
    order::Order,
    residency::Residency,
    top::Bcu,
    watch::Watch,
};
pub use crate::units::UNITS;
use rust_hdl::prelude::Block;

/// One line per size: warps and their index and count bits, slot bits and `2^` of them, id bits, address bits, bits of a number of ids, of a sum
/// over all lanes of all warps, of a number of lanes, lanes, bits of a number of accesses, and the CTA slots that this size is offered with.
macro_rules! catalog {
    ($($w:literal $lw:literal $cw:literal $lc:literal $s:literal $li:literal $ra:literal $iw:literal $aw:literal $vw:literal $l:literal $ob:literal: $slots:literal;)*) => {
        const SIZES: &[(usize, usize, usize, usize, usize)] = &[$(($w, $l, $slots, 1 << $li, (1 << $ob) - 1)),*];

        /// The unit of this name in this size, or nothing if there is none; connected and ready to run.
        pub fn build(config: &Config, unit: &str) -> Option<Box<dyn Unit>> {
            let size = (config.warps, config.lanes, config.cta_slots, config.barriers);
            $(if size == ($w, $l, $slots, 1 << $li) {
                return in_size::<$w, $lw, $cw, $lc, $s, $li, $ra, $iw, $aw, $vw, $l, $ob>(config, unit);
            })*
            None
        }
    };
}

catalog! {
    4 2 3 1 2 2 3 3 5 3 4 2: 1;
    8 3 4 1 2 3 4 4 6 3 4 2: 1;
    8 3 4 1 2 3 4 4 6 3 4 2: 2;
    32 5 6 1 2 4 5 5 11 6 32 4: 1;
    32 5 6 3 8 4 7 5 11 6 32 4: 8;
    32 5 6 5 32 4 9 5 11 6 32 4: 32;
    64 6 7 5 32 4 9 5 12 6 32 4: 32;
}

/// The unit of this name in a line's size.
#[rustfmt::skip]
fn in_size<
    const W: usize, const LW: usize, const CW: usize, const LC: usize, const S: usize, const LI: usize,
    const RA: usize, const IW: usize, const AW: usize, const VW: usize, const L: usize, const OB: usize,
>(config: &Config, unit: &str) -> Option<Box<dyn Unit>> {
    let Config { cta_slots, pack_lsb, max_outstanding, reductions, faults, state_words, .. } = *config;
    let parts = Parts { reductions, faults, state_words };
    macro_rules! new {
        (residency) => { connected(Residency::<W, LW, CW, LC, S, L>::new(cta_slots)) };
        (decode) => { connected(Decode::<W, LW, LC, L>::new(pack_lsb)) };
        (gather) => { connected(Gather::<W, LW, CW, LC, L>::default()) };
        (order) => { connected(Order::<W, LW, CW, LC, VW, OB>::new(max_outstanding)) };
        (named) => { connected(Named::<W, LW, CW, LC, S, LI, RA, IW, AW, VW>::new(L, parts)) };
        (watch) => { connected(Watch::<W, LC, S>::default()) };
        (bcu) => { connected(Bcu::<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L, OB>::new(cta_slots, pack_lsb, max_outstanding, parts)) };
    }
    macro_rules! by_name {
        ($($name:ident $Type:ident,)*) => {
            match unit {
                $(stringify!($name) => Some(new!($name)),)*
                _ => None,
            }
        };
    }
    crate::for_each_unit!(by_name)
}

fn connected(mut unit: impl Unit + Block + 'static) -> Box<dyn Unit> {
    unit.connect_all();
    Box::new(unit)
}

/// Whether the configuration's size is compiled in.
pub fn offers(config: &Config) -> bool {
    most_outstanding(config).is_some()
}

/// The highest `max_outstanding` that is compiled in for the configuration's size, if that is.
pub fn most_outstanding(config: &Config) -> Option<usize> {
    let size = (config.warps, config.lanes, config.cta_slots, config.barriers);
    SIZES.iter().find(|(w, l, c, b, _)| (*w, *l, *c, *b) == size).map(|s| s.4)
}

/// All sizes, for messages.
pub fn offered() -> String {
    let text = |(w, l, c, b, _): &(usize, usize, usize, usize, usize)| format!("{w} x {l} with {c} slots of {b}");
    SIZES.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_of_every_configuration_is_built_under_its_name() {
        for (name, _) in crate::config::NAMED {
            let config = crate::config::named(name).unwrap();
            for unit in UNITS {
                let built = build(&config, unit).unwrap();
                assert_eq!(built.name(), unit);
                assert_eq!(built.ports()[0].name, "reset");
            }
            assert!(build(&config, "gateway").is_none());
        }
    }
}
