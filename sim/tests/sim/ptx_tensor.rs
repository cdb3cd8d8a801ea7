// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor` with groups, launched by launch files: the places of the elements,
//! reductions, the effect of a missing wait.

use crate::runs::model;
use bcu_isa::config::named;
use bcu_machine::report::RaceKind;
use bcu_machine::{run_with, Machine, Observer, Report, RunError};
use bcu_program::launch::{Buffer, Element, LaunchFile, Launches, Number, Unprepared};
use bcu_program::runs;
use std::collections::BTreeSet;

/// The results of the launches.
pub struct Done {
    pub before: Vec<Buffer>,
    pub after: Vec<Buffer>,
    pub reports: Vec<Report>,
}

/// Runs the launches of a launch file one after the other. The outer result is an error if the launch file or its arguments have errors,
/// the inner one if a run has no report.
pub fn launched(launch: &str, text: &str, machine: &str) -> Result<Result<Done, RunError>, String> {
    launched_with(launch, text, Machine::parse(machine).unwrap())
}

/// Runs the launches of a launch file as [`launched`] does, on this machine.
pub fn launched_with(launch: &str, text: &str, machine: Machine) -> Result<Result<Done, RunError>, String> {
    let listing = |errors: &[bcu_isa::diag::Diagnostic], text: &str| {
        let one = |e: &bcu_isa::diag::Diagnostic| format!("[{}] {}: {}\n", &text[e.span.clone()], e.message, e.label);
        errors.iter().map(one).collect::<String>()
    };
    let config = named("default").unwrap();
    let file = LaunchFile::parse(launch).map_err(|errors| listing(&errors, launch))?;
    let base = machine.launch(config.lanes);
    let ready = Launches::from(&file).ready(text, &base, machine.seed, &mut |name| Err(name.to_string()));
    let ready = ready.map_err(|why| match why {
        Unprepared::Program(errors) => panic!("{}\n{text}", listing(&errors, text)),
        Unprepared::Launch(errors) => listing(&errors, launch),
    })?;
    let (mut memory, mut reports) = (ready.memory.clone(), vec![]);
    for loaded in &runs(&ready.launches) {
        let machine = machine.of_run(loaded);
        match run_with(
            Some(&mut *model(&config)),
            &config,
            &machine,
            &loaded.programs,
            &mut memory,
            Observer::of_all(&mut |_| ()),
        ) {
            Ok(report) => reports.push(report),
            Err(error) => return Ok(Err(error)),
        }
    }
    let result = ready.result(&memory);
    assert!(result.mismatches.is_empty(), "{:?}", result.mismatches);
    Ok(Ok(Done { before: ready.buffers, after: result.buffers, reports }))
}

pub fn done(launch: &str, text: &str) -> Done {
    let run = launched(launch, text, "").unwrap_or_else(|why| panic!("{why}\n{launch}"));
    run.unwrap_or_else(|why| panic!("{why:?}\n{launch}\n{text}"))
}

/// A kernel of one warp with a map, as its parameter or by a pointer, which fills shared memory from the buffer of its second
/// parameter; lane 0 executes `body`, where `%rd1` is the map, `%r1` the shared memory, and `%rd2` the buffer.
pub fn kernel(pointer: bool, bytes: usize, body: &str) -> String {
    let (param, load) = match pointer {
        true => (".param .u64 k_param_0", "ld.param.u64 %rd1, [k_param_0];".to_string()),
        false => (".param .align 64 .b8 k_param_0[128]", "mov.b64 %rd1, k_param_0;\ncvta.param.u64 %rd1, %rd1;".to_string()),
    };
    format!(
        ".version 8.6\n.target sm_90a\n.address_size 64\n.extern .shared .align 128 .b8 s[];\n\
         .visible .entry k({param}, .param .u64 k_param_1)\n.reqntid 32\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n\
         {load}\nld.param.u64 %rd2, [k_param_1];\nmov.u32 %r1, s;\nmov.u32 %r2, %tid.x;\nshl.b32 %r3, %r2, 2;\n\
         LOOP:\nsetp.ge.u32 %p1, %r3, {bytes};\n@%p1 bra FULL;\ncvt.u64.u32 %rd3, %r3;\nadd.u64 %rd3, %rd3, %rd2;\n\
         ld.global.u32 %r4, [%rd3];\nadd.u32 %r5, %r1, %r3;\nst.shared.u32 [%r5], %r4;\nadd.u32 %r3, %r3, 128;\nbra LOOP;\n\
         FULL:\nfence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra END;\n{body}\nEND:\nret;\n}}\n"
    )
}

