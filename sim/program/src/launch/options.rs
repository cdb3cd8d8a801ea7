// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arguments, buffers and expectations from command-line options.

use super::argument::{check_source_name, Argument, DEEPEST};
use super::bind::{Given, Target};
use super::buffer::bytes_of;
use super::compare::Tolerance;
use super::complaint::complaint;
use super::element::{Element, Number};
use super::fill::Fill;
use super::load::{Allocation, Contents, Expectation, Wanted};
use super::option_value::{ArgOption, OptionValue};
use super::structure::parse_fields;
use super::tensor::{box_of, Tensor};
use super::texture::TextureArgument;
use bcu_isa::diag::Diagnostic;

/// Parses the text of `--arg`: `n=1024`, `2=-1` (a position, from 0), `a=f32:1.5`, `x=f32:[16,16]`, `x=f32:[1024]:iota`,
/// `x=i32:[64]:random:0,100`, `x=npy:FILE`, `x=bf16:npy:FILE`, `x=u8:raw:FILE`, `y=@x+16`, `s=bytes:00ff`, `m=tensor:[16,8]:f32:[32,64]`,
/// `m=tensor:[16,8]:@x`, `m=tensor:[64,8]:swizzle=128B:@x`, `t=texture:[linear]:f32:[32,64]`,
/// `s=fields:[i32:1,@x,f32:[4]:iota]`, `rows=new:[@x,@y]`, `p=unknown`.
///
/// # Errors
/// A text of another form, or a value that its type cannot hold; the diagnostic has no span.
pub fn parse_arg(text: &str) -> Result<ArgOption, Diagnostic> {
    let (name, value) = split(text).ok_or_else(|| form(text))?;
    parse_value(name, value, 0)
}

/// Parses the value of the option for `name`, or of a field at this depth in structures.
fn parse_value(name: &str, value: &str, depth: usize) -> Result<ArgOption, Diagnostic> {
    let text = || format!("{name}={value}");
    let target = Target::parse(name);
    check_source_name(name)?;
    let argument = |argument| Ok(ArgOption { target: target.clone(), value: OptionValue::Argument(argument) });
    let buffer = |contents| Ok(ArgOption { target: target.clone(), value: OptionValue::Buffer(contents) });
    if let Some(Number::Integer(number)) = Number::parse(value) {
        return match (i64::MIN.into()..=u64::MAX.into()).contains(&number) {
            true => argument(Argument::Integer(number)),
            false => Err(complaint(format!("{number} has more than 64 bits"), "expected a smaller number")),
        };
    }
    if let Some(address) = value.strip_prefix('@') {
        return argument(Argument::address(address)?);
    }
    if value == "unknown" {
        return argument(Argument::Unknown);
    }
    let (head, fields) = value.split_once(':').ok_or_else(|| form(&text()))?;
    let element = match head {
        "bytes" => return argument(Argument::bytes(fields)?),
        "fields" => {
            return Ok(ArgOption { target, value: OptionValue::Fields(parse_fields(name, fields, depth, &parse_value)?) })
        }
        "new" => return Ok(ArgOption { target, value: OptionValue::New(parse_fields(name, fields, depth, &parse_value)?) }),
        "tensor" if depth < DEEPEST => {
            let (tensor, fields) = box_of(fields)?;
            tensor.check().map_err(|(_, error)| error)?;
            let value = match parse_value(name, fields, depth + 1)?.value {
                OptionValue::Buffer(contents) => OptionValue::Tensor(contents, Box::new(tensor)),
                OptionValue::Argument(Argument::Address { buffer, offset }) => {
                    OptionValue::Argument(Argument::Tensor(Box::new(Tensor { buffer, offset, ..tensor })))
                }
                _ => {
                    return Err(complaint(format!("`{fields}` is not a tensor"), "expected a buffer, or `@x` for another one"))
                }
            };
            return Ok(ArgOption { target, value });
        }
        "texture" if depth < DEEPEST => {
            let (texture, fields) = TextureArgument::of_option(fields)?;
            let value = match parse_value(name, fields, depth + 1)?.value {
                OptionValue::Buffer(contents) => OptionValue::Texture(contents, Box::new(texture)),
                OptionValue::Argument(Argument::Address { buffer, offset }) => {
                    OptionValue::Argument(Argument::Texture(Box::new(TextureArgument { buffer, offset, ..texture })))
                }
                _ => {
                    return Err(complaint(format!("`{fields}` is not a texture"), "expected a buffer, or `@x` for another one"))
                }
            };
            return Ok(ArgOption { target, value });
        }
        "npy" => return buffer(Contents::Npy { file: file(fields)?, element: None }),
        _ => Element::named(head).ok_or_else(|| {
            let types = Element::ALL.map(|(name, _)| name).join(", ");
            complaint(
                format!("`{head}` is not a type"),
                format!("expected {types}, npy, bytes, fields, new, tensor or texture"),
            )
        })?,
    };
    if let Some(name) = fields.strip_prefix("npy:") {
        return buffer(Contents::Npy { file: file(name)?, element: Some(element) });
    }
    if let Some(name) = fields.strip_prefix("raw:") {
        return buffer(Contents::Raw { file: file(name)?, element, shape: None });
    }
    if let Some(array) = fields.strip_prefix('[') {
        return buffer(filled(element, array)?);
    }
    argument(Argument::Typed(element, element.parse(fields)?))
}

