// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Untimed semantics of the gateway, one operation after the other (`docs/contract/gateway.md`).

use super::gateway_ports::{GatewayKind, GatewayOp, Message, Notification};
use super::in_place::clone_in_place;
use super::op::Code;
use super::outcome::Fault;
use super::sizes::Sizes;

/// An open phase of a barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phase {
    /// The number of producers that take part.
    pub producers: u8,
    /// The number of consumers that take part.
    pub consumers: u8,
    /// The warps that have signalled as producer, one bit per warp.
    pub produced: u64,
    /// The warps that have signalled as consumer, one bit per warp.
    pub consumed: u64,
}

/// A barrier of a thread group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Barrier {
    pub phase: Option<Phase>,
    /// Consumers of the open phase that wait, one bit per warp.
    pub waiting: u64,
    /// Notified consumers, one bit per warp: their phase is complete, and they have not waited since.
    pub notified: u64,
}

impl Barrier {
    pub fn is_in_use(&self) -> bool {
        self.phase.is_some() || self.notified != 0
    }

    fn phase(&self) -> Phase {
        self.phase.unwrap_or_default()
    }
}

/// The launch parameters of a CTA slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Group {
    pub warps: u8,
    pub barriers: u8,
}

/// The effects of an operation, or of the clearing of a row, except the change of state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub release: Option<Notification>,
    pub fault: Option<Fault>,
    /// The rows of the CTA slot must be cleared.
    pub clears: bool,
    /// The completed phase, in its state at completion; `None` if the operation has completed no phase.
    pub completed: Option<Phase>,
}

clone_in_place! {
    /// The barriers of all thread groups.
    #[derive(Debug, PartialEq)]
    pub struct Rows {
        sizes: Sizes,
        rows: Vec<Barrier>,
        groups: Vec<Group>,
        /// The warps that wait at any barrier, one bit per warp.
        pub waiting: u64,
    }
}

impl Rows {
    pub fn new(sizes: Sizes) -> Rows {
        let slots = sizes.cta_slots();
        Rows {
            sizes,
            rows: vec![Barrier::default(); slots * sizes.id_numbers()],
            groups: vec![Group::default(); slots],
            waiting: 0,
        }
    }

    /// The barrier `id` of the CTA in CTA slot `cta`; `None` if the unit has no such CTA slot or id.
    pub fn barrier(&self, cta: u8, id: u8) -> Option<&Barrier> {
        let built = usize::from(cta) < self.groups.len() && usize::from(id) < self.sizes.gateway_ids();
        built.then(|| &self.rows[self.index(cta, id)])
    }

    /// The launch parameters of the thread group in a CTA slot.
    pub fn group(&self, cta: u8) -> Option<&Group> {
        self.groups.get(usize::from(cta))
    }

    fn index(&self, cta: u8, id: u8) -> usize {
        usize::from(cta) * self.sizes.id_numbers() + usize::from(id)
    }

    /// Whether a CTA slot has rows in use.
    pub fn is_in_use(&self, cta: usize) -> bool {
        let ids = self.sizes.id_numbers();
        self.rows[cta * ids..][..ids].iter().any(Barrier::is_in_use)
    }

    /// The cause for which an operation is refused; `None` if it is not refused.
    pub fn refusal(&self, op: &GatewayOp) -> Option<Code> {
        let Some(group) = self.group(op.cta) else {
            return Some(if op.fault == Code::None { Code::NotResident } else { op.fault });
        };
        let Message { id, role, producers, consumers } = op.message;
        let talks = matches!(op.kind, GatewayKind::Signal | GatewayKind::Wait);
        // The faults that do not depend on the barrier, in the order of precedence.
        let early = [
            (op.fault != Code::None, op.fault),
            (talks && id >= group.barriers, Code::IdOutOfRange),
            (talks && !op.uniform, Code::OperandNotUniform),
        ];
        let found = |flaws: &[(bool, Code)]| flaws.iter().find(|(is, _)| *is).map(|(_, code)| *code);
        if let Some(code) = found(&early).or_else(|| (!talks).then_some(Code::None)) {
            return Some(code).filter(|code| *code != Code::None);
        }
        // The faults that depend on the state of the barrier: one for a wait, the others for a signal, in the order of precedence.
        let row = &self.rows[self.index(op.cta, id)];
        let (bit, phase) = (1u64 << op.warp, row.phase());
        let has = |warps: u64| warps & bit != 0;
        if op.kind == GatewayKind::Wait {
            return (!has(row.notified) && !has(phase.consumed)).then_some(Code::ProducerWaits);
        }
        let (produces, consumes) = (op.message.produces(), op.message.consumes());
        let full = |warps: u64, expected: u8| warps.count_ones() == u32::from(expected);
        let (open, most) = (row.phase.is_some(), group.warps);
        found(&[
            (produces && has(phase.produced) || consumes && has(phase.consumed), Code::DoubleArrival),
            (role > 2, Code::SignalType),
            (producers == 0 || consumers == 0, Code::CountZero),
            (producers > most || consumers > most, Code::CountExceedsGroup),
            (open && (producers, consumers) != (phase.producers, phase.consumers), Code::SignalMismatch),
            (
                open && (produces && full(phase.produced, phase.producers)
                    || consumes && full(phase.consumed, phase.consumers)),
                Code::OverSignal,
            ),
            (consumes && has(row.notified), Code::NotificationLost),
        ])
    }

