// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares mbarriers on a device of compute capability 9.0 or later with the model of `mbarrier`,
//! bit for bit: the words of the objects after each operation, and the tokens.
//!
//! The kernel and its expected values are generated from one table of sequences of operations. One
//! thread executes all of them. The word in memory is up to date only after `mbarrier.inval`,
//! because a device caches objects. So for each operation there is a separate object: the sequence
//! up to that operation is applied to it, and then it is invalidated and read.

use super::device::About;
use super::driver::Device;
use super::run::on_device;
use super::simulate::Work;
use anyhow::{anyhow, Result};
use bcu_isa::diag::Diagnostic;
use bcu_model::mbarrier_object::{MbarrierKind as Kind, Object};
use bcu_program::launch::{Argument, Buffer, Element, Fill, Given, KernelLaunch, Number, Target};
use std::fmt::Write as _;
use std::time::Duration;
use toml::Spanned;

/// The name of the kernel.
const KERNEL: &str = "mbarrier_words";

/// The file name of the kernel in messages; no such file exists.
const FILE: &str = "mbarrier_words.ptx";

/// The maximum number of bytes that a bulk copy of the kernel moves.
const COPY: u32 = 64;

/// One operation on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordStep {
    Init(u32),
    Arrive(u32),
    /// One arrival, with this number of expected bytes.
    ArriveExpect(u32),
    ArriveNoComplete(u32),
    Drop(u32),
    Expect(u32),
    /// The instruction `mbarrier.complete_tx` completes this number of bytes.
    Complete(u32),
    /// A bulk copy completes this number of bytes.
    Copy(u32),
    /// An `mbarrier.test_wait` for the phase with this parity.
    Test(u32),
}

use WordStep::*;

/// The sequences of operations: the name and the operations of each sequence.
const GROUPS: [(&str, &[WordStep]); 12] = [
    ("init 1", &[Init(1), Test(0), Test(1)]),
    ("init 2", &[Init(2)]),
    ("init 3, arrive", &[Init(3), Arrive(1)]),
    ("init 3, drop", &[Init(3), Drop(1)]),
    ("init 3, expect 64", &[Init(3), Expect(64)]),
    ("init 3, expect 0x12345", &[Init(3), Expect(0x1_2345)]),
    ("init 2, two arrivals", &[Init(2), Arrive(1), Arrive(1), Test(0), Test(1)]),
    ("init 32", &[Init(32), ArriveNoComplete(31), Arrive(1)]),
    ("a ring of four phases", &[Init(3), Arrive(2), Arrive(1), Arrive(3), Arrive(1), Arrive(2), Arrive(3), Test(0), Test(1)]),
    ("bytes by the instruction", &[Init(1), ArriveExpect(96), Complete(32), Complete(64), Test(0)]),
    ("bytes by a bulk copy", &[Init(2), Expect(64), Copy(64), ArriveExpect(32), Arrive(1), Copy(32), Test(0)]),
    ("drops", &[Init(3), Drop(1), Arrive(1), Drop(1), Arrive(1), Arrive(1), Arrive(1)]),
];

/// The valid bits of a token: a device of compute capability 9.0 returns the upper half of the word, the only half that `test_wait` and
/// `pending_count` read. The lower half is undefined.
const TOKEN: u64 = 0xffff_ffff_0000_0000;

/// The result of a step in the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The operations up to this step, as text.
    pub what: String,
    /// The return value of the step, if it has one.
    pub token: Option<Token>,
    pub word: u64,
}

/// The return value of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// The word before the step, in the bits of [`TOKEN`].
    Before(u64),
    /// The result of a test: whether the phase is complete.
    Over(bool),
}

impl Token {
    pub fn value(self) -> u64 {
        match self {
            Token::Before(word) => word & TOKEN,
            Token::Over(over) => over.into(),
        }
    }

    /// The valid bits of `found`, a value that a device returned.
    fn valid_bits(self, found: u64) -> u64 {
        match self {
            Token::Before(_) => found & TOKEN,
            Token::Over(_) => found,
        }
    }
}

