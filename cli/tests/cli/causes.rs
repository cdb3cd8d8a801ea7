// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Messages that name a cause: a parameter without a value, a wrong texture, an mbarrier with too few expected bytes, one at which no thread
//! waits, the variable of a race; and suggestions for wrong names.

use crate::common::Bench;
use serde_json::Value;

const HEAD: &str = ".version 8.6\n.target sm_90\n.address_size 64\n";

/// The findings of a check of `text`, each as severity, code, message and help.
fn findings(text: &str, arguments: &str) -> Vec<[String; 4]> {
    let bench = Bench::new();
    bench.file("k.ptx", format!("{HEAD}{text}"));
    let done = bench.run(&format!("check k.ptx {arguments} --format json"));
    let report: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{e}\n{}{}", done.stdout, done.stderr));
    let word = |finding: &Value, key: &str| finding[key].as_str().unwrap_or("").to_string();
    let all = report["findings"].as_array().unwrap().iter();
    all.map(|f| [word(f, "severity"), word(f, "code"), word(f, "message"), word(f, "help")]).collect()
}

/// Two kernels; `store` stores `n` to `out` and copies from `in` to `out`.
const TWO: &str = ".visible .entry other(.param .u64 unused) .reqntid 32 { ret; }\n\
    .visible .entry store(.param .u64 in, .param .u64 out, .param .u32 n) .reqntid 32\n{\n.reg .b32 %t, %n, %v;\n.reg .b64 %o, %i, %x;\n\
    mov.u32 %t, %tid.x;\nld.param.u64 %o, [out];\nld.param.u64 %i, [in];\nld.param.u32 %n, [n];\nmul.wide.u32 %x, %t, 4;\n\
    add.u64 %o, %o, %x;\nst.global.u32 [%o], %n;\nret;\n}\n";

#[test]
fn a_parameter_without_a_value_is_named() {
    let given = "--kernel store --arg out=u32:[32]:unknown --arg in=u32:[32]:0";
    let found = findings(TWO, given);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0][..2], ["warning", "unknown_output"]);
    assert!(found[0][2].ends_with("depends on the parameter `n`, which has no value"), "{found:#?}");
    assert_eq!(found[0][3], "give it a value: `--arg n=…`");
    assert_eq!(findings(TWO, &format!("{given} --arg n=3")), [[""; 4]; 0]);
    // Only the parameters of the kernel that runs, and of these only those without a value.
    let help = &findings(TWO, "--kernel store --arg n=3")[0][3];
    assert!(help.contains("`--arg in=…` `--arg out=…`") && !help.contains("unused") && !help.contains("--arg n="), "{help}");
}

/// Reads a texture at the coordinate of each thread.
fn fetch(instr: &str) -> String {
    format!(
        ".visible .entry k(.param .u64 t, .param .u64 out) .reqntid 8\n{{\n.reg .b32 %t, %u, %a, %b, %c, %d;\n.reg .f32 %x, %f, %g, %h, %i;\n\
         .reg .b64 %h0, %o, %y;\nmov.u32 %t, %tid.x;\nld.param.u64 %h0, [t];\nld.param.u64 %o, [out];\ncvt.rn.f32.u32 %x, %t;\n\
         mul.wide.u32 %y, %t, 4;\nadd.u64 %o, %o, %y;\n{instr}\nret;\n}}\n"
    )
}

