// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Machine code and rust-hdl block have the same values at every port in every cycle, with random inputs that may be illegal.

use bcu_engine::Engine;
use bcu_hw::catalog::{self, build};
use bcu_hw::ports::Unit;
use bcu_isa::config;
use bcu_isa::ports::Dir;
use bcu_isa::units::{SEVERAL, WHOLE};
use bcu_jit::Compiled;
use bcu_model::dut::Dut;

const SEED: u64 = 20261121;

fn same(name: &str, make: impl Fn() -> Box<dyn Unit>, cycles: usize) {
    let mut code = Compiled::new(make()).unwrap();
    let mut engine = Engine::new(make());
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
            assert_eq!(a, b, "{name}, cycle {cycle}, `{}`: code {a}, block {b}; seed {SEED}", port.name);
        }
    }
}

#[test]
fn machine_code_is_the_unit() {
    for (config, cycles) in [("tiny", 1000), ("intel_tiny", 1000), ("default", 300)] {
        let config = config::named(config).unwrap();
        // The unit of several multiprocessors is compared only in small configurations.
        let small = config.name.ends_with("tiny");
        for unit in catalog::built(&config).filter(|unit| small || *unit != SEVERAL) {
            // A unit that contains other units runs fewer cycles, because the contained units are also compared alone.
            let cycles = if [WHOLE, SEVERAL].contains(&unit) { cycles / 4 } else { cycles };
            same(&format!("{unit} at {}", config.name), || build(&config, unit).unwrap(), cycles);
        }
    }
}

#[test]
fn machine_code_is_any_block() {
    same("gates", || Box::<gates::Gates>::default(), 3000);
}

mod gates {
    use bcu_derive::block;
    use rust_hdl::prelude::*;

    /// Gates that the units of the catalogue may lack: values of several words, signed numbers, shifts by long distances.
    #[block(unit = "gates")]
    pub struct Gates {
        pub clock: Signal<In, Clock>,
        /// Reset.
        #[group("reset")]
        pub reset: Signal<In, Bit>,
        /// A.
        #[group("in")]
        pub a: Signal<In, Bits<40>>,
        /// B.
        pub b: Signal<In, Bits<40>>,
        /// N.
        pub n: Signal<In, Bits<7>>,
        /// A - B.
        #[group("out")]
        pub sum: Signal<Out, Bits<40>>,
        /// A + B, cut to 32 bits.
        pub product: Signal<Out, Bits<32>>,
        /// Whether A < B, both unsigned.
        pub less: Signal<Out, Bit>,
        /// A << N.
        pub moved: Signal<Out, Bits<40>>,
        /// A >> N.
        pub back: Signal<Out, Bits<40>>,
        /// Whether two wide values are equal.
        pub same: Signal<Out, Bit>,
        /// Whether any bit of the state is 1.
        pub any: Signal<Out, Bit>,
        /// Whether all bits of the state are 1.
        pub all: Signal<Out, Bit>,
        /// Parity of the state.
        pub odd: Signal<Out, Bit>,
        /// Bits of the state across two words.
        pub middle: Signal<Out, Bits<40>>,
        wide: Signal<Local, Bits<120>>,
        state: DFF<Bits<120>>,
        mixed: Signal<Local, Bits<120>>,
    }

    impl Logic for Gates {
        #[hdl_gen]
        fn update(&mut self) {
            self.wide.next = bit_cast::<120, 40>(self.a.val()) | (self.state.q.val() ^ bit_cast::<120, 40>(self.b.val()));
            self.mixed.next = !self.wide.val();
            if self.n.val().get_bit(0) {
                self.mixed.next = self.wide.val() & self.state.q.val();
            }
            self.state.d.next = self.mixed.val();
            if self.reset.val() {
                self.state.d.next = 0.into();
            }
            self.sum.next = self.a.val() - self.b.val();
            self.product.next = bit_cast::<32, 40>(self.a.val() + self.b.val());
            self.less.next = self.a.val() < self.b.val();
            self.moved.next = self.a.val() << self.n.val();
            self.back.next = self.a.val() >> self.n.val();
            self.same.next = self.wide.val() == self.state.q.val();
            self.any.next = self.state.q.val().any();
            self.all.next = self.state.q.val().all();
            self.odd.next = self.state.q.val().xor();
            self.middle.next = self.state.q.val().get_bits::<40>(50);
        }
    }
}
