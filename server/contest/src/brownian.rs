//! A Brownian motion with drift between two absorbing barriers.
//!
//! Sources: D. Siegmund, "Sequential Analysis", chapter 3; the series is the eigenfunction
//! expansion of the motion's density between the barriers.

use std::f64::consts::PI;

use statrs::distribution::{ContinuousCDF, Normal};

/// The spread below which the series converges slowly. Beyond [`MAX_DRIFT`], the series loses
/// precision. In both cases, Siegmund's approximation is accurate enough.
const MIN_SPREAD: f64 = 1e-2;
const MAX_DRIFT: f64 = 15.0;

/// The series is summed until a term is smaller than this.
const LAST_TERM: f64 = 1e-9;

/// A Brownian motion that starts at 0 between a lower and an upper barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brownian {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    /// Drift per unit of time.
    pub(crate) drift: f64,
    /// Variance per unit of time.
    pub(crate) variance: f64,
}

impl Brownian {
    /// Returns the probability of an outcome worse than being at `place` at `time`. In a worse
    /// outcome, the motion stops at the lower barrier before `time`, is below `place` at `time`, or
    /// stops at the upper barrier later.
    pub(crate) fn chance_of_worse(&self, time: f64, place: f64) -> f64 {
        let width = self.upper - self.lower;
        let gamma = self.drift / self.variance;
        let spread = self.variance * time / (width * width);
        let chance = if spread < MIN_SPREAD || (gamma * width).abs() > MAX_DRIFT {
            self.approximation(time, place)
        } else {
            self.series(time, place)
        };
        chance.clamp(0.0, 1.0)
    }

    fn series(&self, time: f64, place: f64) -> f64 {
        let width = self.upper - self.lower;
        let (start, place) = (-self.lower, place - self.lower);
        let gamma = self.drift / self.variance;
        let rate =
            |n: f64| (n * PI / width).powi(2) * self.variance / 2.0 + self.drift * gamma / 2.0;
        let first = (-rate(1.0) * time - start * gamma + place * gamma).exp();
        let mut sum = 0.0;
        for n in (1..).map(f64::from) {
            let (sine, cosine) = (n * PI * place / width).sin_cos();
            let primitive = (2.0 * width * gamma * sine - 2.0 * PI * n * cosine)
                / ((width * gamma).powi(2) + (PI * n).powi(2));
            let decay = (-(rate(n) - rate(1.0)) * time).exp();
            sum += decay * primitive * (n * PI * start / width).sin();
            if (first * decay * primitive).abs() <= LAST_TERM {
                break;
            }
        }
        let stopped_below = if (gamma * width).abs() < 1e-8 {
            (width - start) / width
        } else {
            // Equal to (1 - e^(2g(w-s))) / (1 - e^(2gw)), without overflow.
            (2.0 * gamma * (width - start)).exp_m1() / (2.0 * gamma * width).exp_m1()
        };
        stopped_below + first * sum
    }

    fn approximation(&self, time: f64, place: f64) -> f64 {
        let normal = Normal::standard();
        let deviation = (time * self.variance).sqrt();
        let ahead = self.drift * time;
        let gamma = self.drift / self.variance;
        // Computes e^(2 gamma barrier) * Phi(z). Where the factor is large, an expansion of Phi is
        // used.
        let reflected = |barrier: f64, z: f64| {
            if gamma * barrier >= 5.0 {
                let tail = 1.0 / z - 1.0 / z.powi(3);
                -(-z * z / 2.0 + 2.0 * gamma * barrier).exp() / (2.0 * PI).sqrt() * tail
            } else {
                (2.0 * gamma * barrier).exp() * normal.cdf(z)
            }
        };
        let below = normal.cdf((place - ahead) / deviation);
        let stopped_below = reflected(self.lower, (-place + ahead + 2.0 * self.lower) / deviation);
        let stopped_above = reflected(self.upper, (place - ahead - 2.0 * self.upper) / deviation);
        below + stopped_below - stopped_above
    }
}
