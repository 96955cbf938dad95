//! Where a miner puts the sets it finds.

use crate::halt::Halt;
use crate::table::Table;
use crate::task::{Cut, CutPart, Flow, Meter, Outcome, Task};

/// Takes sets as they are found.
pub(crate) type Sink<'a> = &'a mut (dyn FnMut(&[u32], u32) -> Flow + Send);

/// Where a miner puts what it finds: translates items back, keeps to the limits, counts.
pub struct Output<'a> {
    table: &'a Table,
    min_size: usize,
    sink: Sink<'a>,
    meter: Meter<'a>,
    buffer: Vec<u32>,
    cut_parts: Vec<CutPart>,
}

impl<'a> Output<'a> {
    pub(crate) fn new(table: &'a Table, task: &Task, halt: Halt<'a>, sink: Sink<'a>) -> Self {
        let meter = Meter::new(task.budget, halt);
        Self {
            table,
            min_size: task.min_size,
            sink,
            meter,
            buffer: Vec::new(),
            cut_parts: Vec::new(),
        }
    }

    /// Gives out the answers found while reducing.
    pub(crate) fn peeled(&mut self) -> Flow {
        for (items, support) in self.table.peeled() {
            self.members(items, support)?;
        }
        Flow::Continue(())
    }

    /// Gives out a set of the table's items, in any order.
    pub fn set(&mut self, items: &[u32], support: u32) -> Flow {
        self.buffer.clear();
        for &item in items {
            self.buffer.extend_from_slice(self.table.members(item));
        }
        if self.buffer.len() < self.min_size {
            return Flow::Continue(());
        }
        self.buffer.sort_unstable();
        self.meter.set()?;
        (self.sink)(&self.buffer, support)
    }

    /// Gives out a set of the context's items, ascending.
    pub(crate) fn members(&mut self, items: &[u32], support: u32) -> Flow {
        if items.len() >= self.min_size {
            self.meter.set()?;
            return (self.sink)(items, support);
        }
        Flow::Continue(())
    }

    /// Returns how many sets were given out.
    pub(crate) fn n_sets(&self) -> u64 {
        self.meter.n_sets()
    }

    /// Says that a step of the search was done; every node of a search tree is one.
    pub fn step(&mut self) -> Flow {
        self.meter.step()
    }

    /// Says that memory is taken.
    pub fn hold(&mut self, bytes: usize) -> Flow {
        self.meter.hold(bytes)
    }

    /// Says that something takes `bytes` now. `held` is what it was said to take before; it is
    /// raised to `bytes`, and never lowered.
    pub(crate) fn hold_up_to(&mut self, bytes: usize, held: &mut usize) -> Flow {
        if bytes <= *held {
            return Flow::Continue(());
        }
        let grown = bytes - *held;
        *held = bytes;
        self.hold(grown)
    }

    /// Says that memory is given back.
    pub fn release(&mut self, bytes: usize) {
        self.meter.release(bytes);
    }

    /// Says whether the run is to stop, for parts of the search that do no steps.
    pub(crate) fn halt(&self) -> Halt<'a> {
        self.meter.halt()
    }

    /// Breaks if the time is over or the run is to stop.
    pub(crate) fn look(&self) -> Flow {
        self.meter.look()
    }

    /// Returns whether no further set may be given out.
    pub(crate) fn is_full(&self) -> bool {
        self.meter.is_full()
    }

    /// Says that a component was not searched to its end.
    pub(crate) fn cut_part(&mut self, part: CutPart) {
        self.cut_parts.push(part);
    }

    pub(crate) fn finish(self, cut: Option<Cut>) -> Outcome {
        Outcome { n_sets: self.meter.n_sets(), cut, cut_parts: self.cut_parts }
    }
}
