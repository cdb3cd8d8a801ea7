// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Invalid input: exit code 2, a message with location, expectation and remedy, and no output files.

use crate::common::{example, Bench};

/// Runs the command, and expects exit code 2, an error that contains all of `parts`, and no new file.
fn refused(bench: &Bench, arguments: &str, parts: &[&str]) {
    let before = bench.files();
    let done = bench.run(&format!("{arguments} --wave w.vcd"));
    assert_eq!(done.code, 2, "{arguments}: {done:?}");
    assert_eq!(done.stdout, "", "{arguments}");
    for part in parts {
        assert!(done.stderr.contains(part), "{arguments}: `{part}` in\n{}", done.stderr);
    }
    assert_eq!(bench.files(), before, "{arguments}");
}

#[test]
fn wrong_assembly_is_shown_with_line_column_and_excerpt() {
    let cases: &[(&str, &[&str])] = &[
        ("EXIT\nBAR.SINK 0x0\n", &["p.bcu:2:1", "BAR.SINK", "^^^^^^^^"]),
        ("BAR.SYNC 0x10\n", &["p.bcu:1:10", "barrier 0x10 does not exist", "0 to 15", "^^^^"]),
        ("BAR.SYNC 0x1, 33\n", &["p.bcu:1:15", "32", "^^"]),
        ("BAR.ARV 0x1, 4096\n", &["p.bcu:1:14", "4096", "^^^^"]),
        ("BAR.ARV 0x1, 0\n", &["p.bcu:1:14", "count"]),
        ("BAR.SYNC 0x0, 0x4", &["p.bcu:1:15", "32"]),
        ("BAR.SYNC", &["p.bcu:1:"]),
        ("BAR.SYNC 0x1,", &["p.bcu:1:"]),
        ("/* open", &["p.bcu:1:1", "not closed"]),
        ("BAR.SYNC 0x1, 33", &["write 32 or 64"]),
        ("BAR.SNYC 0x1", &["did you mean `BAR.SYNC`?"]),
        (".cta_warps 2\n.warps 2\nEXIT\n", &["p.bcu:2:", "warp"]),
        (".warps 99\nEXIT\n", &["p.bcu:1:", "warp"]),
        ("NOP 0\n", &["p.bcu:1:"]),
        ("", &["p.bcu:1:1", "this text has no instruction to run", "`BAR.SYNC 0x0`"]),
        (" \n# nothing\n", &["p.bcu:1:1", "this text has no instruction to run"]),
    ];
    for (text, parts) in cases {
        let bench = Bench::new();
        bench.file("p.bcu", text);
        refused(&bench, "run p.bcu", parts);
    }
}

#[test]
fn the_known_instructions_are_listed_once() {
    let bench = Bench::new();
    let text: String = (0..20).map(|n| format!("QQQQQQQQ{n}\n")).collect();
    bench.file("p.bcu", &text);
    for command in ["run p.bcu", "asm p.bcu"] {
        let done = bench.run(command);
        assert_eq!(done.code, 2, "{done:?}");
        assert_eq!(done.stderr.matches("unknown instruction").count(), 20, "{}", done.stderr);
        assert_eq!(done.stderr.matches("the instructions are ").count(), 1, "{}", done.stderr);
    }
    // A short help is repeated at each location.
    bench.file("p.bcu", "BAR.SNYC 0x1\nBAR.SNYC 0x2\n");
    assert_eq!(bench.run("run p.bcu").stderr.matches("did you mean `BAR.SYNC`?").count(), 2);
}

#[test]
fn wrong_ptx_is_shown_with_line_column_and_excerpt() {
    let kernel = |body: &str| format!(".version 8.0\n.target sm_80\n.visible .entry k() .reqntid 64\n{{\n{body}\n}}\n");
    let cases: &[(&str, &[&str])] = &[
        ("bar.sync 16;", &["k.ptx:5:10", "15"]),
        ("bar.sync 0, 33;", &["k.ptx:5:13", "32"]),
        ("bar.arrive 1, 0;", &["k.ptx:5:"]),
        ("bar.sink 1;", &["k.ptx:5:"]),
        ("bar.sync 1", &["k.ptx:"]),
    ];
    for (body, parts) in cases {
        let bench = Bench::new();
        bench.file("k.ptx", kernel(body));
        refused(&bench, "run k.ptx", parts);
    }
    let bench = Bench::new();
    bench.file("k.ptx", "");
    refused(&bench, "run k.ptx", &["k.ptx:1:1", "no instruction to run"]);
    let whole = kernel("bar.sync 1, 64;");
    for cut in [5, 20, 40, 60, whole.len() - 3] {
        let bench = Bench::new();
        bench.file("k.ptx", &whole[..cut]);
        refused(&bench, "run k.ptx", &["k.ptx:"]);
    }
}

