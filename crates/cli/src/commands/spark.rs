//! `retold spark`: hands the work to `spark-submit` and the Python package.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

use crate::args::{Spark, SparkCommand};
use crate::failure::Failure;

/// What spark-submit runs: the Python package knows the rest.
const SCRIPT: &str = "from retold.spark.__main__ import main\n\nmain()\n";

/// Starts a run and waits for its end.
pub(crate) fn spark(args: &Spark) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::usage(format!("cannot write a script: {error}"));
    let mut script = tempfile::Builder::new()
        .prefix("retold-spark-")
        .suffix(".py")
        .tempfile()
        .map_err(failed)?;
    script.write_all(SCRIPT.as_bytes()).and_then(|()| script.flush()).map_err(failed)?;
    let submit = std::env::var_os("SPARK_HOME").map_or_else(
        || PathBuf::from("spark-submit"),
        |home| PathBuf::from(home).join("bin").join("spark-submit"),
    );
    let mut command = Command::new(&submit);
    command.args(&args.submit).arg(script.path()).args(arguments(args));
    let status = command.status().map_err(|error| {
        Failure::hinted(
            format!("cannot start {}: {error}", submit.display()),
            "set SPARK_HOME to the folder of Spark, or put spark-submit on the path",
        )
    })?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::hinted(
        format!("spark-submit ended with {status}"),
        "its messages stand above; the same command goes on where the run broke off",
    ))
}

/// Returns what the Python package is told.
fn arguments(args: &Spark) -> Vec<String> {
    let Spark { command, inputs, output, input_format, order, partitions, job, submit: _ } = args;
    let command = match command {
        SparkCommand::Find => "find",
        SparkCommand::Dedup => "dedup",
    };
    let mut told = vec![command.to_owned()];
    told.extend(inputs.iter().cloned());
    told.extend(["--output".to_owned(), output.clone()]);
    if let Some(format) = input_format {
        told.extend(["--input-format".to_owned(), format.clone()]);
    }
    if !order.is_empty() {
        told.extend(["--order".to_owned(), order.join(",")]);
    }
    if let Some(partitions) = partitions {
        told.extend(["--partitions".to_owned(), partitions.to_string()]);
    }
    for setting in job {
        told.extend(["--setting".to_owned(), setting.clone()]);
    }
    told
}
