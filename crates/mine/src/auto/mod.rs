//! `auto`: a fast exact miner for documents that share most of their units.
//!
//! # What it finds
//! All maximal frequent sets, or a cover of all related pairs by maximal sets
//! ([`Target::Cover`]). For other targets it hands the table to a general miner.
//!
//! # How it works
//! The table has been reduced already ([`Table`]). All pairs of items that share
//! enough transactions are found by prefixes of rare rows, and split into components ([`graph`],
//! with the proof that components are enough). A component whose items have enough in common all
//! together is one set. In every other one each item in turn is the seed of a search over small
//! unions of bits ([`seed`]); seeds and components run in parallel. An item with more than 1,024
//! rows that some neighbour lacks makes masks too wide; its component goes to a general miner.
//!
//! # Cost
//! Linear in the context but for the pairs, which are few where the rare rows are rare; then
//! proportional to the output, which may be exponential. [`Budget::component_sets`] and
//! [`Budget::steps`] limit each component by itself, so that one cannot spoil the others; a component
//! that is cut gives out its first sets and a cover of what they leave, and is reported.
//!
//! # Order
//! Components by their first items; the same on any number of threads.
//!
//! [`Budget::component_sets`]: crate::Budget::component_sets
//! [`Budget::steps`]: crate::Budget::steps

mod cover;
mod graph;
mod mask;
mod seed;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::halt::Halt;
use crate::table::{Output, Table};
use crate::task::{Cut, CutPart, Flow, Target, Task};
use crate::{Miner, Spec};
use graph::Graph;
use mask::Mask;
use seed::{Allowance, Found, Lacks, Seed};

/// The miner; see the [module](self).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Auto;

static SPEC: Spec = Spec {
    name: "auto",
    title: "bounded unions over components",
    source: "Retold; for documents that share most of their units",
    targets: &[Target::All, Target::Closed, Target::Maximal, Target::Cover],
};

/// The miner that other targets, and components too wide for masks, are handed to.
const GENERAL: &str = "lcm";

/// Neighbours looked at in one piece of parallel work.
const UNIT_NEIGHBOURS: usize = 20_000;

/// Pieces of work whose results are held at a time.
const WINDOW_UNITS: usize = 16;

impl Miner for Auto {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn mine(&self, table: &Table, task: &Task, out: &mut Output<'_>) -> Flow {
        let is_cover = task.target == Target::Cover;
        if !matches!(task.target, Target::Maximal | Target::Cover)
            || !(is_cover || suits(table, task, out.halt())?)
        {
            return general().mine(table, task, out);
        }
        let graph = Graph::new(table, task.min_support, out)?;
        let plan = Plan::new(&graph, out.halt())?;
        if is_cover { plan.cover(table, task, out) } else { plan.search(table, task, out) }
    }
}

fn general() -> &'static dyn Miner {
    crate::find(GENERAL).expect("the general miner is registered")
}

/// Returns whether most rows of an item have to be shared, or pairs are few anyway.
fn suits(table: &Table, task: &Task, halt: Halt<'_>) -> ControlFlow<Cut, bool> {
    let k = u64::from(task.min_support);
    let shared: u64 = table.rows().map(|(row, weight)| row.len() as u64 * u64::from(weight)).sum();
    ControlFlow::Continue(
        2 * k * table.n_items() as u64 >= shared
            || Graph::estimate(table, task.min_support, halt)? < 50_000_000,
    )
}

/// How wide masks must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    One,
    Two,
    Four,
    Sixteen,
    TooWide,
}

impl Width {
    fn of(n_bits: usize) -> Self {
        match n_bits {
            0..=64 => Self::One,
            65..=128 => Self::Two,
            129..=256 => Self::Four,
            257..=1024 => Self::Sixteen,
            _ => Self::TooWide,
        }
    }
}

/// The order of seeds: inside a component, items with few neighbours first.
struct Order {
    ranks: Vec<u32>,
    places: Vec<u32>,
}

impl Order {
    /// Place among all items.
    fn rank(&self, item: u32) -> u32 {
        self.ranks[item as usize]
    }

    /// Place in its component.
    fn place(&self, item: u32) -> usize {
        self.places[item as usize] as usize
    }
}

struct Plan<'g> {
    graph: &'g Graph,
    halt: Halt<'g>,
    order: Order,
    /// Items of each component in the order of seeds.
    components: Vec<Vec<u32>>,
}

