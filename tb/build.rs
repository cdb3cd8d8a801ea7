// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The scenarios and examples are compiled in: a new file among them is a reason to compile again.

fn main() {
    println!("cargo::rerun-if-changed=scenarios");
    println!("cargo::rerun-if-changed=../examples");
}
