// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values of kernel parameters, and their bytes in memory.

use super::complaint::complaint;
use super::element::{Element, Number};
use super::placed::{address_of, Placed};
use super::tensor::Tensor;
use super::texture::TextureArgument;
use crate::tensor::{TensorMap, ALIGNMENT as MAP_ALIGNMENT, BYTES as MAP_BYTES};
use bcu_isa::diag::Diagnostic;

/// Maximum number of bytes of one parameter; PTX allows 32764 bytes for all parameters together.
const MOST_BYTES: usize = 1 << 16;

/// Deepest nesting of structures.
pub(super) const DEEPEST: usize = 16;

/// The value that a launch gives for a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// The address of a buffer plus a byte offset.
    Address {
        buffer: String,
        offset: u64,
    },
    /// An integer of the size of the parameter.
    Integer(i128),
    /// A value with a type: its bytes, little endian.
    Typed(Element, Vec<u8>),
    /// The bytes of a structure.
    Bytes(Vec<u8>),
    /// The fields of a structure, laid out as in C.
    Fields(Vec<Argument>),
    /// A tensor map to create, and a created tensor map.
    Tensor(Box<Tensor>),
    TensorMap(Box<TensorMap>),
    /// A texture to create.
    Texture(Box<TextureArgument>),
    /// The launch gives no value.
    Unknown,
}

/// Bytes of a parameter in memory order; `None`: the byte is not given.
pub type ArgumentBytes = Vec<Option<u8>>;

/// The addresses of buffers, while values are laid out.
#[derive(Clone, Copy)]
pub(super) enum Addresses<'a> {
    /// The buffers have no addresses yet, so addresses of this number of bytes, and tensor maps, are unknown.
    Later(usize),
    Placed(&'a [Placed]),
}

/// Bytes and alignment of a part of a structure.
struct Laid {
    bytes: ArgumentBytes,
    alignment: usize,
}

impl Argument {
    /// Parses `NAME` or `NAME+OFFSET`, an address with the offset in bytes.
    ///
    /// # Errors
    /// An invalid buffer name, or an invalid offset.
    pub fn address(text: &str) -> Result<Argument, Diagnostic> {
        let (name, offset) = text.split_once('+').unwrap_or((text, "0"));
        let wrong = || {
            let message = format!("`{text}` is not the address of a buffer");
            complaint(message, "expected the name of a buffer, or `NAME+16` for 16 bytes after its start")
        };
        let offset = match Number::parse(offset.trim()) {
            Some(Number::Integer(offset)) => u64::try_from(offset).map_err(|_| wrong())?,
            _ => return Err(wrong()),
        };
        let name = name.trim();
        check_source_name(name)?;
        Ok(Argument::Address { buffer: name.to_string(), offset })
    }

    /// Parses a structure from hexadecimal digits, two per byte; spaces and `_` may separate bytes.
    ///
    /// # Errors
    /// Another character, half a byte, too many bytes.
    pub fn bytes(text: &str) -> Result<Argument, Diagnostic> {
        let wrong = |message: String| complaint(message, "expected two hexadecimal digits for each byte, such as `00ff10`");
        let digits: Vec<char> = text.chars().filter(|c| *c != ' ' && *c != '_').collect();
        if digits.is_empty() || !digits.len().is_multiple_of(2) || digits.len() / 2 > MOST_BYTES {
            return Err(wrong(match digits.len() {
                0 => "there are no hexadecimal digits".to_string(),
                odd if !odd.is_multiple_of(2) => format!("{odd} hexadecimal digits are not whole bytes"),
                even => format!("{} bytes are more than the maximum of {MOST_BYTES}", even / 2),
            }));
        }
        let digit = |c: &char| c.to_digit(16).map(|digit| digit as u8).ok_or_else(|| wrong(format!("`{c}` is not a digit")));
        let byte = |pair: &[char]| {
            Ok(pair.iter().map(digit).collect::<Result<Vec<u8>, _>>()?.iter().fold(0, |all, one| all << 4 | one))
        };
        Ok(Argument::Bytes(digits.chunks(2).map(byte).collect::<Result<_, Diagnostic>>()?))
    }

