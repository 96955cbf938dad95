//! What is declared of a parameter holds: for every method, in both profiles.

use std::ops::Bound;

use retold_core::methods::{Accepts, METHODS, Parameter, Profile, Spec, names, schema};
use serde_json::{Map, Value, json};

/// Limits that another parameter's default does not allow.
const HELD_BACK: [(&str, &str, &str); 1] =
    [("imatch", "high", "the upper bound of an interval is not below `low`")];

/// A step that is small beside every bound of a number.
const STEP: f64 = 1e-9;

fn build(spec: &Spec, profile: Profile, name: &str, value: &Value) -> Result<(), String> {
    let given = Map::from_iter([(name.to_owned(), value.clone())]);
    (spec.build)(profile, &given, 1).map(drop).map_err(|error| error.to_string())
}

/// Returns the values at the limits of a range, which are accepted, and those beyond.
fn limits(accepts: Accepts) -> (Vec<Value>, Vec<Value>) {
    match accepts {
        Accepts::Whole { least, most } => {
            let below = if least == 0 { json!(-1) } else { json!(least - 1) };
            let mut limits = (vec![json!(least)], vec![below, json!(least as f64 + 0.5)]);
            limits.0.extend(most.map(Value::from));
            limits.1.extend(most.map(|most| json!(most + 1)));
            limits
        }
        Accepts::Limit { least } => (
            vec![json!(least), json!(u64::from(u32::MAX)), json!("none")],
            vec![json!(least - 1), json!("never"), json!(true)],
        ),
        Accepts::Number { low, high } => {
            let mut limits = (Vec::new(), vec![json!(true), Value::Null]);
            match low {
                Bound::Included(low) => {
                    limits.0.push(json!(low));
                    limits.1.push(json!(low - STEP));
                }
                Bound::Excluded(low) => {
                    limits.0.push(json!(low + STEP));
                    limits.1.push(json!(low));
                }
                Bound::Unbounded => {}
            }
            match high {
                Bound::Included(high) => {
                    limits.0.push(json!(high));
                    limits.1.push(json!(high + STEP * high.abs().max(1.0)));
                }
                Bound::Excluded(high) => {
                    limits.0.push(json!(high - STEP));
                    limits.1.push(json!(high));
                }
                Bound::Unbounded => {}
            }
            limits
        }
        Accepts::OneOf(names) => {
            (names.iter().map(|&x| x.into()).collect(), vec!["none such".into(), 1.into()])
        }
        Accepts::Switch => (vec![true.into(), false.into()], vec!["true".into(), 1.into()]),
        Accepts::Text => (vec!["".into()], vec![true.into(), 1.into()]),
    }
}

fn each(mut look: impl FnMut(&'static Spec, Profile, &Parameter)) {
    for spec in METHODS {
        for profile in Profile::ALL {
            for parameter in (spec.parameters)() {
                look(spec, profile, &parameter);
            }
        }
    }
}

#[test]
fn a_value_outside_its_range_is_refused_by_the_name_of_the_parameter() {
    each(|spec, profile, parameter| {
        for value in limits(parameter.accepts()).1 {
            let refused = build(spec, profile, parameter.name, &value);
            let error = refused.expect_err(&format!("{} {} {value}", spec.name, parameter.name));
            let start = format!("{} must be ", parameter.name);
            assert!(error.starts_with(&start), "{}: {error}", spec.name);
            assert!(error.ends_with(&format!(", got {value}")), "{}: {error}", spec.name);
        }
    });
}

#[test]
fn the_limits_of_a_range_are_accepted() {
    let mut held_back = Vec::new();
    each(|spec, profile, parameter| {
        for value in limits(parameter.accepts()).0 {
            if let Err(error) = build(spec, profile, parameter.name, &value) {
                let is_known = HELD_BACK.iter().any(|x| (x.0, x.1) == (spec.name, parameter.name));
                assert!(is_known, "{}: {error}", spec.name);
                held_back.push((spec.name, parameter.name));
            }
        }
    });
    for (method, parameter, why) in HELD_BACK {
        assert!(held_back.contains(&(method, parameter)), "{method} {parameter}: {why}: no more");
    }
}

#[test]
fn defaults_lie_within_their_range() {
    each(|spec, profile, parameter| {
        let checked = parameter.check(&parameter.default(profile));
        assert_eq!(checked, Ok(()), "{} in {}", spec.name, profile.name());
    });
}

#[test]
fn names_are_unique_and_help_leaves_ranges_to_the_declaration() {
    for spec in METHODS {
        let parameters = (spec.parameters)();
        let mut names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), parameters.len(), "{}", spec.name);
        for Parameter { name, about, .. } in parameters {
            assert!(!about.is_empty(), "{} {name}", spec.name);
            assert!(!about.contains(" up to 1") && !about.ends_with('.'), "{} {name}", spec.name);
        }
    }
}

