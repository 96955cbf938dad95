//! An index against a plain model of it, under random operations.

mod common;

use std::sync::Arc;

use common::Pair;
use retold_index::disk::Simulated;

fn run(seed: u64, n_steps: usize, n_ids: usize, most_bytes: u64) {
    let mut pair = Pair::new(Arc::new(Simulated::new()), seed, most_bytes);
    for _ in 0..n_steps {
        pair.step(n_ids);
    }
    pair.writer().commit().expect("memory takes it");
    pair.committed = pair.now.clone();
    pair.check();
}

#[test]
fn an_index_is_what_a_plain_map_is() {
    for seed in 0..6 {
        run(seed, 700, 40, 1 << 20);
        run(seed + 100, 700, 12, 3000);
        run(seed + 200, 500, 150, 20_000);
    }
}

/// A million operations, or as many as `RETOLD_MODEL_STEPS` says.
#[test]
#[ignore = "takes minutes"]
fn an_index_is_what_a_plain_map_is_for_long() {
    let n_steps: u64 =
        std::env::var("RETOLD_MODEL_STEPS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    for seed in 0..n_steps.div_ceil(10_000) {
        run(seed + 1000, 10_000, 30 + seed as usize % 90, 1 << (12 + seed % 8));
    }
}
