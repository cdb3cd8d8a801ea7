// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Matrices between memory and registers, `ldmatrix` and `stmatrix`, against the fragment tables of the manual.

use crate::runs::{ptx_with, races, stopped};
use bcu_program::ptx::Launch;
use std::collections::BTreeMap;

/// A kernel of one warp with 2 KiB of shared memory; `%r1` is the lane and `%r2` the address of its row. The rows are in permuted order,
/// begin 16 bytes after the start of the memory, and have gaps of 16 bytes.
fn kernel(body: &str) -> String {
    format!(
        ".shared .align 16 .b8 s[2048];\n.visible .entry k()\n.maxntid 32\n{{\n.reg .u32 %r<20>;\n.reg .pred %p;\n\
         mov.u32 %r1, %laneid;\nmul.lo.u32 %r2, %r1, 11;\nand.b32 %r2, %r2, 31;\nshl.b32 %r2, %r2, 5;\nadd.u32 %r2, %r2, 16;\n\
         {body}\nret;\n}}\n"
    )
}

fn row_at(lane: u32) -> u32 {
    lane * 11 % 32 * 32 + 16
}

/// Fills `%r10` to `%r13` of every lane, each with two 16-bit numbers that occur in no other register of the warp.
const NUMBERED: &str = "shl.b32 %r3, %r1, 1;\nadd.u32 %r4, %r3, 1;\nshl.b32 %r4, %r4, 16;\nor.b32 %r10, %r3, %r4;\n\
                        or.b32 %r11, %r10, 0x01000100;\nor.b32 %r12, %r10, 0x02000200;\nor.b32 %r13, %r10, 0x03000300;";

/// The number at a row and column of matrix `m` by the manual's table: lane 4 * row + column / 2 holds it.
fn number(m: u32, row: u32, column: u32) -> u32 {
    (m << 8) + 2 * (4 * row + column / 2) + column % 2
}

/// The words of shared memory, from its halves by address.
fn words(halves: &BTreeMap<u32, u32>) -> Vec<(u32, u32)> {
    let word = |at: &u32| at.is_multiple_of(4).then(|| (*at, halves[at] | halves[&(at + 2)] << 16));
    halves.keys().filter_map(word).collect()
}

#[test]
fn every_half_is_stored_where_the_table_says() {
    for (count, registers) in [(1, "{%r10}"), (2, "{%r10, %r11}"), (4, "{%r10, %r11, %r12, %r13}")] {
        for trans in ["", ".trans"] {
            let store = format!("stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [%r2], {registers};");
            let mut wanted = BTreeMap::new();
            for (m, row, column) in (0..count).flat_map(|m| (0..8).flat_map(move |r| (0..8).map(move |c| (m, r, c)))) {
                let held = if trans.is_empty() { number(m, row, column) } else { number(m, column, row) };
                wanted.insert(row_at(8 * m + row) + 2 * column, held);
            }
            let run = ptx_with(&kernel(&format!("{NUMBERED}\n{store}")), &Launch::new(32));
            assert_eq!(run.shared(), words(&wanted), "{store}");
        }
    }
}

#[test]
fn a_load_gives_back_what_was_stored() {
    for trans in ["", ".trans"] {
        let body = format!(
            "{NUMBERED}\nstmatrix.sync.aligned.m8n8.x4{trans}.shared::cta.b16 [%r2+0], {{%r10, %r11, %r12, %r13}};\n\
             bar.warp.sync -1;\nldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {{%r14, %r15, %r16, %r17}}, [%r2];\n\
             bar.warp.sync -1;\nshl.b32 %r5, %r1, 4;\nst.shared.v4.u32 [%r5+1024], {{%r14, %r15, %r16, %r17}};"
        );
        let run = ptx_with(&kernel(&body), &Launch::new(32));
        let stored = run.shared();
        for lane in 0..32u32 {
            for m in 0..4 {
                let wanted = 2 * lane + ((2 * lane + 1) << 16) + m * 0x0100_0100;
                let at = 1024 + 16 * lane + 4 * m;
                assert!(stored.contains(&(at, wanted)), "lane {lane}, register {m}: {stored:x?}");
            }
        }
    }
}

