// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `alloca`, `stacksave` and `stackrestore`: memory of a lane that overlaps neither a frame nor another call.

use crate::runs::{ptx, ptx_with, stopped};
use bcu_program::ptx::{parse, Launch};

/// A kernel of one warp with a local variable of 4 bytes, which stores to shared memory.
fn kernel(body: &str) -> String {
    format!(
        ".shared .u32 s[64];\n{DEEPER}\n.visible .entry k()\n.maxntid 32\n{{\n.local .u32 own;\n.param .u32 depth;\n.param .u32 got;\n\
         .reg .u32 %r<9>;\n.reg .u64 %rd<9>;\n.reg .pred %p;\nmov.u32 %r1, %laneid;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\nadd.u32 %r2, %r2, %r3;\n\
         {body}\nret;\n}}\n"
    )
}

/// A function that calls itself with the argument n - 1. Every call allocates `8 * n` bytes, stores values there before the inner call, and
/// adds up the values that are there after the inner call.
const DEEPER: &str = ".func (.param .u32 result) deeper(.param .u32 n)
{
    .reg .u32 %r<9>;
    .reg .u64 %rd<4>;
    .reg .pred %p;
    .local .u32 own;
    .param .u32 argument;
    .param .u32 below;
    ld.param.u32 %r1, [n];
    st.local.u32 [own], %r1;
    shl.b32 %r2, %r1, 3;
    cvt.u64.u32 %rd1, %r2;
    alloca.u64 %rd2, %rd1, 32;
    mov.u32 %r4, 0;
    setp.eq.u32 %p, %r1, 0;
    @%p bra LAST;
    mul.lo.u32 %r5, %r1, 1000;
    st.local.u32 [%rd2], %r5;
    cvta.local.u64 %rd3, %rd2;
    st.u32 [%rd3+4], %r1;
    sub.u32 %r3, %r1, 1;
    st.param.u32 [argument], %r3;
    call (below), deeper, (argument);
    ld.param.u32 %r4, [below];
    ld.local.u32 %r6, [%rd2];
    add.u32 %r4, %r4, %r6;
    ld.local.u32 %r6, [%rd2+4];
    add.u32 %r4, %r4, %r6;
LAST:
    ld.local.u32 %r7, [own];
    setp.ne.u32 %p, %r7, %r1;
    @%p trap;
    st.param.u32 [result], %r4;
    ret;
}";

fn shared(body: &str) -> Vec<u32> {
    ptx_with(&kernel(body), &Launch::new(32)).shared().into_iter().map(|(_, value)| value).collect()
}

#[test]
fn memory_on_the_stack_is_that_of_one_call_of_one_lane() {
    // Each lane recurses as deep as its number, with private memory before and after.
    let body = "st.local.u32 [own], %r1;\nadd.u32 %r4, %r1, 4;\ncvt.u64.u32 %rd1, %r4;\nalloca.u64 %rd2, %rd1;\nst.local.u32 [%rd2], %r1;\n\
                st.param.u32 [depth], %r1;\ncall (got), deeper, (depth);\nld.param.u32 %r5, [got];\nld.local.u32 %r6, [%rd2];\n\
                ld.local.u32 %r7, [own];\nadd.u32 %r5, %r5, %r6;\nadd.u32 %r5, %r5, %r7;\nst.shared.u32 [%r2], %r5;";
    let wanted: Vec<u32> = (0..32).map(|n| (1..=n).map(|i| 1001 * i).sum::<u32>() + 2 * n).collect();
    assert_eq!(shared(body), wanted);
}

#[test]
fn addresses_are_multiples_and_lie_below_each_other() {
    for (alignment, multiple) in [("", 8), (", 1", 8), (", 64", 64), (", 256", 256)] {
        let body = format!(
            "alloca.u32 %r4, 3{alignment};\nalloca.u32 %r5, 5{alignment};\nmov.u32 %r6, own;\nst.shared.v2.u32 [s], {{%r4, %r5}};\nst.shared.u32 [s+8], %r6;"
        );
        let [first, second, own] = shared(&body)[..] else { panic!("{alignment}") };
        assert!(first % multiple == 0 && second % multiple == 0, "{alignment}: {first} {second}");
        assert!(
            first >= second + 5 && first < second + 5 + multiple && second > own + 4,
            "{alignment}: {first} {second} {own}"
        );
    }
}

