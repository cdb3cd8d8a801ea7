// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rust-hdl unit as what programs run on: clocked as it is, or as machine code.

use bcu_cli::companion::{self, RTL};
use bcu_cli::failure::{Failure, Result};
use bcu_cli::hardware::{Device, Engine, Hardware, Waveform};
use bcu_engine::compiled::Compiled;
use bcu_engine::Inside;
use bcu_hw::catalog;
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_machine::trace::vcd::Vcd;
use bcu_machine::trace::Text;
use bcu_model::dut::Dut;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter};
use std::rc::Rc;

/// All that is compiled in.
pub struct RustHdl;

impl Hardware for RustHdl {
    fn elsewhere(&self, config: &Config) -> Option<Result> {
        (!catalog::is_compiled(config)).then(|| companion::with_sizes(RTL, &[config]))
    }

    fn device(&self, engine: Engine, config: &Config, unit: &str) -> Result<Box<dyn Device>> {
        let no_unit = || Failure::plain(format!("the configuration `{}` has no unit `{unit}`", config.name), None);
        let built = catalog::build(config, unit).ok_or_else(no_unit)?;
        match engine {
            Engine::Rtl => Ok(Box::new(Block(bcu_engine::Engine::new(built)))),
            Engine::Jit | Engine::Model => {
                let name = built.name();
                let code = Compiled::new(built).map_err(|error| Failure::plain(error, None))?;
                Ok(Box::new(Code { name, code }))
            }
        }
    }
}

/// The unit clocked as it is.
struct Block(bcu_engine::Engine);

impl Dut for Block {
    fn ports(&self) -> &[Port] {
        self.0.ports()
    }
    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        self.0.cycle(inputs, outputs);
    }
}

impl Device for Block {
    fn failure(&self) -> Option<String> {
        self.0.failure().map(ToString::to_string)
    }

    fn trace(&mut self, out: BufWriter<File>, texts: &[Text]) -> io::Result<Waveform> {
        let unit = self.0.unit();
        let (vcd, mut inside) = Vcd::start(out, (unit.name(), self.0.ports()), texts, |header, clock| {
            Inside::declare(header, unit.block(), clock)
        })?;
        let waveform = Rc::new(RefCell::new(vcd));
        let watched = waveform.clone();
        self.0.watch(move |block| watched.borrow_mut().add(|line| inside.capture(block, line)));
        Ok(waveform)
    }
}

/// The unit as machine code: of its inside nothing can be seen.
struct Code {
    name: &'static str,
    code: Compiled,
}

impl Dut for Code {
    fn ports(&self) -> &[Port] {
        self.code.ports()
    }
    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        self.code.cycle(inputs, outputs);
    }
}

impl Device for Code {
    fn failure(&self) -> Option<String> {
        None
    }

    fn trace(&mut self, out: BufWriter<File>, texts: &[Text]) -> io::Result<Waveform> {
        Vcd::of_ports(out, self.name, self.code.ports(), texts).map(|vcd| Rc::new(RefCell::new(vcd)))
    }
}
