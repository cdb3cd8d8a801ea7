// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The way of operations through the unit, in the order in which they enter `gather` and then `named`.

use super::super::meaning::{Meaning, State};
use super::super::passing::{Passed, What};
use super::super::report::Arrival;
use super::super::sentence;
use super::lanes::{Coming, Outcome, Partly};
use super::{Book, Contradiction, LaneStrobe, Ledger, Reader};
use bcu_hw::unit::op::{FaultCode, Form as Lanes};
use std::collections::{BTreeMap, VecDeque};

/// Who holds which slot, as one of the units sees it: a launch gets there some cycles after the unit has taken it.
#[derive(Default)]
pub(super) struct Stage {
    /// CTAs whose launch has yet to come.
    pub launches: VecDeque<usize>,
    /// CTA and warp of a warp slot.
    warps: BTreeMap<usize, (usize, usize)>,
    /// CTA of a slot.
    ctas: BTreeMap<usize, usize>,
}

/// What the machine must know of it.
pub(in super::super) enum Event {
    /// These lanes do not wait.
    Refused { warp: usize, lanes: u64 },
    /// These lanes have gathered: the warp waits at a barrier with all of them.
    Gathered { warp: usize, lanes: u64, id: u8 },
    /// An arrival was refused: the warp does not wait.
    Goes { warp: usize },
    /// A state word said that it waits.
    Waits { warp: usize, id: u8 },
    /// A read into this register and predicate was refused.
    NoResult { warp: usize, result: (u8, u8) },
    /// An exit has come to `gather`.
    Exited { warp: usize },
}

impl Book {
    /// The arrival of a warp at a barrier that the unit has taken, and that has yet to come there: with the intent to wait or without.
    pub fn coming(&self, warp: usize, id: u8) -> Option<Arrival> {
        let own = self.warps.get(warp)?;
        // Of lanes that have yet to gather nobody knows whether the warp will arrive with them.
        let whole = own.accepted.iter().filter(|coming| coming.form != Lanes::Gathered);
        own.passed.iter().chain(whole).find_map(|coming| match coming.meaning {
            Meaning::Arrival(ask) if ask.id == id && coming.fault.is_none() => {
                Some(Arrival { warp, form: ask.form, cycle: coming.cycle, place: coming.place.clone() })
            }
            _ => None,
        })
    }
}

impl Ledger {
    /// The unit took an instruction of a warp.
    pub fn accept(&mut self, cta: usize, warp: usize, coming: Coming) {
        self.books[cta].warps[warp].accepted.push_back(coming);
    }

    /// The unit took the exit of lanes.
    pub fn accept_exit(&mut self, cta: usize, warp: usize, lanes: u64) {
        self.books[cta].warps[warp].exits.push_back(lanes);
    }

    /// An operation entered `gather`.
    pub fn gathers(&mut self, cycle: u64, passed: Passed) -> Result<Vec<Event>, Contradiction> {
        if passed.what == What::Launch {
            self.arrives(0);
        }
        if matches!(passed.what, What::Launch | What::Release | What::Deadlock) {
            return Ok(vec![]);
        }
        let (cta, number) = self.owner(0, cycle, passed)?;
        let highest = self.highest;
        let warp = &mut self.books[cta].warps[number];
        let (index, warp_slot) = (warp.index, warp.warp_slot);
        let missing =
            || Contradiction { cycle, what: format!("an operation of warp {number} of CTA {cta} that nobody issued") };
        let (outcome, event) = if passed.what == What::Exit {
            let lanes = warp.exits.pop_front().ok_or_else(missing)?;
            (warp.lanes.exit(lanes, highest).0, Some(Event::Exited { warp: index }))
        } else {
            let coming = warp.accepted.pop_front().ok_or_else(missing)?;
            (warp.lanes.take(coming, highest), None)
        };
        let Outcome { pass, strobe, refused, gathered } = outcome;
        warp.passed.extend(pass);
        if let Some(strobe) = strobe {
            self.owed.lanes(LaneStrobe { warp_slot, ..strobe }, (cta, number));
        }
        let refused = (refused != 0).then_some(Event::Refused { warp: index, lanes: refused });
        let gathered = gathered.map(|(lanes, id)| Event::Gathered { warp: index, lanes, id });
        Ok([gathered, refused, event].into_iter().flatten().collect())
    }

