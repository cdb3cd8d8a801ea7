// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The inputs of a kernel launch (buffers in global memory, arguments) and its expected results. The format is in `docs/guide/launch.md`.
//!
//! Nothing here opens a file: the caller passes a function that reads one.

mod aliases;
mod argument;
mod bind;
mod buffer;
mod case;
mod compare;
mod complaint;
mod cuda;
mod element;
mod file;
mod fill;
mod listed;
mod load;
mod maps;
mod names;
pub mod npy;
mod option_value;
mod options;
mod placed;
mod prepare;
#[cfg(test)]
mod schema;
mod setting;
mod structure;
mod symbols;
mod tensor;
mod text;
mod texture;
mod values;

pub use aliases::buffer_named;
pub use argument::{Argument, ArgumentBytes};
pub use bind::{bind, Given, Missing, Target};
pub use buffer::{bytes_of, Buffer, ALIGNMENT, MOST_BYTES, MOST_DIMENSIONS};
pub use case::{LaunchResult, Launches, Ready};
pub use compare::{compare, Difference, Mismatch, Tolerance, MOST_SHOWN};
pub use cuda::{cuda_kernels, name_parameters, CudaKernel};
pub use element::{Element, Number};
pub use file::{KernelLaunch, LaunchFile};
pub use fill::{seed_of, Fill};
pub use listed::{listed_variables, ListedVariable};
pub use load::{expected, load, Allocation, Contents, Expectation, Expected, ReadFile, Wanted};
pub use names::{demangled, function, kernel_title, matches, shortened, written, Match};
pub use option_value::{ArgOption, OptionValue};
pub use options::{from_options, parse_arg, parse_expect, parse_out};
pub use placed::{place, Placed};
pub use prepare::{prepare, Prepared, Unprepared};
pub use setting::{Data, Setting};
pub use symbols::variable_settings;
pub use tensor::{Key as TensorKey, Tensor};
pub use texture::TextureArgument;