/// Some seeds of one component.
#[derive(Clone, Copy, Debug)]
struct Piece {
    component: usize,
    from: usize,
    to: usize,
}

impl<'g> Plan<'g> {
    fn new(graph: &'g Graph, halt: Halt<'g>) -> ControlFlow<Cut, Self> {
        let mut components = graph.components(halt)?;
        let n = graph.images.len();
        let mut order = Order { ranks: vec![0; n], places: vec![0; n] };
        let mut rank = 0;
        for component in &mut components {
            component.sort_by_key(|&item| (graph.neighbours.row(item as usize).len(), item));
            for (place, &item) in component.iter().enumerate() {
                order.ranks[item as usize] = rank;
                order.places[item as usize] = place as u32;
                rank += 1;
            }
        }
        ControlFlow::Continue(Self { graph, halt, order, components })
    }

    /// Returns the pieces of work in order, grouped to units.
    fn units(&self) -> Vec<Vec<Piece>> {
        let mut units = vec![Vec::new()];
        let mut load = 0;
        for (number, component) in self.components.iter().enumerate() {
            let mut from = 0;
            for (at, &item) in component.iter().enumerate() {
                load += 1 + self.graph.neighbours.row(item as usize).len();
                let is_last = at + 1 == component.len();
                if is_last || load >= UNIT_NEIGHBOURS {
                    let piece = Piece { component: number, from, to: at + 1 };
                    units.last_mut().expect("there is always a unit").push(piece);
                    from = at + 1;
                }
                if load >= UNIT_NEIGHBOURS {
                    units.push(Vec::new());
                    load = 0;
                }
            }
        }
        units
    }

    /// Works on all units in parallel and gives each one's results to `take`, in order.
    fn run<R: Send>(
        &self,
        work: impl Fn(&[Piece]) -> R + Sync,
        mut take: impl FnMut(R) -> Flow + Send,
    ) -> Flow {
        let units = self.units();
        let mut results: Vec<R> = Vec::new();
        // While the results of one window are given out, the next is worked on.
        for window in units.chunks(WINDOW_UNITS).chain([[].as_slice()]) {
            let given = std::mem::take(&mut results);
            let (flow, next) = rayon::join(
                || given.into_iter().try_for_each(&mut take),
                || window.par_iter().map(|unit| work(unit)).collect(),
            );
            flow?;
            results = next;
        }
        Flow::Continue(())
    }

    fn cover(&self, table: &Table, task: &Task, out: &mut Output<'_>) -> Flow {
        let k = task.min_support;
        // A component is covered as a whole, by the unit that has its first seed.
        let work = |unit: &[Piece]| {
            let mut sets: Vec<(Vec<u32>, u32)> = Vec::new();
            for piece in unit.iter().filter(|piece| piece.from == 0) {
                let component = &self.components[piece.component];
                if let Some(support) = self.support_of_all(table, component, k)? {
                    sets.push((component.clone(), support));
                } else {
                    let mut give = |set: &[u32], support| {
                        sets.push((set.to_vec(), support));
                        Flow::Continue(())
                    };
                    cover::cover(self.graph, &self.order, component, k, self.halt, &mut give)?;
                }
            }
            ControlFlow::Continue(sets)
        };
        self.run(work, |sets| {
            out.look()?;
            sets?.iter().try_for_each(|(set, support)| out.set(set, *support))
        })
    }

    fn search(&self, table: &Table, task: &Task, out: &mut Output<'_>) -> Flow {
        let budget = task.budget;
        let allowance = Allowance {
            sets: budget.component_sets.unwrap_or(u64::MAX),
            steps: budget.steps.unwrap_or(u64::MAX),
        };
        let is_cut: Vec<AtomicBool> =
            self.components.iter().map(|_| AtomicBool::new(false)).collect();
        let work = |unit: &[Piece]| {
            unit.iter()
                .map(|&piece| self.search_piece(table, task, piece, allowance, &is_cut))
                .collect::<Vec<ControlFlow<Cut, Answer>>>()
        };
        let mut giving = Giving { plan: self, table, task, allowance, at: None };
        self.run(work, |answers| {
            out.look()?;
            for answer in answers {
                let answer = answer?;
                let number = answer.piece.component;
                giving.take(answer, out)?;
                if giving.at.as_ref().is_some_and(|at| at.cut.is_some()) {
                    // This only saves work: what is still found in the component is not given out.
                    is_cut[number].store(true, Ordering::Relaxed);
                }
            }
            Flow::Continue(())
        })
    }

