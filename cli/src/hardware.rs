// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The engines that replace the model. They simulate the rust-hdl unit, and are part of the
//! companions.

use crate::companion::{Companion, RTL, TB};
use crate::failure::Result;
use bcu_isa::config::Config;
use bcu_machine::trace::text::Text;
use bcu_machine::trace::vcd::Vcd;
use bcu_model::dut::Dut;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter};
use std::rc::Rc;

/// The engine that runs the unit. The help of `run` describes the engines below the options. The
/// variants have no doc comments, because with them `--help` would print every option in clap's
/// long form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    Model,
    Rtl,
    Jit,
}

impl Engine {
    /// The companion that contains the engine.
    pub fn companion(self) -> Companion {
        if self == Engine::Jit {
            TB
        } else {
            RTL
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Engine::Model => "model",
            Engine::Rtl => "rtl",
            Engine::Jit => "jit",
        }
    }
}

/// A waveform in progress, which a device and the machine around it write to.
pub type Waveform = Rc<RefCell<Vcd<BufWriter<File>>>>;

/// A simulation of the rust-hdl unit that runs in place of the model.
pub trait Device: Dut {
    /// The reason that the unit has stopped, if it has.
    fn failure(&self) -> Option<String>;

    /// Starts a waveform with all signals of the unit, and with `texts`.
    fn trace(&mut self, out: BufWriter<File>, texts: &[Text]) -> io::Result<Waveform>;
}

/// The services of a companion: devices, and its rebuild for a configuration that is not compiled in.
pub trait Hardware {
    /// If the size of this configuration is not compiled in, rebuilds the running command with it,
    /// and returns the result of the rebuilt command. `None` if no rebuild is necessary.
    fn rebuilt(&self, config: &Config) -> Option<Result>;

    /// The unit of this name in this configuration; `traced`: [`Device::trace`] will be called.
    ///
    /// # Errors
    /// The unit does not exist in this size.
    fn device(&self, engine: Engine, config: &Config, unit: &str, traced: bool) -> Result<Box<dyn Device>>;
}
