//! Test collections whose copies are known, with a log that replays to the same bytes.
