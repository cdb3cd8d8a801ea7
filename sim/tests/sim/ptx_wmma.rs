// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `wmma`: products of random matrices of integers that every type holds exactly, in all shapes, layouts and types.

use crate::runs::{ptx_with, races, stopped};
use bcu_program::ptx::Launch;

type Matrix = Vec<Vec<i64>>;

/// One product: its shape, its types, and whether each of A, B, C and D is stored by columns.
struct Case {
    sizes: [usize; 3],
    types: [&'static str; 4],
    columns: [bool; 4],
}

fn bits(ty: &str) -> usize {
    match ty {
        "f64" => 64,
        "f32" | "tf32" | "s32" => 32,
        "f16" | "bf16" => 16,
        _ => 8,
    }
}

/// A small integer in the bits of a type.
fn encoded(value: i64, ty: &str) -> u64 {
    match ty {
        "f64" => (value as f64).to_bits(),
        "f32" | "tf32" => (value as f32).to_bits().into(),
        "bf16" => u64::from((value as f32).to_bits() >> 16),
        "f16" if value == 0 => 0,
        "f16" => {
            let (sign, size) = (u64::from(value < 0) << 15, value.unsigned_abs());
            let exponent = size.ilog2() as u64;
            sign | (exponent + 15) << 10 | (size << (10 - exponent) & 0x3ff)
        }
        other => value as u64 & (u64::MAX >> (64 - bits(other))),
    }
}

/// The number of registers of a fragment, by the table of the manual.
fn registers(rows: usize, columns: usize, ty: &str, sum: bool) -> usize {
    match (ty, sum) {
        ("f16", false) => 8,
        ("f64", _) => rows * columns / 32,
        _ => rows * columns * bits(ty) / 1024,
    }
}

fn list(name: &str, count: usize) -> String {
    format!("{{{}}}", (0..count).map(|i| format!("%{name}{i}")).collect::<Vec<_>>().join(", "))
}

/// The bytes of a matrix with this stride in elements between its rows or columns.
fn bytes(matrix: &Matrix, ty: &str, by_columns: bool, stride: usize) -> Vec<u8> {
    let (rows, columns) = (matrix.len(), matrix[0].len());
    let (outer, inner) = if by_columns { (columns, rows) } else { (rows, columns) };
    let size = bits(ty) / 8;
    // The gaps between the rows must have no effect.
    let mut held = vec![0x55; outer * stride * size];
    for (i, j) in (0..outer).flat_map(|i| (0..inner).map(move |j| (i, j))) {
        let value = if by_columns { matrix[j][i] } else { matrix[i][j] };
        let at = (i * stride + j) * size;
        held[at..at + size].copy_from_slice(&encoded(value, ty).to_le_bytes()[..size]);
    }
    held
}

fn variable(name: &str, held: &[u8]) -> String {
    let values: Vec<String> = held.iter().map(u8::to_string).collect();
    format!(".global .align 32 .b8 {name}[{}] = {{{}}};\n", held.len(), values.join(", "))
}

impl Case {
    fn shape(&self) -> String {
        let [m, n, k] = self.sizes;
        format!(".m{m}n{n}k{k}")
    }

    fn layout(&self, i: usize) -> &'static str {
        if self.columns[i] {
            ".col"
        } else {
            ".row"
        }
    }

