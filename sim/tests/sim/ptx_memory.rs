// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loads and stores of PTX in bytes: variables, widths, vectors, atomics, generic addresses, stacks of calls,
//! asynchronous copies, and addresses without memory.

use crate::runs::{ptx, ptx_with, stopped, try_ptx};
use bcu_machine::RunError;
use bcu_program::ptx::Launch;

/// The words of global memory after a fragment of one thread.
fn stored(text: &str) -> Vec<(u32, u32)> {
    ptx(&format!("// bcu: threads 1\n{text}")).global()
}

#[test]
fn a_variable_is_loaded_as_it_was_stored() {
    let text = ".shared .b32 s;\nmov.u32 r3, s;\nst.shared.u32 [r3], 7;\nbar.sync 0;\nld.shared.u32 r4, [r3];\nst.global.u32 [20], r4;";
    assert_eq!(stored(text), [(20, 7)]);
}

#[test]
fn atomic_operations_and_other_widths_are_seen() {
    let atom = ".shared .u32 s;\nst.shared.u32 [s], 5;\natom.shared.add.u32 r1, [s], 32;\nld.shared.u32 r2, [s];\n\
                st.global.u32 [0], r1;\nst.global.u32 [4], r2;";
    assert_eq!(stored(atom), [(0, 5), (4, 37)]);
    let bytes = "st.global.u32 [0], 0x05050505;\nst.global.u8 [1], 9;\nld.global.u8 r1, [1];\nld.global.u32 r2, [0];\n\
                 st.global.u32 [4], r1;\nst.global.u32 [8], r2;";
    assert_eq!(stored(bytes), [(0, 0x0505_0905), (4, 9), (8, 0x0505_0905)]);
    let signed = "st.global.u16 [0], 0x8001;\nst.global.u16 [2], 0;\nld.global.s16 r1, [0];\nst.global.u32 [4], r1;";
    assert_eq!(stored(signed), [(0, 0x8001), (4, 0xffff_8001)]);
}

#[test]
fn every_atomic_operation_leaves_what_the_manual_says() {
    for (op, operands, left) in [
        ("add.u32", "7", 17),
        ("and.b32", "6", 2),
        ("or.b32", "5", 15),
        ("xor.b32", "3", 9),
        ("min.u32", "7", 7),
        ("max.s32", "-1", 10),
        ("inc.u32", "10", 0),
        ("inc.u32", "11", 11),
        ("dec.u32", "4", 4),
        ("dec.u32", "20", 9),
        ("exch.b32", "3", 3),
        ("cas.b32", "10, 4", 4),
        ("cas.b32", "11, 4", 10),
    ] {
        let text = format!("st.global.u32 [0], 10;\natom.global.{op} old, [0], {operands};\nst.global.u32 [4], old;");
        assert_eq!(stored(&text), [(0, left), (4, 10)], "{op} {operands}");
    }
    // The operation adds 2.0 to 1.0, as bf16, in the upper half of a word.
    let half = "st.global.u32 [0], 0x3f803f80;\nmov.b16 h, 0x4000;\nred.global.add.noftz.bf16 [2], h;";
    assert_eq!(stored(half), [(0, 0x4040_3f80)]);
    let floats = "st.global.f32 [0], 0f3FC00000;\nred.global.add.f32 [0], 0f40200000;";
    assert_eq!(stored(floats), [(0, 4.0f32.to_bits())]);
}

#[test]
fn vectors_and_generic_addresses_reach_the_same_bytes() {
    let text = ".shared .align 16 .b32 s[4];\n.reg .b64 %rd<4>;\nst.shared.v4.u32 [s], {1, 2, 3, 4};\nmov.u64 %rd1, s;\n\
                cvta.shared.u64 %rd2, %rd1;\nld.v2.u32 {r1, r2}, [%rd2+8];\nst.global.u32 [0], r1;\nst.global.u32 [4], r2;\n\
                isspacep.shared p, %rd2;\nselp.u32 r3, 1, 0, p;\nst.global.u32 [8], r3;";
    assert_eq!(stored(text), [(0, 3), (4, 4), (8, 1)]);
}