#[test]
fn scopes_that_nest_too_deeply_are_one_error() {
    let bench = Bench::new();
    let braces = format!("{}{}", "{".repeat(5000), "}".repeat(5000));
    bench.file("k.ptx", format!(".version 8.0\n.target sm_80\n.visible .entry k() .reqntid 32\n{{\n{braces}\nret;\n}}\n"));
    refused(&bench, "run k.ptx", &["k.ptx:5:", "scopes nest deeper than 32 levels"]);
    assert_eq!(bench.run("run k.ptx").stderr.matches("error: ").count(), 1);
}

#[test]
fn lines_may_end_in_carriage_returns_alone() {
    let bench = Bench::new();
    let text = ".version 8.0\n.target sm_80\n// a kernel\n.visible .entry k() .reqntid 32\n{\nbar.sync 0;\nbar.sync 16;\n}\n";
    bench.file("k.ptx", text.replace('\n', "\r"));
    refused(&bench, "run k.ptx", &["k.ptx:7:10", "15"]);
    bench.file("k.ptx", text.replace('\n', "\r").replace("16", "1"));
    assert_eq!(bench.run("run k.ptx").code, 0);
}

#[test]
fn files_that_are_no_text_are_refused() {
    let bench = Bench::new();
    bench
        .file("elf.bcu", b"\x7fELF\x02\x01\x01\0\0\0\xff\xfe\x80")
        .file("nul.bcu", "EXIT\n\0\0\0")
        .file("cut.ptx", b"bar.sync 0; // caf\xc3");
    refused(&bench, "run elf.bcu", &["not a text file", "offset 10"]);
    refused(&bench, "run nul.bcu", &["nul.bcu:2:1", "U+0000"]);
    refused(&bench, "run cut.ptx", &["not a text file", "offset 18"]);
    refused(&bench, "run --machine elf.bcu", &["not a text file"]);
    refused(&bench, "run --config ./elf.bcu", &["not a text file"]);
}

#[test]
fn a_file_of_100_mb_is_refused_without_reading_it_all() {
    let bench = Bench::new();
    let file = std::fs::File::create(bench.path("big.bcu")).unwrap();
    file.set_len(100_000_000).unwrap();
    refused(&bench, "run big.bcu", &["big.bcu is larger than the maximum of 16 MiB"]);
    refused(&bench, "run --machine big.bcu", &["larger than the maximum of 16 MiB"]);
    // The size is within the limit of files, and above the limit of programs.
    bench.file("long.bcu", "NOP 1\n".repeat(2_000_000)).file("long.ptx", "bar.sync 0;\n".repeat(1_300_000));
    refused(&bench, "run long.bcu", &["long.bcu", "expected at most"]);
    refused(&bench, "run long.ptx", &["long.ptx"]);
}

#[test]
fn wrong_machines_are_shown_where_they_are_wrong() {
    let deep = format!("a = {}{}\n", "[".repeat(5000), "]".repeat(5000));
    let cases: &[(&str, &[&str])] = &[
        ("polcy = 'random'\n", &["m.toml:1:1", "unknown field `polcy`", "`policy`", "^^^^^"]),
        ("[latency]\nshred = 3\n", &["m.toml:2:1", "`shred`", "`shared`"]),
        ("seed = -1\n", &["m.toml:1:8"]),
        ("max_cycles = 0\n", &["m.toml:1:14", "a whole number, 1 or more"]),
        ("policy = 'fifo'\n", &["m.toml:1:10", "`round_robin`"]),
        ("[[cta]]\nwarps = 99\n", &["99 warps", "32 warps"]),
        ("[[cta]]\nbarriers = 17\n", &["m.toml:2:12", "17 barriers declared", "0 to 16"]),
        ("[[cta]]\nbarriers = 0x11\n", &["m.toml:2:12", "0x11 barriers declared", "0 to 16"]),
        ("[[cta]]\nprograms = ['producer', 'cosumer']\n", &["m.toml:2:25", "`cosumer`", "consumer"]),
        ("[[cta]]\nwarps = 4000000000\n", &["warps", "32 warps"]),
        ("[[cta]]\ncount = 99999\n", &["m.toml:", "99999"]),
        ("[latency\n", &["m.toml:1:"]),
        ("seed = ", &["m.toml:1:"]),
        (&deep, &["m.toml:1:", "nest too deeply", "expected fewer `[`"]),
    ];
    for (text, parts) in cases {
        let bench = Bench::new();
        bench.file("m.toml", text);
        refused(&bench, "run --machine m.toml", parts);
    }
}

