// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The properties of a device, the launch shape of a kernel, and the errors of the driver.

use std::fmt;

/// The properties of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    pub name: String,
    /// Compute capability, such as 9 and 0 for sm_90.
    pub capability: (u32, u32),
    pub multiprocessors: u32,
    /// The CUDA version that the driver supports.
    pub cuda: (u32, u32),
    /// The driver's own version, if the system reports it.
    pub driver: Option<String>,
}

/// The launch shape: blocks, threads of a block, and bytes of dynamic shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
}

/// Why the driver did not complete an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A kernel did not end within this number of seconds.
    Hangs { seconds: u64 },
    /// A call of the driver returned an error.
    Call {
        call: &'static str,
        /// The name of the error, such as `CUDA_ERROR_ILLEGAL_INSTRUCTION`.
        name: String,
        code: i32,
        /// The description by the driver, and the log of its compiler.
        text: String,
    },
    /// The driver was not called, because the operation is invalid for this reason.
    Unasked(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Hangs { seconds } => {
                write!(f, "the kernel did not end within {seconds} s; it hangs, or `--timeout` is too short")
            }
            Refusal::Call { call, name, code, text } => write!(f, "{call}: {name} ({code}){text}"),
            Refusal::Unasked(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Refusal {}

/// The driver's version as the system reports it, such as `580.159.04`.
pub fn system_version() -> Option<String> {
    let plain = std::fs::read_to_string("/sys/module/nvidia/version").ok();
    let version = plain.or_else(|| {
        let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
        let digits = |word: &&str| word.contains('.') && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        text.split_whitespace().find(digits).map(str::to_string)
    })?;
    Some(version.trim().to_string()).filter(|version| !version.is_empty())
}
