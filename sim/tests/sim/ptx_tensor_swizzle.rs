// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tensor copies with swizzled boxes, against the tables of the PTX document, byte by byte: loads, stores and reductions.

use crate::ptx_tensor::{done, kernel};
use bcu_machine::Verdict;

const MODES: [(&str, usize); 5] = [("32B", 32), ("64B", 64), ("128B", 128), ("128B_atom_32B", 128), ("128B_atom_64B", 128)];

/// The address in shared memory of the byte that would be at `at` without swizzle.
fn place(mode: &str, at: usize) -> usize {
    let (line, chunk) = (at / 128, at / 16 % 8);
    let exchange = match mode {
        "32B" => line % 2,
        "64B" => line % 4,
        "128B" => line % 8,
        "128B_atom_32B" => 2 * (line % 4),
        _ => 4 * (line % 2),
    };
    128 * line + 16 * (chunk ^ exchange) + at % 16
}

/// A case: a tensor of 3 dimensions whose rows of boxes have the bytes of the swizzle.
struct Case {
    mode: &'static str,
    element: &'static str,
    size: usize,
    extents: [i32; 3],
    /// Elements of the box.
    counts: [usize; 3],
    coordinates: [i32; 3],
    /// Address of the box in shared memory.
    shared: usize,
}