/// The model's results for all steps of all sequences.
pub fn expected() -> Vec<Line> {
    let mut lines = vec![];
    for (name, steps) in GROUPS {
        let mut object = Object::default();
        for (at, operation) in steps.iter().enumerate() {
            let before = object;
            let after = |kind, n, t| before.after(kind, n, t, true).map_or(before, |(after, _)| after);
            let (token, next) = match *operation {
                Init(n) => (None, Object::new(n)),
                Arrive(n) => (Some(Token::Before(before.word())), after(Kind::Arrive, n, 0)),
                ArriveExpect(t) => (Some(Token::Before(before.word())), after(Kind::ArriveExpect, 1, t)),
                ArriveNoComplete(n) => (Some(Token::Before(before.word())), after(Kind::ArriveNoComplete, n, 0)),
                Drop(n) => (Some(Token::Before(before.word())), after(Kind::Drop, n, 0)),
                Expect(t) => (None, after(Kind::Expect, 0, t)),
                Complete(t) | Copy(t) => (None, after(Kind::Complete, 0, t)),
                Test(parity) => (Some(Token::Over(before.phase != (parity == 1))), before),
            };
            object = next;
            lines.push(Line { what: format!("{name}, step {at}: {operation:?}"), token, word: object.word() });
        }
    }
    lines
}

/// The text of the kernel. In shared memory the destination of the bulk copies precedes the
/// objects, because some devices refuse an object at address 0. Each step stores two 64-bit values:
/// its return value, or 0 if it has none, and the word after the step.
pub fn ptx() -> String {
    let mut text = format!(
        "// SPDX-License-Identifier: Apache-2.0 OR MIT\n.version 8.0\n.target sm_90\n.address_size 64\n\n\
         .visible .entry {KERNEL}(.param .u64 {KERNEL}_out, .param .u64 {KERNEL}_from)\n{{\n    \
         .shared .align 16 .b8 space[{}];\n    \
         .reg .pred %other, %over, %early;\n    .reg .u32 %thread, %object, %space;\n    \
         .reg .u64 %out, %from, %token, %word, %begin, %now;\n\n    \
         ld.param.u64 %out, [{KERNEL}_out];\n    cvta.to.global.u64 %out, %out;\n    \
         ld.param.u64 %from, [{KERNEL}_from];\n    cvta.to.global.u64 %from, %from;\n    \
         mov.u32 %thread, %tid.x;\n    setp.ne.u32 %other, %thread, 0;\n    @%other ret;\n    mov.u32 %space, space;\n",
        COPY as usize + 8 * expected().len()
    );
    let prefixes = GROUPS.iter().flat_map(|(name, steps)| (1..=steps.len()).filter_map(move |n| Some((name, steps.get(..n)?))));
    let mut copies = 0;
    for (line, (name, steps)) in prefixes.enumerate() {
        let _ = write!(
            text,
            "\n    // {name}, {} steps\n    add.u32 %object, %space, {};\n",
            steps.len(),
            COPY as usize + line * 8
        );
        for operation in steps {
            text += "    mov.u64 %token, 0;\n";
            text += &instructions(*operation, &mut copies);
        }
        let at = line * 16;
        let _ = write!(
            text,
            "    mbarrier.inval.shared::cta.b64 [%object];\n    ld.volatile.shared.u64 %word, [%object];\n    \
             st.global.u64 [%out+{at}], %token;\n    st.global.u64 [%out+{}], %word;\n",
            at + 8
        );
    }
    text + "    ret;\n}\n"
}

/// The instructions of a step; `copies` counts the bulk copies so far.
fn instructions(operation: WordStep, copies: &mut usize) -> String {
    let arrive =
        |form: &str, number: u32| format!("    mbarrier.{form}.release.cta.shared::cta.b64 %token, [%object], {number};\n");
    let bytes = |form: &str, t: u32| format!("    mbarrier.{form}.relaxed.cta.shared::cta.b64 [%object], {t};\n");
    match operation {
        Init(n) => format!(
            "    mbarrier.init.shared::cta.b64 [%object], {n};\n    fence.mbarrier_init.release.cluster;\n    \
             fence.proxy.async;\n"
        ),
        Arrive(n) => arrive("arrive", n),
        ArriveExpect(t) => arrive("arrive.expect_tx", t),
        ArriveNoComplete(n) => arrive("arrive.noComplete", n),
        Drop(n) => arrive("arrive_drop", n),
        Expect(t) => bytes("expect_tx", t),
        Complete(t) => bytes("complete_tx", t),
        // Only the word shows the end of a copy that completes no phase, so the kernel waits for a
        // fixed number of clock cycles.
        Copy(t) => {
            *copies += 1;
            format!(
                "    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%space], [%from], {t}, [%object];\n    \
                 mov.u64 %begin, %clock64;\nCOPY{copies}:\n    mov.u64 %now, %clock64;\n    sub.u64 %now, %now, %begin;\n    \
                 setp.lt.u64 %early, %now, 200000;\n    @%early bra COPY{copies};\n"
            )
        }
        Test(parity) => format!(
            "    mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %over, [%object], {parity};\n    \
             selp.u64 %token, 1, 0, %over;\n"
        ),
    }
}

