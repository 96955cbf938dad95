//! The server as others see it: over HTTP, from outside.

mod api;
mod common;
mod crowds;
mod jobs;
mod notices;
mod safety;
mod streams;
mod wizard;
