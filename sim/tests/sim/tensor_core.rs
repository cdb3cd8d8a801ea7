// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `tcgen05`: products of random matrices in all layouts, transfers in all shapes, and copies, compared with calculations element by
//! element.

use crate::ptx_tensor::{launched_with, Done};
use bcu_machine::{Machine, Verdict};

/// Words of a lane that the kernel stores to the buffer.
const WORDS: usize = 64;

/// A kernel of 128 threads. It copies `image` to shared memory from byte 1024 on, allocates 128 columns (`%r0`), executes `all` in all
/// threads, then `one` and a commit in thread 0, waits, executes `after` in all threads, and stores WORDS columns of each lane.
pub fn kernel(image: &[u8], all: &str, one: &str, after: &str) -> String {
    let bytes: Vec<String> = image.iter().map(u8::to_string).collect();
    let (size, chunks) = (image.len(), image.len() / 16);
    let loads: String = (0..WORDS / 8)
        .map(|part| {
            let registers: Vec<String> = (0..8).map(|i| format!("%v{i}")).collect();
            let stores: String = (0..8).map(|i| format!("st.global.b32 [%rd3+{}], %v{i};\n", 4 * (8 * part + i))).collect();
            format!(
                "add.u32 %r7, %r6, {};\ntcgen05.ld.sync.aligned.32x32b.x8.b32 {{{}}}, [%r7];\ntcgen05.wait::ld.sync.aligned;\n{stores}",
                8 * part,
                registers.join(", ")
            )
        })
        .collect();
    format!(
        ".version 8.6\n.target sm_100a\n.address_size 64\n.global .align 16 .b8 image[{size}] = {{{}}};\n\
         .visible .entry k(.param .u64 k_out)\n.reqntid 128\n{{\n.shared .align 1024 .b8 s[{}];\n.shared .align 8 .b64 done;\n\
         .shared .align 4 .b32 tensor;\n.reg .b32 %r<40>, %v<128>, %w<4>;\n.reg .b64 %rd<9>;\n.reg .pred %p<9>;\n\
         mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.lt.u32 %p2, %r1, 32;\n\
         @%p1 mbarrier.init.shared.b64 [done], 1;\n@!%p2 bra COPY;\n\
         tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tensor], 128;\n\
         tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n\
         COPY:\nmov.u32 %r2, %r1;\nLOOP:\nsetp.ge.u32 %p3, %r2, {chunks};\n@%p3 bra COPIED;\nshl.b32 %r3, %r2, 4;\ncvt.u64.u32 %rd1, %r3;\n\
         mov.u64 %rd2, image;\nadd.u64 %rd2, %rd2, %rd1;\nld.global.v4.b32 {{%w0, %w1, %w2, %w3}}, [%rd2];\nmov.u32 %r4, s;\n\
         add.u32 %r4, %r4, %r3;\nst.shared.v4.b32 [%r4+1024], {{%w0, %w1, %w2, %w3}};\nadd.u32 %r2, %r2, 128;\nbra LOOP;\n\
         COPIED:\nfence.proxy.async.shared::cta;\nbar.sync 0;\nld.shared.b32 %r0, [tensor];\nshr.u32 %r5, %r1, 5;\nshl.b32 %r6, %r5, 21;\n\
         add.u32 %r6, %r6, %r0;\n{all}\ntcgen05.fence::before_thread_sync;\nbar.sync 0;\ntcgen05.fence::after_thread_sync;\n\
         @!%p1 bra WAIT;\n{one}\ntcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];\n\
         WAIT:\nmbarrier.try_wait.parity.shared.b64 %p4, [done], 0;\n@!%p4 bra WAIT;\nbar.warp.sync 0xffffffff;\n\
         tcgen05.fence::after_thread_sync;\n{after}\nld.param.u64 %rd3, [k_out];\nmul.wide.u32 %rd4, %r1, {};\nadd.u64 %rd3, %rd3, %rd4;\n\
         {loads}bar.sync 0;\n@!%p2 bra END;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r0, 128;\nEND:\nret;\n}}\n",
        bytes.join(","),
        size + 1024,
        4 * WORDS,
    )
}