#[test]
fn wrong_configurations_are_refused() {
    let bench = Bench::new();
    refused(&bench, "run --config tinny", &["`tinny`: unknown configuration", "tiny"]);
    refused(&bench, "run --config absent.toml", &["cannot read absent.toml"]);
    let tiny = bench.run("configs tiny").stdout;
    bench.file("unknown.toml", format!("{tiny}colour = 3\n")).file("cut.toml", &tiny[..tiny.len() / 2]);
    bench.file("size.toml", tiny.replace("warps = 4", "warps = 5"));
    refused(&bench, "run --config unknown.toml", &["unknown.toml:", "unknown field `colour`"]);
    refused(&bench, "run --config cut.toml", &["cut.toml:"]);
    // `BCU_REBUILT` marks a companion that was already rebuilt. If it still lacks the size, it does not rebuild itself again.
    let export = ["export", "--config", "size.toml", "--out", "rtl"];
    let done = bench.command().args(export).env("BCU_REBUILT", "1").output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(
        done.status.code() == Some(2) && said.contains("bcu-rtl was built without the sizes of the configuration size"),
        "{said}"
    );
    assert!(bench.files().iter().all(|f| f.ends_with(".toml")));
    bench.file("my unit.toml", &tiny);
    let done = bench.command().args(["export", "--config", "my unit.toml", "--out", "rtl"]).output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8(done.stderr).unwrap().contains("rename the file") && !bench.path("rtl").exists());
}

#[test]
fn programs_and_warps_that_do_not_fit_are_refused() {
    let bench = Bench::new();
    bench.file("a.bcu", "EXIT\n").file("b.bcu", "EXIT\n").file("notes.txt", "EXIT\n");
    refused(&bench, "run absent.bcu", &["cannot read absent.bcu"]);
    refused(&bench, "run .", &["it is a folder; expected a file"]);
    refused(&bench, "run notes.txt", &["notes.txt", "`.bcu`", "`.ptx`"]);
    refused(&bench, "run a.bcu --warps 33", &["33 warps", "32 warps"]);
    refused(&bench, "run a.bcu --warps 5 --config tiny", &["5 warps", "4 warps"]);
    refused(&bench, "run a.bcu --warps 0", &["--warps"]);
    refused(&bench, "run a.bcu b.bcu --warps 3", &["programs for 2 warps", "3 warps"]);
    refused(&bench, "run a.bcu b.bcu --role a=0", &["no warp executes `b`"]);
    refused(&bench, "run a.bcu b.bcu --role a=0 --role c=1", &["unknown program `c`"]);
    refused(&bench, "run a.bcu b.bcu --role a=0 --role b=2", &["warp 1 has no role"]);
    refused(&bench, "run a.bcu b.bcu --role a=0-1 --role b=1", &["warp 1 has two roles"]);
    refused(&bench, "run a.bcu --role a=0", &[".warps"]);
    refused(&bench, "run a.bcu --role a", &["ENTRY=WARPS"]);
    let ptx = example("producer_consumer.ptx");
    refused(&bench, &format!("run {ptx} --role producer=0 --role cosumer=1"), &["cosumer", "consumer"]);
}

#[test]
fn wrong_visa_is_shown_with_its_place_and_needs_a_gateway() {
    let bench = Bench::new();
    bench.file("k.visa", "// threads\n  nbarrier.signal 0x20:ub 0x4:ub\nnbarrier.wait V1\n");
    refused(
        &bench,
        "run k.visa",
        &["k.visa:2:19", "barrier 32 does not exist", "0 to 31", "k.visa:3:15", "V1 is not declared"],
    );
    bench.file("k.visa", "nbarrier.signal 0x1:ub 0x1:ub\nnbarrier.wait 0x1:ub\n");
    refused(&bench, "run k.visa --config default", &["line 1", "needs Intel's gateway", "`--config intel`"]);
    refused(&bench, "run k.visa --role a=0", &["`--role` names a PTX entry", ".threads 1-3"]);
    bench.file("k.bcu", "BAR.SYNC 0x1\n");
    refused(&bench, "run k.bcu --config intel", &["line 1", "needs the unit `named`", "`--config default`"]);
    for arguments in ["run k.visa", "check k.visa --config intel_tiny", "run - --lang visa"] {
        let done = bench.run_with(arguments, "nbarrier.signal 1 1\nnbarrier.wait 1\n");
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{arguments}: {done:?}");
    }
}

/// A kernel with a buffer as its parameter.
const COPY: &str =
    ".version 8.0\n.target sm_90\n.visible .entry k(.param .u64 x) {\n.reg .u64 a;\nld.param.u64 a, [x];\nret;\n}\n";