#[test]
fn a_wrong_texture_is_answered_with_what_was_expected() {
    let one = fetch("tex.1d.v4.f32.f32 {%f, %g, %h, %i}, [%h0, {%x}];\nst.global.f32 [%o], %f;");
    let two = fetch("tex.2d.v4.f32.f32 {%f, %g, %h, %i}, [%h0, {%x, %x}];\nst.global.f32 [%o], %f;");
    let whole = fetch("tex.1d.v4.u32.f32 {%a, %b, %c, %d}, [%h0, {%x}];\nst.global.u32 [%o], %a;");
    let out = "--arg out=f32:[8]:unknown";
    for (text, texture, message, help) in [
        (&one, "1", "the parameter `t` is 0x1, not a texture", "`--arg t=texture:[]:f32:[64]`"),
        (
            &one,
            "f32:[8]:0",
            "the parameter `t` is the address of the buffer `t`, not a texture",
            "`--arg t=texture:[]:f32:[64]`",
        ),
        (&two, "texture:[]:f32:[8]:0", "the texture has 1 dimension, and this fetch has 2 coordinates", "`extents = [N, N]`"),
        (&one, "texture:[]:f32:[2,8]:0", "the texture has 2 dimensions, and this fetch has 1 coordinates", "`tex2D`"),
        (&one, "texture:[]:u8:[8]:0", "integers of type u8, and this fetch returns floating-point", "normalized_float"),
        (&whole, "texture:[]:f32:[8]:0", "of floating-point numbers, and this fetch returns integers", "`tex2D<float>`"),
    ] {
        let found = findings(text, &format!("{out} --arg t={texture}"));
        assert!(
            found[0][1] == "bad_access" && found[0][2].contains(message) && found[0][3].contains(help),
            "{texture}: {found:#?}"
        );
    }
    for (text, texture) in
        [(&one, "texture:[]:f32:[8]:0"), (&one, "texture:[normalized_float]:u8:[8]:0"), (&whole, "texture:[]:u8:[8]:0")]
    {
        assert_eq!(findings(text, &format!("{out} --arg t={texture}")), [[""; 4]; 0], "{texture}");
    }
    let missing = findings(&one, out);
    assert!(missing[0][2].contains("depends on the parameter `t`, which has no value"), "{missing:#?}");
}

#[test]
fn a_race_names_the_buffer_and_the_offset() {
    let text = ".visible .entry k(.param .u64 out) .reqntid 32\n{\n.reg .b32 %c;\n.reg .b64 %o;\nmov.u32 %c, %ctaid.x;\n\
                ld.param.u64 %o, [out];\nst.global.u32 [%o+8], %c;\nret;\n}\n";
    let found = findings(text, "--grid 2 --arg out=u32:[32]:0");
    assert!(found.iter().any(|[_, code, message, _]| code == "race" && message.contains(" byte 8 of `out`")), "{found:#?}");
    let dynamic =
        ".extern .shared .align 16 .b8 raw[];\n.visible .entry k() .reqntid 64\n{\n.reg .b32 %t;\nmov.u32 %t, %tid.x;\n\
                   st.shared.u32 [raw+20], %t;\nret;\n}\n";
    let found = findings(dynamic, "--shared 64");
    assert!(found.iter().all(|[.., message, _]| message.contains("byte 20 of `raw`")) && !found.is_empty(), "{found:#?}");
    let unaligned = dynamic.replace("raw+20", "raw+21");
    let found = findings(&unaligned, "--shared 64");
    assert!(found[0][2].contains("is not a multiple of 4") && found[0][2].contains("byte 21 of `raw`"), "{found:#?}");
}

/// Thread 0 copies `copies` times 16 bytes to `s`, and expects `bytes` bytes.
fn copied(bytes: u32) -> String {
    let copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
    format!(
        ".global .align 16 .b32 g[64];\n.visible .entry k() .reqntid 32\n{{\n.shared .align 16 .b32 s[64];\n.shared .align 8 .b64 full;\n\
         .reg .b32 %t, %v;\n.reg .b64 %g;\n.reg .pred %p, %q;\nmov.u64 %g, g;\nmov.u32 %t, %tid.x;\nsetp.ne.u32 %q, %t, 0;\n\
         @%q bra WAIT;\nmbarrier.init.shared.b64 [full], 1;\nfence.proxy.async;\n\
         mbarrier.arrive.expect_tx.shared.b64 _, [full], {bytes};\n{copy} [s], [%g], 16, [full];\n{copy} [s+64], [%g], 16, [full];\n\
         WAIT: bar.warp.sync -1;\nLOOP: mbarrier.try_wait.parity.shared.b64 %p, [full], 0;\n@!%p bra LOOP;\n\
         ld.shared.u32 %v, [s];\nld.shared.u32 %v, [s+64];\nret;\n}}\n"
    )
}

