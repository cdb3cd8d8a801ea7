// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The header of a `.npy` file: a Python dictionary with the keys `descr`, `fortran_order` and `shape`, in any order.

/// The content of a header whose `descr` is a string: an array of numbers, not of records.
#[derive(Debug, PartialEq, Eq)]
pub struct Header {
    /// NumPy's name of the type, such as `<f4`.
    pub descr: String,
    pub fortran_order: bool,
    pub shape: Vec<usize>,
}

/// A value of the dictionary.
enum Value {
    Text(String),
    Truth(bool),
    Sizes(Vec<usize>),
}

/// Parses a header; `None` if it is not such a dictionary. `True` as a size and strings with escapes are not accepted.
pub fn parse(text: &str) -> Option<Header> {
    let mut unread = UnreadText(text);
    let (mut descr, mut fortran_order, mut shape) = (None, None, None);
    unread.expect('{')?;
    while !unread.take('}') {
        let key = unread.text()?;
        unread.expect(':')?;
        match (key, unread.value()?) {
            ("descr", Value::Text(value)) => descr = Some(value),
            ("fortran_order", Value::Truth(value)) => fortran_order = Some(value),
            ("shape", Value::Sizes(value)) => shape = Some(value),
            _ => return None,
        }
        if !unread.take(',') {
            unread.expect('}')?;
            break;
        }
    }
    unread.0.trim_start().is_empty().then_some(())?;
    Some(Header { descr: descr?, fortran_order: fortran_order?, shape: shape? })
}

/// The text that has not been read.
struct UnreadText<'a>(&'a str);

impl<'a> UnreadText<'a> {
    /// Whether this character is next; if so, it is consumed.
    fn take(&mut self, sign: char) -> bool {
        let after = self.0.trim_start().strip_prefix(sign);
        self.0 = after.unwrap_or(self.0);
        after.is_some()
    }

    fn expect(&mut self, sign: char) -> Option<()> {
        self.take(sign).then_some(())
    }

    /// Reads a string in single or double quotes. `None`: no string follows, or the string contains a backslash.
    fn text(&mut self) -> Option<&'a str> {
        let quote = if self.take('\'') { '\'' } else { self.expect('"').map(|()| '"')? };
        let (text, after) = self.0.split_once(quote)?;
        self.0 = after;
        (!text.contains('\\')).then_some(text)
    }

    /// Reads the letters and digits up to the next other character.
    fn word(&mut self) -> &'a str {
        let text = self.0.trim_start();
        let (word, after) = text.split_at(text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len()));
        self.0 = after;
        word
    }

    fn value(&mut self) -> Option<Value> {
        if self.0.trim_start().starts_with(['\'', '"']) {
            return self.text().map(|text| Value::Text(text.to_string()));
        }
        if self.take('(') {
            return self.sizes().map(Value::Sizes);
        }
        match self.word() {
            "True" => Some(Value::Truth(true)),
            "False" => Some(Value::Truth(false)),
            _ => None,
        }
    }

    /// Reads the sizes of a tuple after its bracket; a tuple of one size ends with a comma.
    fn sizes(&mut self) -> Option<Vec<usize>> {
        let mut sizes = vec![];
        while !self.take(')') {
            sizes.push(self.word().parse().ok()?);
            if !self.take(',') {
                self.expect(')')?;
                return (sizes.len() != 1).then_some(sizes);
            }
        }
        Some(sizes)
    }
}
