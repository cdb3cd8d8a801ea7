// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Wrong tensor copies (`cp.async.bulk.tensor`): the errors of the text, of the launch, and of the run.

use crate::ptx_tensor::{done, kernel, launched};
use bcu_machine::{RunError, Stopped};
use bcu_program::ptx::{lower, parse, Launch};

const COPY: &str = "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {0}], [%r1];\n";

/// A launch file with this argument as the map, with 32 words `to`, and with `from`.
fn file(argument: &str) -> String {
    format!(
        "[buffers.to]\ntype = \"u32\"\nshape = [32]\n[buffers.from]\ntype = \"u32\"\nshape = [64]\nfill = 7\n\
         [[launch]]\nshared = 256\nargs = [{argument}, \"from\"]\n"
    )
}

fn row() -> String {
    file("{ tensor = { buffer = \"to\", extents = [32], box = [32] } }")
}

fn stopped(launch: &str, text: &str) -> Stopped {
    match launched(launch, text, "").unwrap() {
        Err(RunError::Program { stopped, .. }) => *stopped,
        Err(other) => panic!("{other:?}\n{text}"),
        Ok(_) => panic!("it ran\n{text}"),
    }
}

#[test]
fn what_is_no_tensor_map_is_told_with_its_place() {
    let prefetch = "prefetch.tensormap [%rd1];\n";
    for instr in [COPY, prefetch] {
        for (body, argument, message) in [
            ("", "{ bytes = \"00\" }", "at the parameter `k_param_0` is no valid tensor map: its `global_dim[0]` is 0"),
            ("add.u64 %rd1, %rd1, 64;\n", "", "at byte 64 of the parameter `k_param_0` is no tensor map"),
            ("mov.u64 %rd1, %rd2;\n", "", "is no valid tensor map: its `rank` is 7"),
            ("add.u64 %rd1, %rd2, 16;\n", "", "is not a multiple of 64"),
            ("add.u64 %rd1, %rd1, 16;\n", "", "is not a multiple of 64"),
            ("add.u64 %rd1, %rd2, 192;\n", "", "is outside of all variables and buffers, byte 192 of `from`"),
            ("cvt.u64.u32 %rd1, %r1;\ncvta.shared.u64 %rd1, %rd1;\n", "", "neither in global memory nor in a parameter"),
        ] {
            let argument = argument.replace("00", &"00".repeat(128));
            let launch = if argument.is_empty() { row() } else { file(&argument) };
            let found = stopped(&launch, &kernel(false, 128, &format!("{body}{instr}")));
            assert!(found.is_wrong() && found.diagnostic.message.contains(message), "{body}{instr}: {found:?}");
        }
    }
    let help = stopped(&row(), &kernel(false, 128, &format!("mov.u64 %rd1, %rd2;\n{COPY}"))).diagnostic.help;
    assert!(help.is_some_and(|help| help.contains("{ tensor = { buffer =")));
}

#[test]
fn an_unknown_map_stops_a_copy_and_no_prefetch() {
    let found = stopped(&file("{ unknown = true }"), &kernel(false, 128, COPY));
    let message = "the tensor map at the parameter `k_param_0` is unknown";
    assert!(!found.is_wrong() && found.diagnostic.message.contains(message), "{found:?}");
    let prefetch = "prefetch.tensormap [%rd1];\ncp.async.bulk.prefetch.tensor.1d.L2.global [%rd1, {0}];\n";
    assert_eq!(done(&file("{ unknown = true }"), &kernel(false, 128, prefetch)).after[0].unknown_elements(), 0);
}

#[test]
fn a_box_lies_inside_of_both_memories() {
    let with = |map: &str| file(&format!("{{ tensor = {{ buffer = \"to\", {map} }} }}"));
    let two = COPY.replace(".1d", ".2d").replace("{0}", "{0, 0}");
    let minimum = "cp.reduce.async.bulk.tensor.1d.global.shared::cta.min.bulk_group [%rd1, {0}], [%r1];".to_string();
    let prefetch = "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd1, {0}];".to_string();
    let cases: [(String, String, &str); 9] = [
        (row(), COPY.replace("[%r1]", "[%r1+64]"), "is not a multiple of 128"),
        (row(), COPY.replace("[%r1]", "[%r1+256]"), "outside of the 256 bytes of shared memory"),
        (with("extents = [64], box = [32]"), COPY.replace("{0}", "{28}"), "is outside of all variables and buffers"),
        (with("extents = [64], box = [64]"), COPY.to_string(), "is outside of all variables and buffers"),
        (with("extents = [64], box = [64]"), prefetch, "is outside of all variables and buffers"),
        (row(), two, "2 coordinates, but the tensor map has 1 dimensions"),
        (
            with("extents = [1, 1, 1, 1], strides = [16, 16, 16], box = [256, 256, 256, 256]"),
            COPY.replace(".1d", ".4d").replace("{0}", "{0, 0, 0, 0}"),
            "exceed the maximum of a bulk copy, 1048576",
        ),
        (
            with("type = \"u8\", extents = [32], box = [32]"),
            minimum.clone(),
            "the tensor map has elements of the type u8, for which PTX does not define this reduction",
        ),
        (
            with("type = \"i32\", extents = [32], box = [32]"),
            minimum.replace("min", "inc"),
            "the tensor map has elements of the type i32, for which PTX does not define this reduction",
        ),
    ];
    for (launch, body, message) in cases {
        let found = stopped(&launch, &kernel(false, 256, &body));
        assert!(found.is_wrong() && found.diagnostic.message.contains(message), "{body}: {found:?}");
    }
    // The part of a box outside the tensor may be anywhere.
    let launch = with("extents = [4294967296, 4294967296], strides = [1099511627760], box = [32, 8]");
    let body =
        COPY.replace(".1d", ".2d").replace("{0}", "{-28, -7}") + "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;";
    assert_eq!(
        done(&launch.replace("256", "1024").replace("1099511627760", "1099511627760"), &kernel(false, 256, &body))
            .reports
            .len(),
        1
    );
}

