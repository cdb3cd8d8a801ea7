// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Grids of CTAs on two multiprocessors, with one resident CTA on each, and their hub (`docs/contract/grids.md`).

use super::link::Link;
use super::space::{Cycle, Space, View};
use bcu_model::grid::{
    GridHubKind, GridHubMessage, GridIn, GridKind, GridLaunch, GridMessage, GridMessageKind, GridOp, GridOut,
};
use bcu_model::grid_hub::{GridHubIn, GridHubOut, GridOpen};
use bcu_model::{Clocked, Grid, GridHub, Sizes};

/// The state space to search: two grid slots, and one CTA slot on each multiprocessor. In each cycle either the host or one multiprocessor
/// may act. Independently, each link passes its first message or holds it.
pub struct Grids {
    pub sizes: Sizes,
    /// The number of warps of a CTA.
    pub warps: usize,
    /// The maximum number of CTAs of a grid.
    pub ctas: u8,
    /// Maximum number of messages on a link.
    pub places: usize,
    /// If set: every grid is early and has the other grid as its prerequisite, flushes are taken and done immediately, and grids are closed
    /// immediately. Otherwise all of these choices are free.
    pub prompt: bool,
    pub fault: Option<Fault>,
}

/// An injected fault, which the search must find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A message of a multiprocessor about the end of a CTA is lost.
    MessageLost,
    /// The hub ignores prerequisites.
    Early,
}

/// Number of grid slots in use.
const GRIDS: usize = 2;

/// The state of a multiprocessor, with its links and its CTA.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Sm {
    unit: Grid,
    up: Link<GridMessage, 3>,
    down: Link<GridHubMessage, 3>,
    live: u8,
    /// Warps whose operation is not committed yet.
    busy: u8,
    /// The grid of the multiprocessor's last CTA.
    grid: u8,
    /// The multiprocessor's last CTA has issued launch_dependents.
    has_issued: bool,
    /// The multiprocessor's last CTA has ended.
    ended: bool,
}

/// The part of a multiprocessor's state that the rules read.
pub struct SmSeen {
    sm: Sm,
    out: GridOut,
    /// Masks of grid slots. `outbound_grids`: a message about the grid is in flight to the hub. `opened_grids`: the message Opened is in
    /// flight from the hub.
    outbound_grids: u8,
    opened_grids: u8,
}

pub struct HubSeen {
    out: GridHubOut,
}

/// The true state of a grid slot, from the actions of the environment.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Truth {
    used: bool,
    /// The flush of the grid is requested.
    flush_requested: bool,
    /// The flush of the grid is done.
    done: bool,
    early: bool,
    /// Prerequisites of the grid that are not done.
    needs: u8,
    /// Number of the grid's CTAs that are not launched yet.
    unlaunched: u8,
    /// For each multiprocessor, the number of Opened messages for this grid slot that the multiprocessor has not reported on `opened` yet.
    owed: [u8; 2],
}

pub type Env = [Truth; GRIDS];

/// The events at a multiprocessor in a cycle.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Act {
    launch: Option<u8>,
    op: Option<(GridKind, u8)>,
    exits: u8,
    cta_ends: bool,
    up: bool,
    down: bool,
}

impl std::fmt::Debug for Act {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut says = vec![];
        says.extend(self.launch.map(|grid| format!("launch of a CTA of grid {grid}")));
        says.extend(self.op.map(|(kind, warp)| format!("{kind:?} of warp {warp}")));
        says.extend((self.exits != 0).then(|| format!("exits of warps {:#b}", self.exits)));
        says.extend(self.cta_ends.then(|| "the CTA ends".to_string()));
        says.extend((!self.up).then(|| "the up link stalls".to_string()));
        says.extend((!self.down).then(|| "the down link stalls".to_string()));
        f.write_str(&if says.is_empty() { "-".to_string() } else { says.join(", ") })
    }
}

const CALM: Act = Act { launch: None, op: None, exits: 0, cta_ends: false, up: true, down: true };

impl Act {
    fn does(&self) -> bool {
        Act { up: true, down: true, ..*self } != CALM
    }
}

/// The actions of host and memory. `open` opens a grid: its grid slot, its number of CTAs, whether the other grid is its prerequisite, and
/// whether it may be launched early.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Host {
    open: Option<(u8, u8, bool, bool)>,
    close: Option<u8>,
    flushed: Option<u8>,
    takes: bool,
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut says = vec![];
        says.extend(self.open.map(|(grid, ctas, is_dependent, early)| {
            let how = ["", " after the other one", "", " early after the other one"]
                [usize::from(is_dependent) + 2 * usize::from(early)];
            format!("open of grid {grid} of {ctas} CTAs{how}")
        }));
        says.extend(self.close.map(|grid| format!("close of grid {grid}")));
        says.extend(self.flushed.map(|grid| format!("grid {grid} is flushed")));
        says.extend((!self.takes).then(|| "flush is not taken".to_string()));
        f.write_str(&if says.is_empty() { "-".to_string() } else { says.join(", ") })
    }
}

