// SPDX-License-Identifier: Apache-2.0 OR MIT
// simt_isa.vh: instruction words of the example core `simt_core`; `simt_asm.py` writes them.
//
//   31:28 op   27 guard   26:24 rd   23:21 ra   20:18 rb   17:16 mode   15:0 imm
//
// A warp has 8 registers and a predicate per lane; register 0 reads as 0. With `guard` only lanes whose predicate is 1
// write a register or access memory. `imm` is signed. Addresses are words of the shared memory. Branches are for the
// warp as a whole.
`ifndef SIMT_ISA_VH
`define SIMT_ISA_VH

`define SIMT_ADD  4'd0  // rd = ra + rb + imm
`define SIMT_SUB  4'd1  // rd = ra - rb + imm
`define SIMT_SHR  4'd2  // rd = ra >> imm[4:0]
`define SIMT_TID  4'd3  // rd = number of the thread: warp * LANES + lane
`define SIMT_SLT  4'd4  // predicate = ra < rb + imm, signed
`define SIMT_LD   4'd5  // rd = memory[ra + imm]
`define SIMT_ST   4'd6  // memory[ra + imm] = rb
// To instruction imm: always (mode 0), if a predicate of the warp is 1 (mode 1), if none is (mode 2).
`define SIMT_BRA  4'd7
// Barrier imm[3:0]: arrive, rd = token (mode 0), arrive and wait (mode 1), wait for the end of the phase of the token
// in rb (mode 2); imm[15:8] is the number of warps that arrive, 0: all live ones.
`define SIMT_BAR  4'd8
`define SIMT_EXIT 4'd9  // the warp ends

`endif