#[test]
fn dynamic_shared_memory_begins_at_its_alignment() {
    let text = |align: u64, body: &str| {
        format!(
            ".version 8.6\n.target sm_90\n.address_size 64\n.extern .shared .align {align} .b8 raw[];\n.visible .entry k()\n{{\n\
             .shared .align 4 .b32 u[3];\n.reg .b32 r;\nmov.u32 r, raw;\nst.shared.u32 [u], r;\n{body}\nret;\n}}\n"
        )
    };
    let launch = |shared: u64| Launch { threads: Some([1, 1, 1]), shared, ..Launch::new(32) };
    // At least 16 bytes, as the documents of CUDA state.
    for (align, first) in [(1024, 1024), (128, 128), (16, 16), (4, 16)] {
        let last = "st.shared.u8 [raw+2047], 1;\nst.shared.u32 [raw+4], 5;";
        assert_eq!(ptx_with(&text(align, last), &launch(2048)).shared(), [(0, first), (first + 4, 5)], "{align}");
    }
    let stop = |shared: u64| match try_ptx(&text(1024, "st.shared.u8 [raw+2048], 1;"), &launch(shared)) {
        Err(RunError::Program { stopped, .. }) => stopped.diagnostic.message,
        other => panic!("{:?}", other.map(|run| run.report.to_string())),
    };
    assert!(
        stop(2048).ends_with("outside of the 3072 bytes of shared memory of the CTA, byte 2048 of `raw`"),
        "{}",
        stop(2048)
    );
    let missing =
        "outside of the 12 bytes of shared memory of the CTA, byte 2048 of `raw`; `--shared BYTES` gives dynamic shared memory";
    assert!(stop(0).ends_with(missing), "{}", stop(0));
}

#[test]
fn initial_values_and_tables_are_there() {
    let text = ".const .align 4 .u32 table[3] = {5, 6, 7};\n.global .f32 half = 0f3F000000;\n.reg .b64 %rd<2>;\n\
                mov.u64 %rd1, table;\nld.const.u32 r1, [%rd1+8];\nst.global.u32 [0], r1;\nld.global.u32 r2, [half];\nst.global.u32 [4], r2;";
    assert_eq!(stored(text), [(0, 7), (4, 0.5f32.to_bits())]);
}

const FACTORIAL: &str = ".func (.param .u32 result) factorial(.param .u32 n)
{
    .reg .u32 %r<4>;
    .reg .pred %p;
    ld.param.u32 %r1, [n];
    setp.lt.u32 %p, %r1, 2;
    @%p bra one;
    sub.u32 %r2, %r1, 1;
    { .param .u32 argument;
      .param .u32 below;
      st.param.u32 [argument], %r2;
      call (below), factorial, (argument);
      ld.param.u32 %r3, [below]; }
    mul.lo.u32 %r1, %r1, %r3;
    st.param.u32 [result], %r1;
    ret;
one:
    st.param.u32 [result], 1;
    ret;
}
.visible .entry k()
{
    .reg .u32 %r<3>;
    .reg .b64 %rd;
    .param .u32 argument;
    .param .u32 got;
    mov.u32 %r1, %tid.x;
    st.param.u32 [argument], %r1;
    call (got), factorial, (argument);
    ld.param.u32 %r2, [got];
    st.shared.u32 [shared], %r2;
    ret;
}
";

#[test]
fn calls_have_a_stack_in_every_lane() {
    // Lanes recurse as deep as their numbers; the last result stays.
    let text = format!(".shared .u32 shared;\n{FACTORIAL}")
        .replace("st.shared.u32 [shared], %r2;", "shl.b32 %r1, %r1, 2;\nst.shared.u32 [%r1], %r2;");
    let text = text.replace(".shared .u32 shared;", ".shared .u32 shared[8];");
    let run = ptx_with(&text, &Launch { threads: Some([8, 1, 1]), ..Launch::new(32) });
    let factorials = [1, 1, 2, 6, 24, 120, 720, 5040];
    assert_eq!(run.shared(), factorials.iter().enumerate().map(|(i, f)| (4 * i as u32, *f)).collect::<Vec<_>>());
}

