// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Traced signals with their present and their last written values. Most signals keep their value in most cycles, so all values are in one
//! list of words, in which changes are found fast.

use super::value::Wire;
use std::io::{self, Write};
use std::ops::Range;

/// Words that are compared at once.
const BLOCK: usize = 64;

/// Signals of a waveform. A value has a word for each 64 bits, low word first; bits above its width are 0.
#[derive(Default)]
pub struct Signals {
    /// The signals, each with the range of its words.
    wires: Vec<(Wire, Range<usize>)>,
    /// For each word, the index of its signal in `wires`.
    owners: Vec<usize>,
    values: Vec<u64>,
    /// The words that were written last; empty before the first cycle.
    written: Vec<u64>,
}

impl Signals {
    /// Declares a signal in the open scope. `values` are the names of the values of an enum; empty for a plain number.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn declare<W: Write>(
        &mut self,
        header: &mut vcd::Writer<W>,
        name: &str,
        width: usize,
        values: &[String],
    ) -> io::Result<()> {
        let wire = Wire::declare(header, name, width, values)?;
        let words = self.values.len()..self.values.len() + width.div_ceil(64);
        self.owners.resize(words.end, self.wires.len());
        self.values.resize(words.end, 0);
        self.wires.push((wire, words));
        Ok(())
    }

    /// The number of words of all values.
    pub fn word_count(&self) -> usize {
        self.values.len()
    }

    /// The values of all signals in the order of their declaration, of the cycle that is written next.
    pub fn values(&mut self) -> &mut [u64] {
        &mut self.values
    }

    /// The value with the name `name` of the enum at the word `word`; 0 if the enum lacks the name.
    pub fn value_of(&self, word: usize, name: &str) -> u64 {
        self.owners.get(word).map_or(0, |&at| self.wires[at].0.value_of(name))
    }

    /// Appends the signals to `line` whose values differ from those written last; the first time all signals.
    pub fn put_changes(&mut self, line: &mut Vec<u8>) {
        if self.written.is_empty() {
            self.written = self.values.iter().map(|word| !word).collect();
        }
        let mut at = 0;
        while let Some(word) = difference(&self.values, &self.written, at) {
            let (wire, words) = &self.wires[self.owners[word]];
            let value = &self.values[words.clone()];
            self.written[words.clone()].copy_from_slice(value);
            wire.put(line, value);
            at = words.end;
        }
    }
}

/// The first index from `from` on at which the lists differ.
fn difference(a: &[u64], b: &[u64], from: usize) -> Option<usize> {
    let mut at = from;
    for (a, b) in a[from..].chunks(BLOCK).zip(b[from..].chunks(BLOCK)) {
        if a != b {
            return a.iter().zip(b).position(|(a, b)| a != b).map(|word| at + word);
        }
        at += a.len();
    }
    None
}
