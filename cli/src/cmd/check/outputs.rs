// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The files that an exploration writes: the schedule that fails, and the picture of two orders.

use super::{explore, picture};
use crate::cmd::case::Case;
use crate::failure::{Failure, Result};
use crate::outputs::{are_distinct, needs_folder, NamedFile};
use crate::picture_file::PictureFile;
use bcu_machine::exploration::Exploration;
use std::path::{Path, PathBuf};

/// The files to write.
pub struct Outputs<'a> {
    schedule: Option<&'a Path>,
    picture: Option<PictureFile>,
}

/// The paths of the files that were written.
#[derive(Default)]
pub struct Written {
    pub schedule: Option<PathBuf>,
    pub picture: Option<PathBuf>,
}

/// Refuses paths without an exploration, and a path that occurs twice, also among the paths `others` of other files.
pub fn refuse(schedule: Option<&Path>, picture: Option<&Path>, others: &[NamedFile], explores: bool) -> Result<()> {
    let named = [("--save-schedule", schedule), ("--picture", picture)];
    let mut named: Vec<NamedFile> = named.into_iter().filter_map(|(option, path)| Some((option, path?))).collect();
    if let Some((option, _)) = named.first().filter(|_| !explores) {
        let help = "add `--schedules N`, `--reverse N` or `--explore D`";
        return Err(Failure::plain(format!("{option} needs an exploration"), Some(help)));
    }
    named.extend(others);
    are_distinct(&named, &[])?;
    named.iter().try_for_each(|(_, path)| needs_folder(path))
}

impl Outputs<'_> {
    /// Starts the files. Fails if the picture cannot be written.
    pub fn start<'a>(schedule: Option<&'a Path>, picture: Option<&Path>) -> Result<Outputs<'a>> {
        Ok(Outputs { schedule, picture: picture.map(PictureFile::start).transpose()? })
    }

    /// Writes the files, unless every executed schedule has the same result. Returns their paths, and a line for each file.
    pub fn write(self, case: &Case, exploration: &Exploration) -> Result<(Written, String)> {
        let different = explore::different(exploration);
        let (mut written, mut lines) = (Written::default(), String::new());
        let not_written = |name: &str, path: &Path| {
            format!("{name}: every executed schedule has the same result, so {} was not written\n", path.display())
        };
        if let Some(path) = self.schedule {
            match different {
                Some([_, run]) => {
                    explore::save(case, run, path)?;
                    lines += &format!("schedule: {} (`bcu run --schedule`)\n", path.display());
                    written.schedule = Some(path.to_path_buf());
                }
                None => lines += &not_written("schedule", path),
            }
        }
        if let Some(file) = self.picture {
            let path = file.path.clone();
            match different {
                Some([_, run]) if run.schedule.constraints.is_empty() => {
                    lines +=
                        &format!("picture: no two operations show the other result, so {} was not written\n", path.display());
                }
                Some(runs) => {
                    file.write(&picture::draw(case, runs)?)?;
                    lines += &format!("picture: {}\n", path.display());
                    written.picture = Some(path);
                }
                None => lines += &not_written("picture", &path),
            }
        }
        Ok((written, lines))
    }
}
