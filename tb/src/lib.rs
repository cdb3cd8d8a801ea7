// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verification: scenarios, lockstep co-simulation, legal users, and the test runner for them.

pub mod cosim;
pub mod coverage;
pub mod interleavings;
pub mod junit;
pub mod kernels;
pub mod legal;
pub mod lockstep;
pub mod plain;
pub mod regress;
pub mod replay;
pub mod scenario;
pub mod search;
pub mod shell;
pub mod stimulus;
pub mod testbench;
pub mod timing;
