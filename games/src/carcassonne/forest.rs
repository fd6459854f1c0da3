//! A union-find structure with a fixed capacity. It joins segments to form features.

/// A feature that can be merged with another.
pub(super) trait Merge: Copy + Default {
    /// Merges another feature into this one.
    fn merge(&mut self, other: &Self);
}

/// Segments of one type, and the features to which they are joined. Segments are numbered in the
/// order of insertion. A feature is identified by the number of one of its segments, the root. `N`
/// is the maximum number of segments, at most 255, so that a number fits into a byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forest<F, const N: usize> {
    len: u8,
    /// The next segment on the path to the root. A root is its own parent.
    parent: [u8; N],
    /// For each root's index, the number of segments of its feature.
    weight: [u8; N],
    /// For each root's index, its feature.
    features: [F; N],
}

impl<F: Merge, const N: usize> Forest<F, N> {
    /// Creates a forest without segments.
    pub(super) fn new() -> Self {
        const { assert!(N <= u8::MAX as usize) };
        Self { len: 0, parent: [0; N], weight: [1; N], features: [F::default(); N] }
    }

    /// Returns the number that the next segment will get.
    pub(super) const fn next(&self) -> u8 {
        self.len
    }

    /// Adds a segment as a separate feature.
    pub(super) fn add(&mut self, feature: F) {
        let segment = usize::from(self.len);
        self.parent[segment] = self.len;
        self.features[segment] = feature;
        self.len += 1;
    }

    /// Returns the root of a segment's feature. Union by weight keeps the path at most 7 steps long
    /// for 255 segments.
    pub(super) fn root(&self, mut segment: u8) -> u8 {
        loop {
            let parent = self.parent[usize::from(segment)];
            if parent == segment {
                return segment;
            }
            segment = parent;
        }
    }

    /// Joins the features of two segments, which may be joined already. Returns the root.
    pub(super) fn join(&mut self, a: u8, b: u8) -> u8 {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return a;
        }
        let weight = |root: u8| self.weight[usize::from(root)];
        let (root, other) = if weight(a) < weight(b) { (b, a) } else { (a, b) };
        self.parent[usize::from(other)] = root;
        self.weight[usize::from(root)] += weight(other);
        let merged = self.features[usize::from(other)];
        self.features[usize::from(root)].merge(&merged);
        root
    }

    pub(super) fn feature(&self, root: u8) -> &F {
        &self.features[usize::from(root)]
    }

    pub(super) fn feature_mut(&mut self, root: u8) -> &mut F {
        &mut self.features[usize::from(root)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    struct Sum(u32);

    impl Merge for Sum {
        fn merge(&mut self, other: &Self) {
            self.0 += other.0;
        }
    }

    #[test]
    fn a_joined_feature_has_the_data_of_its_segments_and_one_root() {
        let mut forest: Forest<Sum, 255> = Forest::new();
        (0..255).for_each(|n| forest.add(Sum(n)));
        for n in (0..252).rev() {
            forest.join(n, n + 3);
        }
        for n in 0..255u8 {
            assert_eq!(forest.root(n), forest.root(n % 3));
        }
        let sums = [0, 1, 2].map(|n| forest.feature(forest.root(n)).0);
        assert_eq!(sums, [10710, 10795, 10880]);
        assert_ne!(forest.root(0), forest.root(1));
    }

    #[test]
    fn joining_twice_changes_nothing() {
        let mut forest: Forest<Sum, 2> = Forest::new();
        (1..=2).for_each(|n| forest.add(Sum(n)));
        let root = forest.join(0, 1);
        assert_eq!(forest.join(1, 0), root);
        assert_eq!(*forest.feature(root), Sum(3));
    }

    #[test]
    fn the_path_to_a_root_has_at_most_seven_steps() {
        let mut forest: Forest<Sum, 255> = Forest::new();
        (0..255).for_each(|n| forest.add(Sum(n)));
        // Joining features of equal weight gives the longest paths.
        let mut step = 1;
        while step < 255 {
            (0..255 - step)
                .step_by(2 * step)
                .for_each(|n| _ = forest.join(n as u8, (n + step) as u8));
            step *= 2;
        }
        let depth = |mut segment: u8| {
            let mut steps = 0;
            while forest.parent[usize::from(segment)] != segment {
                segment = forest.parent[usize::from(segment)];
                steps += 1;
            }
            steps
        };
        assert_eq!((0..255).map(depth).max(), Some(7));
    }
}
