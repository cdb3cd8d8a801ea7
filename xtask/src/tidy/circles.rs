// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Circular dependencies between files of one crate: no file of a circle can be read, moved or built before the others.

mod graph;
mod source;
mod words;

use graph::{Crate, Edges};
use source::{Named, Source};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A complaint for each set of files that depend on each other. `files` has names and texts; files outside of `src` folders are ignored.
pub fn complaints(files: &[(String, String)]) -> Vec<String> {
    let mut crates: BTreeMap<String, Vec<(String, Source)>> = BTreeMap::new();
    for (name, text) in files {
        if let Some((root, inner)) = name.split_once("/src/") {
            crates.entry(format!("{root}/src")).or_default().push((inner.to_string(), source::read(text)));
        }
    }
    crates.into_iter().flat_map(|(folder, files)| in_crate(&folder, files)).collect()
}

/// The complaints about one crate.
fn in_crate(folder: &str, files: Vec<(String, Source)>) -> Vec<String> {
    let whole = Crate::new(files);
    let edges = whole.edges();
    let reached: Vec<BTreeSet<usize>> = (0..whole.files.len()).map(|file| reach(&edges, file).into_keys().collect()).collect();
    let mut open: BTreeSet<usize> = (0..whole.files.len()).filter(|file| reached[*file].contains(file)).collect();
    let mut list = vec![];
    while let Some(first) = open.first().copied() {
        let circle: BTreeSet<usize> = reached[first].iter().copied().filter(|other| reached[*other].contains(&first)).collect();
        let shortest = circle.iter().map(|file| way_back(&edges, *file)).min_by_key(Vec::len).unwrap_or_default();
        let names: Vec<&str> = circle.iter().map(|file| whole.files[*file].0.as_str()).collect();
        let mut text = format!(
            "{folder}: {} files depend on each other: {}; move shared items into a separate file. The shortest cycle:",
            names.len(),
            names.join(", ")
        );
        for (at, from) in shortest.iter().enumerate() {
            let to = shortest[(at + 1) % shortest.len()];
            let Named { line, segments } = &edges[from][&to];
            let (from, to) = (&whole.files[*from].0, &whole.files[to].0);
            text += &format!("\n    {folder}/{from}:{line}: `{}`, defined in {to}", segments.join("::"));
        }
        list.push(text);
        open.retain(|file| !circle.contains(file));
    }
    list
}

/// The files reachable from `start`, each with its predecessor on a shortest path.
fn reach(edges: &Edges, start: usize) -> BTreeMap<usize, usize> {
    let (mut before, mut queue) = (BTreeMap::new(), VecDeque::from([start]));
    while let Some(from) = queue.pop_front() {
        for to in edges.get(&from).into_iter().flat_map(BTreeMap::keys) {
            if !before.contains_key(to) {
                before.insert(*to, from);
                queue.push_back(*to);
            }
        }
    }
    before
}

/// The files on the shortest path from `start` back to itself, in order. Such a path must exist.
fn way_back(edges: &Edges, start: usize) -> Vec<usize> {
    let before = reach(edges, start);
    let mut way = vec![before[&start]];
    while way[0] != start {
        way.insert(0, before[&way[0]]);
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        complaints(&files.iter().map(|(name, text)| (format!("c/src/{name}"), text.to_string())).collect::<Vec<_>>())
    }

    #[test]
    fn a_circle_is_reported_with_a_place_for_each_of_its_edges() {
        let list = found(&[
            ("lib.rs", "mod a;\nmod b;\npub struct Root;\n"),
            ("a.rs", "// crate::no::No\nuse crate::{Root, b::{self, Made as Other}};\nconst A: &str = \"crate::no\";\n"),
            ("b/mod.rs", "pub mod c;\npub use c::Made;\nmake!();\n"),
            ("b/c.rs", "\nuse super::super::a::A;\npub struct Made;\n"),
        ]);
        let [circle] = &list[..] else { panic!("{list:?}") };
        assert!(circle.starts_with("c/src: 2 files depend on each other: a.rs, b/c.rs;"), "{circle}");
        assert!(circle.contains("c/src/a.rs:2: `crate::b::Made`, defined in b/c.rs"), "{circle}");
        assert!(circle.ends_with("c/src/b/c.rs:2: `super::super::a::A`, defined in a.rs"), "{circle}");
    }

    #[test]
    fn a_parent_that_uses_its_child_is_not_used_by_it() {
        let parent = "mod a;\nuse a::A;\npub struct P(A);\n";
        assert_eq!(found(&[("lib.rs", parent), ("a.rs", "pub struct A(*const crate::P);")]).len(), 1);
        assert_eq!(found(&[("lib.rs", parent), ("a.rs", "pub struct A;\n#[cfg(test)]\nmod tests { use crate::P; }")]).len(), 0);
        let (declared, test) = (format!("{parent}#[cfg(test)] mod tests;"), ("tests.rs", "use super::P; pub struct T;"));
        assert_eq!(found(&[("lib.rs", &declared), ("a.rs", "pub struct A;"), test]).len(), 0);
    }

    #[test]
    fn what_is_imported_with_all_names_of_a_module_counts_where_it_is_named() {
        let files = [
            ("lib.rs", "mod all; mod a; mod b;"),
            ("all.rs", "pub use crate::{a::*, b::B};"),
            ("a.rs", "use crate::all::*;\nfn a(_: B) {}"),
        ];
        assert_eq!(found(&[&files[..], &[("b.rs", "pub struct B;\nuse crate::all::*;\n")]].concat()).len(), 0);
        assert_eq!(found(&[&files[..], &[("b.rs", "pub struct B;\nuse crate::all::*;\nfn b() { a() }")]].concat()).len(), 1);
    }

    #[test]
    fn a_program_beside_a_library_has_a_root_of_its_own() {
        let main = ("main.rs", "mod m;\nuse c::l::L;\nfn root() {}\nfn main() { m::m() }");
        let library = [("lib.rs", "pub mod l;\nfn root() {}"), ("l.rs", "use crate::root;\npub struct L;")];
        assert_eq!(found(&[&library[..], &[main, ("m.rs", "pub fn m() {}")]].concat()).len(), 0);
        assert_eq!(found(&[&library[..], &[main, ("m.rs", "pub fn m() { crate::root() }")]].concat()).len(), 1);
    }
}