    /// An operation entered `named`.
    pub fn enters(&mut self, cycle: u64, passed: Passed) -> Result<Option<Event>, Contradiction> {
        match passed.what {
            What::Launch => self.arrives(1),
            What::Release => {
                if let Some(cta) = self.stages[1].ctas.get(&passed.cta).copied() {
                    self.retire(cta);
                }
            }
            What::Deadlock => self.deadlock(cycle, passed)?,
            What::Exit => {
                let (cta, warp) = self.owner(1, cycle, passed)?;
                self.exit(cta, warp);
            }
            What::Instruction => {
                let (cta, number) = self.owner(1, cycle, passed)?;
                let missing = || Contradiction { cycle, what: format!("warp {number} of CTA {cta} did not send this") };
                let coming = self.books[cta].warps[number].passed.pop_front().ok_or_else(missing)?;
                return Ok(self.enter(cycle, cta, number, coming));
            }
        }
        Ok(None)
    }

    fn enter(&mut self, cycle: u64, cta: usize, number: usize, coming: Coming) -> Option<Event> {
        let warp = self.books[cta].warps[number].index;
        let Coming { meaning, fault, form, lanes, cycle: taken, place, divergence } = coming;
        match meaning {
            Meaning::Nothing => None,
            Meaning::Illegal => {
                self.illegal(cta, number, &place);
                None
            }
            Meaning::Meet { .. } => {
                self.owe(FaultCode::GatherMismatch, cta, Some(number), None, Some(&place), sentence::mismatch(lanes));
                None
            }
            Meaning::Arrival(ask) => {
                let gathers = form == Lanes::Gathered;
                let counts = match fault {
                    None => self.arrive(cta, ask, Arrival { warp: number, form: ask.form, cycle: taken, place }),
                    Some(code) => {
                        let sentence = if gathers { sentence::mismatch(lanes) } else { sentence::partial(lanes) + &divergence };
                        self.owe(code, cta, Some(number), Some(ask.id), Some(&place), sentence);
                        false
                    }
                };
                (!counts && ask.form.waits() && !(gathers && fault.is_some())).then_some(Event::Goes { warp })
            }
            Meaning::Read { state, rd, pu } => {
                let reader = Reader { cta, warp: number, lanes };
                let refused = !self.read(reader, state, (rd, pu), &place);
                refused.then_some(Event::NoResult { warp, result: (rd, pu) })
            }
            Meaning::Write { state, word, uniform } => {
                self.write(cycle, (cta, number), state, (word, uniform), &place);
                let waits = self.books[cta].warps[number].waits_at().filter(|_| state == State::Warp);
                waits.map(|id| Event::Waits { warp, id })
            }
        }
    }

    /// Lanes of a warp that wait for others of it.
    pub fn partly(&self, cta: usize, warp: usize) -> Vec<Partly> {
        self.books.get(cta).and_then(|book| book.warps.get(warp)).map_or(vec![], |warp| warp.lanes.waiting())
    }

    /// The oldest launch that has not come there does.
    fn arrives(&mut self, stage: usize) {
        let stage = &mut self.stages[stage];
        let Some(cta) = stage.launches.pop_front() else { return };
        let book = &self.books[cta];
        stage.ctas.insert(book.slot, cta);
        stage.warps.extend(book.warps.iter().enumerate().map(|(number, warp)| (warp.warp_slot, (cta, number))));
    }

    fn owner(&self, stage: usize, cycle: u64, passed: Passed) -> Result<(usize, usize), Contradiction> {
        let none = || Contradiction { cycle, what: format!("an operation of warp slot {}, which is free", passed.warp) };
        self.stages[stage].warps.get(&passed.warp).copied().ok_or_else(none)
    }

    /// The unit has found that a CTA cannot go on, which must be true.
    fn deadlock(&mut self, cycle: u64, passed: Passed) -> Result<(), Contradiction> {
        let Some(cta) = self.stages[1].ctas.get(&passed.cta).copied() else {
            return Err(Contradiction { cycle, what: format!("a deadlock in CTA slot {}, which is free", passed.cta) });
        };
        let book = &self.books[cta];
        let goes = |w: &super::WarpBook| !w.exited && w.waits_at().is_none() && w.stopped().is_none() && !w.lanes.stopped();
        if let Some(free) = book.warps.iter().position(goes).filter(|_| !book.tangled) {
            return Err(Contradiction { cycle, what: format!("a deadlock in CTA {cta}, whose warp {free} waits for nobody") });
        }
        let mut sentence = match book.tangled {
            true => "two barriers without a count are open at once: each waits for warps that wait at the other",
            false => {
                "every warp of the CTA that has not exited waits or is stopped, and nothing is under way that could change it"
            }
        }
        .to_string();
        let waiting: Vec<(usize, u8)> =
            book.warps.iter().enumerate().filter_map(|(warp, own)| Some((warp, own.waits_at()?))).collect();
        sentence += &sentence::waiting(&waiting);
        self.owe(FaultCode::Deadlock, cta, None, None, None, sentence);
        Ok(())
    }
}
