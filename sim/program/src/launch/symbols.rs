// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Variables of the program that options of the command line name.

use super::bind::{Given, Target};
use super::cuda::name_parameters;
use super::fill::Fill;
use super::load::{Allocation, Contents};
use super::setting::{find, Data, Setting};
use super::Argument;
use crate::ptx;

/// Takes the options out of `allocations` and `given` that name a variable of the PTX program `text` and no parameter of the kernel that
/// `base` selects, and returns them with a setting for each of the names in `read` that only a variable has. A text with errors has no
/// variables.
pub fn variable_settings(
    text: &str,
    base: &ptx::Launch,
    (allocations, given): (&mut Vec<Allocation>, &mut Vec<Given>),
    read: &[&str],
) -> Vec<Setting> {
    let Ok(module) = ptx::parse(text) else { return vec![] };
    // Without one selected kernel no option is for a parameter.
    let (kernel, mut params) = ptx::kernel(&module, base.kernel.as_deref()).unwrap_or_default();
    name_parameters(&base.cuda, &kernel, &mut params);
    let is_parameter = |target: &Target| target.position(&kernel, &params).is_some();
    let mut settings: Vec<Setting> = vec![];
    let mut kept = vec![];
    for option in given.drain(..) {
        let name = match &option.target {
            Target::Name(name) if !is_parameter(&option.target) && find(&module, name).is_ok() => name.clone(),
            _ => {
                kept.push(option);
                continue;
            }
        };
        // An option with an array has made a buffer of this name; a tensor map keeps its buffer.
        let at = allocations.iter().position(|own| own.name == name);
        let own = at.filter(|_| option.value == Argument::Address { buffer: name.clone(), offset: 0 });
        settings.push(match own {
            // A variable that is an address has the address of the new buffer.
            Some(at) if matches!(allocations[at].contents, Contents::Fields { .. }) => {
                allocations[at].name = format!("{name}.new");
                let value = Argument::Address { buffer: allocations[at].name.clone(), offset: 0 };
                Setting { data: Data::Value(value), ..Setting::declared(&name) }
            }
            Some(at) => of_contents(name, allocations.remove(at).contents),
            None => Setting { data: of_value(option.value), ..Setting::declared(&name) },
        });
    }
    *given = kept;
    for name in read {
        let is_known = allocations.iter().any(|own| own.name == *name) || is_parameter(&Target::parse(name));
        let number = find(&module, name).ok();
        let is_set = settings.iter().any(|setting| setting.name == *name || number == find(&module, &setting.name).ok());
        if !is_known && !is_set && number.is_some() {
            settings.push(Setting::declared(name));
        }
    }
    settings
}

fn of_contents(name: String, contents: Contents) -> Setting {
    let setting = Setting::declared(&name);
    match contents {
        Contents::Filled { element, shape, fill } => {
            let data = if fill == Fill::Default { Data::Declared } else { Data::Filled(fill) };
            Setting { element: Some(element), shape: Some(shape), data, ..setting }
        }
        Contents::Npy { file, element } => Setting { element, data: Data::Npy(file), ..setting },
        Contents::Raw { file, element, shape } => Setting { element: Some(element), shape, data: Data::Raw(file), ..setting },
        Contents::Fields { fields, element, shape } => Setting { element, shape, data: Data::Value(fields), ..setting },
    }
}

fn of_value(value: Argument) -> Data {
    match value {
        Argument::Unknown => Data::Filled(Fill::Unknown),
        value => Data::Value(value),
    }
}
