// SPDX-License-Identifier: Apache-2.0 OR MIT
//! PTX fragments whose branches or addresses depend on arithmetic: barriers and memory show the calculated values.

use super::runs::{ptx, stopped, Run};

fn run(text: &str) -> Run {
    ptx(&format!("// bcu: threads 32\n{text}"))
}

/// The first words of shared memory; `None` for a word that no thread has stored, or whose value is unknown.
fn stored(text: &str, words: u32) -> Vec<Option<u32>> {
    let run = run(text);
    let shared = run.shared();
    (0..words).map(|word| shared.iter().find(|(at, _)| *at == 4 * word).map(|(_, value)| *value)).collect()
}

#[test]
fn a_loop_counts_in_floating_point() {
    let text = "
    mov.f32 x, 0f3F800000;
LOOP:
    bar.sync 0;
    mul.f32 x, x, 2.0;
    setp.lt.f32 p, x, 0f41000000;
    @p bra LOOP;
    cvt.rzi.u32.f32 n, x;
    bar.sync n, 32;
";
    let taken: Vec<_> = run(text).instructions.iter().map(|taken| (taken.text(), taken.rb)).collect();
    let named = ("BAR.SYNC R1, 0x20".to_string(), 8);
    assert_eq!(taken, [&vec![("BAR.SYNC 0x0, 0x0".to_string(), 0); 3][..], &[named]].concat());
}

#[test]
fn constants_have_the_bits_of_the_type_where_they_stand() {
    let text = "
    mov.f32 a, 1.5;
    st.shared.f32 [0], a;
    mov.b32 b, 0fBF800000;
    st.shared.b32 [4], b;
    add.f64 c, 0d3FF0000000000000, 2.5e-1;
    cvt.rn.f32.f64 c, c;
    st.shared.f32 [8], c;
    st.shared.f32 [12], -1.5;
    fma.rn.f32 d, -1.0, a, 0f00000000;
    st.shared.f32 [16], d;
    mov.b32 e, 1.5;
    st.shared.b32 [20], e;
";
    let expected = [1.5f32, -1.0, 1.25, -1.5, -1.5].map(|v| Some(v.to_bits()));
    // A decimal constant without a type has no bit pattern.
    assert_eq!(stored(text, 6), [&expected[..], &[None]].concat());
}

#[test]
fn every_lane_has_its_carry() {
    let text = "
    mov.u32 t, %tid.x;
    shl.b32 at, t, 2;
    add.cc.u32 low, t, 0xfffffff0;
    addc.u32 high, 0, 0;
    st.shared.u32 [at], high;
";
    let expected: Vec<_> = (0..32).map(|lane| Some(u32::from(lane >= 16))).collect();
    assert_eq!(stored(text, 32), expected);
    // Lanes whose guard is false keep their carry.
    let guarded = text.replace("    addc", "    setp.ge.u32 p, t, 24;\n    @p sub.cc.u32 low, t, 0;\n    addc");
    let expected: Vec<_> = (0..32).map(|lane| Some(u32::from((16..24).contains(&lane)))).collect();
    assert_eq!(stored(&guarded, 32), expected);
}

#[test]
fn a_carry_of_nowhere_is_told_with_its_line() {
    let text = "// bcu: threads 32\nld.global.u32 x, [a];\nadd.cc.u32 y, x, 1;\naddc.u32 n, 0, 1;\nbar.sync n;\n";
    let why = stopped(text).diagnostic;
    assert_eq!(why.message, "the barrier id in warp 0 of CTA 0 is unknown");
    assert!(why.help.as_ref().unwrap().contains("`n` depends on line 2"), "{why:?}");
}

#[test]
fn a_call_does_not_keep_the_carry() {
    let text =
        "add.cc.u32 a, 1, 1;\naddc.u32 b, 0, 7;\ncall f;\naddc.u32 c, 0, 7;\nst.shared.u32 [0], b;\nst.shared.u32 [4], c;";
    assert_eq!(stored(text, 2), [Some(7), None]);
    assert_eq!(stored(&format!(".func f() {{ ret; }}\n{text}"), 2), [Some(7), None]);
}

#[test]
fn bit_fields_choose_barriers() {
    let text = "
    mov.u32 t, %laneid;
    lop3.b32 a, 0xf0f0, 0xff00, 0xaaaa, 0x80;
    popc.b32 n, a;
    st.shared.u32 [0], n;
    bfind.u32 m, a;
    st.shared.u32 [4], m;
    prmt.b32 w, 0x03020100, 0x07060504, 0x7531;
    st.shared.u32 [8], w;
    shf.l.wrap.b32 s, 0x80000000, 1, 4;
    st.shared.u32 [12], s;
    dp4a.u32.u32 d, 0x01010101, w, 100;
    st.shared.u32 [16], d;
    bar.sync n, 32;
";
    assert_eq!(stored(text, 5), [2, 15, 0x0705_0301, 0x18, 116].map(Some));
}

#[test]
fn halves_of_a_register_are_calculated_side_by_side() {
    let text = "
.version 8.0
.target sm_90
.entry k() .reqntid 32
{
    .shared .align 4 .b8 word[4];
    .reg .f16x2 h; .reg .b32 a; .reg .pred p;
    cvt.rn.f16x2.f32 h, 2.0, 3.0;
    fma.rn.f16x2 h, h, h, h;
    mov.b32 a, h;
    st.shared.b32 [0], a;
    ret;
}";
    // 2 * 2 + 2 and 3 * 3 + 3.
    assert_eq!(stored(text, 1), [Some(0x4600_4a00)]);
}

#[test]
fn a_register_is_split_and_joined() {
    let text = "
    mov.b64 w, {0x11112222, 0x33334444};
    mov.b64 {a, b}, w;
    st.shared.b32 [0], a;
    st.shared.b32 [4], b;
    mov.b64 {_, c}, w;
    st.shared.b32 [8], c;
    mov.b64 {d, _}, w;
    st.shared.b32 [12], d;
    mov.b32 {e, f}, a;
    mov.b32 g, {f, e};
    st.shared.b32 [16], g;
    mov.b32 h, {f, x};
    st.shared.b32 [20], h;
    mov.b32 {a, b, c, d}, a;
    st.shared.b32 [24], d;
";
    let expected = [0x1111_2222, 0x3333_4444, 0x3333_4444, 0x1111_2222, 0x2222_1111].map(Some);
    // A packed value with an unknown half is unknown as a whole; four bytes may be unpacked into their source register.
    assert_eq!(stored(text, 7), [&expected[..], &[None, Some(0x11)]].concat());
}

#[test]
fn more_operands_than_an_operation_has_leave_it_unknown() {
    let text = "
    mov.f32 a, 1.0;
    min.f32 b, a, a;
    st.shared.f32 [0], b;
    add.f32 b, a, a, 0.5;
    st.shared.f32 [4], b;
";
    assert_eq!(stored(text, 2), [Some(0x3f80_0000), None]);
}

#[test]
fn a_quotient_by_zero_is_not_known() {
    let text = "div.u32 a, 1, 0;\nst.shared.u32 [0], a;\nrcp.rn.f32 b, 0f80000000;\nst.shared.f32 [4], b;";
    assert_eq!(stored(text, 2), [None, Some(f32::NEG_INFINITY.to_bits())]);
}
