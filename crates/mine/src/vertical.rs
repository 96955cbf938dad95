//! Vertical lists of weighted rows: tid-lists and diffsets.
//!
//! Below a head P, each item x that stays frequent with it has a list, either of the rows of P
//! that hold x (a tid-list) or of those that do not (a diffset):
//!
//! ```text
//! tids   t(Pxy) = t(Px) & t(Py)      s(Pxy) = sum of t(Pxy)
//! diffs  d(Pxy) = d(Py) - d(Px)      s(Pxy) = s(Px) - sum of d(Pxy)
//! ```
//!
//! In both forms the list of y is walked while the rows of x are marked, and the walk ends as soon
//! as the rows lost weigh more than the support can bear.

use crate::halt::Halt;
use crate::marks::Marks;
use crate::table::Table;
use crate::task::Flow;

/// The two kinds of lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// Rows of the head that hold the member.
    #[default]
    Tids,
    /// Rows of the head that do not.
    Diffs,
}

/// An item that stays frequent with the head, and the place of its list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) item: u32,
    pub(crate) support: u32,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Depth of the node that has the list.
    pub(crate) owner: u32,
}

/// The lists of a node.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    pub(crate) form: Form,
    /// Rows of the head, kept while lists are tid-lists.
    pub(crate) tids: Vec<u32>,
    pub(crate) rows: Vec<u32>,
}

impl Lists {
    pub(crate) fn clear(&mut self, form: Form) {
        self.form = form;
        self.tids.clear();
        self.rows.clear();
    }

    pub(crate) fn of(&self, member: &Member) -> &[u32] {
        &self.rows[member.start..member.end]
    }

    /// Rows of the head with a member; empty if lists are diffsets.
    pub(crate) fn tids_of(&self, member: &Member) -> &[u32] {
        match self.form {
            Form::Tids => self.of(member),
            Form::Diffs => &[],
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        4 * (self.tids.capacity() + self.rows.capacity())
    }

    /// Makes tid-lists from the rows of one item, which are numbered from 0. The item has `n_tids`
    /// transactions that differ; the last may be those that hold nothing else.
    pub(crate) fn fill(
        &mut self,
        table: &Table,
        rows: &[u32],
        n_tids: usize,
        places: &mut Places,
        mut members: [&mut Vec<Member>; 2],
        halt: Halt<'_>,
    ) -> Flow {
        let Places(places) = places;
        self.tids.extend(0..n_tids as u32);
        for member in members.iter().flat_map(|members| members.iter()) {
            places[member.item as usize] = 0;
        }
        for (at, &row) in rows.iter().enumerate() {
            halt.look_at(at)?;
            for &item in table.row(row) {
                if places[item as usize] != NOWHERE {
                    places[item as usize] += 1;
                }
            }
        }
        let mut end = 0;
        for member in members.iter_mut().flat_map(|members| members.iter_mut()) {
            member.start = end;
            end += places[member.item as usize];
            member.end = end;
            places[member.item as usize] = member.start;
        }
        self.rows.resize(end, 0);
        for (local, &row) in rows.iter().enumerate() {
            halt.look_at(local)?;
            for &item in table.row(row) {
                let place = &mut places[item as usize];
                if *place != NOWHERE {
                    self.rows[*place] = local as u32;
                    *place += 1;
                }
            }
        }
        for member in members.iter().flat_map(|members| members.iter()) {
            places[member.item as usize] = NOWHERE;
        }
        Flow::Continue(())
    }

    /// Turns tid-lists into diffsets if these are shorter in sum.
    pub(crate) fn shorten(
        &mut self,
        spare: &mut Vec<u32>,
        members: [&mut Vec<Member>; 2],
        halt: Halt<'_>,
    ) -> Flow {
        let n_members: usize = members.iter().map(|members| members.len()).sum();
        if self.form == Form::Diffs || 2 * self.rows.len() <= n_members * self.tids.len() {
            return Flow::Continue(());
        }
        spare.clear();
        for member in members.into_iter().flatten() {
            halt.look()?;
            let start = spare.len();
            let mut list = self.of(member).iter().peekable();
            for &row in &self.tids {
                if list.next_if_eq(&&row).is_none() {
                    spare.push(row);
                }
            }
            (member.start, member.end) = (start, spare.len());
        }
        self.rows.clear();
        self.rows.extend_from_slice(spare);
        self.form = Form::Diffs;
        Flow::Continue(())
    }
}

/// Where the next row of each item's list goes, while lists are filled.
#[derive(Debug, Default)]
pub(crate) struct Places(Vec<usize>);

const NOWHERE: usize = usize::MAX;

impl Places {
    pub(crate) fn new(n_items: usize) -> Self {
        Self(vec![NOWHERE; n_items])
    }
}

/// A walk over lists while the list of one member is marked.
pub(crate) struct Walk<'a> {
    pub(crate) lists: &'a Lists,
    /// Support of the marked member.
    pub(crate) support: u32,
    pub(crate) min_support: u32,
    pub(crate) marks: &'a Marks,
    /// Depth of the child that is made.
    pub(crate) owner: u32,
}

impl Walk<'_> {
    /// Returns a member in the child, its list put at the end of `rows`; `None`, and nothing put,
    /// if it is infrequent there.
    pub(crate) fn member(
        &self,
        member: &Member,
        weights: &[u32],
        rows: &mut Vec<u32>,
    ) -> Option<Member> {
        let (before, keeps_marked) = match self.lists.form {
            Form::Tids => (member.support, true),
            Form::Diffs => (self.support, false),
        };
        let mut spare = before - self.min_support;
        let start = rows.len();
        for &row in self.lists.of(member) {
            let is_marked = self.marks.has(row);
            if is_marked == keeps_marked {
                rows.push(row);
            }
            if !is_marked {
                let weight = weights[row as usize];
                if weight > spare {
                    rows.truncate(start);
                    return None;
                }
                spare -= weight;
            }
        }
        let support = self.min_support + spare;
        Some(Member { item: member.item, support, start, end: rows.len(), owner: self.owner })
    }
}
