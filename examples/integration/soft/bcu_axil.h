/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * bcu_axil.h: registers of `bcu_axil` and `bcu_registers`, whose header is the contract, and barriers for a core without a port for them.
 *
 * BCU_BASE is the address of the slave; define it before the file is included. BCU_WAIT() waits for the interrupt line of the warp, by default
 * `wfi`; the line stays up until its cause is cleared, so no event is lost.
 */
#ifndef BCU_AXIL_H
#define BCU_AXIL_H

#include <stdint.h>

/* Registers of one word. */
#define BCU_ID            0x000u
#define BCU_SIZES         0x004u
#define BCU_STATUS        0x008u
#define BCU_CONTROL       0x00cu
#define BCU_FAULT         0x010u
#define BCU_FAULTS        0x014u

/* Registers with a bit per warp: add 4 * (warp / 32). */
#define BCU_LIVE_SET      0x040u
#define BCU_LIVE_CLEAR    0x048u
#define BCU_ENABLE_SET    0x050u
#define BCU_ENABLE_CLEAR  0x058u
#define BCU_WAKE          0x060u
#define BCU_REFUSED       0x068u
#define BCU_IRQ           0x070u
#define BCU_STALLED       0x078u
#define BCU_PENDING       0x080u
#define BCU_MEMBER        0x088u
#define BCU_PRESENT       0x090u

/* Registers with a bit per CTA slot: add 4 * (slot / 32). */
#define BCU_LOADING_SET   0x0a0u
#define BCU_LOADING_CLEAR 0x0a8u
#define BCU_CTA_BUSY      0x0b0u

/* Registers of a CTA slot: add 4 * slot. */
#define BCU_OPEN          0x100u

/* Registers of a warp: add 16 * warp. */
#define BCU_ARRIVE        0x400u
#define BCU_WARP          0x404u
#define BCU_CTA           0x408u

/* Value of ID: "BCU" and the number of the map. */
#define BCU_ID_VALUE 0x42435501u

/* STATUS and CONTROL. */
#define BCU_STATUS_READY  (1u << 0)
#define BCU_STATUS_IRQ    (1u << 1)
#define BCU_STATUS_FAULT  (1u << 2)
#define BCU_STATUS_GROW   (1u << 8)
#define BCU_CONTROL_FAULT (1u << 0)

/* SIZES and FAULT: fields of a word. */
#define BCU_SIZES_WARPS(word)    ((word) >> 0 & 0xffu)
#define BCU_SIZES_LANES(word)    ((word) >> 8 & 0xffu)
#define BCU_SIZES_CTAS(word)     ((word) >> 16 & 0xffu)
#define BCU_SIZES_BARRIERS(word) ((word) >> 24 & 0xffu)
#define BCU_FAULT_CODE(word)     ((word) >> 0 & 0x3fu)
#define BCU_FAULT_WARP(word)     ((word) >> 8 & 0x3fu)
#define BCU_FAULT_CTA(word)      ((word) >> 16 & 0x3fu)
#define BCU_FAULT_ID(word)       ((word) >> 24 & 0xfu)
#define BCU_FAULT_HAS_WARP       (1u << 30)
#define BCU_FAULT_HELD           (1u << 31)

/* ARRIVE. A count of 0: all live warps of the CTA. */
#define BCU_ARRIVE_ID(id)       ((uint32_t)(id) << 0)
#define BCU_ARRIVE_WAIT         (1u << 8)
#define BCU_ARRIVE_COUNT(count) ((uint32_t)(count) << 16)

/* WARP. */
#define BCU_WARP_LIVE    (1u << 0)
#define BCU_WARP_PRESENT (1u << 1)
#define BCU_WARP_MEMBER  (1u << 2)
#define BCU_WARP_STALLED (1u << 3)
#define BCU_WARP_PENDING (1u << 4)
#define BCU_WARP_WAKE    (1u << 5)
#define BCU_WARP_REFUSED (1u << 6)
#define BCU_WARP_IRQ     (1u << 7)

#ifndef BCU_BASE
#error "bcu_axil.h: define BCU_BASE, the address of bcu_axil, before this file is included"
#endif

#ifndef BCU_WAIT
#define BCU_WAIT() __asm__ volatile("wfi" ::: "memory")
#endif

