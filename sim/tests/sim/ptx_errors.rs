// SPDX-License-Identifier: Apache-2.0 OR MIT
//! PTX texts with errors: the messages and the marked places.

use super::runs::stopped;
use bcu_isa::diag::Diagnostic;
use bcu_program::ptx::{lower, parse, Launch, Role};

fn errors(text: &str) -> Vec<Diagnostic> {
    match parse(text) {
        Err(errors) => errors,
        Ok(module) => lower(&module, &Launch::new(32)).map(|_| panic!("accepted: {text}")).unwrap_err(),
    }
}

/// Each case: the text, the marked part, the message.
type Case = (&'static str, &'static str, &'static str);

fn check(cases: &[Case]) {
    for (text, marked, message) in cases {
        let found = &errors(text)[0];
        assert_eq!((&text[found.span.clone()], found.message.as_str()), (*marked, *message), "in {text:?}");
    }
}

#[test]
fn ids_and_counts_out_of_range() {
    check(&[
        ("// bcu: threads 64\nbar.sync 16;", "16", "barrier 16 does not exist"),
        ("// bcu: threads 64\nbar.sync 0x10;", "0x10", "barrier 0x10 does not exist"),
        ("// bcu: threads 64\nbar.sync (1<<4);", "(1<<4)", "barrier 16 does not exist"),
        ("// bcu: threads 64\nbar.sync 0, 0x21;", "0x21", "a barrier of 0x21 threads, which are not whole warps"),
        ("// bcu: threads 64\nbar.sync 0, 0x1020;", "0x1020", "a barrier of 0x1020 threads"),
        ("// bcu: threads 64\nbar.sync -1;", "-1", "barrier -1 does not exist"),
        ("// bcu: threads 64\nbar.sync 0, 33;", "33", "a barrier of 33 threads, which are not whole warps"),
        ("// bcu: threads 64\nbar.sync 0, 4096;", "4096", "a barrier of 4096 threads"),
        ("// bcu: threads 64\nbar.sync 0, -32;", "-32", "a barrier of -32 threads"),
        ("// bcu: threads 64\nbar.arrive 0, 0;", "0", "an arrival at a barrier of 0 threads"),
        ("// bcu: threads 64\nbra END; bar.sync 99; END: exit;", "99", "barrier 99 does not exist"),
    ]);
    let help = errors("// bcu: threads 64\nbar.sync 0, 4096;")[0].help.clone().unwrap();
    assert!(help.contains("would mean all threads"), "{help}");
    assert_eq!(errors("// bcu: threads 64\nbar.sync 0, 33;")[0].label, "expected a multiple of 32, like 64");
}

#[test]
fn a_name_that_nothing_declares_is_refused() {
    let kernel = |line: &str| {
        format!(
            ".version 8.0\n.target sm_80\n.global .texref image;\n.tex .u32 old;\n.extern .func (.param .u32 r) other (.param .u32 a);\n\
             .global .u32 held[2];\n.entry k(.param .u64 out) {{ .reg .u32 a; .reg .u64 d; {line} ret; }}\n"
        )
    };
    for (line, name, near) in [
        ("mov.u32 a, WARP_SIZE;", "WARP_SIZE", Some("WARP_SZ")),
        ("mov.u64 d, hold;", "hold", Some("held")),
        ("mov.u64 d, hold+4;", "hold", Some("held")),
        ("ld.global.u32 a, [zzzzzzzz];", "zzzzzzzz", None),
        ("st.global.u32 [zzzzzzzz+4], a;", "zzzzzzzz", None),
    ] {
        let text = kernel(line);
        let found = errors(&text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            (&text[found[0].span.clone()], found[0].message.as_str()),
            (name, format!("`{name}` is not declared").as_str())
        );
        assert_eq!(found[0].help.as_deref(), near.map(|near| format!("did you mean `{near}`?")).as_deref());
    }
    for line in [
        "mov.u64 d, held+4;",
        "mov.u64 d, image;",
        "mov.u64 d, old;",
        "mov.u64 d, other;",
        "mov.u64 d, k;",
        "mov.u32 a, WARP_SZ;",
    ] {
        let text = kernel(line);
        assert!(parse(&text).is_ok(), "{line}: {:?}", parse(&text).err());
    }
    // A fragment of a kernel need not declare the names that it uses.
    assert!(parse("// bcu: threads 64\nmov.u32 %r1, somewhere; bar.sync 0;").is_ok());
}

#[test]
fn barriers_that_are_not_in_the_manual() {
    check(&[
        ("bar.arrive 0;", "bar.arrive 0", "`bar.arrive` has 1 operands"),
        ("bar.sync;", "bar.sync", "`bar.sync` has 0 operands"),
        ("bar.sync 0, 64, 1;", "bar.sync 0, 64, 1", "`bar.sync` has 3 operands"),
        ("bar.red.xor.pred p, 0, q;", ".xor", "a barrier cannot reduce by xor"),
        ("bar.red.popc.pred p, 0, q;", ".red", "an incomplete reduction"),
        ("bar.red.and.pred p, 0, 64, q, 1;", "bar.red.and.pred p, 0, 64, q, 1", "`bar.red.and.pred` has 5 operands"),
        ("bar.red.popc.u32 _, 0, p;", "_", "this operand cannot hold the result of the reduction"),
        ("bar.sync.aligned 0;", ".aligned", "`bar` has no modifier `.aligned`"),
        ("bar.sync.cta 0;", ".cta", "`.cta` is misplaced"),
        ("bar.synk 0;", ".synk", "`bar` has no modifier `.synk`"),
        ("bar.sync.sync 0;", ".sync", "the modifier `.sync` is given twice"),
        ("bar 0;", "bar", "`bar` has none of .sync, .arrive and .red"),
        ("bar.sync.arrive 0;", ".arrive", "`bar` has both .sync and .arrive"),
        ("bar.sync.popc 0;", ".popc", "`.sync` does not reduce"),
        ("bar.sync [r];", "[r]", "this operand is neither a constant nor a register"),
        ("bar.sync 1.5;", "1.5", "this operand is neither a constant nor a register"),
        ("bar.red.or.pred p, 0, 64.0;", "64.0", "this operand is not a predicate"),
        (".entry k() { .reg .b64 r; bar.sync r; }", "r", "this register is not a 32-bit integer"),
        (".entry k() { .reg .pred p; bar.sync 0, p; }", "p", "this register is not a 32-bit integer"),
        (
            ".entry k() { .reg .pred p; .reg .u32 r; bar.red.and.pred r, 0, p; }",
            "r",
            "this operand cannot hold the result of the reduction",
        ),
        (".entry k() { .reg .u32 r; bar.red.popc.u32 r, 0, r; }", "r", "this operand is not a predicate"),
        (".entry k() { bar.sync CNT; }", "CNT", "`CNT` is not declared as a register"),
    ]);
    assert_eq!(errors("bar.synk 0;")[0].help.as_deref(), Some("did you mean `.sync`?"));
}

#[test]
fn statements_that_make_no_sense() {
    check(&[
        ("barr.sync 0;", "barr", "`barr` is not a PTX instruction"),
        ("bar.sync 0", "", "the text ends, expected `;`"),
        ("bar.sync 0 bar.sync 1;", "bar", "found `bar`, expected `;`"),
        ("bar.sync 0, ;", ";", "found `;`, expected an operand"),
        ("ld.global r, [a;", "[", "a bracket is not closed"),
        (".entrie k() { ret; }", ".entrie", "`.entrie` is not a statement here"),
        (".entry k() { ret;", "{", "`k` is not closed"),
        (
            ".entry k() { .shrd .b8 x; ret; }",
            ".shrd",
            "found `.shrd`, expected `.reg`, `.shared`, `.local`, `.param`, `.pragma`, `.loc` or an instruction",
        ),
        (".entry k() { .reg .q32 r; ret; }", ".q32", "`.q32` is not a register type"),
        (".entry k() { .reg .u32 %r<3>; mov.u32 %r3, 1; }", "%r3", "the register `%r3` is not declared here"),
        (".entry k() { .reg .u32 r; mov.u32 r, %tld.x; }", "%tld", "the register `%tld` is not declared here"),
        (".entry k() { .reg .u32 r; mov.u32 r, %tid.q; }", ".q", "`%tid` has no `.q`"),
        (".entry k() { { .reg .pred p; } @p ret; }", "p", "the register `p` is not declared here"),
        (".entry k() { { L: ret; } bra L; }", "L", "label `L` is not defined here"),
        (".entry k() { L: L: ret; }", "L", "the label `L` is defined twice in this scope"),
        (".entry k() { ret; } .entry k() { ret; }", "k", "`k` is defined twice in this text"),
        (".entry k() { ret; } bar.sync 0;", "bar", "an instruction outside of the kernels"),
        ("}", "}", "found `}`, expected an instruction; no `{` is open"),
        ("{ ret;", "{", "a `{` after this is not closed"),
        ("#define N 1/0\nbar.sync 0;", "1/0", "this constant has no value in 64 bits"),
        ("#define N 1 2\nbar.sync 0;", "2", "found `2`, expected the end of the line"),
        ("", "", "this text has no kernel and no instruction to run"),
        (".func f() { bar.sync 0; ret; }", "", "this text has no kernel and no instruction to run"),
    ]);
    assert_eq!(errors("barr.sync 0;")[0].help.as_deref(), Some("did you mean `bar`?"));
    assert_eq!(errors(".entry k() { LOOP: bra LOPP; }")[0].help.as_deref(), Some("did you mean `LOOP`?"));
}

#[test]
fn a_misspelt_directive_says_which_one_was_meant() {
    for (comment, help) in [
        ("parm r0 64", "did you mean `param`? write it like `// bcu: param NAME VALUE`"),
        ("Param r0 64", "did you mean `param`? write it like `// bcu: param NAME VALUE`"),
        ("thread 64", "did you mean `threads`? write it like `// bcu: threads 64`"),
        ("wraps 0 run main", "did you mean `warps`? write it like `// bcu: warps 0-1 run NAME`"),
        ("param r0", "write it like `// bcu: param NAME VALUE`"),
        ("warps 0", "write it like `// bcu: warps 0-1 run NAME`"),
        ("shape 64", "the directives are `threads 64`, `warps 0-1 run NAME`, `param NAME VALUE`"),
        ("", "the directives are `threads 64`, `warps 0-1 run NAME`, `param NAME VALUE`"),
    ] {
        let found = errors(&format!("// bcu: threads 64\n// bcu: {comment}\nbar.sync 0;"));
        assert_eq!((found.len(), found[0].help.as_deref()), (1, Some(help)), "{comment}: {found:?}");
    }
}

#[test]
fn several_kernels_are_told_with_the_way_to_choose_one() {
    let help = |text: &str| errors(text)[0].help.clone().unwrap();
    let said = help(".entry a() .reqntid 256 { ret; } .entry b() { ret; }");
    let expected =
        "this text has `a`, `b`; choose one with `--kernel a`, or give each its warps in a comment: `// bcu: warps 0-1 run a`";
    assert_eq!(said, expected);
}

#[test]
fn only_parameters_of_a_kernel_have_values() {
    let kernel = |given: &str| {
        format!(
            "// bcu: threads 32\n{given}.func (.param .u32 retval0) f() {{ ret; }}\n\
             .entry k(.param .u32 n, .param .align 8 .b8 box[16]) {{ .reg .u32 r; {{ .param .u32 retval0; call (retval0), f; \
             ld.param.u32 r, [retval0]; }} bar.sync r; ret; }}"
        )
    };
    for (given, help) in [
        ("retval0", "the parameters are `n`, `box`; the result of a call is not a parameter that can be given"),
        ("bux", "did you mean `box`? the parameters are `n`, `box`"),
    ] {
        let found = errors(&kernel(&format!("// bcu: param {given} 64\n")));
        assert_eq!(
            (found.len(), found[0].message.clone()),
            (1, format!("no kernel here has a parameter `{given}`")),
            "{found:?}"
        );
        assert_eq!(found[0].help.as_deref(), Some(help));
    }
    let found = errors("// bcu: threads 32\n// bcu: param n 1\n.entry k() { ret; }");
    assert_eq!(
        found[0].help.as_deref(),
        Some("the kernels here have no parameters; the result of a call is not a parameter that can be given")
    );
    // The help of the run, at the use of the missing value, does not propose a `// bcu: param`, which cannot give a result of a call.
    let help = stopped(&kernel("// bcu: param n 1\n")).diagnostic.help.unwrap();
    assert!(help.contains("`ld.param.u32 r, [retval0]`, which reads memory that was never written"), "{help}");
    assert!(!help.contains("// bcu: param"), "{help}");
}

#[test]
fn launches_that_do_not_fit() {
    check(&[
        ("bar.sync 0;", "bar", "the number of threads of a CTA is not given"),
        ("// bcu: threads 0\nbar.sync 0;", "threads 0", "a number of threads is 1 to 3 sizes above 0"),
        ("// bcu: threads 4096\nbar.sync 0;", "threads 4096", "a CTA of 4096 threads, in warps of 32"),
        ("// bcu: thread 64\nbar.sync 0;", "thread 64", "unknown `bcu:` comment"),
        ("// bcu: threads 64\n// bcu: threads 64\nbar.sync 0;", "threads 64", "the number of threads is given twice"),
        ("// bcu: warps 1-0 run a\nbar.sync 0;", "warps 1-0 run a", "a list of warps is numbers and ranges, like `0, 2-3`"),
        ("// bcu: param n x\nbar.sync 0;", "param n x", "the value of a parameter is an integer"),
        ("// bcu: warps 0 run b\n.entry a() { ret; }", "warps 0 run b", "`b` is not a kernel or section of this text"),
        ("// bcu: warps 1 run a\n.entry a() { ret; }", "warps 1 run a", "warp 0 of 2 has no role"),
        ("// bcu: warps 0-1 run a\n// bcu: warps 1 run a\n.entry a() { ret; }", "warps 1 run a", "warp 1 has two roles"),
        (
            "// bcu: threads 32\n// bcu: warps 0-1 run a\n.entry a() { ret; }",
            "warps 0-1 run a",
            "warp 1 does not exist: the CTA has 1 warps (32 threads)",
        ),
        (".entry a() { ret; } .entry b() { ret; }", "b", "the text has several kernels, and no warps are assigned to them"),
        (
            "// bcu: threads 32\n.entry a() .reqntid 64 { ret; }",
            "a",
            "`a` has .reqntid [64, 1, 1], and the CTA has [32, 1, 1] threads",
        ),
        (
            "// bcu: threads 96\n.entry a() .maxntid 64 { ret; }",
            "a",
            "`a` has .maxntid [64, 1, 1], and the CTA has [96, 1, 1] threads",
        ),
        (
            ".entry a() .reqntid 4294967295, 4294967295, 4294967295 { ret; }",
            "a",
            "a CTA of 18446744073709551615 threads, in warps of 32",
        ),
    ]);
    let module = parse("bar.sync 0;").unwrap();
    let found = |launch: Launch| lower(&module, &launch).unwrap_err()[0].message.clone();
    for lanes in [0, 33, 64] {
        assert!(found(Launch::new(lanes)).starts_with(&format!("a warp of {lanes} lanes")));
    }
    let role = Role { entry: "mian".into(), first: 0, last: u32::MAX };
    assert_eq!(
        found(Launch { roles: vec![role.clone()], ..Launch::new(32) }),
        "`mian` is not a kernel or section of this text"
    );
    let role = Role { entry: "main".into(), ..role };
    assert!(found(Launch { roles: vec![role], ..Launch::new(32) }).contains("in warps of 32"));
}

#[test]
fn one_text_gives_all_its_complaints_in_order() {
    let text = "// bcu: threads 64\nbar.sync 0;\nbarr.sync 1;\n  bar.sync 0, 64, 2;\nbar.arrive 1;\n";
    let lines: Vec<(usize, usize)> = parse(text).unwrap_err().iter().map(|e| e.position(text)).collect();
    assert_eq!(lines, [(3, 1), (4, 3), (5, 1)]);
    assert_eq!(parse(&"barr 0;\n".repeat(1000)).unwrap_err().len(), 20);
    assert!(parse(&"x".repeat(100_000)).unwrap_err()[0].message.len() < 300);
}
