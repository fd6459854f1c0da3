//! Symmetric matrices, which are used to compute ratings and their errors.

use std::ops::{Index, IndexMut};

/// A square matrix in row-major order. All matrices are symmetric, except for intermediate
/// products.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Matrix {
    size: usize,
    entries: Vec<f64>,
}

/// The upper triangular factor `U` of a positive definite matrix `A = Uᵀ U`.
#[derive(Debug)]
pub(crate) struct Cholesky(Matrix);

impl Matrix {
    pub(crate) fn zero(size: usize) -> Self {
        Self { size, entries: vec![0.0; size * size] }
    }

    /// Creates a multiple of the identity matrix.
    pub(crate) fn diagonal(size: usize, value: f64) -> Self {
        let mut matrix = Self::zero(size);
        (0..size).for_each(|i| matrix[(i, i)] = value);
        matrix
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.size..][..self.size]
    }

    pub(crate) fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.entries[row * self.size..][..self.size]
    }

    /// Returns the variance of the difference of two values, whose covariance is this matrix.
    pub(crate) fn variance_of_difference(&self, one: usize, other: usize) -> f64 {
        self[(one, one)] + self[(other, other)] - 2.0 * self[(one, other)]
    }

    /// Returns this matrix with another row and column, whose only entry that is not 0 is on the
    /// diagonal.
    pub(crate) fn widened(&self, own: f64) -> Self {
        let mut wide = Self::diagonal(self.size + 1, own);
        for row in 0..self.size {
            wide.row_mut(row)[..self.size].copy_from_slice(self.row(row));
        }
        wide
    }

    /// Borrows two rows, the first row mutably.
    fn two_rows(&mut self, changed: usize, read: usize) -> (&mut [f64], &[f64]) {
        let size = self.size;
        let (above, below) = self.entries.split_at_mut(changed.max(read) * size);
        if changed < read {
            (&mut above[changed * size..][..size], &below[..size])
        } else {
            (&mut below[..size], &above[read * size..][..size])
        }
    }

    /// Adds a number to each entry.
    pub(crate) fn add_everywhere(&mut self, value: f64) {
        self.entries.iter_mut().for_each(|entry| *entry += value);
    }

    /// Copies the upper triangle to the lower triangle.
    pub(crate) fn mirrored(mut self) -> Self {
        for row in 0..self.size {
            for column in row + 1..self.size {
                self[(column, row)] = self[(row, column)];
            }
        }
        self
    }

    /// Subtracts its mean from each row and each column. The result is `C A C`, where `C` is the
    /// identity matrix with `1/n` subtracted from every entry.
    pub(crate) fn centred(mut self) -> Self {
        let size = self.size as f64;
        let means: Vec<f64> =
            (0..self.size).map(|row| self.row(row).iter().sum::<f64>() / size).collect();
        let mean = means.iter().sum::<f64>() / size;
        for row in 0..self.size {
            let of_row = means[row] - mean;
            let entries = self.row_mut(row).iter_mut().zip(&means);
            entries.for_each(|(entry, of_column)| *entry -= of_row + of_column);
        }
        self
    }

    /// Returns the product of this matrix and the other matrix.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.size);
        for row in 0..self.size {
            for (inner, factor) in self.row(row).iter().enumerate() {
                add_scaled(product.row_mut(row), *factor, other.row(inner));
            }
        }
        product
    }

    /// Returns the Cholesky factor of a symmetric matrix; `None` if it is not positive definite.
    pub(crate) fn cholesky(mut self) -> Option<Cholesky> {
        for pivot in 0..self.size {
            let root = self[(pivot, pivot)].sqrt();
            if !(root > 0.0 && root.is_finite()) {
                return None;
            }
            let entries = &mut self.row_mut(pivot)[pivot..];
            entries.iter_mut().for_each(|entry| *entry /= root);
            for row in pivot + 1..self.size {
                let factor = self[(pivot, row)];
                let (changed, read) = self.two_rows(row, pivot);
                add_scaled(&mut changed[row..], -factor, &read[row..]);
            }
        }
        Some(Cholesky(self))
    }
}

impl Cholesky {
    /// Solves `A x = v`.
    pub(crate) fn solve(&self, v: &[f64]) -> Vec<f64> {
        let Self(factor) = self;
        let mut x = v.to_vec();
        for i in 0..factor.size {
            x[i] /= factor[(i, i)];
            let (solved, rest) = x.split_at_mut(i + 1);
            add_scaled(rest, -solved[i], &factor.row(i)[i + 1..]);
        }
        for i in (0..factor.size).rev() {
            let known = factor.row(i).iter().zip(&x).skip(i + 1);
            let known: f64 = known.map(|(entry, x)| entry * x).sum();
            x[i] = (x[i] - known) / factor[(i, i)];
        }
        x
    }

    /// Returns the inverse of `A`.
    pub(crate) fn inverse(&self) -> Matrix {
        let Self(factor) = self;
        // In row i, only the columns up to i are solved; the other entries follow from symmetry.
        let mut x = Matrix::diagonal(factor.size, 1.0);
        for i in 0..factor.size {
            let pivot = factor[(i, i)];
            x.row_mut(i)[..=i].iter_mut().for_each(|x| *x /= pivot);
            for below in i + 1..factor.size {
                let (changed, read) = x.two_rows(below, i);
                add_scaled(&mut changed[..=i], -factor[(i, below)], &read[..=i]);
            }
        }
        for i in (0..factor.size).rev() {
            for below in i + 1..factor.size {
                let (changed, read) = x.two_rows(i, below);
                add_scaled(&mut changed[..=i], -factor[(i, below)], &read[..=i]);
            }
            let pivot = factor[(i, i)];
            x.row_mut(i)[..=i].iter_mut().for_each(|x| *x /= pivot);
        }
        for row in 0..x.size {
            for column in 0..row {
                x[(column, row)] = x[(row, column)];
            }
        }
        x
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.entries[row * self.size + column]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.entries[row * self.size + column]
    }
}

