// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Observation order: a weak access after an atomic operation that has observed the strong stores of other threads does not race with them.
//! Each kernel has a twin that lacks one condition of this order, and has a race.

use super::litmus::harness::setting;
use super::runs::model;
use bcu_isa::config::named;
use bcu_machine::report::RaceKind;
use bcu_machine::{run, Machine, Verdict};
use bcu_model::{by_name, Sizes};
use bcu_program::ptx::Launch;
use bcu_program::{load, Kind, Run};

/// The number of schedules of each kernel.
const SEEDS: u64 = 8;

/// The last of the three warps, by its ticket, executes `last`; each warp has stored to `part` before.
fn last_block(ticket: &str, last: &str) -> String {
    format!(
        "mov.u32 %t, %tid.x;\nand.b32 %lane, %t, 31;\nshr.u32 %w, %t, 5;\nsetp.ne.u32 %other, %lane, 0;\nmov.u64 %g, ticket;\n\
         @%other bra MEET;\nshl.b32 %a, %w, 2;\ncvt.u64.u32 %x, %a;\nmov.u64 %p, part;\nadd.u64 %x, %p, %x;\n\
         st.global.u32 [%x], %w;\nfence.acq_rel.gpu;\n{ticket}\nsetp.ne.u32 %other, %r, 2;\n@%other bra MEET;\n\
         fence.acq_rel.gpu;\nld.global.u32 %v, [%p];\n{last}\nMEET:\n"
    )
}

const TICKET: &str = "atom.relaxed.gpu.global.add.u32 %r, [%g], 1;";
const RESET: &str = "st.global.u32 [%g], 0;";
/// The same as the text of a location.
const RESETS: &str = "st.global.u32 [%g], 0";

/// The locations of races of a kernel in all schedules, as the texts of both instructions and the kind.
fn races(body: &str, ctas: u32) -> Vec<(String, String, RaceKind)> {
    let text = format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.global .align 4 .u32 ticket;\n.global .align 4 .u32 other;\n\
         .global .align 16 .u32 part[4];\n.visible .entry k()\n{{\n.reg .b32 %t, %lane, %w, %r, %v, %a;\n.reg .b64 %g, %p, %x;\n\
         .reg .pred %other;\n{body}ret;\n}}\n"
    );
    let config = named("default").unwrap();
    let threads = [96 / ctas.min(3), 1, 1];
    let launch = Launch { threads: Some(threads), grid: [ctas, 1, 1], ..Launch::new(32) };
    let loaded = Run::of_one(load(Kind::Ptx, &text, &launch).unwrap_or_else(|e| panic!("{e:?}\n{text}")));
    let mut races = vec![];
    let (first, seeds) = (setting("BCU_SEED", 1), setting("BCU_ROUNDS", SEEDS));
    for seed in first..first + seeds {
        let machine = Machine::parse(&format!("policy = 'random'\nseed = {seed}\n[latency]\nspread = 100\n")).unwrap();
        let machine = Machine { races: true, ..machine }.of_run(&loaded);
        let mut unit = match bcu_machine::unit(&machine, &config, &loaded.programs).unwrap() {
            "bcu" => model(&config),
            name => by_name(name, Sizes::try_from(&config).unwrap()).unwrap(),
        };
        let report = run(&mut *unit, &config, &machine, &loaded.programs, &mut |_| ());
        let report = report.unwrap_or_else(|e| panic!("BCU_SEED={seed}: {e:?}\n{text}"));
        assert_eq!(report.verdict, Verdict::Completed, "BCU_SEED={seed}: {report}\n{text}");
        let found = report.races.iter().filter(|race| !race.kind.needs_strict());
        races.extend(found.map(|race| (race.first.place.text.to_string(), race.second.place.text.to_string(), race.kind)));
    }
    races
}

#[track_caller]
fn is_free(body: &str) {
    for ctas in [1, 3] {
        // In a grid, each warp is in a CTA of its own.
        let body = if ctas == 3 {
            body.replace(
                "%tid.x;\nand.b32 %lane",
                "%ctaid.x;\nshl.b32 %t, %t, 5;\nmov.u32 %a, %tid.x;\nadd.u32 %t, %t, %a;\nand.b32 %lane",
            )
        } else {
            body.to_string()
        };
        assert_eq!(races(&body, ctas), [], "{ctas} CTAs\n{body}");
    }
}

