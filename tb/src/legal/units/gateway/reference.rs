// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The meaning of legal gateway operations, from `docs/contract/gateway.md`, without timing.

/// The values of `GatewayKind` that a legal user sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    Signal,
    Wait,
    Exit,
    Launch,
    Release,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Op {
    pub kind: Kind,
    pub warp: u64,
    pub cta: u64,
    pub id: u64,
    /// Role of the thread: 0 producer and consumer, 1 producer, 2 consumer.
    pub role: u64,
    pub producers: u64,
    pub consumers: u64,
    pub warps: u64,
    pub barriers: u64,
    pub mask: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    producers: u64,
    consumers: u64,
    has_produced: u64,
    has_consumed: u64,
    waits: u64,
    notified: u64,
}

impl Row {
    fn is_used(&self) -> bool {
        (self.has_produced | self.has_consumed | self.notified) != 0
    }
}

#[derive(Clone, Debug)]
pub struct Reference {
    rows: Vec<Vec<Row>>,
    pub waiting: u64,
}

impl Reference {
    pub fn new(slots: u64) -> Reference {
        Reference { rows: vec![vec![Row::default(); 32]; slots as usize], waiting: 0 }
    }

    /// The CTA slots with at least one row in use.
    pub fn open(&self) -> u64 {
        self.rows.iter().enumerate().fold(0, |open, (slot, rows)| open | u64::from(rows.iter().any(Row::is_used)) << slot)
    }

    /// Applies the operation. Returns the resulting strobe, if any: CTA slot, id, notified warps, resumed warps.
    pub fn apply(&mut self, op: &Op) -> Option<[u64; 4]> {
        let bit = 1u64 << op.warp;
        let row = self.rows.get_mut(op.cta as usize)?.get_mut(op.id as usize)?;
        match op.kind {
            Kind::Signal => {
                (row.producers, row.consumers) = (op.producers, op.consumers);
                row.has_produced |= if op.role == 2 { 0 } else { bit };
                row.has_consumed |= if op.role == 1 { 0 } else { bit };
                let complete = row.has_produced.count_ones() as u64 == row.producers
                    && row.has_consumed.count_ones() as u64 == row.consumers;
                if !complete {
                    return None;
                }
                let (notified, woken) = (row.has_consumed, row.has_consumed & row.waits);
                *row = Row { waits: row.waits & !woken, notified: row.notified | notified & !woken, ..Row::default() };
                self.waiting &= !woken;
                Some([op.cta, op.id, notified, woken])
            }
            Kind::Wait if row.notified & bit != 0 => {
                row.notified &= !bit;
                Some([op.cta, op.id, 0, bit])
            }
            Kind::Wait => {
                row.waits |= bit;
                self.waiting |= bit;
                None
            }
            Kind::Exit | Kind::Launch | Kind::Release => None,
        }
    }
}
