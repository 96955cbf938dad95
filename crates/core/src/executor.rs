//! Who does the work: core never starts threads, it hands out numbered pieces.

/// Runs pieces of work, on one thread or on a pool that the caller owns.
///
/// The pieces are independent and may run in any order; results are gathered by number, so the
/// outcome is the same for every executor.
pub trait Executor: Sync {
    /// Calls `piece` with each number below `n_pieces`.
    fn run(&self, n_pieces: usize, piece: &(dyn Fn(usize) + Sync));
}

/// One piece after the other on the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inline;

impl Executor for Inline {
    fn run(&self, n_pieces: usize, piece: &(dyn Fn(usize) + Sync)) {
        (0..n_pieces).for_each(piece);
    }
}