    /// The bytes for a parameter of `size` bytes whose PTX type is `ty`.
    ///
    /// # Errors
    /// A value that does not fit the size, an integer for a floating-point parameter, an unknown buffer.
    pub fn encode(&self, ty: &str, size: u64, placed: &[Placed]) -> Result<ArgumentBytes, Diagnostic> {
        let width = usize::try_from(size).ok().filter(|size| *size <= MOST_BYTES);
        let width = width.ok_or_else(|| {
            complaint(format!("a parameter of {size} bytes is too large"), format!("expected at most {MOST_BYTES} bytes"))
        })?;
        let scalar = matches!(width, 1 | 2 | 4 | 8);
        let laid = match self {
            Argument::Unknown => return Ok(vec![None; width]),
            Argument::Integer(value) if scalar => {
                let float = Element::named(ty.trim_start_matches('.')).filter(|element| element.is_float());
                if let Some(float) = float.map(Element::name) {
                    let error = complaint(
                        format!("{value} is an integer, but the parameter has the type `{ty}`"),
                        "expected a floating-point value",
                    );
                    return Err(error.help(format!("write `{{ {float} = {value} }}`, on the command line `{float}:{value}`")));
                }
                let (least, most) = (-(1i128 << (width * 8 - 1)), (1i128 << (width * 8)) - 1);
                if !(least..=most).contains(value) {
                    let message = format!("{value} does not fit a parameter of {width} bytes");
                    return Err(complaint(message, format!("expected {least} to {most}")));
                }
                return Ok(value.to_le_bytes().iter().take(width).copied().map(Some).collect());
            }
            Argument::Integer(value) => {
                let error = complaint(
                    format!("{value} is an integer, but the parameter is a structure of {width} bytes"),
                    "expected a structure",
                );
                return Err(error.help("give it as `{ fields = [...] }` or `{ bytes = \"...\" }`"));
            }
            Argument::Address { buffer, offset } if width == 4 => {
                let address = address_of(buffer, *offset, placed)?;
                if u32::try_from(address).is_err() {
                    let message = format!("the address {address:#x} does not fit 4 bytes");
                    let help = "buffers are below 4 GiB if the PTX declares `.address_size 32`";
                    return Err(complaint(message, "expected an address below 4 GiB").help(help));
                }
                Laid::address(address)
            }
            _ => self.lay(Addresses::Placed(placed), 0)?,
        };
        if laid.bytes.len() != width {
            let error = complaint(
                format!("a parameter of {width} bytes is given {}", self.what(laid.bytes.len())),
                format!("expected {width} bytes"),
            );
            let structure = match self {
                Argument::Address { .. } if width > 8 => {
                    "give a structure by its fields: `fields:[…]`, in a launch file `{ fields = […] }`; `new:` and the name of a buffer are addresses; "
                }
                _ => "",
            };
            let help =
                format!("{structure}its type in PTX is `{ty}`; `bcu kernels FILE` lists the parameters with their sizes");
            return Err(error.help(help));
        }
        Ok(laid.bytes)
    }

    /// A description of the value, for messages.
    fn what(&self, bytes: usize) -> String {
        match self {
            Argument::Address { .. } => format!("an address of {bytes} bytes"),
            Argument::Typed(element, _) => format!("a value of the type {} with {bytes} bytes", element.name()),
            Argument::TensorMap(_) => format!("a tensor map of {bytes} bytes"),
            Argument::Fields(_) => format!("fields that take {bytes} bytes with their padding"),
            _ => format!("{bytes} bytes"),
        }
    }

    /// The bytes of a structure in memory, padded to its alignment.
    ///
    /// # Errors
    /// A field without a size, an unknown buffer, too many bytes.
    pub(super) fn contents(&self, addresses: Addresses) -> Result<ArgumentBytes, Diagnostic> {
        Ok(self.lay(addresses, 0)?.bytes)
    }

    /// Whether the value is an address, or a structure of addresses.
    pub(super) fn has_only_addresses(&self) -> bool {
        match self {
            Argument::Fields(fields) => fields.iter().all(Argument::has_only_addresses),
            Argument::Address { .. } => true,
            _ => false,
        }
    }

