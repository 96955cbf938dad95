//! Designs of experiments as files, their runs, tables and reports.
