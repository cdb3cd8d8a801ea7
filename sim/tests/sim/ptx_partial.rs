// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values of which some bits are unknown, in registers and in memory; and the list of the forms whose effects are not calculated.

use super::ptx_tensor::launched_with;
use super::runs::ptx;
use bcu_machine::Machine;
use bcu_program::ptx;

/// The words of global memory that are known after a run of one warp, of which lane 0 stores.
fn known(text: &str) -> Vec<(u32, u32)> {
    ptx(&format!("// bcu: threads 32\n{text}")).global()
}

#[test]
fn bits_of_unwritten_bytes_are_masked_away() {
    let text = "
    st.shared.u8 [0], 0x12;
    st.shared.u8 [2], 0x34;
    ld.shared.u32 a, [0];
    st.global.u32 [0], a;
    and.b32 b, a, 0xff;
    st.global.u32 [4], b;
    shr.u32 c, a, 16;
    and.b32 c, c, 0xff;
    st.global.u32 [8], c;
    or.b32 d, a, 0xff00ff00;
    st.global.u32 [12], d;
    ld.shared.s16 e, [2];
    bfe.s32 e, e, 0, 6;
    st.global.s32 [16], e;
    ld.shared.u8 f, [1];
    st.global.u32 [20], f;
";
    assert_eq!(known(text), [(4, 0x12), (8, 0x34), (12, 0xff34_ff12), (16, 0xffff_fff4)]);
}

#[test]
fn a_store_keeps_the_bytes_whose_bits_are_known() {
    let text = "
    ld.shared.u32 a, [0];
    and.b32 a, a, 0xfff00;
    or.b32 a, a, 0xf000000;
    st.global.u32 [0], a;
    st.global.u8 [1], 7;
    st.global.u8 [2], 8;
    ld.global.u32 b, [0];
    st.global.u32 [4], b;
    st.shared.u32 [8], a;
    ld.shared.u8 c, [11];
    st.global.u32 [8], c;
";
    assert_eq!(known(text), [(0, 0x0f08_0700), (4, 0x0f08_0700), (8, 0x0f)]);
}

#[test]
fn known_bits_decide_a_branch_and_a_barrier() {
    let text = "
    ld.shared.u32 a, [0];
    or.b32 a, a, 64;
    setp.eq.u32 p, a, 3;
    @p bra NEVER;
    and.b32 id, a, 64;
    shr.u32 id, id, 5;
    bar.sync id, 32;
    st.global.u32 [0], 1;
NEVER:
    exit;
";
    let run = ptx(&format!("// bcu: threads 32\n{text}"));
    assert_eq!((run.global(), run.instructions.len()), (vec![(0, 1)], 1));
}

#[test]
fn a_register_that_becomes_known_or_is_written_anew_has_no_old_bits() {
    let text = "
    ld.shared.u32 a, [0];
    and.b32 b, a, 0xff;
    mov.u32 b, 5;
    st.global.u32 [0], b;
    and.b32 b, a, 0xff;
    ld.shared.u32 b, [4];
    and.b32 b, b, 0x1ff;
    shr.u32 b, b, 8;
    st.global.u32 [4], b;
    ld.shared.u32 b, [4];
    and.b32 b, b, 0x100;
    and.b32 b, b, 0xff;
    st.global.u32 [8], b;
";
    assert_eq!(known(text), [(0, 5), (8, 0)]);
}

/// Instructions with known sources; the results of the first ones are calculated, those of the others are not.
const CALCULATED: [&str; 6] = [
    "mov.u32 d, %smid;",
    "rcp.approx.ftz.f64 w, 0d4010000000000000;",
    "cvt.rna.tf32.f32 d, 0f3f801000;",
    "@q mov.u32 d, 3;",
    "tanh.approx.f16x2 d, 0;",
    "prmt.b32.f4e d, 1, 2, 3;",
];
const NOT_CALCULATED: [&str; 8] = [
    "mov.u32 d, %envreg3;",
    "vadd.u32.u32.u32 d, 1, 2;",
    "tld4.r.2d.v4.u32.f32 {d, e, f, g}, [1, {0f00000000, 0f00000000}];",
    "@q tex.cube.v4.u32.f32 {d, e, f, g}, [1, {0f00000000, 0f00000000, 0f00000000, 0f00000000}];",
    "suld.b.3d.b32.trap d, [1, {0, 0, 0, 0}];",
    "txq.num_samples.b32 d, [1];",
    "redux.sync.add.f32 d, 0f00000000, -1;",
    "add.f32.f16 d, 1, 2;",
];

