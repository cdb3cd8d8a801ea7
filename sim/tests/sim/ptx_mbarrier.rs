// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `mbarrier` in PTX texts: every form, its required version and target (as in `ptxas`), and every error with its location.

use bcu_isa::diag::Diagnostic;
use bcu_program::ptx::parse;

/// A kernel with registers and variables of every kind, and these instructions.
fn kernel(version: &str, target: &str, lines: &str) -> String {
    format!(
        ".version {version}\n.target {target}\n.address_size 64\n.entry k() {{\n.reg .b64 s, a64, g;\n.reg .b32 a, n, u;\n.reg .f32 f;\n\
         .reg .b16 h;\n.reg .pred p;\n.shared .align 8 .b64 o[2];\n{lines}\nret;\n}}\n"
    )
}

fn newest(lines: &str) -> Result<(), Diagnostic> {
    parse(&kernel("9.0", "sm_100", lines)).map(|_| ()).map_err(|found| found[0].clone())
}

/// Each form, with the first version for sm_80 and for sm_90; an empty string means none.
const FORMS: &[(&str, &str, &str)] = &[
    ("mbarrier.init.shared.b64 [o], n;", "7.0", "7.0"),
    ("mbarrier.init.b64 [a64+8], 1;", "7.0", "7.0"),
    ("mbarrier.init.shared::cta.b64 [o+8], 1048575;", "7.8", "7.8"),
    ("mbarrier.inval.shared.b64 [a];", "7.0", "7.0"),
    ("mbarrier.arrive.shared.b64 s, [a];", "7.0", "7.0"),
    ("mbarrier.arrive.b64 s, [a64];", "7.0", "7.0"),
    ("mbarrier.arrive.shared.b64 _, [a];", "7.1", "7.1"),
    ("mbarrier.arrive.shared.b64 s, [a], n;", "", "7.8"),
    ("mbarrier.arrive.noComplete.shared.b64 s, [a], n;", "7.0", "7.0"),
    ("mbarrier.arrive.noComplete.shared.b64 _, [a], 2;", "7.1", "7.1"),
    ("mbarrier.arrive.noComplete.release.cta.shared.b64 s, [a], n;", "8.0", "8.0"),
    ("mbarrier.arrive.release.cta.shared::cta.b64 s, [a];", "8.0", "8.0"),
    ("mbarrier.arrive.release.cluster.shared::cta.b64 s, [a];", "", "8.0"),
    ("mbarrier.arrive.relaxed.cta.shared::cta.b64 s, [a];", "", "8.6"),
    ("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [a];", "", "8.0"),
    ("mbarrier.arrive.shared::cluster.b64 _, [a], n;", "", "8.0"),
    ("mbarrier.arrive.expect_tx.shared::cta.b64 s, [a], n;", "", "8.0"),
    ("mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [a], n;", "", "8.6"),
    ("mbarrier.arrive_drop.shared.b64 s, [a];", "7.0", "7.0"),
    ("mbarrier.arrive_drop.expect_tx.shared::cluster.b64 _, [a], 0;", "", "8.0"),
    ("mbarrier.arrive_drop.noComplete.shared.b64 s, [a], n;", "7.0", "7.0"),
    ("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [a], n;", "", "8.0"),
    ("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [a], n;", "", "8.0"),
    ("mbarrier.test_wait.shared.b64 p, [a], s;", "7.0", "7.0"),
    ("mbarrier.test_wait.parity.shared.b64 p, [a], n;", "7.1", "7.1"),
    ("mbarrier.test_wait.acquire.cta.shared::cta.b64 p, [a], s;", "8.0", "8.0"),
    ("mbarrier.test_wait.relaxed.cluster.shared::cta.b64 p, [a], s;", "", "8.6"),
    ("mbarrier.try_wait.shared.b64 p, [a], s;", "", "7.8"),
    ("mbarrier.try_wait.parity.shared::cta.b64 p, [a], 1, n;", "", "7.8"),
    ("mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [a], 0;", "", "8.0"),
    ("mbarrier.pending_count.b64 n, s;", "7.0", "7.0"),
    ("cp.async.mbarrier.arrive.shared.b64 [a];", "7.0", "7.0"),
    ("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [a];", "7.8", "7.8"),
    ("cp.async.mbarrier.arrive.b64 [a64];", "7.0", "7.0"),
    ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [u], [g], 16, [a];", "", "8.0"),
    ("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [u], [g], n, [a];", "", "8.6"),
    ("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [u], [u], 16, [a];", "", "8.0"),
    ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [u], [g], 16, [a], 1;", "", "8.0"),
    ("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [u], [g, {n, n}], [a];", "", "8.0"),
    ("cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [u], [g, {n}], [a];", "", "8.6"),
    (
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [u], [g, {n}], [a], h;",
        "",
        "8.0",
    ),
    ("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [u], n, [a];", "", "8.1"),
    ("st.async.cluster.shared::cluster.mbarrier::complete_tx::bytes.f32 [u], 0f3F800000, [a];", "", "8.1"),
    ("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [u], {n, 1, n, n}, [o];", "", "8.1"),
    ("st.async.mbarrier::complete_tx::bytes.b64 [a64], s, [g];", "", "8.1"),
    ("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [u], s, [a];", "", "8.1"),
    ("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [u], n, [a];", "", "8.1"),
    ("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [u], n, [a];", "", "8.1"),
    ("red.async.relaxed.cluster.mbarrier::complete_tx::bytes.xor.b32 [a64], n, [g];", "", "8.1"),
    ("mapa.shared::cluster.u32 u, a, n;", "", "7.8"),
    ("mapa.u64 a64, g, 0;", "", "7.8"),
    ("getctarank.shared::cluster.u32 n, a;", "", "7.8"),
    ("fence.mbarrier_init.release.cluster;", "", "8.0"),
    ("fence.proxy.async;", "", "8.0"),
    ("fence.proxy.async.shared::cta;", "", "8.0"),
    ("fence.proxy.alias;", "7.5", "7.5"),
    ("fence.sc.cta;", "6.0", "6.0"),
    ("fence.acq_rel.cluster;", "", "7.8"),
    ("fence.acquire.cta;", "", "8.6"),
    ("fence.release.sync_restrict::shared::cta.cluster;", "", "8.6"),
    ("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;", "", "8.6"),
    ("fence.proxy.tensormap::generic.release.gpu;", "", "8.3"),
    ("membar.gl;", "1.4", "1.4"),
];

