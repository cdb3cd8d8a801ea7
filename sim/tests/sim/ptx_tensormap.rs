// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tensor maps that a kernel changes: `tensormap.replace`, `tensormap.cp_fenceproxy`, and the fences of tensor maps.

use crate::ptx_tensor::{done, kernel, launched, launched_with};
use bcu_machine::report::RaceKind;
use bcu_machine::{Machine, RunError};
use bcu_program::ptx::parse;

/// A launch with the map of an unrelated tensor by a pointer, `%rd1`, and 64 words that are 7, at `%rd2`.
const LAUNCH: &str = "[buffers.other]\ntype = \"f16\"\nshape = [64]\n[buffers.words]\ntype = \"u32\"\nshape = [64]\nfill = 7\n\
                      [[launch]]\nshared = 1024\nargs = [{ tensor = { buffer = \"other\", box = [8] } }, \"words\"]\n";

/// The fields of a map of 8 x 4 words at `%rd2` with boxes of 4 x 2, in the space `space` at the address `at`.
fn fields(space: &str, at: &str) -> Vec<String> {
    let replace = |field: &str, ty: &str, operands: &str| {
        format!("tensormap.replace.tile.{field}{space}.b1024.{ty} [{at}], {operands};\n")
    };
    vec![
        replace("global_address", "b64", "%rd2"),
        replace("rank", "b32", "1"),
        "mov.u32 %r31, 4;\n".to_string() + &replace("box_dim", "b32", "0, %r31"),
        replace("box_dim", "b32", "1, 2"),
        "mov.u32 %r32, 8;\n".to_string() + &replace("global_dim", "b32", "0, %r32"),
        replace("global_dim", "b32", "1, 4"),
        "mov.u64 %rd31, 32;\n".to_string() + &replace("global_stride", "b64", "0, %rd31"),
        replace("element_stride", "b32", "0, 1"),
        replace("element_stride", "b32", "1, 1"),
        replace("elemtype", "b32", "2"),
        replace("interleave_layout", "b32", "0"),
        replace("swizzle_mode", "b32", "0"),
        replace("fill_mode", "b32", "0"),
    ]
}

/// Zeros the 128 bytes of a map.
fn zeros(space: &str, at: &str) -> String {
    (0..8).map(|i| format!("st.{space}.v4.u32 [{at}+{}], {{0, 0, 0, 0}};\n", 16 * i)).collect()
}

const PUBLISH: &str =
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r30], 128;\n";
const RELEASE: &str = "fence.proxy.tensormap::generic.release.gpu;\n";
const ACQUIRE: &str = "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;\n";
/// Stores 100 to 107 as a box at the coordinates 2, 3: the second row is outside of the tensor.
const COPY: &str = "st.shared.v4.u32 [%r1], {100, 101, 102, 103};\nst.shared.v4.u32 [%r1+16], {104, 105, 106, 107};\n\
                    fence.proxy.async.shared::cta;\ncp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {2, 3}], [%r1];\n\
                    cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n";

/// A map of zeros in shared memory, with all fields but those of `left_out` replaced, and published.
fn made(left_out: &[usize]) -> String {
    let fields = fields(".shared::cta", "%r30");
    let fields = fields.iter().enumerate().filter(|(i, _)| !left_out.contains(i)).map(|(_, field)| field.as_str());
    format!("add.u32 %r30, %r1, 512;\n{}{}{PUBLISH}", zeros("shared", "%r30"), fields.collect::<String>())
}

#[test]
fn a_map_of_zeros_becomes_one_field_by_field() {
    let in_place = zeros("global", "%rd1") + &fields(".global", "%rd1").concat() + RELEASE;
    let generic = zeros("global", "%rd1") + &fields("", "%rd1").concat() + RELEASE;
    // The modes need not be set.
    for make in [made(&[]), made(&[10, 11, 12]), in_place, generic] {
        let run = done(LAUNCH, &kernel(true, 0, &format!("{make}{ACQUIRE}{COPY}")));
        let words: Vec<u32> =
            run.after[1].bytes.to_vec().chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        let wanted = |i: usize| if (26..30).contains(&i) { 74 + i as u32 } else { 7 };
        assert_eq!(words, (0..64).map(wanted).collect::<Vec<u32>>(), "{make}");
    }
}