    /// Returns the support of all items of a component together, if it is enough.
    fn support_of_all(
        &self,
        table: &Table,
        component: &[u32],
        k: u32,
    ) -> ControlFlow<Cut, Option<u32>> {
        let [first, others @ ..] = component else { return ControlFlow::Continue(None) };
        if others.is_empty() {
            return ControlFlow::Continue(Some(table.support(*first)));
        }
        let image = |item: &u32| self.graph.images.row(*item as usize);
        let mut common = image(first).to_vec();
        let weigh = |rows: &[u32]| rows.iter().map(|&row| self.graph.weights[row as usize]).sum();
        for other in others {
            self.halt.look()?;
            let mut theirs = image(other).iter().peekable();
            common.retain(|row| {
                while theirs.next_if(|other| *other < row).is_some() {}
                theirs.peek() == Some(&row)
            });
            let support: u32 = weigh(&common);
            if support < k {
                return ControlFlow::Continue(None);
            }
        }
        ControlFlow::Continue(Some(weigh(&common)))
    }

    fn search_piece(
        &self,
        table: &Table,
        task: &Task,
        piece: Piece,
        mut allowance: Allowance,
        is_cut: &[AtomicBool],
    ) -> ControlFlow<Cut, Answer> {
        let k = task.min_support;
        let component = &self.components[piece.component];
        let answer = |what| ControlFlow::Continue(Answer { piece, what });
        if let Some(support) = self.support_of_all(table, component, k)? {
            return answer(if piece.from == 0 {
                What::All(support)
            } else {
                What::Seeds(Vec::new())
            });
        }
        if self.is_too_wide(component, k)? {
            return answer(if piece.from == 0 { What::General } else { What::Seeds(Vec::new()) });
        }
        let mut seeds: Vec<Box<dyn Searched>> = Vec::new();
        for &item in &component[piece.from..piece.to] {
            if is_cut[piece.component].load(Ordering::Relaxed) {
                break;
            }
            let lacks = Lacks::new(self.graph, item, self.halt)?;
            let searched = match Width::of(lacks.n_bits) {
                Width::One => self.search_seed::<u64>(item, &lacks, k, table, allowance),
                Width::Two => self.search_seed::<u128>(item, &lacks, k, table, allowance),
                Width::Four => self.search_seed::<[u64; 4]>(item, &lacks, k, table, allowance),
                _ => self.search_seed::<[u64; 16]>(item, &lacks, k, table, allowance),
            };
            // No more than the whole component may use; what was used before is counted later.
            allowance.sets = allowance.sets.saturating_sub(searched.n_sets());
            allowance.steps = allowance.steps.saturating_sub(searched.n_steps());
            self.halt.look()?;
            let is_over = searched.cut().is_some();
            seeds.push(searched);
            if is_over {
                break;
            }
        }
        answer(What::Seeds(seeds))
    }

    /// Returns whether some item of a component has too many rows that a neighbour lacks.
    fn is_too_wide(&self, component: &[u32], k: u32) -> ControlFlow<Cut, bool> {
        for &item in component {
            self.halt.look()?;
            let room = self.graph.shared[item as usize] - k;
            let rows = self.graph.images.row(item as usize).iter();
            let weights = rows.map(|&row| self.graph.weights[row as usize]);
            // A row heavier than what may be lacked is lacked by no neighbour.
            let most: u32 = weights.filter(|&weight| weight <= room).sum();
            if Width::of(most as usize) == Width::TooWide {
                let lacks = Lacks::new(self.graph, item, self.halt)?;
                if Width::of(lacks.n_bits) == Width::TooWide {
                    return ControlFlow::Continue(true);
                }
            }
        }
        ControlFlow::Continue(false)
    }

    fn search_seed<M: Mask>(
        &self,
        item: u32,
        lacks: &Lacks,
        k: u32,
        table: &Table,
        allowance: Allowance,
    ) -> Box<dyn Searched> {
        let rank = self.order.rank(item);
        let seed: Seed<M> =
            Seed::new(self.graph, item, lacks, k, |other| self.order.rank(other) < rank);
        let (found, n_steps, cut) = seed.search(allowance, self.halt);
        let mut members: Vec<(u32, M)> = Vec::new();
        if !found.is_empty() {
            members.extend(table.members(item).iter().map(|&member| (member, M::empty())));
            for &(mask, other) in &seed.after {
                members.extend(table.members(other).iter().map(|&member| (member, mask)));
            }
            members.sort_unstable_by_key(|&(member, _)| member);
        }
        let supports = [table.support(item), self.graph.shared[item as usize]];
        Box::new(SearchedSeed { seed, supports, members, found, n_steps, cut })
    }
}

