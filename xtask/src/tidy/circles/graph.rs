// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The files of a crate, and for each file the other files whose items it names.

use super::source::{Named, Source};
use std::collections::{BTreeMap, BTreeSet};

/// For each file: the files on which it depends because it names items of theirs, each with the first of these names.
pub type Edges = BTreeMap<usize, BTreeMap<usize, Named>>;

/// A module as its path from the root of the crate; `main.rs` is a second root besides `lib.rs`.
type Path = Vec<String>;

/// The target of a path.
enum Target {
    Module(Path),
    /// An item that the file with this index defines.
    Item(usize),
    Outside,
}

/// The files of a crate.
pub struct Crate {
    /// The path of each file below `src/`, and its contents.
    pub files: Vec<(String, Source)>,
    /// For each module: the index of its file, and its index among the modules of that file.
    modules: BTreeMap<Path, (usize, usize)>,
}

impl Crate {
    pub fn new(files: Vec<(String, Source)>) -> Self {
        let root = |name: &str| files.iter().find(|(file, _)| file == name).map(|(_, source)| source);
        let path = |name: &str| {
            let mut path: Path = name.trim_end_matches(".rs").split('/').map(str::to_string).collect();
            path.pop_if(|last| last == "mod");
            let of_main = root("lib.rs").is_none() || root("main.rs").is_some_and(|main| main.children.contains(&path[0]));
            match path[0].as_str() {
                "lib" | "main" => path,
                _ => [vec![if of_main { "main" } else { "lib" }.to_string()], path].concat(),
            }
        };
        let declared = files.iter().flat_map(|(name, source)| source.tests.iter().map(move |test| (name, test)));
        let tests: Vec<Path> = declared.map(|(name, test)| [path(name), vec![test.clone()]].concat()).collect();
        let mut modules = BTreeMap::new();
        for (file, (name, source)) in files.iter().enumerate() {
            let path = path(name);
            if !tests.iter().any(|test| path.starts_with(test)) {
                let inner = source.modules.iter().enumerate();
                modules.extend(inner.map(|(at, module)| ([&path[..], &module.path].concat(), (file, at))));
            }
        }
        Self { files, modules }
    }

    /// For each file, the files whose items it names. If it names several items of the same file,
    /// only the first name is kept.
    pub fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        for (context, &(file, at)) in &self.modules {
            let (source, module) = (&self.files[file].1, &self.files[file].1.modules[at]);
            let has_all = module.imports.iter().any(|(name, _)| name == "*");
            let words = source.words.iter().filter(|_| has_all);
            let mut add = |named: &Named, other: usize| {
                let first = edges.entry(file).or_default().entry(other).or_insert_with(|| named.clone());
                if named.line < first.line {
                    *first = named.clone();
                }
            };
            for named in module.imports.iter().map(|(_, named)| named).chain(&module.named).chain(words) {
                match self.resolve(context, &named.segments, &mut BTreeSet::new()) {
                    Target::Item(other) if other != file => add(named, other),
                    _ => {}
                }
            }
            for named in &module.shown {
                match self.resolve(context, &named.segments, &mut BTreeSet::new()) {
                    Target::Module(path) => self.modules.get(&path).into_iter().for_each(|(other, _)| add(named, *other)),
                    _ => {}
                }
            }
        }
        edges
    }

    /// The target of the path `segments`, which is in the module `context`. `visited` holds the
    /// names already followed through imports, so that circular imports end.
    fn resolve<'a>(&'a self, context: &[String], segments: &'a [String], visited: &mut BTreeSet<(Path, &'a str)>) -> Target {
        let mut path = context.to_vec();
        for (at, name) in segments.iter().enumerate() {
            match name.as_str() {
                "crate" => path.truncate(1),
                "self" | "*" => {}
                "super" => drop(path.pop()),
                name => match self.lookup(&path, name, at + 1 == segments.len(), visited) {
                    Some(Target::Module(module)) => path = module,
                    Some(target) => return target,
                    None if at == 0 => return Target::Outside,
                    // The module exists, but the text defines no such name, so a macro must define
                    // it.
                    None => return self.modules.get(&path).map_or(Target::Outside, |(file, _)| Target::Item(*file)),
                },
            }
        }
        Target::Module(path)
    }

    /// The target of `name` in the module `path`. If the name ends its path, an item takes precedence over a module.
    fn lookup<'a>(
        &'a self,
        path: &[String],
        name: &'a str,
        is_last: bool,
        visited: &mut BTreeSet<(Path, &'a str)>,
    ) -> Option<Target> {
        let child = [path, &[name.to_string()]].concat();
        let child = || self.modules.contains_key(&child).then(|| Target::Module(child.clone()));
        let (file, at) = self.modules.get(path).copied().filter(|_| visited.insert((path.to_vec(), name)))?;
        let module = &self.files[file].1.modules[at];
        if !is_last && child().is_some() {
            return child();
        }
        if module.defined.contains(name) {
            return Some(Target::Item(file));
        }
        if let Some((_, import)) = module.imports.iter().find(|(known, _)| known == name) {
            return Some(self.resolve(path, &import.segments, visited));
        }
        let globs = module.imports.iter().filter(|(known, _)| known == "*");
        child().or_else(|| {
            globs.into_iter().find_map(|(_, import)| match self.resolve(path, &import.segments, visited) {
                Target::Module(other) => self.lookup(&other, name, is_last, visited),
                _ => None,
            })
        })
    }
}
