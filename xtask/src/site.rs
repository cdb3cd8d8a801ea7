// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cargo xtask book`: all pages as a site with search, built by MkDocs into `target/book/site`. The build fails if a link leads to a page,
//! a heading or a file that does not exist.

use crate::python::Python;
use anyhow::{bail, Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use xtask::pool;

const MKDOCS: &str = "mkdocs==1.6.1";

/// The chapters: heading, and the folder that contains the pages.
const CHAPTERS: [(&str, &str); 4] =
    [("Guide", "docs/guide/"), ("Contract", "docs/contract/"), ("Evidence", "docs/evidence/"), ("Examples", "examples/")];

/// Builds the site and prints the path of its first page; returns false if a link is broken.
pub fn run(root: &Path) -> Result<bool> {
    let folder = root.join("target/book");
    let pages = pages(root)?;
    let python = Python::with(root, &[MKDOCS])?;
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    for file in pages.iter().cloned().chain(linked(root, &pages)?) {
        copy(&root.join(&file), &folder.join("pages").join(&file))?;
    }
    let settings = folder.join("mkdocs.yml");
    fs::write(&settings, configuration(&pages)).with_context(|| format!("cannot write {}", settings.display()))?;
    let mut build = Command::new(python.bin().join("mkdocs"));
    let done = pool::output(build.args(["build", "--strict", "--quiet", "--config-file"]).arg(&settings))?;
    if !done.status.success() {
        println!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        return Ok(false);
    }
    println!("book: {} pages; open {}", pages.len(), folder.join("site/index.html").display());
    Ok(true)
}

/// The committed pages, by their paths from the root.
fn pages(root: &Path) -> Result<Vec<String>> {
    let listed = Command::new("git").current_dir(root).args(["ls-files", "--", "*.md"]).output().context("cannot start git")?;
    if !listed.status.success() {
        bail!("git ls-files: {}", String::from_utf8_lossy(&listed.stderr));
    }
    Ok(String::from_utf8_lossy(&listed.stdout).lines().map(str::to_string).collect())
}

/// The other files that pages link to. A file that does not exist is left out, so that MkDocs reports its link.
fn linked(root: &Path, pages: &[String]) -> Result<BTreeSet<String>> {
    let mut files = BTreeSet::new();
    for page in pages {
        let text = fs::read_to_string(root.join(page)).with_context(|| format!("cannot read {page}"))?;
        for link in links(&text) {
            let path = resolved(Path::new(page).parent().unwrap_or(Path::new("")), link);
            if !link.ends_with(".md") && root.join(&path).is_file() {
                files.insert(path.to_string_lossy().into_owned());
            }
        }
    }
    Ok(files)
}

/// The local targets of the links of a page, without headings.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|link| !link.is_empty() && !link.contains(':'))
}

/// The path `folder/link` without `..`.
fn resolved(folder: &Path, link: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in folder.join(link).components() {
        match part {
            Component::ParentDir => _ = path.pop(),
            part => path.push(part),
        }
    }
    path
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().unwrap_or(to);
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

/// The settings of MkDocs, with the pages by chapter. The README of a folder is its first page.
fn configuration(pages: &[String]) -> String {
    let mut text = String::from(
        "site_name: bcu\ndocs_dir: pages\nsite_dir: site\nuse_directory_urls: false\ntheme: readthedocs\nplugins: [search]\n\
         markdown_extensions: [tables, fenced_code, toc]\n\
         validation: {links: {not_found: warn, anchors: warn, absolute_links: warn}, omitted_files: warn}\nnav:\n",
    );
    let in_chapter = |page: &&String| CHAPTERS.iter().any(|(_, folder)| page.starts_with(folder));
    text += &entries(pages.iter().filter(|page| !in_chapter(page)), "  ");
    for (heading, folder) in CHAPTERS {
        text += &format!("  - {heading}:\n{}", entries(pages.iter().filter(|page| page.starts_with(folder)), "    "));
    }
    text
}

/// A line for each page, the README first.
fn entries<'a>(pages: impl Iterator<Item = &'a String>, indent: &str) -> String {
    let (first, others): (Vec<&String>, Vec<&String>) = pages.partition(|page| page.ends_with("README.md"));
    first.into_iter().chain(others).map(|page| format!("{indent}- {page}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_in_one_chapter_after_its_readme() {
        let pages = ["README.md", "docs/glossary.md", "docs/guide/README.md", "docs/guide/check.md", "examples/cuda/README.md"];
        let text = configuration(&pages.map(str::to_string));
        let nav = text.split_once("nav:\n").unwrap().1;
        let expected = "  - README.md\n  - docs/glossary.md\n  - Guide:\n    - docs/guide/README.md\n    - docs/guide/check.md\n  - Contract:\n  - Evidence:\n  - Examples:\n    - examples/cuda/README.md\n";
        assert_eq!(nav, expected);
    }

    #[test]
    fn links_are_resolved_from_the_folder_of_their_page() {
        let text = "[a](../pictures/a.svg) ![b](b.json#x) [c](#here) [d](https://x.org)";
        assert_eq!(links(text).collect::<Vec<_>>(), ["../pictures/a.svg", "b.json"]);
        assert_eq!(resolved(Path::new("docs/guide"), "../pictures/a.svg"), Path::new("docs/pictures/a.svg"));
    }
}