#[test]
fn too_few_expected_bytes_are_the_cause_of_an_early_phase() {
    let found = findings(&copied(16), "");
    assert_eq!(found[0][..2], ["error", "mbarrier_bytes_left"], "{found:#?}");
    assert!(found[0][2].ends_with("the expect of 16 bytes for phase 0 is here"), "{found:#?}");
    let races: Vec<_> = found.iter().filter(|[_, code, ..]| code == "race").collect();
    assert!(!races.is_empty() && races.iter().all(|[.., help]| help.contains("mbarrier_bytes_left")), "{found:#?}");
    assert_eq!(findings(&copied(32), ""), [[""; 4]; 0]);
}

/// Warp 0 copies twice to the same bytes, which warp 1 loads between the copies; `wait` is executed before the second copy.
fn reused(wait: &str) -> String {
    let copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%g], 16, [full];";
    format!(
        ".global .align 16 .b32 g[64];\n.visible .entry k() .reqntid 64\n{{\n.shared .align 16 .b32 s[64];\n.shared .align 8 .b64 full;\n\
         .shared .align 8 .b64 empty;\n.reg .b32 %t, %v;\n.reg .b64 %g;\n.reg .pred %p, %q;\nmov.u64 %g, g;\nmov.u32 %t, %tid.x;\n\
         setp.ne.u32 %q, %t, 0;\n@%q bra READY;\nmbarrier.init.shared.b64 [full], 1;\nmbarrier.init.shared.b64 [empty], 1;\n\
         fence.proxy.async;\nREADY: bar.sync 0;\nsetp.eq.u32 %p, %t, 0;\n@%p bra PRODUCER;\nsetp.ne.u32 %p, %t, 32;\n@%p bra END;\n\
         FIRST: mbarrier.try_wait.parity.shared.b64 %p, [full], 0;\n@!%p bra FIRST;\nld.shared.u32 %v, [s];\n\
         mbarrier.arrive.shared.b64 _, [empty];\nSECOND: mbarrier.try_wait.parity.shared.b64 %p, [full], 1;\n@!%p bra SECOND;\n\
         ld.shared.u32 %v, [s];\nbra END;\nPRODUCER: mbarrier.arrive.expect_tx.shared.b64 _, [full], 16;\n{copy}\n\
         AGAIN: mbarrier.try_wait.parity.shared.b64 %p, [full], 0;\n@!%p bra AGAIN;\n{wait}\n\
         mbarrier.arrive.expect_tx.shared.b64 _, [full], 16;\n{copy}\nEND: ret;\n}}\n"
    )
}

#[test]
fn the_mbarrier_at_which_no_thread_waits_is_the_remedy() {
    let wait = "FREE: mbarrier.try_wait.parity.shared.b64 %p, [empty], 0;\n@!%p bra FREE;";
    assert_eq!(findings(&reused(wait), ""), [[""; 4]; 0]);
    let found = findings(&reused(""), "");
    let race = found.iter().find(|[_, code, ..]| code == "race").unwrap_or_else(|| panic!("{found:#?}"));
    assert!(
        race[3].contains("wait before it at the mbarrier `empty`") && race[3].contains("at which warp 1 arrives"),
        "{race:#?}"
    );
}