    /// The kernel: A from global memory, B from shared memory, C by a generic address, D to shared memory after B.
    fn kernel(&self, [a, b, c]: [&Matrix; 3], strides: [usize; 4], scale: &str, more: &str) -> String {
        let [m, n, k] = self.sizes;
        let [ta, tb, tc, td] = self.types;
        let counts =
            [registers(m, k, ta, false), registers(k, n, tb, false), registers(m, n, tc, true), registers(m, n, td, true)];
        let held = [bytes(a, ta, self.columns[0], strides[0]), bytes(b, tb, self.columns[1], strides[1])];
        let c = bytes(c, tc, self.columns[2], strides[2]);
        let shape = self.shape();
        let words = held[1].len().div_ceil(4);
        let of = |ty: &str| if ty == "f64" { ".f64" } else { ".b32" };
        let types = match ta {
            "f16" => format!(".{td}.{tc}"),
            _ => format!(".{td}.{ta}.{tb}.{tc}"),
        };
        let [la, lb, lc, ld] = [0, 1, 2, 3].map(|i| self.layout(i));
        let lists = ["a", "b", "c", "d"].iter().zip(counts).map(|(name, count)| list(name, count)).collect::<Vec<_>>();
        format!(
            "{}{}{}.shared .align 32 .b8 sd[{}];\n.shared .align 32 .b8 sb[{}];\n.visible .entry k()\n.maxntid 32\n{{\n\
             .reg {} %a<8>, %b<8>;\n.reg {} %c<8>;\n.reg {} %d<8>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p;\n\
             mov.u32 %r1, %laneid;\nmov.u64 %rd1, b;\nCOPY:\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\n\
             setp.lt.u32 %p, %r1, {words};\nshl.b32 %r3, %r1, 2;\nmov.u32 %r5, sb;\nadd.u32 %r3, %r5, %r3;\n\
             @%p ld.global.u32 %r2, [%rd2];\n@%p st.shared.u32 [%r3], %r2;\nadd.u32 %r1, %r1, 32;\n@%p bra COPY;\nbar.sync 0;\n\
             mov.u64 %rd3, a;\nmov.u64 %rd4, c;\ncvta.global.u64 %rd4, %rd4;\nmov.u32 %r4, {};\n\
             wmma.load.a.sync.aligned{la}{shape}.global.{ta} {}, [%rd3], {};\n\
             wmma.load.b.sync.aligned{lb}{shape}.shared.{tb} {}, [sb], {};\n\
             wmma.load.c.sync.aligned{lc}{shape}.{tc} {}, [%rd4], %r4;\n{scale}\n\
             wmma.mma.sync.aligned{la}{lb}{shape}{types}{more} {}, {}, {}, {};\n\
             wmma.store.d.sync.aligned{ld}{shape}.shared.{td} [sd], {}, {};\nret;\n}}\n",
            variable("a", &held[0]),
            variable("b", &[&held[1][..], &[0; 3]].concat()),
            variable("c", &c),
            strides[3] * if self.columns[3] { n } else { m } * bits(td) / 8,
            words * 4,
            of(ta),
            of(tc),
            of(td),
            strides[2],
            lists[0],
            strides[0],
            lists[1],
            strides[1],
            lists[2],
            lists[3],
            lists[0],
            lists[1],
            lists[2],
            lists[3],
            strides[3],
        )
    }

    /// The matrix D in shared memory, as the bits of its type by row and column.
    fn result(&self, kernel: &str, stride: usize) -> Vec<Vec<Option<u64>>> {
        let [m, n, _] = self.sizes;
        let run = ptx_with(kernel, &Launch::new(32));
        let all = run.shared();
        let word = |at: u32| all.iter().find(|(address, _)| *address == at).map(|(_, value)| u64::from(*value));
        let size = bits(self.types[3]) as u32 / 8;
        let at = |row: usize, column: usize| {
            let (outer, inner) = if self.columns[3] { (column, row) } else { (row, column) };
            let at = (outer * stride + inner) as u32 * size;
            match size {
                8 => Some(word(at)? | word(at + 4)? << 32),
                4 => word(at),
                _ => Some(word(at & !3)? >> (8 * (at & 3)) & 0xffff),
            }
        };
        (0..m).map(|row| (0..n).map(|column| at(row, column)).collect()).collect()
    }
}

fn random(rng: &mut fastrand::Rng, rows: usize, columns: usize, values: std::ops::RangeInclusive<i64>) -> Matrix {
    (0..rows).map(|_| (0..columns).map(|_| rng.i64(values.clone())).collect()).collect()
}

/// A * B + C, one product added after the other.
fn product(a: &Matrix, b: &Matrix, c: &Matrix) -> Matrix {
    let mut d = c.clone();
    for (i, row) in d.iter_mut().enumerate() {
        for (j, element) in row.iter_mut().enumerate() {
            for (k, b) in b.iter().enumerate() {
                *element += a[i][k] * b[j];
            }
        }
    }
    d
}

/// The numbers of a type, small enough for exact sums.
fn values(ty: &str) -> std::ops::RangeInclusive<i64> {
    match ty {
        "u8" => 0..=255,
        "s8" => -128..=127,
        "tf32" => -100..=100,
        "f64" | "s32" => -1_000_000..=1_000_000,
        _ => -7..=7,
    }
}

