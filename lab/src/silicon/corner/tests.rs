// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the simulator's result of each program with the result in `cases.toml`. No GPU is
//! needed.

use super::super::simulate::{Simulator, Work};
use super::*;
use bcu_machine::Verdict;
use bcu_program::launch::{Argument, Buffer, Element, Fill, Given, KernelLaunch, Number, Target};
use std::num::NonZeroU32;
use toml::Spanned;

/// A program in an endless loop is stopped after this number of cycles; no other program needs as
/// many.
const MOST_CYCLES: NonZeroU32 = NonZeroU32::new(100_000).unwrap();

#[test]
fn the_unit_says_what_is_recorded() {
    let mut simulator = Simulator::limited(MOST_CYCLES).unwrap();
    let mut wrong = vec![];
    for corner in case::read_corners().unwrap() {
        // The first word of `unit` is the expected verdict or error. The values after it are those
        // that the program must store if there is no error; without such values, it must store the
        // same values as on the device.
        let unit = corner.unit.split_once(' ').map_or(corner.unit.as_str(), |(word, _)| word);
        let stored_values = corner.unit.replacen(unit, "ends", 1);
        let stored_values = if stored_values == "ends" { corner.device.clone() } else { End::try_from(stored_values).unwrap() };
        match simulated(&mut simulator, &corner) {
            Ok((said, got)) if said == unit => {
                if said == Verdict::Completed.name() && stored_values != End::Completed(got.clone()) {
                    wrong.push(format!("{}: the simulator stores {got:?}; expected {stored_values}", corner.name));
                }
            }
            Ok((said, _)) => wrong.push(format!("{}: the simulator reports {said} instead of {unit}", corner.name)),
            Err(_) if unit == "refused" => {}
            Err(why) => wrong.push(format!("{}: {why}", corner.name)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ends_are_written_as_they_are_read() {
    for line in ["ends", "ends 1 18446744073709551615", "hangs", "CUDA_ERROR_LAUNCH_FAILED"] {
        assert_eq!(End::try_from(line.to_string()).unwrap().to_string(), line);
    }
    for line in ["", "ended 1", "ends x"] {
        assert!(End::try_from(line.to_string()).is_err(), "{line}");
    }
}

/// The outcomes of all programs on a made-up device, on which each program ends with the printed
/// line `end`.
fn ran(capability: (u32, u32), end: &str) -> Vec<Outcome> {
    let about = About { name: String::new(), capability, multiprocessors: 1, cuda: (13, 0), driver: None };
    let child = |_: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("echo some notice; echo {end}")]);
        command
    };
    run(&about, &child).unwrap()
}

#[test]
fn what_differs_is_told_where_it_can_be_compared() {
    let corners = case::read_corners().unwrap();
    for end in ["hangs", "ends 1 1"] {
        let recorded = |corner: &&Corner| corner.device.to_string() == end;
        let good = |outcomes: &[Outcome]| outcomes.iter().filter(|one| one.is_good()).count();
        let ran_on = |capability| ran(capability, end);
        assert_eq!(good(&ran_on((9, 0))), corners.iter().filter(recorded).count());
        assert_eq!(good(&ran_on((10, 0))), corners.len());
    }
    let shown = |end: &str| ran((9, 0), end)[0].shown();
    assert_eq!(shown("ends 1 1"), "ends 1 1");
    assert_eq!(shown("hangs"), "hangs; recorded of 9.0: ends 1 1");
    assert!(shown("nonsense").contains("expected `ends`, `hangs` or an error of the driver, got `nonsense`"));
}

/// The result of a program in the simulator: the first fault or misuse, or else the verdict of the run; then the stored values. An error is
/// a sentence.
fn simulated(simulator: &mut Simulator, corner: &Corner) -> Result<(String, Vec<u64>), String> {
    let zero = Fill::Value(Number::Integer(0));
    let buffer = Buffer::filled("out", Element::U64, &[case::PLACES], &zero, 0).map_err(|error| error.message)?;
    let shape = corner.shape();
    let launch = KernelLaunch {
        kernel: Some(Spanned::new(0..0, corner.name.clone())),
        grid: shape.grid,
        ctas: None,
        cluster: None,
        programmatic: false,
        cooperative: false,
        block: Some(shape.block),
        shared: 0,
        args: vec![Given {
            target: Target::Position(0),
            value: Argument::Address { buffer: "out".to_string(), offset: 0 },
            span: 0..0,
            key: 0..0,
        }],
        span: 0..0,
    };
    let (text, launches, buffers) = (corner.ptx(), [launch], [buffer]);
    let work = Work { file: &corner.name, text: &text, launches: &launches, buffers: &buffers };
    let (reports, after) = simulator.reports(&work, &|errors| errors.iter().map(|error| error.message.clone()).collect())?;
    let said = reports.iter().find_map(|report| {
        let fault = report.faults.first().map(|fault| fault.code.clone());
        let misuse = report.misuses.first().map(|misuse| misuse.code.to_string());
        fault.or(misuse).or((report.verdict != Verdict::Completed).then(|| report.verdict.name().to_string()))
    });
    let value = |at| match after.first().and_then(|out| out.get(at)).map(|bytes| Element::U64.decode(bytes)) {
        Some(Number::Integer(value)) => u64::try_from(value).ok(),
        _ => None,
    };
    let stored_values = (0..corner.places()).map(value).collect::<Option<_>>().ok_or("a value is unknown")?;
    Ok((said.unwrap_or_else(|| Verdict::Completed.name().to_string()), stored_values))
}
