// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests the table of steps, the kernel that is generated from it, and the comparison.

use super::*;
use bcu_program::ptx;

/// Words that were observed on devices of compute capability 9.0 and later, each with the sequence and the step that produce it.
const OBSERVED: [(&str, usize, u64); 9] = [
    ("init 1", 0, 0x7fff_f800_001f_fffe),
    ("init 2", 0, 0x7fff_f000_001f_fffc),
    ("init 3, arrive", 0, 0x7fff_e800_001f_fffa),
    ("init 3, arrive", 1, 0x7fff_f000_001f_fffa),
    ("init 3, drop", 1, 0x7fff_f000_001f_fffc),
    ("init 3, expect 64", 1, 0x7fff_ebff_f81f_fffa),
    ("init 3, expect 0x12345", 1, 0x7fff_ebdb_977f_fffa),
    ("init 2, two arrivals", 2, 0xffff_f000_001f_fffc),
    ("init 32", 0, 0x7fff_0000_001f_ffc0),
];

fn line(group: &str, step: usize) -> usize {
    let before = GROUPS.iter().take_while(|(name, _)| *name != group).map(|(_, steps)| steps.len()).sum::<usize>();
    assert!(GROUPS.iter().any(|(name, steps)| *name == group && step < steps.len()), "{group}");
    before + step
}

#[test]
fn the_observed_words_are_those_of_the_model() {
    let lines = expected();
    for (group, step, word) in OBSERVED {
        assert_eq!(lines[line(group, step)].word, word, "{group}, step {step}");
    }
}

#[test]
fn no_step_is_refused_by_the_model() {
    for (name, steps) in GROUPS {
        assert!(matches!(steps.first(), Some(Init(_))), "{name}");
        assert!(steps.iter().skip(1).all(|step| !matches!(step, Init(_))), "{name}");
    }
    // Only a test leaves the word unchanged here, because no operation of the table is refused.
    let lines = expected();
    let steps: Vec<WordStep> = GROUPS.iter().flat_map(|(_, steps)| steps.iter().copied()).collect();
    for at in 1..lines.len() {
        assert_eq!(
            lines[at].word == lines[at - 1].word && !matches!(steps[at], Init(_)),
            matches!(steps[at], Test(_)),
            "{}",
            lines[at].what
        );
    }
}

#[test]
fn every_word_and_every_token_is_compared() {
    let good: Vec<u64> = expected().iter().flat_map(|line| [line.token.map_or(0, Token::value), line.word]).collect();
    let Outcome::Compared { values, differs } = compared(&good) else { panic!("not compared") };
    assert!(differs.is_empty() && values > good.len() / 2, "{differs:?}");
    for at in 0..good.len() {
        let mut wrong = good.clone();
        wrong[at] ^= 1 << 43;
        // A difference in the lower half of a token does not count.
        let below = expected()[at / 2].token.is_some_and(|token| matches!(token, Token::Before(_)));
        wrong[at & !1] ^= if below { 1 << 7 } else { 0 };
        let Outcome::Compared { differs, .. } = compared(&wrong) else { panic!("not compared") };
        assert_eq!(differs.len(), usize::from(at % 2 == 1 || expected()[at / 2].token.is_some()), "{at}");
    }
    let mut wrong = good.clone();
    wrong[2 * line("init 3, arrive", 1) + 1] = 0x7fff_e800_001f_fffa;
    let said = compared(&wrong).describe();
    assert!(
        said.contains("init 3, arrive, step 1: Arrive(1): word 0x7fffe800001ffffa, in the model 0x7ffff000001ffffa"),
        "{said}"
    );
    assert!(!compared(&wrong).is_good() && !compared(&good[..10]).is_good());
    assert!(compared(&good[..10]).describe().contains("word is missing"));
}

#[test]
fn the_kernel_parses_and_has_every_step() {
    let text = ptx();
    let module = ptx::parse(&text).unwrap();
    assert_eq!(ptx::kernel(&module, Some(KERNEL)).map(|(name, params)| (name, params.len())), Ok((KERNEL.to_string(), 2)));
    assert_eq!(text.matches("ld.volatile.shared").count(), expected().len());
    let operations = text.matches("    mbarrier.").count() + text.matches("    cp.async.bulk").count();
    let steps = GROUPS.iter().map(|(_, steps)| steps.len() * (steps.len() + 1) / 2).sum::<usize>();
    assert_eq!(operations - text.matches("    mbarrier.inval").count(), steps);
}