fn cases() -> Vec<([usize; 3], [&'static str; 4])> {
    let wide = [[16, 16, 16], [32, 8, 16], [8, 32, 16]];
    let types = [
        ["f16", "f16", "f32", "f32"],
        ["f16", "f16", "f16", "f16"],
        ["f16", "f16", "f32", "f16"],
        ["f16", "f16", "f16", "f32"],
        ["bf16", "bf16", "f32", "f32"],
        ["s8", "s8", "s32", "s32"],
        ["u8", "u8", "s32", "s32"],
    ];
    let mut cases: Vec<_> = wide.iter().flat_map(|sizes| types.iter().map(|types| (*sizes, *types))).collect();
    cases.push(([16, 16, 8], ["tf32", "tf32", "f32", "f32"]));
    cases.push(([8, 8, 4], ["f64"; 4]));
    cases
}

#[test]
fn products_of_integers_are_exact_in_every_shape_type_and_layout() {
    let mut rng = fastrand::Rng::with_seed(7);
    for (sizes, types) in cases() {
        for layouts in 0..16 {
            let case = Case { sizes, types, columns: [0, 1, 2, 3].map(|i| layouts >> i & 1 == 1) };
            let [m, n, k] = sizes;
            let [a, b, c] = [
                random(&mut rng, m, k, values(types[0])),
                random(&mut rng, k, n, values(types[1])),
                random(&mut rng, m, n, values(types[2])),
            ];
            let lead = [(m, k), (k, n), (m, n), (m, n)].map(|(rows, columns)| [columns, rows]);
            // The rows or columns are contiguous, or have gaps of a multiple of 16 bytes.
            let strides = [0, 1, 2, 3].map(|i| lead[i][usize::from(case.columns[i])] + rng.usize(..3) * 128 / bits(types[i]));
            let kernel = case.kernel([&a, &b, &c], strides, "", "");
            let wanted: Vec<Vec<Option<u64>>> =
                product(&a, &b, &c).iter().map(|row| row.iter().map(|d| Some(encoded(*d, types[3]))).collect()).collect();
            assert_eq!(case.result(&kernel, strides[3]), wanted, "{}, {types:?}, layouts {layouts:#b}\n{kernel}", case.shape());
        }
    }
}

/// A product of `.f16` matrices, all stored by rows, and its operands.
fn plain() -> (Case, [Matrix; 3]) {
    let mut rng = fastrand::Rng::with_seed(11);
    let case = Case { sizes: [16; 3], types: ["f16", "f16", "f32", "f32"], columns: [false; 4] };
    (case, [0; 3].map(|_| random(&mut rng, 16, 16, -7..=7)))
}

fn in_bits(matrix: &Matrix, ty: &str) -> Vec<Vec<Option<u64>>> {
    matrix.iter().map(|row| row.iter().map(|value| Some(encoded(*value, ty))).collect()).collect()
}

#[test]
fn what_is_done_to_every_register_is_done_to_every_element() {
    let (case, [a, b, c]) = plain();
    let times = |matrix: &Matrix, by: i64| matrix.iter().map(|row| row.iter().map(|v| v * by).collect()).collect::<Matrix>();
    let scale: String = (0..8)
        .map(|i| format!("mov.b32 %r6, 0x42004200;\nmul.rn.f16x2 %a{i}, %a{i}, %r6;\nmul.rn.f32 %c{i}, %c{i}, 0fC0000000;\n"))
        .collect();
    let kernel = case.kernel([&a, &b, &c], [16; 4], &scale, "");
    assert_eq!(case.result(&kernel, 16), in_bits(&product(&times(&a, 3), &b, &times(&c, -2)), "f32"));
}

#[test]
fn a_stride_that_is_left_out_is_that_of_no_gap() {
    let (case, [a, b, c]) = plain();
    let mut kernel = case.kernel([&a, &b, &c], [16; 4], "", "");
    for (from, to) in [("[%rd3], 16;", "[%rd3];"), ("[sb], 16;", "[sb];"), ("[%rd4], %r4;", "[%rd4];"), ("%d7}, 16;", "%d7};")]
    {
        assert_eq!(kernel.matches(from).count(), 1, "{from}");
        kernel = kernel.replace(from, to);
    }
    assert_eq!(case.result(&kernel, 16), in_bits(&product(&a, &b, &c), "f32"));
}

#[test]
fn a_product_that_is_told_another_layout_than_the_load_is_another_one() {
    let (case, [a, b, c]) = plain();
    let kernel = case.kernel([&a, &b, &c], [16; 4], "", "").replace("mma.sync.aligned.row.row", "mma.sync.aligned.col.row");
    assert_ne!(case.result(&kernel, 16), in_bits(&product(&a, &b, &c), "f32"));
}

#[test]
fn sums_of_bytes_wrap_or_keep_in_their_bounds() {
    let case = Case { sizes: [16; 3], types: ["u8", "u8", "s32", "s32"], columns: [false; 4] };
    let (a, b) = (vec![vec![255; 16]; 16], vec![vec![255; 16]; 16]);
    let c = vec![vec![i64::from(i32::MAX) - 10; 16]; 16];
    let wrapped = (16 * 255 * 255 + i64::from(i32::MAX) - 10) as i32;
    for (more, value) in [("", wrapped), (".satfinite", i32::MAX)] {
        let kernel = case.kernel([&a, &b, &c], [16; 4], "", more);
        assert_eq!(case.result(&kernel, 16), vec![vec![Some(u64::from(value as u32)); 16]; 16], "{more}");
    }
}

#[test]
fn an_unknown_element_makes_what_depends_on_it_unknown() {
    let (case, [a, b, c]) = plain();
    // Register 0 of lane 0 has the first two elements of A, and so has register 4.
    let unknown = "mov.u32 %r7, %laneid;\nsetp.eq.u32 %p, %r7, 0;\n@%p mov.b32 %a0, %r8;\n@%p mov.b32 %a4, %r8;";
    let kernel = case.kernel([&a, &b, &c], [16; 4], unknown, "");
    let wanted = in_bits(&product(&a, &b, &c), "f32");
    let found = case.result(&kernel, 16);
    assert_eq!(found[1..], wanted[1..]);
    assert!(found[0].iter().all(Option::is_none), "{found:?}");
}

#[test]
fn a_matrix_lies_inside_of_its_memory_and_begins_at_a_multiple() {
    let (case, [a, b, c]) = plain();
    let kernel = case.kernel([&a, &b, &c], [16; 4], "", "");
    for (from, to, message) in [
        ("[sb], 16", "[sb+16], 16", "of the matrix is not a multiple of 32"),
        ("[sb], 16", "[sb], 20", "the stride of 20 elements (40 bytes) is not a multiple of 16 bytes"),
        ("[sb], 16", "[sb], 64", "of shared memory of the CTA"),
        ("[sd], {", "[sd+1024], {", "of shared memory of the CTA"),
        ("[%rd3], 16", "[%rd3], 4294967288", "is outside of all variables and buffers"),
        ("[sb], 16", "[%r1], 16", "but other lanes of the warp give"),
    ] {
        let text = kernel.replace(from, to);
        assert_ne!(text, kernel);
        let found = stopped(&text);
        assert!(found.is_wrong() && found.diagnostic.message.contains(message), "{to}: {found:?}");
    }
}

#[test]
fn a_fragment_that_is_stored_races_with_what_nothing_orders() {
    let (case, [a, b, c]) = plain();
    let kernel = case
        .kernel([&a, &b, &c], [16; 4], "", "")
        .replace(".maxntid 32", ".maxntid 64")
        .replace("mov.u32 %r1, %laneid", "mov.u32 %r1, %tid.x");
    let kernel = kernel.replace("add.u32 %r1, %r1, 32", "add.u32 %r1, %r1, 64");
    // Both warps store the same values, which is no race.
    assert_eq!(races(&kernel), []);
    let read = kernel.replace("ret;", "ld.shared.u32 %r8, [sd];\nret;");
    let found = races(&read);
    assert!(found.iter().all(|(sides, _)| sides[0].1.starts_with("wmma.store") || sides[1].1.starts_with("wmma.store")));
    assert!(!found.is_empty());
}

#[test]
fn fragments_and_registers_agree() {
    let (case, [a, b, c]) = plain();
    let kernel = case.kernel([&a, &b, &c], [16; 4], "", "");
    for (from, to, message, label) in [
        (", %a7}, [%rd3]", "}, [%rd3]", "7 registers for a fragment of `.load.a`", "expected 8"),
        ("[sd], {%d0, ", "[sd], {", "7 registers for a fragment of `.store.d`", "expected 8"),
        (", [sb], 16;", ";", "`wmma.load` has 1 operands", "expected `{registers}, [address], stride`"),
        (
            "%d7}, {%a0, ",
            "%d7}, {",
            "8 registers for the result and 23 for the matrices",
            "expected 8 for the result, and 8 + 8 + 8 for the matrices",
        ),
    ] {
        let text = kernel.replace(from, to);
        assert_ne!(text, kernel, "{from}");
        let found = bcu_program::ptx::parse(&text).unwrap_err();
        assert!(found[0].message.contains(message) && found[0].label.contains(label), "{to}: {found:?}");
    }
}

#[test]
fn other_forms_take_time_and_leave_unknown_results() {
    let text = "// bcu: threads 32\nwmma.load.a.sync.aligned.row.m8n8k32.global.s4 {a}, [0];\n\
                wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {d, e}, {a}, {b}, {c, c};\nst.global.u32 [0], d;\nst.global.u32 [4], 1;";
    assert_eq!(crate::runs::ptx(text).global(), [(4, 1)]);
}
