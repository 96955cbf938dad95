//! Permissive parameters: a method claims all that it claims otherwise, and more.

use retold::{ConfigError, Decide, Job};
use retold_core::methods;
use serde::Serialize;
use serde_json::Value;

/// Parameters by method with their permissive values. A value is used where it lets more through
/// than the profile's own.
///
/// The first six are those of pooling with the CoDet paper's methods, whose own values are lost;
/// the others about halve the threshold of the paper, but for `cosine`, which at 0.4 claims most
/// pairs of a collection. Methods that are not listed have no threshold of their own: equal
/// signatures stay equal signatures.
const PERMISSIVE: &[(&str, &str, f64)] = &[
    ("codet", "threshold", 0.3),
    ("dsc", "threshold", 0.3),
    ("dsc-positional", "threshold", 0.3),
    ("full-fingerprint", "containment", 0.3),
    ("imatch", "take", 5.0),
    ("simhash", "distance", 7.0),
    ("shingling", "resemblance", 0.25),
    ("shingling", "containment", 0.3),
    ("sg", "threshold", 0.3),
    ("winnowing", "threshold", 0.3),
    ("conrad-schriber", "overlap", 0.4),
    ("conrad-schriber", "length", 0.5),
    ("cosine", "threshold", 0.6),
    ("scam", "threshold", 0.3),
    ("edit-distance", "threshold", 0.4),
    ("spotsigs", "threshold", 0.2),
    ("minimal-elements", "common", 40.0),
    ("minimal-elements", "share", 0.4),
    ("lexical", "common", 40.0),
    ("lexical", "share", 0.4),
    ("cops", "common", 5.0),
    ("cops", "share", 0.02),
    ("sl-fp", "threshold", 0.3),
    ("sif", "share", 0.1),
    ("koala", "share", 0.1),
];

/// Parameters of verification, where the documents decide.
const RULE: [(&str, f64); 2] = [("containment", 0.3), ("passage_words", 20.0)];

/// Parameters that let more through the larger they are; with others it is the smaller.
const LARGER: [(&str, &str); 2] = [("simhash", "distance"), ("conrad-schriber", "length")];

/// A parameter that was loosened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Loosened {
    /// Its name.
    pub name: &'static str,
    /// What it was.
    pub from: Value,
    /// What it is.
    pub to: Value,
}

/// Loosens the parameters of a method so that it nominates generously, and returns which.
///
/// What was given in the job counts as the method's own value. Every one of the parameters is
/// monotone: what is claimed with the tighter value is claimed with the looser one too.
///
/// ```
/// use retold::{Job, Profile};
/// use retold_lab::permissive;
///
/// let (job, loosened) = permissive(&Job::of("codet", Profile::Paper)?)?;
/// assert_eq!((loosened[0].name, &job.parameters()["threshold"]), ("threshold", &0.3.into()));
/// # Ok::<(), retold::ConfigError>(())
/// ```
pub fn permissive(job: &Job) -> Result<(Job, Vec<Loosened>), ConfigError> {
    let (spec, _) = methods::find(job.method())?;
    let own = job.all_parameters()?;
    let of_method = PERMISSIVE.iter().filter(|entry| entry.0 == spec.name);
    let mut wanted: Vec<(&'static str, f64)> = of_method.map(|&(_, name, to)| (name, to)).collect();
    if job.decided_by()? == Decide::Documents {
        let is_new = |rule: &(&str, f64)| wanted.iter().all(|(name, _)| *name != rule.0);
        wanted.extend(RULE.into_iter().filter(is_new).collect::<Vec<_>>());
    }
    let mut job = job.clone();
    let mut loosened = Vec::new();
    for (name, to) in wanted {
        let from = own[name].clone();
        let Some(now) = from.as_f64() else { continue };
        let is_looser = if LARGER.contains(&(spec.name, name)) { to > now } else { to < now };
        if !is_looser {
            continue;
        }
        #[expect(clippy::cast_sign_loss, reason = "the values of the tables are above 0")]
        let to = if from.is_u64() { Value::from(to as u64) } else { Value::from(to) };
        job = job.with_parameter(name, to.clone());
        loosened.push(Loosened { name, from, to });
    }
    job.check()?;
    Ok((job, loosened))
}
