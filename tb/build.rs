// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The scenarios and examples are compiled in, so a new file among them triggers a rebuild.

fn main() {
    println!("cargo::rerun-if-changed=scenarios");
    println!("cargo::rerun-if-changed=../examples");
}
