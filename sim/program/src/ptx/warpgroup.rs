// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions of a warpgroup, `wgmma`, with all shapes and types of their PTX pages, dense and sparse.

use super::memory::{elements, slot, LoweredOp};
use super::operand::Arg;
use super::parser::Parser;
use crate::{GroupProduct, Major, Multiplicand, Op, Operand, Tile, Warpgroup};
use bcu_isa::diag::Diagnostic;

/// Rows of A and D.
const ROWS: u64 = 64;

impl Parser<'_> {
    /// The operation of an instruction `wgmma`; of `.mma_async` the destinations are the registers of the accumulator.
    pub(super) fn warpgroup(&mut self, modifiers: &[&str]) -> Result<LoweredOp, Diagnostic> {
        let args = self.args()?;
        let op = match modifiers.first() {
            Some(&".fence") => Warpgroup::Fence,
            Some(&".commit_group") => Warpgroup::Commit,
            Some(&".wait_group") => match args.first().map(|arg| &arg.operand) {
                Some(Operand::Immediate(groups)) if *groups >= 0 => {
                    Warpgroup::Wait { max_in_flight: u32::try_from(*groups).unwrap_or(u32::MAX) }
                }
                _ => return Err(self.cursor.unexpected("a constant, the number of groups that may remain in flight")),
            },
            _ => {
                let writes = args.first().map_or(vec![], |d| elements(d).iter().map(slot).collect());
                let op = product(modifiers, &args)
                    .map_or(Op::Busy { cycles: 1 }, |product| Op::Warpgroup(Warpgroup::Product(Box::new(product))));
                return Ok((op, writes));
            }
        };
        Ok((Op::Warpgroup(op), vec![]))
    }
}

/// The product of `wgmma.mma_async{.sp}.sync.aligned.shape.dtype.atype.btype d, a, b-desc{, meta, selection}, scale-d…`; A is a vector of
/// registers or a descriptor. `None`: operands are missing.
fn product(modifiers: &[&str], args: &[Arg]) -> Option<GroupProduct> {
    let is_sparse = modifiers.contains(&".sp");
    let [_, a, b, rest @ ..] = args else { return None };
    let (others, immediates) = rest.split_at_checked(if is_sparse { 3 } else { 1 })?;
    let at = modifiers.iter().position(|m| m.starts_with(".m64n"))?;
    let shape = modifiers[at].to_string();
    let sizes = sizes(&shape);
    let bits = modifiers.get(at + 2).and_then(|ty| element_bits(ty));
    // After the two factors of the elements, a matrix of 16-bit elements in shared memory has a flag for its order.
    let in_registers = a.vector.is_some();
    let flags = immediates.get(2..).unwrap_or(&[]);
    let expected = if in_registers { 1 } else { 2 };
    let is_known = match bits {
        Some(16) => flags.len() == expected && flags.iter().all(|flag| matches!(flag.operand, Operand::Immediate(0 | 1))),
        Some(_) => flags.is_empty(),
        None => false,
    };
    let tile = |rows: u64, is_a: bool| {
        let ((_, k), bits) = sizes.zip(bits).filter(|_| is_known)?;
        let whole = if is_sparse { 512 } else { 256 };
        if k * bits != whole {
            return None;
        }
        // Half of the elements of a sparse A are stored.
        let k = if is_sparse && is_a { k / 2 } else { k };
        let flag = if is_a { flags.first() } else { flags.last() };
        let is_transposed = flag.is_some_and(|flag| flag.operand == Operand::Immediate(1));
        let major = if is_transposed { Major::Mn { steps: k } } else { Major::K { chunks: k * bits / 128 } };
        Some(Tile { rows, major })
    };
    let shared = |arg: &Arg, tile: Option<Tile>| Multiplicand::Shared { descriptor: arg.operand.clone(), tile };
    let a = match &a.vector {
        Some(registers) => Multiplicand::Registers(registers.clone()),
        None => shared(a, tile(ROWS, true)),
    };
    let b = shared(b, sizes.and_then(|(n, _)| tile(n, false)));
    Some(GroupProduct { shape, a, b, others: others.iter().map(|arg| arg.operand.clone()).collect() })
}

/// The sizes N and K of a shape such as `.m64n128k16`.
fn sizes(shape: &str) -> Option<(u64, u64)> {
    let (n, k) = shape.strip_prefix(".m64n")?.split_once('k')?;
    let (n, k) = (n.parse().ok()?, k.parse().ok()?);
    ((8..=256).contains(&n) && n % 8 == 0 && k <= 256).then_some((n, k))
}

/// Bits of an element of A or B.
fn element_bits(ty: &str) -> Option<u64> {
    Some(match ty {
        ".tf32" => 32,
        ".f16" | ".bf16" => 16,
        ".e4m3" | ".e5m2" | ".s8" | ".u8" => 8,
        ".b1" => 1,
        _ => return None,
    })
}
