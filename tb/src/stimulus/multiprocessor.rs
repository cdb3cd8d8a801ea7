// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One of several multiprocessors: the stimulus of `bcu` at the multiprocessor's ports. The launcher chooses clusters and grids, and
//! retirements are delayed.

use super::bcu::Bcu;
use super::driver::{Driver, Phase};
use super::error::StimulusError;
use super::launcher::{Grant, Launcher};
use super::shape::Shape;
use super::swarm::Duty;
use super::{Rng, Stimulus};
use bcu_isa::ports::{Dir, Port};
use bcu_model::dut::ByName;

/// Link ports of `bcu`, with their directions. In `gpu` these ports are internal, so the stimulus cannot drive them, and reads them as 0.
const LINKS: [(Dir, &[&str]); 2] = [
    (
        Dir::In,
        &[
            "net_out_ready",
            "net_ack_valid",
            "net_ack_cta",
            "net_ack_absent",
            "net_in_valid",
            "net_in_cta",
            "net_in_object",
            "net_in_kind",
            "net_in_count",
            "net_in_bytes",
            "net_in_source",
            "cluster_in_valid",
            "cluster_in_kind",
            "cluster_in_cluster",
            "cluster_out_ready",
            "grid_in_valid",
            "grid_in_kind",
            "grid_in_grid",
            "grid_out_ready",
        ],
    ),
    (
        Dir::Out,
        &[
            "net_out_valid",
            "net_out_cluster",
            "net_out_rank",
            "net_out_cta",
            "net_out_object",
            "net_out_kind",
            "net_out_count",
            "net_out_bytes",
            "net_in_ready",
            "net_reply_valid",
            "net_reply_source",
            "net_reply_absent",
            "cluster_out_valid",
            "cluster_out_kind",
            "cluster_out_cluster",
            "cluster_out_rank",
            "cluster_out_size",
            "grid_out_valid",
            "grid_out_kind",
            "grid_out_grid",
        ],
    ),
];

/// Indices of the multiprocessor's ports among all ports.
struct Places {
    /// Ports `valid`, CTA slot and warps of the launch channel.
    launch: [usize; 3],
    /// Ports cluster, rank, size, has_grid and grid of the launch channel.
    says: [usize; 5],
    /// Ports of the retire channel: `valid`, CTA slot, saved.
    retire: [usize; 3],
    launch_ready: usize,
    retire_ready: usize,
    /// Ports of the strobe `launched`: `valid`, CTA slot.
    launched: [usize; 2],
    /// Ports of the strobe `retired`: `valid`, CTA slot.
    retired: [usize; 2],
    /// Ports of the strobe `closed`: `valid`, cluster.
    closed: [usize; 2],
    /// Ports of the strobe `opened`: `valid`, grid.
    opened: [usize; 2],
    /// Indices of `launch_ready` and `retire_ready` among the outputs of a single `bcu`.
    own_ready: [usize; 2],
}

pub struct Multiprocessor {
    number: usize,
    play: Bcu,
    /// For each input of a single `bcu`, its index among all inputs; `None` for a link.
    inputs: Vec<Option<usize>>,
    /// For each output of a single `bcu`, its index among all outputs; `None` for a link.
    outputs: Vec<Option<usize>>,
    unit_outputs: Vec<u64>,
    at: Places,
    /// The cluster and grid of the offered launch.
    grant: Option<Grant>,
    /// The launch was already offered in the previous cycle.
    offered: bool,
    retiring: Option<Retiring>,
    /// Maximum number of cycles by which a retirement is delayed.
    patience: u64,
    /// Probability, in thousandths, that a retirement of a CTA of a cluster or grid has `saved`. The unit refuses such a retirement.
    saves: u64,
}

/// The parameters of a seed for all multiprocessors; probabilities are in thousandths.
#[derive(Clone, Copy)]
pub struct Profile {
    /// Probabilities that an operation at the cluster barrier, on the grid, or on an mbarrier replaces an arrival.
    clusters: u64,
    grids: u64,
    objects: u64,
    /// Probability that an operation on an mbarrier addresses an object of another CTA.
    far: u64,
    /// Minimum and maximum number of operations in a CTA's life.
    life: [u64; 2],
    /// Operations follow each other without a pause.
    steady: bool,
}

impl Profile {
    pub fn draw(rng: &mut Rng) -> Self {
        // In this profile nearly all operations of warps are on mbarriers of other CTAs, because otherwise few operations would meet in the
        // network.
        if rng.chance(300) {
            return Profile { clusters: 20, grids: 0, objects: 1000, far: 950, life: [500, 5000], steady: true };
        }
        let pick = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        Profile {
            clusters: pick(rng, &[20, 100, 500, 950]),
            grids: pick(rng, &[0, 100, 800]),
            objects: pick(rng, &[0, 300, 1000, 1000]),
            far: pick(rng, &[0, 100, 900, 950]),
            life: rng.pick(&[[0, 20], [5, 60], [50, 400], [500, 5000]]).unwrap_or([5, 60]),
            steady: rng.chance(500),
        }
    }
}