/// The version before `version` in the list of all versions that introduced a form; `None` for the first version.
fn before(version: &str) -> Option<&'static str> {
    const ALL: [&str; 12] = ["1.4", "5.0", "6.0", "7.0", "7.1", "7.5", "7.8", "8.0", "8.1", "8.3", "8.5", "8.6"];
    let at = ALL.iter().position(|known| *known == version)?;
    at.checked_sub(1).map(|at| ALL[at])
}

#[test]
fn every_form_is_read_from_its_version_and_target_on() {
    for (line, sm_80, sm_90) in FORMS {
        for (target, first) in [("sm_80", sm_80), ("sm_90", sm_90)] {
            let refused = |version: &str| parse(&kernel(version, target, line)).err().map(|found| found[0].clone());
            if first.is_empty() {
                let found = refused("9.0").unwrap_or_else(|| panic!("{line} on {target}"));
                assert!(found.message.contains("needs sm_90, the target of this text is sm_80"), "{line}: {found:?}");
                assert_eq!(found.help.as_deref(), Some("raise `.target` to sm_90 or newer"), "{line}");
                continue;
            }
            assert_eq!(refused(first), None, "{line} in {first} on {target}");
            let Some(before) = before(first) else { continue };
            let found = refused(before).unwrap_or_else(|| panic!("{line} in {before} on {target}"));
            assert!(found.message.contains(&format!("needs PTX {first}, this text is PTX {before}")), "{line}: {found:?}");
            assert_eq!(found.help, Some(format!("raise `.version` to {first} or newer")), "{line}");
        }
    }
}