#[test]
fn addresses_of_lanes_without_a_row_are_not_used() {
    let far = "setp.ge.u32 %p, %r1, 8;\n@%p mov.u32 %r2, 0x7ffffff1;";
    for access in
        ["stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r10};", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r2];"]
    {
        ptx_with(&kernel(&format!("{NUMBERED}\n{far}\n{access}")), &Launch::new(32));
    }
    let two = "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r2], {%r10, %r11};";
    let found = stopped(&kernel(&format!("{NUMBERED}\n{far}\n{two}")));
    assert!(found.is_wrong() && found.diagnostic.message.contains("lane 8"), "{found:?}");
}

#[test]
fn a_row_lies_in_shared_memory_at_a_multiple_of_its_size() {
    let store = "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r10};";
    for (before, message) in [
        ("add.u32 %r2, %r2, 8;", "is not a multiple of 16"),
        ("add.u32 %r2, %r2, 2048;", "outside of the 2048 bytes of shared memory"),
    ] {
        let found = stopped(&kernel(&format!("{before}\n{store}")));
        assert!(found.is_wrong() && found.diagnostic.message.contains(message), "{before} {found:?}");
    }
    let generic = ".global .align 16 .b8 g[1024];\n".to_string()
        + &kernel("stmatrix.sync.aligned.m8n8.x1.b16 [%rd1], {%r10};")
            .replace(".reg .pred %p;", ".reg .pred %p;\n.reg .b64 %rd1;\nmov.u64 %rd1, g;");
    let found = stopped(&generic);
    assert!(found.is_wrong() && found.diagnostic.message.contains("is not in shared memory"), "{found:?}");
}

#[test]
fn lanes_that_went_apart_meet_at_a_matrix() {
    let body = format!(
        "{NUMBERED}\nsetp.lt.u32 %p, %r1, 16;\n@%p bra LOW;\nadd.u32 %r5, %r1, 1;\nadd.u32 %r5, %r5, 1;\nbra.uni JOIN;\nLOW:\n\
         mov.u32 %r5, 0;\nJOIN:\nstmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {{%r10}};"
    );
    let run = ptx_with(&kernel(&body), &Launch::new(32));
    assert_eq!((run.shared().len(), run.report.unknown_stores), (32, 0));
}

#[test]
fn a_stored_matrix_races_with_what_nothing_orders() {
    let two = |between: &str| {
        kernel(&format!(
            "{NUMBERED}\nmov.u32 %r6, %tid.y;\nsetp.ne.u32 %p, %r6, 0;\n@%p bra READ;\n\
             stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r2], {{%r10, %r11, %r12, %r13}};\n{between}\nbra.uni END;\n\
             READ:\n{between}\nld.shared.u32 %r7, [%r2+12];\nEND:"
        ))
        .replace(".maxntid 32", ".maxntid 32, 2")
    };
    assert_eq!(races(&two("bar.sync 0;")), []);
    let found = races(&two(""));
    let [(sides, false)] = &found[..] else { panic!("{found:?}") };
    let of = |opcode: &str| sides.iter().find(|(_, text)| text.starts_with(opcode)).map(|(lane, _)| *lane);
    let (Some(stores), Some(_)) = (of("stmatrix"), of("ld.shared")) else { panic!("{sides:?}") };
    // Bytes 12 to 15 of a row are two halves that the last lane of its four holds, whichever lane gave the address.
    assert_eq!(stores % 4, 3, "{sides:?}");
}

#[test]
fn matrices_and_registers_agree() {
    let errors = |text: &str| bcu_program::ptx::parse(&kernel(text)).unwrap_err();
    for (text, message, label) in [
        (
            "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r2], {%r10, %r11};",
            "2 registers for the matrices of `.x4`",
            "expected 4, one per matrix",
        ),
        ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2];", "`stmatrix` has 1 operands", "expected `[row], {registers}`"),
        ("ldmatrix.sync.aligned.m8n8.shared.b16 %r1, [%r2];", "without a number of matrices", "expected `.x1`, `.x2` or `.x4`"),
    ] {
        let found = errors(text);
        assert!(found[0].message.contains(message) && found[0].label.contains(label), "{text}: {found:?}");
    }
}
