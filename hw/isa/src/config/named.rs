// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The configurations of `hw/configs`.

use super::{read, Config};

macro_rules! texts {
    ($($name:literal)*) => {
        /// The configurations of the project, smallest first, as (name, TOML text).
        pub const NAMED: [(&str, &str); [$($name),*].len()] = [$(($name, include_str!(concat!("../../../configs/", $name, ".toml")))),*];
    };
}

texts! { "tiny" "intel_tiny" "warp8" "warp8_bare" "warp8_no_state" "small" "odd_sizes" "warp32" "default" "named_only" "rows512" "intel" "large" }

/// The project's configuration of this name.
pub fn named(name: &str) -> Option<Config> {
    let (name, text) = NAMED.into_iter().find(|(n, _)| *n == name)?;
    read(name, text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_in_the_list_and_is_read_smallest_first() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs");
        let stem = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_string()
        };
        let mut files: Vec<String> = std::fs::read_dir(folder).unwrap().map(stem).collect();
        let size = |name: &String| {
            let config = named(name).unwrap_or_else(|| panic!("{name} is not in the list, or not read"));
            (config.warps, config.lanes, config.cta_slots * config.ids(), config.name)
        };
        files.sort_by_key(size);
        assert_eq!(NAMED.map(|(name, _)| name).to_vec(), files);
    }

    #[test]
    fn no_two_configurations_have_one_identity_and_a_name_does_not_change_it() {
        let all = NAMED.map(|(name, _)| named(name).unwrap());
        let identities: std::collections::BTreeSet<u32> = all.iter().map(Config::identity).collect();
        assert_eq!(identities.len(), all.len());
        let [first, ..] = all;
        assert_eq!(Config { name: "other".to_string(), ..first.clone() }.identity(), first.identity());
    }

    #[test]
    fn a_configuration_is_read_from_its_own_text() {
        for config in NAMED.map(|(name, _)| named(name).unwrap()) {
            assert_eq!(read(&config.name, &config.to_toml()), Ok(config));
        }
    }
}
