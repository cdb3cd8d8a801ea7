// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The search through all states of a program: depth first, with the set of all states that were visited. Nothing is left out because it
//! seems equivalent to something else.

use super::misuse::Misuse;
use super::outcome::Outcome;
use super::program::Program;
use super::state::State;
use super::transition::Transition;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Explored {
    /// The outcomes of all executions, or if the search is not finished of those that it has come to.
    pub outcomes: BTreeSet<Outcome>,
    /// Whether all states were visited.
    pub finished: bool,
    /// The number of states.
    pub states: usize,
    /// The misuses of all executions.
    pub misuses: BTreeSet<Misuse>,
    /// For each outcome, the effects of one execution, in order.
    pub schedules: BTreeMap<Outcome, Vec<String>>,
}

/// A state with the transitions that are still to be tried.
struct Frame {
    state: State,
    untried: Vec<Transition>,
    /// The transition by which the search left the state last.
    by: Option<Transition>,
}

/// Visits the states of a program, at most `limit` of them.
pub fn explore(program: &Program, limit: usize) -> Explored {
    let mut explored =
        Explored { outcomes: BTreeSet::new(), finished: true, states: 1, misuses: BTreeSet::new(), schedules: BTreeMap::new() };
    let first = State::new(program);
    let mut visited = HashSet::from([first.clone()]);
    let mut path = vec![explored.frame(program, &[], first)];
    while let Some(frame) = path.last_mut() {
        let Some(transition) = frame.untried.pop() else {
            path.pop();
            continue;
        };
        frame.by = Some(transition);
        match frame.state.after(program, transition) {
            Err(misuse) => {
                explored.misuses.insert(misuse);
                explored.note(program, &path, Outcome::Misuse);
            }
            Ok(state) => {
                if visited.contains(&state) {
                    continue;
                }
                if visited.len() >= limit {
                    explored.finished = false;
                    break;
                }
                visited.insert(state.clone());
                let frame = explored.frame(program, &path, state);
                path.push(frame);
            }
        }
    }
    explored.states = visited.len();
    explored
}

impl Explored {
    /// The frame of a new state. Notes the outcome of a state without transitions.
    fn frame(&mut self, program: &Program, path: &[Frame], state: State) -> Frame {
        let untried = state.transitions(program);
        if untried.is_empty() {
            let outcome = Outcome::of(program, &state);
            if outcome == Outcome::Misuse {
                self.misuses.insert(Misuse("barrier_left_open"));
            }
            self.note(program, path, outcome);
        }
        Frame { state, untried, by: None }
    }

    fn note(&mut self, program: &Program, path: &[Frame], outcome: Outcome) {
        if self.outcomes.insert(outcome.clone()) {
            let effect = |frame: &Frame| frame.by.map(|by| frame.state.describe(program, by));
            self.schedules.insert(outcome, path.iter().filter_map(effect).collect());
        }
    }
}
