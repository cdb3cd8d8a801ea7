// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cargo xtask archive`: the Verilog of all configurations as one release file. The same sources give the same bytes.

use anyhow::{Context, Result};
use bcu_hw::verilog::PREFIX;
use bcu_hw::{catalog, config, export};
use flate2::write::GzEncoder;
use flate2::Compression;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Contents of the archive's files, by path.
type Files = BTreeMap<String, Vec<u8>>;

/// Writes the archive into `target/archive` and prints its path.
pub fn run(root: &Path) -> Result<bool> {
    let name = format!("bcu-verilog-{}", env!("CARGO_PKG_VERSION"));
    let folder = root.join("target/archive");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join(format!("{name}.tar.gz"));
    let archive = pack(&name, &contents(root, &bcu_isa::config::NAMED.map(|(name, _)| name))?)?;
    fs::write(&path, archive).with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(true)
}

/// The contents of the archive: the licences, `common`, and a folder for each configuration with all units that it has.
fn contents(root: &Path, configs: &[&str]) -> Result<Files> {
    let read = |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let mut files = Files::new();
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        files.insert(licence.to_string(), read(&root.join(licence))?);
    }
    let common = root.join("verilog-out/common");
    for entry in fs::read_dir(&common).with_context(|| format!("cannot read {}", common.display()))? {
        let path = entry?.path();
        if let Some(file) = path.file_name().filter(|_| path.is_file()) {
            files.insert(format!("common/{}", file.to_string_lossy()), read(&path)?);
        }
    }
    for &name in configs {
        let config = config::by_name(name).with_context(|| format!("configuration {name}"))?;
        for (file, text) in export::files(&config, catalog::outermost(&config), PREFIX)? {
            files.insert(format!("{name}/{file}"), text.into_bytes());
        }
    }
    Ok(files)
}

/// Packs the files, below a folder `name`, into a compressed tar file without times and owners.
fn pack(name: &str, files: &Files) -> Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(vec![], Compression::best()));
    for (path, bytes) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        header.set_uid(0);
        header.set_gid(0);
        archive.append_data(&mut header, format!("{name}/{path}"), bytes.as_slice())?;
    }
    Ok(archive.into_inner()?.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::collections::BTreeSet;
    use std::io::Read;

    #[test]
    fn the_archive_has_configurations_as_they_are_exported() {
        let configs = ["tiny", "warp8"];
        let files = contents(&xtask::root(), &configs).unwrap();
        let mut unpacked = Files::new();
        let mut order = vec![];
        let archive = pack("bcu", &files).unwrap();
        for entry in tar::Archive::new(GzDecoder::new(archive.as_slice())).entries().unwrap() {
            let mut entry = entry.unwrap();
            let path = entry.path().unwrap().to_string_lossy().into_owned();
            let header = entry.header();
            let fixed = [header.mtime(), header.uid(), header.gid()].map(Result::unwrap);
            assert_eq!((fixed, header.mode().unwrap()), ([0; 3], 0o644), "{path}");
            let mut bytes = vec![];
            entry.read_to_end(&mut bytes).unwrap();
            unpacked.insert(path.strip_prefix("bcu/").unwrap().to_string(), bytes);
            order.push(path);
        }
        assert!(order.is_sorted(), "{order:?}");
        let folders: BTreeSet<_> = unpacked.keys().filter_map(|path| path.split_once('/')).map(|(folder, _)| folder).collect();
        assert_eq!(folders, configs.into_iter().chain(["common"]).collect());
        let warp8 = config::by_name("warp8").unwrap();
        let exported = export::files(&warp8, catalog::outermost(&warp8), PREFIX).unwrap();
        let of_warp8 = unpacked.range("warp8/".to_string()..).take_while(|(path, _)| path.starts_with("warp8/"));
        let of_warp8: BTreeMap<_, _> = of_warp8.map(|(path, bytes)| (&path["warp8/".len()..], bytes.as_slice())).collect();
        assert_eq!(of_warp8, exported.iter().map(|(file, text)| (file.as_str(), text.as_bytes())).collect());
        assert!(of_warp8.contains_key("bcu.v") && unpacked.contains_key("common/bcu_simple.v"));
        assert!(unpacked == files && unpacked.contains_key("LICENSE-MIT"));
    }
}
