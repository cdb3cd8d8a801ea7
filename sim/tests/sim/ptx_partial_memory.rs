// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Known bits of partly known bytes: through stores, loads, copies, calls, shuffles and atomic operations. Each test has a twin that reads an
//! unknown bit as well.

use super::runs::ptx;

/// The words of global memory that are known after a run of one warp, of which all lanes execute the text.
fn known(text: &str) -> Vec<(u32, u32)> {
    ptx(&format!("// bcu: threads 32\n.shared .align 16 .b32 s[64];\n{text}")).global()
}

/// Sets bits 0 to 4 of the word at shared address 0 to 21 and bits 5 to 11 to 99, as a structure of bit fields does.
const FIELDS: &str = "ld.shared.u32 a, [0];\nbfi.b32 a, 21, a, 0, 5;\nst.shared.u32 [0], a;\nld.shared.u32 b, [0];\n\
                      bfi.b32 b, 99, b, 5, 7;\nst.shared.u32 [0], b;\n";

#[test]
fn bit_fields_are_known_through_shared_memory() {
    let read = |position: u32, bits: u32| {
        format!("{FIELDS}ld.shared.u32 c, [0];\nbfe.u32 d, c, {position}, {bits};\nst.global.u32 [4], d;")
    };
    assert_eq!(known(&read(0, 5)), [(4, 21)]);
    assert_eq!(known(&read(5, 7)), [(4, 99)]);
    assert_eq!(known(&read(2, 10)), [(4, 99 << 3 | 21 >> 2)]);
    assert_eq!(known(&read(5, 8)), [], "bit 12 was never written");
    // Parts of the word, and wider words.
    let bytes = format!("{FIELDS}ld.shared.u8 c, [1];\nand.b32 c, c, 15;\nld.shared.u16 d, [0];\nand.b32 d, d, 0xfff;\n\
        st.global.u32 [4], c;\nst.global.u32 [8], d;\nld.shared.v2.u32 {{e, f}}, [0];\nand.b32 e, e, 31;\nst.global.u32 [12], e;");
    assert_eq!(known(&bytes), [(4, (99 << 5 | 21) >> 8), (8, 99 << 5 | 21), (12, 21)]);
}

#[test]
fn a_store_of_the_word_replaces_all_bits() {
    let stored = format!("{FIELDS}st.shared.u32 [0], 7;\nld.shared.u32 c, [0];\nst.global.u32 [4], c;");
    assert_eq!(known(&stored), [(4, 7)]);
    let unknown = format!(
        "{FIELDS}ld.shared.u32 u, [128];\nst.shared.u8 [0], u;\nld.shared.u32 c, [0];\nand.b32 d, c, 31;\n\
        st.global.u32 [4], d;\nbfe.u32 e, c, 8, 4;\nst.global.u32 [8], e;"
    );
    assert_eq!(known(&unknown), [(8, (99 << 5 | 21) >> 8)], "only the second byte keeps its known bits");
}

#[test]
fn shuffles_give_the_known_bits_of_a_value() {
    let text = |mask: u32| {
        format!(
            "ld.shared.u32 a, [0];\nmov.u32 l, %laneid;\nbfi.b32 a, l, a, 4, 8;\nshfl.sync.bfly.b32 b, a, 1, 31, -1;\n\
         and.b32 b, b, {mask};\nsetp.eq.u32 p, l, 2;\n@p st.global.u32 [4], b;"
        )
    };
    assert_eq!(known(&text(0xff0)), [(4, 3 << 4)]);
    assert_eq!(known(&text(0x1ff0)), []);
}

