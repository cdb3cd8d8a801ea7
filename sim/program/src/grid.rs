// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The launch parameters that are the same for all threads of a CTA.

use super::clusters::Clusters;
use super::part::Part;

/// The launch of a CTA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Threads of a CTA along x, y and z.
    pub ntid: [u32; 3],
    /// The CTAs and their clusters.
    pub clusters: Clusters,
    /// The CTAs that run; `None`: all.
    pub part: Option<Part>,
    /// Whether the launch may start before the previous launch has ended.
    pub programmatic: bool,
    /// Bytes of shared memory that the text declares; `None`: the text has no declarations, so shared memory has no bounds.
    pub shared: Option<u64>,
    /// Bytes of shared memory that the launch adds.
    pub dynamic: u64,
    /// Number of gateway barriers that the text declares; `None`: a thread group has all barriers of the configuration.
    pub barriers: Option<u32>,
    /// Registers of a thread at the start; `None`: the text does not state them.
    pub registers: Option<u32>,
    /// The arguments of the kernel; `None`: the byte is not given.
    pub arguments: Vec<Option<u8>>,
}

impl Default for Grid {
    fn default() -> Self {
        Grid {
            ntid: [1; 3],
            clusters: Clusters::default(),
            part: None,
            programmatic: false,
            shared: None,
            dynamic: 0,
            barriers: None,
            registers: None,
            arguments: vec![],
        }
    }
}
