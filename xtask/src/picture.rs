// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The README's picture of a run: a real GTKWave window with the waveform and save file that `bcu run --wave` writes.

use anyhow::{bail, Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Writes `docs/pictures/waveform.png`.
pub fn run(root: &Path) -> Result<bool> {
    for (tool, package) in [("gtkwave", "gtkwave"), ("xvfb-run", "xvfb"), ("xauth", "xauth"), ("import", "imagemagick")] {
        if Command::new(tool).arg("--version").output().is_err() {
            bail!("{tool} is missing: apt-get install {package}");
        }
    }
    let work = root.join("target/picture");
    fs::create_dir_all(&work)?;
    let wave = work.join("run.vcd");
    let program = root.join("examples/producer_consumer.bcu");
    let cargo = ["run", "-q", "--bin", "bcu", "--", "run"];
    finish(Command::new("cargo").current_dir(root).args(cargo).arg(&program).arg("--wave").arg(&wave))?;
    // The picture hides GTKWave's scope tree, so the waves are wider than the zoom of the save file
    // assumes. The script below sets the zoom again, to the time from the start of the save file's
    // window to the end of the waveform.
    let value = |text: &str, key: &str| text.lines().rev().find_map(|line| Some(line.strip_prefix(key)?.trim().to_string()));
    let (save, run) = (fs::read_to_string(work.join("run.gtkw"))?, fs::read_to_string(&wave)?);
    let (from, to) = value(&save, "[timestart]").zip(value(&run, "#")).context("run.gtkw or run.vcd has no time")?;
    fs::write(work.join("zoom.tcl"), format!("gtkwave::setZoomRangeTimes {from}ns {to}ns\n"))?;
    // The window is tall enough for all groups. The crop removes the window's title, which contains a local path.
    fs::write(work.join("run.gtkw"), save.replace("[size] 1600 900", "[size] 1600 1400"))?;
    let script = "gtkwave run.gtkw -S zoom.tcl --rcvar 'splash_disable on' --rcvar 'hide_sst on' > /dev/null 2>&1 & \
                  shown=$!; sleep 6; import -window root -crop 1600x1285+0+105 +repage waveform.png; kill $shown";
    let screen = ["-a", "-s", "-screen 0 1600x1400x24", "sh", "-c", script];
    finish(Command::new("xvfb-run").current_dir(&work).args(screen))?;
    let picture = root.join("docs/pictures/waveform.png");
    fs::copy(work.join("waveform.png"), &picture).context("GTKWave drew no picture")?;
    println!("wrote {}", picture.display());
    Ok(true)
}

fn finish(command: &mut Command) -> Result<()> {
    let done = command.output().with_context(|| format!("cannot start {:?}", command.get_program()))?;
    if !done.status.success() {
        bail!("{:?} failed: {}", command.get_program(), String::from_utf8_lossy(&done.stderr));
    }
    Ok(())
}
