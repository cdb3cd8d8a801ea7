// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A program of `cases.toml`, and its translation to PTX.

use super::super::device::Shape;
use super::end::End;
use anyhow::{ensure, Context, Result};
use serde::Deserialize;
use std::fmt::Write as _;

/// The maximum number of 64-bit values that a program can store.
pub const PLACES: usize = 8;

/// Number of bytes of shared memory before the object, because some devices refuse an object at address 0.
const BEFORE_OBJECT: usize = 64;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Corner>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Corner {
    pub name: String,
    /// What the program does, for the table.
    pub does: String,
    /// Number of threads of a block.
    #[serde(default = "warp")]
    threads: u32,
    /// Number of blocks; all of them are in one cluster.
    #[serde(default = "alone")]
    cluster: u32,
    /// How the program ended on a device of compute capability 9.0.
    pub device: End,
    /// The result in the simulator, in the notation that `cases.toml` explains.
    pub unit: String,
    /// The program of each warp, the same in every block; empty if `blocks` is given.
    #[serde(default)]
    warps: Vec<String>,
    /// The program of each block; empty if `warps` is given.
    #[serde(default)]
    blocks: Vec<String>,
}

fn warp() -> u32 {
    32
}

fn alone() -> u32 {
    1
}

/// All programs, in the order of the file.
pub fn read_corners() -> Result<Vec<Corner>> {
    let file: File = toml::from_str(include_str!("cases.toml")).context("corner/cases.toml")?;
    for corner in &file.case {
        let same = file.case.iter().filter(|other| other.name == corner.name).count();
        ensure!(same == 1, "corner/cases.toml: two programs are named `{}`", corner.name);
    }
    Ok(file.case)
}

impl Corner {
    /// The number of values that the program stores on a device, if it ends there.
    pub fn places(&self) -> usize {
        match &self.device {
            End::Completed(stored_values) => stored_values.len(),
            End::Hangs | End::Error(_) => 0,
        }
    }

    pub fn shape(&self) -> Shape {
        Shape { grid: [self.cluster, 1, 1], block: [self.threads, 1, 1], shared: 0 }
    }

    /// The whole program as PTX.
    pub fn ptx(&self) -> String {
        let Corner { name, threads, cluster, .. } = self;
        let cluster = if *cluster > 1 { format!(" .reqnctapercluster {cluster}, 1, 1") } else { String::new() };
        let mut text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n\n\
             .visible .entry {name}(.param .u64 {name}_out) .reqntid {threads}, 1, 1{cluster}\n{{\n    \
             .shared .align 16 .b8 space[{}];\n    .reg .pred %p<9>;\n    .reg .u32 %r<4>, %warp, %lane, %block, %object, %zero;\n    \
             .reg .u64 %d<4>, %out, %begin, %now;\n\n    \
             ld.param.u64 %out, [{name}_out];\n    cvta.to.global.u64 %out, %out;\n    \
             ld.volatile.global.u32 %zero, [%out+{}];\n    mov.u32 %warp, %tid.x;\n    and.b32 %lane, %warp, 31;\n    \
             shr.u32 %warp, %warp, 5;\n    mov.u32 %block, %ctaid.x;\n    mov.u32 %object, space;\n    \
             add.u32 %object, %object, {BEFORE_OBJECT};\n",
            BEFORE_OBJECT + 8,
            8 * (PLACES - 1),
        );
        let (register, bodies) = if self.blocks.is_empty() { ("%warp", &self.warps) } else { ("%block", &self.blocks) };
        let mut delays = 0;
        for (at, body) in bodies.iter().enumerate() {
            let _ = write!(text, "\n    setp.ne.u32 %p8, {register}, {at};\n    @%p8 bra NEXT{at};\n");
            body.lines().for_each(|line| text += &expanded(line, &mut delays));
            let _ = write!(text, "    ret;\nNEXT{at}:\n");
        }
        text + "    ret;\n}\n"
    }
}

/// Expands a line of a program: each of `flag`, `tell`, `test` and `delay` means several instructions.
fn expanded(line: &str, delays: &mut u32) -> String {
    let store = |place: &str, register: &str| {
        let at = place.parse::<usize>().unwrap_or(PLACES) * 8;
        format!("    st.volatile.global.u64 [%out+{at}], {register};\n")
    };
    match line.split_whitespace().collect::<Vec<_>>()[..] {
        ["flag", place] => format!("    mov.u64 %now, 1;\n{}", store(place, "%now")),
        ["tell", place, register] => store(place, register),
        ["test", place, parity] => format!(
            "    mbarrier.test_wait.parity.shared.b64 %p7, [%object], {parity};\n    selp.u64 %now, 2, 1, %p7;\n{}",
            store(place, "%now")
        ),
        ["delay", cycles] => {
            *delays += 1;
            format!(
                "    mov.u64 %begin, %clock64;\nDELAY{delays}:\n    mov.u64 %now, %clock64;\n    sub.u64 %now, %now, %begin;\n    \
                 setp.lt.u64 %p7, %now, {cycles};\n    @%p7 bra DELAY{delays};\n"
            )
        }
        _ if line.ends_with(':') => format!("{line}\n"),
        _ => format!("    {line}\n"),
    }
}