#[test]
fn a_form_is_named_exactly_if_its_result_is_unknown() {
    let all = CALCULATED.iter().map(|text| (text, true)).chain(NOT_CALCULATED.iter().map(|text| (text, false)));
    for (text, is_calculated) in all {
        let wide = if text.contains(" w,") { "cvt.u32.u64 d, w;" } else { "" };
        let code = format!("setp.eq.u32 q, 1, 1;\n{text}\n{wide}st.global.u32 [0], d;");
        let kernels = ptx::kernels(&ptx::parse(&code).unwrap());
        let named: Vec<&str> = kernels[0].unknown_results.iter().map(|one| one.opcode.as_str()).collect();
        assert_eq!(named.is_empty(), is_calculated, "{text}: {named:?}");
        assert_eq!(known(&code).is_empty(), !is_calculated, "{text}");
        let opcode = text.trim_start_matches("@q ").split(' ').next().unwrap();
        assert!(named.iter().all(|named| named.starts_with(opcode)), "{text}: {named:?}");
    }
    let special = ptx::kernels(&ptx::parse("mov.u32 a, %envreg3;").unwrap());
    assert_eq!(special[0].unknown_results[0].opcode, "mov.u32 of %envreg3");
}

/// The first word of the buffer after a run of one thread, if it is known. The branch over `store` depends on unwritten memory.
fn after_branch(before: &str, store: &str, load: &str) -> Option<u64> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_out)\n.reqntid 1\n{{\n.shared .align 8 .b8 sm[8];\n\
         .local .align 4 .b8 lm[4];\n.reg .pred %p;\n.reg .b32 %a, %b;\n.reg .b64 %w, %g, %o;\nld.param.u64 %o, [k_out];\n{before}\n\
         ld.shared.u32 %a, [sm+4];\nsetp.gt.u32 %p, %a, 10;\n@%p bra OVER;\n{store}\nOVER:\n{load}\nst.global.u32 [%o], %b;\nret;\n}}\n"
    );
    let launch = "[buffers.out]\ntype = \"u32\"\nshape = [1]\n[[launch]]\nargs = [\"out\"]\n";
    let run = launched_with(launch, &text, Machine::default()).unwrap().unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    run.after[0].get(0).map(|bytes| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)))
}

/// A store on a path that may not have been taken, or to an address that may be that of another memory, leaves no known value that could be
/// wrong.
#[test]
fn stores_that_may_happen_leave_no_known_value() {
    let local = "mov.u64 %g, lm;\ncvta.local.u64 %g, %g;\nst.local.u32 [lm], 7;";
    let shared = "mov.u64 %g, sm;\ncvta.shared.u64 %g, %g;\nst.shared.u32 [sm], 7;";
    for (before, store, load) in [
        (local, "st.local.u32 [lm], 9;", "ld.local.u32 %b, [lm];"),
        (local, "st.u32 [%g], 9;", "ld.local.u32 %b, [lm];"),
        (shared, "st.shared.u32 [sm], 9;", "ld.shared.u32 %b, [sm];"),
        (shared, "st.u32 [%g], 9;", "ld.shared.u32 %b, [sm];"),
        (shared, "atom.add.u32 %b, [%g], 2;", "ld.shared.u32 %b, [sm];"),
    ] {
        assert_eq!(after_branch(before, store, load), None, "{store}");
        assert_eq!(after_branch(before, "mov.u32 %a, 9;", load), Some(7), "{load}");
    }
    let address = "ld.shared.u32 %a, [sm+4];\nand.b32 %a, %a, 4;\ncvt.u64.u32 %w, %a;\nadd.u64 %g, %g, %w;\nst.u32 [%g], 9;";
    assert_eq!(after_branch(&format!("{shared}\n{address}"), "", "ld.shared.u32 %b, [sm];"), None);
}

/// A store to a surface leaves all memory of its space unknown, so it is named too.
#[test]
fn stores_that_are_not_calculated_are_named() {
    let kernels = ptx::kernels(&ptx::parse("sust.p.2d.b32.trap [s, {a, b}], {c};\nprefetch.global.L2 [a];").unwrap());
    let named: Vec<&str> = kernels[0].unknown_results.iter().map(|one| one.opcode.as_str()).collect();
    assert_eq!(named, ["sust.p.2d.b32.trap"]);
}
