// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How a kernel is launched, as the command line says it.

use std::str::FromStr;

/// The arguments that say how a PTX kernel is launched.
#[derive(clap::Args)]
pub struct LaunchArgs {
    /// The kernel that runs, if the PTX file has several: its name, or a part that only one name has.
    #[arg(long, value_name = "NAME", conflicts_with = "roles")]
    pub kernel: Option<String>,
    /// CTAs along x, y and z: `8` or `4,2`; each CTA sees its own %ctaid.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = shape)]
    pub grid: Option<[u32; 3]>,
    /// Threads of a CTA along x, y and z; default: as the program says.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = shape, conflicts_with = "warps")]
    pub block: Option<[u32; 3]>,
    /// Value of a kernel parameter: `n=1024`; without one it is unknown.
    #[arg(long = "arg", value_name = "NAME=VALUE")]
    pub params: Vec<ParamArg>,
}

/// `NAME=VALUE` of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamArg {
    pub name: String,
    pub value: u64,
}

impl FromStr for ParamArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "expected NAME=VALUE with an integer, for example `n=1024` or `mask=0xff`";
        let (name, value) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or(form)?;
        let (negative, digits) = value.strip_prefix('-').map_or((false, value), |digits| (true, digits));
        let number = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        let number = number.map_err(|_| form)?;
        Ok(ParamArg { name: name.to_string(), value: if negative { number.wrapping_neg() } else { number } })
    }
}

/// One to three sizes.
fn shape(text: &str) -> Result<[u32; 3], String> {
    let sizes: Option<Vec<u32>> = text.split(',').map(|size| size.parse().ok().filter(|size| *size > 0)).collect();
    let form = "expected one to three sizes above 0, for example `128` or `16,16`";
    let sizes = sizes.filter(|sizes| sizes.len() <= 3).ok_or(form)?;
    let of = |axis: usize| sizes.get(axis).copied().unwrap_or(1);
    Ok([of(0), of(1), of(2)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_values_are_numbers() {
        assert_eq!((shape("8"), shape("4,2"), shape("1,2,3")), (Ok([8, 1, 1]), Ok([4, 2, 1]), Ok([1, 2, 3])));
        assert!(["", "0", "1,2,3,4", "a", "1,,2", "-1"].iter().all(|wrong| shape(wrong).is_err()));
        let value = |text: &str| text.parse::<ParamArg>().map(|arg| arg.value);
        assert_eq!((value("n=7"), value("n=0xff"), value("n=-1")), (Ok(7), Ok(255), Ok(u64::MAX)));
        assert!(["", "n", "=1", "n=", "n=x", "n=0xg", "n=99999999999999999999"].iter().all(|wrong| value(wrong).is_err()));
    }
}