#[test]
fn atomic_operations_keep_the_known_bits() {
    // The low byte is known.
    let text = |op: &str, mask: u32| {
        format!(
        "st.shared.u8 [0], 0x0c;\nmov.u32 l, %laneid;\nsetp.eq.u32 p, l, 0;\n@p {op};\nbar.warp.sync -1;\nld.shared.u32 b, [0];\n\
         and.b32 b, b, {mask};\nst.global.u32 [4], b;"
    )
    };
    for (op, mask, value) in [
        ("red.shared.or.b32 [0], 0x103", 0x1ff, Some(0x10f)),
        ("red.shared.or.b32 [0], 0x103", 0x3ff, None),
        ("red.shared.and.b32 [0], 0xf00000f4", 0x0fff_ffff, Some(4)),
        ("red.shared.and.b32 [0], 0xf00000f4", 0x1fff_ffff, None),
        ("red.shared.xor.b32 [0], 0x10f", 0xff, Some(3)),
        ("red.shared.add.u32 [0], 0x105", 0xff, Some(0x11)),
        ("atom.shared.exch.b32 old, [0], 9", 0xffff_ffff, Some(9)),
        ("atom.shared.cas.b32 old, [0], 1, 9", 0xff, Some(0x0c)),
        // Whether the upper bytes are equal is unknown, so the low byte is that of one of two values.
        ("atom.shared.cas.b32 old, [0], 12, 0x0d", 0xfe, Some(0x0c)),
        ("atom.shared.cas.b32 old, [0], 12, 0x0d", 0xff, None),
    ] {
        assert_eq!(known(&text(op, mask)), value.map(|value| (4, value)).into_iter().collect::<Vec<_>>(), "{op} {mask:#x}");
    }
    // The result has the known bits of the previous value.
    let old = "st.shared.u8 [0], 0x0c;\nmov.u32 l, %laneid;\nsetp.eq.u32 p, l, 0;\n@p atom.shared.add.u32 old, [0], 1;\n\
               @p and.b32 old, old, 0xff;\n@p st.global.u32 [4], old;";
    assert_eq!(known(old), [(4, 0x0c)]);
}

#[test]
fn copies_and_matrices_take_the_known_bits_along() {
    let copy = ".reg .b64 %g;\n.global .align 16 .b32 source[4];\nld.shared.u32 u, [128];\nbfi.b32 a, 5, u, 0, 3;\n\
                bfi.b32 a, 6, a, 8, 3;\nmov.u64 %g, 64;\nst.global.u32 [%g], a;\nbar.warp.sync -1;\nfence.acq_rel.cta;\n\
                cp.async.ca.shared.global [0], [%g], 4;\ncp.async.wait_all;\nbar.warp.sync -1;\nld.shared.u32 b, [0];\n";
    assert_eq!(known(&format!("{copy}and.b32 b, b, 0x707;\nst.global.u32 [4], b;")), [(4, 0x605)]);
    assert_eq!(known(&format!("{copy}and.b32 b, b, 0xf07;\nst.global.u32 [4], b;")), []);
    let matrix =
        "mov.u32 l, %laneid;\nld.shared.u32 u, [192];\nbfi.b32 a, 5, u, 0, 3;\nbfi.b32 a, 6, a, 16, 3;\nshl.b32 at, l, 2;\n\
                  st.shared.u32 [at], a;\nbar.warp.sync -1;\nand.b32 row, l, 7;\nshl.b32 row, row, 4;\n\
                  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {b}, [row];\nand.b32 b, b, 0x70007;\nst.global.u32 [4], b;";
    assert_eq!(known(matrix), [(4, 0x6_0005)]);
}

#[test]
fn arguments_of_calls_have_their_known_bits() {
    let text = ".func (.param .b32 r) low(.param .b32 v)\n{\n.reg .b32 %a;\nld.param.b32 %a, [v];\nand.b32 %a, %a, 12;\n\
                st.param.b32 [r], %a;\nret;\n}\n.entry k()\n.reqntid 32\n{\n.reg .b32 %u, %x;\n.shared .b32 s;\n\
                .global .b32 out;\n.param .b32 v;\n.param .b32 r;\nld.shared.u32 %u, [s];\nbfi.b32 %u, 3, %u, 2, 2;\n\
                st.param.b32 [v], %u;\ncall.uni (r), low, (v);\nld.param.b32 %x, [r];\nst.shared.u32 [s], %x;\nret;\n}\n";
    assert_eq!(ptx(text).shared(), [(0, 12)]);
    assert_eq!(ptx(&text.replace("%a, %a, 12", "%a, %a, 28")).shared(), []);
}
