//! Detection of kernels that call themselves, by the calls in their PTX.

use std::collections::{BTreeMap, BTreeSet};

/// Returns true if a function of a PTX module calls itself, directly or by way of others. The compiler cannot bound the
/// stack of such a kernel, and the driver gives it the default one, which it overflows.
pub(super) fn is_recursive(ptx: &str) -> bool {
    let mut calls: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let names: BTreeSet<&str> = ptx.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').collect();
    let functions = ptx.split("\n.func").skip(1).filter_map(|text| text.split("\n}").next()?.split_once("\n{"));
    // A declaration ends with a semicolon, and what follows it is another function.
    let bodies: Vec<(&str, &str)> = functions.filter(|(head, _)| !head.contains(';')).collect();
    let name_of = |head: &'_ str| {
        // The result comes first, if there is one: `(.param .b64 func_retval0) name(`.
        let after = head.split_once(") ").map_or(head, |(_, rest)| rest);
        let name = after.trim_start().split('(').next().unwrap_or_default().trim();
        names.get(name).copied()
    };
    for (head, body) in &bodies {
        let Some(name) = name_of(head) else { continue };
        let called = body.split("call").skip(1).filter_map(|call| call.split(';').next());
        let words = called.flat_map(|call| call.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$'));
        calls.entry(name).or_default().extend(words.filter(|word| names.contains(word)));
    }
    let reaches = |from: &str| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(next) = open.pop() {
            for &callee in calls.get(next).into_iter().flatten().filter(|callee| calls.contains_key(*callee)) {
                if callee == from {
                    return true;
                }
                if seen.insert(callee) {
                    open.push(callee);
                }
            }
        }
        false
    };
    calls.keys().any(|name| reaches(name))
}

#[test]
fn recursion_is_found() {
    let is_found = |body: &str| {
        let kernel = "extern \"C\" __global__ void k(int* p) { p[0] = f(p[1]); }";
        is_recursive(&cuprum::cuda::ptx(&format!("{body}\n{kernel}")).expect("the kernel compiles"))
    };
    assert!(is_found("__device__ __noinline__ int f(int n) { return n < 2 ? n : f(n - 1) * f(n - 2); }"));
    assert!(is_found(
        "__device__ int g(int);\n__device__ __noinline__ int f(int n) { return n < 2 ? n : g(n - 1) * g(n - 2); }\n__device__ __noinline__ int g(int n) { return n < 5 ? n : 3 * f(n / 2) * f(n / 3); }"
    ));
    assert!(!is_found(
        "__device__ __noinline__ int g(int n) { return 3 * n; }\n__device__ __noinline__ int f(int n) { return g(g(n)) ; }"
    ));
}
