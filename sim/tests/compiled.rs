// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Machine code and rust-hdl block show the same at every port in every cycle, under inputs that need not make sense.

use bcu_hw::catalog::{build, UNITS};
use bcu_hw::config;
use bcu_hw::ports::Dir;
use bcu_sim::compiled::Compiled;
use bcu_sim::dut::Dut;
use bcu_sim::engine::Engine;

const SEED: u64 = 20261121;

fn same(config: &str, cycles: usize) {
    let config = config::named(config).unwrap();
    for unit in UNITS {
        let mut code = Compiled::new(build(&config, unit).unwrap()).unwrap();
        let mut engine = Engine::new(build(&config, unit).unwrap());
        let ports = code.ports().to_vec();
        let inputs: Vec<_> = ports.iter().filter(|p| p.dir == Dir::In).collect();
        let outputs: Vec<_> = ports.iter().filter(|p| p.dir == Dir::Out).collect();
        let mut random = fastrand::Rng::with_seed(SEED);
        let (mut a, mut b) = (vec![0; outputs.len()], vec![0; outputs.len()]);
        let mut driven = vec![0; inputs.len()];
        for cycle in 0..cycles {
            for (value, port) in driven.iter_mut().zip(&inputs) {
                *value = match port.name.as_str() {
                    "reset" => u64::from(cycle < 2 || random.usize(..500) == 0),
                    _ if !port.values.is_empty() => random.u64(..port.values.len() as u64),
                    _ if random.bool() => random.u64(..) & random.u64(..) & (u64::MAX >> (64 - port.width)),
                    _ => continue,
                };
            }
            code.cycle(&driven, &mut a);
            engine.cycle(&driven, &mut b);
            for ((port, a), b) in outputs.iter().zip(&a).zip(&b) {
                assert_eq!(a, b, "{unit} at {}, cycle {cycle}, `{}`: code {a}, block {b}; seed {SEED}", config.name, port.name);
            }
        }
    }
}

#[test]
fn machine_code_is_the_block() {
    same("tiny", 3000);
    same("default", 2000);
    same("large", 500);
}
