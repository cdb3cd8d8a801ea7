// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The search: breadth first, so that every trace found is as short as possible.

use super::ids::{Ids, State, States, Table};
use super::space::{Cycle, Space, View};
use std::fmt;
use std::rc::Rc;

/// The result of a search.
pub struct Outcome {
    pub states: usize,
    /// The number of different states of a multiprocessor.
    pub sms: usize,
    /// The number of different states of the hub.
    pub hubs: usize,
    /// Cycles from the start to the farthest state.
    pub depth: usize,
    pub transitions: u64,
    /// For each bounded event: its name, the number of states in which it is due, and the maximum cycles until it occurs.
    pub dues: Vec<(&'static str, usize, usize)>,
    pub found: Option<Found>,
}

/// A violated rule, with its trace: for each cycle, the actions of the environment at both multiprocessors and at the hub.
pub struct Found {
    pub rule: String,
    pub trace: Vec<String>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome { states, sms, hubs, depth, transitions, .. } = self;
        write!(f, "{states} states ({sms} of a multiprocessor, {hubs} of the hub), depth {depth}, {transitions} transitions")?;
        for (name, due, most) in &self.dues {
            write!(f, "\n  {name}: due in {due} states, in {most} cycles at most")?;
        }
        let Some(Found { rule, trace }) = &self.found else { return Ok(()) };
        write!(f, "\n  broken: {rule}")?;
        trace.iter().enumerate().try_for_each(|(cycle, line)| write!(f, "\n  {cycle:3}: {line}"))
    }
}

/// The maximum number of cycles for which an event may stay due.
const MOST: usize = 64;

/// A cycle of a multiprocessor, with numbered states.
struct CycleStep<S: Space> {
    act: S::Act,
    calm: bool,
    next: u32,
    up: Option<S::Up>,
}

type Steps<S> = Rc<[CycleStep<S>]>;

struct Search<'a, S: Space> {
    space: &'a S,
    sms: Ids<S::Sm, S::SmSeen>,
    hubs: Ids<S::Hub, S::HubSeen>,
    envs: Ids<S::Env, ()>,
    cycles: Table<(u32, Option<S::Down>), Steps<S>>,
    served: Table<(u32, [Option<S::Up>; 2], S::Host), u32>,
}

/// A transition: the target state, whether the transition is calm (without optional actions), and its actions at the two multiprocessors
/// and at the hub.
type Transition<'t, S> = (State, bool, [&'t <S as Space>::Act; 2], &'t <S as Space>::Host);

impl<S: Space> Search<'_, S> {
    fn view(&self, [first_sm, second_sm, hub, env]: State) -> View<'_, S> {
        View { sms: [self.sms.data(first_sm), self.sms.data(second_sm)], hub: self.hubs.data(hub), env: *self.envs.value(env) }
    }

    /// The possible cycles of a multiprocessor whose state is `sm`, with the message that the hub sends to it.
    fn cycles(&mut self, sm: u32, hub: u32, place: usize) -> Steps<S> {
        let hub_message = self.space.message_to(self.hubs.data(hub), place);
        if let Some(steps) = self.cycles.get(&(sm, hub_message)) {
            return steps.clone();
        }
        let cycles = self.space.cycles(self.sms.value(sm), hub_message);
        let number = |Cycle { act, next, up }: Cycle<S>| {
            let next = self.sms.number_of(next, |sm| self.space.see_sm(sm));
            CycleStep { act, calm: self.space.is_calm(&act), next, up }
        };
        let steps: Steps<S> = cycles.into_iter().map(number).collect();
        self.cycles.insert((sm, hub_message), steps.clone());
        steps
    }

    fn serve(&mut self, hub: u32, from: [Option<S::Up>; 2], host: S::Host) -> u32 {
        if let Some(next) = self.served.get(&(hub, from, host)) {
            return *next;
        }
        let next = self.space.serve(self.hubs.value(hub), from, &host);
        let next = self.hubs.number_of(next, |hub| self.space.see_hub(hub));
        self.served.insert((hub, from, host), next);
        next
    }

    /// Visits all transitions of a state.
    fn transitions(&mut self, state: State, mut visit: impl FnMut(Transition<S>)) {
        let [first_sm, second_sm, hub_before, env] = state;
        let (first, second) = (self.cycles(first_sm, hub_before, 0), self.cycles(second_sm, hub_before, 1));
        let hosts = self.space.hosts(self.hubs.data(hub_before), *self.envs.value(env));
        for first_sm in first.iter() {
            for second_sm in second.iter() {
                for (turn, host) in hosts.iter().enumerate() {
                    let acts = [&first_sm.act, &second_sm.act];
                    let Some(env) = self.space.permit(&self.view(state), acts, host) else { continue };
                    let hub = self.serve(hub_before, [first_sm.up, second_sm.up], *host);
                    let env = self.envs.number_of(env, |_| ());
                    visit((
                        [first_sm.next, second_sm.next, hub, env],
                        first_sm.calm && second_sm.calm && turn == 0,
                        acts,
                        host,
                    ));
                }
            }
        }
    }

    /// The path to a state, with one transition for each cycle, as text.
    fn trace(&mut self, states: &States, parents: &[u32], mut at: usize) -> Vec<String> {
        let mut lines = vec![];
        while at != 0 {
            let (parent, wanted) = (parents[at] as usize, states.state_at(at));
            let mut line = None;
            self.transitions(states.state_at(parent), |(next, _, acts, host)| {
                if line.is_none() && next == wanted {
                    line = Some(format!("{:?}; {:?}; {host:?}", acts[0], acts[1]));
                }
            });
            lines.extend(line);
            at = parent;
        }
        lines.reverse();
        lines
    }
}

