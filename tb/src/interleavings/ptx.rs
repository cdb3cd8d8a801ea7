// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prints a program as PTX. Lane 0 of each warp makes the accesses, the copies and the operations on mbarriers; all lanes execute barriers.
//! At its end each warp stores its results to the buffer `out`, eight words for each warp.

use super::program::{
    ArrivalForm, Atomic, Mbar, Op, OpKind, Program, Reduction, Token, Value, Word, GLOBAL_BEFORE, LANES, MBARRIERS, MOST_OPS,
    SHARED_WORDS, TILE_BYTES, TILE_WORDS,
};
use std::fmt::Write;

/// The guard of what lane 0 alone executes.
const LEAD: &str = "@%lead ";

impl Program {
    /// The number of words of the buffer `out`.
    pub fn words_of_out(&self) -> usize {
        self.warps.len() * MOST_OPS
    }

    /// The program as PTX, with one parameter, the address of the buffer `out`.
    pub fn ptx(&self) -> String {
        let threads = self.warps_per_cta() as u32 * LANES;
        let cluster = if self.ctas > 1 { format!("\n.reqnctapercluster {}", self.ctas) } else { String::new() };
        let data = GLOBAL_BEFORE.map(|word| word.to_string()).join(", ");
        let exit = if self.lane_zero_only { "    @!%lead exit;\n" } else { "" };
        let mut text = format!(
            "// bcu check FILE --grid {} --arg out=u32:[{}] --fill zero\n\
             .version 8.7\n.target sm_90\n.address_size 64\n.global .align 16 .u32 data[{}] = {{{data}}};\n\
             .visible .entry program(.param .u64 out)\n.reqntid {threads}{cluster}\n{{\n\
             \x20   .shared .align 16 .b32 x[{SHARED_WORDS}];\n    .shared .align 8 .b64 m[{MBARRIERS}];\n\
             \x20   .reg .b32 %lane, %warp, %peer, %peer_x, %peer_m, %v, %r<{MOST_OPS}>;\n    .reg .b64 %out, %t<{}>;\n\
             \x20   .reg .pred %lead, %here, %q, %yes;\n\
             \x20   mov.u32 %lane, %laneid;\n    setp.eq.u32 %lead, %lane, 0;\n{exit}    setp.eq.u32 %yes, 0, 0;\n\
             \x20   mov.u32 %warp, %tid.x;\n    shr.u32 %warp, %warp, 5;\n",
            self.ctas,
            self.words_of_out(),
            GLOBAL_BEFORE.len(),
            MOST_OPS + 1,
        );
        if self.ctas > 1 {
            let _ = write!(
                text,
                "    mov.u32 %peer, %cluster_ctarank;\n    mad.lo.u32 %warp, %peer, {}, %warp;\n    xor.b32 %peer, %peer, 1;\n\
                 \x20   mov.u32 %peer_x, x;\n    mapa.shared::cluster.u32 %peer_x, %peer_x, %peer;\n    mov.u32 %peer_m, m;\n\
                 \x20   mapa.shared::cluster.u32 %peer_m, %peer_m, %peer;\n",
                self.warps_per_cta()
            );
        }
        text += "    ld.param.u64 %out, [out];\n    cvta.to.global.u64 %out, %out;\n";
        for warp in 1..self.warps.len() {
            let _ = writeln!(text, "    setp.eq.u32 %here, %warp, {warp};\n    @%here bra WARP_{warp};");
        }
        for (warp, ops) in self.warps.iter().enumerate() {
            let _ = writeln!(text, "WARP_{warp}:");
            for line in self.lines(warp, ops) {
                let _ = writeln!(text, "    {line}");
            }
        }
        text + "}\n"
    }

    /// The statements of a warp.
    fn lines(&self, warp: usize, ops: &[Op]) -> Vec<String> {
        let mut lines = vec![];
        for (at, op) in ops.iter().enumerate() {
            match op.kind {
                OpKind::Arrive { token: Token::Waited, .. } => lines.push(format!("mov.b64 %t{at}, 0;")),
                OpKind::Arrive { token: Token::Reported, .. } => {
                    lines.push(format!("mov.b64 %t{at}, 0;\n    mov.u32 %r{at}, 0;"))
                }
                _ if op.kind.is_reported() => lines.push(format!("mov.u32 %r{at}, 0;")),
                _ => {}
            }
        }
        for (at, op) in ops.iter().enumerate() {
            let guard = match op.guard {
                Some(of) => {
                    lines.push(format!("setp.ne.and.u32 %q, %r{of}, 0, %lead;"));
                    "@%q "
                }
                None => LEAD,
            };
            lines.push(statement(warp, at, op.kind, guard));
        }
        for (at, _) in ops.iter().enumerate().filter(|(_, op)| op.kind.is_reported()) {
            if matches!(ops[at].kind, OpKind::Arrive { .. }) {
                lines.push(format!("mov.b64 {{%v, %r{at}}}, %t{at};"));
            }
            lines.push(format!("{LEAD}st.global.u32 [%out+{}], %r{at};", 4 * (MOST_OPS * warp + at)));
        }
        lines.push("exit;".to_string());
        lines
    }
}