pub fn run(text: &str) -> Done {
    let launch =
        format!("[buffers.out]\ntype = \"u32\"\nshape = [128, {WORDS}]\nfill = \"iota\"\n[[launch]]\nargs = [\"out\"]\n");
    let done = launched_with(&launch, text, Machine { races: true, ..Machine::default() });
    done.unwrap_or_else(|e| panic!("{e}")).unwrap_or_else(|e| panic!("{e:?}\n{}", without_image(text)))
}

/// The text without the values of its image.
fn without_image(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with(".global")).map(|line| format!("{line}\n")).collect()
}

/// The words of each lane; `None` for unknown ones. The run must have no finding.
fn words(text: &str) -> Vec<Vec<Option<u32>>> {
    let run = run(text);
    let report = &run.reports[0];
    assert_eq!(report.verdict, Verdict::Completed, "{report}\n{}", without_image(text));
    assert!(report.misuses.is_empty() && report.races.is_empty(), "{:?} {:?}", report.misuses, report.races);
    let word = |i: usize| run.after[0].get(i).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()));
    (0..128).map(|lane| (0..WORDS).map(|i| word(lane * WORDS + i)).collect()).collect()
}

fn half(value: i32, ty: &str) -> u32 {
    let bits = (value as f32).to_bits();
    match ty {
        "bf16" => bits >> 16,
        "f16" if value == 0 => 0,
        "f16" => bits >> 16 & 0x8000 | ((bits >> 23 & 0xff) + 15 - 127) << 10 | bits >> 13 & 0x3ff,
        _ => bits,
    }
}

/// A matrix in shared memory: the swizzle in bytes (16: none), and whether its rows are contiguous along M or N.
#[derive(Clone, Copy, Debug)]
struct Layout {
    swizzle: usize,
    transposed: bool,
}

impl Layout {
    /// The offset of an element of a matrix of `rows` rows (columns of B), and the strides (leading and stride offset).
    fn offset(self, (row, k): (usize, usize), size: usize, rows: usize) -> usize {
        let (leading, stride) = self.strides(size, rows);
        let width = self.swizzle;
        let at = match (self.transposed, width) {
            (false, 16) => row % 8 * 16 + row / 8 * stride + k * size / 16 * leading + k * size % 16,
            (false, _) => row % 8 * width + row / 8 * stride + k * size,
            (true, 16) => row * size / 16 * stride + k % 8 * 16 + k / 8 * leading + row * size % 16,
            (true, _) => row * size / width * leading + k % 8 * width + k / 8 * stride + row * size % width,
        };
        // Bits 4 to 6 of the address are exchanged by bits 7 to 9.
        at ^ at >> 3 & (width - 16)
    }

    fn strides(self, size: usize, rows: usize) -> (usize, usize) {
        match (self.transposed, self.swizzle) {
            (false, 16) => (rows * 16, 128),
            (false, width) => (16, 8 * width),
            (true, 16) => (rows * size * 8, 128),
            (true, width) => (16 * width, 8 * width),
        }
    }

    fn bytes(self, size: usize, rows: usize) -> usize {
        let k = 32 / size;
        let last = (0..rows).flat_map(|row| (0..k).map(move |k| (row, k))).map(|at| self.offset(at, size, rows)).max();
        (last.unwrap() + 1).next_multiple_of(1024)
    }

    fn descriptor(self, start: usize, size: usize, rows: usize) -> u64 {
        let (leading, stride) = self.strides(size, rows);
        let swizzle = match self.swizzle {
            16 => 0,
            32 => 6,
            64 => 4,
            _ => 2,
        };
        (start as u64) >> 4 | (leading as u64) >> 4 << 16 | (stride as u64) >> 4 << 32 | 1 << 46 | swizzle << 61
    }
}

/// A product D = ± A B + C / 2^scale, C and A from registers if `a` has no layout.
#[derive(Debug)]
struct Case {
    ty: &'static str,
    m: usize,
    n: usize,
    a: Option<Layout>,
    b: Layout,
    negated: bool,
    scale: u32,
    adds: bool,
}

