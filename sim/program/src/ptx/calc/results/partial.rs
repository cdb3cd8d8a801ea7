// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every form of every instruction with unknown bits in its sources: a bit of the result is known only if it is the same for all values of
//! these bits, and for instructions that move and combine single bits, exactly then.

use super::{edges, every_seed, operation};
use crate::ptx::table::{expanded, opcodes};
use bcu_arith::{lane_partial, lane_result, Calc, Operation, Partial, MAX_SOURCES};

/// The largest number of unknown bits whose values are all tried.
const UNKNOWN: u32 = 5;

/// The known bits that all `results` have in common; a result that is missing has none.
fn common(results: &[Option<u64>]) -> Partial {
    let first = results.first().copied().flatten();
    let agreed = |known: Option<u64>, result: &Option<u64>| Some(known? & !(first? ^ (*result)?));
    results
        .iter()
        .fold(first.map(|_| u64::MAX), agreed)
        .map_or(Partial::UNKNOWN, |known| Partial::new(first.unwrap_or(0), known))
}

/// Sources with a few unknown bits, in `holes` sources at most, and all values that the sources may have.
fn sources(random: &mut fastrand::Rng, holes: &[usize]) -> ([Partial; MAX_SOURCES], Vec<[u64; MAX_SOURCES]>) {
    let values = edges(random);
    let mut partial = values.map(|value| Partial::new(value, u64::MAX));
    let mut all = vec![values];
    for _ in 0..random.u32(1..=UNKNOWN) {
        let (Some(hole), bit) =
            (random.choice(holes), 1u64 << if random.bool() { random.u32(0..16) } else { random.u32(0..64) })
        else {
            break;
        };
        if partial[*hole].known & bit != 0 {
            partial[*hole] = Partial::new(partial[*hole].bits, partial[*hole].known & !bit);
            let flipped: Vec<_> =
                all.iter().map(|values| std::array::from_fn(|i| values[i] ^ if i == *hole { bit } else { 0 })).collect();
            all.extend(flipped);
        }
    }
    (partial, all)
}

fn compare(calc: Calc, holes: &[usize], is_exact: bool, (random, context): (&mut fastrand::Rng, &str)) {
    let (partial, all) = sources(random, holes);
    let found = lane_partial(calc, partial);
    let results: Vec<_> = all.iter().map(|values| lane_result(calc, values.map(Some))).collect();
    let firsts: Vec<_> = results.iter().map(|result| result.0).collect();
    let seconds: Vec<_> = results.iter().map(|result| result.1).collect();
    for (found, results) in [(found.0, &firsts), (found.1, &seconds)] {
        let expected = common(results);
        let is_sound = found.known & !expected.known == 0 && (found.bits ^ expected.bits) & found.known == 0;
        assert!(is_sound, "{context}: {partial:x?} gives {found:x?}, all values have {expected:x?} in common");
    }
    assert!(!is_exact || found.0 == common(&firsts), "{context}: {partial:x?} gives {found:x?}, not {:x?}", common(&firsts));
}

#[test]
fn a_bit_is_known_only_if_it_is_the_same_for_all_values() {
    let forms: Vec<String> = opcodes().flat_map(|opcode| opcode.forms).flat_map(|form| expanded(form)).collect();
    let calcs: Vec<(&String, Calc)> = forms.iter().map(|form| (form, operation(form))).collect();
    every_seed(|random, repeat| {
        for _ in 0..20 {
            let (form, calc) = calcs[random.usize(0..calcs.len())];
            let reads = calc.sources() + usize::from(matches!(calc.op, Operation::Carry(carry) if carry.reads));
            let holes: Vec<usize> = (0..reads.min(MAX_SOURCES)).collect();
            compare(calc, &holes, false, (random, &format!("{form}, repeat with: {repeat}")));
        }
    });
}

/// The forms, with the sources that may have unknown bits.
const EXACT: [(&str, &[usize]); 21] = [
    ("mov.b64", &[0]),
    ("mov.pred", &[0]),
    ("and.b32", &[0, 1]),
    ("or.b64", &[0, 1]),
    ("xor.b16", &[0, 1]),
    ("not.b32", &[0]),
    ("and.pred", &[0, 1]),
    ("shl.b32", &[0]),
    ("shr.u64", &[0]),
    ("shr.s32", &[0]),
    ("bfe.u32", &[0]),
    ("bfe.s64", &[0]),
    ("bfi.b32", &[0, 1]),
    ("brev.b32", &[0]),
    ("lop3.b32", &[0, 1, 2]),
    ("prmt.b32", &[0, 1]),
    ("shf.l.wrap.b32", &[0, 1]),
    ("selp.b32", &[0, 1, 2]),
    ("cvt.s64.s8", &[0]),
    ("cvt.u16.u32", &[0]),
    ("neg.f32", &[0]),
];

#[test]
fn where_single_bits_are_moved_every_bit_that_is_the_same_is_known() {
    every_seed(|random, repeat| {
        for (form, holes) in EXACT {
            compare(operation(form), holes, true, (random, &format!("{form}, repeat with: {repeat}")));
        }
    });
}
