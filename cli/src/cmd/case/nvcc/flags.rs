// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of nvcc, and what they mean for the PTX: its target and its level of optimisation.

use serde::Serialize;

/// Options that nvcc must not get, because `bcu` sets them.
const OWN: [(&str, &str); 8] = [
    ("-arch", "--arch"),
    ("--gpu-architecture", "--arch"),
    ("-gencode", "--arch"),
    ("--generate-code", "--arch"),
    ("-code", "--arch"),
    ("--gpu-code", "--arch"),
    ("-o", ""),
    ("--output-file", ""),
];

/// The words of `--nvcc-flags`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub Vec<String>);

/// Splits the text as a shell does.
pub fn parse(text: &str) -> Result<Flags, String> {
    let words = shlex::split(text).ok_or("a quotation mark is not closed; quote as in a shell: `-DNAME=\"a b\"`")?;
    for word in &words {
        let name = word.split('=').next().unwrap_or(word);
        if let Some((_, instead)) = OWN.iter().find(|(own, _)| *own == name) {
            return Err(match instead.is_empty() {
                true => format!("`{word}`: `bcu` chooses the output file; leave this option out"),
                false => format!("`{word}`: `bcu` chooses the target; give it as `{instead} sm_90a`"),
            });
        }
    }
    Ok(Flags(words))
}

/// How nvcc has compiled a `.cu` program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Compiled {
    pub compiler: &'static str,
    /// The level of optimisation of device code: `-O3`, or `-O0` with `-G`.
    pub optimisation: String,
    pub target: String,
    pub flags: Vec<String>,
}

impl Compiled {
    pub fn new(target: &str, flags: &Flags) -> Compiled {
        Compiled { compiler: "nvcc", optimisation: level(&flags.0), target: target.to_string(), flags: flags.0.clone() }
    }

    /// One sentence for a report.
    pub fn sentence(&self) -> String {
        let Compiled { optimisation, target, flags, .. } = self;
        let given = match flags.is_empty() {
            true => String::new(),
            false => format!(" with `{}`", flags.join(" ")),
        };
        let advice = match optimisation.as_str() {
            "-O0" => "without optimisation, so its loads, stores and races are those of the source",
            _ => "the optimiser may remove stores and races of the source",
        };
        format!("compiled by nvcc {optimisation} for {target}{given}; {advice}")
    }
}

/// The level of optimisation of device code. `-O` of nvcc is the level of host code, and has no effect on PTX.
fn level(flags: &[String]) -> String {
    // An option and its value are one word with `=`, or two words.
    let value = |name: &str| {
        flags.iter().enumerate().rev().find_map(|(at, word)| match word.strip_prefix(name)? {
            "" => flags.get(at + 1).map(String::as_str),
            rest => rest.strip_prefix('='),
        })
    };
    let is_debug = flags.iter().any(|word| word == "-G" || word == "--device-debug");
    let optimises = [value("-dopt"), value("--dopt")].contains(&Some("on"));
    let cicc = [value("-Xcicc"), value("--Xcicc")].into_iter().flatten().find(|level| level.starts_with("-O"));
    let fast = value("-Ofc").or(value("--Ofast-compile")).filter(|level| *level != "0");
    match (is_debug && !optimises, cicc, fast) {
        (true, _, _) => "-O0".to_string(),
        (false, Some(level), _) => level.to_string(),
        (false, None, Some(level)) => format!("-O3 -Ofc={level}"),
        (false, None, None) => "-O3".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level_of(text: &str) -> String {
        Compiled::new("sm_90a", &parse(text).unwrap()).optimisation
    }

    #[test]
    fn flags_are_words_of_a_shell() {
        assert_eq!(parse("-DA='b c' \"-I x\"  -G").unwrap().0, ["-DA=b c", "-I x", "-G"]);
        assert_eq!(parse("").unwrap(), Flags::default());
        assert!(parse("-D'A").unwrap_err().contains("not closed"));
        assert!(parse("-arch=sm_80").unwrap_err().contains("`--arch sm_90a`"));
        assert!(parse("-G -o x").unwrap_err().contains("leave this option out"));
    }

    #[test]
    fn the_level_is_that_of_device_code() {
        for (flags, level) in [
            ("", "-O3"),
            ("-O0", "-O3"),
            ("-G", "-O0"),
            ("--device-debug -O2", "-O0"),
            ("-G -dopt=on", "-O3"),
            ("-G --dopt on", "-O3"),
            ("-Xcicc -O1", "-O1"),
            ("-Ofc=max", "-O3 -Ofc=max"),
            ("-Ofc 0", "-O3"),
        ] {
            assert_eq!(level_of(flags), level, "{flags}");
        }
    }

    #[test]
    fn a_report_names_level_and_target() {
        let said = Compiled::new("sm_80", &parse("-G -DN=2").unwrap()).sentence();
        assert!(said.starts_with("compiled by nvcc -O0 for sm_80 with `-G -DN=2`; without optimisation"), "{said}");
        assert!(Compiled::new("sm_80", &Flags::default()).sentence().ends_with("may remove stores and races of the source"));
    }
}
