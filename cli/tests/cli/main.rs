// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The command as its users see it: arguments and input files, exit code, stdout, stderr and output files.

mod bad_input;
mod check;
mod check_files;
mod common;
mod companions;
mod coverage;
mod crates;
mod cuda;
mod examples;
mod explored;
mod explored_programs;
mod formats;
mod hangs;
mod help;
mod kernels;
mod memory;
mod merge;
mod outputs;
mod project;
mod races;
mod readme;
mod records;
mod regress;
mod replay;
mod run;
mod scenarios;
mod schedules;
mod seeds;
mod slurm;
mod sources;
mod timeline;
mod tools;
mod trace_events;
mod two_orders;
mod wave;