#[test]
fn what_is_restored_is_given_out_again() {
    let body = "stacksave.u64 %rd1;\nalloca.u64 %rd2, 100;\nstackrestore.u64 %rd1;\nalloca.u64 %rd3, 100;\nstacksave.u64 %rd4;\n\
                sub.u64 %rd5, %rd3, %rd2;\nsub.u64 %rd6, %rd1, %rd4;\ncvt.u32.u64 %r4, %rd5;\ncvt.u32.u64 %r5, %rd6;\nst.shared.v2.u32 [s], {%r4, %r5};";
    assert_eq!(shared(body), [0, 104]);
    // The size may be in the register that receives the pointer, and the pointer is then the end of the stack.
    let own =
        "mov.u64 %rd1, 64;\nalloca.u64 %rd1, %rd1;\nstacksave.u64 %rd2;\nst.shared.u64 [s], %rd1;\nst.shared.u64 [s+8], %rd2;";
    assert_eq!(shared(own), [0xfffe_ffc0, 0, 0xfffe_ffc0, 0]);
    // A loop needs no more memory than one iteration.
    let rounds = "mov.u32 %r4, 0;\nAGAIN:\nstacksave.u64 %rd1;\nalloca.u64 %rd2, 300000;\nst.local.u32 [%rd2+299996], %r4;\nstackrestore.u64 %rd1;\n\
                  add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p, %r4, 20;\n@%p bra AGAIN;\nld.local.u32 %r5, [%rd2+299996];\nst.shared.u32 [s], %r5;";
    assert_eq!(shared(rounds), [19]);
}

#[test]
fn a_stack_has_bounds() {
    for (body, message) in [
        ("alloca.u64 %rd1, 600000;", "600000 bytes in addition to 0 bytes of stack exceed the 524288"),
        ("alloca.u64 %rd1, 300000;\nalloca.u64 %rd1, 300000;", "exceed the 524288"),
        ("stacksave.u64 %rd1;\nsub.u64 %rd1, %rd1, 8;\nstackrestore.u64 %rd1;", "is not a result of `stacksave` in this call"),
    ] {
        let found = stopped(&kernel(body));
        assert!(found.is_wrong() && found.diagnostic.message.contains(message), "{body}: {found:?}");
    }
    let found = stopped(&kernel("stackrestore.u64 %rd1;"));
    assert!(
        !found.is_wrong() && found.diagnostic.message.contains("the operand of `stackrestore` in warp 0 of CTA 0"),
        "{found:?}"
    );
}

#[test]
fn an_unknown_size_has_an_unknown_address() {
    let run = ptx("// bcu: threads 1\nld.global.u32 n, [64];\nalloca.u32 p, n;\nstacksave.u32 q;\nst.global.u32 [0], p;\nst.global.u32 [4], q;");
    assert_eq!(run.global(), [(4, 0xffff_0000)]);
}

#[test]
fn wrong_operands_are_told() {
    for (line, message, label) in [
        ("alloca.u64 %rd1;", "`alloca` has 1 operands", "expected `pointer, bytes`"),
        ("stacksave.u64;", "`stacksave` has 0 operands", "expected `pointer`"),
        ("alloca.u64 %rd1, 8, 12;", "invalid alignment", "a constant power of 2"),
        ("alloca.u64 %rd1, 8, 16777216;", "invalid alignment", "at most 8388608"),
    ] {
        let found = parse(&kernel(line)).unwrap_err();
        assert!(found[0].message.contains(message) && found[0].label.contains(label), "{line}: {found:?}");
    }
}
