// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values of a launch file that have several forms. Each form is parsed here, not by an untagged enum of serde: serde loses the span of a
//! value when it tries one form after the other.

use super::element::{Element, Number};
use super::text::{ArgText, ArgsText, FillText};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use toml::Spanned;

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Number, E> {
        Ok(Number::Integer(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Number, E> {
        Ok(Number::Integer(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Number, E> {
        Ok(Number::Float(value))
    }
}

impl<'de> Deserialize<'de> for FillText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FillVisitor;
        impl Visitor<'_> for FillVisitor {
            type Value = FillText;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number, `iota`, `random` or `unknown`")
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<FillText, E> {
                NumberVisitor.visit_i64(value).map(FillText::Value)
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<FillText, E> {
                NumberVisitor.visit_u64(value).map(FillText::Value)
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<FillText, E> {
                NumberVisitor.visit_f64(value).map(FillText::Value)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<FillText, E> {
                match text {
                    "iota" => Ok(FillText::Iota),
                    "random" => Ok(FillText::Random),
                    "unknown" => Ok(FillText::Unknown),
                    _ => Err(E::unknown_variant(text, &["iota", "random", "unknown"])),
                }
            }
        }
        deserializer.deserialize_any(FillVisitor)
    }
}

impl<'de> Deserialize<'de> for ArgsText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ArgsVisitor;
        impl<'de> Visitor<'de> for ArgsVisitor {
            type Value = ArgsText;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list of arguments, or a table of them by name")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ArgsText, A::Error> {
                let mut args = vec![];
                while let Some(arg) = list.next_element()? {
                    args.push(arg);
                }
                Ok(ArgsText::Listed(args))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<ArgsText, A::Error> {
                let mut args: Vec<(Spanned<String>, Spanned<ArgText>)> = vec![];
                while let Some(entry) = table.next_entry()? {
                    args.push(entry);
                }
                // The parser returns a table in alphabetical order; this restores the order of the text.
                args.sort_by_key(|(name, _)| name.span().start);
                Ok(ArgsText::Named(args))
            }
        }
        deserializer.deserialize_any(ArgsVisitor)
    }
}

impl<'de> Deserialize<'de> for ArgText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ArgVisitor;
        impl<'de> Visitor<'de> for ArgVisitor {
            type Value = ArgText;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the name of a buffer, an integer, `{ TYPE = value }`, `{ fields = [...] }`, `{ bytes = \"hex\" }`, `{ tensor = {...} }`, `{ texture = {...} }` or `{ unknown = true }`")
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<ArgText, E> {
                Ok(ArgText::Integer(value.into()))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<ArgText, E> {
                Ok(ArgText::Integer(value.into()))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<ArgText, E> {
                Err(E::custom(format!("{value:?} has no type: write `{{ f32 = {value:?} }}` or another type")))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<ArgText, E> {
                Ok(ArgText::Address(text.to_string()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<ArgText, A::Error> {
                let key: Option<String> = table.next_key()?;
                let arg = match key.as_deref() {
                    None => return Err(A::Error::custom(format!("expected {}", Expected))),
                    Some("bytes") => ArgText::Bytes(table.next_value()?),
                    Some("fields") => ArgText::Fields(table.next_value()?),
                    Some("tensor") => ArgText::Tensor(Box::new(table.next_value()?)),
                    Some("texture") => ArgText::Texture(Box::new(table.next_value()?)),
                    Some("unknown") => match table.next_value()? {
                        true => ArgText::Unknown,
                        false => return Err(A::Error::custom("`unknown` is false: expected `unknown = true`")),
                    },
                    Some(name) => match Element::named(name) {
                        Some(element) => ArgText::Typed(element, table.next_value()?),
                        None => return Err(A::Error::custom(format!("`{name}` is not a type: expected {}", Expected))),
                    },
                };
                match table.next_key::<String>()? {
                    None => Ok(arg),
                    Some(_) => Err(A::Error::custom("an argument has one key; write several values as `{ fields = [...] }`")),
                }
            }
        }
        deserializer.deserialize_any(ArgVisitor)
    }
}

/// The keys of an argument, for messages.
struct Expected;

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let types: Vec<String> = Element::ALL.iter().map(|(name, _)| format!("`{name}`")).collect();
        write!(f, "one of {}, `bytes`, `fields`, `tensor`, `texture`, `unknown`", types.join(", "))
    }
}