impl Host {
    fn does(&self) -> bool {
        Host { takes: false, ..*self } != Host::default()
    }
}

impl Grids {
    /// The possible actions of warps, CTAs and scheduler at a multiprocessor, independent of the other multiprocessor.
    fn acts(&self, sm: &Sm, out: &GridOut) -> Vec<Act> {
        let (Sm { live, busy, ended, has_issued, .. }, mut acts) = (sm, vec![]);
        if out.freed & 1 != 0 && *ended && *busy == 0 {
            acts.extend((0..GRIDS as u8).map(|grid| Act { launch: Some(grid), ..CALM }));
        }
        if *live == 0 && !ended {
            acts.push(Act { cta_ends: true, ..CALM });
        }
        let idle = live & !busy;
        let may = (0..self.warps as u8).filter(|warp| idle >> warp & 1 != 0 && out.waiting >> warp & 1 == 0);
        let waits = may.clone().map(|warp| Some((GridKind::Wait, warp)));
        let launches = may.filter(|_| !*has_issued).map(|warp| Some((GridKind::LaunchDependents, warp)));
        let ops: Vec<_> = [None].into_iter().chain(waits).chain(launches).collect();
        for exits in (0..1u8 << self.warps).filter(|exits| exits & !idle == 0) {
            let by = |op: &&Option<(GridKind, u8)>| op.is_none_or(|(_, warp)| exits >> warp & 1 == 0);
            acts.extend(ops.iter().filter(by).map(|op| Act { exits, op: *op, ..CALM }));
        }
        acts
    }

    /// One cycle of a multiprocessor; `None` if a link is full.
    fn simulate_cycle(&self, sm: &Sm, out: &GridOut, hub_message: Option<GridHubMessage>, act: Act) -> Option<Cycle<Grids>> {
        let ready = sm.up.messages().count() < self.places;
        let sent_message = out.grid_out_valid.then_some(out.grid_out).filter(|_| ready);
        let is_lost = |message: &GridMessage| self.fault == Some(Fault::MessageLost) && message.kind == GridMessageKind::Ended;
        let (up, from) = sm.up.cycle(sent_message.filter(|message| !is_lost(message)), act.up)?;
        let (down, received_message) =
            sm.down.cycle(hub_message, act.down).filter(|(down, _)| down.messages().count() <= self.places)?;
        let mut next = Sm { up, down, ..sm.clone() };
        next.unit.clock(&GridIn {
            launch: act.launch.map(|grid| GridLaunch { cta: 0, has_grid: true, grid }),
            live: sm.live.into(),
            ended: sm.ended.into(),
            op: act.op.map(|(kind, warp)| GridOp { kind, warp, ..GridOp::default() }),
            grid_in: received_message,
            grid_out_ready: ready,
            fault_ready: true,
            ..GridIn::default()
        });
        next.live &= !act.exits;
        next.ended |= act.cta_ends;
        next.busy &= !(out.commit.warps as u8);
        if let Some((kind, warp)) = act.op {
            next.busy |= 1 << warp;
            next.has_issued |= kind == GridKind::LaunchDependents;
        }
        if let Some(grid) = act.launch {
            let live = ((1u16 << self.warps) - 1) as u8;
            next = Sm { live, grid, has_issued: false, ended: false, ..next };
        }
        Some(Cycle { act, next, up: from })
    }
}

impl View<'_, Grids> {
    /// Whether all CTAs of `grid` have been launched and `holds` is true for each of them.
    fn all_ctas(&self, grid: usize, holds: impl Fn(&Sm) -> bool) -> bool {
        let Truth { used, unlaunched, .. } = self.env[grid];
        used && unlaunched == 0
            && self.sms.iter().all(|view_of_sm| usize::from(view_of_sm.sm.grid) != grid || holds(&view_of_sm.sm))
    }

    fn has_ended(&self, grid: usize) -> bool {
        self.all_ctas(grid, |sm| sm.ended)
    }

    /// Whether the grid's prerequisites allow its launch.
    fn may_launch(&self, grid: usize) -> bool {
        let Truth { used, early, needs, .. } = self.env[grid];
        let issued = |of: usize| early && self.all_ctas(of, |sm| sm.has_issued || sm.ended);
        used && (0..GRIDS).all(|of| needs >> of & 1 == 0 || issued(of))
    }
}