#[test]
fn a_field_that_is_not_set_is_named_at_the_copy() {
    for (left_out, name) in [
        (2, "`box_dim[0]` is 0, expected 1 to 256"),
        (5, "`global_dim[1]` is 0"),
        (8, "`element_stride[1]` is 0, expected 1 to 8"),
    ] {
        let text = kernel(true, 0, &format!("{}{ACQUIRE}{COPY}", made(&[left_out])));
        let error = launched(LAUNCH, &text, "").unwrap().map(|_| ()).unwrap_err();
        let RunError::Program { stopped, .. } = error else { panic!("{error:?}") };
        assert!(stopped.is_wrong() && stopped.diagnostic.message.contains(name), "{stopped:?}");
    }
    // A value that is unknown makes the map unknown.
    let text = kernel(true, 0, &format!("{}{ACQUIRE}{COPY}", made(&[])).replace("mov.u32 %r31, 4;", ""));
    let error = launched(LAUNCH, &text, "").unwrap().map(|_| ()).unwrap_err();
    let RunError::Program { stopped, .. } = error else { panic!("{error:?}") };
    assert!(!stopped.is_wrong() && stopped.diagnostic.message.contains("is unknown"), "{stopped:?}");
}

#[test]
pub fn a_changed_map_is_released_and_then_acquired() {
    let races = |body: &str| {
        let machine = Machine { races: true, ..Machine::default() };
        let run = launched_with(LAUNCH, &kernel(true, 0, body), machine).unwrap().unwrap();
        run.reports[0].races.iter().map(|race| race.kind).collect::<Vec<RaceKind>>()
    };
    let made = made(&[]);
    let in_place = zeros("global", "%rd1") + &fields(".global", "%rd1").concat();
    let wait = "fence.acq_rel.gpu;\n";
    for (body, ordered) in [
        (format!("{made}{ACQUIRE}{COPY}"), true),
        (format!("{made}{wait}{COPY}"), false),
        (format!("{ACQUIRE}{made}{wait}{COPY}"), false),
        (format!("{in_place}{RELEASE}{ACQUIRE}{COPY}"), true),
        (format!("{in_place}{ACQUIRE}{COPY}"), false),
        (format!("{in_place}{RELEASE}{wait}{COPY}"), false),
        (format!("{RELEASE}{in_place}{ACQUIRE}{COPY}"), false),
        // A second change needs the fences again.
        (format!("{made}{ACQUIRE}{COPY}{in_place}{wait}{COPY}"), false),
        (format!("{made}{ACQUIRE}{COPY}{in_place}{RELEASE}{ACQUIRE}{COPY}"), true),
    ] {
        let found = races(&body);
        match ordered {
            true => assert_eq!(found, [], "{body}"),
            false => assert!(!found.is_empty() && found.iter().all(|kind| *kind == RaceKind::MapFence), "{found:?} {body}"),
        }
    }
}

#[test]
fn wrong_changes_are_refused() {
    for (line, message, label) in [
        ("tensormap.replace.tile.size.global.b1024.b32 [%rd1], 1;", "without a field", "expected one of .global_address .rank"),
        ("tensormap.replace.tile.rank.global.b1024.b32 [%rd1];", "wrong operands", "expected `[map], value`"),
        ("tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 1;", "wrong operands", "expected `[map], ordinal, value`"),
        ("tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 5, 1;", "an invalid ordinal", "a constant from 0 to 4"),
        ("tensormap.replace.tile.global_stride.global.b1024.b64 [%rd1], 4, %rd2;", "an invalid ordinal", "from 0 to 3"),
        ("tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], %r1, 1;", "an invalid ordinal", "a constant from 0 to 4"),
        ("tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], %r1;", "an invalid value", "a constant from 0 to 255"),
        (
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r1], 64;",
            "an invalid size",
            "expected 128",
        ),
        (
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r1];",
            "wrong operands",
            "expected `[to], [from], 128`",
        ),
    ] {
        let found = parse(&kernel(true, 0, line)).unwrap_err();
        assert!(found[0].message.contains(message) && found[0].label.contains(label), "{line}: {found:?}");
    }
}
