// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests of the events: numbers stay valid when other events are removed.

use super::super::clock::Source;
use super::super::event::{Proxy, Strength};
use super::*;

fn event(step: u32) -> Event {
    Event {
        source: Source(1),
        step,
        grid: 0,
        cta: 0,
        cluster: 0,
        warp: 0,
        place: 0,
        time: 1,
        proxy: Proxy::Generic,
        strength: Strength::Weak,
        is_copy: false,
        is_read_only: false,
        has_values: false,
        commuting: None,
    }
}

#[test]
fn needed_events_stay_and_the_others_are_removed() {
    let mut events = Events::default();
    let mut needed: HashSet<u32> = HashSet::new();
    for step in 0..5 * MIN_NEW as u32 {
        if events.should_shrink() {
            events.retain(&needed);
        }
        let number = events.push(event(step));
        assert_eq!(number, step);
        if step % 1_000 == 7 {
            needed.insert(number);
        }
    }
    assert!(events.new.len() + events.old.len() <= MIN_NEW + needed.len(), "{} and {}", events.new.len(), events.old.len());
    events.get_mut(7).warp = 3;
    events.retain(&needed);
    assert_eq!(events.old.len(), needed.len());
    assert_eq!(events.get(7).warp, 3);
    needed.iter().for_each(|number| assert_eq!(events.get(*number).step, *number));
    assert_eq!(events.next(), 5 * MIN_NEW as u32);
}
