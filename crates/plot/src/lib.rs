//! Charts: plain numbers in, SVG and PNG out.
