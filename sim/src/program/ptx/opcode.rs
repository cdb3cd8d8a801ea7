// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What each PTX instruction is to the barrier unit: a barrier, a branch, an access, an evaluated operation, or time.

use super::arith::Calc;
use super::calc::{calc, parameter};
use super::scope::similar;
use super::table::{opcodes, Kind};
use crate::program::Space;

/// What an opcode with its modifiers stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Barrier,
    Branch,
    Call,
    End,
    Trap,
    /// `bar.warp.sync`, `elect.sync`
    Meet {
        elect: bool,
    },
    Access {
        space: Space,
        write: bool,
    },
    Calc(Calc),
    /// Nothing but time; `writes` says whether the first operand is a destination.
    Time {
        writes: bool,
    },
    /// Known, but not run yet.
    NotBuilt,
    /// No such instruction; the nearest known one.
    Unknown(Option<&'static str>),
}

/// Classifies `opcode` with `modifiers` (each with its dot).
pub(super) fn classify(opcode: &str, modifiers: &[&str]) -> Class {
    let has = |modifier: &str| modifiers.contains(&modifier);
    if modifiers.iter().any(|m| m.starts_with(".mbarrier")) {
        return Class::NotBuilt;
    }
    let Some(kind) = opcodes().find(|o| o.name == opcode).map(|o| o.kind) else {
        return Class::Unknown(similar(opcode, opcodes().map(|o| o.name)));
    };
    match (kind, opcode) {
        (_, "bar") if modifiers == [".warp", ".sync"] => Class::Meet { elect: false },
        (_, "elect") if modifiers == [".sync"] => Class::Meet { elect: true },
        (_, "bar") if has(".warp") => Class::Unknown(Some("bar.warp.sync")),
        (_, "elect") => Class::Unknown(Some("elect.sync")),
        (_, "barrier") if has(".cluster") => Class::NotBuilt,
        (_, "ld") if has(".param") => parameter(modifiers),
        (_, "tcgen05") if has(".ld") => Class::Time { writes: true },
        (Kind::Control, "bra") => Class::Branch,
        (Kind::Control, "call") => Class::Call,
        (Kind::Control, "trap") => Class::Trap,
        (Kind::Control, _) => Class::End,
        (Kind::Barrier, _) => Class::Barrier,
        (Kind::NotBuilt, _) => Class::NotBuilt,
        (Kind::Read, _) => access(opcode, modifiers, false),
        (Kind::Write, _) => access(opcode, modifiers, true),
        (Kind::Matrix, _) => match modifiers.first() {
            Some(&".load") => access(opcode, modifiers, false),
            Some(&".store") => access(opcode, modifiers, true),
            Some(&(".fence" | ".commit_group" | ".wait_group")) => Class::Time { writes: false },
            _ => Class::Time { writes: true },
        },
        (Kind::Computed, _) => calc(opcode, modifiers),
        (Kind::Timed { writes }, _) => Class::Time { writes },
    }
}

/// The first space named decides: it is the destination's. Without one the address is generic and taken for global.
fn access(opcode: &str, modifiers: &[&str], write: bool) -> Class {
    let waits = |m: &&str| matches!(*m, ".commit_group" | ".wait_group" | ".wait_all");
    if opcode == "cp" && modifiers.iter().any(waits) {
        return Class::Time { writes: false };
    }
    let spaces = [".shared", ".global", ".local", ".param", ".const"];
    match modifiers.iter().find_map(|m| spaces.into_iter().find(|space| m.split("::").next() == Some(*space))) {
        Some(".shared") => Class::Access { space: Space::Shared, write },
        Some(".global") | None => Class::Access { space: Space::Global, write },
        // Local, parameter and constant memory is no other thread's business.
        Some(_) => Class::Time { writes: !write },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(text: &str) -> Class {
        let (opcode, modifiers) = text.split_once('.').unwrap_or((text, ""));
        let dotted: Vec<String> = modifiers.split('.').filter(|m| !m.is_empty()).map(|m| format!(".{m}")).collect();
        classify(opcode, &dotted.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn the_first_space_named_decides() {
        let shared = |write| Class::Access { space: Space::Shared, write };
        let global = |write| Class::Access { space: Space::Global, write };
        for (text, expected) in [
            ("ld.shared.u32", shared(false)),
            ("ld.volatile.shared::cta.v4.f32", shared(false)),
            ("st.global.f32", global(true)),
            ("ld.u32", global(false)),
            ("atom.shared.add.u32", shared(true)),
            ("red.global.add.f32", global(true)),
            ("cp.async.ca.shared.global", shared(true)),
            ("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group", global(true)),
            ("ldmatrix.sync.aligned.m8n8.x4.shared.b16", shared(false)),
            ("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", shared(false)),
            ("cp.async.wait_group", Class::Time { writes: false }),
            ("st.param.b32", Class::Time { writes: false }),
            ("ld.const.u32", Class::Time { writes: true }),
        ] {
            assert_eq!(class(text), expected, "{text}");
        }
    }

    #[test]
    fn synchronisation_that_is_not_built_is_known_by_name() {
        for text in [
            "barrier.cluster.arrive.aligned",
            "mbarrier.init.shared::cta.b64",
            "griddepcontrol.wait",
            "fence.proxy.async",
            "membar.gl",
            "brx.idx",
            "cp.async.mbarrier.arrive.noinc.shared.b64",
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
        ] {
            assert_eq!(class(text), Class::NotBuilt, "{text}");
        }
    }

    #[test]
    fn a_misspelt_opcode_has_a_neighbour() {
        assert_eq!(class("barr.sync"), Class::Unknown(Some("bar")));
        assert_eq!(class("barier.sync"), Class::Unknown(Some("barrier")));
        assert_eq!(class("frobnicate"), Class::Unknown(None));
        assert_eq!(class("bar.warp.arrive"), Class::Unknown(Some("bar.warp.sync")));
        assert_eq!((class("bar.warp.sync"), class("elect.sync")), (Class::Meet { elect: false }, Class::Meet { elect: true }));
    }
}
