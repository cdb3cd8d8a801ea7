// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What each PTX instruction is to the barrier unit: a barrier, a branch, an access, an evaluated operation, or time.

use super::ast::{Calc, Type};
use super::calc::{calc, parameter};
use super::scope::similar;
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
    Calc {
        calc: Calc,
        ty: Type,
    },
    /// Nothing but time; `writes` says whether the first operand is a destination.
    Time {
        writes: bool,
    },
    /// Known, but not run yet.
    NotBuilt,
    /// No such instruction; the nearest known one.
    Unknown(Option<&'static str>),
}

/// Opcodes that neither access shared or global memory nor steer anything, with a destination.
const TIME: &[&str] = &[
    "activemask",
    "addc",
    "alloca",
    "bfe",
    "bfi",
    "bfind",
    "bmsk",
    "brev",
    "clz",
    "cnot",
    "copysign",
    "cos",
    "createpolicy",
    "cvta",
    "dp2a",
    "dp4a",
    "ex2",
    "fma",
    "fns",
    "getctarank",
    "isspacep",
    "istypep",
    "lg2",
    "lop3",
    "mad24",
    "madc",
    "mapa",
    "match",
    "mma",
    "movmatrix",
    "mul24",
    "popc",
    "prmt",
    "rcp",
    "redux",
    "rsqrt",
    "sad",
    "set",
    "shf",
    "sin",
    "slct",
    "sqrt",
    "stacksave",
    "subc",
    "szext",
    "tanh",
    "testp",
    "txq",
    "vabsdiff",
    "vabsdiff2",
    "vabsdiff4",
    "vadd",
    "vadd2",
    "vadd4",
    "vavrg2",
    "vavrg4",
    "vmad",
    "vmax",
    "vmax2",
    "vmax4",
    "vmin",
    "vmin2",
    "vmin4",
    "vote",
    "vset",
    "vset2",
    "vset4",
    "vshl",
    "vshr",
    "vsub",
    "vsub2",
    "vsub4",
    "clusterlaunchcontrol",
];

/// The same without a destination.
const TIME_ONLY: &[&str] = &[
    "applypriority",
    "brkpt",
    "discard",
    "nanosleep",
    "pmevent",
    "prefetch",
    "prefetchu",
    "setmaxnreg",
    "stackrestore",
    "tensormap",
    "tcgen05",
];

/// Opcodes that access memory; the space is a modifier.
const READS: &[&str] = &["ld", "ldu", "ldmatrix", "tex", "tld4", "suld"];
const WRITES: &[&str] = &["st", "stmatrix", "atom", "red", "cp", "multimem", "sust", "sured", "suq"];
/// `wmma.load`, `wgmma.mma_async` and the like: only some forms access memory.
const MATRIX: &[&str] = &["wmma", "wgmma"];

const CONTROL: &[&str] = &["bar", "barrier", "bra", "brx", "call", "elect", "exit", "ret", "trap"];
const NOT_BUILT: &[&str] = &["fence", "griddepcontrol", "mbarrier", "membar"];
const CALC: &[&str] = &[
    "abs", "add", "and", "cvt", "div", "mad", "max", "min", "mov", "mul", "neg", "not", "or", "rem", "selp", "setp", "shfl",
    "shl", "shr", "sub", "xor",
];

/// Classifies `opcode` with `modifiers` (each with its dot).
pub(super) fn classify(opcode: &str, modifiers: &[&str]) -> Class {
    let has = |modifier: &str| modifiers.contains(&modifier);
    if modifiers.iter().any(|m| m.starts_with(".mbarrier")) {
        return Class::NotBuilt;
    }
    match opcode {
        "bar" if modifiers == [".warp", ".sync"] => Class::Meet { elect: false },
        "elect" if modifiers == [".sync"] => Class::Meet { elect: true },
        "bar" if has(".warp") => Class::Unknown(Some("bar.warp.sync")),
        "elect" => Class::Unknown(Some("elect.sync")),
        "barrier" if has(".cluster") => Class::NotBuilt,
        "brx" => Class::NotBuilt,
        "bar" | "barrier" => Class::Barrier,
        "bra" => Class::Branch,
        "call" => Class::Call,
        "exit" | "ret" => Class::End,
        "trap" => Class::Trap,
        _ if NOT_BUILT.contains(&opcode) => Class::NotBuilt,
        "ld" if has(".param") => parameter(modifiers),
        _ if READS.contains(&opcode) || WRITES.contains(&opcode) => access(opcode, modifiers),
        _ if MATRIX.contains(&opcode) => match modifiers.first() {
            Some(&".load") => access("ld", modifiers),
            Some(&".store") => access("st", modifiers),
            Some(&(".fence" | ".commit_group" | ".wait_group")) => Class::Time { writes: false },
            _ => Class::Time { writes: true },
        },
        _ if CALC.contains(&opcode) => calc(opcode, modifiers),
        "tcgen05" if has(".ld") => Class::Time { writes: true },
        _ if TIME.contains(&opcode) => Class::Time { writes: true },
        _ if TIME_ONLY.contains(&opcode) => Class::Time { writes: false },
        _ => {
            let all = [TIME, TIME_ONLY, READS, WRITES, MATRIX, CONTROL, NOT_BUILT, CALC];
            Class::Unknown(similar(opcode, all.into_iter().flatten().copied()))
        }
    }
}

/// The first space named decides: it is the destination's. Without one the address is generic and taken for global.
fn access(opcode: &str, modifiers: &[&str]) -> Class {
    let waits = |m: &&str| matches!(*m, ".commit_group" | ".wait_group" | ".wait_all");
    if opcode == "cp" && modifiers.iter().any(waits) {
        return Class::Time { writes: false };
    }
    let write = WRITES.contains(&opcode);
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
