// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The launch parameters that are the same for all threads of a CTA.

use super::clusters::Clusters;
use super::part::Part;
use super::ptx::Param;
use std::ops::Range;

/// Bytes of the region of shared memory that is reserved for system software.
const RESERVED: u64 = 1024;

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
    /// Whether all CTAs of the launch are resident at once and have a workspace for barriers of the grid.
    pub cooperative: bool,
    /// Whether shared memory has the region that is reserved for system software.
    pub reserved: bool,
    /// Bytes of shared memory that the text declares; `None`: the text has no declarations, so shared memory has no bounds.
    pub shared: Option<u64>,
    /// Bytes of shared memory that the launch adds.
    pub dynamic: u64,
    /// Number of gateway barriers that the text declares; `None`: a thread group has all barriers of the configuration.
    pub barriers: Option<u32>,
    /// Registers of a thread at the start; `None`: the text does not state them.
    pub registers: Option<u32>,
    /// The parameters of the kernel.
    pub params: Vec<Param>,
    /// The arguments of the kernel; `None`: the byte is not given.
    pub arguments: Vec<Option<u8>>,
}

impl Grid {
    /// The end of the shared memory that the text declares and the launch adds; `None`: shared memory has no bounds.
    pub fn shared_end(&self) -> Option<u64> {
        self.shared.map(|size| size.saturating_add(self.dynamic))
    }

    /// The bytes of the region of shared memory that is reserved for system software: after the bytes of the program and a gap, so that an
    /// access just past their end is not in the region. `None`: there is no region.
    pub fn reserved_shared(&self) -> Option<Range<u64>> {
        let first = self.shared_end().unwrap_or(0).next_multiple_of(RESERVED) + RESERVED;
        self.reserved.then_some(first..first + RESERVED)
    }
}

impl Default for Grid {
    fn default() -> Self {
        Grid {
            ntid: [1; 3],
            clusters: Clusters::default(),
            part: None,
            programmatic: false,
            cooperative: false,
            reserved: false,
            shared: None,
            dynamic: 0,
            barriers: None,
            registers: None,
            params: vec![],
            arguments: vec![],
        }
    }
}
