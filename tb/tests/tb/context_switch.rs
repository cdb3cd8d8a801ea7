// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A complete context switch. A CTA is stopped while several barriers are in use: warps wait, producers have arrived, reductions are half
//! done, results are not yet read. Its state is saved with B2R, and another CTA runs in its place. Then the first CTA is restored with R2B
//! into another CTA slot and other warp slots, and resumes unchanged. The plan, not a unit, computes the expected events.

mod plan;
mod scene;

use bcu_hw::{catalog, config};
use bcu_isa::op::FaultCode;
use bcu_jit::Compiled;
use bcu_tb::stimulus::Rng;
use scene::Scene;

fn bcu(config: &bcu_isa::config::Config) -> Compiled {
    Compiled::new(catalog::build(config, "bcu").unwrap()).unwrap()
}

/// Runs one seed: the steps, with a context switch before each step that `switches` selects.
fn run(config: &bcu_isa::config::Config, unit: &mut Compiled, seed: u64, switches: impl Fn(&mut Rng, usize) -> Vec<usize>) {
    let mut rng = Rng::new(seed, "context switch");
    let ids = 3;
    let warps = (config.warps / 2).min(6);
    let plan = plan::draw(&mut rng, config.lanes as u64, warps, ids, 40);
    let at = switches(&mut rng, plan.steps.len());
    unit.restart();
    let mut scene = Scene::new(unit, config.lanes as u64, ids, warps);
    for (number, (step, expected)) in plan.steps.iter().zip(&plan.events).enumerate() {
        if at.contains(&number) {
            let cta = rng.below(config.cta_slots as u64);
            scene.switch(&mut rng, cta, config.warps);
        }
        let name = &config.name;
        assert_eq!(&scene.run_step(*step), expected, "{name}, seed {seed}, step {number}: {step:?}, switches before {at:?}");
        let faults = &scene.faults;
        let expected_quietness = faults.is_empty() || plan.is_deadlock && number + 1 == plan.steps.len();
        assert!(expected_quietness, "faults {faults:?}: {name}, seed {seed}, step {number}: {step:?}, switches before {at:?}");
    }
    // The detector examines every CTA slot in turn, in two walks over the warps.
    scene.idle(2 * config.warps * (config.cta_slots + 1) + 20);
    let deadlocks = if plan.is_deadlock { vec![FaultCode::Deadlock as u64] } else { vec![] };
    assert_eq!(scene.faults, deadlocks, "{}, seed {seed}, at the end, switches before {at:?}", config.name);
}

#[test]
fn without_a_switch_the_plan_holds() {
    for name in ["small", "default"] {
        let config = config::by_name(name).unwrap();
        let mut unit = bcu(&config);
        (0..20).for_each(|seed| run(&config, &mut unit, seed, |_, _| vec![]));
    }
}

#[test]
fn a_switch_changes_nothing() {
    for name in ["tiny", "small", "default", "large"] {
        let config = config::by_name(name).unwrap();
        let mut unit = bcu(&config);
        let three = |rng: &mut Rng, steps| (0..3).map(|_| rng.below(steps as u64) as usize).collect();
        (0..20).for_each(|seed| run(&config, &mut unit, seed, three));
    }
}