    /// Applies one operation atomically.
    pub fn apply(&mut self, op: &GatewayOp) -> Outcome {
        if let Some(code) = self.refusal(op) {
            let GatewayOp { warp, cta, .. } = *op;
            let (has_warp, id) = (op.kind.is_of_a_warp(), op.message.id & 31);
            return Outcome { fault: Some(Fault { code, has_warp, warp, cta, id, address: 0 }), ..Outcome::default() };
        }
        match op.kind {
            GatewayKind::Signal => self.signal(op),
            GatewayKind::Wait => self.wait(op),
            GatewayKind::Launch => {
                let barriers = op.barriers.min(self.sizes.gateway_ids() as u8);
                self.groups[usize::from(op.cta)] = Group { warps: op.warps, barriers };
                Outcome::default()
            }
            GatewayKind::Release => {
                self.waiting &= !op.mask;
                Outcome { clears: self.is_in_use(op.cta.into()), ..Outcome::default() }
            }
            GatewayKind::Exit | GatewayKind::Refused => Outcome::default(),
        }
    }

    fn signal(&mut self, op: &GatewayOp) -> Outcome {
        let (index, bit) = (self.index(op.cta, op.message.id), 1u64 << op.warp);
        let row = &mut self.rows[index];
        let Message { producers, consumers, .. } = op.message;
        let mut phase = row.phase.unwrap_or(Phase { producers, consumers, produced: 0, consumed: 0 });
        phase.produced |= if op.message.produces() { bit } else { 0 };
        phase.consumed |= if op.message.consumes() { bit } else { 0 };
        let complete =
            phase.produced.count_ones() == u32::from(producers) && phase.consumed.count_ones() == u32::from(consumers);
        if !complete {
            row.phase = Some(phase);
            return Outcome::default();
        }
        let woken = std::mem::take(&mut row.waiting);
        row.phase = None;
        row.notified |= phase.consumed & !woken;
        self.waiting &= !woken;
        let release = Notification { cta: op.cta, id: op.message.id, notified: phase.consumed, warps: woken };
        Outcome { release: Some(release), completed: Some(phase), ..Outcome::default() }
    }

    fn wait(&mut self, op: &GatewayOp) -> Outcome {
        let (index, bit) = (self.index(op.cta, op.message.id), 1u64 << op.warp);
        let row = &mut self.rows[index];
        if row.notified & bit == 0 {
            row.waiting |= bit;
            self.waiting |= bit;
            return Outcome::default();
        }
        row.notified &= !bit;
        self.waiting &= !bit;
        let release = Notification { cta: op.cta, id: op.message.id, notified: 0, warps: bit };
        Outcome { release: Some(release), ..Outcome::default() }
    }

    /// Makes a row idle. For a row in use this is the fault `barrier_left_open`; with `silent`, after a reset, it is no fault.
    pub fn clear(&mut self, cta: u8, id: u8, silent: bool) -> Outcome {
        let index = self.index(cta, id);
        let left_open = std::mem::take(&mut self.rows[index]).is_in_use() && !silent;
        let fault = Fault { code: Code::BarrierLeftOpen, cta, id, ..Fault::default() };
        Outcome { fault: left_open.then_some(fault), ..Outcome::default() }
    }
}