#define BCU_REGISTER(offset) (*(volatile uint32_t *)(BCU_BASE + (offset)))
#define BCU_OF_WARP(offset, warp) BCU_REGISTER((offset) + 16u * (warp))
#define BCU_MASK(offset, warp) BCU_REGISTER((offset) + 4u * ((warp) / 32u))
#define BCU_BIT(warp) (1u << (warp) % 32u)

/* Waits until the unit has cleared its tables after reset. Returns 0, or -1 if there is no `bcu_axil` of this map at BCU_BASE. */
static inline int bcu_begin(void)
{
    if (BCU_REGISTER(BCU_ID) != BCU_ID_VALUE)
        return -1;
    while (!(BCU_REGISTER(BCU_STATUS) & BCU_STATUS_READY)) {
    }
    return 0;
}

/* Starts `warps` warps, 1 to 32, beginning with warp 0, in a CTA slot whose bit in CTA_BUSY is 0. */
static inline void bcu_launch(uint32_t warps, uint32_t slot)
{
    for (uint32_t warp = 0; warp < warps; warp++)
        BCU_OF_WARP(BCU_CTA, warp) = slot;
    BCU_REGISTER(BCU_LIVE_SET) = ~0u >> (32u - warps);
}

/* Waits until the warp has been started. */
static inline void bcu_await_launch(uint32_t warp)
{
    while (!(BCU_OF_WARP(BCU_WARP, warp) & BCU_WARP_LIVE)) {
    }
}

/* Ends the warp. */
static inline void bcu_exit(uint32_t warp)
{
    __sync_synchronize();
    BCU_MASK(BCU_LIVE_CLEAR, warp) = BCU_BIT(warp);
}

/*
 * The warp arrives at a barrier and does not wait. The number of warps must not be 0. A refusal comes later: the next wait of the warp returns
 * it, and FAULT has it.
 */
static inline void bcu_arrive(uint32_t warp, uint32_t id, uint32_t count)
{
    __sync_synchronize();
    BCU_OF_WARP(BCU_ARRIVE, warp) = BCU_ARRIVE_ID(id) | BCU_ARRIVE_COUNT(count);
    while (BCU_OF_WARP(BCU_WARP, warp) & BCU_WARP_PENDING) {
    }
}

/* The warp arrives at a barrier at which it waits. */
static inline void bcu_begin_wait(uint32_t warp, uint32_t id, uint32_t count)
{
    __sync_synchronize();
    BCU_OF_WARP(BCU_ARRIVE, warp) = BCU_ARRIVE_ID(id) | BCU_ARRIVE_WAIT | BCU_ARRIVE_COUNT(count);
}

/* 0 while the warp waits, else WAKE and REFUSED of the warp. STALLED is no measure: it falls a cycle before these are set. */
static inline uint32_t bcu_wait_ended(uint32_t warp)
{
    return BCU_OF_WARP(BCU_WARP, warp) & (BCU_WARP_WAKE | BCU_WARP_REFUSED);
}

/* Clears WAKE and REFUSED of the warp. Returns 0, or -1 if the arrival was refused. */
static inline int bcu_end_wait(uint32_t warp, uint32_t ended)
{
    BCU_MASK(BCU_WAKE, warp) = BCU_BIT(warp);
    if (ended & BCU_WARP_REFUSED)
        BCU_MASK(BCU_REFUSED, warp) = BCU_BIT(warp);
    __sync_synchronize();
    return ended & BCU_WARP_REFUSED ? -1 : 0;
}

/* The warp arrives at a barrier and waits until `count` warps have arrived, or with 0 all live warps of its CTA. Polls. */
static inline int bcu_barrier(uint32_t warp, uint32_t id, uint32_t count)
{
    uint32_t ended;
    bcu_begin_wait(warp, id, count);
    while (!(ended = bcu_wait_ended(warp))) {
    }
    return bcu_end_wait(warp, ended);
}

/* Enables the interrupt line of the warp. */
static inline void bcu_enable(uint32_t warp)
{
    BCU_MASK(BCU_ENABLE_SET, warp) = BCU_BIT(warp);
}

/* As `bcu_barrier`, but waits for the interrupt line, which `bcu_enable` has enabled: the core is not on the bus meanwhile. */
static inline int bcu_barrier_irq(uint32_t warp, uint32_t id, uint32_t count)
{
    uint32_t ended;
    bcu_begin_wait(warp, id, count);
    do
        BCU_WAIT();
    while (!(ended = bcu_wait_ended(warp)));
    return bcu_end_wait(warp, ended);
}

#endif