fn compare(case: &Case, random: &mut fastrand::Rng) {
    let Case { ty, m, n, a, b, negated, scale, adds } = case;
    let size = if *ty == "tf32" { 4 } else { 2 };
    let k = 32 / size;
    let mut matrix = |rows: usize, columns: usize| -> Vec<Vec<i32>> {
        (0..rows).map(|_| (0..columns).map(|_| random.i32(-9..10)).collect()).collect()
    };
    let (left, right, added) = (matrix(*m, k), matrix(*n, k), matrix(*m, *n));
    // The image has A, B, A row by row, and C row by row.
    let a_layout = a.unwrap_or(Layout { swizzle: 16, transposed: false });
    let (at_b, at_rows) = (a_layout.bytes(size, *m), a_layout.bytes(size, *m) + b.bytes(size, *n));
    let mut image = vec![0x55; at_rows + m * 32 + m * n * 4];
    let mut put = |at: usize, value: u32, size: usize| image[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
    for (row, k) in (0..*m).flat_map(|row| (0..k).map(move |k| (row, k))) {
        put(a_layout.offset((row, k), size, *m), half(left[row][k], ty), size);
        put(at_rows + row * 32 + k * size, half(left[row][k], ty), size);
    }
    for (row, k) in (0..*n).flat_map(|row| (0..k).map(move |k| (row, k))) {
        put(at_b + b.offset((row, k), size, *n), half(right[row][k], ty), size);
    }
    for (row, column) in (0..*m).flat_map(|row| (0..*n).map(move |column| (row, column))) {
        put(at_rows + m * 32 + (row * n + column) * 4, (added[row][column] as f32).to_bits(), 4);
    }
    // Each thread loads the row of its lane: with 64 rows, each warp has 16.
    let row = match m {
        64 => "and.b32 %r10, %r1, 15;\nshl.b32 %r11, %r5, 4;\nadd.u32 %r10, %r10, %r11;",
        _ => "mov.u32 %r10, %r1;",
    };
    let mut all = format!("{row}\nmul.lo.u32 %r12, %r10, 32;\nmul.lo.u32 %r13, %r10, {};\nmov.u32 %r14, s;\nadd.u32 %r12, %r12, %r14;\nadd.u32 %r13, %r13, %r14;\n", 4 * n);
    let store = |from: &str, at: usize, column: usize| {
        let registers: Vec<String> = (0..8).map(|i| format!("%v{i}")).collect();
        let loads: String = (0..8).map(|i| format!("ld.shared.b32 %v{i}, [{from}+{}];\n", 1024 + at + 4 * i)).collect();
        format!(
            "{loads}tcgen05.st.sync.aligned.32x32b.x8.b32 [%r6+{column}], {{{}}};\ntcgen05.wait::st.sync.aligned;\n",
            registers.join(", ")
        )
    };
    all += &store("%r12", at_rows, 64);
    (0..n / 8).for_each(|part| all += &store("%r13", at_rows + m * 32 + 32 * part, 8 * part));
    let type_number = ["f16", "bf16", "tf32"].iter().position(|name| name == ty).unwrap() as u32;
    let transposed = |layout: Option<Layout>, at: u32| u32::from(layout.is_some_and(|layout| layout.transposed)) << at;
    let instruction = 1 << 4
        | type_number << 7
        | type_number << 10
        | u32::from(*negated) << 13
        | transposed(*a, 15)
        | transposed(Some(*b), 16)
        | (*n as u32 / 8) << 17
        | (*m as u32 / 16) << 24;
    let kind = if *ty == "tf32" { "tf32" } else { "f16" };
    let shared = |layout: Layout, at: usize, rows: usize| layout.descriptor(1024 + at, size, rows);
    let a_operand = match a {
        Some(layout) => format!("{}", shared(*layout, 0, *m) as i64),
        None => "[%r0+64]".to_string(),
    };
    let scale_operand = if *scale > 0 { format!(", {scale}") } else { String::new() };
    let one = format!(
        "setp.ne.u32 %p5, {}, 0;\nmov.b64 %rd5, {};\nmov.b64 %rd6, {};\ntcgen05.mma.cta_group::1.kind::{kind} [%r0], {}, %rd6, {instruction}, %p5{scale_operand};",
        u32::from(*adds),
        a.map_or(0, |layout| shared(layout, 0, *m)) as i64,
        shared(*b, at_b, *n) as i64,
        if a.is_some() { "%rd5" } else { &a_operand },
    );
    let found = words(&kernel(&image, &all, &one, ""));
    for (row, column) in (0..*m).flat_map(|row| (0..*n).map(move |column| (row, column))) {
        let sum: i32 = (0..k).map(|k| left[row][k] * right[column][k]).sum();
        let sum = if *negated { -sum } else { sum } as f32;
        let added = if *adds { added[row][column] as f32 / (1 << scale) as f32 } else { 0.0 };
        let lane = if *m == 64 { row / 16 * 32 + row % 16 } else { row };
        assert_eq!(found[lane][column], Some((sum + added).to_bits()), "{case:?}, row {row}, column {column}");
    }
}

#[test]
fn products_of_random_matrices_are_those_of_a_loop() {
    let mut random = fastrand::Rng::with_seed(5);
    for ty in ["f16", "bf16", "tf32"] {
        for swizzle in [16, 32, 64, 128] {
            for transposed in [[false, false], [true, false], [false, true], [true, true]] {
                let is_left_out = ty == "tf32" && transposed != [false, false] || ty == "bf16" && swizzle == 32;
                if is_left_out {
                    continue;
                }
                let m = *[64, 128].get(random.usize(0..2)).unwrap();
                let n = if m == 64 { 8 * random.usize(1..8) } else { 16 * random.usize(1..4) };
                let n = if transposed[1] { 64 } else { n };
                let a = (transposed[0] || random.u32(0..3) > 0).then_some(Layout { swizzle, transposed: transposed[0] });
                let b = Layout { swizzle, transposed: transposed[1] };
                let (negated, scale, adds) = (random.bool(), random.u32(0..3), random.bool());
                compare(&Case { ty, m, n, a, b, negated, scale, adds }, &mut random);
            }
        }
    }
}

#[test]
fn disabled_lanes_are_not_written_and_unknown_elements_spread() {
    // A and B are 0, D was never written: rows whose lanes are disabled stay unknown.
    let image = vec![0; 8192];
    let layout = Layout { swizzle: 16, transposed: false };
    let (a, b) = (layout.descriptor(1024, 2, 128), layout.descriptor(1024, 2, 16));
    let product = |adds: u32| {
        format!(
            "setp.ne.u32 %p5, {adds}, 0;\nmov.b64 %rd5, {a};\nmov.b64 %rd6, {b};\nmov.u32 %r20, 0;\nmov.u32 %r21, 0xf0;\n\
             tcgen05.mma.cta_group::1.kind::f16 [%r0], %rd5, %rd6, {}, {{%r20, %r21, %r20, %r20}}, %p5;",
            1 << 4 | 2 << 17 | 8 << 24
        )
    };
    let found = words(&kernel(&image, "", &product(0), ""));
    for lane in 0..128 {
        let expected = if (36..40).contains(&lane) { None } else { Some(0) };
        assert_eq!((found[lane][0], found[lane][15], found[lane][16]), (expected, expected, None), "lane {lane}");
    }
    assert!(words(&kernel(&image, "", &product(1), "")).iter().flatten().all(Option::is_none));
}

#[test]
fn every_shape_of_a_load_has_the_cells_of_the_stores() {
    // A cell has 256 times its lane plus its column.
    let fill: String = (0..64)
        .map(|column| {
            format!("mad.lo.u32 %r8, %r1, 256, {column};\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r6+{column}], {{%r8}};\n")
        })
        .collect();
    let fill = fill + "tcgen05.wait::st.sync.aligned;\n";
    let list = |count: usize| (0..count).map(|i| format!("%v{i}")).collect::<Vec<_>>().join(", ");
    for (shape, repeat, registers, half) in [
        ("16x64b", 4, 4, ""),
        ("16x64b", 2, 2, ".pack::16b"),
        ("16x128b", 2, 4, ""),
        ("16x256b", 2, 8, ""),
        ("16x256b", 1, 4, ".pack::16b"),
        ("16x32bx2", 4, 4, ", 24"),
        ("32x32b", 8, 8, ""),
        ("32x32b", 4, 4, ".pack::16b"),
    ] {
        let (pack, half) = if half.starts_with('.') { (half, "") } else { ("", half) };
        let rows = if shape == "32x32b" { 0 } else { 16 };
        // The registers go to the first columns of the lanes, from which the kernel stores them.
        let after = format!(
            "tcgen05.ld.sync.aligned.{shape}.x{repeat}{pack}.b32 {{{}}}, [%r6+{}]{half};\ntcgen05.wait::ld.sync.aligned;\n\
             tcgen05.st.sync.aligned.32x32b.x{registers}.b32 [%r6], {{{}}};\ntcgen05.wait::st.sync.aligned;",
            list(registers),
            (rows << 16) + 2,
            list(registers),
        );
        let found = words(&kernel(&[0; 16], &fill, "", &after));
        let cell = |lane: usize, column: usize| (256 * lane + column) as u32;
        let lowest = |lane: usize, column: usize| match pack {
            "" => cell(lane, column),
            _ => cell(lane, column) & 0xffff | cell(lane, column + 1) << 16,
        };
        let step = if pack.is_empty() { 1 } else { 2 };
        for (thread, register) in (0..128).flat_map(|thread| (0..registers).map(move |register| (thread, register))) {
            let (warp, t, r) = (thread / 32 * 32, thread % 32, register);
            // The tables of PTX: two, four and eight columns of 16 rows for each repetition.
            let (row, column) = match shape {
                "16x64b" => (t / 4 + t % 2 * 8, 2 * r + t / 2 % 2),
                "16x128b" => (t / 4 + r % 2 * 8, r / 2 * 4 + t % 4),
                "16x256b" => (t / 4 + r / 2 % 2 * 8, r / 4 * 8 + t % 4 * 2 + r % 2),
                "16x32bx2" => (t % 16, r + t / 16 * 24),
                _ => (t, r),
            };
            let expected = lowest(warp + rows + row, 2 + step * column);
            assert_eq!(found[thread][register], Some(expected), "{shape}{pack} thread {thread} register {register}");
        }
    }
}

#[test]
fn unpacked_stores_write_low_halves() {
    let all = "mov.u32 %v0, 0x20001;\nmov.u32 %v1, 0x40003;\ntcgen05.st.sync.aligned.32x32b.x2.unpack::16b.b32 [%r6], {%v0, %v1};\ntcgen05.wait::st.sync.aligned;";
    let after = "tcgen05.ld.sync.aligned.32x32b.x2.pack::16b.b32 {%v2, %v3}, [%r6];\ntcgen05.wait::ld.sync.aligned;\n\
                 tcgen05.st.sync.aligned.32x32b.x2.b32 [%r6+8], {%v2, %v3};\ntcgen05.wait::st.sync.aligned;";
    let found = words(&kernel(&[0; 16], all, "", after));
    // The other half of a cell is unknown.
    assert_eq!((found[5][0], found[5][8], found[5][9]), (None, Some(0x2_0001), Some(0x4_0003)));
}

#[test]
fn copies_have_the_lanes_of_their_shapes() {
    // Word w of row r is 100 r + w. Rows of 32 bytes: chunks are 4096 bytes apart.
    let mut image = vec![0; 8192];
    for (row, word) in (0..128).flat_map(|row| (0..8).map(move |word| (row, word))) {
        let at = row * 16 + word / 4 * 4096 + word % 4 * 4;
        image[at..at + 4].copy_from_slice(&(100 * row as u32 + word as u32).to_le_bytes());
    }
    let descriptor: u64 = 1024 >> 4 | 4096 >> 4 << 16 | 128 >> 4 << 32 | 1 << 46;
    type Row = fn(usize) -> Option<usize>;
    let cases: [(&str, usize, Row); 6] = [
        ("128x256b", 8, Some),
        ("128x128b", 4, Some),
        ("4x256b", 8, |lane| (lane % 32 == 0).then_some(lane / 32)),
        ("64x128b.warpx2::02_13", 4, |lane| Some(lane % 64)),
        ("64x128b.warpx2::01_23", 4, |lane| Some(lane / 64 * 32 + lane % 32)),
        ("32x128b.warpx4", 4, |lane| Some(lane % 32)),
    ];
    for (shape, columns, row) in cases {
        let one = format!("mov.b64 %rd5, {descriptor};\ntcgen05.cp.cta_group::1.{shape} [%r0+4], %rd5;");
        let found = words(&kernel(&image, "", &one, ""));
        for (lane, column) in (0..128).flat_map(|lane| (0..16).map(move |column| (lane, column))) {
            let is_copied = (4..4 + columns).contains(&column);
            let expected = row(lane).filter(|_| is_copied).map(|row| (100 * row + column - 4) as u32);
            assert_eq!(found[lane][column], expected, "{shape}, lane {lane}, column {column}");
        }
    }
}
