// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cluster parameters of a kernel and its launch: directives, their versions and targets (as in `ptxas`), and conflicts.

use bcu_isa::diag::Diagnostic;
use bcu_program::launch::LaunchFile;
use bcu_program::ptx::{lower, parse, Launch};
use bcu_program::Clusters;
use bcu_program::{load, Kind};

/// A kernel with these directives after its name.
fn kernel(version: &str, target: &str, directives: &str) -> String {
    format!(".version {version}\n.target {target}\n.address_size 64\n.entry k()\n{directives}\n{{\nret;\n}}\n")
}

fn launch(grid: [u32; 3], cluster: Option<[u32; 3]>) -> Launch {
    Launch { threads: Some([32, 1, 1]), grid, cluster, ..Launch::new(32) }
}

/// The clusters of a launch, or the first error with the text that it marks.
fn launched(directives: &str, grid: [u32; 3], cluster: Option<[u32; 3]>) -> Result<Clusters, (String, String)> {
    let text = kernel("9.0", "sm_90", directives);
    let told = |errors: Vec<Diagnostic>| (errors[0].message.clone(), text[errors[0].span.clone()].to_string());
    let module = parse(&text).map_err(told)?;
    let lowered = lower(&module, &launch(grid, cluster)).map_err(told)?;
    Ok(lowered.clusters)
}

#[test]
fn the_launch_or_the_kernel_says_how_large_a_cluster_is() {
    let of = |grid, size| Ok(Clusters::new(grid, size).unwrap());
    assert_eq!(launched("", [4, 2, 1], None), Ok(Clusters::implicit([4, 2, 1])));
    assert_eq!(launched("", [4, 2, 1], Some([2, 2, 1])), of([4, 2, 1], [2, 2, 1]));
    assert_eq!(launched("", [4, 2, 1], Some([1, 1, 1])), of([4, 2, 1], [1, 1, 1]));
    assert_eq!(launched(".reqnctapercluster 4", [4, 2, 1], None), of([4, 2, 1], [4, 1, 1]));
    assert_eq!(launched(".reqnctapercluster 2, 2", [4, 2, 1], Some([2, 2, 1])), of([4, 2, 1], [2, 2, 1]));
    assert_eq!(launched(".explicitcluster", [4, 2, 1], Some([1, 2, 1])), of([4, 2, 1], [1, 2, 1]));
    assert_eq!(launched(".explicitcluster\n.reqnctapercluster 2", [4, 2, 1], None), of([4, 2, 1], [2, 1, 1]));
    assert_eq!(launched(".maxclusterrank 4", [4, 2, 1], Some([2, 2, 1])), of([4, 2, 1], [2, 2, 1]));
    assert_eq!(launched(".maxclusterrank 4", [4, 2, 1], None), Ok(Clusters::implicit([4, 2, 1])));
}

#[test]
fn a_cluster_that_does_not_fit_is_refused_at_its_directive() {
    for (directives, cluster, message, marked) in [
        ("", Some([3, 1, 1]), "a grid of 4 CTAs along x, in clusters of 3", "k"),
        ("", Some([4, 2, 4]), "a cluster of 32 CTAs", "k"),
        (".reqnctapercluster 3", None, "a grid of 4 CTAs along x, in clusters of 3", ".reqnctapercluster 3"),
        (
            ".reqnctapercluster 2",
            Some([4, 1, 1]),
            "`k` has .reqnctapercluster 2,1,1, and is launched in clusters of 4,1,1",
            ".reqnctapercluster 2",
        ),
        (
            ".maxclusterrank 2",
            Some([2, 2, 1]),
            "`k` has .maxclusterrank 2, and is launched in clusters of 4 CTAs",
            ".maxclusterrank 2",
        ),
        (".explicitcluster", None, "`k` has .explicitcluster, but the launch gives no cluster size", ".explicitcluster"),
        (
            ".reqnctapercluster 2\n.maxclusterrank 2",
            None,
            "`.reqnctapercluster` and `.maxclusterrank` of one kernel",
            ".maxclusterrank 2",
        ),
        (".reqnctapercluster 17", None, "`.reqnctapercluster` with 17", ".reqnctapercluster 17"),
        (".reqnctapercluster 4, 4, 4", None, "`.reqnctapercluster` with 4, 4, 4", ".reqnctapercluster 4, 4, 4"),
        (".reqnctapercluster 0", None, "`.reqnctapercluster` with 0", ".reqnctapercluster 0"),
        (".reqnctapercluster", None, "`.reqnctapercluster` without a number", ".reqnctapercluster"),
        (".maxclusterrank 0", None, "`.maxclusterrank` with 0", ".maxclusterrank 0"),
        (".maxclusterrank 2, 2", None, "`.maxclusterrank` with 2, 2", ".maxclusterrank 2, 2"),
        (".blocksareclusters", None, "`.blocksareclusters` is not supported yet", ".blocksareclusters"),
    ] {
        let refused = launched(directives, [4, 2, 1], cluster).unwrap_err();
        assert_eq!(refused, (message.to_string(), marked.to_string()), "{directives}");
    }
}

#[test]
fn the_directives_need_their_version_and_target() {
    for directive in [".reqnctapercluster 2", ".maxclusterrank 2", ".explicitcluster"] {
        let name = directive.split(' ').next().unwrap();
        let refused = |version: &str, target: &str| {
            let text = kernel(version, target, directive);
            parse(&text).err().map(|errors| {
                assert_eq!(&text[errors[0].span.clone()], directive);
                errors[0].message.clone()
            })
        };
        assert_eq!(refused("7.8", "sm_90"), None);
        assert_eq!(refused("7.7", "sm_90"), Some(format!("`{name}` needs PTX 7.8, this text is PTX 7.7")));
        assert_eq!(refused("7.8", "sm_89"), Some(format!("`{name}` needs sm_90, the target of this text is sm_89")));
    }
}

#[test]
fn a_launch_file_has_clusters() {
    let text = |cluster: &str| format!("[[launch]]\ngrid = [4, 2]\ncluster = {cluster}\n");
    let of = |cluster: &str| LaunchFile::parse(&text(cluster));
    assert_eq!(of("[2, 2]").unwrap().launches[0].cluster, Some([2, 2, 1]));
    for (cluster, message) in [
        ("[3]", "a grid of 4 CTAs along x, in clusters of 3"),
        ("[4, 2, 4]", "a cluster of 32 CTAs"),
        ("[]", "a shape of []"),
        ("[0]", "a shape of [0]"),
    ] {
        let errors = of(cluster).unwrap_err();
        assert_eq!((errors[0].message.as_str(), &text(cluster)[errors[0].span.clone()]), (message, cluster));
    }
}

#[test]
fn assembly_has_no_clusters_by_the_launch() {
    let errors = load(Kind::Bcu, "EXIT", &launch([1; 3], Some([1; 3]))).unwrap_err();
    assert_eq!(errors[0].message, "kernels, grids, clusters and arguments are for PTX");
}