/// The instruction with its coordinates in registers or as constants, and the wait.
fn copy(opcode: &str, coordinates: &[i32], registers: bool) -> String {
    let names: Vec<String> = match registers {
        true => (0..coordinates.len()).map(|i| format!("%r{}", 10 + i)).collect(),
        false => coordinates.iter().map(i32::to_string).collect(),
    };
    let set: String = match registers {
        true => coordinates.iter().enumerate().map(|(i, at)| format!("mov.s32 %r{}, {at};\n", 10 + i)).collect(),
        false => String::new(),
    };
    format!("{set}{opcode} [%rd1, {{{}}}], [%r1];\n{WAIT}", names.join(", "))
}

const WAIT: &str = "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n";

/// A tensor in a buffer, element by element.
#[derive(Clone, Debug)]
struct Tensor {
    element: Element,
    offset: u64,
    extents: Vec<u64>,
    /// One stride per dimension.
    strides: Vec<u64>,
    size: Vec<u64>,
    element_strides: Vec<u64>,
    /// Whether the launch file gives neither strides nor element strides.
    bare: bool,
}

impl Tensor {
    fn random(random: &mut fastrand::Rng, rank: usize) -> Tensor {
        let types = [Element::U8, Element::I16, Element::F32, Element::U64, Element::Bf16];
        let element = types[random.usize(0..types.len())];
        let size = element.size() as u64;
        let per = 16 / size;
        let dense = random.bool();
        let mut tensor = Tensor {
            element,
            offset: random.u64(0..3) * 16,
            extents: vec![if dense { random.u64(1..4) * per } else { random.u64(1..4 * per) }],
            strides: vec![size],
            size: vec![random.u64(1..4) * per],
            element_strides: vec![1],
            bare: dense,
        };
        for _ in 1..rank {
            let (stride, extent) = (tensor.strides[tensor.strides.len() - 1], tensor.extents[tensor.extents.len() - 1]);
            let gap = if dense { 0 } else { random.u64(0..2) * 16 };
            tensor.strides.push((stride * extent).next_multiple_of(16) + gap);
            tensor.extents.push(random.u64(1..5));
            tensor.size.push(random.u64(1..4));
            tensor.element_strides.push(if dense { 1 } else { random.u64(1..4) });
        }
        tensor
    }

    /// The size of the buffer in bytes.
    fn bytes(&self) -> u64 {
        let last = self.extents.iter().zip(&self.strides).map(|(extent, stride)| (extent - 1) * stride).sum::<u64>();
        (self.offset + last + self.element.size() as u64).next_multiple_of(8)
    }

    /// For every element of the tensor in the box at these coordinates: its byte offset in the buffer, and its byte offset in the box.
    fn elements(&self, coordinates: &[i32]) -> Vec<(usize, usize)> {
        let size = self.element.size() as u64;
        let mut found = vec![];
        let (mut index, mut packed) = (vec![0u64; self.size.len()], 0);
        loop {
            let at: Vec<i64> = (0..index.len()).map(|d| i64::from(coordinates[d]) + index[d] as i64).collect();
            if at.iter().zip(&self.extents).all(|(at, extent)| (0..*extent as i64).contains(at)) {
                let to = at.iter().zip(&self.strides).map(|(at, stride)| *at as u64 * stride).sum::<u64>();
                found.push(((self.offset + to) as usize, packed as usize));
            }
            packed += size;
            let mut d = 0;
            loop {
                let Some(one) = index.get_mut(d) else { return found };
                *one += self.element_strides[d];
                if *one < self.size[d] {
                    break;
                }
                *one = 0;
                d += 1;
            }
        }
    }

    fn box_bytes(&self) -> usize {
        let counts = self.size.iter().zip(&self.element_strides).map(|(size, stride)| size.div_ceil(*stride));
        counts.product::<u64>() as usize * self.element.size()
    }

    fn launch(&self) -> String {
        let Tensor { element, offset, extents, strides, size, element_strides, bare } = self;
        let more = match bare {
            true => String::new(),
            false => format!(", strides = {:?}, element_strides = {element_strides:?}", &strides[1..]),
        };
        let argument = format!("{{ tensor = {{ buffer = \"to+{offset}\", extents = {extents:?}, box = {size:?}{more} }} }}");
        file(&argument, element.name(), self.bytes() as usize / element.size(), self.box_bytes().next_multiple_of(128))
    }
}