/// The instruction, the marked part, the message, a part of label and help.
const REFUSED: &[(&str, &str, &str, &str)] = &[
    ("mbarrier;", "mbarrier", "`mbarrier` is not complete", "an operation like .init or .arrive"),
    ("mbarrier.arive.shared.b64 s, [a];", ".arive", "`mbarrier` has no operation `.arive`", "did you mean `.arrive`?"),
    ("mbarrier.check_layout.b64 p, [a];", ".check_layout", "`mbarrier` has no operation `.check_layout`", "only layout v0"),
    ("mbarrier.init.layout::v1.shared.b64 [a], 1;", ".layout::v1", "`.layout::v1` is not supported", "only layout v0"),
    ("mbarrier.init.shared.b32 [a], 1;", ".b32", "`mbarrier.init` has no modifier `.b32`", "did you mean `.b64`?"),
    ("mbarrier.init.shared [a], 1;", "mbarrier.init.shared", "`mbarrier.init.shared` without its type", "expected `.b64`"),
    ("mbarrier.init.shared.shared.b64 [a], 1;", ".shared", "the modifier `.shared` is given twice", "expected it once"),
    (
        "mbarrier.init.shared::cluster.b64 [a], 1;",
        ".shared::cluster",
        "`mbarrier.init` of an mbarrier of another CTA",
        "only its own CTA",
    ),
    (
        "mbarrier.try_wait.parity.shared::cluster.b64 p, [a], n;",
        ".shared::cluster",
        "`mbarrier.try_wait` of an mbarrier of another CTA",
        "expected `.shared::cta`",
    ),
    ("mbarrier.init.global.b64 [a], 1;", ".global", "`mbarrier.init` has no modifier `.global`", ".shared::cta"),
    ("mbarrier.init.shared.b64 [a], 0;", "0", "a count of 0", "expected 1 to 1048575"),
    ("mbarrier.init.shared.b64 [a], 1048576;", "1048576", "a count of 1048576", "20 bits"),
    ("mbarrier.arrive.shared.b64 s, [a], -1;", "-1", "a count of -1", "expected 1 to 1048575"),
    ("mbarrier.expect_tx.shared::cta.b64 [a], 1048576;", "1048576", "a number of bytes of 1048576", "0 to 1048575"),
    ("mbarrier.init.shared.b64 [a], s;", "s", "neither a constant nor a register of 32 bits", "a count from 1"),
    ("mbarrier.init.shared.b64 [a], f;", "f", "neither a constant nor a register of 32 bits", "a count from 1"),
    ("mbarrier.init.shared.b64 a, 1;", "a", "invalid address of an mbarrier", "`[addr]`"),
    ("mbarrier.init.shared.b64 [p], 1;", "[p]", "invalid address of an mbarrier", "32 or 64 bits"),
    ("mbarrier.init.shared.b64 [a];", "mbarrier.init.shared.b64 [a]", "has 1 operands", "`[addr], count`"),
    ("mbarrier.arrive.shared.b64 [a];", "mbarrier.arrive.shared.b64 [a]", "has 1 operands", "`state, [addr], count`"),
    (
        "mbarrier.arrive.noComplete.shared.b64 s, [a];",
        "mbarrier.arrive.noComplete.shared.b64 s, [a]",
        "has 2 operands",
        "a state, an address and a count",
    ),
    ("mbarrier.arrive.shared.b64 n, [a];", "n", "this operand cannot hold the state of an mbarrier", "a .b64 register, or `_`"),
    ("mbarrier.arrive.shared::cluster.b64 s, [a];", "s", "invalid destination", "expected `_`"),
    ("mbarrier.arrive.acquire.cta.shared.b64 s, [a];", ".acquire", "has no modifier `.acquire`", ".release"),
    ("mbarrier.arrive.release.shared.b64 s, [a];", ".release", "`.release` without a scope", "`.cta` or `.cluster`"),
    ("mbarrier.arrive.cta.shared.b64 s, [a];", ".cta", "the scope `.cta` without an order", ".relaxed"),
    (
        "mbarrier.arrive.release.relaxed.cta.shared.b64 s, [a];",
        ".relaxed",
        "`.release` and `.relaxed` exclude each other",
        "one of them",
    ),
    ("mbarrier.arrive.gpu.shared.b64 s, [a];", ".gpu", "has no modifier `.gpu`", ".cluster"),
    (
        "mbarrier.arrive.expect_tx.noComplete.shared.b64 s, [a], n;",
        ".noComplete",
        "`.expect_tx` and `.noComplete` exclude each other",
        "one of them",
    ),
    (
        "mbarrier.arrive.noComplete.relaxed.cta.shared.b64 s, [a], n;",
        ".relaxed",
        "`.relaxed` and `.noComplete` exclude",
        ".release.cta",
    ),
    (
        "mbarrier.arrive.noComplete.release.cluster.shared.b64 s, [a], n;",
        ".cluster",
        "`.cluster` and `.noComplete` exclude",
        ".release.cta",
    ),
    (
        "mbarrier.arrive.noComplete.shared::cluster.b64 _, [a], n;",
        ".shared::cluster",
        "`.noComplete` at an mbarrier of another CTA",
        "`.shared::cta`",
    ),
    (
        "mbarrier.expect_tx.release.cta.shared::cta.b64 [a], n;",
        ".release",
        "`mbarrier.expect_tx` has no modifier `.release`",
        ".relaxed",
    ),
    ("mbarrier.test_wait.shared.b64 n, [a], s;", "n", "this operand cannot hold the result of a wait", "a .pred register"),
    ("mbarrier.test_wait.shared.b64 _, [a], s;", "_", "this operand cannot hold the result of a wait", "a .pred register"),
    ("mbarrier.test_wait.shared.b64 p, [a], n;", "n", "invalid state of an mbarrier", "`.parity`"),
    ("mbarrier.test_wait.shared.b64 p, [a], 1;", "1", "invalid state of an mbarrier", "a .b64 register"),
    ("mbarrier.test_wait.parity.shared.b64 p, [a], 2;", "2", "a parity of 2", "expected 0 or 1"),
    (
        "mbarrier.test_wait.parity.shared.b64 p, [a], s;",
        "s",
        "neither a constant nor a register of 32 bits",
        "a parity, 0 or 1",
    ),
    (
        "mbarrier.test_wait.parity.shared.b64 p, [a], n, n;",
        "mbarrier.test_wait.parity.shared.b64 p, [a], n, n",
        "has 4 operands",
        "phaseParity",
    ),
    ("mbarrier.try_wait.shared.b64 p, [a], s, s;", "s", "neither a constant nor a register of 32 bits", "nanoseconds"),
    ("mbarrier.try_wait.shared.b64 p, [a];", "mbarrier.try_wait.shared.b64 p, [a]", "has 2 operands", "suspendTimeHint"),
    ("mbarrier.pending_count.b64 s, s;", "s", "this operand cannot hold a number of arrivals", "a .u32 register"),
    (
        "mbarrier.pending_count.shared.b64 n, s;",
        ".shared",
        "`mbarrier.pending_count` has no modifier `.shared`",
        "expected one of .b64",
    ),
    (
        "cp.async.mbarrier.arrive.noink.b64 [a];",
        ".noink",
        "`cp.async.mbarrier.arrive` has no modifier `.noink`",
        "did you mean `.noinc`?",
    ),
    ("cp.async.mbarrier.arrive.shared.b64 [a], 1;", "cp.async.mbarrier.arrive.shared.b64 [a], 1", "has 2 operands", "`[addr]`"),
    (
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [u], [g], 16;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
        "this bulk copy has 3 operands",
        "`[to], [from], bytes, [mbar]`",
    ),
    (
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [u], [g], 8, [a];",
        "8",
        "a bulk copy of 8 bytes",
        "multiple of 16",
    ),
    (
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster [u], [g], 16, [a], h;",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster",
        "a bulk copy with `.multicast::cluster`",
        "from `.global` to `.shared::cluster`",
    ),
    (
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [u], [g], 16, [a], n;",
        "n",
        "invalid mask of CTAs",
        "a register of 16 bits or a constant",
    ),
    (
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [u], [g], 16, [a];",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster",
        "this bulk copy has 4 operands",
        "`[to], [from], bytes, [mbar], ctaMask`",
    ),
    (
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u16 [u], h, [a];",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u16",
        "`st.async` without its type",
        "32 or 64 bits",
    ),
    (
        "st.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.u32 [u], n, [a];",
        "st.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.u32",
        "`st.async` has no modifier `.relaxed`",
        "PTX page",
    ),
    (
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b64 [u], {s, s, s, s}, [a];",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b64",
        "4 elements of 64 bits",
        "16 bytes at most",
    ),
    (
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [u], n;",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32",
        "`st.async` has 2 operands",
        "`[to], value, [mbar]`",
    ),
    (
        "red.async.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [u], n, [a];",
        "red.async.shared::cluster.mbarrier::complete_tx::bytes.add.u32",
        "`red.async` without `.relaxed.cluster`",
        "after `.async`",
    ),
    (
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.f32 [u], f, [a];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.f32",
        "`red.async` has no `.add` of this type",
        ".add of integers",
    ),
    (
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.exch.b32 [u], n, [a];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.exch.b32",
        "`red.async` has no `.exch` of this type",
        ".add of integers",
    ),
    (
        "red.async.relaxed.cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [u], n, [a];",
        "red.async.relaxed.cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32",
        "`red.async` has no modifier `.shared::cta`",
        "PTX page",
    ),
    ("mapa.shared::cluster u, a, 0;", "mapa.shared::cluster", "`mapa` without its type", "`.u32` or `.u64`"),
    ("mapa.u64 a64, g;", "mapa.u64", "`mapa` has 2 operands", "`to, address, rank`"),
    ("fence.sc;", "fence.sc", "`fence.sc` without a scope", ".cta, .cluster, .gpu or .sys"),
    ("fence.acq_rl.gpu;", "fence.acq_rl.gpu", "`fence.acq_rl.gpu` is not a fence", "did you mean `fence.acq_rel.gpu`?"),
    ("membar.cluster;", "membar.cluster", "`membar.cluster` is not a fence", "membar.gl"),
    ("fence.proxy.async n;", "n", "an operand of a fence", "`;` before this"),
];