#[test]
fn a_null_pointer_variable_is_noted_and_managed_variables_are_read() {
    let text = |attribute: &str| {
        format!(
            ".global {attribute} .align 8 .u64 p;\n.visible .entry k() .reqntid 32\n{{\n.reg .b64 %p;\nld.global.u64 %p, [p];\n\
             st.global.u32 [%p], 1;\nret;\n}}\n"
        )
    };
    let codes: Vec<String> = findings(&text(""), "").into_iter().map(|[_, code, ..]| code).collect();
    assert_eq!(codes, ["bad_access", "variable_not_set"]);
    let given = findings(&text(".attribute(.managed)"), "--arg p=new:[u32:1]");
    assert!(given.is_empty(), "{given:#?}");
}

#[test]
fn a_verdict_for_every_schedule_is_of_the_kernel_that_runs() {
    let bench = Bench::new();
    let text = format!(
        "{HEAD}.visible .entry other() .reqntid 32 {{ .reg .b32 %v; activemask.b32 %v; ret; }}\n\
         .func add(.param .b32 v)\n{{\nret;\n}}\n.visible .entry k() .reqntid 32\n{{\n.reg .b64 %f;\nmov.u64 %f, add;\n\
         PROTOTYPE: .callprototype _ (.param .b32 _);\n{{ .param .b32 a; st.param.b32 [a], 1; call %f, (a), PROTOTYPE; }}\nret;\n}}\n"
    );
    bench.file("k.ptx", text);
    let done = bench.run("check k.ptx --kernel k");
    assert!(done.stdout.contains("\nevery schedule: "), "{}{}", done.stdout, done.stderr);
    let other = bench.run("check k.ptx --kernel other");
    assert!(other.stdout.contains("not proved for every schedule"), "{}{}", other.stdout, other.stderr);
}

#[test]
fn calls_of_the_heap_are_listed() {
    let bench = Bench::new();
    let text = format!(
        "{HEAD}.extern .func free (.param .b64 p);\n.visible .entry k() .reqntid 32\n{{\n{{ .param .b64 a; st.param.b64 [a], 0; call free, (a); }}\nret;\n}}\n"
    );
    bench.file("k.ptx", text);
    let done = bench.run("kernels k.ptx");
    assert!(done.stdout.contains("device heap    free, line "), "{}{}", done.stdout, done.stderr);
    assert_eq!(bench.run("check k.ptx").code, 0);
}

#[test]
fn wrong_names_are_answered_with_the_right_ones() {
    let bench = Bench::new();
    let text = format!(
        "{HEAD}.global .align 8 .u64 total;\n.visible .entry k(.param .u32 ma, .param .u32 mb) .reqntid 32 {{ ret; }}\n"
    );
    bench.file("k.ptx", text);
    let near = bench.run("check k.ptx --arg mB=1");
    assert!(near.stderr.contains("did you mean `--arg mb=…`?"), "{}", near.stderr);
    let launch = |args: &str, expect: &str| {
        bench.file("l.toml", format!("program = \"k.ptx\"\n[[launch]]\nargs = {args}\n{expect}"));
        bench.run("check l.toml").stderr
    };
    let typo = launch("{ ma = 1, nb = 2 }", "");
    assert!(typo.contains("l.toml:3:18") && typo.contains("^^ expected a parameter"), "{typo}");
    let variable = launch("[1, 2]", "[[expect]]\nbuffer = \"total\"\nvalue = 0\n");
    assert!(variable.contains("for a variable of the program add the line `[variables.total]`"), "{variable}");
    let tensor = bench.run("check k.ptx --arg ma=tensor:[64,64,swizzle=128B]:f16:[128,64]");
    assert!(tensor.stderr.contains("`tensor:[64,64]:swizzle=128B:@x`"), "{}", tensor.stderr);
    bench.file("s.ptx", format!("{HEAD}.global .align 8 .b8 pair[16];\n.visible .entry k() .reqntid 32 {{ ret; }}\n"));
    let structure = bench.run("check s.ptx --arg pair=new:[u64:1,u64:2]");
    assert!(structure.stderr.contains("give a structure by its fields: `fields:[…]`"), "{}", structure.stderr);
}
