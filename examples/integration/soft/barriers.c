/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * barriers.c: all harts execute it, each from its own memory. They share arrays at SHARED and meet at barriers of `bcu_axil`, by polling and
 * by the interrupt line in turn. Hart 0 starts the warps, and writes the results to the host.
 */
#define BCU_BASE 0x90000000u
#include "bcu_axil.h"

enum { HARTS = 4, POINTS = 32, OF_HART = POINTS / HARTS, ROUNDS = 4, TIMED = 16 };

#define SHARED ((volatile uint32_t *)0x80000000u)
#define LINE(n) (SHARED + (n) * POINTS)           /* Two lines of points: each round reads one and writes the other. */
#define SUMS (SHARED + 2 * POINTS)                /* A word per hart. */
#define HOST(n) (((volatile uint32_t *)0xa0000000u)[n])
enum { RESULT, POLLED, BY_IRQ, FAILED };          /* Words of the host; the last write is one to RESULT or FAILED. */

static uint32_t cycles(void)
{
    uint32_t now;
    __asm__ volatile("csrr %0, mcycle" : "=r"(now));
    return now;
}

static int meet(uint32_t hart, uint32_t round, uint32_t id, uint32_t count)
{
    return round % 2 ? bcu_barrier_irq(hart, id, count) : bcu_barrier(hart, id, count);
}

/* Cycles of TIMED barriers of all harts, one after the other. */
static uint32_t time_barriers(uint32_t hart, int (*barrier)(uint32_t, uint32_t, uint32_t))
{
    uint32_t begin = cycles();
    for (int i = 0; i < TIMED; i++)
        if (barrier(hart, 0, HARTS))
            HOST(FAILED) = 1;
    return cycles() - begin;
}

static int by_polling(uint32_t hart, uint32_t id, uint32_t count)
{
    return bcu_barrier(hart, id, count);
}

static int by_irq(uint32_t hart, uint32_t id, uint32_t count)
{
    return bcu_barrier_irq(hart, id, count);
}

void main(uint32_t hart)
{
    uint32_t first = hart * OF_HART, failed = 0, sum = 0;

    if (hart == 0) {
        if (bcu_begin()) {
            HOST(FAILED) = 2;
            return;
        }
        bcu_launch(HARTS, 0);
    }
    bcu_await_launch(hart);
    bcu_enable(hart);

    /* Each point becomes left + 2 point + right, ROUNDS times. */
    for (uint32_t i = first; i < first + OF_HART; i++)
        LINE(0)[i] = i * 5 + 3;
    failed |= bcu_barrier(hart, 0, 0);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        volatile uint32_t *from = LINE(round % 2), *to = LINE((round + 1) % 2);
        for (uint32_t i = first; i < first + OF_HART; i++)
            to[i] = from[(i + POINTS - 1) % POINTS] + 2 * from[i] + from[(i + 1) % POINTS];
        failed |= meet(hart, round, 0, HARTS);
    }

    /* The sum of position times value, as a tree: pairs of harts meet at a barrier of two, then all at one without a count. */
    for (uint32_t i = first; i < first + OF_HART; i++) {
        uint32_t value = LINE(ROUNDS % 2)[i];
        for (uint32_t n = 0; n <= i; n++)
            sum += value;
    }
    SUMS[hart] = sum;
    failed |= bcu_barrier_irq(hart, 1 + hart / 2, 2);
    if (hart % 2 == 0)
        SUMS[hart] = SUMS[hart] + SUMS[hart + 1];
    failed |= bcu_barrier(hart, 3, 0);

    uint32_t polled = time_barriers(hart, by_polling), by_line = time_barriers(hart, by_irq);

    /* The last hart ends while the others wait: its exit completes the barrier. */
    if (failed)
        HOST(FAILED) = 3;
    if (hart == HARTS - 1) {
        for (uint32_t begin = cycles(); cycles() - begin < 1000;) {
        }
        SUMS[hart] = 77;
        bcu_exit(hart);
        return;
    }
    if (bcu_barrier_irq(hart, 0, 0) || SUMS[HARTS - 1] != 77)
        HOST(FAILED) = 4;
    if (hart == 0) {
        HOST(POLLED) = polled / TIMED;
        HOST(BY_IRQ) = by_line / TIMED;
        HOST(RESULT) = SUMS[0] + SUMS[2];
    }
    bcu_exit(hart);
}
