// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a device is, how a kernel is laid out on it, and what its driver refuses.

use std::fmt;

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    pub name: String,
    /// Compute capability: 9 and 0 of sm_90.
    pub capability: (u32, u32),
    pub multiprocessors: u32,
    /// The CUDA version that the driver is of.
    pub cuda: (u32, u32),
    /// The driver's own version, if the system tells it.
    pub driver: Option<String>,
}

/// Blocks, threads of a block and bytes of dynamic shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
}

/// What the driver did not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// The driver's version as the system says it, such as `580.159.04`.
pub fn system_version() -> Option<String> {
    let plain = std::fs::read_to_string("/sys/module/nvidia/version").ok();
    let version = plain.or_else(|| {
        let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
        let digits = |word: &&str| word.contains('.') && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        text.split_whitespace().find(digits).map(str::to_string)
    })?;
    Some(version.trim().to_string()).filter(|version| !version.is_empty())
}