/// The result of comparing a device with the model.
pub enum Outcome {
    /// The number of compared values, and the differences.
    Compared { values: usize, differs: Vec<String> },
    /// The kernel could not be run, for this reason.
    Failed(String),
    /// The device has no mbarrier objects whose words have this layout.
    TooOld,
}

impl Outcome {
    pub fn is_good(&self) -> bool {
        match self {
            Outcome::Compared { differs, .. } => differs.is_empty(),
            Outcome::Failed(_) => false,
            Outcome::TooOld => true,
        }
    }

    /// The outcome as text: one line, and one more for each difference.
    pub fn describe(&self) -> String {
        match self {
            Outcome::Compared { values, differs } => {
                let complaints: String = differs.iter().map(|why| format!("- {why}\n")).collect();
                format!(
                    "mbarrier words, and the upper halves of tokens: {} of {values} as in the model.\n{complaints}",
                    values - differs.len()
                )
            }
            Outcome::Failed(why) => format!("mbarrier words and tokens: not compared: {why}\n"),
            Outcome::TooOld => {
                "mbarrier words and tokens: not compared, as that takes compute capability 9.0 or later.\n".to_string()
            }
        }
    }
}

/// Whether a device has mbarrier objects of this layout.
pub fn has_objects(about: &About) -> bool {
    about.capability.0 >= 9
}

/// Compares the kernel's stored pairs of token and word with the model.
pub fn compared(out: &[u64]) -> Outcome {
    let lines = expected();
    let mut differs = vec![];
    let mut values = 0;
    for (at, line) in lines.iter().enumerate() {
        let token = line.token.map(|token| ("token", token.value(), out.get(2 * at).map(|found| token.valid_bits(*found))));
        let word = ("word", line.word, out.get(2 * at + 1).copied());
        for (what, wanted, found) in token.into_iter().chain([word]) {
            values += 1;
            match found {
                Some(found) if found == wanted => {}
                Some(found) => differs.push(format!("{}: {what} {found:#018x}, in the model {wanted:#018x}", line.what)),
                None => differs.push(format!("{}: {what} is missing", line.what)),
            }
        }
    }
    Outcome::Compared { values, differs }
}

/// Runs the kernel on a device and compares its results with the model.
pub fn check(device: &Device, limit: Duration) -> Outcome {
    if !has_objects(&device.about) {
        return Outcome::TooOld;
    }
    match run(device, limit) {
        Ok(out) => compared(&out),
        Err(error) => Outcome::Failed(format!("{error:#}")),
    }
}

fn run(device: &Device, limit: Duration) -> Result<Vec<u64>> {
    let zero = Fill::Value(Number::Integer(0));
    let buffer =
        |name: &str, length| Buffer::filled(name, Element::U64, &[length], &zero, 0).map_err(|error| anyhow!(error.message));
    let buffers = [buffer("out", 2 * expected().len())?, buffer("from", COPY as usize / 8)?];
    let given = |at: usize, name: &str| Given {
        target: Target::Position(at),
        value: Argument::Address { buffer: name.to_string(), offset: 0 },
        span: 0..0,
        key: 0..0,
    };
    let launches = [KernelLaunch {
        kernel: Some(Spanned::new(0..0, KERNEL.to_string())),
        grid: [1; 3],
        ctas: None,
        cluster: None,
        programmatic: false,
        cooperative: false,
        block: Some([32, 1, 1]),
        shared: 0,
        args: vec![given(0, "out"), given(1, "from")],
        span: 0..0,
    }];
    let text = ptx();
    let describe_errors =
        |errors: &[Diagnostic]| errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join("; ");
    let work = Work { file: FILE, text: &text, launches: &launches, buffers: &buffers };
    let after = on_device(device, &work, &text, &describe_errors, limit).map_err(|why| anyhow!(why))?;
    let bytes = after.first().map_or(vec![], |out| out.bytes.to_vec());
    Ok(bytes.chunks_exact(8).filter_map(|value| value.try_into().ok().map(u64::from_le_bytes)).collect())
}

#[cfg(test)]
mod tests;
