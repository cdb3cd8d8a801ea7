// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lines of the source from which an instruction was compiled, such as CUDA C++ or Python.

use std::fmt;
use std::sync::Arc;

/// The maximum number of callers of a location.
pub(super) const MOST_CALLERS: usize = 32;

/// Parts of the paths of libraries: a line of these is not what the author of a kernel has written.
const LIBRARIES: [&str; 9] = [
    "/usr/",
    "/opt/",
    "/site-packages/",
    "/dist-packages/",
    "/cuda/include/",
    "/targets/x86_64-linux/include/",
    "/cccl/",
    "/libcudacxx/",
    "/cutlass/include/",
];

/// A location in the source from which an instruction was compiled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Origin {
    /// The path, as the compiler wrote it.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if it is unknown.
    pub column: u32,
    /// If the compiler inlined a function: the function that contains the line, as the compiler names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<Arc<str>>,
    /// If the compiler inlined a function: the location of its call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<Arc<Origin>>,
    /// The locations of other calls, if the text does not distinguish the calls from which this line was inlined; `caller` is then the
    /// most likely one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_callers: Vec<Arc<Origin>>,
}

impl Origin {
    /// The location, its caller, the caller of that, and so on.
    pub fn frames(&self) -> impl Iterator<Item = &Origin> {
        std::iter::successors(Some(self), |origin| origin.caller.as_deref())
    }

    /// The innermost location outside of libraries; without one, the outermost location.
    pub fn of_author(&self) -> &Origin {
        let is_library = |origin: &&Origin| LIBRARIES.iter().any(|part| origin.file.contains(part));
        self.frames().find(|origin| !is_library(origin)).or(self.frames().last()).unwrap_or(self)
    }

    /// The other lines of the author that this location may belong to.
    pub fn others_of_author(&self) -> Vec<&Origin> {
        let author = self.of_author();
        let mut others: Vec<&Origin> = vec![];
        for other in self.frames().flat_map(|origin| &origin.other_callers).map(|other| other.of_author()) {
            let is_known = |known: &Origin| (&known.file, known.line) == (&other.file, other.line);
            if !is_known(author) && !others.iter().any(|known| is_known(known)) {
                others.push(other);
            }
        }
        others
    }

    /// The name of the file without its folders.
    pub fn file_name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file)
    }
}

/// Text such as `scan.cu:12`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}", self.file_name(), self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(file: &str, line: u32, caller: Option<Origin>) -> Origin {
        Origin { file: file.into(), line, column: 1, function: None, caller: caller.map(Arc::new), other_callers: vec![] }
    }

    #[test]
    fn the_line_of_the_author_calls_the_library() {
        let kernel = origin("/home/me/scan.cu", 7, None);
        let header = origin("/home/me/warp.cuh", 3, Some(kernel.clone()));
        let library = origin("/usr/local/cuda/include/cuda/barrier", 90, Some(header.clone()));
        assert_eq!(library.of_author().to_string(), "warp.cuh:3");
        assert_eq!(header.of_author(), &header);
        assert_eq!(library.frames().count(), 3);
        let only = origin("/usr/include/a.h", 1, Some(origin("/usr/include/b.h", 2, None)));
        assert_eq!(only.of_author().to_string(), "b.h:2");
    }
}