#[test]
fn what_there_is_not_is_refused_with_its_place() {
    for (line, marked, message, advice) in REFUSED {
        let text = kernel("9.0", "sm_100", line);
        let found = &parse(&text).map(|_| panic!("accepted: {line}")).unwrap_err()[0];
        assert_eq!(&text[found.span.clone()], *marked, "{line}: {found:?}");
        assert!(found.message.contains(message), "{line}: {found:?}");
        let said = format!("{} {}", found.label, found.help.as_deref().unwrap_or(""));
        assert!(said.contains(advice), "{line}: {found:?}");
    }
}

#[test]
fn modifiers_may_stand_in_any_order_behind_the_operation() {
    assert_eq!(newest("mbarrier.arrive.shared::cta.cta.release.expect_tx.b64 s, [a], n;"), Ok(()));
    assert_eq!(newest("mbarrier.try_wait.shared::cta.parity.b64 p, [a], n;"), Ok(()));
}

#[test]
fn a_commit_of_the_tensor_core_needs_tensor_memory() {
    const COMMIT: &str = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [a];";
    let refused = |version: &str, target: &str, line: &str| {
        parse(&kernel(version, target, line)).err().map(|found| format!("{} {}", found[0].message, found[0].label))
    };
    for (version, target) in [("8.6", "sm_100a"), ("8.8", "sm_100f"), ("9.0", "sm_110a")] {
        assert_eq!(refused(version, target, COMMIT), None, "{target}");
    }
    let generic = COMMIT.replace(".shared::cluster", "").replace("[a]", "[a64]");
    let several = COMMIT.replace(".b64 [a]", ".multicast::cluster.b64 [a], h");
    assert_eq!((refused("8.6", "sm_100a", &generic), refused("8.6", "sm_100a", &several)), (None, None));
    for (version, target, line, said) in [
        ("8.5", "sm_100a", COMMIT.to_string(), "`tcgen05.commit` needs PTX 8.6"),
        ("9.0", "sm_90a", COMMIT.to_string(), "`tcgen05.commit` needs sm_100"),
        ("9.0", "sm_100", COMMIT.to_string(), "needs a target with tensor memory, the target of this text is sm_100 "),
        ("9.0", "sm_120a", COMMIT.to_string(), "needs a target with tensor memory"),
        ("9.0", "sm_100a", COMMIT.replace("::1", "::2"), "`.cta_group::2` needs a pair of CTAs"),
        ("9.0", "sm_100a", COMMIT.replace(".shared::cluster", ".shared::cta"), "has no modifier `.shared::cta`"),
        ("9.0", "sm_100a", COMMIT.replace(".b64", ""), "without `.b64`"),
        ("9.0", "sm_100a", COMMIT.replace("[a]", "[a], h"), "has 2 operands expected `[mbar]`"),
        ("9.0", "sm_100a", several.replace(", h", ""), "has 1 operands expected `[mbar], ctaMask`"),
    ] {
        let found = refused(version, target, &line).unwrap_or_else(|| panic!("accepted: {line} on {target}"));
        assert!(found.contains(said), "{line}: {found}");
    }
}
