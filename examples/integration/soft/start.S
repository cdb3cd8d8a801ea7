/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* start.S: boot code of a hart: the stack pointer, then main(hart); after it the hart stops. */
    .section .start, "ax"
    .globl _start
_start:
    la sp, stack_end
    csrr a0, mhartid
    call main
    ebreak