/// Explores all states, up to `limit` of them; returns an error if there are more. The search ends at the first violated rule.
pub fn explore<S: Space>(space: &S, limit: usize) -> Result<Outcome, String> {
    let mut search = Search {
        space,
        sms: Ids::new(),
        hubs: Ids::new(),
        envs: Ids::new(),
        cycles: Table::default(),
        served: Table::default(),
    };
    let (sm, hub, env) = space.start();
    let sm = search.sms.number_of(sm, |sm| space.see_sm(sm));
    let hub = search.hubs.number_of(hub, |hub| space.see_hub(hub));
    let env = search.envs.number_of(env, |_| ());
    let mut states = States::from([sm, sm, hub, env]);
    // For each state: its parent, its successor by the calm transition, and the events that are due.
    let (mut parents, mut calm, mut due) = (vec![0], vec![], vec![]);
    let (mut transitions, mut depth, mut level_end) = (0u64, 0, 1);
    let mut broken = None;
    while calm.len() < states.len() {
        let at = calm.len();
        if at == level_end {
            (depth, level_end) = (depth + 1, states.len());
        }
        if states.len() > limit {
            return Err(format!("more than {limit} states at a depth of {depth} cycles; raise the limit"));
        }
        let state = states.state_at(at);
        let view = search.view(state);
        if let Some(rule) = space.broken(&view) {
            broken = Some((rule.to_string(), at));
            break;
        }
        due.push(space.due(&view));
        let mut leads = None;
        search.transitions(state, |(next, is_calm, _, _)| {
            transitions += 1;
            let number = states.number(next);
            if states.len() > parents.len() {
                parents.push(at as u32);
            }
            if is_calm {
                leads = Some(number);
            }
        });
        let Some(leads) = leads else {
            broken = Some(("a link is full although it passes in every cycle".to_string(), at));
            break;
        };
        calm.push(leads);
    }
    let count = |bit: usize| due.iter().filter(|due| **due >> bit & 1 != 0).count();
    let mut dues: Vec<_> = S::DUES.iter().enumerate().map(|(bit, name)| (*name, count(bit), 0)).collect();
    if broken.is_none() {
        // For each state, the events that stay due for `cycles` consecutive cycles if only calm transitions follow.
        let mut lasting = due.clone();
        for cycles in 1..=MOST {
            let due_bits = lasting.iter().fold(0, |due_bits, bits| due_bits | bits);
            for (bit, (.., most)) in dues.iter_mut().enumerate().filter(|(bit, _)| due_bits >> bit & 1 != 0) {
                let _ = bit;
                *most = cycles;
            }
            if due_bits == 0 {
                break;
            }
            lasting = (0..due.len()).map(|at| due[at] & lasting[calm[at] as usize]).collect();
        }
        if let Some(at) = lasting.iter().position(|bits| *bits != 0) {
            let name = S::DUES[lasting[at].trailing_zeros() as usize];
            broken = Some((format!("{name}: not within {MOST} cycles"), at));
        }
    }
    let found = broken.map(|(rule, at)| Found { rule, trace: search.trace(&states, &parents, at) });
    let (sms, hubs) = (search.sms.len(), search.hubs.len());
    Ok(Outcome { states: states.len(), sms, hubs, depth, transitions, dues, found })
}
