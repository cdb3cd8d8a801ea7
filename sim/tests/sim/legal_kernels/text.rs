// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The PTX text of a kernel.

use super::kernel::{Access, Barrier, Guard, Kernel, Kind, Reduction, Segment, Value, CELLS, OBJECTS, SHARED, WORDS};

/// Maximum number of registers that a burst loads: 40 accesses of four words, plus copies and an exchange.
const LOADED: u32 = 168;

fn value(value: Value) -> &'static str {
    match value {
        Value::Accumulator => "%acc",
        Value::Thread => "%tid0",
        Value::Round => "%i",
    }
}

/// The instruction of an access; it loads into the registers from `first` up.
fn access(access: &Access, first: u32) -> String {
    let Access { kind, cell, width, value: of, guard } = *access;
    let guard = match guard {
        Guard::All => "",
        Guard::OddLanes => "@%odd ",
        Guard::LaterWarps => "@%later ",
    };
    let vector = if width > 1 { format!(".v{width}") } else { String::new() };
    let list = |one: &dyn Fn(u32) -> String| match width {
        1 => one(0),
        _ => format!("{{{}}}", (0..width).map(one).collect::<Vec<_>>().join(", ")),
    };
    let of = value(of);
    let (stored, loaded) = (list(&|_| of.to_string()), list(&|word| format!("%v{}", first + word)));
    let at = 4 * cell;
    let instruction = match kind {
        Kind::StoreGlobal => format!("st.global{vector}.u32 [%cells+{at}], {stored};"),
        Kind::LoadGlobal => format!("ld.global{vector}.u32 {loaded}, [%cells+{at}];"),
        Kind::StoreShared => format!("st.shared{vector}.u32 [%own+{at}], {stored};"),
        Kind::LoadShared => format!("ld.shared{vector}.u32 {loaded}, [%own+{at}];"),
        Kind::AddGlobal => format!("atom.global.add.u32 {loaded}, [%cells+{at}], {of};"),
        Kind::ExchangeShared => format!("atom.shared.exch.b32 {loaded}, [%own+{at}], {of};"),
        Kind::CountGlobal => "red.global.add.u32 [%total], %tid0;".to_string(),
        Kind::CountShared => "red.shared.add.u32 [counter], %tid0;".to_string(),
        Kind::Copy => format!("cp.async.ca.shared.global [%own+{}], [%cells+{}], 4;", 4 * SHARED + at, 4 * CELLS + at),
    };
    format!("{guard}{instruction}\n")
}

/// The accesses of a burst, back to back, after the instructions that prepare them.
fn burst(burst: &[Access]) -> String {
    let (mut before, mut text, mut first) = (String::new(), String::new(), 0);
    for one in burst {
        if one.guard != Guard::All {
            before += &(first..first + one.loads()).map(|v| format!("mov.u32 %v{v}, 0;\n")).collect::<String>();
        }
        text += &access(one, first);
        first += one.loads();
    }
    before + &text
}

/// Adds the loaded and copied words of a burst to the accumulator.
fn takes_up(burst: &[Access]) -> String {
    let mut loaded: u32 = burst.iter().map(Access::loads).sum();
    let copies: Vec<&Access> = burst.iter().filter(|one| one.kind == Kind::Copy).collect();
    let mut text = if copies.is_empty() { String::new() } else { "cp.async.wait_all;\n".to_string() };
    for copy in copies {
        text += &format!("ld.shared.u32 %v{loaded}, [%own+{}];\n", 4 * (SHARED + copy.cell));
        loaded += 1;
    }
    text + &(0..loaded).map(|v| format!("add.u32 %acc, %acc, %v{v};\n")).collect::<String>() + MIXES
}

const MIXES: &str = "mul.lo.u32 %acc, %acc, 1664525;\nadd.u32 %acc, %acc, 1013904223;\n";

/// A `bar` or `barrier` instruction with the modifiers `words`, an id and, if counted, the number of all threads.
fn bar(kernel: &Kernel, words: &str, (id, counted, aligned): (u32, bool, bool)) -> String {
    let count = if counted { format!(", {}", kernel.warps * kernel.lanes) } else { String::new() };
    format!("{}.{words} {id}{count}", if aligned { "bar" } else { "barrier" })
}

