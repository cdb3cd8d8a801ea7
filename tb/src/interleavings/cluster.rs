// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The semantics of the barrier of a cluster. A CTA without a cluster is a cluster of one CTA.

use super::misuse::Misuse;

/// The relation of a warp to the barrier of its cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Member {
    /// The warp has not arrived.
    #[default]
    Idle,
    /// The warp has arrived in the open phase.
    Arrived,
    /// The warp has arrived in the open phase and waits.
    Waits,
    /// The phase in which the warp has arrived is over, and the warp has not waited for it.
    Passed,
    /// The warp has exited.
    Gone,
}

impl Member {
    pub fn arrive(&mut self) -> Result<(), Misuse> {
        if *self != Member::Idle {
            return Err(Misuse("cluster_double_arrival"));
        }
        *self = Member::Arrived;
        Ok(())
    }

    /// Whether the warp resumes at once.
    pub fn wait(&mut self) -> Result<bool, Misuse> {
        match *self {
            Member::Passed => {
                *self = Member::Idle;
                Ok(true)
            }
            Member::Arrived => {
                *self = Member::Waits;
                Ok(false)
            }
            _ => Err(Misuse("cluster_wait_without_arrival")),
        }
    }
}

/// Ends the open phase if all warps that have not exited have arrived. Returns the warps that resume.
pub fn complete(members: &mut [Member]) -> Vec<usize> {
    let is_missing = |member: &Member| matches!(member, Member::Idle | Member::Passed);
    if members.iter().any(is_missing) || members.iter().all(|member| *member == Member::Gone) {
        return vec![];
    }
    let mut resumed = vec![];
    for (warp, member) in members.iter_mut().enumerate() {
        match *member {
            Member::Waits => {
                *member = Member::Idle;
                resumed.push(warp);
            }
            Member::Arrived => *member = Member::Passed,
            Member::Idle | Member::Passed | Member::Gone => {}
        }
    }
    resumed
}
