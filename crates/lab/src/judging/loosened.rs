//! Permissive parameters: a method claims all that it claims otherwise, and more.

use retold::{ConfigError, Decide, Job};
use retold_core::methods::{self, Parameters};
use retold_core::verify::rule::Rule;
use serde::Serialize;
use serde_json::Value;

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
/// The permissive values are declared with the parameters of the method
/// ([`Parameter::permissive`](retold_core::methods::Parameter::permissive)). What was given in the
/// job counts as the method's own value. The parameters of verification are loosened where the
/// documents decide, or where the method's own decision uses them.
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
    let documents_decide = job.decided_by()? == Decide::Documents;
    let rule: Vec<&str> = Rule::parameters().iter().map(|parameter| parameter.name).collect();
    let takes_part =
        |name: &str| documents_decide || !rule.contains(&name) || spec.decides_with.contains(&name);
    let mut job = job.clone();
    let mut loosened = Vec::new();
    for parameter in (spec.parameters)() {
        let (name, from) = (parameter.name, &own[parameter.name]);
        if takes_part(name)
            && let Some(to) = parameter.permissive(from)
        {
            job = job.with_parameter(name, to.clone());
            loosened.push(Loosened { name, from: from.clone(), to });
        }
    }
    job.check()?;
    Ok((job, loosened))
}
