// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The clusters of a grid's CTAs: spec 003 and the special registers %clusterid, %cluster_ctaid, %cluster_ctarank.
//!
//! The CTAs of a grid, the CTAs of a cluster and the clusters of a grid are numbered along x, then y, then z.

use bcu_isa::diag::Diagnostic;

/// The most CTAs of a cluster.
pub const MAX_CLUSTER: u32 = 16;

/// A grid and its clusters, which divide the grid evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clusters {
    grid: [u32; 3],
    size: [u32; 3],
    explicit: bool,
}

impl Default for Clusters {
    fn default() -> Self {
        Clusters::implicit([1; 3])
    }
}

impl Clusters {
    /// A grid of clusters of this size.
    ///
    /// # Errors
    /// A size of 0 or of more than 16 CTAs, or a size that does not divide the grid. The diagnostic has no span.
    pub fn new(grid: [u32; 3], size: [u32; 3]) -> Result<Clusters, Diagnostic> {
        let wrong = |message: String, label: &str| Err(Diagnostic::new(0..0, message, label));
        let ctas = total(size);
        if ctas == 0 || ctas > u64::from(MAX_CLUSTER) {
            return wrong(format!("a cluster of {ctas} CTAs"), "expected 1 to 16");
        }
        if let Some(axis) = (0..3).find(|axis| grid[*axis] == 0 || grid[*axis] % size[*axis] != 0) {
            let (all, of, axis) = (grid[axis], size[axis], ["x", "y", "z"][axis]);
            let message = format!("a grid of {all} CTAs along {axis}, in clusters of {of}");
            return wrong(message, &format!("expected a multiple of {of} CTAs along {axis}"));
        }
        Ok(Clusters { grid, size, explicit: true })
    }

    /// A grid without a cluster launch: each CTA is a separate cluster.
    pub fn implicit(grid: [u32; 3]) -> Clusters {
        Clusters { grid, size: [1; 3], explicit: false }
    }

    /// Whether the launch or the kernel states the cluster size (%is_explicit_cluster).
    pub fn explicit(&self) -> bool {
        self.explicit
    }

    /// CTAs along x, y and z, of the grid (%nctaid) and of a cluster (%cluster_nctaid).
    pub fn grid(&self) -> [u32; 3] {
        self.grid
    }

    pub fn shape(&self) -> [u32; 3] {
        self.size
    }

    /// Clusters along x, y and z (%nclusterid).
    pub fn clusters(&self) -> [u32; 3] {
        [0, 1, 2].map(|axis| self.grid[axis] / self.size[axis])
    }

    /// CTAs of a cluster (%cluster_nctarank).
    pub fn size(&self) -> usize {
        total(self.size) as usize
    }

    /// Clusters of the grid.
    pub fn count(&self) -> usize {
        total(self.clusters()) as usize
    }

    /// The position of a CTA in its cluster (%cluster_ctaid), from its position in the grid (%ctaid).
    pub fn inside(&self, ctaid: [u32; 3]) -> [u32; 3] {
        [0, 1, 2].map(|axis| ctaid[axis] % self.size[axis])
    }

    /// The cluster of a CTA (%clusterid).
    pub fn cluster(&self, ctaid: [u32; 3]) -> [u32; 3] {
        [0, 1, 2].map(|axis| ctaid[axis] / self.size[axis])
    }

    /// The number of a CTA in its cluster (%cluster_ctarank).
    pub fn rank(&self, ctaid: [u32; 3]) -> usize {
        number(self.inside(ctaid), self.size)
    }

    /// For a CTA by its number in the grid: the number of its cluster, and its rank in the cluster.
    pub fn place(&self, cta: usize) -> (usize, usize) {
        let ctaid = axes(cta, self.grid);
        (number(self.cluster(ctaid), self.clusters()), self.rank(ctaid))
    }

    /// The number in the grid of the CTA with this rank in this cluster.
    pub fn cta(&self, cluster: usize, rank: usize) -> usize {
        let (cluster, inside) = (axes(cluster, self.clusters()), axes(rank, self.size));
        number([0, 1, 2].map(|axis| cluster[axis] * self.size[axis] + inside[axis]), self.grid)
    }
}

/// The number of elements of a shape.
fn total(shape: [u32; 3]) -> u64 {
    shape.iter().fold(1u64, |total, &size| total.saturating_mul(size.into()))
}

/// The number of a position in a shape, x first.
fn number([x, y, z]: [u32; 3], [width, height, _]: [u32; 3]) -> usize {
    (z as usize * height as usize + y as usize) * width as usize + x as usize
}

/// The position of a number; the inverse of [`number`].
fn axes(number: usize, [width, height, _]: [u32; 3]) -> [u32; 3] {
    let (width, height) = (width as usize, height as usize);
    [number % width, number / width % height, number / width / height].map(|at| at as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cta_has_one_place_in_one_cluster() {
        for (grid, size) in [([8, 1, 1], [4, 1, 1]), ([4, 6, 2], [2, 3, 1]), ([4, 4, 4], [1, 2, 4]), ([3, 2, 1], [1, 1, 1])] {
            let clusters = Clusters::new(grid, size).unwrap();
            let mut seen = vec![vec![false; clusters.size()]; clusters.count()];
            for cta in 0..total(grid) as usize {
                let (cluster, rank) = clusters.place(cta);
                assert_eq!(clusters.cta(cluster, rank), cta, "{grid:?} {size:?}");
                assert!(!std::mem::replace(&mut seen[cluster][rank], true));
            }
            assert!(seen.iter().flatten().all(|there| *there));
        }
    }

    #[test]
    fn ranks_count_along_x_first() {
        let clusters = Clusters::new([4, 4, 2], [2, 2, 2]).unwrap();
        assert_eq!((clusters.clusters(), clusters.count(), clusters.size()), ([2, 2, 1], 4, 8));
        assert_eq!(
            (clusters.inside([3, 2, 1]), clusters.cluster([3, 2, 1]), clusters.rank([3, 2, 1])),
            ([1, 0, 1], [1, 1, 0], 5)
        );
        assert_eq!((clusters.place(1 + 4), clusters.place(2), clusters.place(16)), ((0, 3), (1, 0), (0, 4)));
    }

    #[test]
    fn what_is_no_cluster_is_refused() {
        let refused = |grid, size| Clusters::new(grid, size).unwrap_err().message;
        assert_eq!(refused([32, 1, 1], [17, 1, 1]), "a cluster of 17 CTAs");
        assert_eq!(refused([4, 1, 1], [0, 1, 1]), "a cluster of 0 CTAs");
        assert_eq!(refused([4, 6, 1], [2, 4, 1]), "a grid of 6 CTAs along y, in clusters of 4");
        assert_eq!(refused([u32::MAX; 3], [u32::MAX; 3]), format!("a cluster of {} CTAs", u64::MAX));
        assert!(Clusters::new([1; 3], [1; 3]).unwrap().explicit() && !Clusters::implicit([1; 3]).explicit());
    }
}