/// What came of a piece of work.
struct Answer {
    piece: Piece,
    what: What,
}

enum What {
    /// All items of the component together make one set, of this support.
    All(u32),
    /// The component is left to the general miner.
    General,
    Seeds(Vec<Box<dyn Searched>>),
}

/// A seed that was searched, whatever the width of its masks.
trait Searched: Send {
    fn n_sets(&self) -> u64;
    fn n_steps(&self) -> u64;
    fn cut(&self) -> Option<Cut>;

    /// Gives out the sets found within `steps`, at most `most`; `each` gets members and support.
    /// Returns how many were given out.
    fn give(
        &self,
        most: u64,
        steps: u64,
        each: &mut dyn FnMut(&[u32], u32) -> Flow,
    ) -> Result<u64, Cut>;

    /// Returns a hash of the items of each of the first `n` sets.
    fn item_hashes(&self, n: u64) -> HashSet<u64>;
}

struct SearchedSeed<M> {
    seed: Seed<M>,
    /// Support of the seed alone, and of the seed with others that lack nothing of it.
    supports: [u32; 2],
    /// The context's items behind the seed and its later neighbours, ascending.
    members: Vec<(u32, M)>,
    found: Vec<Found<M>>,
    n_steps: u64,
    cut: Option<Cut>,
}

impl<M: Mask> Searched for SearchedSeed<M> {
    fn n_sets(&self) -> u64 {
        self.found.len() as u64
    }

    fn n_steps(&self) -> u64 {
        self.n_steps
    }

    fn cut(&self) -> Option<Cut> {
        self.cut
    }

    fn give(
        &self,
        most: u64,
        steps: u64,
        each: &mut dyn FnMut(&[u32], u32) -> Flow,
    ) -> Result<u64, Cut> {
        let mut items = Vec::new();
        let mut n_given = 0;
        for found in self.found.iter().take(most as usize) {
            if found.at_step > steps {
                break;
            }
            items.clear();
            let inside = self.members.iter().filter(|(_, mask)| mask.is_in(found.union));
            items.extend(inside.map(|&(member, _)| member));
            let is_alone = !self.seed.after.iter().any(|(mask, _)| mask.is_in(found.union));
            let support =
                if is_alone { self.supports[0] } else { self.supports[1] - found.union.len() };
            if let Flow::Break(cut) = each(&items, support) {
                return Err(cut);
            }
            n_given += 1;
        }
        Ok(n_given)
    }

    fn item_hashes(&self, n: u64) -> HashSet<u64> {
        let hash = |found: &Found<M>| {
            let inside = self.seed.after.iter().filter(|(mask, _)| mask.is_in(found.union));
            hash_of(inside.map(|&(_, item)| item).chain([self.seed.item]))
        };
        self.found.iter().take(n as usize).map(hash).collect()
    }
}

fn hash_of(items: impl Iterator<Item = u32>) -> u64 {
    items.fold(0, |sum, item| sum.wrapping_add(crate::table::mix(u64::from(item))))
}

/// Gives out answers in order and keeps each component to its limits.
struct Giving<'a> {
    plan: &'a Plan<'a>,
    table: &'a Table,
    task: &'a Task,
    allowance: Allowance,
    at: Option<Account>,
}

/// What a component has used so far.
struct Account {
    component: usize,
    n_sets: u64,
    n_steps: u64,
    cut: Option<Cut>,
}

impl Giving<'_> {
    fn take(&mut self, answer: Answer, out: &mut Output<'_>) -> Flow {
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
        let members = component.iter().map(|&item| self.table.members(item));
        out.cut_part(CutPart {
            first_item: members.clone().map(|members| members[0]).min().unwrap_or(0),
            n_items: members.map(|members| members.len() as u64).sum(),
            n_sets: account.n_sets + n_cover,
            cut,
        });
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
            let members = items.iter().map(|&item| self.table.members(item));
            out.cut_part(CutPart {
                first_item: members.clone().map(|members| members[0]).min().unwrap_or(0),
                n_items: members.map(|members| members.len() as u64).sum(),
                n_sets,
                cut,
            });
        }
        Flow::Continue(())
    }
}

#[cfg(test)]
mod tests;
