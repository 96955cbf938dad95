//! Exceptions, one for each family of errors.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use retold::Family;

create_exception!(retold, Error, PyException, "What ends a piece of work early.");
create_exception!(
    retold,
    UsageError,
    Error,
    "The caller's: a setting that does not exist or does not fit, a path, a full disk."
);
create_exception!(
    retold,
    InputError,
    Error,
    "The input's: a record that cannot be read in a strict run, or nothing to read at all. `file`, \
     `record` and `byte` say where, as far as it is known; otherwise they are None."
);
create_exception!(retold, StoppedError, Error, "The work was asked to stop, and did.");
create_exception!(retold, InternalError, Error, "A mistake of Retold itself; please report it.");

/// Makes an exception of an error of the library.
pub(crate) fn raised(py: Python<'_>, error: &retold::Error) -> PyErr {
    let place = match error {
        retold::Error::Input(bad) => (Some(bad.file.as_str()), bad.record, bad.offset),
        _ => (None, None, None),
    };
    of_family(py, error.family(), error.to_string(), place)
}

/// Makes an exception of an error of the laboratory.
pub(crate) fn raised_by_lab(py: Python<'_>, error: &retold_lab::Error) -> PyErr {
    match error {
        retold_lab::Error::Retold(error) => raised(py, error),
        other => of_family(py, other.family(), other.to_string(), (None, None, None)),
    }
}

/// Says that an argument does not fit.
#[expect(clippy::needless_pass_by_value, reason = "errors are handed over by `map_err`")]
pub(crate) fn usage(message: impl ToString) -> PyErr {
    UsageError::new_err(message.to_string())
}

/// Where in the input: file, record and byte.
type Place<'a> = (Option<&'a str>, Option<u64>, Option<u64>);

fn of_family(py: Python<'_>, family: Family, message: String, place: Place<'_>) -> PyErr {
    match family {
        Family::User => UsageError::new_err(message),
        Family::Input => {
            let exception = InputError::new_err(message);
            let told = exception.value(py);
            let set = told
                .setattr("file", place.0)
                .and_then(|()| told.setattr("record", place.1))
                .and_then(|()| told.setattr("byte", place.2));
            set.err().unwrap_or(exception)
        }
        Family::Stopped => StoppedError::new_err(message),
        _ => InternalError::new_err(message),
    }
}
