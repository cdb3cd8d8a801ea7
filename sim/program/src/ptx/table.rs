// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All opcodes: how a run treats each, and which of its forms are evaluated. `docs/guide/opcodes.md` is printed from this table.

use super::table_computed::COMPUTED;
use super::table_row::{Kind, Opcode};

const fn plain(kind: Kind, name: &'static str, what: &'static str) -> Opcode {
    Opcode { name, kind, what, forms: &[] }
}

const fn timed(name: &'static str, what: &'static str) -> Opcode {
    plain(Kind::Timed { writes: true }, name, what)
}

/// A row of an opcode without a destination.
const fn only_timed(name: &'static str, what: &'static str) -> Opcode {
    plain(Kind::Timed { writes: false }, name, what)
}

const OTHERS: &[Opcode] = &[
    plain(Kind::Barrier, "bar", "CTA barrier; `bar.warp.sync`"),
    plain(Kind::Barrier, "barrier", "CTA barrier; `barrier.cluster`, of all CTAs of a cluster"),
    plain(
        Kind::Barrier,
        "mbarrier",
        "barrier in shared memory, in layout v0: `.init`, `.inval`, `.arrive`, `.arrive_drop`, `.expect_tx`, `.complete_tx`, `.test_wait`, `.try_wait`, `.pending_count`",
    ),
    plain(Kind::Barrier, "griddepcontrol", "order of dependent grids"),
    plain(Kind::Barrier, "elect", "election of a leader among synchronised lanes"),
    plain(Kind::Barrier, "setmaxnreg", "number of registers: `.inc` waits until the CTA has as many, if the kernel has `.maxnreg`"),
    plain(Kind::Control, "bra", "branch"),
    plain(Kind::Control, "brx", "branch by a table"),
    plain(Kind::Control, "call", "call of a function, by its name or its address"),
    plain(Kind::Control, "exit", "end of the thread"),
    plain(Kind::Control, "ret", "return"),
    plain(Kind::Control, "trap", "end of the kernel with an error"),
    plain(Kind::Exchange, "activemask", "executing lanes"),
    plain(Kind::Exchange, "match", "lanes with the same value"),
    plain(Kind::Exchange, "mma", "matrix product of a warp: `m16n8k8`, `m16n8k16` of 16-bit numbers, `m16n8k4`, `m16n8k8` of tf32, `m16n8k16`, `m16n8k32` of 8-bit integers and floats, `m8n8k16` of 8-bit integers, `m8n8k4` of f64"),
    plain(Kind::Exchange, "movmatrix", "transposition of a matrix"),
    plain(Kind::Exchange, "redux", "reduction over lanes: of integers, and `.min`, `.max` of f32"),
    plain(Kind::Exchange, "shfl", "value of another lane"),
    plain(Kind::Exchange, "vote", "vote of lanes"),
    plain(Kind::Order, "fence", "the warp waits in the unit until its accesses are performed"),
    plain(Kind::Order, "membar", "same as `fence`"),
    plain(Kind::Read, "alloca", "memory on the stack"),
    plain(Kind::Read, "cvta", "conversion of an address"),
    plain(Kind::Read, "getctarank", "rank in the cluster of the CTA of a shared address"),
    plain(Kind::Read, "isspacep", "space of an address"),
    plain(Kind::Read, "ld", "load of all widths and vectors"),
    plain(Kind::Read, "ldmatrix", "load of matrices, `.m8n8` of 16-bit elements"),
    plain(Kind::Read, "ldu", "load of a value that is uniform in the warp"),
    plain(Kind::Read, "mapa", "shared address in the CTA of a rank of the cluster"),
    plain(Kind::Read, "stackrestore", "frees memory on the stack"),
    plain(Kind::Read, "stacksave", "pointer of the stack"),
    plain(Kind::Read, "suld", "load from a surface: the result is unknown"),
    plain(Kind::Read, "tex", "texel, or interpolated from several: `tex.{1d,2d,3d}.v4.{f32,s32,u32}.{f32,s32}` with a handle in a register; any other form has an unknown result"),
    plain(Kind::Read, "tld4", "four texels of a texture: the result is unknown"),
    plain(Kind::Read, "txq", "query of a texture: `.width`, `.height`, `.depth`; any other has an unknown result"),
    plain(Kind::Write, "atom", "atomic operation with a result"),
    plain(Kind::Write, "cp", "asynchronous copy: `cp.async`; `cp.async.bulk` and `cp.reduce.async.bulk` from shared to global memory with `.bulk_group` and into shared memory with an mbarrier, and the same of `.tensor` with `.tile`, `.tile::gather4`, `.tile::scatter4` and (into shared memory) `.im2col`; `cp.async.bulk.prefetch` has no effect"),
    plain(Kind::Write, "multimem", "access of several memories"),
    plain(Kind::Write, "red", "atomic operation without a result; `red.async` in shared memory signals an mbarrier"),
    plain(Kind::Write, "st", "store; `st.async` into shared memory signals an mbarrier"),
    plain(Kind::Write, "stmatrix", "store of matrices, `.m8n8` of 16-bit elements"),
    plain(Kind::Read, "suq", "query of a surface: the result is unknown"),
    plain(Kind::Write, "sured", "atomic operation on a surface: global memory is unknown afterwards"),
    plain(Kind::Write, "sust", "store to a surface: global memory is unknown afterwards"),
    plain(Kind::Write, "tensormap", "change of a tensor map: `tensormap.replace` of one field, `tensormap.cp_fenceproxy` from shared to global memory"),
    plain(Kind::Matrix, "tcgen05", "tensor core with tensor memory, `.cta_group::1`: `.alloc`, `.dealloc`, `.ld`, `.st`, `.cp`, `.wait`, `.fence`, `.commit`; `.mma` of `.kind::f16` and `.kind::tf32`, other kinds are unknown"),
    plain(Kind::Matrix, "wgmma", "product of matrices of a warpgroup: `m64nNk16` of f16 and bf16, `m64nNk8` of tf32, `m64nNk32` of e4m3, e5m2, s8, u8; with `.sp` or of b1 the result is unknown; reads, registers, groups and fences are checked"),
    plain(Kind::Matrix, "wmma", "matrix product of a warp, load and store: `m16n16k16`, `m32n8k16`, `m8n32k16` of 16-bit numbers and bytes, `m16n16k8` of tf32, `m8n8k4` of f64"),
    timed("clusterlaunchcontrol", "clusters that wait for their start"),
    timed("createpolicy", "policy of a cache"),
    timed("istypep", "type of an opaque variable"),
    timed("vabsdiff", "video: absolute difference"),
    timed("vabsdiff2", "video: absolute difference of halves"),
    timed("vabsdiff4", "video: absolute difference of bytes"),
    timed("vadd", "video: sum"),
    timed("vadd2", "video: sum of halves"),
    timed("vadd4", "video: sum of bytes"),
    timed("vavrg2", "video: mean of halves"),
    timed("vavrg4", "video: mean of bytes"),
    timed("vmad", "video: product and sum"),
    timed("vmax", "video: maximum"),
    timed("vmax2", "video: maximum of halves"),
    timed("vmax4", "video: maximum of bytes"),
    timed("vmin", "video: minimum"),
    timed("vmin2", "video: minimum of halves"),
    timed("vmin4", "video: minimum of bytes"),
    timed("vset", "video: comparison"),
    timed("vset2", "video: comparison of halves"),
    timed("vset4", "video: comparison of bytes"),
    timed("vshl", "video: shift to the left"),
    timed("vshr", "video: shift to the right"),
    timed("vsub", "video: difference"),
    timed("vsub2", "video: difference of halves"),
    timed("vsub4", "video: difference of bytes"),
    only_timed("applypriority", "priority in a cache"),
    only_timed("brkpt", "breakpoint"),
    only_timed("discard", "discards cache contents"),
    only_timed("nanosleep", "sleep"),
    only_timed("pmevent", "performance event"),
    only_timed("prefetch", "prefetch; `.tensormap` requires a tensor map"),
    only_timed("prefetchu", "prefetch into the uniform cache"),
];