/// Parses the text of `--expect`: `y=FILE.npy`, or `y=3` for one value in every element.
///
/// # Errors
/// As for [`parse_arg`].
pub fn parse_expect(text: &str) -> Result<Expectation, Diagnostic> {
    let wrong = || complaint(format!("`{text}` is not an expectation"), "expected BUFFER=FILE.npy or BUFFER=VALUE");
    let (buffer, value) = split(text).ok_or_else(wrong)?;
    check_source_name(buffer)?;
    let wanted = match Number::parse(value) {
        Some(number) => Wanted::Value(number),
        None => Wanted::Npy(file(value)?),
    };
    Ok(Expectation { buffer: buffer.to_string(), wanted, tolerance: Tolerance::default(), span: 0..0 })
}

/// Parses the text of `--out`, `y=FILE.npy`: buffer and file.
///
/// # Errors
/// As for [`parse_arg`].
pub fn parse_out(text: &str) -> Result<(String, String), Diagnostic> {
    let wrong = || complaint(format!("`{text}` has no file name"), "expected BUFFER=FILE.npy");
    let (buffer, name) = split(text).ok_or_else(wrong)?;
    check_source_name(buffer)?;
    Ok((buffer.to_string(), file(name)?))
}

/// The buffers that the options create, and the arguments of the launch, in order.
///
/// # Errors
/// A buffer that is created twice.
pub fn from_options(options: &[ArgOption]) -> Result<(Vec<Allocation>, Vec<Given>), Diagnostic> {
    let (mut allocations, mut given): (Vec<Allocation>, Vec<Given>) = (vec![], vec![]);
    for option in options {
        let name = match &option.target {
            Target::Name(name) => name.clone(),
            Target::Position(position) => position.to_string(),
        };
        let value = option.value.argument(&name, &mut allocations)?;
        given.push(Given { target: option.target.clone(), value, span: 0..0, key: 0..0 });
    }
    Ok((allocations, given))
}

fn form(text: &str) -> Diagnostic {
    let label = "expected NAME=VALUE with an integer such as `n=1024`, a value with its type `a=f32:1.5`, \
                 or a buffer `x=f32:[1024]:iota` or `x=npy:FILE`";
    complaint(format!("`{text}` is not an argument"), label)
}

fn split(text: &str) -> Option<(&str, &str)> {
    text.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty())
}

fn file(name: &str) -> Result<String, Diagnostic> {
    match name.is_empty() {
        true => Err(complaint("the file name is missing", "expected the name of a file")),
        false => Ok(name.to_string()),
    }
}

/// Parses the text after the first bracket: `1024]`, `16,16]:iota` and so on.
fn filled(element: Element, text: &str) -> Result<Contents, Diagnostic> {
    let wrong = || complaint(format!("`[{text}` is not a shape"), "expected sizes in brackets, such as `[1024]` or `[16,16]`");
    let (sizes, rest) = text.split_once(']').ok_or_else(wrong)?;
    let size = |size: &str| size.trim().parse::<usize>().map_err(|_| wrong());
    let shape = sizes.split(',').map(size).collect::<Result<Vec<usize>, _>>()?;
    bytes_of(element, &shape)?;
    let fill = match rest {
        "" => Fill::Default,
        _ => fill(rest.strip_prefix(':').ok_or_else(wrong)?)?,
    };
    // One element is enough to check whether the number or the range fits the type.
    fill.image(element, 1, 1)?;
    Ok(Contents::Filled { element, shape, fill })
}