impl Space for Grids {
    type Sm = Sm;
    type SmSeen = SmSeen;
    type Hub = GridHub;
    type HubSeen = HubSeen;
    type Env = Env;
    type Up = GridMessage;
    type Down = GridHubMessage;
    type Act = Act;
    type Host = Host;
    const DUES: &'static [&'static str] = &[
        "a grid may be launched when its prerequisites allow it",
        "a warp is released when all prerequisites are flushed",
        "a flush is requested when all CTAs have ended",
        "Opened is output",
    ];

    fn start(&self) -> (Sm, GridHub, Env) {
        let unit = Grid::new(self.sizes);
        let (up, down) = (Link::default(), Link::default());
        let sm = Sm { unit, up, down, live: 0, busy: 0, grid: 0, has_issued: false, ended: true };
        (sm, GridHub::new(self.sizes), Env::default())
    }

    fn see_sm(&self, sm: &Sm) -> SmSeen {
        let out = sm.unit.outputs();
        let up = sm.up.messages().chain(out.grid_out_valid.then_some(out.grid_out)).map(|message| message.grid);
        let opens = sm.down.messages().filter(|message| message.kind == GridHubKind::Opened).map(|message| message.grid);
        let received_message = opens.chain(out.opened_valid.then_some(out.opened_grid));
        let set = |all: u8, grid: u8| all | 1 << grid;
        SmSeen { sm: sm.clone(), out, outbound_grids: up.fold(0, set), opened_grids: received_message.fold(0, set) }
    }

    fn see_hub(&self, hub: &GridHub) -> HubSeen {
        HubSeen { out: hub.outputs() }
    }

    fn message_to(&self, hub: &HubSeen, _: usize) -> Option<GridHubMessage> {
        hub.out.to_valid.then_some(hub.out.to)
    }

    fn cycles(&self, sm: &Sm, hub_message: Option<GridHubMessage>) -> Vec<Cycle<Grids>> {
        let out = sm.unit.outputs();
        let sent_message = out.grid_out_valid.then_some(out.grid_out);
        let choices = |any: bool| if any { &[true, false][..] } else { &[true] };
        let (ups, downs) = (choices(sm.up.has_any(sent_message)), choices(sm.down.has_any(hub_message)));
        let acts = self.acts(sm, &out).into_iter();
        let acts = acts
            .flat_map(|act| ups.iter().flat_map(move |up| downs.iter().map(move |down| Act { up: *up, down: *down, ..act })));
        acts.filter_map(|act| self.simulate_cycle(sm, &out, hub_message, act)).collect()
    }

    fn serve(&self, hub: &GridHub, from: [Option<GridMessage>; 2], host: &Host) -> GridHub {
        let (mut next, hears) = (hub.clone(), self.fault != Some(Fault::Early));
        next.clock(&GridHubIn {
            reset: false,
            from: from.to_vec(),
            open: host.open.map(|(grid, ctas, is_dependent, early)| GridOpen {
                grid,
                ctas: ctas.into(),
                prerequisites: if is_dependent && hears { 1 << (1 - grid) } else { 0 },
                early,
            }),
            close: host.close,
            flush_ready: host.takes,
            flushed: host.flushed,
        });
        next
    }

    fn hosts(&self, hub: &HubSeen, env: Env) -> Vec<Host> {
        let grids = || 0..GRIDS as u8;
        let truth_of = |grid: u8| env[usize::from(grid)];
        // Memory performs a requested flush in this cycle or later.
        let mut requested_flushes: Vec<_> =
            grids().filter(|grid| truth_of(*grid).flush_requested).map(Some).chain([None]).collect();
        let mut closes: Vec<_> = [None].into_iter().chain(grids().filter(|grid| truth_of(*grid).done).map(Some)).collect();
        if self.prompt {
            requested_flushes.truncate(1);
            closes.drain(..closes.len() - 1);
        }
        // The choices for a new grid: whether the other grid is its prerequisite, and whether the new grid is early. A grid without a
        // prerequisite is not early.
        let ways = if self.prompt { &[(true, true)][..] } else { &[(false, false), (true, false), (true, true)] };
        let sizes = |grid: u8| {
            (1..=self.ctas)
                .flat_map(move |ctas| ways.iter().map(move |(is_dependent, early)| Some((grid, ctas, *is_dependent, *early))))
        };
        let unused_grids = grids().filter(|grid| !truth_of(*grid).used && truth_of(*grid).owed.iter().all(|owed| *owed < 3));
        let opens: Vec<_> = [None].into_iter().chain(unused_grids.flat_map(sizes)).collect();
        let takes = if hub.out.flush_valid && !self.prompt { &[true, false][..] } else { &[true] };
        let mut hosts = vec![];
        for flushed in &requested_flushes {
            for close in &closes {
                for open in &opens {
                    hosts.extend(takes.iter().map(|takes| Host {
                        open: *open,
                        close: *close,
                        flushed: *flushed,
                        takes: *takes,
                    }));
                }
            }
        }
        hosts
    }

    fn is_calm(&self, act: &Act) -> bool {
        *act == CALM
    }

    fn permit(&self, view: &View<Grids>, acts: [&Act; 2], host: &Host) -> Option<Env> {
        // Only one of the host and the two multiprocessors acts in a cycle. With `prompt` the host's closes and flushes do not count.
        let busy =
            acts.iter().filter(|act| act.does()).count() + usize::from(host.does() && !(self.prompt && host.open.is_none()));
        if busy > 1 {
            return None;
        }
        let (mut env, hub) = (view.env, &view.hub.out);
        for sm in 0..2 {
            let Some(grid) = acts[sm].launch else { continue };
            let truth = &mut env[usize::from(grid)];
            if hub.may_launch >> grid & 1 == 0 || truth.owed[sm] != 0 || truth.unlaunched == 0 {
                return None;
            }
            truth.unlaunched -= 1;
        }
        for (sm, view_of_sm) in view.sms.iter().enumerate().filter(|(_, view_of_sm)| view_of_sm.out.opened_valid) {
            env[usize::from(view_of_sm.out.opened_grid)].owed[sm] -= 1;
        }
        if hub.flush_valid && host.takes {
            env[usize::from(hub.flush)].flush_requested = true;
        }
        // A grid that is already flushed when another grid is opened is no prerequisite of that grid.
        let unfinished = |of: usize| view.env[of].used && !view.env[of].done && host.flushed != Some(of as u8);
        if let Some(grid) = host.flushed {
            let truth = &mut env[usize::from(grid)];
            (truth.flush_requested, truth.done) = (false, true);
            env.iter_mut().for_each(|truth| truth.needs &= !(1 << grid));
        }
        if let Some(grid) = host.close {
            let truth = &mut env[usize::from(grid)];
            *truth = Truth { owed: truth.owed, ..Truth::default() };
        }
        if let Some((grid, ctas, is_dependent, early)) = host.open {
            let other_grid = 1 - grid;
            let needs = if is_dependent && unfinished(usize::from(other_grid)) { 1 << other_grid } else { 0 };
            let owed = env[usize::from(grid)].owed.map(|owed| owed + 1);
            env[usize::from(grid)] = Truth { used: true, early, needs, unlaunched: ctas, owed, ..Truth::default() };
        }
        Some(env)
    }

    fn broken(&self, view: &View<Grids>) -> Option<&'static str> {
        let hub = &view.hub.out;
        for grid in 0..GRIDS {
            let Truth { flush_requested, done, .. } = view.env[grid];
            if hub.may_launch >> grid & 1 != 0 && !view.may_launch(grid) {
                return Some("a grid may be launched before its prerequisites allow it");
            }
            if hub.flush_valid && usize::from(hub.flush) == grid && (!view.has_ended(grid) || flush_requested || done) {
                return Some("a flush is requested before all CTAs have ended, or twice");
            }
            let open = hub.open_grids >> grid & 1 != 0;
            if !open && view.sms.iter().any(|view_of_sm| view_of_sm.outbound_grids >> grid & 1 != 0) {
                return Some("a message of a grid that is not open is in flight");
            }
        }
        for (sm, view_of_sm) in view.sms.iter().enumerate() {
            let truth = view.env[usize::from(view_of_sm.sm.grid)];
            if view_of_sm.out.release != 0 && !(truth.used && truth.needs == 0) {
                return Some("a warp is released before all prerequisites of its grid are flushed");
            }
            let hub_message = self.message_to(view.hub, sm).filter(|message| message.kind == GridHubKind::Opened);
            let received_message =
                hub_message.map_or(view_of_sm.opened_grids, |message| view_of_sm.opened_grids | 1 << message.grid);
            if (0..GRIDS).any(|grid| view.env[grid].owed[sm] == 0 && received_message >> grid & 1 != 0) {
                return Some("Opened is sent twice");
            }
        }
        None
    }

    fn due(&self, view: &View<Grids>) -> u8 {
        let any = |is: &dyn Fn(usize) -> bool| (0..GRIDS).any(is);
        let hub = &view.hub.out;
        let launches = any(&|grid| hub.may_launch >> grid & 1 == 0 && !view.has_ended(grid) && view.may_launch(grid));
        let waits = |view_of_sm: &&SmSeen| view_of_sm.out.waiting & u64::from(view_of_sm.sm.live) != 0;
        let released_warps =
            view.sms.iter().any(|view_of_sm| waits(view_of_sm) && view.env[usize::from(view_of_sm.sm.grid)].needs == 0);
        let flushes = any(&|grid| view.has_ended(grid) && !view.env[grid].flush_requested && !view.env[grid].done);
        let shows = any(&|grid| view.env[grid].owed != [0; 2]);
        [launches, released_warps, flushes, shows].iter().enumerate().fold(0, |all, (bit, due)| all | u8::from(*due) << bit)
    }
}
