// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions on Intel's named barriers, as values, and their field numbers in the word. The encoding is this project's own.
//!
//! A signal is a *message* to the gateway, in the layout of Intel's hardware: bits 31:24 number of consumers, 23:16 number of producers,
//! 15:14 type, 7:0 id.

use super::fields::Values;
use super::ids::{FieldId, InstrForm};
use super::register::Reg;

/// The highest id that a thread group can declare.
pub const MAX_ID: u8 = 31;
/// The highest type of a signal: 0 producer and consumer, 1 producer, 2 consumer.
pub const MAX_TYPE: u8 = 2;

/// An instruction on one named barrier of a thread group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nbar {
    Signal(Signal),
    Wait(Wait),
}

/// The source of a signal's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signal {
    /// The baseline form: a signal of type 0, with `threads` producers and `threads` consumers.
    Threads {
        id: u8,
        threads: u8,
    },
    Message(Message),
    /// The register holds the packed message.
    Packed(Reg),
}

/// The source of the id of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wait {
    Id(u8),
    /// Bits 7:0 of the register are the id, as in a message.
    Packed(Reg),
}

/// The content of a signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Message {
    pub id: u8,
    /// 0 producer and consumer, 1 producer, 2 consumer; the gateway refuses 3. The field has two bits.
    pub role: u8,
    pub producers: u8,
    pub consumers: u8,
}

impl Message {
    pub fn pack(self) -> u32 {
        u32::from(self.consumers) << 24 | u32::from(self.producers) << 16 | u32::from(self.role & 3) << 14 | u32::from(self.id)
    }

    /// Unpacks a message; bits 13:8 of `word` are ignored.
    pub fn unpack(word: u32) -> Message {
        let [id, middle, producers, consumers] = word.to_le_bytes();
        Message { id, role: middle >> 6, producers, consumers }
    }
}

/// Encodes an instruction: writes the values of its fields to `values`, and returns its form.
pub(super) fn to_values(nbar: &Nbar, values: &mut Values) -> InstrForm {
    let mut put = |id: FieldId, value: u8| values[id as usize] = value.into();
    match *nbar {
        Nbar::Signal(Signal::Threads { id, threads }) => {
            put(FieldId::NbarId, id);
            put(FieldId::Threads, threads);
            InstrForm::NbarSignalN
        }
        Nbar::Signal(Signal::Message(Message { id, role, producers, consumers })) => {
            put(FieldId::NbarId, id);
            put(FieldId::Role, role);
            put(FieldId::Producers, producers);
            put(FieldId::Consumers, consumers);
            InstrForm::NbarSignalI
        }
        Nbar::Signal(Signal::Packed(message)) => {
            put(FieldId::Ra, message.0);
            InstrForm::NbarSignalR
        }
        Nbar::Wait(Wait::Id(id)) => {
            put(FieldId::NbarId, id);
            InstrForm::NbarWaitI
        }
        Nbar::Wait(Wait::Packed(message)) => {
            put(FieldId::Ra, message.0);
            InstrForm::NbarWaitR
        }
    }
}

/// The instruction of this form with these field values; `None` if the form is not an instruction on named barriers.
pub(super) fn from_values(form: InstrForm, values: &Values) -> Option<Nbar> {
    let at = |id: FieldId| values[id as usize] as u8;
    let id = at(FieldId::NbarId);
    Some(match form {
        InstrForm::NbarSignalN => Nbar::Signal(Signal::Threads { id, threads: at(FieldId::Threads) }),
        InstrForm::NbarSignalI => {
            let (role, producers, consumers) = (at(FieldId::Role), at(FieldId::Producers), at(FieldId::Consumers));
            Nbar::Signal(Signal::Message(Message { id, role, producers, consumers }))
        }
        InstrForm::NbarSignalR => Nbar::Signal(Signal::Packed(Reg(at(FieldId::Ra)))),
        InstrForm::NbarWaitI => Nbar::Wait(Wait::Id(id)),
        InstrForm::NbarWaitR => Nbar::Wait(Wait::Packed(Reg(at(FieldId::Ra)))),
        _ => return None,
    })
}
