// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Matrices distributed over the lanes of a warp: the elements in each register of each lane.

use super::bits::extended;
use super::format::Format;
use super::{Type, TypeKind};

/// Lanes that hold a matrix.
const LANES: usize = 32;

/// The type of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    Float(Format),
    /// Single precision whose lowest 13 bits are ignored.
    Tf32,
    Integer(Type),
}

/// A matrix operand of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matrix {
    A,
    B,
    /// The addend C, or the result D.
    C,
}

/// The registers of all lanes that together hold a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    pub rows: usize,
    pub columns: usize,
    pub element: Element,
    layout: Layout,
    /// Registers per lane.
    pub registers: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// The layout of the tables for `mma.sync` (PTX pages on matrix fragments).
    Table(Matrix),
    /// The elements are in the order of the rows, or of the columns. A register holds as many consecutive elements as fit; the next
    /// elements are in the same register of the next lane. Registers beyond the last element repeat elements. PTX leaves the layout of
    /// `wmma` open.
    InOrder { columns: bool },
}

/// A position in a matrix: row and column.
pub type Place = (usize, usize);

/// Registers by number, then by lane.
pub type Registers<'a> = &'a [Vec<Option<u64>>];

/// Rows of A, columns of B and columns of A from a name such as `.m16n8k16`.
pub(crate) fn sizes(shape: &str) -> Option<[usize; 3]> {
    let (m, rest) = shape.strip_prefix(".m")?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some([m.parse().ok()?, n.parse().ok()?, k.parse().ok()?])
}

impl Element {
    /// The element type of a modifier such as `.bf16`.
    pub fn named(modifier: &str) -> Option<Element> {
        Some(match modifier {
            ".f16" => Element::Float(Format::F16),
            ".bf16" => Element::Float(Format::Bf16),
            ".f32" => Element::Float(Format::F32),
            ".f64" => Element::Float(Format::F64),
            ".tf32" => Element::Tf32,
            ".u8" => Element::Integer(Type { kind: TypeKind::Unsigned, bits: 8 }),
            ".s8" => Element::Integer(Type { kind: TypeKind::Signed, bits: 8 }),
            ".s32" => Element::Integer(Type { kind: TypeKind::Signed, bits: 32 }),
            _ => return None,
        })
    }

    /// Bits of an element in a register.
    pub fn bits(self) -> u32 {
        match self {
            Element::Float(format) => format.bits(),
            Element::Tf32 => 32,
            Element::Integer(ty) => ty.bits,
        }
    }

    /// The number that the bits of an element state.
    pub(crate) fn number(self, bits: u64) -> f64 {
        match self {
            Element::Float(format) => format.value(format.low(bits)),
            Element::Tf32 => Format::F32.value(bits & 0xffff_e000),
            Element::Integer(ty) => extended(bits, ty) as f64,
        }
    }

    /// Elements packed in a register.
    pub(crate) fn packed(self) -> usize {
        (32 / self.bits().min(32)) as usize
    }

    /// Whether products of such elements are accumulated in elements of `sum`.
    pub(crate) fn adds_to(self, sum: Element) -> bool {
        let float = |format| sum == Element::Float(format);
        match self {
            Element::Float(Format::F16) => float(Format::F16) || float(Format::F32),
            Element::Float(Format::Bf16) | Element::Tf32 => float(Format::F32),
            Element::Float(Format::F64) => float(Format::F64),
            Element::Float(Format::F32) => false,
            Element::Integer(ty) => ty.bits == 8 && Element::named(".s32") == Some(sum),
        }
    }
}

impl Matrix {
    /// Rows and columns of this operand in a product of these sizes.
    fn size(self, [m, n, k]: [usize; 3]) -> Place {
        match self {
            Matrix::A => (m, k),
            Matrix::B => (k, n),
            Matrix::C => (m, n),
        }
    }
}

impl Fragment {
    fn new(matrix: Matrix, sizes: [usize; 3], element: Element, layout: Layout) -> Fragment {
        let (rows, columns) = matrix.size(sizes);
        let registers = (rows * columns / LANES).div_ceil(element.packed());
        Fragment { rows, columns, element, layout, registers }
    }