/// The instructions before the burst, and the barrier after it; `number` is the number of the segment.
fn barrier(kernel: &Kernel, number: usize, barrier: &Barrier) -> (String, String) {
    let all = kernel.warps * kernel.lanes;
    match barrier {
        Barrier::Sync { id, counted, aligned } => (String::new(), bar(kernel, "sync", (*id, *counted, *aligned)) + ";\n"),
        Barrier::Reduce { reduction, id, counted, aligned, salt, modulus } => {
            let before = format!(
                "add.u32 %t, %tid0, %i;\nadd.u32 %t, %t, {salt};\nrem.u32 %t, %t, {modulus};\nsetp.eq.u32 %vote, %t, 0;\n"
            );
            let (words, result, takes) = match reduction {
                Reduction::And => ("red.and.pred", "%said", "selp.u32 %t, 1, 0, %said;\n"),
                Reduction::Or => ("red.or.pred", "%said", "selp.u32 %t, 1, 0, %said;\n"),
                Reduction::Popc => ("red.popc.u32", "%t", ""),
            };
            let text = bar(kernel, &format!("{words} {result},"), (*id, *counted, *aligned));
            (before, format!("{text}, %vote;\n{takes}add.u32 %acc, %acc, %t;\n"))
        }
        Barrier::Handshake { ids: [full, empty], producers, between, closing } => {
            let before = format!("setp.lt.u32 %produces, %warp, {producers};\n");
            let stores = burst(between);
            let text = format!(
                "@%produces bra PRODUCES{number};\nbar.sync {full}, {all};\nbar.arrive {empty}, {all};\nbra JOINS{number};\n\
                 PRODUCES{number}:\nbar.arrive {full}, {all};\n{stores}bar.sync {empty}, {all};\nJOINS{number}:\nbar.sync {closing};\n"
            );
            (before, text)
        }
        Barrier::Warp => (String::new(), "bar.warp.sync %present;\n".to_string()),
        Barrier::Object { object, parity, suspends } => {
            let (at, wait) = (8 * object, if *suspends { "try_wait" } else { "test_wait" });
            let (state, form, phase) = match parity {
                true => ("_", ".parity", format!("%phase{object}")),
                false => ("%state", "", "%state".to_string()),
            };
            let text = format!(
                "mbarrier.arrive.shared.b64 {state}, [objects+{at}];\nWAITS{number}:\n\
                 mbarrier.{wait}{form}.shared.b64 %over, [objects+{at}], {phase};\n@!%over bra WAITS{number};\n\
                 xor.b32 %phase{object}, %phase{object}, 1;\n"
            );
            (String::new(), text)
        }
        Barrier::Fence(fence) => (String::new(), format!("{fence};\n")),
        Barrier::Cluster { aligned, relaxed, between } => {
            let aligned = if *aligned { ".aligned" } else { "" };
            let (order, acquire) = if *relaxed { (".relaxed", "") } else { (".release", ".acquire") };
            let stores = burst(between);
            (
                String::new(),
                format!("barrier.cluster.arrive{order}{aligned};\n{stores}barrier.cluster.wait{acquire}{aligned};\n"),
            )
        }
    }
}

fn segment(kernel: &Kernel, number: usize, segment: &Segment) -> String {
    let (before, after) = barrier(kernel, number, &segment.barrier);
    let delay = match segment.delays {
        true => format!("and.b32 %t, %warp, 7;\nSLEEPS{number}:\nsub.u32 %t, %t, 1;\nsetp.gt.s32 %said, %t, 0;\n@%said bra SLEEPS{number};\n"),
        false => String::new(),
    };
    let at = 4 * kernel.threads * number as u32;
    let (gives, gets) = match segment.exchanges {
        true => (
            format!("st.shared.u32 [%mine+{at}], %acc;\n"),
            format!("ld.shared.u32 %t, [%theirs+{at}];\nxor.b32 %acc, %acc, %t;\n"),
        ),
        false => (String::new(), String::new()),
    };
    delay + &before + &burst(&segment.burst) + &gives + &after + &takes_up(&segment.burst) + &gets
}

