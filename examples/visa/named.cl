// SPDX-License-Identifier: Apache-2.0 OR MIT
// Named barriers of OpenCL C, and vISA named-barrier instructions as inline assembly with variables.

__attribute__((intel_reqd_sub_group_size(16)))
kernel void subgroups(global int *p) {
    local NamedBarrier_t *all = named_barrier_init(4);
    local NamedBarrier_t *two = named_barrier_init(2);
    size_t i = get_global_id(0);
    p[i] = 1;
    work_group_named_barrier(all, CLK_GLOBAL_MEM_FENCE);
    if (get_sub_group_id() < 2) {
        p[i] += p[i ^ 1];
        work_group_named_barrier(two, CLK_LOCAL_MEM_FENCE);
    }
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void variables(global int *p) {
    __asm__ volatile(
        ".decl ID v_type=G type=ub num_elts=1\n"
        ".decl N v_type=G type=ub num_elts=1\n"
        "mov (M1_NM, 1) ID(0,0)<1> 0x2:ub\n"
        "mov (M1_NM, 1) N(0,0)<1> 0x2:ub\n"
        "nbarrier.signal ID(0,0)<0;1,0> N(0,0)<0;1,0>\n"
        "nbarrier.wait ID(0,0)<0;1,0>\n"
        "nbarrier.signal 0x1:ub 0x4:ub\n"
        "nbarrier.wait 0x1:ub\n");
    p[get_global_id(0)] = 1;
}
