// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a program runs on besides the model: the rust-hdl unit, which the companions have.

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

/// What plays the unit. The help of `run` says what they are, below the options: with a text for each, it would have all options in the long form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    Model,
    Rtl,
    Jit,
}

impl Engine {
    /// Who has it.
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

/// A waveform under way, which a device and the machine around it write to.
pub type Waveform = Rc<RefCell<Vcd<BufWriter<File>>>>;

/// A unit in the place of the model.
pub trait Device: Dut {
    /// Why it stands still, if it does.
    fn failure(&self) -> Option<String>;

    /// Starts a waveform with all that can be seen of the unit, and the texts.
    ///
    /// # Errors
    /// Those of the writer.
    fn trace(&mut self, out: BufWriter<File>, texts: &[Text]) -> io::Result<Waveform>;
}

/// Where devices come from.
pub trait Hardware {
    /// If the size of this configuration is not compiled in: rebuilds the running command with it, and the result of the rebuilt one.
    fn rebuilt(&self, config: &Config) -> Option<Result>;

    /// The unit of this name in this configuration.
    ///
    /// # Errors
    /// If it cannot be had in this size.
    fn device(&self, engine: Engine, config: &Config, unit: &str) -> Result<Box<dyn Device>>;
}
