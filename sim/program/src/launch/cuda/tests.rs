// SPDX-License-Identifier: Apache-2.0 OR MIT

use super::*;

fn listed(text: &str) -> Vec<String> {
    let show = |kernel: CudaKernel| {
        let params: Vec<String> = kernel.params.into_iter().map(|name| name.unwrap_or("-".to_string())).collect();
        format!("{}: {}", kernel.name, params.join(" "))
    };
    cuda_kernels(text).into_iter().map(show).collect()
}

#[test]
fn kernels_have_the_names_of_their_parameters() {
    for (text, expected) in [
        ("__global__ void k(const float* __restrict__ in, float *out, int n) {}", "k: in out n"),
        ("extern \"C\" __global__ void __launch_bounds__(128, 2) k(int a[4], unsigned int) {", "k: a -"),
        ("template <typename T, int N> __global__ void ns::scan(Array<T, N> x, T y = f(1, 2))", "scan: x y"),
        ("__cluster_dims__(2, 1, 1) __global__ void k(const __grid_constant__ CUtensorMap map) {", "k: map"),
        ("template __global__ void scan<float, 4>(float*, const Config, typename A::B);", "scan: - - -"),
        ("__global__ void k(void (*f)(int, int), const int n /* , m */) // , o\n{", "k: f n"),
        ("__global__ void\n__launch_bounds__(MAX(1, 2))\nk()", "k: "),
        ("__global__ void k(void) {}", "k: "),
        ("__global__ static void __attribute__((noinline)) k(std::size_t n, A::B, size_t)", "k: n - -"),
    ] {
        assert_eq!(listed(text), [expected], "{text}");
    }
    assert_eq!(listed("// __global__ void k(int n)\nconst char* s = \"__global__ void k(int n)\";"), [""; 0]);
    assert_eq!(listed("__global__ void a(int x) {}\n__global__ void b(int y) {}"), ["a: x", "b: y"]);
}

#[test]
fn any_text_is_read() {
    for text in
        ["", "__global__", "__global__ (", "__global__ void k(", "__global__ void k<(", "\"", "'\\", "/*", "é", "__global__ )("]
    {
        assert_eq!(listed(text), [""; 0], "{text}");
    }
}

fn named(source: &str, kernel: &str, count: usize) -> Vec<Option<String>> {
    let param = |at| Param { name: format!("p{at}"), source_name: None, ty: ".u32".to_string(), bytes: 4, offset: 0 };
    let mut params: Vec<Param> = (0..count).map(param).collect();
    name_parameters(&cuda_kernels(source), kernel, &mut params);
    params.into_iter().map(|param| param.source_name).collect()
}

#[test]
fn mangled_kernels_are_found_in_their_source() {
    let some = |name: &str| Some(name.to_string());
    let source = "namespace ns { template <class T, int N> __global__ void scan(T* data) {} }\nextern \"C\" __global__ void plain(int n);";
    assert_eq!(named(source, "_ZN2ns4scanIfLi4EEEvPT_", 1), [some("data")]);
    assert_eq!((named(source, "plain", 1), named(source, "plain", 2)), (vec![some("n")], vec![None, None]));
    // A declaration with a macro as its list may be the one of the kernel.
    let by_macro = "#if 0\n__global__ void k(int m, int n, int* out);\n#endif\n__global__ void k(SIG) {}";
    assert_eq!(named(by_macro, "_Z1kiiPi", 3), [None, None, None]);
    let overloads = "__global__ void k(int a, int n) {} __global__ void k(float b, int n) {}";
    assert_eq!(named(overloads, "_Z1kii", 2), [None, some("n")]);
    assert_eq!(named("__global__ void k(int, int m); __global__ void k(int n, int m) {}", "_Z1kii", 2), [some("n"), some("m")]);
    assert_eq!(named("__global__ void k(int n) {}", "_ZN12_GLOBAL__N_11kEi", 1), [some("n")]);
}
