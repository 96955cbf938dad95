//! Claims: statements of a paper, checked against what was measured, as verdicts to be quoted.

use serde::{Deserialize, Serialize};

use super::checks::{Checked, Measured};
use super::design::{Claim, Design};

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdicts {
    /// It holds here.
    Reproduced,
    /// It does not hold here.
    NotReproduced,
    /// It holds here under a condition, which the verdict names.
    Conditional,
    /// What was measured cannot tell.
    Open,
}

impl Verdicts {
    /// All verdicts, in the order of reports.
    pub const ALL: [Self; 4] =
        [Self::Reproduced, Self::Conditional, Self::NotReproduced, Self::Open];

    /// Returns the words for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::NotReproduced => "not reproduced",
            Self::Conditional => "holds under a condition",
            Self::Open => "cannot tell",
        }
    }
}

/// A claim, checked: everything that is needed to quote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Name of the design.
    pub design: String,
    /// The claim.
    pub claim: String,
    /// The paper that makes it; empty for a claim of our own.
    #[serde(default)]
    pub paper: String,
    /// Where in the paper it stands.
    #[serde(default, rename = "where")]
    pub place: String,
    /// On which documents and sets it was checked.
    pub data: String,
    /// Our numbers, with intervals or a p-value: a text for every setting that was checked.
    pub ours: Vec<String>,
    /// The paper's number, as text.
    #[serde(default)]
    pub printed: String,
    /// Whether it holds.
    pub verdict: Verdicts,
    /// The condition under which it holds; empty for none.
    #[serde(default)]
    pub condition: String,
    /// What the verdict depends on.
    #[serde(default)]
    pub hangs_on: String,
}

impl Verdict {
    /// Returns the verdict in words, with its condition.
    pub fn told(&self) -> String {
        if self.verdict == Verdicts::Conditional {
            return format!("{}: {}", self.verdict.name(), self.condition);
        }
        self.verdict.name().to_owned()
    }

    /// Returns paper and place, such as «thesis, table 6.2»; «ours» for a claim of our own.
    pub fn source(&self) -> String {
        let parts = [self.paper.as_str(), self.place.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        if parts.is_empty() { "ours".to_owned() } else { parts.join(", ") }
    }
}

/// Checks all claims of a design.
pub(super) fn verdicts(measured: &Measured<'_>, data: &str) -> Vec<Verdict> {
    measured.design.claims.iter().map(|claim| verdict(measured, claim, data)).collect()
}

fn verdict(measured: &Measured<'_>, claim: &Claim, data: &str) -> Verdict {
    let design = measured.design;
    let mut checked: Vec<(String, Checked)> = Vec::new();
    for one in &claim.checks {
        for (at, result) in measured.check(one, claim.bar) {
            let parts = [one.at.as_str(), at.as_str()];
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            checked.push((parts.join(", "), result));
        }
    }
    // Settings without rows say nothing; they are named, unless there are no others.
    let (missing, rest): (Vec<_>, Vec<_>) =
        checked.into_iter().partition(|(_, result)| result.is_missing);
    let is_partly = !missing.is_empty() && !rest.is_empty();
    let mut checked = if rest.is_empty() { missing.clone() } else { rest };
    let (verdict, condition) = together(&checked, &claim.condition);
    if checked.iter().all(|(_, result)| result.is_missing) {
        // Once is enough to say so.
        checked.truncate(1);
        for (at, _) in &mut checked {
            at.clear();
        }
    }
    let told = checked.into_iter().map(|(at, checked)| {
        if at.is_empty() { checked.ours } else { format!("{at}: {}", checked.ours) }
    });
    let mut ours: Vec<String> = told.collect();
    if is_partly {
        let missing: Vec<&str> = missing.iter().map(|(at, _)| at.as_str()).collect();
        ours.push(format!("without rows here: {}", missing.join("; ")));
    }
    let mut verdict = Verdict {
        design: design.name.clone(),
        claim: claim.text.clone(),
        paper: if claim.place.is_empty() { String::new() } else { short_paper(design) },
        place: claim.place.clone(),
        data: data.to_owned(),
        ours,
        printed: claim.paper.clone(),
        verdict,
        condition,
        hangs_on: claim.hangs_on.clone(),
    };
    if let Some(method) = design.judges_its_reference() {
        verdict.verdict = Verdicts::Open;
        verdict.condition.clear();
        let why = format!("withdrawn: the reference was made by {method}, a judged method");
        verdict.ours.push(why);
    }
    verdict
}

/// Returns who wrote the paper and what, without the places in it.
fn short_paper(design: &Design) -> String {
    design.paper.split(';').next().unwrap_or_default().trim().to_owned()
}

/// Takes the checks of a claim together: what holds only for some values holds under a condition.
fn together(checked: &[(String, Checked)], condition: &str) -> (Verdicts, String) {
    let at = |wanted: Verdicts| {
        let of = checked.iter().filter(|(_, one)| one.verdict == wanted);
        of.map(|(at, _)| at.as_str()).collect::<Vec<_>>()
    };
    let (held, failed, open) =
        (at(Verdicts::Reproduced), at(Verdicts::NotReproduced), at(Verdicts::Open));
    if held.is_empty() {
        let verdict = if failed.is_empty() { Verdicts::Open } else { Verdicts::NotReproduced };
        return (verdict, String::new());
    }
    let mut parts = Vec::new();
    if !condition.is_empty() {
        parts.push(condition.to_owned());
    }
    if !failed.is_empty() || !open.is_empty() {
        parts.push(format!("for {}", held.join("; ")));
        if !failed.is_empty() {
            parts.push(format!("not for {}", failed.join("; ")));
        }
        if !open.is_empty() {
            parts.push(format!("it cannot be told for {}", open.join("; ")));
        }
    }
    let verdict = if parts.is_empty() { Verdicts::Reproduced } else { Verdicts::Conditional };
    (verdict, parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(verdict: Verdicts) -> Checked {
        Checked { verdict, ours: String::new(), is_missing: false }
    }

    #[test]
    fn what_holds_only_for_some_values_holds_under_a_condition() {
        use Verdicts::{Conditional, NotReproduced, Open, Reproduced};
        let of = |first: Verdicts, second: Verdicts, condition: &str| {
            let of = |at: &str, verdict| (at.to_owned(), checked(verdict));
            together(&[of("names few", first), of("names many", second)], condition)
        };
        assert_eq!(of(Reproduced, Reproduced, "").0, Reproduced);
        let (verdict, condition) = of(NotReproduced, Reproduced, "");
        assert_eq!(verdict, Conditional);
        assert_eq!(condition, "for names many, not for names few");
        assert_eq!(of(NotReproduced, Open, "").0, NotReproduced);
        assert_eq!(of(Open, Open, "on news").0, Open);
        assert_eq!(of(Reproduced, Reproduced, "on news"), (Conditional, "on news".to_owned()));
    }
}