#[test]
fn wrong_operands_are_told() {
    let end = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group";
    for (line, message, label) in [
        (format!("{end} [%rd1, {{0}}], [%r1];"), "1 coordinates in a tensor of 2 dimensions", "expected 2, the innermost"),
        (format!("{end} [%rd1, {{0, 0}}];"), "expected `,` and the address in shared memory", ""),
        (format!("{end} [%rd1, {{0, 0}}], %r1;"), "invalid address", "an address in shared memory"),
        (format!("{end} [%rd1], [%r1];"), "expected `,` and the coordinates in `{ }`", ""),
        (format!("{end} %rd1, [%r1];"), "expected `[map, {coordinates}]`", ""),
        (format!("{end} [{{0, 0}}], [%r1];"), "expected the address of a tensor map", ""),
        (format!("{end} [%rd1, {{0, 0}}], [%r1], %rd2;"), "expected `;`", ""),
        (format!("{end}.L2::cache_hint [%rd1, {{0, 0}}], [%r1];"), "expected `,` and a cache policy", ""),
        (
            "cp.async.bulk.tensor.global.shared::cta.bulk_group [%rd1, {0}], [%r1];".into(),
            "without a number of dim",
            ".1d to .5d",
        ),
        (
            "cp.reduce.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {0}], [%r1];".into(),
            "a tensor reduction without an operation",
            "expected one of .add .min",
        ),
        (
            "cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%rd1, {0, 0, 0, 0}], {0};".into(),
            "1 offsets in im2col mode with 4 dimensions",
            "expected 2",
        ),
        ("cp.async.bulk.prefetch.tensor.2d.L2.global.im2col [%rd1, {0, 0}], {0};".into(), "a copy in im2col mode", ".3d"),
        (
            "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [%rd1, {0, 1, 2, 3}];".into(),
            "4 coordinates of four rows",
            "expected 5",
        ),
        (
            "cp.async.bulk.tensor.2d.global.shared::cta.tile::gather4.bulk_group [%rd1, {0, 1, 2, 3, 4}], [%r1];".into(),
            "a copy that gathers rows",
            "expected a load",
        ),
        ("prefetch.tensormap %rd1;".into(), "expected `[map]`", ""),
        ("fence.proxy.tensormap::generic.acquire.gpu;".into(), "wrong operands of a fence", "expected `[map], 128` after"),
        ("fence.proxy.tensormap::generic.acquire.gpu [%rd1], 64;".into(), "wrong operands of a fence", ""),
        ("fence.proxy.tensormap::generic.release.gpu [%rd1], 128;".into(), "wrong operands of a fence", ""),
    ] {
        let found = parse(&kernel(false, 128, &line)).unwrap_err();
        assert!(found[0].message.contains(message) && found[0].label.contains(label), "{line}: {found:?}");
    }
    let hint = format!("{end}.L2::cache_hint [%rd1, {{0, 0}}], [%r1], %rd2;");
    assert!(parse(&kernel(false, 128, &hint)).is_ok());
}

#[test]
fn other_tensor_copies_are_refused_by_name() {
    for (line, label) in [
        (
            "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%r1], [%rd1, {0, 0}], [%r1];",
            "needs a pair of CTAs",
        ),
        (
            "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%rd1, {0, 0, 0}], [%r1];",
            "stores pixels; only loads are supported",
        ),
        ("cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w [%rd1, {0, 0, 0}], {0, 0};", "only `.im2col` is supported"),
    ] {
        let found = lower(&parse(&kernel(false, 128, line)).unwrap(), &Launch::new(32)).unwrap_err();
        assert!(found[0].message.contains("is not supported yet") && found[0].label.contains(label), "{line}: {found:?}");
        assert!(found[0].help.as_ref().is_some_and(|help| help.contains(".bulk_group")), "{found:?}");
    }
}

#[test]
fn what_a_launch_gives_must_fit() {
    let refused = |argument: &str| launched(&file(argument), &kernel(false, 128, COPY), "").map(|_| ()).unwrap_err();
    let map = |inside: &str| format!("{{ tensor = {{ buffer = \"to\", {inside} }} }}");
    for (argument, message) in [
        (map("extents = [32], box = [6]"), "`k_param_0`: a box of 6 elements of u32, 24 bytes, along the innermost dimension"),
        (map("extents = [30, 2], box = [4, 1]"), "`k_param_0`: a stride of 120 bytes: expected a multiple of 16"),
        (map("extents = [32], box = [4]").replace("to", "to+144"), "`to` has 128 bytes; offset 144 is out of range"),
        ("\"to\"".to_string(), "a parameter of 128 bytes is given an address of 8 bytes"),
    ] {
        let found = refused(&argument);
        assert!(found.starts_with(&format!("[{argument}]")) && found.contains(message), "{found}");
    }
    let scalar = kernel(false, 128, "").replace(".param .align 64 .b8 k_param_0[128]", ".param .u32 k_param_0");
    let found = launched(&row(), &scalar, "").map(|_| ()).unwrap_err();
    assert!(found.contains("a parameter of 4 bytes is given a tensor map of 128 bytes"), "{found}");
}
