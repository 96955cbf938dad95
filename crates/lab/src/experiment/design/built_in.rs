//! The designs that come with the program.

/// The designs that come with the program: name and text.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("which-method", include_str!("../../../experiments/which-method.toml")),
    ("pooled-comparison", include_str!("../../../experiments/pooled-comparison.toml")),
    ("thresholds", include_str!("../../../experiments/thresholds.toml")),
    ("codet-parameters", include_str!("../../../experiments/codet-parameters.toml")),
    (
        "image-size-and-threshold",
        include_str!("../../../experiments/image-size-and-threshold.toml"),
    ),
    ("image-length", include_str!("../../../experiments/image-length.toml")),
    ("image-agreement", include_str!("../../../experiments/image-agreement.toml")),
    ("shingle-length", include_str!("../../../experiments/shingle-length.toml")),
    ("sentence-windows", include_str!("../../../experiments/sentence-windows.toml")),
    ("window-runs", include_str!("../../../experiments/window-runs.toml")),
    ("collection-statistics", include_str!("../../../experiments/collection-statistics.toml")),
    ("window-index", include_str!("../../../experiments/window-index.toml")),
    ("feature-index", include_str!("../../../experiments/feature-index.toml")),
    ("known-item-180", include_str!("../../../experiments/known-item-180.toml")),
    ("pne", include_str!("../../../experiments/pne.toml")),
    ("thesis-a", include_str!("../../../experiments/thesis-a.toml")),
    ("thesis-a-small", include_str!("../../../experiments/thesis-a-small.toml")),
    ("thesis-b", include_str!("../../../experiments/thesis-b.toml")),
    ("thesis-c", include_str!("../../../experiments/thesis-c.toml")),
    ("thesis-conditions", include_str!("../../../experiments/thesis-conditions.toml")),
    ("sensitivity", include_str!("../../../experiments/sensitivity.toml")),
    ("partial-length", include_str!("../../../experiments/partial-length.toml")),
    ("containment-ratio", include_str!("../../../experiments/containment-ratio.toml")),
    ("hard-negatives", include_str!("../../../experiments/hard-negatives.toml")),
    ("scaling", include_str!("../../../experiments/scaling.toml")),
    ("scaling-long", include_str!("../../../experiments/scaling-long.toml")),
];