#[track_caller]
fn has_race(body: &str, second: &str) {
    let found = races(body, 1);
    assert!(found.iter().any(|(one, other, _)| one.contains(second) || other.contains(second)), "{found:?}\n{body}");
}

#[test]
fn the_last_block_resets_its_ticket() {
    is_free(&last_block(TICKET, RESET));
    is_free(&last_block("atom.relaxed.gpu.global.inc.u32 %r, [%g], 100;", RESET));
    is_free(&last_block(TICKET, "ld.global.u32 %v, [%g];\nadd.u32 %v, %v, 1;\nst.global.u32 [part+8], %v;"));
    // Each of two successive kernels of the same form in one kernel has its own ticket.
    is_free(&last_block(&format!("{TICKET}\n"), &format!("{RESET}\nst.global.u32 [other], 7;\n")));
}

#[test]
fn a_reset_without_the_ticket_races() {
    // The thread that resets has not observed the other atomic operations.
    has_race(&last_block(TICKET, "st.global.u32 [%g], 0;").replace("%other, %r, 2", "%other, %r, 0"), RESETS);
    has_race(
        &last_block("atom.relaxed.gpu.global.add.u32 %r, [other], 1;\nred.relaxed.gpu.global.add.u32 [%g], 1;", RESET),
        RESETS,
    );
    // The result of the atomic operation is not used, so it has observed nothing that the program relies on.
    has_race(&last_block(&format!("{TICKET}\nmov.u32 %r, 2;"), RESET), RESETS);
}

#[test]
fn an_observed_store_orders_nothing_that_precedes_it() {
    // Without the fences, the ticket orders the atomic operations only.
    let relaxed = last_block(TICKET, RESET).replace("fence.acq_rel.gpu;\n", "");
    has_race(&relaxed, "ld.global.u32 %v, [%p]");
    assert!(races(&relaxed, 1).iter().all(|(one, other, _)| !one.contains(RESETS) && !other.contains(RESETS)));
}

#[test]
fn a_barrier_passes_on_what_a_thread_has_observed() {
    // Warp 0 takes the last ticket; after a barrier, warp 1 resets it.
    let text = |barrier: &str| {
        format!(
            "mov.u32 %t, %tid.x;\nmov.u64 %g, ticket;\nmov.u32 %r, 1;\nsetp.ne.u32 %other, %t, 64;\n\
             @!%other red.relaxed.gpu.global.add.u32 [%g], 1;\nsetp.ne.u32 %other, %t, 0;\n@%other bra MEET;\n\
             WAIT: atom.relaxed.gpu.global.or.b32 %r, [%g], 0;\nsetp.ne.u32 %other, %r, 1;\n@%other bra WAIT;\nMEET:\n{barrier}\n\
             setp.eq.u32 %other, %t, 32;\n@%other st.global.u32 [%g], 0;\n"
        )
    };
    assert_eq!(races(&text("bar.sync 0;"), 1), []);
    // The barrier of the two warps 0 and 1 alone is enough, since warp 0 has observed warp 2.
    let of_two = "setp.ge.u32 %other, %t, 64;\n@%other bra END;\nbar.sync 1, 64;";
    let two = text(of_two) + "END:\n";
    assert_eq!(races(&two, 1), []);
    has_race(&two.replace("WAIT: atom", "atom").replace("@%other bra WAIT;\n", "").replace("mov.u32 %r, 1;", ""), RESETS);
}

#[test]
fn a_chain_ends_with_a_weak_store_or_a_smaller_scope() {
    // Between the atomic operations of warp 2 and of warp 0, a weak store of warp 1 ends the chain.
    has_race(&last_block(&format!("st.global.u32 [%g], 1;\n{TICKET}"), RESET), "st.global.u32 [%g], 1");
    // The scope `.cta` does not include the threads of the other CTAs.
    let body = last_block(&TICKET.replace(".gpu", ".cta"), RESET).replace(
        "%tid.x;\nand.b32 %lane",
        "%ctaid.x;\nshl.b32 %t, %t, 5;\nmov.u32 %a, %tid.x;\nadd.u32 %t, %t, %a;\nand.b32 %lane",
    );
    let found = races(&body, 3);
    assert!(found.iter().any(|(.., kind)| *kind == RaceKind::Scope), "{found:?}");
    assert!(found.iter().any(|(one, other, _)| one.contains(RESETS) || other.contains(RESETS)), "{found:?}");
}
