// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The registers of `tcgen05.ld` between the load and `tcgen05.wait::ld`: they have no value until the wait.

use super::threads::At;
use super::RegisterUse;
use std::rc::Rc;

/// The loaded values of the lanes.
pub(in super::super) type Loaded = Rc<[Option<u64>]>;

/// A register, numbered over all open calls, with the values that it gets, and the load.
#[derive(Clone, Debug)]
struct Pending {
    register: usize,
    values: Loaded,
    of: At,
}

/// The loads of one warp that it has not waited for.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct TensorLoads(Vec<Pending>);

impl TensorLoads {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn start(&mut self, register: usize, values: Loaded, of: At) {
        self.0.retain(|pending| pending.register != register);
        self.0.push(Pending { register, values, of });
    }

    /// Forgets the registers from `first` on, because their function returns.
    pub fn returns(&mut self, first: usize) {
        self.0.retain(|pending| pending.register < first);
    }

    /// Takes the registers with their values, at the wait.
    pub fn take(&mut self) -> Vec<(usize, Loaded)> {
        std::mem::take(&mut self.0).into_iter().map(|pending| (pending.register, pending.values)).collect()
    }

    fn find(&self, register: usize) -> Option<&Pending> {
        self.0.iter().find(|pending| pending.register == register)
    }

    /// Records how another instruction uses registers. Returns the first that is loaded, with the load. A register that is overwritten is
    /// not loaded any more; a copy of a loaded register gets the same value at the wait.
    pub fn use_registers(&mut self, registers: &RegisterUse) -> Option<(usize, At)> {
        let (read, written): (&[usize], &[usize]) = match registers {
            RegisterUse::Copied { from, to } => {
                let copied = self.find(*from).map(|pending| (pending.values.clone(), pending.of));
                self.0.retain(|pending| pending.register != *to);
                if let Some((values, of)) = copied {
                    self.start(*to, values, of);
                }
                return None;
            }
            RegisterUse::Set { to } => (&[], std::slice::from_ref(to)),
            RegisterUse::Used { read, written } => (read, written),
        };
        let used = read.iter().chain(written).find_map(|register| Some((*register, self.find(*register)?.of)));
        self.0.retain(|pending| !written.contains(&pending.register));
        used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(instr: usize) -> At {
        At { function: 0, instr }
    }

    #[test]
    fn a_copy_gets_the_value_at_the_wait() {
        let mut loads = TensorLoads::default();
        loads.start(1, Rc::new([Some(7)]), at(3));
        assert_eq!(loads.use_registers(&RegisterUse::Copied { from: 1, to: 5 }), None);
        assert_eq!(loads.use_registers(&RegisterUse::Copied { from: 2, to: 6 }), None);
        assert_eq!(loads.use_registers(&RegisterUse::Used { read: &[5], written: &[9] }), Some((5, at(3))));
        assert_eq!(loads.use_registers(&RegisterUse::Used { read: &[2], written: &[1] }), Some((1, at(3))));
        let left = loads.take();
        assert_eq!(left.iter().map(|(register, _)| *register).collect::<Vec<_>>(), [5]);
        assert!(loads.is_empty());
    }
}