    /// Lays the value out as a field of a structure at this depth.
    fn lay(&self, addresses: Addresses, depth: usize) -> Result<Laid, Diagnostic> {
        match self {
            Argument::Address { buffer, offset } => match addresses {
                Addresses::Placed(placed) => Ok(Laid::address(address_of(buffer, *offset, placed)?)),
                Addresses::Later(pointer) => Ok(Laid::unknown(pointer, pointer)),
            },
            Argument::Tensor(_) if matches!(addresses, Addresses::Later(_)) => {
                Ok(Laid::unknown(MAP_BYTES, MAP_ALIGNMENT as usize))
            }
            Argument::Typed(_, bytes) => Ok(Laid::known(bytes)),
            Argument::Bytes(bytes) => Ok(Laid { alignment: 1, ..Laid::known(bytes) }),
            Argument::TensorMap(map) => Ok(Laid { alignment: MAP_ALIGNMENT as usize, ..Laid::known(&map.encode()) }),
            Argument::Tensor(_) => {
                Err(complaint("the tensor map has not been created", "only launches in the simulator have tensor maps"))
            }
            Argument::Texture(_) => {
                Err(complaint("the texture has not been created", "only launches in the simulator have textures"))
            }
            Argument::Integer(value) => {
                let error = complaint(format!("the value {value} of a field has no type"), "expected a value with a type");
                Err(error.help(format!("write `{{ i32 = {value} }}` or another type")))
            }
            Argument::Unknown => Err(complaint("a field with `unknown = true` has no size", "expected a value with a type")
                .help("write `{ unknown = true }` for the whole structure, or give the field a value")),
            Argument::Fields(_) if depth >= DEEPEST => Err(complaint(
                format!("structures are nested more than {DEEPEST} deep"),
                format!("expected at most {DEEPEST} levels"),
            )),
            Argument::Fields(fields) => {
                let mut whole = Laid { bytes: vec![], alignment: 1 };
                for field in fields {
                    let field = field.lay(addresses, depth + 1)?;
                    whole.pad(field.alignment);
                    whole.alignment = whole.alignment.max(field.alignment);
                    whole.bytes.extend(field.bytes);
                    if whole.bytes.len() > MOST_BYTES {
                        return Err(complaint("the structure is too large", format!("expected at most {MOST_BYTES} bytes")));
                    }
                }
                whole.pad(whole.alignment);
                Ok(whole)
            }
        }
    }
}

impl Laid {
    fn known(bytes: &[u8]) -> Laid {
        Laid { bytes: bytes.iter().copied().map(Some).collect(), alignment: bytes.len().max(1) }
    }

    /// An address below 4 GiB has 4 bytes: buffers are there only if the addresses of the program have 32 bits.
    fn address(address: u64) -> Laid {
        match u32::try_from(address) {
            Ok(narrow) => Laid::known(&narrow.to_le_bytes()),
            Err(_) => Laid::known(&address.to_le_bytes()),
        }
    }

    fn unknown(bytes: usize, alignment: usize) -> Laid {
        Laid { bytes: vec![None; bytes], alignment }
    }

    /// Adds padding up to a multiple of `alignment`. The bytes of the padding have no value.
    fn pad(&mut self, alignment: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(alignment.max(1)), None);
    }
}

/// Checks a buffer's name: letters, digits, `_`, `-`, `.`, `$` and `%`.
///
/// # Errors
/// Any other name: addresses and options could not contain it.
pub(super) fn check_name(name: &str) -> Result<(), Diagnostic> {
    let good = |c: char| c.is_ascii_alphanumeric() || "_-.$%".contains(c);
    match !name.is_empty() && name.len() <= 1024 && name.chars().all(good) {
        true => Ok(()),
        false => {
            let shown: String = name.chars().take(64).collect();
            Err(complaint(format!("`{shown}` is not a valid name of a buffer"), "expected letters, digits, `_`, `-`, `.`"))
        }
    }
}

/// Checks the name of a buffer, or of a variable or parameter as in CUDA: `ns::coef`, `counts<4>`.
///
/// # Errors
/// Any other name.
pub(super) fn check_source_name(name: &str) -> Result<(), Diagnostic> {
    let has_inner = name.contains("::") || name.ends_with('>');
    let plain: String = name.chars().filter(|c| !(has_inner && ":<>, ".contains(*c))).collect();
    check_name(if plain.is_empty() { name } else { &plain })
}

#[cfg(test)]
mod tests;
