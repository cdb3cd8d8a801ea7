// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random products of `wgmma.mma_async` against sequential sums: types, sizes, orders, swizzles, byte offsets, A in registers, signs.

mod layout;
mod number;

use crate::model::bench::for_seeds;
use crate::runs::model;
use bcu_isa::config::named;
use bcu_machine::{run, Machine, Verdict};
use bcu_program::{load, Kind, Launch};
use layout::Layout;
use number::Numbers;
use std::collections::HashMap;
use std::fmt::Write;

/// One product, with its factors in a shared memory whose other bytes are random.
struct Case {
    kind: [Numbers; 3],
    n: usize,
    k: usize,
    /// For each step: the layouts of A (`None`: registers) and of B.
    steps: Vec<(Option<Layout>, Layout)>,
    adds: bool,
    negated: [bool; 2],
    saturate: bool,
    image: Vec<u8>,
    /// The address of the accumulator, and of A in registers: word by word, thread by thread.
    accumulator: usize,
    registers: usize,
}

/// The places, in a list of elements of every thread, of the elements of a row and column, by the tables of PTX.
fn thread_of(row: usize, column: usize) -> (usize, usize) {
    let lane = row % 8 * 4 + column / 2 % 4;
    (row / 16 * 32 + lane, column / 8 * 4 + row / 8 % 2 * 2 + column % 2)
}

impl Case {
    fn random(random: &mut fastrand::Rng) -> Case {
        let kind = number::KINDS[random.usize(0..number::KINDS.len())];
        let k = 32 / kind[0].bytes();
        let sizes: Vec<usize> = (8..=256).step_by(8).filter(|n| !kind[0].is_integer() || *n <= 24 || n % 16 == 0).collect();
        // Large sizes take long.
        let n = sizes[(0..3).map(|_| random.usize(0..sizes.len())).min().unwrap_or(0)];
        let in_registers = random.u8(0..3) == 0;
        let mut end = random.usize(0..3) * 1024;
        let mut steps = vec![];
        for _ in 0..random.usize(1..3) {
            let mut next = |rows: usize, random: &mut fastrand::Rng| {
                let layout = Layout::random(random, rows, kind[0].bytes(), end);
                end = layout.end().next_multiple_of(1024);
                layout
            };
            let a = if in_registers { None } else { Some(next(64, random)) };
            steps.push((a, next(n, random)));
        }
        let (registers, words) = (end, n / 2 * kind[2].bytes().div_ceil(2) / 2);
        let accumulator = registers + 4 * steps.len() * 128 * 4;
        let mut image: Vec<u8> = (0..accumulator + words * 128 * 4).map(|_| random.u8(..)).collect();
        let mut put = |at: usize, kind: Numbers, random: &mut fastrand::Rng| {
            let bits = kind.random(random);
            image[at..at + kind.bytes()].copy_from_slice(&bits.to_le_bytes()[..kind.bytes()]);
        };
        for (a, b) in &steps {
            for (layout, rows, kind) in a.iter().map(|a| (a, 64, kind[0])).chain([(b, n, kind[1])]) {
                (0..rows).for_each(|row| (0..k).for_each(|at| put(layout.address(row, at), kind, random)));
            }
        }
        (0..(accumulator - registers) / kind[0].bytes()).for_each(|i| put(registers + i * kind[0].bytes(), kind[0], random));
        (0..words * 512 / kind[2].bytes()).for_each(|i| put(accumulator + i * kind[2].bytes(), kind[2], random));
        let negated = if kind[0].is_integer() { [false; 2] } else { [random.bool(), random.bool()] };
        let saturate = kind[0].is_integer() && random.bool();
        Case { kind, n, k, steps, adds: random.bool(), negated, saturate, image, accumulator, registers }
    }

    /// The number of registers of the accumulator.
    fn words(&self) -> usize {
        (self.image.len() - self.accumulator) / 512
    }

