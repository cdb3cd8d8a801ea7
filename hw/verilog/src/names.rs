// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Unique names that Verilog-2005 and SystemVerilog both accept.

use std::collections::HashSet;

/// Keywords of Verilog-2005 and SystemVerilog, and the names of built-in gates: none may be an identifier.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "accept_on", "alias", "always", "always_comb", "always_ff", "always_latch", "and", "assert", "assign", "assume",
    "automatic", "before", "begin", "bind", "bins", "binsof", "bit", "break", "buf", "bufif0", "bufif1", "byte", "case",
    "casex", "casez", "cell", "chandle", "checker", "class", "clocking", "cmos", "config", "const", "constraint",
    "context", "continue", "cover", "covergroup", "coverpoint", "cross", "deassign", "default", "defparam", "design",
    "disable", "dist", "do", "edge", "else", "end", "endcase", "endchecker", "endclass", "endclocking", "endconfig",
    "endfunction", "endgenerate", "endgroup", "endinterface", "endmodule", "endpackage", "endprimitive", "endprogram",
    "endproperty", "endsequence", "endspecify", "endtable", "endtask", "enum", "event", "eventually", "expect", "export",
    "extends", "extern", "final", "first_match", "for", "force", "foreach", "forever", "fork", "forkjoin", "function",
    "generate", "genvar", "global", "highz0", "highz1", "if", "iff", "ifnone", "ignore_bins", "illegal_bins",
    "implements", "implies", "import", "incdir", "include", "initial", "inout", "input", "inside", "instance", "int",
    "integer", "interconnect", "interface", "intersect", "join", "join_any", "join_none", "large", "let", "liblist",
    "library", "local", "localparam", "logic", "longint", "macromodule", "matches", "medium", "modport", "module", "nand",
    "negedge", "nettype", "new", "nexttime", "nmos", "nor", "noshowcancelled", "not", "notif0", "notif1", "null", "or",
    "output", "package", "packed", "parameter", "pmos", "posedge", "primitive", "priority", "program", "property",
    "protected", "pull0", "pull1", "pulldown", "pullup", "pulsestyle_ondetect", "pulsestyle_onevent", "pure", "rand",
    "randc", "randcase", "randsequence", "rcmos", "real", "realtime", "ref", "reg", "reject_on", "release", "repeat",
    "restrict", "return", "rnmos", "rpmos", "rtran", "rtranif0", "rtranif1", "s_always", "s_eventually", "s_nexttime",
    "s_until", "s_until_with", "scalared", "sequence", "shortint", "shortreal", "showcancelled", "signed", "small", "soft",
    "solve", "specify", "specparam", "static", "string", "strong", "strong0", "strong1", "struct", "super", "supply0",
    "supply1", "sync_accept_on", "sync_reject_on", "table", "tagged", "task", "this", "throughout", "time",
    "timeprecision", "timeunit", "tran", "tranif0", "tranif1", "tri", "tri0", "tri1", "triand", "trior", "trireg", "type",
    "typedef", "union", "unique", "unique0", "unsigned", "until", "until_with", "untyped", "use", "uwire", "var",
    "vectored", "virtual", "void", "wait", "wait_order", "wand", "weak", "weak0", "weak1", "while", "wildcard", "wire",
    "with", "within", "wor", "xnor", "xor",
];

/// Whether `name` is a reserved word of Verilog-2005 or SystemVerilog.
pub fn is_keyword(name: &str) -> bool {
    KEYWORDS.binary_search(&name).is_ok()
}

/// Whether `name` is valid unescaped in Verilog: a letter or `_`, then letters, digits and `_`; not a keyword.
pub fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !is_keyword(name)
}

/// The identifier for a rust-hdl name: `$` becomes `_`, a `_` that only avoids a Rust keyword is dropped, and a Verilog keyword gets a `_`
/// suffix.
pub fn mangle(name: &str) -> String {
    let plain = name.replace("_$", "$").replace('$', "_");
    if is_keyword(&plain) {
        plain + "_"
    } else {
        plain
    }
}

/// A name in small letters with `_` between its words: `ClusterArrive` becomes `cluster_arrive`.
pub fn snake_case(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !words.is_empty() && !words.ends_with('_') {
            words.push('_');
        }
        words.push(c.to_ascii_lowercase());
    }
    words
}

/// The names of one scope.
#[derive(Default)]
pub struct Names {
    used: HashSet<String>,
}

impl Names {
    /// The identifier for the first of `names` that is not yet used; if all are used, the last one with a number.
    pub fn fresh_of(&mut self, names: &[String]) -> String {
        let unused = names.iter().find(|name| !self.used.contains(&mangle(name)));
        self.fresh(unused.or(names.last()).map_or("", String::as_str))
    }

