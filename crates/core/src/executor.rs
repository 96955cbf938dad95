//! Who does the work: core never starts threads, it hands out numbered pieces.

/// Runs pieces of work, on one thread or on a pool that the caller owns.
///
/// The pieces are independent and may run in any order; results are gathered by number, so the
/// outcome is the same for every executor.
pub trait Executor: Sync {
    /// Calls `piece` with each number below `n_pieces`.
    fn run(&self, n_pieces: usize, piece: &(dyn Fn(usize) + Sync));

    /// Returns whether the work is no longer wanted; once it is so, it stays so.
    ///
    /// Long work looks here now and then, and may end early with whatever it has. Its results then
    /// mean nothing: whoever asked to stop drops them. The default is never.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// One piece after the other on the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inline;

impl Executor for Inline {
    fn run(&self, n_pieces: usize, piece: &(dyn Fn(usize) + Sync)) {
        (0..n_pieces).for_each(piece);
    }
}
