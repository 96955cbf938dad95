//! Numbers that papers printed, as tables that designs name.

/// Returns the table of a name: tab-separated, the first line names the columns.
pub(super) fn printed_table(name: &str) -> Option<&'static str> {
    Some(match name {
        "s1_tables_2_3" => include_str!("../../experiments/published/s1_tables_2_3.tsv"),
        "s1_table_4_seconds" => include_str!("../../experiments/published/s1_table_4_seconds.tsv"),
        "s3_effectiveness" => {
            include_str!("../../experiments/published/s3_effectiveness.tsv")
        }
        "s3_table_4_1" => include_str!("../../experiments/published/s3_table_4_1.tsv"),
        "s3_table_6_11" => include_str!("../../experiments/published/s3_table_6_11.tsv"),
        "s4_tables_1_2_3" => include_str!("../../experiments/published/s4_tables_1_2_3.tsv"),
        "s4_table_7" => include_str!("../../experiments/published/s4_table_7.tsv"),
        _ => return None,
    })
}