/// The text of the PTX module.
pub fn ptx(kernel: &Kernel) -> String {
    let Kernel { lanes, warps, threads, ctas, split, distance, .. } = *kernel;
    let (objects, words) = (8 * OBJECTS, SHARED + super::kernel::CONSTANTS);
    let exchanged = 4 * threads * kernel.body.len() as u32;
    let mask = |lanes: u32| u64::MAX >> (64 - lanes);
    let last = threads - (warps - 1) * lanes;
    let init = |object: u32| format!("@%first mbarrier.init.shared.b64 [objects+{}], {threads};\n", 8 * object);
    let uses = |object: u32| {
        kernel.body.iter().any(|one| matches!(one.barrier, Barrier::Object { object: used, .. } if used == object))
    };
    let inits: String = (0..OBJECTS).filter(|object| uses(*object)).map(init).collect();
    let body: String = kernel.body.iter().enumerate().map(|(number, one)| segment(kernel, number, one)).collect();
    let [meets, exits] = &kernel.last;
    format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_out)\n{{\n\
         .shared .align 16 .b8 objects[{objects}];\n.shared .align 16 .b8 own[{}];\n.shared .align 16 .b8 given[{exchanged}];\n\
         .shared .align 16 .b32 counter;\n.reg .b64 %cells, %total, %out, %rd, %state;\n.reg .b32 %v<{LOADED}>;\n\
         .reg .b32 %acc, %tid0, %i, %t, %warp, %lane, %present, %own, %mine, %theirs, %phase0, %phase1, %n;\n\
         .reg .pred %odd, %later, %vote, %said, %produces, %over, %first, %more, %ends;\n\
         ld.param.u64 %out, [k_out];\ncvta.to.global.u64 %out, %out;\nmov.u32 %tid0, %tid.x;\nmov.u32 %t, %ctaid.x;\n\
         div.u32 %warp, %tid0, {lanes};\nrem.u32 %lane, %tid0, {lanes};\n\
         mad.lo.u32 %n, %t, {threads}, %tid0;\nmul.wide.u32 %rd, %n, {};\nadd.u64 %cells, %out, %rd;\n\
         mul.wide.u32 %rd, %t, 4;\nadd.u64 %total, %out, %rd;\nadd.u64 %total, %total, {};\n\
         mov.u32 %own, own;\nmad.lo.u32 %own, %tid0, {}, %own;\nmov.u32 %mine, given;\nmad.lo.u32 %mine, %tid0, 4, %mine;\n\
         add.u32 %t, %tid0, {distance};\nrem.u32 %t, %t, {threads};\nmov.u32 %theirs, given;\nmad.lo.u32 %theirs, %t, 4, %theirs;\n\
         and.b32 %t, %lane, 1;\nsetp.eq.u32 %odd, %t, 1;\nsetp.ge.u32 %later, %warp, {split};\n\
         mov.u32 %present, {:#x};\nsetp.eq.u32 %said, %warp, {};\n@%said mov.u32 %present, {:#x};\n\
         mov.u32 %phase0, 0;\nmov.u32 %phase1, 0;\nmov.u32 %acc, %n;\nmov.u32 %i, 0;\nmov.u32 %t, 0;\n\
         st.shared.v4.u32 [%own], {{%t, %t, %t, %t}};\nst.shared.v4.u32 [%own+16], {{%t, %t, %t, %t}};\n\
         setp.eq.u32 %first, %tid0, 0;\n@%first st.shared.u32 [counter], %t;\n{inits}bar.sync 0;\n\
         ROUNDS:\n{body}add.u32 %i, %i, 1;\nsetp.lt.u32 %more, %i, {};\n@%more bra ROUNDS;\n\
         bar.sync 0;\nld.shared.u32 %t, [counter];\nadd.u32 %acc, %acc, %t;\nst.global.u32 [%cells], %acc;\n\
         setp.ge.u32 %ends, %warp, {};\n@%ends bra ENDS;\n{}bar.sync {};\n{}ENDS:\n{}st.global.u32 [%cells+4], %acc;\nret;\n}}\n",
        4 * words * threads,
        4 * WORDS,
        4 * WORDS * threads * ctas,
        4 * words,
        mask(lanes),
        warps - 1,
        mask(last),
        kernel.rounds,
        kernel.staying,
        burst(meets),
        kernel.last_id,
        takes_up(meets),
        burst(exits),
    )
}
