// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `.version` and `.target`, and the PTX version and target that barrier instructions require (PTX ISA notes and target ISA notes of
//! bar/barrier).

use std::fmt;

/// A PTX ISA version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
}

/// A real architecture: `sm_90a` is 90 with suffix `a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    pub sm: u32,
    pub suffix: Option<char>,
}

/// The version of a text without `.version`: the newest known.
pub const NEWEST_VERSION: Version = Version { major: 9, minor: 5 };
/// The target of a text without `.target`: the newest known.
pub const NEWEST_TARGET: Target = Target { sm: 121, suffix: None };

impl Version {
    /// Parses `9.5`.
    pub(super) fn parse(text: &str) -> Option<Version> {
        let (major, minor) = text.split_once('.')?;
        let version = Version { major: major.parse().ok()?, minor: minor.parse().ok()? };
        (1..100).contains(&version.major).then_some(version)
    }
}

impl Target {
    /// Parses `sm_90a`.
    pub(super) fn parse(text: &str) -> Option<Target> {
        let digits = text.strip_prefix("sm_")?;
        let suffix = digits.chars().last().filter(|c| matches!(c, 'a' | 'f'));
        let sm = digits.strip_suffix(['a', 'f']).unwrap_or(digits).parse().ok()?;
        (10..1000).contains(&sm).then_some(Target { sm, suffix })
    }

    /// Whether lanes of a warp can diverge. Up to sm_6x a warp has one program counter, so an unaligned barrier acts as an aligned one.
    pub fn diverges(self) -> bool {
        self.sm >= 70
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "sm_{}{}", self.sm, self.suffix.map_or(String::new(), String::from))
    }
}

/// A feature of barrier instructions that not every version and target has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    Barrier,
    Cta,
    ArriveOrRed,
    RegisterOperand,
    Count,
    WarpSync,
    Elect,
}

impl Feature {
    /// The name of the feature, and the first version and architecture that have it.
    pub fn needs(self) -> (&'static str, Version, u32) {
        let version = |major, minor| Version { major, minor };
        match self {
            Feature::Barrier => ("`barrier`", version(6, 0), 30),
            Feature::Cta => ("the `.cta` qualifier", version(7, 8), 0),
            Feature::ArriveOrRed => ("arrive and red", version(2, 0), 20),
            Feature::RegisterOperand => ("a register operand", version(2, 0), 20),
            Feature::Count => ("a thread count", version(2, 0), 20),
            Feature::WarpSync => ("`bar.warp.sync`", version(6, 0), 30),
            Feature::Elect => ("`elect.sync`", version(8, 0), 90),
        }
    }

    /// Why `version` and `target` lack the feature, and what to do; `None` if they have it.
    pub fn refusal(self, version: Version, target: Target) -> Option<(String, String)> {
        let (name, first, sm) = self.needs();
        let (message, help) = refusal((name, (first.major, first.minor), sm), version, target)?;
        let all = if version < first { "" } else { "; sm_1x has only `bar.sync` with an immediate id" };
        Some((message, help + all))
    }
}

/// The name of a feature, and the first version and architecture that have it.
pub(super) type Need = (&'static str, (u32, u32), u32);

/// Why `version` and `target` lack a feature, and what to do; `None` if they have it.
pub(super) fn refusal((name, (major, minor), sm): Need, version: Version, target: Target) -> Option<(String, String)> {
    let first = Version { major, minor };
    if version < first {
        let message = format!("{name} needs PTX {first}, this text is PTX {version}");
        return Some((message, format!("raise `.version` to {first} or newer")));
    }
    let message = format!("{name} needs sm_{sm}, the target of this text is {target}");
    (target.sm < sm).then(|| (message, format!("raise `.target` to sm_{sm} or newer")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_targets_are_read() {
        assert_eq!(Version::parse("9.5"), Some(NEWEST_VERSION));
        assert!(Version::parse("6.5") < Version::parse("6.10"));
        assert_eq!(["9", "0.1", "x.y", "9.5.1"].map(Version::parse), [None; 4]);
        assert_eq!(Target::parse("sm_90a"), Some(Target { sm: 90, suffix: Some('a') }));
        assert_eq!(Target::parse("sm_90a").map(|t| t.to_string()).as_deref(), Some("sm_90a"));
        assert_eq!(["sm_9", "sm_90b", "compute_90", "sm_", "sm_99999"].map(Target::parse), [None; 5]);
    }

    #[test]
    fn the_unaligned_form_diverges_from_sm_70_on() {
        assert_eq!([61, 62, 70].map(|sm| Target { sm, suffix: None }.diverges()), [false, false, true]);
    }
}
