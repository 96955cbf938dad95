//! Files, archives and streams in, documents out.
