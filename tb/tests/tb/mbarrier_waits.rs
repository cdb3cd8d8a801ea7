// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Waits with a limit on the compiled `mbarrier`: the sequence of the model's test is run on the RTL.

#[path = "../../../sim/tests/sim/model/mbarrier_waits.rs"]
mod played;

use bcu_hw::catalog;
use bcu_isa::config::named;
use bcu_jit::Compiled;
use bcu_model::bench::Bench;

#[test]
fn no_time_out_of_the_unit_answers_a_later_suspension() {
    for name in ["tiny", "small", "default"] {
        let config = named(name).unwrap();
        for seed in 1..=6 {
            println!("{name}, seed {seed}; repeat with: cargo test -p bcu-tb --test tb mbarrier_waits");
            let dut = Compiled::new(catalog::build(&config, "mbarrier").unwrap()).unwrap();
            let outcome = played::play(Bench::new(Box::new(dut)), config.warps, seed, 10_000);
            assert!(outcome.soon > 20 && outcome.gave_up > 10 && outcome.woken > 20, "{name}, seed {seed}: {outcome:?}");
            assert!(outcome.suspended >= outcome.gave_up + outcome.woken);
        }
    }
}