/// A retirement that the stimulus of `bcu` offers.
#[derive(Clone, Copy)]
struct Retiring {
    /// Number of cycles for which the retirement is still delayed.
    waits: u64,
    /// The retirement is offered without `saved`, even if the stimulus of `bcu` sets `saved`.
    plain: bool,
}

/// The ports of multiprocessor `number`, without the name prefix and with its links, each with its index among all ports.
fn own_ports(ports: &[Port], number: usize) -> Vec<(Port, Option<usize>)> {
    let prefix = format!("sm_{number}_");
    let (mut sm_ports, mut places) = (vec![], [0; 2]);
    for port in ports {
        let place = &mut places[usize::from(port.dir == Dir::Out)];
        match port.name.strip_prefix(&prefix) {
            Some(name) => sm_ports.push((Port { name: name.to_string(), ..port.clone() }, Some(*place))),
            None if port.name == "reset" => sm_ports.push((port.clone(), None)),
            None => (),
        }
        *place += 1;
    }
    let like = ports.first().cloned();
    for (dir, names) in LINKS {
        let link = |name: &&str| like.clone().map(|port| (Port { name: name.to_string(), dir, width: 8, ..port }, None));
        sm_ports.extend(names.iter().filter_map(link));
    }
    sm_ports
}

impl Multiprocessor {
    pub fn new(
        driver: &mut Driver,
        shape: Shape,
        number: usize,
        most_warps: u64,
        profile: Profile,
    ) -> Result<Self, StimulusError> {
        let ports_and_places = own_ports(driver.ports(), number);
        let (sm_ports, places): (Vec<Port>, Vec<Option<usize>>) = ports_and_places.into_iter().unzip();
        let places_of =
            |dir| sm_ports.iter().zip(&places).filter(|(port, _)| port.dir == dir).map(|(_, place)| *place).collect::<Vec<_>>();
        let mut alone = Driver::new(&sm_ports, driver.rng.draw(), "bcu of gpu", shape);
        // Limits the warps of a CTA so that every CTA slot can have a CTA.
        let share = (most_warps - 1) * 1000 / (shape.warps - 1).max(1);
        alone.swarm.size = alone.swarm.size.map(|size| size.min(share));
        alone.swarm.broken = 0;
        alone.swarm.switch = 0;
        let pick = |driver: &mut Driver, choices: &[u64]| driver.rng.pick(choices).unwrap_or(0);
        alone.swarm.misuse = pick(driver, &[0, 0, 5, 30]);
        alone.swarm.clusters = profile.clusters;
        alone.swarm.grids = profile.grids;
        alone.swarm.objects = profile.objects;
        alone.swarm.life = profile.life;
        if profile.steady {
            alone.swarm.source = Duty::steady();
        }
        let input = |name: &str| driver.input(&format!("sm_{number}_{name}"));
        let output = |name: &str| driver.output(&format!("sm_{number}_{name}"));
        let strobe = |name: &str, field: &str| {
            Ok::<_, StimulusError>([output(&format!("{name}_valid"))?, output(&format!("{name}_{field}"))?])
        };
        let at = Places {
            launch: [input("launch_valid")?, input("launch_cta")?, input("launch_warps")?],
            says: [
                input("launch_cluster")?,
                input("launch_rank")?,
                input("launch_size")?,
                input("launch_has_grid")?,
                input("launch_grid")?,
            ],
            retire: [input("retire_valid")?, input("retire_cta")?, input("retire_saved")?],
            launch_ready: output("launch_ready")?,
            retire_ready: output("retire_ready")?,
            launched: strobe("launched", "cta")?,
            retired: strobe("retired", "cta")?,
            closed: strobe("cluster_closed", "cluster")?,
            opened: strobe("grid_opened", "grid")?,
            own_ready: [sm_ports[..].output("launch_ready")?.index(), sm_ports[..].output("retire_ready")?.index()],
        };
        let (patience, saves) = (pick(driver, &[0, 50, 300, 1000]), pick(driver, &[0, 0, 50, 300]));
        let play = Bcu::new(alone, shape)?;
        let outputs = places_of(Dir::Out);
        Ok(Multiprocessor {
            number,
            play,
            inputs: places_of(Dir::In),
            unit_outputs: vec![0; outputs.len()],
            outputs,
            at,
            grant: None,
            offered: false,
            retiring: None,
            patience,
            saves,
        })
    }

    /// Uses the words `numbers` for objects. All multiprocessors use the same words, so that their CTAs access each other's objects.
    pub fn meet(&mut self, numbers: &[u64], profile: Profile) {
        self.play.objects.meet(numbers, profile.far);
    }

    /// Numbers of the words in which the multiprocessor's CTAs may have objects.
    pub fn numbers(&self) -> Vec<u64> {
        self.play.objects.numbers().to_vec()
    }

