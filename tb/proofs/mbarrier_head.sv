// SPDX-License-Identifier: Apache-2.0 OR MIT
// Latency of the oldest item: the checker of `mbarrier_object` with the properties of `mbarrier_head.vh`.
`define HEAD
`include "mbarrier_object.sv"
