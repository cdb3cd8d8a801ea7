// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Matrices that the lanes of a warp hold together: which register of which lane has which element.

use super::format::Format;
use super::{Type, TypeKind};

/// Lanes that hold a matrix.
const LANES: usize = 32;

/// What one element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    Float(Format),
    /// Single precision of which the lowest 13 bits do not count.
    Tf32,
    Integer(Type),
}

/// A matrix of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matrix {
    A,
    B,
    /// D as well.
    C,
}

/// The registers of all lanes that hold a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    pub rows: usize,
    pub columns: usize,
    pub element: Element,
    layout: Layout,
    /// In a lane.
    pub registers: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// As the tables of `mma.sync` say (PTX pages on matrix fragments).
    Table(Matrix),
    /// As many elements as fit a register, then those of the next lane, in the order of the rows or of the columns; registers that
    /// are left hold the same again. PTX leaves the layout of `wmma` open.
    InOrder { columns: bool },
}

/// A place in a matrix: row and column.
pub type Place = (usize, usize);

/// Registers by number, then by lane.
pub type Registers<'a> = &'a [Vec<Option<u64>>];

/// Rows of A, columns of B and columns of A in a name such as `.m16n8k16`.
pub(super) fn sizes(shape: &str) -> Option<[usize; 3]> {
    let (m, rest) = shape.strip_prefix(".m")?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some([m.parse().ok()?, n.parse().ok()?, k.parse().ok()?])
}

impl Element {
    /// What a modifier such as `.bf16` names.
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

    /// Elements of a register, one behind the other.
    pub(super) fn packed(self) -> usize {
        (32 / self.bits().min(32)) as usize
    }

    /// Whether products of such elements are added to those of `sum`.
    pub(super) fn adds_to(self, sum: Element) -> bool {
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
    /// Rows and columns in a product of these sizes.
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

    /// Of `mma.sync`.
    pub(super) fn of_mma(matrix: Matrix, sizes: [usize; 3], element: Element) -> Fragment {
        Fragment::new(matrix, sizes, element, Layout::Table(matrix))
    }

    /// Of `wmma` with a shape such as `.m16n16k16`, if there is such a one. Those of A and B are other ones with another layout in memory,
    /// so that a product that is told the wrong one is wrong.
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
        // More than the elements need, by the table of the manual.
        let registers = if element == Element::Float(Format::F16) && !sum { 8 } else { fragment.registers };
        Some(Fragment { registers, ..fragment })
    }

    /// Elements of a lane.
    pub fn elements(self) -> usize {
        self.registers * self.element.packed()
    }

    /// Bytes of a lane.
    pub fn bytes(self) -> u64 {
        self.registers as u64 * u64::from(self.element.bits().max(32) / 8)
    }

    /// Where element `i` of a lane stands.
    pub fn place(self, lane: usize, i: usize) -> Place {
        let packed = self.element.packed();
        let (group, within, register, part) = (lane / 4, lane % 4, i / packed, i % packed);
        match self.layout {
            // Neighbours in a register are neighbours in a row; then come the lower eight rows, then the right half.
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

    /// The matrix in these registers, row by row.
    pub(super) fn read(self, registers: Registers) -> Vec<Vec<Option<u64>>> {
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

    /// Registers by lane, then by number, of a matrix with these elements.
    pub(super) fn write(self, element: impl Fn(Place) -> Option<u64>) -> Vec<Vec<Option<u64>>> {
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
