// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All integration tests of the crate in one binary, so that the crate is linked once.

mod cluster_phases;
mod context_switch;
mod cosim;
mod coverage_data;
mod faults;
mod faults_doc;
mod interleavings;
mod junit;
mod kernels;
mod latency;
mod legal;
mod lockstep;
mod lockstep_coverage;
mod lockstep_infrastructure;
mod lockstep_stimulus;
mod mbarrier_waits;
mod mutants;
mod rare_operations;
mod replay;
mod reset;
mod ring;
mod rng;
mod scenarios;
mod search;
mod shell;
mod testbench;
mod throughput;
mod throughput_mbarrier;
mod timing;
