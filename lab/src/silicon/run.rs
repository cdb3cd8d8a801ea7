// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs a launch file on a device, and compares the buffers afterwards.

use super::agree::{agreement, Agreement};
use super::case::{filled, Case, Program};
use super::choice::lowered;
use super::device::{Refusal, Shape};
use super::driver::{Device, Memory};
use super::params::Params;
use super::simulate::{Simulator, Work};
use bcu_isa::diag::Diagnostic;
use bcu_program::launch::{bind, compare, Buffer, KernelLaunch, Missing, Placed, Tolerance};
use bcu_program::ptx::{self, Module, Version};
use std::time::Duration;

/// The result of a launch file.
pub struct Outcome {
    pub name: String,
    /// The file of the program that ran; empty if none was selected.
    pub program: String,
    /// If the driver is too old for the program's PTX version: that version, and the version that
    /// replaced it.
    pub lowered: Option<(Version, Version)>,
    pub launches: usize,
    pub state: State,
}

pub enum State {
    /// The launch file did not complete, for this reason.
    Failed(String),
    /// The launch file was not run, for this reason.
    Skipped(String),
    Ran {
        buffers: Vec<Checked>,
        /// Whether the simulator ran the launch file, or else the reason why it did not.
        simulator: Result<(), String>,
    },
}

/// A buffer after the last launch.
pub struct Checked {
    pub after: Buffer,
    /// The comparison with the launch file; `None`: the file expects no contents of this buffer.
    pub expectation: Option<Result<(), String>>,
    /// The comparison with the simulator; `None`: the simulator did not run.
    pub simulator: Option<Agreement>,
}

impl Outcome {
    /// Whether all required comparisons found equal contents.
    pub fn is_good(&self) -> bool {
        let State::Ran { buffers, simulator } = &self.state else { return false };
        let good = |checked: &Checked| {
            !matches!(checked.expectation, Some(Err(_))) && !matches!(checked.simulator, Some(Agreement::Differs(_)))
        };
        simulator.is_ok() && buffers.iter().all(good)
    }

    /// All errors, one sentence each.
    pub fn complaints(&self) -> Vec<String> {
        match &self.state {
            State::Failed(why) => vec![why.clone()],
            State::Skipped(why) => vec![format!("not run: {why}")],
            State::Ran { buffers, simulator } => {
                let of_simulator = simulator.as_ref().err().map(|why| format!("the simulator did not run it: {why}"));
                let of_buffer = |checked: &Checked| {
                    let file = checked.expectation.clone().and_then(Result::err);
                    let simulator = match &checked.simulator {
                        Some(Agreement::Differs(why)) => Some(why.clone()),
                        _ => None,
                    };
                    [file, simulator]
                };
                of_simulator.into_iter().chain(buffers.iter().flat_map(of_buffer).flatten()).collect()
            }
        }
    }
}

/// The device and the simulator that run the cases.
pub struct Bench<'a> {
    pub device: &'a Device,
    pub simulator: &'a mut Simulator,
    /// Time limit of one launch.
    pub limit: Duration,
}

impl Bench<'_> {
    /// Runs a case on the device and in the simulator.
    pub fn case(&mut self, case: &Case) -> Outcome {
        let launches = case.file.launches.len();
        let outcome = |program: &str, lowered, state| Outcome {
            name: case.name.clone(),
            program: program.to_string(),
            lowered,
            launches,
            state,
        };
        if self.device.is_lost() {
            let why =
                "an earlier error or hang left the device unusable; name the remaining files in the next call".to_string();
            return outcome("", None, State::Skipped(why));
        }
        let Program { file, text } = match case.program(self.device.about.capability) {
            Ok(program) => program,
            Err(error) => return outcome("", None, State::Skipped(format!("{error:#}"))),
        };
        let (low, lowered) = lowered(&text, self.device.about.cuda);
        let describe_errors = |errors: &[Diagnostic]| case.describe_errors(errors);
        let work = Work { file: &file, text: &text, launches: &case.file.launches, buffers: &case.buffers };
        let after = match on_device(self.device, &work, &low, &describe_errors, self.limit) {
            Ok(after) => after,
            Err(why) => return outcome(&file, lowered, State::Failed(why)),
        };
        let simulated = self.simulator.run(&work, &describe_errors);
        let checked = |(at, after): (usize, Buffer)| {
            let of_it = || case.expected.iter().filter(|expected| expected.buffer == at);
            let wrong = of_it().filter_map(|expected| compare(&expected.wanted, &after, expected.tolerance).err());
            let wrong = wrong.map(|mismatch| mismatch.to_string()).reduce(|lines, line| format!("{lines}\n{line}"));
            let tolerant = of_it().any(|expected| expected.tolerance != Tolerance::default());
            let before = case.buffers.get(at).map_or_else(Vec::new, filled);
            let simulated = simulated.as_ref().ok().and_then(|all| all.get(at));
            let simulator = simulated.map(|simulated| agreement(&before, simulated, &after, tolerant));
            Checked { expectation: of_it().next().map(|_| wrong.map_or(Ok(()), Err)), simulator, after }
        };
        let buffers = after.into_iter().enumerate().map(checked).collect();
        outcome(&file, lowered, State::Ran { buffers, simulator: simulated.map(drop) })
    }
}

