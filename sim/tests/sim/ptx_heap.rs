// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The heap of device functions: `malloc`, `free`, and wrong uses of blocks.

use crate::runs::{ptx_with, try_ptx, Run};
use bcu_machine::RunError;
use bcu_program::ptx::{self, Launch};

/// A kernel of one warp with `body`, in which lane `%t` calls `malloc(%size)` by `MALLOC` and `free(%p)` by `FREE`. `out` is a variable.
fn kernel(body: &str) -> String {
    let malloc = "{ .param .b64 n; .param .b64 r; st.param.b64 [n], %size; call.uni (r), malloc, (n); ld.param.b64 %p, [r]; }";
    let free = "{ .param .b64 a; st.param.b64 [a], %p; call.uni free, (a); }";
    format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.global .align 16 .b32 out[64];\n\
         .extern .func (.param .b64 func_retval0) malloc (.param .b64 malloc_param_0);\n\
         .extern .func free (.param .b64 free_param_0);\n.visible .entry k()\n{{\n.reg .b32 %t, %v, %w;\n\
         .reg .b64 %p, %q, %size, %at, %o;\n.reg .pred %c;\nmov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, 4;\nmov.u64 %at, out;\n\
         add.u64 %o, %o, %at;\n{}\nret;\n}}\n",
        body.replace("MALLOC", malloc).replace("FREE", free)
    )
}

fn launch() -> Launch {
    Launch { threads: Some([32, 1, 1]), ..Launch::new(32) }
}

/// The reason why a kernel with this body stops.
fn stopped(body: &str) -> String {
    match try_ptx(&kernel(body), &launch()) {
        Err(RunError::Program { stopped, .. }) => {
            assert!(stopped.is_wrong());
            stopped.diagnostic.message
        }
        other => panic!("{:?}", other.map(|run| run.report.to_string())),
    }
}

/// A run of a kernel with this body to its end.
fn run(body: &str) -> Run {
    ptx_with(&kernel(body), &launch())
}

#[test]
fn each_lane_has_a_block_of_its_own() {
    // A block of another lane would have another number at the end.
    let body =
        "mov.u64 %size, 8;\nMALLOC\nst.u32 [%p+4], %t;\nbar.warp.sync -1;\nld.u32 %v, [%p+4];\nsetp.ne.u32 %c, %v, %t;\n\
                @%c trap;\nst.global.u32 [%o], %v;\nFREE";
    let report = run(body).report;
    assert!(report.unknown_values.is_empty() && report.unknown_buffers.is_empty(), "{report}");
    // The bytes of a block are unknown before a store, but blocks are no outputs.
    let unwritten = run("mov.u64 %size, 8;\nMALLOC\nld.u32 %v, [%p];\nst.u32 [%p+4], %v;\nst.global.u32 [%o], %v;").report;
    assert_eq!(
        unwritten.unknown_buffers.iter().map(|buffer| (buffer.name.as_str(), buffer.unknown)).collect::<Vec<_>>(),
        [("out", 128)]
    );
}

#[test]
fn a_block_has_bounds_and_is_not_used_after_free() {
    let allocated = "mov.u64 %size, 24;\nMALLOC\n";
    assert!(stopped(&format!("{allocated}st.u32 [%p+24], %t;")).contains("byte 24 of `malloc#"), "bounds");
    let freed = stopped(&format!("{allocated}FREE\nld.u32 %v, [%p+8];"));
    assert!(freed.contains("byte 8 of `malloc#0`, which has been freed"), "{freed}");
    assert!(stopped(&format!("{allocated}FREE\nFREE")).contains("frees `malloc#0` again"));
    let inside = stopped(&format!("{allocated}add.u64 %p, %p, 8;\nFREE"));
    assert!(inside.contains("which `malloc` has not returned"), "{inside}");
    assert!(stopped("mov.u64 %p, out;\nFREE").contains("which `malloc` has not returned"));
    // A null pointer is freed without effect.
    run("mov.u64 %p, 0;\nFREE");
}

#[test]
fn the_heap_has_8_mib_that_are_used_again_after_free() {
    // Each lane has a quarter of a MiB, so all lanes together have the whole heap.
    let fits = "mov.u64 %size, 262144;\nMALLOC\nsetp.eq.u64 %c, %p, 0;\n@%c trap;\n";
    run(&format!(
        "{fits}FREE\nMALLOC\nsetp.eq.u64 %c, %p, 0;\n@%c trap;\nmov.u64 %size, 1;\nMALLOC\nsetp.ne.u64 %c, %p, 0;\n@%c trap;"
    ));
    run("mov.u64 %size, 8388609;\nMALLOC\nsetp.ne.u64 %c, %p, 0;\n@%c trap;");
}

#[test]
fn kernels_list_their_calls_of_the_heap() {
    let module = ptx::parse(&kernel("mov.u64 %size, 8;\nMALLOC\nFREE")).unwrap();
    let heap: Vec<String> = ptx::kernels(&module)[0].heap.iter().map(|call| call.opcode.clone()).collect();
    assert_eq!(heap, ["free", "malloc"]);
}