/// A launch file with a tensor in `to`, and with `from`, which the kernel stores to shared memory.
fn file(argument: &str, element: &str, elements: usize, bytes: usize) -> String {
    format!(
        "[buffers.to]\ntype = \"{element}\"\nshape = [{elements}]\nfill = \"random\"\n\
         [buffers.from]\ntype = \"u8\"\nshape = [{bytes}]\nfill = \"random\"\n\
         [[launch]]\nshared = {bytes}\nargs = [{argument}, \"from\"]\n"
    )
}

#[test]
fn every_element_of_the_box_that_is_in_the_tensor_is_written() {
    let mut random = fastrand::Rng::with_seed(11);
    let (mut whole, mut none, mut some) = (0, 0, 0);
    for round in 0..150 {
        let rank = 1 + round % 5;
        let tensor = Tensor::random(&mut random, rank);
        let near = |d: usize, random: &mut fastrand::Rng| match random.u32(0..40) {
            0 => [i32::MIN, i32::MAX, -1 << 30][random.usize(0..3)],
            1..=15 => 0,
            _ => random.i32(-(tensor.size[d] as i32)..tensor.extents[d] as i32 + 1),
        };
        let coordinates: Vec<i32> = (0..rank).map(|d| near(d, &mut random)).collect();
        let mode = ["", ".tile"][random.usize(0..2)];
        let opcode = format!("cp.async.bulk.tensor.{rank}d.global.shared::cta{mode}.bulk_group");
        let body = copy(&opcode, &coordinates, random.bool());
        let text = kernel(random.bool(), tensor.box_bytes(), &body);
        let run = done(&tensor.launch(), &text);
        let (mut wanted, from_bytes) = (run.before[0].bytes.to_vec(), run.before[1].bytes.to_vec());
        let elements = tensor.elements(&coordinates);
        for (to, from) in &elements {
            let size = tensor.element.size();
            wanted[*to..to + size].copy_from_slice(&from_bytes[*from..from + size]);
        }
        match elements.len() {
            0 => none += 1,
            all if all * tensor.element.size() == tensor.box_bytes() => whole += 1,
            _ => some += 1,
        }
        assert_eq!(
            (run.after[0].bytes.to_vec(), run.after[0].unknown_elements()),
            (wanted, 0),
            "{tensor:?} at {coordinates:?}"
        );
    }
    assert!(whole > 10 && none > 10 && some > 30, "{whole} {none} {some}");
}

#[test]
fn reductions_combine_each_element_with_what_is_there() {
    type Word = fn(u64, u64) -> u64;
    let cases: [(&str, Element, Word); 16] = [
        ("add", Element::U32, |a, b| u64::from((a as u32).wrapping_add(b as u32))),
        ("add", Element::I32, |a, b| u64::from((a as u32).wrapping_add(b as u32))),
        ("add", Element::U64, u64::wrapping_add),
        ("min", Element::U32, |a, b| a.min(b)),
        ("min", Element::I32, |a, b| u64::from((a as i32).min(b as i32) as u32)),
        ("max", Element::I64, |a, b| (a as i64).max(b as i64) as u64),
        ("max", Element::U64, |a, b| a.max(b)),
        ("inc", Element::U32, |a, b| if a >= b { 0 } else { a + 1 }),
        ("dec", Element::U32, |a, b| if a == 0 || a > b { b } else { a - 1 }),
        ("and", Element::U32, |a, b| a & b),
        ("or", Element::U64, |a, b| a | b),
        ("xor", Element::I32, |a, b| a ^ b),
        ("add", Element::F32, |a, b| u64::from((f32::from_bits(a as u32) + f32::from_bits(b as u32)).to_bits())),
        ("add", Element::F64, |a, b| (f64::from_bits(a) + f64::from_bits(b)).to_bits()),
        ("add", Element::F16, |a, b| whole(Element::F16, a, b, |a, b| a + b)),
        ("max", Element::Bf16, |a, b| whole(Element::Bf16, a, b, f64::max)),
    ];
    for (op, element, word) in cases {
        let size = element.size();
        let per = 16 / size as u64;
        let (extents, size_of_box) = (vec![2 * per, 3], vec![2 * per, 2]);
        let tensor = Tensor {
            element,
            offset: 0,
            strides: vec![size as u64, 32],
            extents,
            size: size_of_box,
            element_strides: vec![1, 1],
            bare: true,
        };
        // Small numbers, so that all sums are exact. The box begins half a row before the tensor, and its second row is after the
        // tensor's last row.
        let list = |file: String| file.replace("fill = \"random\"", "fill = \"random\"\nrange = [0, 9]");
        let launch = list(tensor.launch())
            .replace("type = \"u8\"\nshape = [128]", &format!("type = \"{}\"\nshape = [{}]", element.name(), 128 / size));
        let coordinates = [-(per as i32), 2];
        let body = copy(&format!("cp.reduce.async.bulk.tensor.2d.global.shared::cta.{op}.tile.bulk_group"), &coordinates, true);
        let run = done(&launch, &kernel(false, tensor.box_bytes(), &body));
        let (mut wanted, from_bytes) = (run.before[0].bytes.to_vec(), run.before[1].bytes.to_vec());
        let elements = tensor.elements(&coordinates);
        assert_eq!(elements.len() as u64, per);
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        for (to, from) in elements {
            let after = word(number(&wanted[to..to + size]), number(&from_bytes[from..from + size]));
            wanted[to..to + size].copy_from_slice(&after.to_le_bytes()[..size]);
        }
        assert_eq!(run.after[0].bytes, wanted.into(), "{op} {element:?}");
    }
}

