//! Which rows of a database are read: those of a table, or of a query.

use rusqlite::Statement;

use crate::bad::quoted;
use crate::fields::Use;
use crate::format::Context;
use crate::sqlite::database::Database;

/// Most names of tables in a message.
const MOST_NAMED: usize = 20;

/// What is asked, and what the columns of the answer are for.
pub(super) struct Selected {
    pub(super) sql: String,
    /// Numbers and uses of the columns that are needed; of a query they are known once it is prepared.
    pub(super) columns: Option<Vec<(usize, Use)>>,
    /// Whether each column is followed by one that says whether it was left out for its length.
    pub(super) has_lengths: bool,
}

/// Makes the query that the options ask for.
pub(super) fn select(database: &mut Database, context: &Context) -> Result<Selected, String> {
    let options = &context.options;
    match (&options.sql, &options.table) {
        (Some(_), Some(_)) => Err("`table` and `sql` exclude each other".to_owned()),
        (Some(sql), None) => Ok(Selected { sql: sql.clone(), columns: None, has_lengths: false }),
        (None, wanted) => {
            let table = choose(&tables(database)?, wanted.as_deref())?;
            rows_of(database, &table, context)
        }
    }
}

/// Returns what the columns of a query are for.
pub(super) fn of_query(
    statement: &Statement<'_>,
    context: &Context,
) -> Result<Vec<(usize, Use)>, String> {
    let names: Vec<&str> = statement.column_names().collect();
    let uses = names.iter().map(|name| context.names.column(name)).enumerate();
    let uses: Vec<(usize, Use)> = uses.filter(|(_, used)| !used.is_nothing()).collect();
    if uses.iter().any(|(_, used)| used.is_text()) {
        Ok(uses)
    } else {
        Err(context.names.no_column(names))
    }
}

/// Lists the tables that hold rows of their own, in the order in which they were made. Tables that
/// extensions compute, such as those of a full-text search, are left out together with what they keep.
fn tables(database: &Database) -> Result<Vec<String>, String> {
    let sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY rowid";
    let listed = database.list(sql, |row| {
        let text = |at| Ok::<_, rusqlite::Error>(row.get_ref(at)?.as_str().ok().map(str::to_owned));
        Ok(text(0)?.zip(Some(text(1)?.unwrap_or_default())))
    })?;
    let starts = |text: &str, with: &str| {
        text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
    };
    let computed: Vec<&str> = listed
        .iter()
        .filter(|(_, sql)| starts(sql, "CREATE VIRTUAL"))
        .map(|(name, _)| name.as_str())
        .collect();
    let is_of = |name: &str, of: &&str| {
        starts(name, of) && matches!(name.as_bytes().get(of.len()), None | Some(b'_'))
    };
    Ok(listed
        .iter()
        .map(|(name, _)| name)
        .filter(|name| !starts(name, "sqlite_") && !computed.iter().any(|of| is_of(name, of)))
        .cloned()
        .collect())
}

/// Returns the table that is meant. As in SQLite capital letters do not matter.
fn choose(tables: &[String], wanted: Option<&str>) -> Result<String, String> {
    let all = || {
        let mut named: Vec<String> =
            tables.iter().take(MOST_NAMED).map(|name| quoted(name)).collect();
        if let Some(more) = tables.len().checked_sub(MOST_NAMED).filter(|&more| more > 0) {
            named.push(format!("{more} more"));
        }
        named.join(", ")
    };
    match (wanted, tables) {
        (_, []) => Err("it has no table with rows of its own".to_owned()),
        (None, [table]) => Ok(table.clone()),
        (None, tables) => Err(format!(
            "it has {} tables, say which one holds the documents (`table`), or select rows (`sql`): {}",
            tables.len(),
            all()
        )),
        (Some(wanted), tables) => {
            let mut found = tables.iter().filter(|name| name.eq_ignore_ascii_case(wanted));
            found
                .next()
                .cloned()
                .ok_or_else(|| format!("it has no table {}, it has: {}", quoted(wanted), all()))
        }
    }
}

/// Makes the query for the rows of a table, in the order in which they stand there.
///
/// A column is read with a second one, which is the length where that is past the limit: its value is then
/// left out, and costs its row alone. Columns that the database computes are not read: what they cost
/// nobody can say.
fn rows_of(database: &Database, table: &str, context: &Context) -> Result<Selected, String> {
    let listed = database.list(&format!("PRAGMA main.table_xinfo({})", name(table)), |row| {
        let column = row.get_ref(1)?.as_str().ok().map(str::to_owned);
        let is_computed = row.get::<_, i64>(6)? != 0 && row.get::<_, i64>(6)? != 3;
        Ok(column.map(|column| (column, is_computed)))
    })?;
    let uses = listed
        .iter()
        .map(|(column, is_computed)| (column, *is_computed, context.names.column(column)));
    let (computed, stored): (Vec<_>, Vec<_>) = uses
        .filter(|(_, _, used)| !used.is_nothing())
        .partition(|&(_, is_computed, _)| is_computed);
    if !stored.iter().any(|(_, _, used)| used.is_text()) {
        return Err(match computed.iter().find(|(_, _, used)| used.is_text()) {
            Some((column, ..)) => format!(
                "column {} is computed, and is read only by a query that names it (`sql`)",
                quoted(column)
            ),
            None => context.names.no_column(listed.iter().map(|(column, _)| column.as_str())),
        });
    }
    // Bytes of UTF-16 may be twice those of UTF-8.
    let most = context.limits().document_bytes.saturating_mul(2).min(i64::MAX as u64);
    let columns: Vec<String> = stored
        .iter()
        .map(|(column, ..)| {
            let column = name(column);
            format!(
                "iif(octet_length({column}) > {most}, NULL, {column}), octet_length({column}) > {most}"
            )
        })
        .collect();
    let sql = format!("SELECT {} FROM main.{} NOT INDEXED", columns.join(", "), name(table));
    let uses =
        stored.iter().enumerate().map(|(number, (_, _, used))| (2 * number, *used)).collect();
    Ok(Selected { sql, columns: Some(uses), has_lengths: true })
}

/// Writes a name as SQL has it.
fn name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
