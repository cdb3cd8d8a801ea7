// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads a trace in the Trace Event Format, and asserts what a viewer relies on.

use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A process and a thread.
pub type Track = (u64, u64);

/// A slice; times are in cycles.
#[derive(Clone, Debug)]
pub struct Slice {
    pub from: f64,
    pub to: f64,
    pub name: String,
    pub cat: String,
    pub args: Value,
    /// The position of its start in the file.
    position: usize,
}

/// An arrow, each end of which is a track and a time.
#[derive(Clone, Debug)]
pub struct Flow {
    pub cat: String,
    pub from: (Track, f64),
    pub to: (Track, f64),
}

#[derive(Debug, Default)]
pub struct Trace {
    /// The slices of each track, in order of their starts; of slices that start together, the outer one is first.
    pub slices: BTreeMap<Track, Vec<Slice>>,
    pub flows: Vec<Flow>,
    /// Names and tracks of instants.
    pub instants: Vec<(String, Track, f64)>,
    /// The values of each counter of each process, by the name with the unit.
    pub counters: BTreeMap<(u64, String), Vec<(f64, u64)>>,
    pub threads: HashMap<Track, String>,
    pub processes: HashMap<u64, String>,
}

fn number(event: &Value, key: &str) -> u64 {
    event[key].as_u64().unwrap_or_else(|| panic!("no `{key}` in {event}"))
}

fn text(event: &Value, key: &str) -> String {
    event[key].as_str().unwrap_or_else(|| panic!("no `{key}` in {event}")).to_string()
}

/// Parses a trace, and asserts that it is well-formed.
pub fn read(json: &str) -> Trace {
    let file: Value = serde_json::from_str(json).unwrap();
    assert_eq!(file["displayTimeUnit"], "ns");
    assert!(text(&file["otherData"], "time").starts_with("1 cycle is shown as 1 us"), "{}", file["otherData"]);
    let mut trace = Trace::default();
    let mut open: HashMap<Track, Vec<Slice>> = HashMap::new();
    let mut ends: BTreeMap<u64, [Option<(String, Track, f64)>; 2]> = BTreeMap::new();
    let mut orders: HashSet<(u64, Option<u64>)> = HashSet::new();
    for (position, event) in file["traceEvents"].as_array().unwrap().iter().enumerate() {
        let (kind, pid) = (text(event, "ph"), number(event, "pid"));
        let track = || (pid, number(event, "tid"));
        let time = || event["ts"].as_f64().unwrap_or_else(|| panic!("no time in {event}"));
        let slice = |from: f64, to: f64| {
            let (name, cat, args) = (text(event, "name"), text(event, "cat"), event["args"].clone());
            assert!(!name.is_empty() && from >= 0.0, "{event}");
            Slice { from, to, name, cat, args, position }
        };
        match kind.as_str() {
            "M" => match text(event, "name").as_str() {
                "process_name" => assert!(trace.processes.insert(pid, text(&event["args"], "name")).is_none(), "{event}"),
                "thread_name" => assert!(trace.threads.insert(track(), text(&event["args"], "name")).is_none(), "{event}"),
                "process_sort_index" | "thread_sort_index" => {
                    number(&event["args"], "sort_index");
                    assert!(orders.insert((pid, event["tid"].as_u64())), "{event}");
                }
                other => panic!("unknown metadata {other}"),
            },
            "X" => {
                let length = event["dur"].as_f64().unwrap();
                trace.slices.entry(track()).or_default().push(slice(time(), time() + length));
            }
            "B" => open.entry(track()).or_default().push(slice(time(), f64::NAN)),
            "E" => {
                let begun = open.get_mut(&track()).and_then(Vec::pop).unwrap_or_else(|| panic!("no start of {event}"));
                trace.slices.entry(track()).or_default().push(Slice { to: time(), ..begun });
            }
            "s" | "f" => {
                let at = usize::from(kind == "f");
                assert!(at == 0 || event["bp"] == "e", "{event}");
                let end = &mut ends.entry(number(event, "id")).or_default()[at];
                assert!(end.replace((text(event, "cat"), track(), time())).is_none(), "a second end: {event}");
            }
            "i" => {
                assert!(["t", "p", "g"].contains(&text(event, "s").as_str()), "{event}");
                trace.instants.push((text(event, "name"), track(), time()));
            }
            "C" => {
                let values: Vec<(&String, &Value)> = event["args"].as_object().unwrap().iter().collect();
                let [(unit, value)] = values[..] else { panic!("{event}") };
                let value = value.as_u64().unwrap_or_else(|| panic!("a negative value: {event}"));
                trace.counters.entry((pid, format!("{} {unit}", text(event, "name")))).or_default().push((time(), value));
            }
            other => panic!("unknown event {other}"),
        }
    }
    assert!(open.values().all(Vec::is_empty), "slices without an end: {open:?}");
    for (id, ends) in ends {
        let [Some((cat, from, start)), Some((_, to, end))] = ends else { panic!("flow {id} has one end") };
        assert!(start <= end, "flow {id} goes back in time");
        trace.flows.push(Flow { cat, from: (from, start), to: (to, end) });
    }
    trace.check(&orders);
    trace
}

