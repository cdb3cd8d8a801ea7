// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The launch of a kernel, as the command line describes it.

use super::nvcc;
use super::nvcc::flags::Flags;
use crate::cmd::headings::{LAUNCH, OUTPUT, PROGRAM};
use crate::failure::{Failure, Result};
use bcu_isa::diag::Diagnostic;
use bcu_program::launch::{parse_arg, parse_expect, parse_out, ArgOption, Argument, Expectation, OptionValue, Target};
use bcu_program::Part;
use std::path::PathBuf;

/// The arguments that describe the launch of a PTX kernel.
#[derive(clap::Args)]
pub struct LaunchArgs {
    /// Target of nvcc for a `.cu` program [default: sm_90a].
    #[arg(long, value_name = "ARCH", value_parser = arch, help_heading = PROGRAM)]
    pub arch: Option<String>,
    /// Further options of nvcc for a `.cu` program, in one word: `--nvcc-flags "-G -DTILE=32"`.
    ///
    /// They are split as in a shell. -lineinfo is always given; the report names the level of optimisation and the target.
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true, value_parser = nvcc::flags::parse, help_heading = PROGRAM,
        hide_short_help = true)]
    pub nvcc_flags: Option<Flags>,
    /// Program that a launch file launches, instead of the program that the file names.
    #[arg(long, value_name = "FILE", help_heading = PROGRAM, hide_short_help = true)]
    pub program: Option<PathBuf>,
    /// Kernel to run, by its name or a part of it.
    ///
    /// It is needed if the file has several. The part is a part of one name only.
    #[arg(long, value_name = "NAME", conflicts_with = "roles", help_heading = LAUNCH)]
    pub kernel: Option<String>,
    /// CTAs along x, y and z: `8` or `4,2`.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = shape, help_heading = LAUNCH)]
    pub grid: Option<[u32; 3]>,
    /// CTAs of the grid that run, by their numbers: `0-3`, `0,7,12-15`; default: all.
    ///
    /// The registers of the kernel have the values of the whole grid.
    #[arg(long, value_name = "NUMBERS", value_parser = part, help_heading = LAUNCH, hide_short_help = true)]
    pub ctas: Option<Part>,
    /// CTAs of a cluster along x, y and z; default: as the program declares.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = shape, help_heading = LAUNCH, hide_short_help = true)]
    pub cluster: Option<[u32; 3]>,
    /// Threads of a CTA along x, y and z.
    ///
    /// Default: as the program declares.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = shape, conflicts_with = "warps", help_heading = LAUNCH)]
    pub block: Option<[u32; 3]>,
    /// Launch all CTAs at once, as `grid.sync()` of cooperative groups needs.
    #[arg(long, help_heading = LAUNCH, hide_short_help = true)]
    pub cooperative: bool,
    /// Bytes of dynamic shared memory.
    #[arg(long, value_name = "BYTES", help_heading = LAUNCH, hide_short_help = true)]
    pub shared: Option<u32>,
    /// Value of a parameter or variable: `n=1024`, `x=f32:[64]:iota`.
    ///
    /// NAME is the name in the CUDA source or in PTX, or the position of a parameter from 0. The value is an integer, a value with its type
    /// (`a=f32:1.5`), or a buffer of the same name (`x=npy:FILE`). A parameter without a value is unknown. docs/guide/launch.md has all forms.
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = arg, help_heading = LAUNCH)]
    pub params: Vec<ArgOption>,
    /// Contents that a buffer or variable must have: `y=3`, `y=want.npy`.
    #[arg(long, value_name = "BUFFER=FILE", value_parser = expect, help_heading = LAUNCH, hide_short_help = true)]
    pub expect: Vec<Expectation>,
    /// Write a buffer to a NumPy file: `y=got.npy`.
    #[arg(long, value_name = "BUFFER=FILE", value_parser = out, help_heading = OUTPUT)]
    pub out: Vec<(String, String)>,
}

impl LaunchArgs {
    /// The target for which nvcc compiles.
    pub fn arch(&self) -> &str {
        self.arch.as_deref().unwrap_or(nvcc::DEFAULT_ARCH)
    }

    /// The kernel parameters of a run with several kernels on different warps: names with integer values. Such a run accepts no other
    /// parameters.
    pub fn integers(&self) -> Result<Vec<(String, u64)>> {
        if !self.expect.is_empty() || !self.out.is_empty() || self.shared.is_some() || self.ctas.is_some() {
            let message = "--shared, --ctas, --expect and --out need one PTX kernel, or a launch file";
            return Err(Failure::plain(message, None));
        }
        let integer = |option: &ArgOption| match (&option.target, &option.value) {
            (Target::Name(name), OptionValue::Argument(Argument::Integer(value))) => Ok((name.clone(), *value as u64)),
            _ => {
                let help = "buffers, typed values and arguments by position need a run of one PTX kernel, or a launch file";
                Err(Failure::plain("`--arg`: this run takes only integers by name, for example `--arg n=1024`", Some(help)))
            }
        };
        self.params.iter().map(integer).collect()
    }
}