/// An operation on two floating-point numbers of 16 bits whose result is exact.
fn whole(element: Element, a: u64, b: u64, of: fn(f64, f64) -> f64) -> u64 {
    let value = |bits: u64| element.decode(&bits.to_le_bytes()).as_f64();
    let bytes = element.encode(Number::Float(of(value(a), value(b)))).unwrap();
    u64::from(bytes[0]) | u64::from(bytes[1]) << 8
}

/// A launch with the tensor `to`, a row of 32 words that are 0, and the buffer `from`, 32 words that are 7.
const ROW: &str = "[buffers.to]\ntype = \"u32\"\nshape = [32]\n[buffers.from]\ntype = \"u32\"\nshape = [32]\nfill = 7\n\
                   [buffers.seen]\ntype = \"u32\"\nshape = [1]\n[[launch]]\nshared = 128\nargs = [{ tensor = { buffer = \"to\", extents = [32], box = [32] } }, \"from\"]\n";

const COPY: &str = "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {0}], [%r1];\ncp.async.bulk.commit_group;\n";

/// The values of a word of a buffer after `body`, in many schedules.
fn observed_values(body: &str, (buffer, word): (usize, usize)) -> BTreeSet<u32> {
    let text = kernel(false, 128, body);
    let one = |seed: u64| {
        let machine = format!("policy = 'random'\nseed = {seed}\n[latency]\nspread = 800\n");
        let run = launched(ROW, &text, &machine).unwrap().unwrap_or_else(|why| panic!("{why:?}"));
        u32::from_le_bytes(run.after[buffer].get(word).unwrap().try_into().unwrap())
    };
    (0..24).map(one).collect()
}

#[test]
fn a_copy_is_there_when_it_was_waited_for() {
    // Buffers are 512 bytes apart here.
    let read = |wait: &str| format!("{COPY}{wait}\nld.global.u32 %r20, [%rd2-432];\nst.global.u32 [%rd2+512], %r20;");
    assert_eq!(observed_values(&read("cp.async.bulk.wait_group 0;"), (2, 0)), [7].into());
    for wait in ["", "cp.async.bulk.wait_group.read 0;", "cp.async.bulk.wait_group 1;", "cp.async.wait_all;"] {
        assert!(observed_values(&read(wait), (2, 0)).contains(&0), "{wait}");
    }
}

#[test]
fn what_is_overwritten_too_early_is_copied() {
    let overwrite = |wait: &str| format!("{COPY}{wait}\nst.shared.u32 [%r1+80], 99;");
    assert_eq!(observed_values(&overwrite("cp.async.bulk.wait_group.read 0;"), (0, 20)), [7].into());
    assert!(observed_values(&overwrite(""), (0, 20)).contains(&99));
    let races = |wait: &str| {
        let text = kernel(false, 128, &overwrite(wait)).replace("END:", "END:\nbar.sync 0;");
        let config = named("default").unwrap();
        let mut machine = Machine { races: true, ..Machine::default() };
        let file = LaunchFile::parse(ROW).unwrap();
        let base = machine.launch(config.lanes);
        let ready = Launches::from(&file).ready(&text, &base, 1, &mut |name| Err(name.to_string())).unwrap();
        machine.size(32);
        let mut memory = ready.memory.clone();
        let report = run_with(
            Some(&mut *model(&config)),
            &config,
            &machine,
            &ready.launches[0].programs,
            &mut memory,
            Observer::of_all(&mut |_| ()),
        );
        let races = report.unwrap().races;
        races
            .iter()
            .map(|r| (r.kind == RaceKind::Copy, r.first.place.text.starts_with("cp.async.bulk.tensor")))
            .collect::<Vec<_>>()
    };
    assert_eq!(races("cp.async.bulk.wait_group.read 0;"), []);
    assert_eq!(races(""), [(true, true)]);
}