#[test]
fn files_beside_a_program_are_refused_at_their_own_places() {
    let launch = |lines: &str| {
        format!("program = \"k.ptx\"\n[buffers.x]\ntype = \"f32\"\nshape = [4]\n[[launch]]\nargs = [\"x\"]\n{lines}")
    };
    let cases: &[(&str, &[&str])] = &[
        ("block = [8]\ngrid = [1000000, 2]\n", &["l.toml:8:8", "a grid of 2000000 CTAs", "expected 1 to 4096"]),
        ("block = [-1]\n", &["l.toml:7:10", "`-1` is not valid here", "expected a whole number from 0 to 4294967295"]),
        ("block = [8.5]\n", &["l.toml:7:10", "`8.5`", "expected a whole number"]),
        ("block = 8\n", &["l.toml:7:9", "`8`", "expected a list in brackets"]),
        ("block = \"x\"\n", &["l.toml:7:9", "expected a list in brackets"]),
    ];
    for (lines, parts) in cases {
        let bench = Bench::new();
        bench.file("k.ptx", COPY).file("l.toml", launch(lines));
        refused(&bench, "run l.toml", parts);
    }
    let machine: &[(&str, &[&str])] = &[
        ("seed = \"x\"\n", &["m.toml:1:8", "`\"x\"` is not valid here", "a whole number, 0 or more"]),
        ("max_cycles = 0\n", &["m.toml:1:14", "`0`", "a whole number, 1 or more"]),
        ("seed = 1\nsed = 2\n", &["m.toml:2:1", "unknown field `sed`", "remove this key"]),
    ];
    for (text, parts) in machine {
        let bench = Bench::new();
        bench.file("k.ptx", COPY).file("m.toml", text);
        refused(&bench, "run k.ptx --block 4 --machine m.toml", parts);
    }
    let whole = std::fs::read_to_string(example("../hw/configs/default.toml")).unwrap();
    let cut: String = whole.lines().filter(|line| !line.starts_with("warps ")).map(|line| format!("{line}\n")).collect();
    let bench = Bench::new();
    bench.file("k.ptx", COPY).file("c.toml", &cut);
    let last = format!("c.toml:{}:", cut.trim_end().lines().count());
    refused(
        &bench,
        "run k.ptx --block 4 --config c.toml",
        &[&last, "the key `warps` is missing", "every key of hw/configs/default.toml"],
    );
}

#[test]
fn options_are_refused_in_the_words_of_their_reader() {
    let cases: &[(&str, &[&str])] = &[
        ("run k.ptx --block 4 --max-cycles 0", &["expected a number from 1 to 4294967295"]),
        ("run k.ptx --block 4 --max-cycles x", &["expected a number from 1 to 4294967295"]),
        ("run nosuch", &["cannot read nosuch"]),
        ("run -", &["standard input is empty", "bcu run - < kernel.ptx"]),
        ("run k.ptx --block 4 --arg x=f32:[4]:0 --out x=k.ptx", &["cannot write the buffer k.ptx", "name it like `out.npy`"]),
        (
            "run k.ptx --block 4 --arg x=f32:[4]:0 --out x=out.txt",
            &["cannot write the buffer out.txt", "name it like `out.npy`"],
        ),
        ("run k.ptx --block 4 --arg x=npy:in.npy --out x=in.npy", &["`--out`: in.npy is also an input of the run"]),
        (
            "run k.ptx --block 4 --arg x=npy:in.known.npy --out x=in.npy",
            &["the mask of an `--out`: in.known.npy is also an input of the run"],
        ),
        ("run k.ptx --block 4 --arg x=npy:/dev/zero", &["cannot read", "/dev/zero: it has more than 1024 MiB"]),
        (
            "run k.ptx --block 4 --arg x=f32:[4]:0 --out x=o.npy --out x=./o.npy",
            &["`--out`: ./o.npy is also `--out`", "name another file"],
        ),
        ("run k.ptx --block 4 --arg x=npy:long.npy", &["long.npy", "and 20 bytes follow", "more than the header describes"]),
        ("run k.ptx --block 4 --arg x=npy:short.npy", &["short.npy", "and 12 bytes follow", "cut off"]),
    ];
    let bench = Bench::new();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }".to_string();
    let array = |bytes: usize| {
        let head = format!("{header:117}\n");
        [b"\x93NUMPY\x01\x00\x76\x00".as_slice(), head.as_bytes(), &vec![0; bytes]].concat()
    };
    bench
        .file("k.ptx", COPY)
        .file("in.npy", array(16))
        .file("in.known.npy", array(16))
        .file("long.npy", array(20))
        .file("short.npy", array(12));
    for (arguments, parts) in cases {
        refused(&bench, arguments, parts);
    }
    assert_eq!(
        (bench.text("k.ptx"), bench.run("run k.ptx --block 4 --arg x=npy:in.npy --out x=out.npy").code),
        (COPY.to_string(), 0)
    );
}
