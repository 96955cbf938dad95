//! Pools of nominated pairs and what people say about them.
