// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes the ports, the internal signals and the texts of the program as a VCD file.
//!
//! Cycle `c` covers the time from `c * 10` ns to `c * 10 + 10` ns. The clock rises at the start of the cycle and falls in its middle. Every
//! signal has one value for the whole cycle, the stable value before the clock edge that ends the cycle. So the file has at cycle `c` the
//! values driven and sampled in cycle `c`.
//!
//! An enum `x` is a wire `x` with the number of its value, and a string variable `x_name` with the name of the value. Viewers show the
//! names without configuration, and tools that support only bits can still read the number. The stock writer of rust-hdl instead declares
//! wires without a width, which GTKWave drops and Surfer reads as events.

use super::text::{Text, TextId};
use super::value::Wire;
use super::vcd_text::{put_text, CYCLE_NS};
use bcu_isa::ports::{Dir, Port};
use std::io::{self, Write};

/// A VCD file in progress. The header is written on creation; [`Vcd::finish`] must be called at the end.
pub struct Vcd<W: Write> {
    out: W,
    /// The text of the present cycle. The buffer is kept from cycle to cycle, so that its memory is reused.
    line: Vec<u8>,
    open: bool,
    cycles: u64,
    clock: String,
    ports: Vec<(Dir, Wire)>,
    texts: Vec<TextState>,
}

struct TextState {
    id: String,
    text: String,
    shown: Option<String>,
}

impl<W: Write> Vcd<W> {
    /// Traces the ports of any device under scope `top`, and the texts in separate scopes.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn of_ports(out: W, top: &str, ports: &[Port], texts: &[Text]) -> io::Result<Self> {
        Self::start(out, (top, ports), texts, |_, _| Ok(())).map(|(vcd, ())| vcd)
    }

    /// As [`Vcd::of_ports`], with additional signals in the scope of the ports. `declare` gets the identifier of the clock and declares the
    /// signals; [`Vcd::add`] writes their values.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn start<I>(
        mut out: W,
        (top, ports): (&str, &[Port]),
        texts: &[Text],
        declare: impl FnOnce(&mut vcd::Writer<&mut W>, vcd::IdCode) -> io::Result<I>,
    ) -> io::Result<(Self, I)> {
        let mut header = vcd::Writer::new(&mut out);
        header.version(concat!("bcu ", env!("CARGO_PKG_VERSION")))?;
        header.timescale(1, vcd::TimescaleUnit::NS)?;
        header.add_module(top)?;
        let clock = header.add_wire(1, "clock")?;
        let mut declared = vec![];
        for port in ports {
            declared.push((port.dir, Wire::declare(&mut header, &port.name, port.width, &port.values)?));
        }
        let inside = declare(&mut header, clock)?;
        header.upscope()?;
        let mut states = vec![];
        for (i, text) in texts.iter().enumerate() {
            if i == 0 || texts[i - 1].scope != text.scope {
                header.add_module(&text.scope)?;
            }
            let id = header.add_var(vcd::VarType::String, 1, &text.name, None)?;
            states.push(TextState { id: id.to_string(), text: String::new(), shown: None });
            if texts.get(i + 1).is_none_or(|next| next.scope != text.scope) {
                header.upscope()?;
            }
        }
        header.enddefinitions()?;
        let (line, clock) = (Vec::with_capacity(4096), clock.to_string());
        let vcd = Vcd { out, line, open: false, cycles: 0, clock, ports: declared, texts: states };
        Ok((vcd, inside))
    }

    /// Sets text `id`, which takes effect with the next call of [`Vcd::cycle`].
    pub fn set_text(&mut self, id: TextId, text: &str) {
        if let Some(state) = self.texts.get_mut(id.0) {
            state.text.clear();
            state.text.push_str(text);
        }
    }

    /// Adds values of additional signals to the cycle that the next call of [`Vcd::cycle`] ends.
    pub fn add(&mut self, signals: impl FnOnce(&mut Vec<u8>)) {
        self.open_cycle();
        signals(&mut self.line);
    }

    /// Ends a cycle; `inputs` and `outputs` are the port values, as for [`Dut::cycle`](bcu_model::dut::Dut::cycle).
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn cycle(&mut self, inputs: &[u64], outputs: &[u64]) -> io::Result<()> {
        self.open_cycle();
        let (mut inputs, mut outputs) = (inputs.iter(), outputs.iter());
        for (dir, wire) in &mut self.ports {
            let value = match dir {
                Dir::In => inputs.next(),
                Dir::Out => outputs.next(),
            };
            wire.put(&mut self.line, &[value.copied().unwrap_or(0)]);
        }
        for text in &mut self.texts {
            if text.shown.as_ref() != Some(&text.text) {
                put_text(&mut self.line, &text.text, &text.id);
                text.shown.get_or_insert_default().clone_from(&text.text);
            }
        }
        if self.cycles == 0 {
            self.line.extend_from_slice(b"$end\n");
        }
        writeln!(self.line, "#{}\n0{}", self.cycles * CYCLE_NS + CYCLE_NS / 2, self.clock)?;
        self.out.write_all(&self.line)?;
        self.line.clear();
        self.open = false;
        self.cycles += 1;
        Ok(())
    }

    /// Ends the file, so that the last cycle has its full length, and returns the writer.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn finish(mut self) -> io::Result<W> {
        writeln!(self.out, "#{}", self.cycles * CYCLE_NS)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn open_cycle(&mut self) {
        if !self.open {
            self.open = true;
            let dump = if self.cycles == 0 { "$dumpvars\n" } else { "" };
            // Writing to memory cannot fail.
            let _ = write!(self.line, "#{}\n{dump}1{}\n", self.cycles * CYCLE_NS, self.clock);
        }
    }
}
