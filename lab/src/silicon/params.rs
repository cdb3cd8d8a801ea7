// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arguments of a kernel in the form that the driver takes: a pointer to the bytes of each argument.

use bcu_program::launch::ArgumentBytes;
use std::ffi::c_void;

/// The maximum alignment of a PTX parameter, in bytes.
const ALIGNMENT: usize = 16;

/// The bytes of all arguments, each at a multiple of [`ALIGNMENT`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    storage: Vec<u128>,
    /// The start of each argument, in units of 16 bytes.
    starts: Vec<usize>,
}

impl Params {
    /// Packs arguments; an unknown byte is 0.
    pub fn pack(arguments: &[ArgumentBytes]) -> Params {
        let mut params = Params::default();
        for argument in arguments {
            params.starts.push(params.storage.len());
            let word = |bytes: &[Option<u8>]| {
                let mut word = [0; ALIGNMENT];
                word.iter_mut().zip(bytes).for_each(|(to, from)| *to = from.unwrap_or(0));
                u128::from_ne_bytes(word)
            };
            params.storage.extend(argument.chunks(ALIGNMENT).map(word));
        }
        // If the last argument has no bytes, its pointer is to this additional word.
        params.storage.push(0);
        params
    }

    /// A pointer to each argument; the pointers are valid until `self` is next used.
    pub fn pointers(&mut self) -> Vec<*mut c_void> {
        let first = self.storage.as_mut_ptr();
        self.starts.iter().map(|start| first.wrapping_add(*start).cast()).collect()
    }

    #[cfg(test)]
    fn bytes(&self, argument: usize) -> Vec<u8> {
        self.storage[self.starts[argument]..].iter().flat_map(|word| word.to_ne_bytes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_argument_is_in_order_of_memory_at_a_place_of_its_own() {
        let known = |bytes: &[u8]| bytes.iter().copied().map(Some).collect::<Vec<_>>();
        let structure: Vec<u8> = (1..=20).collect();
        let mut params = Params::pack(&[
            known(&[1, 2, 3, 4]),
            known(&structure),
            vec![Some(7), None, None, Some(8)],
            vec![],
            known(&[9; 8]),
        ]);
        assert_eq!(params.bytes(0)[..4], [1, 2, 3, 4]);
        assert_eq!(params.bytes(1)[..20], structure);
        assert_eq!(params.bytes(2)[..4], [7, 0, 0, 8]);
        assert_eq!(params.bytes(4)[..8], [9; 8]);
        assert_eq!(params.starts, [0, 1, 3, 4, 4]);
        let addresses: Vec<usize> = params.pointers().iter().map(|pointer| *pointer as usize).collect();
        assert_eq!(addresses.len(), 5);
        assert!(addresses.iter().all(|address| address.is_multiple_of(ALIGNMENT)));
        let apart: Vec<usize> = addresses.iter().map(|address| address - addresses[0]).collect();
        assert_eq!(apart, [0, 16, 48, 64, 64]);
    }

    #[test]
    fn a_kernel_without_parameters_has_no_pointers() {
        assert!(Params::pack(&[]).pointers().is_empty());
    }
}
