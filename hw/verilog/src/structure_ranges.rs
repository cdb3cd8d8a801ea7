// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The structures of a module as its text reads them: the concatenation of neighbouring fields is a range of the vector.

use std::collections::HashMap;
use std::ops::Range;

/// The structures that the text of a module may read as vectors.
#[derive(Default)]
pub(super) struct Vectors {
    /// The name and the number of fields of each structure.
    names: Vec<(String, usize)>,
    /// For the name of each field: the structure, the index of the field and its bits.
    fields: HashMap<String, Field>,
    /// The fields that the text has read as part of a range: the structure, and the indexes of its fields.
    pub(super) read: Vec<(usize, Range<usize>)>,
}

#[derive(Clone)]
struct Field {
    of: usize,
    index: usize,
    bits: Range<usize>,
}

impl Vectors {
    /// Adds a structure with the names and bits of its fields, lowest bits first. The structures have the numbers 0, 1, 2, ...
    pub(super) fn add(&mut self, name: &str, fields: impl Iterator<Item = (String, Range<usize>)>) {
        let of = self.names.len();
        let fields: Vec<_> = fields.collect();
        self.names.push((name.to_string(), fields.len()));
        self.fields.extend(fields.into_iter().enumerate().map(|(index, (name, bits))| (name, Field { of, index, bits })));
    }

    /// The parts of a concatenation, highest bits first, with neighbouring fields of a structure as one part. With `only_whole` only all
    /// fields of a structure become one part.
    pub(super) fn joined(&mut self, parts: Vec<String>, only_whole: bool) -> Vec<String> {
        let (mut found, mut start) = (vec![], 0);
        while start < parts.len() {
            let run = self.run(&parts[start..]);
            match self.vector(&parts[start..start + run], only_whole) {
                Some(text) => found.push(text),
                None => found.extend_from_slice(&parts[start..start + run]),
            }
            start += run;
        }
        found
    }

    /// The number of parts at the beginning that are neighbouring fields; 1 if the first is no field.
    fn run(&self, parts: &[String]) -> usize {
        let follows = |pair: &[String]| match (self.fields.get(&pair[0]), self.fields.get(&pair[1])) {
            (Some(above), Some(below)) => above.of == below.of && above.index == below.index + 1,
            _ => false,
        };
        1 + parts.windows(2).take_while(|pair| follows(pair)).count()
    }

    /// The text of several neighbouring fields.
    fn vector(&mut self, parts: &[String], only_whole: bool) -> Option<String> {
        let (first, last) = (self.fields.get(parts.first()?)?, self.fields.get(parts.last()?)?);
        let (name, count) = &self.names[first.of];
        let is_whole = parts.len() == *count;
        if parts.len() < 2 || only_whole && !is_whole {
            return None;
        }
        let text = if is_whole { name.clone() } else { format!("{name}[{}:{}]", first.bits.end - 1, last.bits.start) };
        self.read.push((first.of, last.index..first.index + 1));
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_fields_are_a_range_and_all_fields_the_vector() {
        let mut vectors = Vectors::default();
        let field = |name: &str, bits| (name.to_string(), bits);
        vectors.add("op", [field("op_kind", 0..4), field("op_cta", 4..5), field("op_id", 5..9)].into_iter());
        let mut joined =
            |parts: &[&str], only_whole| vectors.joined(parts.iter().map(ToString::to_string).collect(), only_whole).join(", ");
        assert_eq!(joined(&["x", "op_id", "op_cta", "y"], false), "x, op[8:4], y");
        assert_eq!(joined(&["op_id", "op_cta", "op_kind"], false), "op");
        assert_eq!(joined(&["op_cta", "op_id"], false), "op_cta, op_id");
        assert_eq!(joined(&["op_id", "op_cta"], true), "op_id, op_cta");
        assert_eq!(joined(&["op_id", "op_cta", "op_kind"], true), "op");
        assert_eq!(vectors.read, [(0, 1..3), (0, 0..3), (0, 0..3)]);
    }
}
