// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arithmetic of instructions: operations on the values of one lane; unknown sources give unknown results. A separate crate because it
//! is optimised and the readers of programs are not.

mod approx;
pub mod bits;
mod bounds;
mod calc;
mod compare;
mod convert;
mod float;
mod format;
mod fragment;
mod integer;
mod known_bits;
mod lanes;
mod matrix;
mod numbers;
mod partial;
mod reads;
mod space;
mod sums;
mod tensor_product;
mod tf32;
mod types;
mod values;
pub mod window;

pub use approx::Approx;
pub use bits::{Bits, Permute};
pub use calc::{lane_result, Calc, Operation};
pub use compare::{Compare, Comparison, Join, Property, Test, Truth};
pub use convert::Conversion;
pub use float::{Float, Limit, Rules};
pub use format::{Format, Round};
pub use fragment::{Element, Fragment, Matrix};
pub use integer::{Carry, Integer, Part};
pub use known_bits::lane_partial;
pub use lanes::{lane_results, LANE_SOURCES};
pub use matrix::Product;
pub use numbers::{Numbers, Packing};
pub use partial::Partial;
pub use space::Space;
pub use tensor_product::TensorProduct;
pub use tf32::{Tf32, Tf32Round};
pub use types::{Type, TypeKind};
pub use values::{Scalar, Values, MAX_SOURCES};