/// Returns what a value violates of a schema; knows the words that schemas of methods are made of.
fn violation(schema: &Value, value: &Value) -> Option<String> {
    for (word, rule) in schema.as_object().expect("a schema is an object") {
        let bound = |keeps: fn(f64, f64) -> bool| {
            let rule = rule.as_f64().expect("a bound is a number");
            value.as_f64().is_some_and(|value| keeps(value, rule))
        };
        let holds = match word.as_str() {
            "type" => match rule.as_str() {
                Some("object") => value.is_object(),
                Some("integer") => value.is_i64() || value.is_u64(),
                Some("number") => value.is_number(),
                Some("string") => value.is_string(),
                Some("boolean") => value.is_boolean(),
                other => panic!("type {other:?}"),
            },
            "minimum" => bound(|value, rule| value >= rule),
            "maximum" => bound(|value, rule| value <= rule),
            "exclusiveMinimum" => bound(|value, rule| value > rule),
            "exclusiveMaximum" => bound(|value, rule| value < rule),
            "const" => rule == value,
            "anyOf" => {
                let choices = rule.as_array().expect("choices are a list");
                choices.iter().any(|choice| violation(choice, value).is_none())
            }
            "enum" => rule.as_array().is_some_and(|values| values.contains(value)),
            "properties" => {
                for (name, part) in rule.as_object().expect("properties are an object") {
                    if let Some(violation) = value.get(name).and_then(|x| violation(part, x)) {
                        return Some(format!("{name}: {violation}"));
                    }
                }
                true
            }
            "additionalProperties" => {
                assert_eq!(*rule, false);
                let known = schema["properties"].as_object().expect("properties are an object");
                let mut names = value.as_object().into_iter().flat_map(Map::keys);
                names.all(|name| known.contains_key(name))
            }
            "$schema" | "title" | "description" | "default" => true,
            other => panic!("a schema has the word {other}"),
        };
        if !holds {
            return Some(format!("{word} {rule}, got {value}"));
        }
    }
    None
}

#[test]
fn the_schema_of_every_name_accepts_what_the_method_runs_with() {
    for name in names() {
        for profile in Profile::ALL {
            let schema = schema(name, profile).expect("the name is known");
            let made = retold_core::methods::make(name, profile, &Map::new(), 1);
            let running = made.expect("defaults are valid").parameters();
            assert_eq!(violation(&schema, &running), None, "{name}");
            for (parameter, value) in running.as_object().expect("a struct") {
                assert_eq!(schema["properties"][parameter]["default"], *value, "{name}");
            }
            let strange = json!({ "colour": 1 });
            assert!(violation(&schema, &strange).is_some(), "{name} has no colours");
        }
    }
}

#[test]
fn the_schema_refuses_what_is_refused_and_accepts_what_is_accepted() {
    each(|spec, profile, parameter| {
        let schema = schema(spec.name, profile).expect("the name is known");
        let (accepted, refused) = limits(parameter.accepts());
        for value in accepted {
            let given = json!({ parameter.name: value });
            assert_eq!(violation(&schema, &given), None, "{}", spec.name);
        }
        for value in refused {
            let given = json!({ parameter.name: value });
            assert!(violation(&schema, &given).is_some(), "{} {given}", spec.name);
        }
    });
}

#[test]
fn ranges_are_written_as_a_reader_expects() {
    let declared = |method: &str, name: &str| {
        let (spec, _) = retold_core::methods::find(method).expect("the name is known");
        let mut all = (spec.parameters)().into_iter();
        all.find(|parameter| parameter.name == name).expect("it is declared")
    };
    for (method, name, help) in [
        ("anchor", "k", "1 to 64"),
        ("anchor", "stop", "at least 2"),
        ("anchor", "passage_words", "at least 1"),
        ("anchor", "tiny", "true or false"),
        ("codet", "stop", "at least 1, or none"),
        ("anchor", "containment", "above 0 and at most 1"),
        ("codet", "threshold", "at least 0 and below 1"),
        ("codet", "order", "one of idf, text"),
        ("imatch", "removed", "0 to 1"),
        ("imatch", "low", "at least 0"),
        ("scam", "epsilon", "above 2 and at most 1000"),
        ("descriptive-words", "mean_bits", "above 0"),
        ("tweezer", "rules", "text"),
    ] {
        assert_eq!(declared(method, name).accepts().to_string(), help);
    }
    let error = declared("imatch", "removed").check(&json!(2)).expect_err("above 1");
    assert_eq!(error.to_string(), "removed must be between 0 and 1, got 2");
}

/// Returns what a story says that a parameter is: "`k` = 5".
fn told<'a>(story: &'a str, name: &str) -> Vec<&'a str> {
    let end = |c: char| c.is_whitespace() || matches!(c, ';' | ':' | ')' | '(');
    let word = |rest: &'a str| rest.split(end).next().unwrap_or(rest);
    let named = format!("`{name}` = ");
    let said = story.split(&named).skip(1).map(word);
    said.map(|word| word.trim_matches(['`', '.', ',', '"'])).collect()
}

#[test]
fn what_a_story_says_of_a_parameter_is_declared() {
    let mut n_said = 0;
    for spec in METHODS {
        let story = spec.story().split_whitespace().collect::<Vec<_>>().join(" ");
        for parameter in (spec.parameters)() {
            let mut known = Vec::from(Profile::ALL.map(|profile| parameter.default(profile)));
            let of_forms = spec.forms.iter().map(retold_core::methods::Form::values);
            known.extend(of_forms.filter_map(|mut set| set.remove(parameter.name)));
            let numbers: Vec<f64> = known.iter().filter_map(Value::as_f64).collect();
            for said in told(&story, parameter.name) {
                let is_declared = match parameter.accepts() {
                    Accepts::Limit { .. } if said == "none" => known.contains(&said.into()),
                    Accepts::Whole { .. } | Accepts::Limit { .. } | Accepts::Number { .. } => {
                        let number = said.replace(',', "").parse::<f64>();
                        number.map_or(said == "K", |number| numbers.contains(&number))
                    }
                    Accepts::OneOf(names) => names.contains(&said),
                    Accepts::Switch => ["true", "false"].contains(&said),
                    Accepts::Text => true,
                };
                assert!(is_declared, "{}: `{}` = {said}", spec.name, parameter.name);
                n_said += 1;
            }
        }
    }
    assert!(n_said > 100, "stories name values: {n_said}");
}