/// The address of a word of memory, and the state space.
fn word(at: Word) -> (String, &'static str) {
    match at {
        Word::Shared { word, peer: false } => (format!("[x+{}]", 4 * word), "shared"),
        Word::Shared { word, peer: true } => (format!("[%peer_x+{}]", 4 * word), "shared::cluster"),
        Word::Global { word } => (format!("[data+{}]", 4 * word), "global"),
    }
}

/// The address of an mbarrier.
fn mbar(at: Mbar) -> String {
    let base = if at.peer { "%peer_m" } else { "m" };
    format!("[{base}+{}]", 8 * at.number)
}

fn tile(tile: u8) -> String {
    format!("[x+{}]", 4 * usize::from(tile) * TILE_WORDS)
}

fn threads(count: Option<u8>) -> String {
    count.map_or(String::new(), |count| format!(", {}", u32::from(count) * LANES))
}

fn arrive(at: usize, kind: OpKind) -> String {
    let OpKind::Arrive { at: object, count, form, drop, relaxed, token } = kind else { return String::new() };
    let name = if drop { "mbarrier.arrive_drop" } else { "mbarrier.arrive" };
    let scope = if object.peer { "cluster" } else { "cta" };
    let order = if relaxed { format!(".relaxed.{scope}") } else { format!(".release.{scope}") };
    let state = match (token, form) {
        _ if object.peer => "_".to_string(),
        (Token::Unused, ArrivalForm::NoComplete) => format!("%t{MOST_OPS}"),
        (Token::Unused, _) => "_".to_string(),
        _ => format!("%t{at}"),
    };
    let address = mbar(object);
    match form {
        ArrivalForm::Expect(bytes) => format!("{name}.expect_tx{order}.shared::{scope}.b64 {state}, {address}, {bytes};"),
        ArrivalForm::NoComplete => format!("{name}.noComplete{order}.shared::cta.b64 {state}, {address}, {count};"),
        ArrivalForm::Plain if count == 1 => format!("{name}{order}.shared::{scope}.b64 {state}, {address};"),
        ArrivalForm::Plain => format!("{name}{order}.shared::{scope}.b64 {state}, {address}, {count};"),
    }
}

