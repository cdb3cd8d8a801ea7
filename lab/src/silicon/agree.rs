// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the contents of a buffer on a device with its contents in the simulator, bit for bit.
//!
//! If the device has written an element that is unknown in the simulator, this counts as a
//! difference, because the element could not be compared.

use bcu_program::launch::{compare, Buffer, Element, Tolerance};

/// The result of comparing the contents of a buffer on the two sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Every compared element is the same; elements that neither side has written are not compared.
    Same,
    /// The launch file grants a tolerance, and elements differ: `differ` of `elements`, by at most `steps` steps of the type.
    LastBits { differ: usize, elements: usize, steps: u64 },
    /// Elements differ, and the file grants no tolerance; the sentence names the first elements that differ.
    Differs(String),
}

/// Compares the contents of a buffer. `tolerant`: the launch file grants a tolerance for the
/// buffer. `before`: the contents on the device before the first launch. Any NaN equals any other
/// NaN.
pub fn agreement(before: &[u8], simulated: &Buffer, device: &Buffer, tolerant: bool) -> Agreement {
    let size = device.element.size();
    let written = |at: &usize| before.get(at * size..(at + 1) * size) != device.get(*at);
    let unknown = (0..device.len()).filter(|at| simulated.get(*at).is_none()).filter(written).count();
    if unknown > 0 {
        let why = format!(
            "`{}`: {unknown} of {} elements that the device has written are unknown in the simulator",
            device.name,
            device.len()
        );
        return Agreement::Differs(why);
    }
    let mismatch = match compare(simulated, device, Tolerance::default()) {
        Ok(()) => return Agreement::Same,
        Err(mismatch) => mismatch,
    };
    if !tolerant {
        return Agreement::Differs(mismatch.to_string().replace("from what is expected", "from the simulator"));
    }
    let pairs = (0..device.len()).filter_map(|at| Some((simulated.get(at)?, device.get(at)?)));
    let apart = pairs.filter(|(first, second)| first != second && !(nan(device.element, first) && nan(device.element, second)));
    let apart: Vec<u64> = apart.map(|(first, second)| steps(device.element, first, second)).collect();
    Agreement::LastBits { differ: apart.len(), elements: device.len(), steps: apart.iter().copied().max().unwrap_or(0) }
}

/// The number of values of the type from `first` (excluded) to `second` (included); both zeros of a float count as one value.
fn steps(element: Element, first: &[u8], second: &[u8]) -> u64 {
    let place = |bytes: &[u8]| {
        let bits = bytes.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
        let width = element.size() as u32 * 8;
        let sign = 1u64 << (width - 1);
        match element.integers() {
            Some((0, _)) => i128::from(bits),
            Some(_) => i128::from((bits << (64 - width)) as i64 >> (64 - width)),
            // Floats of the same sign are ordered like their bits.
            None if bits & sign == 0 => i128::from(bits),
            None => -i128::from(bits & (sign - 1)),
        }
    };
    u64::try_from((place(first) - place(second)).unsigned_abs()).unwrap_or(u64::MAX)
}

fn nan(element: Element, bytes: &[u8]) -> bool {
    element.is_float() && element.decode(bytes).as_f64().is_nan()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer_of(element: Element, values: &[&str]) -> Buffer {
        let bytes = values.iter().flat_map(|value| element.parse(value).unwrap()).map(Some).collect();
        Buffer { name: "y".into(), element, shape: vec![values.len()], bytes }
    }

    #[test]
    fn bits_decide_where_the_file_grants_nothing() {
        let simulated = buffer_of(Element::F32, &["1", "2", "nan"]);
        assert_eq!(agreement(&[], &simulated, &buffer_of(Element::F32, &["1", "2", "-nan"]), false), Agreement::Same);
        let Agreement::Differs(why) = agreement(&[], &simulated, &buffer_of(Element::F32, &["1", "2.0000002", "nan"]), false)
        else {
            panic!("must differ")
        };
        assert!(why.contains("1 of 3 elements differs from the simulator") && why.contains("y[1]: got 2.0000002"), "{why}");
    }

    #[test]
    fn where_it_grants_something_the_steps_are_counted() {
        let simulated = buffer_of(Element::F32, &["1", "2", "-0.0", "nan", "0"]);
        let device = buffer_of(Element::F32, &["1", "2.0000002", "1e-45", "-nan", "-0.0"]);
        assert_eq!(agreement(&[], &simulated, &device, true), Agreement::LastBits { differ: 3, elements: 5, steps: 1 });
        let wide = agreement(&[], &buffer_of(Element::I32, &["-3", "7"]), &buffer_of(Element::I32, &["4", "7"]), true);
        assert_eq!(wide, Agreement::LastBits { differ: 1, elements: 2, steps: 7 });
        let unsigned =
            agreement(&[], &buffer_of(Element::U64, &["0"]), &buffer_of(Element::U64, &["18446744073709551615"]), true);
        assert_eq!(unsigned, Agreement::LastBits { differ: 1, elements: 1, steps: u64::MAX });
    }

    #[test]
    fn what_the_simulator_does_not_know_must_not_have_been_written() {
        let bytes = [Some(1), None].into_iter().collect();
        let simulated = Buffer { bytes, ..buffer_of(Element::U8, &["1", "2"]) };
        assert_eq!(agreement(&[0, 9], &simulated, &buffer_of(Element::U8, &["1", "9"]), false), Agreement::Same);
        assert!(matches!(agreement(&[0, 9], &simulated, &buffer_of(Element::U8, &["3", "9"]), false), Agreement::Differs(_)));
        for tolerant in [false, true] {
            let why = agreement(&[0, 9], &simulated, &buffer_of(Element::U8, &["1", "8"]), tolerant);
            let says = "`y`: 1 of 2 elements that the device has written are unknown in the simulator".to_string();
            assert_eq!(why, Agreement::Differs(says));
        }
    }
}