impl Case {
    fn random(random: &mut fastrand::Rng, (mode, span): (&'static str, usize)) -> Case {
        let (element, size) = [("u8", 1), ("f16", 2), ("u32", 4), ("f64", 8)][random.usize(0..4)];
        let counts = [span / size, random.usize(1..9), random.usize(1..3)];
        let extents = [(16 / size * random.usize(1..10)) as i32, random.i32(1..9), random.i32(1..4)];
        let coordinates = [0, 1, 2].map(|d| random.i32(-(counts[d] as i32) / 2..=extents[d] / 2));
        Case { mode, element, size, extents, counts, coordinates, shared: 128 * random.usize(1..12) }
    }

    fn bytes(&self) -> usize {
        self.counts.iter().product::<usize>() * self.size
    }

    fn tensor_bytes(&self) -> usize {
        self.extents.iter().product::<i32>() as usize * self.size
    }

    /// For each byte of the box in order, its place in shared memory, and its place in the tensor, if it is in the tensor.
    fn places(&self) -> Vec<(usize, Option<usize>)> {
        let mut places = vec![];
        for at in 0..self.bytes() {
            let element = at / self.size;
            let index = [
                element % self.counts[0],
                element / self.counts[0] % self.counts[1],
                element / self.counts[0] / self.counts[1],
            ];
            let at_of = |d: usize| self.coordinates[d] + index[d] as i32;
            let inside = (0..3).all(|d| (0..self.extents[d]).contains(&at_of(d)));
            let flat = || (at_of(2) * self.extents[1] + at_of(1)) * self.extents[0] + at_of(0);
            let tensor = inside.then(|| flat() as usize * self.size + at % self.size);
            places.push((place(self.mode, self.shared + at), tensor));
        }
        places
    }

    fn launch(&self, shared: usize) -> String {
        let Case { mode, element, extents, counts, .. } = self;
        let elements: i32 = extents.iter().product();
        format!(
            "[buffers.tensor]\ntype = \"{element}\"\nshape = [{elements}]\nfill = \"random\"\nrange = [1, 100]\n\
             [buffers.raw]\ntype = \"u8\"\nshape = [{shared}]\nfill = \"random\"\n[[launch]]\nshared = {shared}\n\
             args = [{{ tensor = {{ buffer = \"tensor\", extents = {extents:?}, box = {counts:?}, swizzle = \"{mode}\" }} }}, \"raw\"]\n"
        )
    }
}

#[test]
fn a_load_puts_each_chunk_where_the_table_has_it() {
    let mut random = fastrand::Rng::with_seed(71);
    let mut outside = 0;
    for round in 0..40 {
        let case = Case::random(&mut random, MODES[round % 5]);
        let is_nan = case.element.starts_with('f') && random.bool();
        let [x, y, z] = case.coordinates;
        let (bytes, shared) = (case.bytes(), case.shared + case.bytes());
        let body = format!(
            "mbarrier.init.shared.b64 [%r1], 1;\nfence.mbarrier_init.release.cluster;\nmov.u32 %r2, %r1;\nadd.u32 %r20, %r1, {};\n\
             mbarrier.arrive.expect_tx.shared.b64 %rd9, [%r1], {bytes};\n\
             cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r20], [%rd1, {{{x}, {y}, {z}}}], [%r1];\n\
             W:\nmbarrier.try_wait.shared.b64 %p5, [%r1], %rd9;\n@!%p5 bra W;\nmov.u32 %r21, 0;\nadd.u64 %rd2, %rd2, {};\n\
             OUT:\nadd.u32 %r22, %r20, %r21;\nld.shared.v4.u32 {{%r23, %r24, %r25, %r26}}, [%r22];\ncvt.u64.u32 %rd5, %r21;\n\
             add.u64 %rd5, %rd5, %rd2;\nst.global.v4.u32 [%rd5], {{%r23, %r24, %r25, %r26}};\nadd.u32 %r21, %r21, 16;\n\
             setp.lt.u32 %p6, %r21, {bytes};\n@%p6 bra OUT;",
            case.shared, case.shared
        );
        let launch = case.launch(shared).replace("swizzle =", if is_nan { "fill = \"nan\", swizzle =" } else { "swizzle =" });
        let run = done(&launch, &kernel(random.bool(), 0, &body));
        assert_eq!(run.reports[0].verdict, Verdict::Completed);
        assert!(run.reports[0].misuses.is_empty(), "{:?}", run.reports[0].misuses);
        let (from, mut wanted) = (run.before[0].bytes.to_vec(), run.before[1].bytes.to_vec());
        for (to, tensor) in case.places() {
            let filled = if is_nan { [0xf7, 0x7f][to % 2] } else { 0 };
            wanted[to] = tensor.map_or(filled, |at| from[at]);
            outside += usize::from(tensor.is_none());
        }
        assert_eq!(run.after[1].bytes.to_vec(), wanted, "{} {:?} at {}", case.mode, case.coordinates, case.shared);
    }
    assert!(outside > 1000, "{outside}");
}

#[test]
fn a_store_and_a_reduction_take_each_chunk_from_there() {
    let mut random = fastrand::Rng::with_seed(72);
    let mut inside = 0;
    for round in 0..40 {
        let mut case = Case::random(&mut random, MODES[round % 5]);
        let reduces = round % 2 == 1;
        if reduces {
            (case.element, case.size, case.counts[0]) = ("u32", 4, MODES[round % 5].1 / 4);
            case.extents[0] = 4 * random.i32(1..10);
        }
        let [x, y, z] = case.coordinates;
        let opcode = match reduces {
            true => "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group",
            false => "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group",
        };
        let body = format!(
            "add.u32 %r20, %r1, {};\n{opcode} [%rd1, {{{x}, {y}, {z}}}], [%r20];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;",
            case.shared
        );
        let shared = case.shared + case.bytes();
        let run = done(&case.launch(shared), &kernel(random.bool(), shared, &body));
        let (mut wanted, raw) = (run.before[0].bytes.to_vec(), run.before[1].bytes.to_vec());
        assert_eq!(wanted.len(), case.tensor_bytes());
        let mut places = case.places();
        if reduces {
            for element in places.chunks(4) {
                let Some(at) = element[0].1 else { continue };
                let word = |bytes: [u8; 4]| u32::from_le_bytes(bytes);
                let old = word(wanted[at..at + 4].try_into().unwrap());
                let sum = old.wrapping_add(word(std::array::from_fn(|i| raw[element[i].0])));
                wanted[at..at + 4].copy_from_slice(&sum.to_le_bytes());
            }
            places.clear();
        }
        for (from, tensor) in places {
            let Some(to) = tensor else { continue };
            wanted[to] = raw[from];
            inside += 1;
        }
        assert_eq!(run.after[0].bytes.to_vec(), wanted, "{} {opcode} {:?} at {}", case.mode, case.coordinates, case.shared);
    }
    assert!(inside > 1000, "{inside}");
}
