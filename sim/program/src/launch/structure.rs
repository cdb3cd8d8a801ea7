// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parses the fields of a structure in an option of the command line.

use super::argument::{Argument, DEEPEST};
use super::complaint::complaint;
use super::element::Number;
use super::option_value::{ArgOption, OptionValue};
use bcu_isa::diag::Diagnostic;

/// Parses the value of a field: the name of the field, its text, and its depth in structures.
type ParseValue = dyn Fn(&str, &str, usize) -> Result<ArgOption, Diagnostic>;

/// Parses the fields `[i32:1,@x,f32:[4]:iota]` of the option for `name`. A buffer that a field creates has the name `NAME.0`, with the number
/// of the field. `parse` parses the value of a field.
///
/// # Errors
/// No brackets, a field without a type, too many levels, and the errors of the fields.
pub(super) fn parse_fields(name: &str, text: &str, depth: usize, parse: &ParseValue) -> Result<Vec<ArgOption>, Diagnostic> {
    let wrong = || {
        let label = "expected fields in brackets, such as `[i32:1,@x,f32:[4]:iota]`";
        complaint(format!("`{text}` is not a structure"), label)
    };
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).ok_or_else(wrong)?;
    if depth >= DEEPEST {
        let message = format!("structures are nested more than {DEEPEST} deep");
        return Err(complaint(message, format!("expected at most {DEEPEST} levels")));
    }
    let fields = split_fields(inner).ok_or_else(wrong)?;
    let field = |(number, field): (usize, &String)| {
        let parsed = parse(&format!("{name}.{number}"), field.trim(), depth + 1)?;
        match parsed.value {
            OptionValue::Argument(Argument::Integer(value)) => {
                let error = complaint(format!("the value {value} of a field has no type"), "expected a value with a type");
                Err(error.help(format!("write `i32:{value}` or another type")))
            }
            OptionValue::Argument(Argument::Unknown) => {
                Err(complaint("a field that is unknown has no size", "expected a value with a type"))
            }
            _ => Ok(parsed),
        }
    };
    fields.iter().enumerate().map(field).collect()
}

/// The texts between commas outside of brackets; `None` if the brackets do not match.
fn split_fields(text: &str) -> Option<Vec<String>> {
    let (mut fields, mut depth) = (vec![String::new()], 0u32);
    for c in text.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        match fields.last_mut() {
            Some(field) if c != ',' || depth > 0 => field.push(c),
            _ => fields.push(String::new()),
        }
    }
    // The comma of `random:-1,1` is not between fields: no field is a number without a type.
    let mut joined: Vec<String> = vec![];
    for field in fields {
        let is_range =
            |before: &&mut String| before.rsplit_once("random:").is_some_and(|(_, low)| Number::parse(low.trim()).is_some());
        match joined.last_mut().filter(is_range).filter(|_| Number::parse(field.trim()).is_some()) {
            Some(before) => *before = format!("{before},{field}"),
            None => joined.push(field),
        }
    }
    (depth == 0).then_some(joined)
}

#[cfg(test)]
mod tests {
    use super::super::element::Element;
    use super::super::load::Contents;
    use super::super::{from_options, parse_arg, Fill};
    use super::*;

    fn refused(text: &str) -> String {
        let error = parse_arg(text).unwrap_err();
        format!("{}: {}", error.message, error.label)
    }

    #[test]
    fn fields_are_laid_out_in_order_with_their_buffers() {
        let option = parse_arg("s=fields:[i32:1, @x+16,f32:[4]:random:-1,1,fields:[u8:2,bytes:00ff],new:[@y,@z]]").unwrap();
        let (allocations, given) = from_options(&[option]).unwrap();
        let address = |buffer: &str, offset| Argument::Address { buffer: buffer.to_string(), offset };
        let typed = |element: Element, text: &str| Argument::Typed(element, element.parse(text).unwrap());
        let inner = Argument::Fields(vec![typed(Element::U8, "2"), Argument::Bytes(vec![0, 255])]);
        let fields = vec![typed(Element::I32, "1"), address("x", 16), address("s.2", 0), inner, address("s.4", 0)];
        assert_eq!(given[0].value, Argument::Fields(fields));
        let names: Vec<&str> = allocations.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["s.2", "s.4"]);
        let range = Some((Number::Integer(-1), Number::Integer(1)));
        let fill = Fill::Random { seed: None, range };
        assert_eq!(allocations[0].contents, Contents::Filled { element: Element::F32, shape: vec![4], fill });
        let rows = Argument::Fields(vec![address("y", 0), address("z", 0)]);
        assert_eq!(allocations[1].contents, Contents::Fields { fields: rows, element: None, shape: None });
    }

    #[test]
    fn wrong_fields_are_refused() {
        for (text, part) in [
            ("s=fields:i32:1", "expected fields in brackets"),
            ("s=fields:[i32:1", "expected fields in brackets"),
            ("s=new:[i32:1]]", "expected fields in brackets"),
            ("s=fields:[]", "expected NAME=VALUE"),
            ("s=fields:[i32:1,]", "expected NAME=VALUE"),
            ("s=fields:[3]", "has no type"),
            ("s=fields:[unknown]", "has no size"),
            ("s=fields:[f8:1]", "not a type"),
        ] {
            assert!(refused(text).contains(part), "{text}: {}", refused(text));
        }
        let deep = format!("s={}i32:1{}", "fields:[".repeat(1000), "]".repeat(1000));
        assert!(refused(&deep).contains("nested more than 16 deep"));
    }
}
