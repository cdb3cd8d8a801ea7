; SPDX-License-Identifier: Apache-2.0 OR MIT
; Programs of the example core `simt_core`. All warps begin at the same instruction; each program is entered by its number.

DATA   = 0               ; a word per thread
RESULT = THREADS         ; a word per thread
OTHERS = 2 * THREADS     ; a word per thread
HALF   = (WARPS + 1) / 2 ; number of warps with one of two roles; the others have the second one
FIRST  = HALF * LANES    ; first thread of the second role
ROUNDS = 5

  bra reduce             ; 0
  bra produce            ; 1
  bra leave              ; 2
  bra leave_counted      ; 3
  bra split              ; 4

; Sum of 3 t + 1 over all threads t, as a tree: n words become h = (n + 1) / 2, until n is 1. The sum is DATA[0].
reduce:
  tid      r1
  add      r2, r1, r1
  add      r2, r2, r1, 1
  st       [r1 + DATA], r2
  add      r3, r0, r0, THREADS  ; n
reduce_round:
  bar.sync 0, WARPS
  add      r4, r3, r0, 1
  shr      r4, r4, 1            ; h
  add      r5, r1, r4
  slt      r5, r3               ; predicate: t + h < n
  bra.none reduce_next          ; no lane of the warp adds
  @p ld    r6, [r5 + DATA]
  @p ld    r7, [r1 + DATA]
  @p add   r6, r6, r7
  @p st    [r1 + DATA], r6
reduce_next:
  add      r3, r4, r0
  slt      r0, r3, -1           ; 1 < n
  bra.any  reduce_round
  exit

; The first half of the warps writes DATA, the second reads it. Barrier 1: DATA is empty; barrier 2: DATA is full.
; In each round thread t of a producer writes t + rounds left; a consumer's RESULT is the sum of what it has read.
produce:
  tid      r1
  add      r2, r0, r0, ROUNDS
  add      r3, r0, r0, FIRST
  add      r7, r0, r0
  slt      r1, r3
  bra.none consume
produce_round:
  bar.sync 1, WARPS
  add      r4, r1, r2
  st       [r1 + DATA], r4
  bar.arrive 2, WARPS
  add      r2, r2, r0, -1
  slt      r0, r2
  bra.any  produce_round
  exit
consume:
  bar.arrive 1, WARPS
  bar.sync 2, WARPS
  ld       r4, [r1 + DATA - FIRST]
  add      r7, r7, r4
  add      r2, r2, r0, -1
  slt      r0, r2
  bra.any  consume
  st       [r1 + RESULT], r7
  exit

; The second half of the warps writes DATA, each after another time, and exits, while the first half waits at a barrier without a count:
; the last exit completes it. Then thread t of the first half has DATA of thread FIRST + t in RESULT (t, if there is none), and after a second
; barrier, of the first half alone, RESULT of thread FIRST - 1 - t in OTHERS.
leave:
  tid      r1
  add      r3, r0, r0, FIRST
  slt      r1, r3
  bra.none leaver
  bar.sync 3
  add      r4, r1, r0
  add      r5, r0, r0, THREADS - FIRST
  slt      r1, r5               ; predicate: there is a thread FIRST + t
  @p ld    r4, [r1 + DATA + FIRST]
  st       [r1 + RESULT], r4
  bar.sync 3
  bra      mirror
leaver:
  shr      r2, r1, 2
  add      r2, r2, r0, 20
leaver_wait:
  add      r2, r2, r0, -1
  slt      r0, r2
  bra.any  leaver_wait
  add      r2, r1, r0, 1000
  st       [r1 + DATA], r2
  exit

; As above, for barriers that all have a count: the second half exits at different times, and only the first half meets.
leave_counted:
  tid      r1
  add      r3, r0, r0, FIRST
  slt      r1, r3
  bra.none leaver
  add      r4, r1, r1, 7
  st       [r1 + RESULT], r4
  bar.sync 3, HALF
mirror:
  add      r5, r0, r0, FIRST - 1
  sub      r5, r5, r1
  ld       r4, [r5 + RESULT]
  st       [r1 + OTHERS], r4
  exit

; For barriers with phases: in each of 3 rounds thread t writes t + rounds left, arrives at barrier 4, works, and waits; its RESULT is the sum of
; what thread THREADS - 1 - t has written. All have read before barrier 5 completes.
split:
  tid      r1
  add      r2, r0, r0, 3
  add      r6, r0, r0
  add      r5, r0, r0, THREADS - 1
  sub      r5, r5, r1
split_round:
  add      r4, r1, r2
  st       [r1 + DATA], r4
  bar.arrive r7, 4, WARPS
  shr      r3, r1, 2
split_work:
  add      r3, r3, r0, -1
  slt      r0, r3
  bra.any  split_work
  bar.wait r7, 4
  ld       r4, [r5 + DATA]
  add      r6, r6, r4
  bar.sync 5, WARPS
  add      r2, r2, r0, -1
  slt      r0, r2
  bra.any  split_round
  st       [r1 + RESULT], r6
  exit
