// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Classifies each PTX instruction for the barrier unit: a barrier, a branch, an access, an evaluated operation, or time only.

use super::calc::calc;
use super::class::Class;
use super::exchange::exchange;
use super::scope::similar;
use super::table::opcodes;
use super::table_row::Kind;

/// Modifier of a copy that signals an mbarrier with the number of bytes that have arrived.
pub(super) const COMPLETES: &str = ".mbarrier::complete_tx::bytes";

/// Modifier of a copy whose bytes go to several CTAs of the cluster.
pub(super) const MULTICAST: &str = ".multicast::cluster";

/// Classifies `opcode` with `modifiers` (each with its dot).
pub(super) fn classify(opcode: &str, modifiers: &[&str]) -> Class {
    let has = |modifier: &str| modifiers.contains(&modifier);
    let Some(kind) = opcodes().find(|o| o.name == opcode).map(|o| o.kind) else {
        return Class::Unknown(similar(opcode, opcodes().map(|o| o.name)));
    };
    match (kind, opcode) {
        (_, "bar") if modifiers == [".warp", ".sync"] => Class::Meet { elect: false },
        (_, "elect") if modifiers == [".sync"] => Class::Meet { elect: true },
        (_, "bar") if has(".warp") => Class::Unknown(Some("bar.warp.sync")),
        (_, "elect") => Class::Unknown(Some("elect.sync")),
        (_, "barrier") if has(".cluster") => Class::ClusterBarrier,
        (_, "griddepcontrol") => Class::GridControl,
        (_, "mbarrier") => Class::Mbarrier,
        (_, "cp") if has(".mbarrier") => Class::Mbarrier,
        (_, "cp") if has(".tensor") => {
            let kinds = [".im2col::", ".im2col_no_offs", ".cta_group"];
            let is_complete = [".bulk_group", ".prefetch", COMPLETES].iter().any(|end| has(end));
            match is_complete && !modifiers.iter().any(|m| kinds.iter().any(|kind| m.starts_with(kind))) {
                true => Class::Memory,
                false => Class::NotBuilt,
            }
        }
        (_, "prefetch") if has(".tensormap") => Class::Memory,
        (_, "cp") if has(".commit_group") => Class::CommitCopies { bulk: has(".bulk") },
        (_, "cp") if has(".wait_group") || has(".wait_all") => {
            Class::WaitCopies { bulk: has(".bulk"), waits_for_all: has(".wait_all"), read: has(".read") }
        }
        (_, "cp") if has(".bulk") && !has(".bulk_group") && !has(".prefetch") && !has(COMPLETES) => Class::NotBuilt,
        (_, "st" | "red") if has(".async") && !has(COMPLETES) => Class::NotBuilt,
        (_, "tcgen05") if has(".commit") => Class::Commit,
        (_, "tcgen05") => Class::TensorCore,
        (_, "mapa" | "getctarank") => Class::Cluster,
        (_, "cvta" | "isspacep") => Class::Address,
        (_, "wgmma") => Class::Warpgroup,
        (_, "setmaxnreg") if has(".inc") || has(".dec") => Class::Registers { grows: has(".inc") },
        (_, "alloca" | "stacksave" | "stackrestore") => Class::Stack,
        (Kind::Control, "bra") => Class::Branch,
        (Kind::Control, "brx") => Class::Switch,
        (Kind::Control, "call") => Class::Call,
        (Kind::Control, "trap") => Class::Trap,
        (Kind::Control, "exit") => Class::Exit,
        (Kind::Control, _) => Class::Return,
        (Kind::Barrier, _) => Class::Barrier,
        (Kind::Order, _) => Class::Fence,
        (Kind::NotBuilt, _) => Class::NotBuilt,
        (Kind::Exchange, _) => exchange(opcode, modifiers).map_or(Class::Time { writes: true }, Class::Exchange),
        (Kind::Read | Kind::Write, _) => Class::Memory,
        (Kind::Matrix, _) => match modifiers.first() {
            Some(&(".load" | ".store")) => Class::Memory,
            Some(&".mma") if opcode == "wmma" => {
                exchange(opcode, modifiers).map_or(Class::Time { writes: true }, Class::Exchange)
            }
            _ => Class::Time { writes: true },
        },
        (Kind::Computed, _) => calc(opcode, modifiers),
        (Kind::Timed { writes }, _) => Class::Time { writes },
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
    fn synchronisation_that_is_not_built_is_known_by_name() {
        for text in [
            "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group",
            "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w",
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