fn part(text: &str) -> std::result::Result<Part, String> {
    Part::parse(text).map_err(sentence)
}

fn arg(text: &str) -> std::result::Result<ArgOption, String> {
    parse_arg(text).map_err(sentence)
}

fn expect(text: &str) -> std::result::Result<Expectation, String> {
    parse_expect(text).map_err(sentence)
}

fn out(text: &str) -> std::result::Result<(String, String), String> {
    parse_out(text).map_err(sentence)
}

/// The error as one sentence without a location, because an error in an option needs none.
fn sentence(error: Diagnostic) -> String {
    let help = error.help.map_or(String::new(), |help| format!("; {help}"));
    format!("{}, {}{help}", error.message, error.label)
}

/// Checks that the text is a target of nvcc, such as `sm_90a`.
fn arch(text: &str) -> std::result::Result<String, String> {
    let number = text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_"));
    let number = number.map(|number| number.strip_suffix(['a', 'f']).unwrap_or(number));
    let good = number.is_some_and(|number| matches!(number.len(), 2 | 3) && number.bytes().all(|digit| digit.is_ascii_digit()));
    if good {
        Ok(text.to_string())
    } else {
        Err("expected a target such as `sm_90a` or `sm_80`".to_string())
    }
}

/// Reads one to three sizes above 0; the size of an axis that `text` omits is 1.
fn shape(text: &str) -> std::result::Result<[u32; 3], String> {
    let sizes: Option<Vec<u32>> = text.split(',').map(|size| size.parse().ok().filter(|size| *size > 0)).collect();
    let form = "expected one to three sizes above 0, for example `128` or `16,16`";
    let sizes = sizes.filter(|sizes| sizes.len() <= 3).ok_or(form)?;
    let size_of_axis = |axis: usize| sizes.get(axis).copied().unwrap_or(1);
    Ok([size_of_axis(0), size_of_axis(1), size_of_axis(2)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(params: &[&str], expect: &[&str]) -> LaunchArgs {
        LaunchArgs {
            kernel: None,
            grid: None,
            ctas: None,
            cluster: None,
            block: None,
            cooperative: false,
            shared: None,
            program: None,
            params: params.iter().map(|text| arg(text).unwrap()).collect(),
            expect: expect.iter().map(|text| parse_expect(text).unwrap()).collect(),
            out: vec![],
            arch: None,
            nvcc_flags: None,
        }
    }

    #[test]
    fn sizes_and_values_are_numbers() {
        assert_eq!((shape("8"), shape("4,2"), shape("1,2,3")), (Ok([8, 1, 1]), Ok([4, 2, 1]), Ok([1, 2, 3])));
        assert!(["", "0", "1,2,3,4", "a", "1,,2", "-1"].iter().all(|wrong| shape(wrong).is_err()));
        let values = launch(&["n=7", "m=0xff", "k=-1"], &[]).integers().unwrap();
        let expected = [("n", 7), ("m", 255), ("k", u64::MAX)].map(|(name, value)| (name.to_string(), value));
        assert_eq!(values, expected);
        assert!(["", "n", "=1", "n=", "n=x", "n=0xg", "n=99999999999999999999"].iter().all(|wrong| arg(wrong).is_err()));
    }

    #[test]
    fn what_needs_memory_is_not_left_out_in_silence() {
        for params in [["2=1"], ["x=f32:[4]"], ["a=f32:1.5"]] {
            assert!(launch(&params, &[]).integers().is_err(), "{params:?}");
        }
        assert!(launch(&[], &["y=3"]).integers().is_err());
    }

    #[test]
    fn complaints_say_what_is_expected() {
        assert!(arg("n=x").unwrap_err().contains("expected NAME=VALUE with an integer"));
        assert!(expect("y").unwrap_err().contains("expected BUFFER=FILE.npy"));
        assert!(out("y").unwrap_err().contains("expected BUFFER=FILE.npy"));
    }

    #[test]
    fn targets_are_those_of_nvcc() {
        assert!(["sm_90a", "sm_80", "sm_103f", "compute_75"].iter().all(|text| arch(text).is_ok()));
        assert!(["", "90", "sm_", "sm_9", "sm_90x", "sm_1234", "sm_9 ", "--help"].iter().all(|text| arch(text).is_err()));
    }
}