    fn text(&self) -> String {
        let [a, b, d] = self.kind.map(|kind| kind.name);
        let (size, words) = (self.image.len(), self.words());
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word: u32, byte| word << 8 | u32::from(*byte)).to_string();
        let image: Vec<String> = self.image.chunks(4).map(word).collect();
        let mut text = format!(
            ".version 8.6\n.target sm_90a\n.address_size 64\n.global .align 16 .b32 image[{}] = {{{}}};\n\
             .visible .entry k()\n.reqntid 128\n{{\n.shared .align 1024 .b8 s[{size}];\n.reg .pred %p, %q;\n.reg .b32 %r<12>, %d<128>, %a<16>;\n\
             .reg .b64 %rd<4>;\nmov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 2;\nmov.u32 %r2, s;\nmov.u64 %rd0, image;\n\
             shl.b32 %r3, %r0, 4;\nNEXT:\nsetp.ge.u32 %p, %r3, {size};\n@%p bra FULL;\ncvt.u64.u32 %rd1, %r3;\nadd.u64 %rd1, %rd1, %rd0;\n\
             ld.global.v4.b32 {{%r8, %r9, %r10, %r11}}, [%rd1];\nadd.u32 %r5, %r2, %r3;\nst.shared.v4.b32 [%r5], {{%r8, %r9, %r10, %r11}};\n\
             add.u32 %r3, %r3, 2048;\nbra NEXT;\n\
             FULL:\nfence.proxy.async;\nbar.sync 0;\nadd.u32 %r6, %r2, %r1;\n",
            image.len(),
            image.join(",")
        );
        for word in 0..words {
            _ = writeln!(text, "ld.shared.b32 %d{word}, [%r6+{}];", self.accumulator + 512 * word);
        }
        for word in 0..4 * self.steps.len() {
            _ = writeln!(text, "ld.shared.b32 %a{word}, [%r6+{}];", self.registers + 512 * word);
        }
        let list = |name: &str, from: usize, count: usize| {
            let names: Vec<String> = (from..from + count).map(|i| format!("%{name}{i}")).collect();
            format!("{{{}}}", names.join(", "))
        };
        _ = writeln!(text, "setp.eq.u32 %q, 0, {};\nwgmma.fence.sync.aligned;", u8::from(!self.adds));
        for (step, (of_a, of_b)) in self.steps.iter().enumerate() {
            let factor = match of_a {
                Some(layout) => format!("{:#x}", layout.descriptor()),
                None => list("a", 4 * step, 4),
            };
            let mut operands = vec![list("d", 0, words), factor, format!("{:#x}", of_b.descriptor()), "%q".to_string()];
            if step > 0 {
                operands[3] = "1".to_string();
            }
            let sign = |is_negated: bool| if is_negated { "-1" } else { "1" }.to_string();
            if !self.kind[0].is_integer() {
                operands.extend(self.negated.map(sign));
            }
            if self.kind[0].bytes() == 2 {
                operands.extend(of_a.iter().chain([of_b]).map(|layout| u8::from(layout.is_mn_major).to_string()));
            }
            let satfinite = if self.saturate { ".satfinite" } else { "" };
            let shape = format!("m64n{}k{}", self.n, self.k);
            _ = writeln!(text, "wgmma.mma_async.sync.aligned.{shape}{d}{a}{b}{satfinite} {};", operands.join(", "));
        }
        text += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
        for word in 0..words {
            _ = writeln!(text, "st.shared.b32 [%r6+{}], %d{word};", self.accumulator + 512 * word);
        }
        text + "ret;\n}\n"
    }

    fn bits(&self, at: usize, kind: Numbers) -> u64 {
        self.image[at..at + kind.bytes()].iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
    }

    /// The address of an element in a list of packed words, word by word and thread by thread.
    fn packed(&self, start: usize, kind: Numbers, thread: usize, element: usize) -> usize {
        let per_word = 4 / kind.bytes();
        start + element / per_word * 512 + thread * 4 + element % per_word * kind.bytes()
    }

    /// The element of A by PTX's tables for A in registers: four registers, of which the second and the fourth have the lower eight rows,
    /// and the last two the right half.
    fn a_in_registers(&self, step: usize, row: usize, k: usize) -> u64 {
        let per_word = 4 / self.kind[0].bytes();
        let within = k % (4 * per_word);
        let (lane, register) = (row % 8 * 4 + within / per_word, row / 8 % 2 + 2 * (k / (4 * per_word)));
        let start = self.registers + 4 * step * 512;
        let at = self.packed(start, self.kind[0], row / 16 * 32 + lane, register * per_word + within % per_word);
        self.bits(at, self.kind[0])
    }

    /// The element of D, with the greatest permitted error.
    fn expected(&self, row: usize, column: usize) -> (f64, f64) {
        let [of_a, of_b, of_d] = self.kind;
        let (thread, element) = thread_of(row, column);
        let before = of_d.value(self.bits(self.packed(self.accumulator, of_d, thread, element), of_d));
        let sign = if self.negated[0] != self.negated[1] { -1.0 } else { 1.0 };
        let mut result = (if self.adds { before } else { 0.0 }, 0.0);
        for (step, (a, b)) in self.steps.iter().enumerate() {
            let term = |k: usize| {
                let a = a.as_ref().map_or_else(|| self.a_in_registers(step, row, k), |a| self.bits(a.address(row, k), of_a));
                sign * of_a.value(a) * of_b.value(self.bits(b.address(column, k), of_b))
            };
            let sum = (0..self.k).rev().map(term).sum::<f64>() + result.0;
            let sizes = (0..self.k).map(|k| term(k).abs()).sum::<f64>() + result.0.abs();
            result = of_d.rounded(sum, sizes * (self.k + 1) as f64 * 2f64.powi(-53) + result.1, self.saturate);
        }
        result
    }

    fn check(&self, name: &str) {
        let text = self.text();
        let config = named("default").unwrap();
        let loaded = load(Kind::Ptx, &text, &Launch::new(32)).unwrap_or_else(|e| panic!("{name}: {e:#?}"));
        let mut machine = Machine::default();
        machine.size(loaded.threads);
        let report = run(&mut *model(&config), &config, &machine, &loaded.programs, &mut |_| ());
        let report = report.unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert_eq!(report.verdict, Verdict::Completed, "{name}: {report}");
        let in_shared = report.memory.iter().filter(|word| word.cta == Some(0));
        let stored: HashMap<u32, u32> = in_shared.map(|word| (word.address, word.value)).collect();
        let kind = self.kind[2];
        let forms: Vec<String> = text.lines().filter(|line| line.contains("mma_async")).map(str::to_string).collect();
        for (row, column) in (0..64).flat_map(|row| (0..self.n).map(move |column| (row, column))) {
            let (thread, element) = thread_of(row, column);
            let at = self.packed(self.accumulator, kind, thread, element) as u32;
            let word = stored.get(&(at & !3)).unwrap_or_else(|| panic!("{name}: row {row}, column {column} is unknown"));
            let found = kind.value(u64::from(word >> (8 * (at & 3))) & (u64::MAX >> (64 - 8 * kind.bytes())));
            let (expected, bound) = self.expected(row, column);
            let is_equal = found == expected || (found - expected).abs() <= bound;
            assert!(is_equal, "{name}: row {row}, column {column}: {found}, expected {expected} +- {bound:e}\n{forms:#?}");
        }
    }
}

#[test]
fn random_products_have_the_sums_of_a_sequential_reference() {
    for_seeds("random_products", 30, |seed| {
        Case::random(&mut fastrand::Rng::with_seed(seed)).check(&format!("seed {seed}"));
    });
}
