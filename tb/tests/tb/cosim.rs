// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests of the folder names of compiled simulators.

use bcu_tb::cosim::key;

#[test]
fn a_key_depends_on_every_part_and_on_where_it_ends() {
    let keys = [key(&["ab", "c"]), key(&["a", "bc"]), key(&["ab", "d"]), key(&["abc"])];
    assert!((1..keys.len()).all(|i| !keys[..i].contains(&keys[i])), "{keys:?}");
}