#[test]
fn lanes_may_name_maps_of_other_types() {
    let launch = "[buffers.a]\ntype = \"u32\"\nshape = [4]\nfill = 3\n[buffers.b]\ntype = \"f32\"\nshape = [2, 4]\nfill = 0.5\n\
                  [[launch]]\nargs = [{ tensor = { buffer = \"a\", extents = [4], box = [4] } }, { tensor = { buffer = \"b+16\", extents = [4], box = [4] } }]\n\
                  [[expect]]\nbuffer = \"a\"\nvalue = 1065353219\n";
    // 1.0 is 0x3f800000, and 0x3f800003 after adding 3 as an integer.
    let text = ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .align 64 .b8 a[128], .param .align 64 .b8 b[128])\n\
                .reqntid 32\n{\n.shared .align 128 .b32 s[4];\n.reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<4>;\nmov.u32 %r1, %tid.x;\n\
                setp.gt.u32 %p1, %r1, 1;\n@%p1 bra END;\nst.shared.v4.f32 [s], {0f3F800000, 0f3F800000, 0f3F800000, 0f3F800000};\n\
                fence.proxy.async;\nmov.b64 %rd1, a;\ncvta.param.u64 %rd1, %rd1;\nsetp.eq.u32 %p2, %r1, 1;\n@%p2 add.u64 %rd1, %rd1, 128;\n\
                mov.u32 %r2, s;\nprefetch.tensormap [%rd1];\nprefetch.param.tensormap [a];\n\
                cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd1, {0}];\n\
                cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [%rd1, {0}], [%r2];\n\
                cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nEND:\nret;\n}\n";
    let run = done(launch, text);
    let floats: Vec<f32> = (0..8).map(|i| f32::from_le_bytes(run.after[1].get(i).unwrap().try_into().unwrap())).collect();
    assert_eq!(floats, [0.5, 0.5, 0.5, 0.5, 1.5, 1.5, 1.5, 1.5]);
}

#[test]
fn a_map_is_named_by_its_parameter_or_stands_in_a_structure() {
    let direct = COPY.replace("[%rd1,", "[k_param_0,") + "cp.async.bulk.wait_group 0;";
    assert_eq!(done(ROW, &kernel(false, 128, &direct)).after[0].get(20), Some(&[7, 0, 0, 0][..]));
    let inside = COPY.replace("[%rd1,", "[%rd1+64,") + "cp.async.bulk.wait_group 0;";
    let text = kernel(false, 128, &inside).replace("k_param_0[128]", "k_param_0[192]");
    let launch = ROW.replace("{ tensor", "{ fields = [{ i32 = 5 }, { tensor").replace("} }, \"from\"", "} }] }, \"from\"");
    assert_eq!(done(&launch, &text).after[0].get(20), Some(&[7, 0, 0, 0][..]));
    // There are two launches, each with a map by a pointer.
    let twice = format!("{ROW}{}", &ROW[ROW.find("[[launch]]").unwrap()..].replace("extents = [32]", "extents = [16]"));
    let run = done(&twice, &kernel(true, 128, &(COPY.to_string() + "cp.async.bulk.wait_group 0;")));
    assert_eq!((run.reports.len(), run.after.len(), run.after[0].get(31)), (2, 3, Some(&[7, 0, 0, 0][..])));
}

#[test]
fn of_unknown_coordinates_nobody_knows_where_it_goes() {
    let body = COPY.replace("{0}", "{%r39}") + "cp.async.bulk.wait_group 0;";
    let run = done(ROW, &kernel(false, 128, &body));
    assert_eq!((run.reports[0].unknown_stores, run.after[0].unknown_elements()), (1, 32));
}

#[test]
fn a_map_may_be_bytes_of_a_variable() {
    let text = include_str!("../../../fuzz/seeds/ptx/tensor_copies");
    let run = done("[[launch]]\n", text);
    assert_eq!((run.reports[0].unknown_stores, run.after.len()), (0, 0));
}
