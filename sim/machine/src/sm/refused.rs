// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations that the unit refuses with a code that no program can cause: they end the run, with the port values in the error.

use super::super::refused::{has_no_program, ImpossibleFault};
use super::Sm;
use crate::sentence::place::place;
use bcu_isa::op::FaultCode;
use bcu_model::gateway::Work;
use bcu_model::gateway_ports::GatewayKind;
use bcu_model::named::Action;
use bcu_model::op::{Code, Kind, Operation};
use bcu_model::Bcu;

/// A refused operation, with the slot of its warp or of its CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    Instruction(usize),
    Exit(usize),
    Launch(usize),
    Retirement(usize),
}

impl Refused {
    fn from_operation(op: &Operation) -> Refused {
        match op.kind {
            Kind::Launch => Refused::Launch(op.cta.into()),
            Kind::Release => Refused::Retirement(op.cta.into()),
            Kind::Exit => Refused::Exit(op.warp.into()),
            _ => Refused::Instruction(op.warp.into()),
        }
    }

    fn warp_slot(self) -> Option<usize> {
        match self {
            Refused::Instruction(slot) | Refused::Exit(slot) => Some(slot),
            Refused::Launch(_) | Refused::Retirement(_) => None,
        }
    }
}

/// Every operation on which the unit decided at the last clock edge, with its fault code. `decode` and `cta_table` decide on an operation
/// when they accept it, the other units when it takes effect.
fn judged(unit: &Bcu) -> impl Iterator<Item = (Code, Refused)> {
    let decoded = unit.decode().accepted().map(|decoded| (decoded.op.fault, Refused::from_operation(&decoded.op)));
    let offered = unit.cta_table().offered().map(|op| (op.fault, Refused::from_operation(op)));
    let named = unit.named().done().and_then(|(action, effect)| match (action, &effect.fault) {
        (Action::Operation(op), Some(fault)) => Some((fault.code, Refused::from_operation(op))),
        _ => None,
    });
    let gateway = unit.gateway().and_then(|gateway| gateway.done()).and_then(|(work, outcome)| match work {
        Work::Operation(op) => {
            let refused = match op.kind {
                GatewayKind::Launch => Refused::Launch(op.cta.into()),
                GatewayKind::Release => Refused::Retirement(op.cta.into()),
                GatewayKind::Exit => Refused::Exit(op.warp.into()),
                GatewayKind::Signal | GatewayKind::Wait | GatewayKind::Refused => Refused::Instruction(op.warp.into()),
            };
            Some((outcome.fault.as_ref()?.code, refused))
        }
        Work::Row { .. } => None,
    });
    let done = unit.mbarrier().and_then(|mbarrier| mbarrier.done());
    let mbarrier = done.and_then(|done| Some((done.fault, Refused::Instruction(done.warp?.into()))));
    let elsewhere = unit.done_at_cluster_or_grid().map(|(slot, code)| (code, Refused::Instruction(slot.into())));
    [decoded, offered, named, gateway, mbarrier].into_iter().flatten().chain(elsewhere)
}

