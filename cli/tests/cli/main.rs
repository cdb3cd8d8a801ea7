// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The command as its users see it: arguments and input files, exit code, stdout, stderr and output files.

mod bad_input;
mod check;
mod check_files;
mod common;
mod companions;
mod coverage;
mod crates;
mod explored;
mod explored_programs;
mod hangs;
mod help;
mod kernels;
mod merge;
mod outputs;
mod races;
mod readme;
mod records;
mod regress;
mod replay;
mod run;
mod scenarios;
mod schedules;
mod sources;
mod slurm;
mod timeline;
mod tools;
mod trace_events;
mod two_orders;
mod wave;