#[test]
fn an_asynchronous_copy_has_happened_when_it_was_waited_for() {
    let copy = |wait: &str| {
        format!(
            ".shared .align 16 .b32 s[4];\n.reg .b64 %rd;\nst.global.v4.u32 [64], {{1, 2, 3, 4}};\nmembar.gl;\nmov.u64 %rd, 64;\n\
             cp.async.ca.shared.global [s], [%rd], 16;\ncp.async.commit_group;\n{wait}\nld.shared.u32 r, [s+12];\nst.global.u32 [0], r;"
        )
    };
    assert!(stored(&copy("cp.async.wait_group 0;")).contains(&(0, 4)));
    assert!(stored(&copy("cp.async.wait_all;")).contains(&(0, 4)));
    // Without the wait the value is unknown.
    assert!(stored(&copy("")).iter().all(|(address, _)| *address != 0));
}

#[test]
fn what_is_no_memory_ends_the_run_with_its_place() {
    let kernel = |body: &str| {
        format!(".shared .align 4 .b32 s[4];\n.visible .entry k()\n.maxntid 1\n{{\n.reg .u32 %r<3>;\n.reg .b64 %rd<3>;\n{body}\nret;\n}}\n")
    };
    for (body, message) in [
        ("st.shared.u32 [s+16], 1;", "outside of the 16 bytes of shared memory"),
        ("st.shared.u32 [s+2], 1;", "is not a multiple of 4"),
        ("mov.u64 %rd1, 64; st.global.u32 [%rd1], 1;", "is outside of all variables and buffers"),
        ("trap;", "executes `trap`"),
    ] {
        let found = stopped(&kernel(body));
        assert!(found.is_wrong() && found.diagnostic.message.contains(message), "{body}: {found:?}");
    }
}

#[test]
fn a_store_nobody_knows_where_makes_its_memory_unknown() {
    let run =
        ptx("// bcu: threads 1\nst.global.u32 [0], 1;\nld.global.u32 r1, [64];\nst.global.u32 [r1], 2;\nst.global.u32 [8], 3;");
    assert_eq!((run.global(), run.report.unknown_stores), (vec![(8, 3)], 1));
}

#[test]
fn calls_and_parameters_have_limits() {
    let endless = ".func f()\n{\ncall f, ();\nret;\n}\n.visible .entry k()\n.maxntid 1\n{\ncall f, ();\nret;\n}\n";
    assert!(stopped(endless).diagnostic.message.contains("nested calls"), "{:?}", stopped(endless));
    let large = ".visible .entry k(.param .align 4 .b8 p[1099511627776])\n.maxntid 1\n{\nret;\n}\n";
    let errors = bcu_program::ptx::parse(large).unwrap_err();
    assert!(errors[0].message.contains("the parameters have more than 65536 bytes"), "{errors:?}");
}

#[test]
fn constants_of_a_vector_have_the_type_of_the_store() {
    let doubles = "st.global.v2.f64 [0], {0d3FF0000000000000, 2.0};\nst.global.v2.f32 [16], {0f3F800000, 2.0};";
    let high = |value: f64| (value.to_bits() >> 32) as u32;
    let (one, two) = (1.0f32.to_bits(), 2.0f32.to_bits());
    assert_eq!(stored(doubles), [(0, 0), (4, high(1.0)), (8, 0), (12, high(2.0)), (16, one), (20, two)]);
}

#[test]
fn a_parameter_is_read_by_its_generic_address() {
    let text = ".shared .b32 s[2];\n.visible .entry k(.param .u32 a, .param .u32 b)\n.maxntid 1\n{\n.reg .u32 %r<3>;\n.reg .b64 %rd<3>;\n\
                mov.b64 %rd1, b;\ncvta.param.u64 %rd2, %rd1;\nld.u32 %r1, [%rd2];\nst.shared.u32 [s], %r1;\nret;\n}\n";
    let params = vec![("a".to_string(), 3), ("b".to_string(), 4)];
    assert_eq!(ptx_with(text, &Launch { params, ..Launch::new(32) }).shared(), [(0, 4)]);
}

#[test]
fn a_thread_that_may_exit_in_a_function_stops_the_run() {
    let text = ".func f()\n{\n.reg .pred %p;\n@%p exit;\nret;\n}\n.visible .entry k()\n.maxntid 1\n{\ncall f, ();\nret;\n}\n";
    let found = stopped(text);
    assert!(!found.is_wrong() && found.diagnostic.label.contains("line 4 may end the thread"), "{found:?}");
}
