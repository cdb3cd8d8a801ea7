// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Selects the PTX file of a kernel that a device can run, and the PTX version that its driver supports.

use bcu_program::ptx::Version;
use std::ops::Range;

/// The files of a kernel's folder that a device of this compute capability can run, the best file
/// first. A program for a target with the suffix `a` runs on that architecture only; one for
/// another target also runs on later architectures.
pub fn files((major, minor): (u32, u32)) -> Vec<&'static str> {
    let family = match (major, minor) {
        (9, 0) => Some("sm_90a.ptx"),
        (10, 0) => Some("sm_100a.ptx"),
        _ => None,
    };
    let common = (major >= 8).then_some("sm_80.ptx");
    family.into_iter().chain(common).collect()
}

/// Whether a file name is the name of an architecture, such as `sm_80.ptx`. If so, the same program
/// for another architecture may be next to the file.
pub fn has_siblings(program: &str) -> bool {
    let digits = program.strip_prefix("sm_").and_then(|rest| rest.strip_suffix(".ptx"));
    let digits = digits.map(|digits| digits.strip_suffix(['a', 'f']).unwrap_or(digits));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The newest PTX version that a driver for the given CUDA version supports; `None` for a CUDA
/// version that this table lacks.
fn newest((major, minor): (u32, u32)) -> Option<Version> {
    match (major, minor) {
        (11, minor) => Some(Version { major: 7, minor }),
        // CUDA 12.6 added no PTX version, so from there on the minor numbers differ by 1.
        (12, minor) => Some(Version { major: 8, minor: if minor > 5 { minor - 1 } else { minor } }),
        (13, minor) => Some(Version { major: 9, minor }),
        _ => None,
    }
}

/// The version number after `.version`, and its span in the text.
fn version(text: &str) -> Option<(Version, Range<usize>)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(rest) = line.trim_start().strip_prefix(".version") {
            let number = rest.split_whitespace().next()?;
            let (major, minor) = number.split_once('.')?;
            let at = start + line.find(number)?;
            return Some((Version { major: major.parse().ok()?, minor: minor.parse().ok()? }, at..at + number.len()));
        }
        start += line.len();
    }
    None
}

/// The text with its `.version` lowered to the newest that a driver for this CUDA version accepts,
/// and the old and new version if it was lowered. A compiler always writes its own version, and a
/// driver refuses a text with a newer version than its own. If the text has instructions that the
/// driver does not support, the driver still reports them.
pub fn lowered(text: &str, cuda: (u32, u32)) -> (String, Option<(Version, Version)>) {
    match (version(text), newest(cuda)) {
        (Some((has, at)), Some(newest)) if has > newest => {
            let mut text = text.to_string();
            text.replace_range(at, &newest.to_string());
            (text, Some((has, newest)))
        }
        _ => (text.to_string(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_device_gets_the_best_that_it_can_take() {
        assert_eq!(files((9, 0)), ["sm_90a.ptx", "sm_80.ptx"]);
        assert_eq!(files((10, 0)), ["sm_100a.ptx", "sm_80.ptx"]);
        for other in [(8, 0), (8, 6), (8, 9), (10, 3), (12, 0), (12, 1)] {
            assert_eq!(files(other), ["sm_80.ptx"], "{other:?}");
        }
        assert!([(7, 5), (7, 0), (0, 0)].iter().all(|old| files(*old).is_empty()));
    }

    #[test]
    fn only_a_file_of_an_architecture_has_siblings() {
        assert!(["sm_90a.ptx", "sm_80.ptx", "sm_100a.ptx", "sm_103f.ptx"].iter().all(|name| has_siblings(name)));
        assert!(["kernel.ptx", "no_barrier.sm_90a.ptx", "sm_.ptx", "sm_x.ptx", "sm_90a.cu", "sm_a.ptx"]
            .iter()
            .all(|name| !has_siblings(name)));
    }

    #[test]
    fn a_text_is_lowered_to_what_the_driver_knows_and_no_further() {
        let text = "// .version 1.0\n\n.version 9.5\n.target sm_90a\n";
        let (low, versions) = lowered(text, (13, 0));
        assert_eq!(low, "// .version 1.0\n\n.version 9.0\n.target sm_90a\n");
        assert_eq!(versions.map(|(from, to)| format!("{from} {to}")).as_deref(), Some("9.5 9.0"));
        let to = |cuda| lowered(text, cuda).1.map(|(_, to)| to.to_string());
        assert_eq!(to((12, 4)).as_deref(), Some("8.4"));
        assert_eq!(to((12, 6)).as_deref(), Some("8.5"));
        assert_eq!(to((12, 9)).as_deref(), Some("8.8"));
        assert_eq!(to((11, 8)).as_deref(), Some("7.8"));
        for same in [(13, 5), (13, 9), (14, 0)] {
            assert_eq!(lowered(text, same), (text.to_string(), None));
        }
        for odd in ["", ".version", ".version x.y\n", ".version 9\n", "bar.sync 0;"] {
            assert_eq!(lowered(odd, (11, 0)), (odd.to_string(), None));
        }
    }
}
