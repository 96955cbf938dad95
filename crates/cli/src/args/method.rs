//! Options that choose a method and its parameters.

use clap::Args;
use serde_json::Value;

use super::values;

/// Which method, with which parameters.
#[derive(Debug, Args)]
#[command(next_help_heading = "Method")]
pub(crate) struct MethodArgs {
    /// Method to use; `retold methods` lists them.
    #[arg(long, value_name = "NAME", value_parser = values::method())]
    #[arg(hide_possible_values = true)]
    pub(crate) method: Option<String>,

    /// Share of a document that must stand in the other to count as contained, above 0 up to 1.
    #[arg(long, value_name = "X")]
    pub(crate) containment: Option<f64>,

    /// Words of a common passage from which two documents are partial copies.
    #[arg(long, value_name = "N")]
    pub(crate) passage_words: Option<u64>,

    /// Set a parameter of the method, such as `k=7`; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = values::parameter)]
    pub(crate) set: Vec<(String, Value)>,
}
