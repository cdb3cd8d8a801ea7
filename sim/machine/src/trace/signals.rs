// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Traced signals with their present and their last written values. Most signals keep their value in most cycles, so all values are in one
//! list of words, in which changes are found fast.

use super::value::Wire;
use std::io::{self, Write};
use std::ops::Range;

/// Words that are compared at once.
const BLOCK: usize = 64;

/// A signal, and the range of its words.
struct Signal {
    wire: Wire,
    words: Range<usize>,
    /// Whether the signal has no meaning in some cycles. Its last word is then 1 in the other cycles.
    is_conditional: bool,
}

/// Signals of a waveform. A value has a word for each 64 bits, low word first; bits above its width are 0.
#[derive(Default)]
pub struct Signals {
    signals: Vec<Signal>,
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
        self.add(Wire::declare(header, name, width, values)?, width, false);
        Ok(())
    }

    /// As [`Signals::declare`], for a signal that has no meaning in some cycles. After its value, it has one word more: 1 in cycles in which
    /// the value has a meaning, else 0.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn declare_conditional<W: Write>(
        &mut self,
        header: &mut vcd::Writer<W>,
        name: &str,
        width: usize,
        values: &[String],
    ) -> io::Result<()> {
        self.add(Wire::declare(header, name, width, values)?, width, true);
        Ok(())
    }

    fn add(&mut self, wire: Wire, width: usize, is_conditional: bool) {
        let words = self.values.len()..self.values.len() + width.div_ceil(64) + usize::from(is_conditional);
        self.owners.resize(words.end, self.signals.len());
        self.values.resize(words.end, 0);
        self.signals.push(Signal { wire, words, is_conditional });
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
        self.owners.get(word).map_or(0, |&at| self.signals[at].wire.value_of(name))
    }

    /// Appends the signals to `line` whose values differ from those written last; the first time all signals.
    pub fn put_changes(&mut self, line: &mut Vec<u8>) {
        if self.written.is_empty() {
            self.written = self.values.iter().map(|word| !word).collect();
        }
        let mut at = 0;
        while let Some(word) = difference(&self.values, &self.written, at) {
            let Signal { wire, words, is_conditional } = &self.signals[self.owners[word]];
            let value = &self.values[words.clone()];
            self.written[words.clone()].copy_from_slice(value);
            match value {
                [.., 0] if *is_conditional => wire.put_hidden(line),
                [value @ .., _] if *is_conditional => wire.put(line, value),
                value => wire.put(line, value),
            }
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