    /// The identifier for `name`, with a number from 2 on if the name is already used; each call returns a new identifier.
    pub fn fresh(&mut self, name: &str) -> String {
        let wanted = mangle(name);
        let mut candidate = wanted.clone();
        let mut number = 2;
        while !self.used.insert(candidate.clone()) {
            candidate = format!("{wanted}_{number}");
            number += 1;
        }
        candidate
    }
}

/// The value of an index such as `2*(i+1)`, as rust-hdl's macro writes it, for the given values of loop indexes. `None`: the index is not a
/// number.
pub fn index_value(text: &str, loops: &[(String, i64)]) -> Option<i64> {
    let mut rest = text;
    let value = sum(&mut rest, loops)?;
    rest.is_empty().then_some(value)
}

fn sum(unread: &mut &str, loops: &[(String, i64)]) -> Option<i64> {
    let mut value = product(unread, loops)?;
    while let Some(op) = take(unread, &['+', '-']) {
        let right = product(unread, loops)?;
        value = if op == '+' { value.checked_add(right)? } else { value.checked_sub(right)? };
    }
    Some(value)
}

fn product(unread: &mut &str, loops: &[(String, i64)]) -> Option<i64> {
    let mut value = operand(unread, loops)?;
    while let Some(op) = take(unread, &['*', '/', '%']) {
        let right = operand(unread, loops)?;
        value = match op {
            '*' => value.checked_mul(right)?,
            '/' => value.checked_div(right)?,
            _ => value.checked_rem(right)?,
        };
    }
    Some(value)
}

fn operand(unread: &mut &str, loops: &[(String, i64)]) -> Option<i64> {
    if take(unread, &['(']).is_some() {
        let value = sum(unread, loops)?;
        return take(unread, &[')']).map(|_| value);
    }
    let end = unread.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(unread.len());
    let (word, tail) = unread.split_at(end);
    *unread = tail;
    match loops.iter().rev().find(|(name, _)| name == word) {
        Some((_, value)) => Some(*value),
        None => number(word).and_then(|n| i64::try_from(n).ok()),
    }
}

fn take(unread: &mut &str, wanted: &[char]) -> Option<char> {
    let c = unread.chars().next().filter(|c| wanted.contains(c))?;
    *unread = unread.get(c.len_utf8()..)?;
    Some(c)
}

/// Value of a Rust integer literal: `12`, `0x1f_u8`, `0b11`, `1_000usize`; also `true` and `false`.
pub fn number(word: &str) -> Option<u128> {
    match word {
        "true" => return Some(1),
        "false" => return Some(0),
        _ => {}
    }
    let plain = word.replace('_', "");
    let (radix, digits) = match plain.get(..2) {
        Some("0x") => (16, plain.get(2..)?),
        Some("0b") => (2, plain.get(2..)?),
        Some("0o") => (8, plain.get(2..)?),
        _ => (10, plain.as_str()),
    };
    let suffix = ["usize", "u128", "u64", "u32", "u16", "u8", "i128", "i64", "i32", "i16", "i8", "isize"];
    let digits = suffix.iter().find_map(|s| digits.strip_suffix(s)).unwrap_or(digits);
    u128::from_str_radix(digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted_for_the_search() {
        assert!(KEYWORDS.windows(2).all(|w| w[0] < w[1]));
        assert!(is_keyword("release") && is_keyword("priority") && !is_keyword("reset"));
    }

    #[test]
    fn words_are_in_small_letters() {
        assert_eq!(["ClusterArrive", "minus_one", "Popc"].map(snake_case), ["cluster_arrive", "minus_one", "popc"]);
    }

    #[test]
    fn names_are_legal_and_distinct() {
        let mut names = Names::default();
        assert_eq!(names.fresh("bus$data"), "bus_data");
        assert_eq!(names.fresh("bus_data"), "bus_data_2");
        assert_eq!(names.fresh("event"), "event_");
        assert_eq!(names.fresh("event_"), "event__2");
        assert!(is_identifier("bcu_named") && !is_identifier("3x") && !is_identifier("wire") && !is_identifier("a$b"));
    }

    #[test]
    fn indexes_are_computed_with_the_loop_values() {
        let loops = [("i".to_string(), 3), ("j".to_string(), 1)];
        assert_eq!(index_value("2*(2+i)+1", &loops), Some(11));
        assert_eq!(index_value("4*i+j", &loops), Some(13));
        assert_eq!(index_value("i-j-1", &loops), Some(1));
        assert_eq!(index_value("7usize%i", &loops), Some(1));
        assert_eq!(index_value("n$val()", &loops), None);
        assert_eq!(index_value("i/0", &loops), None);
        assert_eq!(index_value("(i", &loops), None);
    }

    #[test]
    fn literals_of_every_base_and_suffix() {
        assert_eq!(number("0x1F_u8"), Some(31));
        assert_eq!(number("0b1_1"), Some(3));
        assert_eq!(number("12usize"), Some(12));
        assert_eq!(number("KA"), None);
    }
}
