// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The values of a project file as the texts of options.

use toml::de::{DeTable, DeValue};

/// The texts of the option for the value of a key. An option that is on or off has the text `None`, or no text.
///
/// # Errors
/// A value of another form, with the form that is expected.
pub fn texts(key: &str, value: DeValue) -> Result<Vec<Option<String>>, String> {
    match (key, value) {
        ("strict" | "quiet" | "cooperative", DeValue::Boolean(is_on)) => Ok(if is_on { vec![None] } else { vec![] }),
        ("strict" | "quiet" | "cooperative", other) => {
            Err(format!("{} is not a switch; expected true or false", other.type_str()))
        }
        ("args", DeValue::Table(table)) => arguments(table),
        ("args", other) => Err(format!("{} is not a table; expected `args = {{ n = 1024 }}`", other.type_str())),
        ("grid" | "cluster" | "block", DeValue::Array(sizes)) => {
            let sizes: Option<Vec<String>> = sizes.into_iter().map(|size| scalar(size.into_inner())).collect();
            Ok(vec![Some(sizes.ok_or("expected one to three sizes, for example `[16, 16]`")?.join(","))])
        }
        ("nvcc_flags", DeValue::Array(words)) => {
            let words: Option<Vec<String>> = words.into_iter().map(|word| scalar(word.into_inner())).collect();
            let words = words.ok_or("expected a text or a list of texts, for example `[\"-G\", \"-DN=2\"]`")?;
            let quoted = shlex::try_join(words.iter().map(String::as_str)).map_err(|error| error.to_string())?;
            Ok(vec![Some(quoted)])
        }
        (_, other) => {
            let kind = other.type_str();
            Ok(vec![Some(scalar(other).ok_or(format!("{kind} is not expected here; expected a text or an integer"))?)])
        }
    }
}

/// The texts of `--arg`.
fn arguments(table: DeTable) -> Result<Vec<Option<String>>, String> {
    let argument = |(name, value): (toml::Spanned<_>, toml::Spanned<DeValue>)| {
        let name: std::borrow::Cow<str> = name.into_inner();
        let text = scalar(value.into_inner());
        let form = format!("`{name}`: expected a value as in `--arg {name}=VALUE`, for example 1024 or \"f32:[1024]:iota\"");
        Ok(Some(format!("{name}={}", text.ok_or(form)?)))
    };
    table.into_iter().map(argument).collect()
}

/// A text or an integer as written.
fn scalar(value: DeValue) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.into_owned()),
        DeValue::Integer(number) => {
            let digits = number.as_str().replace('_', "");
            match number.radix() {
                10 => Some(digits.trim_start_matches('+').to_string()),
                radix => u64::from_str_radix(&digits, radix).ok().map(|number| number.to_string()),
            }
        }
        _ => None,
    }
}
