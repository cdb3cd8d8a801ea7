// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rust-hdl unit as machine code, as a device that programs run on.

use bcu_cli::companion::{self, TB};
use bcu_cli::failure::{Failure, Result};
use bcu_cli::hardware::{Device, Engine, Hardware, Waveform};
use bcu_engine::Inside;
use bcu_hw::catalog;
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_jit::Compiled;
use bcu_machine::trace::text::Text;
use bcu_model::dut::Dut;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter};
use std::rc::Rc;

/// The units of all configurations that are compiled into `bcu-tb`, as machine code.
pub struct MachineCode;

impl Hardware for MachineCode {
    fn rebuilt(&self, config: &Config) -> Option<Result> {
        (!catalog::is_compiled(config)).then(|| companion::rebuild_with(TB, std::slice::from_ref(config), catalog::is_compiled))
    }

    fn device(&self, engine: Engine, config: &Config, unit: &str, traced: bool) -> Result<Box<dyn Device>> {
        if engine != Engine::Jit {
            return Err(Failure::plain("bcu-tb runs the unit only as machine code", Some("`bcu` has all engines")));
        }
        let no_unit = || Failure::plain(format!("the configuration `{}` has no unit `{unit}`", config.name), None);
        let built = catalog::build(config, unit).ok_or_else(no_unit)?;
        let name = built.name();
        let (inside, code) = match traced {
            true => {
                let inside = Inside::new(built.block());
                let code = Compiled::traced(built, |atoms| inside.wires(atoms));
                (inside, code)
            }
            false => (Inside::default(), Compiled::new(built)),
        };
        Ok(Box::new(Code { name, code: code.map_err(|error| Failure::plain(error, None))?, inside, waveform: None }))
    }
}

struct Code {
    name: &'static str,
    code: Compiled,
    /// The signals that `code` traces.
    inside: Inside,
    waveform: Option<Waveform>,
}

impl Dut for Code {
    fn ports(&self) -> &[Port] {
        self.code.ports()
    }
    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        self.code.cycle(inputs, outputs);
        if let Some(waveform) = &self.waveform {
            waveform.borrow_mut().inside().values().copy_from_slice(self.code.traced_values());
        }
    }
}

impl Device for Code {
    fn failure(&self) -> Option<String> {
        None
    }

    fn trace(&mut self, out: BufWriter<File>, texts: &[Text]) -> io::Result<Waveform> {
        let vcd = self.inside.start(out, (self.name, self.code.ports()), texts)?;
        Ok(self.waveform.insert(Rc::new(RefCell::new(vcd))).clone())
    }
}