fn fill(text: &str) -> Result<Fill, Diagnostic> {
    let wrong = || {
        let label = "expected a number, `iota`, `random`, `random:LOW,HIGH` or `unknown`";
        complaint(format!("`{text}` is not a fill"), label)
    };
    match text {
        "iota" => Ok(Fill::Iota),
        "unknown" => Ok(Fill::Unknown),
        "random" => Ok(Fill::Random { seed: None, range: None }),
        _ => match text.strip_prefix("random:") {
            Some(range) => {
                let (low, high) = range.split_once(',').ok_or_else(wrong)?;
                let number = |text: &str| Number::parse(text.trim()).ok_or_else(wrong);
                Ok(Fill::Random { seed: None, range: Some((number(low)?, number(high)?)) })
            }
            None => Number::parse(text).map(Fill::Value).ok_or_else(wrong),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(text: &str) -> Argument {
        match parse_arg(text).unwrap().value {
            OptionValue::Argument(argument) => argument,
            other => panic!("{other:?}"),
        }
    }

    fn buffer(text: &str) -> Contents {
        match parse_arg(text).unwrap().value {
            OptionValue::Buffer(contents) => contents,
            other => panic!("{other:?}"),
        }
    }

    fn refused(text: &str) -> String {
        let error = parse_arg(text).unwrap_err();
        format!("{}: {}", error.message, error.label)
    }

    #[test]
    fn values_are_arguments() {
        assert_eq!(argument("n=1024"), Argument::Integer(1024));
        assert_eq!(argument("n=0xffffffffffffffff"), Argument::Integer(u64::MAX.into()));
        assert_eq!(argument("a=f32:1.5"), Argument::Typed(Element::F32, vec![0, 0, 0xc0, 0x3f]));
        assert_eq!(argument("a=i8:-1"), Argument::Typed(Element::I8, vec![255]));
        assert_eq!(argument("y=@x+16"), Argument::Address { buffer: "x".to_string(), offset: 16 });
        assert_eq!((argument("s=bytes:00ff"), argument("p=unknown")), (Argument::Bytes(vec![0, 255]), Argument::Unknown));
        assert_eq!(parse_arg("2=7").unwrap().target, Target::Position(2));
        assert_eq!(parse_arg("_Z1k_param_2=7").unwrap().target, Target::Name("_Z1k_param_2".to_string()));
    }

    #[test]
    fn buffers_are_made_for_arguments() {
        let filled = |element, shape: &[usize], fill| Contents::Filled { element, shape: shape.to_vec(), fill };
        assert_eq!(buffer("x=f32:[1024]:iota"), filled(Element::F32, &[1024], Fill::Iota));
        assert_eq!(buffer("x=f32:[16, 16]"), filled(Element::F32, &[16, 16], Fill::Default));
        assert_eq!(buffer("x=u8:[4]:0xff"), filled(Element::U8, &[4], Fill::Value(Number::Integer(255))));
        assert_eq!(buffer("x=bf16:[4]:unknown"), filled(Element::Bf16, &[4], Fill::Unknown));
        let range = Some((Number::Integer(-5), Number::Integer(100)));
        assert_eq!(buffer("x=i32:[4]:random:-5,100"), filled(Element::I32, &[4], Fill::Random { seed: None, range }));
        assert_eq!(buffer("x=npy:a:b.npy"), Contents::Npy { file: "a:b.npy".to_string(), element: None });
        assert_eq!(buffer("x=bf16:npy:b"), Contents::Npy { file: "b".to_string(), element: Some(Element::Bf16) });
        assert_eq!(buffer("x=u8:raw:b"), Contents::Raw { file: "b".to_string(), element: Element::U8, shape: None });
        let options: Vec<ArgOption> = ["x=u8:[4]", "1=u8:[4]", "n=3"].iter().map(|text| parse_arg(text).unwrap()).collect();
        let (allocations, given) = from_options(&options).unwrap();
        assert_eq!(allocations.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["x", "1"]);
        assert_eq!(given[1].value, Argument::Address { buffer: "1".to_string(), offset: 0 });
        assert_eq!((given[2].target.clone(), given.len()), (Target::Name("n".to_string()), 3));
        assert!(from_options(&[options[0].clone(), options[0].clone()]).is_err());
    }

    #[test]
    fn wrong_arguments_are_refused() {
        for text in ["", "n", "=1", "n=", "n=x", "n=1.5"] {
            assert!(refused(text).contains("expected NAME=VALUE with an integer"), "{text}");
        }
        for (text, part) in [
            ("n=99999999999999999999", "more than 64 bits"),
            ("a b=1", "not a valid name"),
            ("n=f8:1", "`f8` is not a type"),
            ("n=f32:", "`` is not a number"),
            ("n=u8:256", "expected 0 to 255"),
            ("n=bytes:0", "hexadecimal"),
            ("n=npy:", "file name is missing"),
            ("n=@", "not a valid name of a buffer"),
            ("x=f32:[", "not a shape"),
            ("x=f32:[]", "not a shape"),
            ("x=f32:[4]iota", "not a shape"),
            ("x=f32:[0]", "without elements"),
            ("x=f32:[999999999]", "more than 1024 MiB"),
            ("x=f32:[4]:zeros", "not a fill"),
            ("x=u8:[4]:300", "300 is not of type u8"),
            ("x=u8:[4]:random:3", "not a fill"),
            ("x=u8:[4]:random:3,2", "the smaller first"),
        ] {
            assert!(refused(text).contains(part), "{text}: {}", refused(text));
        }
    }

    #[test]
    fn files_and_expectations_belong_to_buffers() {
        assert_eq!(parse_expect("y=want.npy").unwrap().wanted, Wanted::Npy("want.npy".to_string()));
        assert_eq!(parse_expect("y=3").unwrap().wanted, Wanted::Value(Number::Integer(3)));
        assert_eq!(parse_out("y=a=b.npy").unwrap(), ("y".to_string(), "a=b.npy".to_string()));
        assert!(["", "y", "=f", "y=", "a b=f"].iter().all(|wrong| parse_expect(wrong).is_err() && parse_out(wrong).is_err()));
    }
}
