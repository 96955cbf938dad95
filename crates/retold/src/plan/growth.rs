//! How something grows with a collection: a n + b n².

/// What grows as a n + b n², neither of them falling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Growth {
    linear: f64,
    square: f64,
}

impl Growth {
    /// Fits both to what was measured at some sizes: the smallest sum of squares of relative errors.
    pub(super) fn fit(points: &[(f64, f64)]) -> Self {
        // Divided by what was measured, so that small samples count as much as large ones.
        let rows: Vec<(f64, f64)> = points
            .iter()
            .filter(|(n, value)| *n > 0.0 && *value > 0.0)
            .map(|(n, value)| (n / value, n * n / value))
            .collect();
        let sum = |of: &dyn Fn(&(f64, f64)) -> f64| rows.iter().map(of).sum::<f64>();
        let (xx, xy, yy) = (sum(&|r| r.0 * r.0), sum(&|r| r.0 * r.1), sum(&|r| r.1 * r.1));
        let (x, y) = (sum(&|r| r.0), sum(&|r| r.1));
        let determinant = xx * yy - xy * xy;
        let (linear, square) = if determinant > 1e-12 * xx * yy {
            ((x * yy - y * xy) / determinant, (y * xx - x * xy) / determinant)
        } else {
            (-1.0, -1.0)
        };
        let alone = |sum: f64, squares: f64| if squares > 0.0 { sum / squares } else { 0.0 };
        let only = [
            Self { linear: alone(x, xx), square: 0.0 },
            Self { linear: 0.0, square: alone(y, yy) },
        ];
        if linear >= 0.0 && square >= 0.0 {
            return Self { linear, square };
        }
        let error =
            |growth: &Self| sum(&|r| (growth.linear * r.0 + growth.square * r.1 - 1.0).powi(2));
        let [by_line, by_square] = only;
        if rows.len() < 2 || error(&by_line) <= error(&by_square) { by_line } else { by_square }
    }

    /// Returns what it comes to at a size.
    pub(super) fn at(self, n: f64) -> f64 {
        self.linear * n + self.square * n * n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_so_is_carried_on() {
        for (linear, square) in [(3.0, 0.0), (0.0, 0.01), (2.0, 0.005)] {
            let at = |n: f64| linear * n + square * n * n;
            let growth =
                Growth::fit(&[(250.0, at(250.0)), (500.0, at(500.0)), (1000.0, at(1000.0))]);
            let (expected, found) = (at(20_000.0), growth.at(20_000.0));
            assert!((found / expected - 1.0).abs() < 1e-6, "{expected} {found}");
        }
    }

    #[test]
    fn neither_part_falls_and_nothing_stays_nothing() {
        let shrinking = Growth::fit(&[(1.0, 4.0), (2.0, 5.0), (4.0, 6.0)]);
        assert!(shrinking.linear >= 0.0 && shrinking.square >= 0.0);
        assert!(Growth::fit(&[(10.0, 0.0)]).at(1e6).abs() < 1e-12);
    }
}