    /// Evaluates the multiprocessor's outputs of the previous cycle.
    pub fn look(&mut self, driver: &Driver, previous: &[u64], launcher: &mut Launcher, unlaunched: &mut [u64]) {
        let [valid, slot, saved] = self.at.retire.map(|port| driver.inputs[port]);
        if valid == 1 && previous[self.at.retire_ready] == 1 {
            launcher.retires(self.number, slot, saved == 1);
            // A retirement that was refused because it was saved is offered again as not saved.
            let bound = launcher.cta(self.number, slot).is_some_and(|cta| cta.bound);
            if saved == 1 && bound {
                self.retiring = Some(Retiring { waits: 1, plain: true });
            }
        }
        let strobe = |[valid, what]: [usize; 2]| (previous[valid] == 1).then(|| previous[what]);
        let Places { launched, retired, closed, opened, launch_ready, .. } = self.at;
        strobe(retired).into_iter().for_each(|slot| launcher.has_retired(self.number, slot));
        strobe(closed).into_iter().for_each(|cluster| launcher.has_closed(self.number, cluster));
        strobe(opened).into_iter().for_each(|grid| launcher.has_opened(self.number, grid));
        // In the cycle in which a launch is taken, `launched` reports it; a refused launch is not reported.
        if previous[launch_ready] == 1 {
            let grant = self.grant.take();
            grant.into_iter().for_each(|grant| launcher.settle(self.number, grant, strobe(launched), unlaunched));
        }
    }

    /// Drives the multiprocessor's inputs. `unlaunched` is the number of unlaunched CTAs of each grid, `may_launch` the grids whose CTAs
    /// may be launched.
    pub fn drive(
        &mut self,
        driver: &mut Driver,
        phase: Phase,
        previous: &[u64],
        launcher: &mut Launcher,
        unlaunched: &mut [u64],
        may_launch: u64,
    ) {
        for (output, place) in self.unit_outputs.iter_mut().zip(&self.outputs) {
            *output = if phase == Phase::Run { place.map_or(0, |place| previous[place]) } else { 0 };
        }
        let [launch_ready, retire_ready] = self.at.own_ready;
        if !self.offered {
            self.unit_outputs[launch_ready] = 0;
        }
        if self.retiring.is_some_and(|retiring| retiring.waits > 0) {
            self.unit_outputs[retire_ready] = 0;
        } else if self.unit_outputs[retire_ready] == 1 {
            self.retiring = None;
        }
        self.play.driver.follow(phase == Phase::Reset);
        let unit_inputs = self.play.next(&self.unit_outputs);
        for (value, place) in unit_inputs.iter().zip(&self.inputs) {
            place.iter().for_each(|place| driver.inputs[*place] = *value);
        }
        if phase == Phase::Reset {
            (self.grant, self.offered, self.retiring) = (None, false, None);
            return;
        }
        self.launch(driver, launcher, unlaunched, may_launch);
        self.retire(driver, launcher);
    }

    fn launch(&mut self, driver: &mut Driver, launcher: &mut Launcher, unlaunched: &mut [u64], may_launch: u64) {
        let [valid, slot, warps] = self.at.launch;
        if driver.inputs[valid] == 0 {
            self.offered = false;
            return;
        }
        let most = launcher.most_warps();
        while u64::from(driver.inputs[warps].count_ones()) > most {
            driver.inputs[warps] &= driver.inputs[warps] - 1;
        }
        if self.grant.is_none() {
            let (slot, warps) = (driver.inputs[slot] as usize, driver.inputs[warps]);
            self.grant = launcher.grant(&mut driver.rng, self.number, slot, warps, unlaunched, may_launch);
        }
        self.offered = self.grant.is_some();
        driver.inputs[valid] = u64::from(self.offered);
        if let Some(Grant { cluster, rank, size, grid, .. }) = self.grant {
            let values = [cluster, rank, size, u64::from(grid.is_some()), grid.unwrap_or(0) as u64];
            self.at.says.iter().zip(values).for_each(|(place, value)| driver.inputs[*place] = value);
        }
    }

    /// Delays the retirement of a CTA that other CTAs may wait for. A CTA of a cluster is not retired until the cluster is fully launched.
    fn retire(&mut self, driver: &mut Driver, launcher: &Launcher) {
        let [valid, slot, saved] = self.at.retire;
        if driver.inputs[valid] == 0 {
            self.retiring = None;
            return;
        }
        let slot = driver.inputs[slot];
        self.play.objects.leaves(slot);
        let mut retiring = self.retiring.unwrap_or_else(|| {
            let bound = launcher.cta(self.number, slot).is_some_and(|cta| cta.bound);
            let waits = if bound { 1 + driver.rng.below(self.patience + 1) } else { 1 };
            Retiring { waits, plain: bound && !driver.rng.chance(self.saves) }
        });
        if retiring.waits != 1 || !launcher.is_filling(self.number, slot) {
            retiring.waits = retiring.waits.saturating_sub(1);
        }
        driver.inputs[valid] = u64::from(retiring.waits == 0);
        if retiring.plain {
            driver.inputs[saved] = 0;
        }
        self.retiring = Some(retiring);
    }
}
