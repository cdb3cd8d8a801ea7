// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Failures while a waveform is written: of the unit, and of the writer.

use crate::trace_unit::{Oscillator, Sampler};
use bcu_engine::Engine;
use bcu_machine::trace::vcd::Vcd;
use bcu_model::dut::Dut;

#[test]
fn a_unit_that_never_rests_is_a_failure_that_stays() {
    let mut engine = Engine::new(Box::new(Oscillator::default()));
    let mut outputs = [7];
    engine.cycle(&[0, 0], &mut outputs);
    assert_eq!((engine.failure(), outputs, engine.cycles()), (None, [1], 1));
    engine.cycle(&[0, 1], &mut outputs);
    let failure = engine.failure().unwrap().clone();
    assert_eq!((failure.unit, failure.cycle, failure.clock), ("oscillator", 1, false));
    assert!(failure.signals.contains(&"oscillator.ring.y".to_string()), "{failure}");
    assert!(failure.to_string().contains("combinational loop"), "{failure}");
    engine.cycle(&[0, 0], &mut outputs);
    assert_eq!((engine.failure(), outputs, engine.cycles()), (Some(&failure), [1], 1));
}

#[test]
fn a_writer_that_fails_is_an_error() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| std::io::Error::other("disk full"))?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let ports = Engine::new(Box::new(Sampler::default())).ports().to_vec();
    assert!(Vcd::of_ports(Full(10), "sampler", &ports, &[]).is_err());
    let mut vcd = Vcd::of_ports(Full(1000), "sampler", &ports, &[]).unwrap();
    assert!((0..100).any(|cycle| vcd.cycle(&[cycle; 5], &[cycle; 5]).is_err()));
}
