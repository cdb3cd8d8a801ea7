// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All tests of the crate from outside, in one binary: the crate is linked once.

mod check;
mod compiled;
mod litmus;
mod machine;
mod machine_lanes;
mod machine_memory;
mod machine_random;
mod machine_values;
mod model;
mod opcodes_doc;
mod program_bcu;
mod program_bcu_refused;
mod ptx;
mod ptx_arith;
mod ptx_bulk;
mod ptx_errors;
mod ptx_lanes;
mod ptx_launch;
mod ptx_limits;
mod ptx_matrix;
mod ptx_memory;
mod ptx_random;
mod ptx_rules;
mod ptx_stack;
mod ptx_stops;
mod ptx_wmma;
mod random_bcu;
mod record;
mod runs;
mod structured;
mod timeline;
mod trace;
mod trace_alloc;
mod trace_unit;
