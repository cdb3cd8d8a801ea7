// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whole fragments whose control or memory depends on arithmetic: what is calculated is seen in the steps.

use bcu_sim::program::ptx::{lower, parse, Launch, Lowered};
use bcu_sim::program::{Action, Data, Source};

fn run(text: &str) -> Lowered {
    let text = format!("// bcu: threads 32\n{text}");
    lower(&parse(&text).unwrap(), &Launch::new(32)).unwrap()
}

/// What each store of the warp stores, where that is known.
fn stored(text: &str) -> Vec<Option<Source>> {
    let store = |action: &Action| match action {
        Action::Access { cell: Some(cell), .. } => match &cell.data {
            Data::Store(value) => Some(value.clone()),
            Data::Load(_) => None,
        },
        _ => None,
    };
    run(text).warps[0].steps.iter().filter_map(|step| store(&step.action)).collect()
}

fn numbers(text: &str) -> Vec<Option<u32>> {
    let number = |source: Option<Source>| match source {
        Some(Source::Number(number)) => Some(number),
        None => None,
        Some(other) => panic!("{other:?}"),
    };
    stored(text).into_iter().map(number).collect()
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
    let barriers = run(text).warps[0].steps.iter().filter(|s| matches!(s.action, Action::Barrier { .. })).count();
    assert_eq!(barriers, 3 + 1);
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
    assert_eq!(numbers(text)[..5], expected);
    // A decimal constant has no bits without a type.
    assert_eq!(numbers(text)[5..], [None]);
}

#[test]
fn every_lane_has_its_carry() {
    let text = "
    mov.u32 t, %tid.x;
    add.cc.u32 low, t, 0xfffffff0;
    addc.u32 high, 0, 0;
    st.shared.u32 [0], high;
";
    let expected = (0..32).map(|lane| u32::from(lane >= 16)).collect();
    assert_eq!(stored(text), [Some(Source::Lanes(expected))]);
    // Lanes whose guard is false keep theirs.
    let guarded = text.replace("    addc", "    setp.ge.u32 p, t, 24;\n    @p sub.cc.u32 low, t, 0;\n    addc");
    let expected = (0..32).map(|lane| u32::from((16..24).contains(&lane))).collect();
    assert_eq!(stored(&guarded), [Some(Source::Lanes(expected))]);
}

#[test]
fn a_carry_of_nowhere_is_told_with_its_line() {
    let text = "// bcu: threads 32\nld.global.u32 x, [a];\nadd.cc.u32 y, x, 1;\naddc.u32 n, 0, 1;\nbar.sync n;\n";
    let errors = lower(&parse(text).unwrap(), &Launch::new(32)).unwrap_err();
    assert_eq!(errors[0].message, "the barrier id in warp 0 is not known before the run");
    assert!(errors[0].help.as_ref().unwrap().contains("`n` depends on line 2"), "{errors:?}");
}

#[test]
fn a_call_does_not_keep_the_carry() {
    let text =
        "add.cc.u32 a, 1, 1;\naddc.u32 b, 0, 7;\ncall f;\naddc.u32 c, 0, 7;\nst.shared.u32 [0], b;\nst.shared.u32 [0], c;";
    assert_eq!(numbers(text), [Some(7), None]);
}

#[test]
fn bit_fields_choose_barriers() {
    let text = "
    mov.u32 t, %laneid;
    lop3.b32 a, 0xf0f0, 0xff00, 0xaaaa, 0x80;
    popc.b32 n, a;
    st.shared.u32 [0], n;
    bfind.u32 m, a;
    st.shared.u32 [0], m;
    prmt.b32 w, 0x03020100, 0x07060504, 0x7531;
    st.shared.u32 [0], w;
    shf.l.wrap.b32 s, 0x80000000, 1, 4;
    st.shared.u32 [0], s;
    dp4a.u32.u32 d, 0x01010101, w, 100;
    st.shared.u32 [0], d;
    bar.sync n, 32;
";
    assert_eq!(numbers(text), [2, 15, 0x0705_0301, 0x18, 116].map(Some));
}

#[test]
fn halves_of_a_register_are_calculated_side_by_side() {
    let text = "
.version 8.0
.target sm_90
.entry k() .reqntid 32
{
    .reg .f16x2 h; .reg .b32 a; .reg .pred p;
    cvt.rn.f16x2.f32 h, 2.0, 3.0;
    fma.rn.f16x2 h, h, h, h;
    mov.b32 a, h;
    st.shared.b32 [16], a;
    ret;
}";
    // 2 * 2 + 2 and 3 * 3 + 3.
    assert_eq!(numbers(text), [Some(0x4600_4a00)]);
}

#[test]
fn a_register_is_split_and_joined() {
    let text = "
    mov.b64 w, {0x11112222, 0x33334444};
    mov.b64 {a, b}, w;
    st.shared.b32 [0], a;
    st.shared.b32 [0], b;
    mov.b64 {_, c}, w;
    st.shared.b32 [0], c;
    mov.b64 {d, _}, w;
    st.shared.b32 [0], d;
    mov.b32 {e, f}, a;
    mov.b32 g, {f, e};
    st.shared.b32 [0], g;
    mov.b32 h, {f, x};
    st.shared.b32 [0], h;
    mov.b32 {a, b, c, d}, a;
    st.shared.b32 [0], d;
";
    let expected = [0x1111_2222, 0x3333_4444, 0x3333_4444, 0x1111_2222, 0x2222_1111].map(Some);
    assert_eq!(numbers(text), [&expected[..], &[None, None]].concat());
}

#[test]
fn more_operands_than_an_operation_has_leave_it_unknown() {
    let text = "
    mov.f32 a, 1.0;
    min.f32 b, a, a;
    st.shared.f32 [0], b;
    min.f32 b, a, a, 0.5;
    st.shared.f32 [0], b;
";
    assert_eq!(numbers(text), [Some(0x3f80_0000), None]);
}

#[test]
fn a_quotient_by_zero_is_not_known() {
    let text = "div.u32 a, 1, 0;\nst.shared.u32 [0], a;\nrcp.rn.f32 b, 0f80000000;\nst.shared.f32 [0], b;";
    assert_eq!(numbers(text), [None, Some(f32::NEG_INFINITY.to_bits())]);
}
