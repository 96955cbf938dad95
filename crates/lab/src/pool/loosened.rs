//! Permissive parameters: a method claims all that it claims otherwise, and more.

use retold_core::error::ConfigError;
use retold_core::methods::{self, Parameters};
use retold_core::verify::rule::Rule;
use serde::Serialize;
use serde_json::Value;

use retold::{Decide, Settings};

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
/// settings counts as the method's own value. The parameters of verification are loosened where the
/// documents decide, or where the method's own decision uses them.
///
/// ```
/// use retold::{Profile, Settings, permissive};
/// let mut settings = Settings::of("codet", Profile::Paper).unwrap();
/// let loosened = permissive(&mut settings).unwrap();
/// assert_eq!((loosened[0].name, settings.parameters["threshold"].as_f64()), ("threshold", Some(0.3)));
/// ```
pub fn permissive(settings: &mut Settings) -> Result<Vec<Loosened>, ConfigError> {
    let (spec, _) = methods::find(&settings.method)?;
    let detector = settings.detector()?;
    let own = detector.parameters();
    let documents_decide = settings.decide(&*detector) == Decide::Documents;
    let rule: Vec<&str> = Rule::parameters().iter().map(|parameter| parameter.name).collect();
    let takes_part =
        |name: &str| documents_decide || !rule.contains(&name) || spec.decides_with.contains(&name);
    let mut loosened = Vec::new();
    for parameter in (spec.parameters)() {
        let (name, from) = (parameter.name, &own[parameter.name]);
        if takes_part(name)
            && let Some(to) = parameter.permissive(from)
        {
            settings.parameters.insert(name.to_owned(), to.clone());
            loosened.push(Loosened { name, from: from.clone(), to });
        }
    }
    settings.detector()?;
    Ok(loosened)
}