/// Runs the launches of `work` on a device, and returns the buffers after the last one. The driver
/// compiles `compiled`, which is the text of `work` with another `.version`. An error is a
/// sentence.
pub fn on_device(
    device: &Device,
    work: &Work,
    compiled: &str,
    describe_errors: &dyn Fn(&[Diagnostic]) -> String,
    limit: Duration,
) -> Result<Vec<Buffer>, String> {
    let parsed =
        ptx::parse(work.text).map_err(|errors| super::case::describe_errors(work.file.as_ref(), work.text, &errors))?;
    let refused = |refusal: Refusal| format!("{}: {refusal}", work.file);
    let memories = work
        .buffers
        .iter()
        .map(|buffer| device.memory(&filled(buffer)))
        .collect::<Result<Vec<Memory>, _>>()
        .map_err(refused)?;
    let place = |(buffer, memory): (&Buffer, &Memory)| Placed {
        name: buffer.name.clone(),
        address: memory.address,
        bytes: buffer.bytes.len() as u64,
    };
    let placed: Vec<Placed> = work.buffers.iter().zip(&memories).map(place).collect();
    let module = device.module(compiled).map_err(refused)?;
    for launch in work.launches {
        let (kernel, shape, mut params) = prepared(&parsed, launch, &placed).map_err(|errors| describe_errors(&errors))?;
        module
            .run(&kernel, shape, &mut params, limit)
            .map_err(|refusal| format!("{}, kernel `{kernel}`: {refusal}", work.file))?;
    }
    let read_back = |(buffer, memory): (&Buffer, &Memory)| Ok(Buffer { bytes: memory.read()?.into(), ..buffer.clone() });
    work.buffers.iter().zip(&memories).map(read_back).collect::<Result<_, _>>().map_err(refused)
}

/// Prepares a launch for the driver: the kernel's name, its shape and its arguments.
fn prepared(module: &Module, launch: &KernelLaunch, placed: &[Placed]) -> Result<(String, Shape, Params), Vec<Diagnostic>> {
    let wanted = launch.kernel.as_ref().map(|kernel| kernel.get_ref().as_str());
    let span = || launch.kernel.as_ref().map_or_else(|| launch.span.clone(), toml::Spanned::span);
    let (kernel, params) = ptx::kernel(module, wanted).map_err(|error| vec![Diagnostic { span: span(), ..error }])?;
    let arguments = bind(&kernel, &params, &launch.args, (placed, &[]), Missing::Refused, launch.span.clone())?;
    let bounds =
        module.codes.iter().find(|code| code.name == kernel).and_then(|code| code.bounds.reqntid.or(code.bounds.maxntid));
    let Some(block) = launch.block.or(bounds) else {
        let error =
            Diagnostic::new(launch.span.clone(), format!("the number of threads of `{kernel}` is unknown"), "no `block`");
        return Err(vec![error.help("add `block = [128]`")]);
    };
    let demanded = module.codes.iter().find(|code| code.name == kernel).and_then(|code| code.bounds.reqnctapercluster.as_ref());
    if launch.cluster.is_some_and(|cluster| demanded.is_none_or(|(demanded, _)| *demanded != cluster)) {
        let error = Diagnostic::new(
            launch.span.clone(),
            "`cluster` differs from the cluster size of the kernel",
            "a launch on a GPU uses the cluster size of the kernel",
        );
        return Err(vec![error.help("set it in the kernel: `.reqnctapercluster`, in CUDA `__cluster_dims__`")]);
    }
    Ok((kernel, Shape { grid: launch.grid, block, shared: launch.shared }, Params::pack(&arguments)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcu_program::launch::LaunchFile;

    fn prepare_launch(launch: &str) -> Result<(String, Shape, Params), Vec<Diagnostic>> {
        let text = ".version 8.0\n.target sm_80\n.entry one(.param .u64 one_param_0, .param .u32 one_param_1) .maxntid 96 { ret; }\n.entry two() { ret; }";
        let module = ptx::parse(text).unwrap();
        let file = LaunchFile::parse(&format!("[buffers.x]\ntype = \"u32\"\nshape = [4]\n[[launch]]\n{launch}\n")).unwrap();
        prepared(&module, &file.launches[0], &[Placed { name: "x".into(), address: 0x7f00_1234_5600, bytes: 16 }])
    }

    #[test]
    fn a_launch_takes_the_addresses_of_the_device() {
        let (kernel, shape, params) =
            prepare_launch("kernel = \"one\"\ngrid = [2, 3]\nshared = 64\nargs = [\"x+8\", -2]").unwrap();
        assert_eq!((kernel.as_str(), shape), ("one", Shape { grid: [2, 3, 1], block: [96, 1, 1], shared: 64 }));
        let bytes = |bytes: &[u8]| bytes.iter().copied().map(Some).collect::<Vec<_>>();
        let arguments = [bytes(&0x7f00_1234_5608u64.to_le_bytes()), bytes(&(-2i32).to_le_bytes())];
        assert_eq!(params, Params::pack(&arguments));
    }

    #[test]
    fn what_a_launch_lacks_is_said() {
        let message = |launch: &str| {
            prepare_launch(launch)
                .err()
                .and_then(|errors| errors.first().map(|error| error.message.clone()))
                .unwrap_or_default()
        };
        assert!(message("kernel = \"two\"").contains("the number of threads of"));
        assert!(message("kernel = \"three\"\nblock = [32]").contains("three"));
        assert!(message("kernel = \"one\"\nargs = [\"x\"]").contains("has 2 parameters"));
    }
}