impl Sm<'_> {
    /// Ends the run if the unit has refused an operation with a code that no program can cause. The exception is an operation of a warp
    /// that the fault policy has stopped: it was in flight when an earlier operation of the warp was refused.
    pub(super) fn must_be_possible(&self, unit: &Bcu) -> Result<(), Box<ImpossibleFault>> {
        let is_stopped = |refused: Refused| {
            let index = refused.warp_slot().and_then(|slot| self.warp_slots.get(slot).copied().flatten());
            index.is_some_and(|index| self.warps[index].stopped.is_some())
        };
        let is_wrong = |code: Code, refused| has_no_program(code) && !(code == Code::WarpBlocked && is_stopped(refused));
        match judged(unit).find(|(code, refused)| is_wrong(*code, *refused)) {
            Some((code, refused)) => Err(Box::new(self.impossible(code, refused))),
            None => Ok(()),
        }
    }

    fn impossible(&self, code: Code, refused: Refused) -> ImpossibleFault {
        let machine = self.machine;
        ImpossibleFault {
            cycle: self.cycle,
            code: FaultCode::from_u64(code.value()).name(),
            operation: self.operation(refused),
            ports: self.ports(refused),
            run: format!(
                "configuration {}, multiprocessor {}, policy {}, seed {}, fault policy {:?}",
                self.sizes.name, self.number, machine.policy, machine.seed, machine.fault_policy
            ),
        }
    }

    /// The refused operation as text.
    fn operation(&self, refused: Refused) -> String {
        let cta_in = |slot: usize| match self.cta_slots.get(slot).copied().flatten() {
            Some((cta, _)) => format!("CTA {cta}"),
            None => format!("the CTA in CTA slot {slot}"),
        };
        let warp_in = |slot: usize| match self.warp_slots.get(slot).copied().flatten().map(|index| &self.warps[index]) {
            Some(warp) => format!("CTA {} warp {} ({})", warp.cta, warp.warp, place(&warp.last_place())),
            None => format!("the warp in warp slot {slot}"),
        };
        match refused {
            Refused::Instruction(slot) => format!("the instruction of {}", warp_in(slot)),
            Refused::Exit(slot) => format!("the exit of {}", warp_in(slot)),
            Refused::Launch(slot) => format!("the launch of {}", cta_in(slot)),
            Refused::Retirement(slot) => format!("the end of {}", cta_in(slot)),
        }
    }

    /// The port values of this cycle as text.
    fn ports(&self, refused: Refused) -> Vec<String> {
        let at = &self.pins.at;
        let driven = |input| self.pins.driven(input);
        let offer = match refused {
            Refused::Instruction(_) => {
                let word: Vec<String> = at.instr_word.iter().rev().map(|input| format!("{:08x}", driven(*input))).collect();
                let [slot, form, active, guard] =
                    [at.instr_warp, at.instr_form, at.instr_active, at.instr_guard].map(|input| driven(input));
                let since = self.offered;
                format!(
                    "`instr`: warp slot {slot} since cycle {since}, word {}, form {form}, active {active:#x}, guard {guard:#x}",
                    word.join("_")
                )
            }
            Refused::Exit(_) => format!("`exit`: warp slot {}, lanes {:#x}", driven(at.exit_warp), driven(at.exit_lanes)),
            Refused::Launch(_) => format!("`launch`: CTA slot {}, warps {:#x}", driven(at.launch_cta), driven(at.launch_warps)),
            Refused::Retirement(_) => format!("`retire`: CTA slot {}", driven(at.retire_cta)),
        };
        let shown =
            [("blocked", at.blocked), ("busy", at.busy), ("live", at.live)].map(|(name, port)| (name, self.pins.get(port)));
        let values = shown.map(|(name, value)| format!("`{name}` {value:#x}")).join(", ");
        let of_warp = refused.warp_slot().map(|slot| {
            let bits = shown.map(|(name, value)| format!("`{name}` {}", value >> slot & 1)).join(", ");
            format!("warp slot {slot}: {bits}")
        });
        [offer].into_iter().chain(of_warp).chain([format!("all warps: {values}")]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::FaultCode;
    use crate::cycle::Observer;
    use crate::describe::FaultPolicy;
    use crate::describe::Machine;
    use crate::gpu::Gpu;
    use crate::report::Stop;
    use crate::run::assemble;
    use crate::run_error::RunError;
    use bcu_isa::config::named;
    use bcu_model::{by_name, Sizes};
    use bcu_program::bcu::parse;

    /// If the machine issues an instruction of a waiting warp, the run returns an error and no report.
    #[test]
    fn a_code_that_no_program_can_cause_ends_the_run_with_the_ports() {
        let config = named("small").unwrap();
        let text = ".cta_warps 2\n.warps 0\nBAR.SYNC 0x1\nBAR.SYNC 0x2\n.warps 1\nNOP 900\nBAR.SYNC 0x1\nBAR.SYNC 0x2";
        let machine = Machine { seed: 7, ..Machine::default() };
        let programs = parse(text, None).unwrap().warps;
        let mut dut = by_name("bcu", Sizes::try_from(&config).unwrap()).unwrap();
        let mut gpu = assemble(Some(&mut *dut), &config, &machine, &programs, &[]).unwrap();
        let waits = |gpu: &Gpu| {
            let sm = &gpu.sms[0];
            sm.warps
                .first()
                .is_some_and(|warp| warp.waits_at == Some(1) && sm.blocked(warp) && sm.pins.get(sm.pins.at.busy) == 0)
        };
        while !waits(&gpu) {
            gpu.run_cycle(&mut Observer::of_all(&mut |_| ())).unwrap();
        }
        let (sm, memory) = (&mut gpu.sms[0], &mut gpu.uncore.memory);
        let (chosen, cycle) = (sm.warps[0].look().unwrap(), sm.cycle);
        sm.start(0, chosen, cycle, memory).unwrap();
        let error = loop {
            match gpu.run_cycle(&mut Observer::of_all(&mut |_| ())) {
                Ok(_) => assert!(gpu.cycle < cycle + 10, "the instruction is taken"),
                Err(RunError::ImpossibleFault(error)) => break error,
                Err(error) => panic!("{error}"),
            }
        };
        assert_eq!((error.cycle, error.code.as_str()), (cycle, "warp_blocked"));
        assert_eq!(error.operation, "the instruction of CTA 0 warp 0 (line 4: BAR.SYNC 0x2)");
        let said = error.to_string();
        for part in [
            &*format!("cycle {cycle}: the unit refuses the instruction of CTA 0 warp 0"),
            &*format!("`instr`: warp slot 0 since cycle {cycle}, word "),
            "warp slot 0: `blocked` 1, `busy` 0, `live` 1",
            "all warps: `blocked` 0x1, `busy` 0x0, `live` 0x3",
            "configuration small, multiprocessor 0, policy round_robin, seed 7, fault policy Report",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }

    /// If the fault policy stops a warp, the unit also refuses the warp's operation in flight; this second refusal is not reported.
    #[test]
    fn an_instruction_of_a_stopped_warp_is_a_consequence_of_what_stopped_it() {
        let config = named("small").unwrap();
        let machine = Machine { fault_policy: FaultPolicy::Trap, ..Machine::default() };
        let programs = parse("BAR.ARV 0x1, 32\nBAR.SYNC 0x1", None).unwrap().warps;
        let mut dut = by_name("bcu", Sizes::try_from(&config).unwrap()).unwrap();
        let mut gpu = assemble(Some(&mut *dut), &config, &machine, &programs, &[]).unwrap();
        let stopped = |gpu: &Gpu| gpu.sms[0].warps.first().is_some_and(|warp| warp.stopped == Some(Stop::Trapped));
        while !stopped(&gpu) {
            gpu.run_cycle(&mut Observer::of_all(&mut |_| ())).unwrap();
        }
        let (sm, memory) = (&mut gpu.sms[0], &mut gpu.uncore.memory);
        let (chosen, cycle) = (sm.warps[0].look().unwrap(), sm.cycle);
        sm.start(0, chosen, cycle, memory).unwrap();
        let mut shown = vec![];
        for _ in 0..60 {
            gpu.run_cycle(&mut Observer::of_all(&mut |_| ())).unwrap();
            let sm = &gpu.sms[0];
            let [valid, code] = [sm.pins.at.fault_valid, sm.pins.at.fault_code].map(|port| sm.pins.get(port));
            shown.extend((valid == 1).then(|| FaultCode::from_u64(code)));
        }
        assert_eq!(shown, [FaultCode::CountExceedsCta, FaultCode::WarpBlocked, FaultCode::Deadlock]);
        let codes: Vec<&str> = gpu.sms[0].faults.iter().map(|fault| fault.code.as_str()).collect();
        assert_eq!(codes, ["count_exceeds_cta", "deadlock"]);
    }
}