/// Adds a multiple of another vector.
pub(crate) fn add_scaled(vector: &mut [f64], factor: f64, other: &[f64]) {
    for (entry, other) in vector.iter_mut().zip(other) {
        *entry += factor * other;
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;

    fn matrix(rows: &[&[f64]]) -> Matrix {
        Matrix { size: rows.len(), entries: rows.concat() }
    }

    /// Converts a matrix to one of nalgebra, with which the results are compared.
    fn checked(matrix: &Matrix) -> DMatrix<f64> {
        DMatrix::from_row_slice(matrix.size, matrix.size, &matrix.entries)
    }

    /// Panics unless the two matrices agree, up to differences that are small compared with the
    /// largest entry.
    fn assert_close(found: &Matrix, expected: &DMatrix<f64>, tolerance: f64) {
        let difference = (checked(found) - expected).amax();
        let largest = expected.amax();
        assert!(difference <= tolerance * largest, "{difference} of {largest}");
    }

    /// Returns a matrix similar to those of fits: the sum of a small multiple of the identity
    /// matrix and of outer products of irregular vectors.
    fn fitted(size: usize) -> Matrix {
        let mut matrix = Matrix::diagonal(size, 0.01);
        let mut entry = 1.0;
        for _ in 0..2 * size {
            let v: Vec<f64> = (0..size)
                .map(|_| {
                    entry = (entry * 7.31 + 0.37) % 1.0;
                    entry - 0.5
                })
                .collect();
            for (row, of_row) in v.iter().enumerate() {
                add_scaled(matrix.row_mut(row), 0.3 * of_row, &v);
            }
        }
        matrix
    }

    #[test]
    fn cholesky_matches_the_textbook_example() {
        // https://en.wikipedia.org/wiki/Cholesky_decomposition#Example
        let a = matrix(&[&[4.0, 12.0, -16.0], &[12.0, 37.0, -43.0], &[-16.0, -43.0, 98.0]]);
        let Cholesky(factor) = a.cholesky().unwrap();
        let upper = [[2.0, 6.0, -8.0], [0.0, 1.0, 5.0], [0.0, 0.0, 3.0]];
        for (row, expected) in upper.iter().enumerate() {
            assert_eq!(factor.row(row)[row..], expected[row..]);
        }
    }

    #[test]
    fn the_inverse_of_a_hilbert_matrix_has_integer_entries() {
        let mut hilbert = Matrix::zero(4);
        for row in 0..4 {
            for column in 0..4 {
                hilbert[(row, column)] = 1.0 / (row + column + 1) as f64;
            }
        }
        // M.-D. Choi, "Tricks or Treats with the Hilbert Matrix" (1983).
        let inverse = [
            [16.0, -120.0, 240.0, -140.0],
            [-120.0, 1200.0, -2700.0, 1680.0],
            [240.0, -2700.0, 6480.0, -4200.0],
            [-140.0, 1680.0, -4200.0, 2800.0],
        ];
        let factor = hilbert.cholesky().unwrap();
        let expected = DMatrix::from_row_slice(4, 4, inverse.as_flattened());
        assert_close(&factor.inverse(), &expected, 1e-12);
        let solution = factor.solve(&[1.0, 0.0, 0.0, 0.0]);
        for (found, expected) in solution.iter().zip(inverse[0]) {
            assert!((found - expected).abs() < 1e-9, "{solution:?}");
        }
    }

    #[test]
    fn all_sizes_agree_with_another_library() {
        for size in (1..40).chain([200]) {
            let a = fitted(size);
            let theirs = checked(&a).cholesky().unwrap();
            let ours = a.clone().cholesky().unwrap();
            let inverse = ours.inverse();
            assert_close(&inverse, &theirs.inverse(), 1e-9);
            let v: Vec<f64> = (0..size).map(|i| i as f64 - 2.0).collect();
            let solved = theirs.solve(&nalgebra::DVector::from_row_slice(&v));
            let close = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-7;
            assert!(ours.solve(&v).iter().zip(&solved).all(close));
            let mean = 1.0 / size as f64;
            let centring = DMatrix::identity(size, size).add_scalar(-mean);
            let centred = &centring * checked(&a) * &centring;
            assert_close(&a.centred(), &centred, 1e-12);
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_has_no_factor() {
        let indefinite = matrix(&[&[1.0, 2.0], &[2.0, 1.0]]);
        let singular = matrix(&[&[1.0, 1.0], &[1.0, 1.0]]);
        let unknown = matrix(&[&[f64::NAN]]);
        let endless = matrix(&[&[f64::INFINITY]]);
        for matrix in [indefinite, singular, unknown, endless, Matrix::zero(1)] {
            assert!(matrix.cholesky().is_none());
        }
        assert_eq!(Matrix::zero(0).cholesky().unwrap().solve(&[]), []);
    }
}