/// All opcodes.
pub fn opcodes() -> impl Iterator<Item = &'static Opcode> {
    COMPUTED.iter().chain(OTHERS)
}

const HEAD: &str = "# PTX opcodes

This page is generated from the opcode table; `cargo xtask regen` regenerates it. [ptx.md](ptx.md) describes how a kernel becomes a program.

";

const CALCULATED: &str = "## Calculated

Lane by lane where the sources are known; any other form takes one cycle and leaves an unknown result. `{a,b}` is one of them, `{,a}` is an optional `a`.

| opcode | what it is | forms |
|---|---|---|
";

const FOOT: &str = "
A quotient or remainder by the integer 0 is unknown. A NaN result is `0x7fff`, `0x7fffffff` or `0xfff8000000000000`. The forms with `.approx` and `.full` are correctly rounded, or nearly so, which is within
the error that PTX states; hardware may differ in the last bits. `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64` read the upper 32 bits of the source and round to the upper 32 bits of the result, the lower
ones are 0, and a NaN is `0x7fffffff00000000`.
";

/// The whole of `docs/guide/opcodes.md`.
pub fn markdown() -> String {
    let mut out = format!("{HEAD}{CALCULATED}");
    for Opcode { name, what, forms, .. } in opcodes().filter(|o| o.kind == Kind::Computed) {
        let forms: Vec<String> = forms.iter().map(|form| format!("`{form}`")).collect();
        out += &format!("| `{name}` | {what} | {} |\n", forms.join(", "));
    }
    out += FOOT;
    for (title, kinds) in [
        ("Barriers and order", &[Kind::Barrier, Kind::Order][..]),
        ("Lanes of a warp", &[Kind::Exchange]),
        ("Control", &[Kind::Control]),
        ("Memory", &[Kind::Read, Kind::Write, Kind::Matrix]),
        ("Timed: one cycle, the result is unknown", &[Kind::Timed { writes: true }, Kind::Timed { writes: false }]),
        ("Known, not supported yet: refused by name", &[Kind::NotBuilt]),
    ] {
        out += &format!("\n## {title}\n\n| opcode | what it is |\n|---|---|\n");
        for opcode in opcodes().filter(|o| kinds.contains(&o.kind)) {
            out += &format!("| `{}` | {} |\n", opcode.name, opcode.what);
        }
    }
    out
}

