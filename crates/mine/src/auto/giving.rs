//! Giving out what was found, component by component, within the limits of each.

use super::searched::{Searched, hash_of};
use super::seed::Allowance;
use super::{Answer, Plan, What, cover, general};
use crate::output::Output;
use crate::table::Table;
use crate::task::{Cut, CutPart, Flow, Task};

/// Gives out answers in order and keeps each component to its limits.
pub(super) struct Giving<'a> {
    plan: &'a Plan<'a>,
    table: &'a Table,
    task: &'a Task,
    allowance: Allowance,
    /// The component of the last answer.
    at: Option<Account>,
}

/// What a component has used so far.
struct Account {
    component: usize,
    n_sets: u64,
    n_steps: u64,
    cut: Option<Cut>,
}

impl<'a> Giving<'a> {
    /// Starts with nothing given out.
    pub(super) fn new(
        plan: &'a Plan<'a>,
        table: &'a Table,
        task: &'a Task,
        allowance: Allowance,
    ) -> Self {
        Self { plan, table, task, allowance, at: None }
    }

    /// Returns whether the component of the last answer reached a limit.
    pub(super) fn is_cut(&self) -> bool {
        self.at.as_ref().is_some_and(|at| at.cut.is_some())
    }

    /// Takes the next answer; answers come in the order of components.
    pub(super) fn take(&mut self, answer: Answer, out: &mut Output<'_>) -> Flow {
        let number = answer.piece.component;
        if self.at.as_ref().is_none_or(|at| at.component != number) {
            self.at = Some(Account { component: number, n_sets: 0, n_steps: 0, cut: None });
        }
        let component = &self.plan.components[number];
        match answer.what {
            What::All(support) => out.set(component, support),
            What::General => self.give_to_general(component, out),
            What::Seeds(seeds) => {
                for (at, searched) in seeds.iter().enumerate() {
                    let place = answer.piece.from + at;
                    self.give_seed(component, place, searched.as_ref(), out)?;
                }
                Flow::Continue(())
            }
        }
    }

    fn give_seed(
        &mut self,
        component: &[u32],
        place: usize,
        searched: &dyn Searched,
        out: &mut Output<'_>,
    ) -> Flow {
        let account = self.at.as_mut().expect("an account was opened");
        if account.cut.is_some() {
            return Flow::Continue(());
        }
        let sets = self.allowance.sets.saturating_sub(account.n_sets);
        let steps = self.allowance.steps.saturating_sub(account.n_steps);
        let mut each = |items: &[u32], support| out.members(items, support);
        let n_given = match searched.give(sets, steps, &mut each) {
            Ok(n_given) => n_given,
            Err(cut) => return Flow::Break(cut),
        };
        account.n_sets += n_given;
        account.n_steps += searched.n_steps();
        account.cut = if n_given < searched.n_sets() {
            Some(if n_given == sets { Cut::Sets } else { Cut::Steps })
        } else if searched.n_steps() > steps {
            Some(Cut::Steps)
        } else {
            searched.cut()
        };
        let Some(cut) = account.cut else { return Flow::Continue(()) };
        // What the search did not reach is covered, so that every related pair stands in some set.
        let given = searched.item_hashes(n_given);
        let (plan, mut n_cover) = (self.plan, 0);
        let k = self.task.min_support;
        let mut give = |set: &[u32], support| {
            let first = plan.order.place(set[0]);
            let is_given =
                first < place || (first == place && given.contains(&hash_of(set.iter().copied())));
            if is_given {
                return Flow::Continue(());
            }
            n_cover += 1;
            out.set(set, support)
        };
        let flow = cover::cover(plan.graph, &plan.order, component, k, plan.halt, &mut give);
        let n_sets = account.n_sets + n_cover;
        self.report_cut(component, n_sets, cut, out);
        flow
    }

    fn give_to_general(&self, component: &[u32], out: &mut Output<'_>) -> Flow {
        let mut items = component.to_vec();
        items.sort_unstable();
        let part = self.table.part(&items, self.plan.halt)?;
        let mut task = *self.task;
        task.budget.sets = task.budget.component_sets;
        let mut sink = |items: &[u32], support| out.members(items, support);
        let mut inner = Output::new(&part, &task, self.plan.halt, &mut sink);
        let flow = general().mine(&part, &task, &mut inner);
        let n_sets = inner.n_sets();
        drop(inner);
        if let Flow::Break(cut) = flow {
            // The run's own limits end the run; those of a component end the component.
            if matches!(cut, Cut::Time | Cut::Stopped) || out.is_full() {
                return Flow::Break(cut);
            }
            self.report_cut(component, n_sets, cut, out);
        }
        Flow::Continue(())
    }

    /// Reports a component of which only `n_sets` sets were given out.
    fn report_cut(&self, component: &[u32], n_sets: u64, cut: Cut, out: &mut Output<'_>) {
        let members = component.iter().map(|&item| self.table.members(item));
        out.cut_part(CutPart {
            first_item: members.clone().map(|members| members[0]).min().unwrap_or(0),
            n_items: members.map(|members| members.len() as u64).sum(),
            n_sets,
            cut,
        });
    }
}
