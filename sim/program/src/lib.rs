// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The code that the warps of a run execute: functions of instructions, independent of the source language.
//!
//! A front end ([`bcu`], [`ptx`], [`visa`]) reads a text and produces [`Code`]; the machine executes it, with a separate program counter
//! for every lane.

mod access;
mod assignment;
pub mod bcu;
mod clusters;
mod code;
pub mod deciding;
mod fence;
mod flow;
mod function;
mod grid;
mod image;
mod instr;
mod kind;
pub mod launch;
mod load;
pub mod mbarrier;
mod operand;
mod origin;
mod part;
mod place;
mod polling;
pub mod ptx;
mod retry;
pub mod swizzle;
pub mod tensor;
mod tensor_core;
pub mod texels;
pub mod texture;
mod token;
pub mod visa;
mod warpgroup;
pub mod word;

pub use access::{Access, AccessKind, Atomic, Bulk, CopyWait, Order, Shape, Signal, TensorCopy, TextureUse};
pub use assignment::{Assignment, AssignmentError, ProgramText};
pub use bcu_arith as arith;
pub use bcu_arith::{window, Space};
pub use clusters::{Clusters, MAX_CLUSTER};
pub use code::{Bare, Code, Unset, Variable, WarpProgram};
pub use fence::{AsyncProxy, Fence, MapFence, Scope};
pub use flow::rejoin;
pub use function::Function;
pub use grid::Grid;
pub use image::{Image, Mask, Page, PAGE};
pub use instr::{
    Barrier, BarrierKind, Call, Callee, Elect, Exchange, Form, Guard, Instr, Op, RedOp, Reduce, Shuffle, Stack, Vote, Word,
};
pub use kind::Kind;
pub use load::{load, runs, GridSize, Launch, Loaded, Role, Run};
pub use operand::{Operand, Reserved, Slot, Special};
pub use origin::Origin;
pub use part::Part;
pub use place::Place;
pub use polling::is_polled;
pub use retry::{awaiting_loop, is_in_retry, is_load_or_atomic, is_retried, polling_loop};
pub use tensor_core::{
    decode_matrix, CopyShape, MatrixKind, ProductShape, TensorAddress, TensorCore, TensorMatrix, TensorMultiply, Transfer,
    TransferShape, COLUMN_UNIT, TENSOR_COLUMNS, TENSOR_LANES,
};
pub use token::is_only_phase;
pub use warpgroup::{GroupProduct, Major, MatrixDescriptor, Multiplicand, Tile, Warpgroup, CHUNK, GROUP_WARPS};