/// All forms that a form with braces abbreviates.
#[cfg(test)]
pub(super) fn expanded(form: &str) -> Vec<String> {
    let Some((before, rest)) = form.split_once('{') else { return vec![form.to_string()] };
    let (choices, after) = rest.split_once('}').unwrap();
    let all = choices.split(',').flat_map(|choice| expanded(after).into_iter().map(move |tail| format!("{choice}{tail}")));
    all.map(|tail| format!("{before}{tail}")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::opcode::classify;
    use super::*;
    use crate::arith::lane_result;
    use crate::ptx::class::Class;
    use std::collections::HashSet;

    #[test]
    fn every_form_that_the_table_names_is_calculated() {
        assert_eq!(expanded("a{,.b}{.c,.d}"), ["a.c", "a.d", "a.b.c", "a.b.d"]);
        for opcode in COMPUTED {
            assert!(!opcode.forms.is_empty(), "{}", opcode.name);
            for form in opcode.forms.iter().flat_map(|form| expanded(form)) {
                let mut parts = form.split('.');
                assert_eq!(parts.next(), Some(opcode.name), "{form}");
                let modifiers: Vec<String> = parts.map(|part| format!(".{part}")).collect();
                let class = classify(opcode.name, &modifiers.iter().map(String::as_str).collect::<Vec<_>>());
                assert!(matches!(class, Class::Calc(_)), "{form} is {class:?}");
            }
        }
    }

    /// Only a division by 0, and `fns` with an undefined base, have no result.
    #[test]
    fn every_form_has_a_result_for_any_sources() {
        let mut random = fastrand::Rng::with_seed(1);
        for form in COMPUTED.iter().flat_map(|opcode| opcode.forms).flat_map(|form| expanded(form)) {
            let (opcode, modifiers) = form.split_once('.').unwrap();
            let modifiers: Vec<String> = modifiers.split('.').map(|part| format!(".{part}")).collect();
            let Class::Calc(calc) = classify(opcode, &modifiers.iter().map(String::as_str).collect::<Vec<_>>()) else {
                panic!("{form} is not calculated")
            };
            for _ in 0..20 {
                let sources = [0; 4].map(|_| match random.u32(0..4) {
                    0 => random.u64(..),
                    1 => (random.u64(0..4) << 63).wrapping_sub(random.u64(0..2)),
                    2 => u64::MAX << random.u32(0..64),
                    _ => random.u64(0..70),
                });
                let (first, _) = lane_result(calc, sources.map(Some));
                let may = matches!(opcode, "div" | "rem" | "fns");
                assert!(first.is_some() || may, "{form} of {sources:#x?}");
            }
        }
    }

    #[test]
    fn every_opcode_stands_once() {
        let names: Vec<&str> = opcodes().map(|o| o.name).collect();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    }
}