    /// A fragment of `mma.sync`.
    pub(crate) fn of_mma(matrix: Matrix, sizes: [usize; 3], element: Element) -> Fragment {
        Fragment::new(matrix, sizes, element, Layout::Table(matrix))
    }

    /// A fragment of `wmma` with a shape such as `.m16n16k16`, if that shape exists. The fragments of A and B depend on their layout in
    /// memory, so that a product with the wrong layout gives a wrong result.
    pub fn of_wmma(matrix: Matrix, shape: &str, element: Element, columns: bool) -> Option<Fragment> {
        let sizes = sizes(shape)?;
        let wide = matches!(sizes, [16, 16, 16] | [32, 8, 16] | [8, 32, 16]);
        let sum = matrix == Matrix::C;
        let known = match element {
            Element::Float(Format::F16) => wide,
            Element::Float(Format::Bf16) => wide && !sum,
            Element::Float(Format::F32) => (wide || sizes == [16, 16, 8]) && sum,
            Element::Float(Format::F64) => sizes == [8, 8, 4],
            Element::Tf32 => sizes == [16, 16, 8] && !sum,
            Element::Integer(ty) => wide && (ty.bits == 32) == sum,
        };
        if !known {
            return None;
        }
        let layout = Layout::InOrder { columns: columns && !sum };
        let fragment = Fragment::new(matrix, sizes, element, layout);
        // PTX's table has more registers for these fragments than their elements need.
        let registers = if element == Element::Float(Format::F16) && !sum { 8 } else { fragment.registers };
        Some(Fragment { registers, ..fragment })
    }

    /// Elements per lane.
    pub fn elements(self) -> usize {
        self.registers * self.element.packed()
    }

    /// Bytes per lane.
    pub fn bytes(self) -> u64 {
        self.registers as u64 * u64::from(self.element.bits().max(32) / 8)
    }

    /// The position of element `i` of a lane.
    pub fn place(self, lane: usize, i: usize) -> Place {
        let packed = self.element.packed();
        let (group, within, register, part) = (lane / 4, lane % 4, i / packed, i % packed);
        match self.layout {
            // A register holds adjacent elements of a row; the next register holds the lower eight rows, and the registers after these hold
            // the right half.
            Layout::Table(Matrix::A) => {
                let halves = (self.rows / 8).max(1);
                (group + 8 * (register % halves), within * packed + part + 4 * packed * (register / halves))
            }
            Layout::Table(Matrix::B) => (within * packed + part + 4 * packed * register, group),
            Layout::Table(Matrix::C) => (group + 8 * (i / 2), within * 2 + i % 2),
            Layout::InOrder { columns } => {
                let number = ((register * LANES + lane) * packed + part) % (self.rows * self.columns).max(1);
                match columns {
                    true => (number % self.rows, number / self.rows),
                    false => (number / self.columns, number % self.columns),
                }
            }
        }
    }

    /// The matrix in `registers`, row by row.
    pub(crate) fn read(self, registers: Registers) -> Vec<Vec<Option<u64>>> {
        let mut held = vec![vec![None; self.columns]; self.rows];
        let packed = self.element.packed();
        for (lane, i) in (0..LANES).flat_map(|lane| (0..self.elements()).map(move |i| (lane, i))) {
            let register = registers.get(i / packed).and_then(|lanes| lanes.get(lane).copied().flatten());
            let (row, column) = self.place(lane, i);
            if let Some(cell) = held.get_mut(row).and_then(|row| row.get_mut(column)) {
                *cell = register.map(|bits| bits >> (self.element.bits() as usize * (i % packed)));
            }
        }
        held
    }

    /// The registers, by lane and then by number, of a matrix with these elements.
    pub(crate) fn write(self, element: impl Fn(Place) -> Option<u64>) -> Vec<Vec<Option<u64>>> {
        let packed = self.element.packed();
        let register = |lane: usize, register: usize| {
            (0..packed).try_fold(0, |bits, part| {
                let value = element(self.place(lane, register * packed + part))?;
                Some(bits | value << (self.element.bits() as usize * part))
            })
        };
        (0..LANES).map(|lane| (0..self.registers).map(|number| register(lane, number)).collect()).collect()
    }
}
