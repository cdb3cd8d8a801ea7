// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rust-hdl unit, clocked directly, as a device that programs run on.

use bcu_cli::companion::{self, RTL};
use bcu_cli::failure::{Failure, Result};
use bcu_cli::hardware::{Device, Engine, Hardware, Waveform};
use bcu_engine::Inside;
use bcu_hw::catalog;
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_machine::trace::text::Text;
use bcu_model::dut::Dut;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter};
use std::rc::Rc;

/// The rust-hdl units of all configurations that are compiled into `bcu-rtl`.
pub struct RustHdl;

impl Hardware for RustHdl {
    fn rebuilt(&self, config: &Config) -> Option<Result> {
        (!catalog::is_compiled(config))
            .then(|| companion::rebuild_with(RTL, std::slice::from_ref(config), catalog::is_compiled))
    }

    fn device(&self, engine: Engine, config: &Config, unit: &str, _: bool) -> Result<Box<dyn Device>> {
        if engine != Engine::Rtl {
            return Err(Failure::plain("bcu-rtl runs only the rust-hdl unit", Some("`bcu` has all engines")));
        }
        let no_unit = || Failure::plain(format!("the configuration `{}` has no unit `{unit}`", config.name), None);
        let built = catalog::build(config, unit).ok_or_else(no_unit)?;
        Ok(Box::new(Block(bcu_engine::Engine::new(built))))
    }
}

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
        let mut inside = Inside::new(unit.block());
        let vcd = inside.start(out, (unit.name(), self.0.ports()), texts)?;
        let waveform = Rc::new(RefCell::new(vcd));
        let watched = waveform.clone();
        self.0.watch(move |block| inside.capture(block, watched.borrow_mut().inside()));
        Ok(waveform)
    }
}
