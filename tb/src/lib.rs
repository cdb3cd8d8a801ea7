// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Evidence: scenarios, lockstep co-simulation and the runner over them.
