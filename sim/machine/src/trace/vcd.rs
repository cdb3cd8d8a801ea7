// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes the ports, the internal signals and the texts of the program as a VCD file.
//!
//! Cycle `c` covers the time from `c * 10` ns to `c * 10 + 10` ns. The clock rises at the start of the cycle and falls in its middle. Every
//! signal has one value for the whole cycle, the stable value before the clock edge that ends the cycle. So the file has at cycle `c` the
//! values driven and sampled in cycle `c`.
//!
//! While its `valid` is 0, a payload has the value `z` in the file. Readers that replay the file need no value there, because it has no
//! effect. A payload that has a meaning in every cycle, such as the released warps, keeps its value.
//!
//! An enum `x` is a wire `x` with the number of its value, and a string variable `x_name` with the name of the value. Viewers show the
//! names without configuration, and tools that support only bits can still read the number. The stock writer of rust-hdl instead declares
//! wires without a width, which GTKWave drops and Surfer reads as events.

use super::signals::Signals;
use super::text::{Text, TextId};
use super::vcd_text::{put_text, CYCLE_NS};
use bcu_isa::ports::{Dir, Part, Port, When};
use std::io::{self, Write};

/// A VCD file in progress. The header is written on creation; [`Vcd::finish`] must be called at the end.
pub struct Vcd<W: Write> {
    out: W,
    /// The text of the present cycle. The buffer is kept from cycle to cycle, so that its memory is reused.
    line: Vec<u8>,
    cycles: u64,
    clock: String,
    /// The signals inside the unit.
    inside: Signals,
    ports: Signals,
    port_states: Vec<PortState>,
    texts: Vec<TextState>,
}

/// A port, with its value in the present cycle.
struct PortState {
    dir: Dir,
    value: u64,
    /// For a payload, the index of its `valid`, unless the payload has a meaning in every cycle.
    valid: Option<usize>,
}

impl PortState {
    fn new(port: &Port, ports: &[Port]) -> PortState {
        let is_valid = |of: &Port| of.channel.as_ref().is_some_and(|channel| channel.part == Part::Valid);
        let index = |when: &When| ports.iter().position(|of| of.name == when.port && is_valid(of));
        PortState { dir: port.dir, value: 0, valid: port.when.iter().find_map(index) }
    }
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
        Self::start(out, (top, ports), texts, |_, _, _| Ok(()))
    }

    /// As [`Vcd::of_ports`], with the signals inside the unit in the scope of the ports. `declare` gets the identifier of the clock, and
    /// declares the signals, which [`Vcd::inside`] returns.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn start(
        mut out: W,
        (top, ports): (&str, &[Port]),
        texts: &[Text],
        declare: impl FnOnce(&mut vcd::Writer<&mut W>, vcd::IdCode, &mut Signals) -> io::Result<()>,
    ) -> io::Result<Self> {
        let mut header = vcd::Writer::new(&mut out);
        header.version(concat!("bcu ", env!("CARGO_PKG_VERSION")))?;
        header.timescale(1, vcd::TimescaleUnit::NS)?;
        header.add_module(top)?;
        let clock = header.add_wire(1, "clock")?;
        let (mut inside, mut declared) = (Signals::default(), Signals::default());
        let port_states: Vec<PortState> = ports.iter().map(|port| PortState::new(port, ports)).collect();
        for (port, state) in ports.iter().zip(&port_states) {
            match state.valid {
                None => declared.declare(&mut header, &port.name, port.width, &port.values)?,
                Some(_) => declared.declare_conditional(&mut header, &port.name, port.width, &port.values)?,
            }
        }
        declare(&mut header, clock, &mut inside)?;
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
        Ok(Vcd { out, line, cycles: 0, clock, inside, ports: declared, port_states, texts: states })
    }

    /// Sets text `id`, which takes effect with the next call of [`Vcd::cycle`].
    pub fn set_text(&mut self, id: TextId, text: &str) {
        if let Some(state) = self.texts.get_mut(id.0) {
            state.text.clear();
            state.text.push_str(text);
        }
    }

    /// The signals inside the unit. The next call of [`Vcd::cycle`] writes their values.
    pub fn inside(&mut self) -> &mut Signals {
        &mut self.inside
    }

    /// Ends a cycle; `inputs` and `outputs` are the port values, as for [`Dut::cycle`](bcu_model::dut::Dut::cycle).
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn cycle(&mut self, inputs: &[u64], outputs: &[u64]) -> io::Result<()> {
        let dump = if self.cycles == 0 { "$dumpvars\n" } else { "" };
        write!(self.line, "#{}\n{dump}1{}\n", self.cycles * CYCLE_NS, self.clock)?;
        let (mut inputs, mut outputs) = (inputs.iter(), outputs.iter());
        for port in &mut self.port_states {
            let value = match port.dir {
                Dir::In => inputs.next(),
                Dir::Out => outputs.next(),
            };
            port.value = value.copied().unwrap_or(0);
        }
        let mut words = self.ports.values().iter_mut();
        for PortState { value, valid, .. } in &self.port_states {
            let is_shown = valid.is_none_or(|valid| self.port_states[valid].value == 1);
            words.by_ref().take(1).for_each(|word| *word = if is_shown { *value } else { 0 });
            words.by_ref().take(usize::from(valid.is_some())).for_each(|word| *word = is_shown.into());
        }
        self.inside.put_changes(&mut self.line);
        self.ports.put_changes(&mut self.line);
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
}