impl Trace {
    fn check(&mut self, orders: &HashSet<(u64, Option<u64>)>) {
        for (track, slices) in &mut self.slices {
            slices.sort_by(|a, b| a.from.total_cmp(&b.from).then(b.to.total_cmp(&a.to)).then(a.position.cmp(&b.position)));
            let mut outer: Vec<&Slice> = vec![];
            for slice in slices.iter() {
                assert!(slice.to > slice.from, "{track:?}: {slice:?} has no length");
                outer.retain(|outer| outer.to > slice.from);
                if let Some(outer) = outer.last() {
                    assert!(slice.to <= outer.to, "{track:?}: {slice:?} exceeds {outer:?}");
                    // A viewer nests slices that start together in their order in the file.
                    assert!(
                        slice.from > outer.from || slice.position > outer.position,
                        "{track:?}: {slice:?} before {outer:?}"
                    );
                }
                outer.push(slice);
            }
        }
        let outer: HashMap<Track, Vec<&Slice>> = self.slices.keys().map(|track| (*track, self.outer(*track))).collect();
        let inside = |track: &Track, time: f64| {
            let begun = outer.get(track).map_or(&[][..], |slices| &slices[..slices.partition_point(|slice| slice.from < time)]);
            begun.last().is_some_and(|slice| time < slice.to)
        };
        for Flow { from, to, .. } in &self.flows {
            assert!(inside(&from.0, from.1) && inside(&to.0, to.1), "an end outside of slices: {from:?} {to:?}");
            assert!(from.0 != to.0, "a flow from a track to itself: {from:?} {to:?}");
        }
        let flows = self.flows.iter().flat_map(|flow| [flow.from.0, flow.to.0]);
        let instants = self.instants.iter().map(|(_, track, _)| *track);
        for track in self.slices.keys().copied().chain(flows).chain(instants) {
            assert!(self.threads.contains_key(&track), "{track:?} has no name");
            assert!(orders.contains(&(track.0, Some(track.1))), "{track:?} has no place");
        }
        for pid in self.threads.keys().map(|(pid, _)| *pid).chain(self.counters.keys().map(|(pid, _)| *pid)) {
            assert!(self.processes.contains_key(&pid) && orders.contains(&(pid, None)), "process {pid} has no name or place");
        }
        let threads: HashSet<u64> = self.threads.keys().map(|(_, tid)| *tid).collect();
        assert_eq!(threads.len(), self.threads.len(), "two threads have one number");
        for ((_, name), values) in &self.counters {
            assert!(["outstanding accesses", "outstanding in copies bytes"].contains(&name.as_str()), "{name}");
            assert!(values.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1), "{name}: {values:?}");
        }
    }

    /// The slices of a track that are in no other one.
    pub fn outer(&self, track: Track) -> Vec<&Slice> {
        let mut outer: Vec<&Slice> = vec![];
        for slice in self.slices.get(&track).into_iter().flatten() {
            if outer.last().is_none_or(|last| last.to <= slice.from) {
                outer.push(slice);
            }
        }
        outer
    }

    /// The track of a warp.
    pub fn warp(&self, cta: u64, warp: u64) -> Track {
        let of_cta =
            |name: &str| name.strip_prefix("CTA ").and_then(|rest| rest.split([',', ' ']).next()) == Some(&cta.to_string());
        let of_warp = |name: &str| {
            let mut words = name.split(' ').skip(1);
            words.next() == Some(&warp.to_string()) && words.next() != Some("copies")
        };
        let is = |(track, name): &(&Track, &String)| of_cta(&self.processes[&track.0]) && of_warp(name);
        let mut found = self.threads.iter().filter(is).map(|(track, _)| *track);
        let track = found.next().unwrap_or_else(|| panic!("no warp {warp} of CTA {cta}: {:?}", self.threads));
        assert_eq!(found.next(), None);
        track
    }

    /// The number of slices of a category.
    pub fn count(&self, cat: &str) -> usize {
        self.slices.values().flatten().filter(|slice| slice.cat == cat).count()
    }
}
