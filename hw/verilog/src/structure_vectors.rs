// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The structures of a module as its text reads them: the concatenation of all fields of a structure is its vector. Some of its fields are
//! concatenated by their names, since a range over several fields can be read only with the layout at hand.

use std::collections::HashMap;

/// The structures that the text of a module may read as vectors.
#[derive(Default)]
pub(super) struct Vectors {
    /// The name and the number of fields of each structure.
    names: Vec<(String, usize)>,
    /// For the name of each field: the structure, and the index of the field, lowest bits first.
    fields: HashMap<String, (usize, usize)>,
    /// The structures that the text has read as vectors.
    pub(super) read: Vec<usize>,
}

impl Vectors {
    /// Adds a structure with the names of its fields, lowest bits first. The structures have the numbers 0, 1, 2, ...
    pub(super) fn add(&mut self, name: &str, fields: impl Iterator<Item = String>) {
        let of = self.names.len();
        let before = self.fields.len();
        self.fields.extend(fields.enumerate().map(|(index, field)| (field, (of, index))));
        self.names.push((name.to_string(), self.fields.len() - before));
    }

    /// The parts of a concatenation, highest bits first, with all fields of a structure as one part.
    pub(super) fn joined(&mut self, parts: Vec<String>) -> Vec<String> {
        let (mut found, mut start) = (vec![], 0);
        while start < parts.len() {
            match self.whole(&parts[start..]) {
                Some(of) => {
                    let (name, count) = self.names[of].clone();
                    self.read.push(of);
                    found.push(name);
                    start += count;
                }
                None => {
                    found.push(parts[start].clone());
                    start += 1;
                }
            }
        }
        found
    }

    /// The structure, of at least two fields, whose fields are the first parts.
    fn whole(&self, parts: &[String]) -> Option<usize> {
        let (of, _) = *self.fields.get(parts.first()?)?;
        let count = self.names[of].1;
        let is_field = |at: usize| parts.get(at).and_then(|part| self.fields.get(part)) == Some(&(of, count - 1 - at));
        (count > 1 && (0..count).all(is_field)).then_some(of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_fields_are_the_vector_and_some_of_them_stay_names() {
        let mut vectors = Vectors::default();
        vectors.add("op", ["op_kind", "op_cta", "op_id"].map(str::to_string).into_iter());
        vectors.add("place", ["place_row", "place_cta"].map(str::to_string).into_iter());
        let mut joined = |parts: &[&str]| vectors.joined(parts.iter().map(ToString::to_string).collect()).join(", ");
        assert_eq!(joined(&["op_id", "op_cta", "op_kind"]), "op");
        assert_eq!(joined(&["x", "op_id", "op_cta", "op_kind", "y"]), "x, op, y");
        assert_eq!(joined(&["op_id", "op_cta"]), "op_id, op_cta");
        assert_eq!(joined(&["op_kind", "op_cta", "op_id"]), "op_kind, op_cta, op_id");
        assert_eq!(joined(&["op_id", "op_cta", "op_kind", "place_cta", "place_row"]), "op, place");
        assert_eq!(vectors.read, [0, 0, 0, 1]);
    }
}