/// An operation; `guard` is for what lane 0 alone executes.
fn statement(warp: usize, at: usize, kind: OpKind, guard: &str) -> String {
    match kind {
        OpKind::Store { at: to, value, strong } => {
            let (address, space) = word(to);
            let order = if strong { ".relaxed.cluster" } else { "" };
            match value {
                Value::Constant(value) => format!("{guard}st{order}.{space}.u32 {address}, {value};"),
                Value::Result(of) => format!("{guard}st{order}.{space}.u32 {address}, %r{of};"),
            }
        }
        OpKind::Load { at: from, strong } => {
            let (address, space) = word(from);
            let order = if strong { ".relaxed.cluster" } else { "" };
            format!("{guard}ld{order}.{space}.u32 %r{at}, {address};")
        }
        OpKind::Await { at: from, value } => {
            let (address, space) = word(from);
            format!(
                "@!%lead bra PAST_{warp}_{at};\nWAIT_{warp}_{at}:\n    ld.relaxed.cluster.{space}.u32 %v, {address};\n\
                 \x20   setp.ne.u32 %q, %v, {value};\n    @%q bra WAIT_{warp}_{at};\nPAST_{warp}_{at}:\n    bar.warp.sync 0xffffffff;"
            )
        }
        OpKind::Atomic { at: to, atomic, operand, used } => {
            let (address, space) = word(to);
            let form = match atomic {
                Atomic::Add => "add.u32",
                Atomic::Or => "or.b32",
                Atomic::Max => "max.u32",
                Atomic::Exch => "exch.b32",
                Atomic::Cas => "cas.b32",
            };
            let operands = if atomic == Atomic::Cas { format!("0, {operand}") } else { operand.to_string() };
            let has_red = !matches!(atomic, Atomic::Exch | Atomic::Cas);
            match used {
                true => format!("{guard}atom.relaxed.cluster.{space}.{form} %r{at}, {address}, {operands};"),
                false if has_red => format!("{guard}red.relaxed.cluster.{space}.{form} {address}, {operands};"),
                false => format!("{guard}atom.relaxed.cluster.{space}.{form} %v, {address}, {operands};"),
            }
        }
        OpKind::Fence { proxy: false } => "membar.cta;".to_string(),
        OpKind::Fence { proxy: true } => "fence.proxy.async;".to_string(),
        OpKind::Sync { id, count } => format!("bar.sync {id}{};", threads(count)),
        OpKind::ArriveNamed { id, count } => format!("bar.arrive {id}{};", threads(Some(count))),
        OpKind::Reduce { id, count, reduction, predicate } => {
            let (threads, input) = (threads(count), if predicate { "%yes" } else { "!%yes" });
            match reduction {
                Reduction::Popc => format!("bar.red.popc.u32 %r{at}, {id}{threads}, {input};"),
                Reduction::Or => format!("bar.red.or.pred %q, {id}{threads}, {input};\n    selp.u32 %r{at}, 1, 0, %q;"),
            }
        }
        OpKind::Init { at: object, count } => format!("{guard}mbarrier.init.shared::cta.b64 {}, {count};", mbar(object)),
        OpKind::Inval { at: object } => format!("{guard}mbarrier.inval.shared::cta.b64 {};", mbar(object)),
        OpKind::Arrive { .. } => format!("{guard}{}", arrive(at, kind)),
        OpKind::ExpectTx { at: object, bytes } => {
            let scope = if object.peer { "cluster" } else { "cta" };
            format!("{guard}mbarrier.expect_tx.relaxed.{scope}.shared::{scope}.b64 {}, {bytes};", mbar(object))
        }
        OpKind::WaitParity { at: object, parity } => {
            let (address, parity) = (mbar(object), u8::from(parity));
            format!(
                "WAIT_{warp}_{at}:\n    mbarrier.try_wait.parity.shared::cta.b64 %q, {address}, {parity};\n    @!%q bra WAIT_{warp}_{at};"
            )
        }
        OpKind::WaitToken { at: object, token } => format!(
            "@!%lead bra PAST_{warp}_{at};\nWAIT_{warp}_{at}:\n    mbarrier.try_wait.shared::cta.b64 %q, {}, %t{token};\n\
             \x20   @!%q bra WAIT_{warp}_{at};\nPAST_{warp}_{at}:\n    bar.warp.sync {};",
            mbar(object),
            "0xffffffff"
        ),
        OpKind::Peek { at: object, parity } => {
            let test = format!("mbarrier.test_wait.parity.shared::cta.b64 %q, {}, {};", mbar(object), u8::from(parity));
            if guard == LEAD {
                format!("{guard}{test}\n    {guard}selp.u32 %r{at}, 1, 0, %q;")
            } else {
                format!("@!%q bra PAST_{warp}_{at};\n    {test}\n    selp.u32 %r{at}, 1, 0, %q;\nPAST_{warp}_{at}:")
            }
        }
        OpKind::BulkLoad { tile: to, at: object, .. } => format!(
            "{guard}cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes {}, [data], {TILE_BYTES}, {};",
            tile(to),
            mbar(object)
        ),
        OpKind::BulkStore { tile: from, .. } => format!(
            "{guard}cp.async.bulk.global.shared::cta.bulk_group [data+{}], {}, {TILE_BYTES};",
            4 * TILE_WORDS,
            tile(from)
        ),
        OpKind::BulkCommit => format!("{guard}cp.async.bulk.commit_group;"),
        OpKind::BulkWait { pending, read: false } => format!("{guard}cp.async.bulk.wait_group {pending};"),
        OpKind::BulkWait { pending, read: true } => format!("{guard}cp.async.bulk.wait_group.read {pending};"),
        OpKind::CpAsync { tile: to } => format!("{guard}cp.async.cg.shared.global {}, [data], {TILE_BYTES};", tile(to)),
        OpKind::CpCommit => format!("{guard}cp.async.commit_group;"),
        OpKind::CpWait { pending } => format!("{guard}cp.async.wait_group {pending};"),
        OpKind::CpWaitAll => format!("{guard}cp.async.wait_all;"),
        OpKind::CpArrive { at: object, noinc } => {
            let form = if noinc { ".noinc" } else { "" };
            format!("{guard}cp.async.mbarrier.arrive{form}.shared::cta.b64 {};", mbar(object))
        }
        OpKind::StoreAsync { word, value, at: object } => format!(
            "mov.u32 %v, {value};\n    {guard}st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%peer_x+{}], %v, [%peer_m+{}];",
            4 * word,
            8 * object
        ),
        OpKind::ArriveCluster { relaxed: false } => "barrier.cluster.arrive.aligned;".to_string(),
        OpKind::ArriveCluster { relaxed: true } => "barrier.cluster.arrive.relaxed.aligned;".to_string(),
        OpKind::WaitCluster => "barrier.cluster.wait.aligned;".to_string(),
    }
}
