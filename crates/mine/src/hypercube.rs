//! Sets that differ by items no transaction tells apart.

use crate::output::Output;
use crate::task::Flow;

/// Gives out `head` with every subset of `free`.
pub(crate) fn subsets(
    head: &mut Vec<u32>,
    free: &[u32],
    support: u32,
    out: &mut Output<'_>,
) -> Flow {
    let len = head.len();
    out.set(head, support)?;
    // The free items taken, as places in `free`; the next subset takes one more behind the last,
    // or moves the last on.
    let mut taken: Vec<usize> = Vec::new();
    let mut next = 0;
    loop {
        if next < free.len() {
            taken.push(next);
            head.push(free[next]);
            out.step()?;
            out.set(head, support)?;
            next += 1;
        } else {
            let Some(last) = taken.pop() else { break };
            head.pop();
            next = last + 1;
        }
    }
    debug_assert_eq!(head.len(), len);
    Flow::Continue(())
}
