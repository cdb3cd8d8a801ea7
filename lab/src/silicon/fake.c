// SPDX-License-Identifier: Apache-2.0 OR MIT
// A fake CUDA driver for tests: its device memory is host memory, and the name of a kernel selects what a launch does. It reports CUDA 12.4
// and refuses newer PTX.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int state, retained, loaded, allocated;
static char names[64][64];
static int known;

int cuInit(unsigned flags) { return flags ? 1 : 0; }
int cuDriverGetVersion(int *v) { *v = 12040; return 0; }
int cuDeviceGetCount(int *n) { *n = 1; return 0; }
int cuDeviceGet(int *d, int n) { *d = 7; return n ? 101 : 0; }
int cuDeviceGetName(char *s, int n, int d) { snprintf(s, n, "Made-up GPU (TM)"); return d == 7 ? 0 : 101; }
int cuDeviceGetAttribute(int *v, int which, int d) {
    *v = which == 75 ? 9 : which == 76 ? 0 : which == 16 ? 3 : -1;
    return d == 7 ? 0 : 101;
}
int cuDevicePrimaryCtxRetain(void **c, int d) { *c = &retained; retained++; return d == 7 ? 0 : 101; }
int cuDevicePrimaryCtxRelease_v2(int d) {
    if (allocated || loaded) abort(); // memory and modules must be released before the context
    retained--;
    return d == 7 ? 0 : 101;
}
int cuCtxSetCurrent(void *c) { return c == &retained ? 0 : 201; }
int cuCtxSetLimit(int which, size_t n) { return which == 0 && n >= 1024 ? 0 : 1; }
int cuModuleLoadDataEx(void **m, const char *text, unsigned n, int *options, void **values) {
    if (n != 2 || options[0] != 5 || options[1] != 6) return 1;
    const char *version = strstr(text, ".version ");
    double number = version ? atof(version + 9) : 0;
    if (number < 1 || number > 8.45) return 222;
    if (strstr(text, "refuse_this")) {
        snprintf(values[0], (size_t)values[1], "ptxas fatal: made-up complaint");
        return 218;
    }
    *m = &loaded;
    loaded++;
    return 0;
}
int cuModuleUnload(void *m) { loaded--; return m == &loaded ? 0 : 1; }
int cuModuleGetFunction(void **f, void *m, const char *name) {
    if (m != &loaded) return 1;
    int at = 0;
    while (at < known && strcmp(names[at], name)) at++;
    if (at == known) snprintf(names[known++], 64, "%s", name);
    *f = names[at];
    return 0;
}
int cuFuncSetAttribute(void *f, int which, int n) { return f && which == 8 && n >= 0 ? 0 : 1; }
int cuMemAlloc_v2(uint64_t *a, size_t n) { allocated++; *a = (uint64_t)(uintptr_t)malloc(n); return n ? 0 : 1; }
int cuMemFree_v2(uint64_t a) { allocated--; free((void *)(uintptr_t)a); return 0; }
int cuMemcpyHtoD_v2(uint64_t a, const void *b, size_t n) { memcpy((void *)(uintptr_t)a, b, n); return 0; }
int cuMemcpyDtoH_v2(void *b, uint64_t a, size_t n) { memcpy(b, (void *)(uintptr_t)a, n); return 0; }
int cuLaunchKernel(const char *name, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **params, void **extra) {
    unsigned threads = gx * gy * gz * bx * by * bz;
    if (stream || extra || shared > 1024) return 1;
    if (!strcmp(name, "broken")) { state = 700; return 0; }
    if (!strcmp(name, "endless")) { state = 600; return 0; }
    uint64_t out = *(uint64_t *)params[0];
    if (!strcmp(name, "count") || !strcmp(name, "count_wrong")) {
        for (unsigned i = 0; i < threads; i++) ((uint32_t *)(uintptr_t)out)[i] = i + *(uint32_t *)params[1];
        if (name[5]) ((uint32_t *)(uintptr_t)out)[threads - 1]++;
        return 0;
    }
    if (!strcmp(name, "mbarrier_words")) {
        static const uint64_t words[] = {WORDS};
        memcpy((void *)(uintptr_t)out, words, sizeof words);
        return 0;
    }
    for (unsigned warp = 0; warp < threads / 32; warp++) {
        ((uint64_t *)(uintptr_t)out)[warp] = 64 * (20 + warp);
        ((uint64_t *)(uintptr_t)out)[32 + warp] = threads;
    }
    return 0;
}
int cuStreamQuery(void *stream) { return stream ? 1 : state; }
int cuCtxSynchronize(void) { return 0; }
int cuGetErrorName(int code, const char **s) { *s = code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : NULL; return *s ? 0 : 1; }
int cuGetErrorString(int code, const char **s) { *s = "made-up text"; return 0; }
