//! Itemsets of a file: a path in, frequent sets out.
//!
//! The file is an inverted table in the text form of the FIMI workshops: one transaction a line,
//! items as numbers. Where documents are clustered, a line is a unit of text and its items are the
//! numbers of the documents that have it; a frequent set of items is then a cluster of documents,
//! and its support the number of units they have in common.

use std::collections::HashMap;
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use retold::{Resources, Stop};
use retold_mine::{
    Budget, Cut, CutPart, FimiError, Flow, MINERS, MinSupport, Miner, Named, Preparation,
    SupportError, Target, Task, find, mine_while, read_while, write_set,
};
use retold_read::{Limits, open_bytes};
use retold_report::{OutputFile, escape_terminal};
use thiserror::Error;

use crate::error::Error;
use crate::item_names::names_of;

/// Bytes of sets that are held before they are written.
const BUFFER_BYTES: usize = 256 << 10;

/// What is looked for in a file, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Mining {
    /// Name of an algorithm, one of [`MINERS`]. The default is `auto`.
    pub algorithm: String,
    /// Which sets are wanted. The default is maximal ones.
    pub target: Target,
    /// Transactions a set must lie in.
    pub min_support: MinSupport,
    /// Items a set must have. The default is 1.
    pub min_size: usize,
    /// What is done with the transactions before the search. The default is `Reduced`.
    pub preparation: Preparation,
    /// A file of names of items, as [`names_of`] reads it: sets are then written as the tool of 2009
    /// wrote clusters, the names and last the support, with tabs between them. The default is none.
    pub names: Option<PathBuf>,
    /// What the search may use. The default is that of [`Mining::by`] the algorithm.
    pub budget: Budget,
    /// Limits on what reading the file may use.
    pub limits: Limits,
    /// Whether a file of sets may take the place of another. The default is no.
    pub overwrite: bool,
}

/// Mining that cannot be done.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MiningError {
    /// No such algorithm.
    #[error("there is no algorithm `{0}`")]
    Algorithm(String),
    /// An algorithm that does not find what is wanted.
    #[error("`{algorithm}` does not find {} sets; {} can", target.name(), those(*target))]
    Target {
        /// The algorithm.
        algorithm: &'static str,
        /// What it was asked for.
        target: Target,
    },
    /// A minimum support that means nothing.
    #[error(transparent)]
    Support(#[from] SupportError),
}

/// Returns the names of the algorithms that find what is wanted: `a, b and c`.
fn those(target: Target) -> String {
    let specs = MINERS.iter().map(|miner| miner.spec());
    let names: Vec<&str> =
        specs.filter(|spec| spec.targets.contains(&target)).map(|spec| spec.name).collect();
    match &names[..] {
        [] => "none".to_owned(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

impl Mining {
    /// Sets that each component may give out unless said otherwise.
    pub const COMPONENT_SETS: u64 = 1_000_000;

    /// Steps of the search of each component unless said otherwise.
    pub const STEPS: u64 = 50_000_000;

    /// Bytes that a search may hold beside the transactions unless said otherwise.
    pub const BYTES: usize = 4 << 30;

    /// Bytes that a search may hold that does not go by components.
    pub const WHOLE_BYTES: usize = 128 << 20;

    /// Time of a search that does not go by components.
    pub const WHOLE_TIME: Duration = Duration::from_mins(1);

    /// Returns the search for maximal sets of a minimum support.
    pub fn new(min_support: MinSupport) -> Self {
        Self::by("auto", min_support)
    }

    /// Returns the search of an algorithm for maximal sets of a minimum support.
    ///
    /// `auto` goes by components, each of which has its limits. The others search the whole table:
    /// there the limits of a component would leave no end in sight, as 40 documents that each lack
    /// one of 40 units have more maximal sets than anybody can hold.
    pub fn by(algorithm: &str, min_support: MinSupport) -> Self {
        let by_component = Budget {
            component_sets: Some(Self::COMPONENT_SETS),
            steps: Some(Self::STEPS),
            bytes: Some(Self::BYTES),
            ..Budget::default()
        };
        let budget = match algorithm {
            "auto" => by_component,
            _ => Budget {
                sets: Some(Self::COMPONENT_SETS),
                bytes: Some(Self::WHOLE_BYTES),
                time: Some(Self::WHOLE_TIME),
                ..by_component
            },
        };
        Self {
            algorithm: algorithm.to_owned(),
            target: Target::default(),
            min_support,
            min_size: 1,
            preparation: Preparation::default(),
            names: None,
            budget,
            limits: Limits::default(),
            overwrite: false,
        }
    }

    /// Returns the algorithm, if all that is asked for can be done.
    pub fn miner(&self) -> Result<&'static dyn Miner, MiningError> {
        let miner =
            find(&self.algorithm).ok_or_else(|| MiningError::Algorithm(self.algorithm.clone()))?;
        if !miner.spec().targets.contains(&self.target) {
            let algorithm = miner.spec().name;
            return Err(MiningError::Target { algorithm, target: self.target });
        }
        // Whether it means anything does not depend on the number of transactions.
        self.min_support.resolve(1)?;
        Ok(miner)
    }
}

/// What came of mining a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mined {
    /// Transactions in the file.
    pub n_transactions: u64,
    /// Different items in it.
    pub n_items: u64,
    /// Transactions a set had to lie in.
    pub min_support: u32,
    /// Sets given out; if the search was cut, there are at least so many.
    pub n_sets: u64,
    /// The sets by their number of items, ascending.
    pub sizes: Vec<SizeRow>,
    /// The limit that ended the whole search early.
    pub cut: Option<Cut>,
    /// Components of which not all sets were given out.
    pub cut_parts: Vec<CutComponent>,
    /// Time for reading the file.
    pub read_seconds: f64,
    /// Time for finding and handing out the sets.
    pub seconds: f64,
}

impl Mined {
    /// Returns whether nothing was left out.
    pub fn is_complete(&self) -> bool {
        self.cut.is_none() && self.cut_parts.is_empty()
    }
}

/// Sets of one size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SizeRow {
    /// Items in each.
    pub n_items: u64,
    /// Number of such sets.
    pub n_sets: u64,
    /// The smallest support among them.
    pub least_support: u32,
    /// The largest support among them.
    pub most_support: u32,
    /// All their supports together.
    pub sum_of_supports: u64,
}

/// A component of which not all sets were given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutComponent {
    /// The smallest item in it, as the file names it.
    pub first_item: u64,
    /// Items in it.
    pub n_items: u64,
    /// Sets of it that were given out.
    pub n_sets: u64,
    /// Why it ended.
    pub cut: Cut,
}

/// Where sets go.
pub enum SetsTo<'a> {
    /// They are only counted.
    Nowhere,
    /// One a line, the items and then the support in parentheses; by names where
    /// [`Mining::names`] has them.
    Writer(&'a mut (dyn Write + Send)),
    /// The same, to a file that appears when it is whole.
    File(&'a Path),
}

/// Mines a file of transactions and writes the sets; `-` is standard input, and gzip, zstd and xz
/// are opened on the way.
///
/// ```no_run
/// use retold::Resources;
/// use retold_lab::{Mining, SetsTo, mine_file};
/// use retold_mine::MinSupport;
/// # fn main() -> Result<(), retold_lab::Error> {
/// let mining = Mining::new(MinSupport::Absolute(85));
/// let to = SetsTo::File("clusters.txt".as_ref());
/// let mined = mine_file("inverted.dat.zst".as_ref(), &mining, to, &Resources::new())?;
/// assert!(mined.is_complete());
/// # Ok(())
/// # }
/// ```
pub fn mine_file(
    input: &Path,
    mining: &Mining,
    to: SetsTo<'_>,
    resources: &Resources,
) -> Result<Mined, Error> {
    mining.miner()?;
    // A file that cannot be written is told of before anything is read.
    let file = match to {
        SetsTo::File(path) => Some(OutputFile::create(path, mining.overwrite)?),
        SetsTo::Nowhere | SetsTo::Writer(_) => None,
    };
    let table = Transactions::read(input, mining, resources.stop_wish())?;
    let names = mining.names.as_deref().map(|file| table.names(file, mining)).transpose()?;
    match to {
        SetsTo::Nowhere => table.mine(mining, resources, &mut |_, _| Ok(())),
        SetsTo::Writer(writer) => {
            let mut out = BufWriter::with_capacity(BUFFER_BYTES, writer);
            let mined = table.mine(mining, resources, &mut |items, support| {
                write_line(&mut out, items, support, names.as_ref())
            })?;
            out.flush().map_err(Error::Sets)?;
            Ok(mined)
        }
        SetsTo::File(path) => {
            let cannot = |source| Error::io("write", path)(source);
            let file = file.expect("it was made above");
            let mut out = BufWriter::with_capacity(BUFFER_BYTES, file);
            let mined = table.mine(mining, resources, &mut |items, support| {
                write_line(&mut out, items, support, names.as_ref())
            });
            let mined = mined.map_err(|error| match error {
                Error::Sets(source) => cannot(source),
                other => other,
            })?;
            let file = out.into_inner().map_err(IntoInnerError::into_error).map_err(cannot)?;
            file.commit()?;
            Ok(mined)
        }
    }
}

/// Writes a set: by numbers as the FIMI workshops did, by names as the tool of 2009 did.
fn write_line(
    out: &mut impl Write,
    items: &[u64],
    support: u32,
    names: Option<&HashMap<u64, String>>,
) -> io::Result<()> {
    let Some(names) = names else { return write_set(out, items.iter().copied(), support) };
    for item in items {
        // A name must not end its column or line.
        let name = names.get(item).map(|name| escape_terminal(name)).unwrap_or_default();
        out.write_all(name.as_bytes())?;
        out.write_all(b"\t")?;
    }
    writeln!(out, "{support}")
}

/// Mines a file of transactions and hands each set to `each`: its items as the file names them,
/// ascending, and its support. The search ends at the first error.
pub fn mine_each(
    input: &Path,
    mining: &Mining,
    resources: &Resources,
    each: &mut (dyn FnMut(&[u64], u32) -> io::Result<()> + Send),
) -> Result<Mined, Error> {
    mining.miner()?;
    Transactions::read(input, mining, resources.stop_wish())?.mine(mining, resources, each)
}

/// The transactions of a file.
struct Transactions {
    named: Named,
    read_seconds: f64,
}

impl Transactions {
    fn read(input: &Path, mining: &Mining, stop: &Stop) -> Result<Self, Error> {
        let start = Instant::now();
        let named = transactions(input, &mining.limits, stop)?;
        Ok(Self { named, read_seconds: start.elapsed().as_secs_f64() })
    }

    /// Reads the names of all items that stand in a transaction.
    fn names(&self, file: &Path, mining: &Mining) -> Result<HashMap<u64, String>, Error> {
        let supports = self.named.context.supports();
        let items = (0..supports.len()).filter(|&item| supports[item] > 0);
        let numbers: Vec<u64> = items.map(|item| self.named.name(item as u32)).collect();
        let names = names_of(file, &numbers, &mining.limits)?;
        Ok(numbers.into_iter().zip(names).collect())
    }

    fn mine(
        &self,
        mining: &Mining,
        resources: &Resources,
        each: &mut (dyn FnMut(&[u64], u32) -> io::Result<()> + Send),
    ) -> Result<Mined, Error> {
        let miner = mining.miner()?;
        let stop = resources.stop_wish();
        let named = &self.named;
        let context = &named.context;
        let n_transactions = context.n_transactions();
        let mut task = Task::new(
            mining.target,
            mining.min_support.resolve(n_transactions).map_err(MiningError::from)?,
        );
        task.min_size = mining.min_size;
        task.preparation = mining.preparation;
        task.budget = mining.budget;

        let pool = resources.thread_pool()?;
        let mut names: Vec<u64> = Vec::new();
        let mut sizes: Vec<SizeRow> = Vec::new();
        let mut failed = None;
        let mut sink = |items: &[u32], support: u32| {
            names.clear();
            names.extend(items.iter().map(|&item| named.name(item)));
            if let Err(error) = each(&names, support) {
                failed = Some(error);
                return Flow::Break(Cut::Stopped);
            }
            count(&mut sizes, items.len(), support);
            Flow::Continue(())
        };
        let start = Instant::now();
        let is_stopped = || stop.is_set();
        let outcome = pool.install(|| mine_while(miner, context, &task, &is_stopped, &mut sink));
        if let Some(error) = failed {
            return Err(Error::Sets(error));
        }
        if outcome.cut == Some(Cut::Stopped) {
            return Err(Error::StoppedMining { n_sets: outcome.n_sets });
        }
        sizes.retain(|row| row.n_sets > 0);
        let part = |part: &CutPart| CutComponent {
            first_item: named.name(part.first_item),
            n_items: part.n_items,
            n_sets: part.n_sets,
            cut: part.cut,
        };
        Ok(Mined {
            n_transactions,
            n_items: context.supports().iter().filter(|&&support| support > 0).count() as u64,
            min_support: task.min_support,
            n_sets: outcome.n_sets,
            sizes,
            cut: outcome.cut,
            cut_parts: outcome.cut_parts.iter().map(part).collect(),
            read_seconds: self.read_seconds,
            seconds: start.elapsed().as_secs_f64(),
        })
    }
}

fn count(sizes: &mut Vec<SizeRow>, n_items: usize, support: u32) {
    while sizes.len() <= n_items {
        let n_items = sizes.len() as u64;
        sizes.push(SizeRow { n_items, least_support: u32::MAX, ..SizeRow::default() });
    }
    let row = &mut sizes[n_items];
    row.n_sets += 1;
    row.least_support = row.least_support.min(support);
    row.most_support = row.most_support.max(support);
    row.sum_of_supports += u64::from(support);
}

/// Reads a file of transactions.
pub(crate) fn transactions(input: &Path, limits: &Limits, stop: &Stop) -> Result<Named, Error> {
    let bytes = open_bytes(input, limits).map_err(Error::io("open", input))?;
    read_while(bytes, &|| stop.is_set()).map_err(|error| match error {
        FimiError::Stopped { .. } => Error::StoppedMining { n_sets: 0 },
        FimiError::Io(source) => Error::io("read", input)(source),
        source => Error::Transactions { path: input.to_owned(), source },
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Documents 1 to 4 by their units.
    const TABLE: &str = "1 2 3\n1 2 3\n1 2 3\n1 2 4\n1 4\n2\n3 4\n3 4\n4\n";

    fn file(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let path = dir.path().join("table.dat");
        fs::write(&path, text).expect("a file for a test");
        (dir, path)
    }

    fn sorted(text: &str) -> Vec<&str> {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines
    }

    #[test]
    fn sets_are_written_counted_and_handed_on() {
        let (dir, path) = file(TABLE);
        let mut mining = Mining::new(MinSupport::Absolute(2));
        let mut written = Vec::new();
        let to = SetsTo::Writer(&mut written);
        let mined =
            mine_file(&path, &mining, to, &Resources::new().threads(1)).expect("good lines");
        let written = String::from_utf8(written).expect("digits");
        assert_eq!(sorted(&written), ["1 2 3 (3)", "1 4 (2)", "3 4 (2)"]);
        assert_eq!((mined.n_transactions, mined.n_items, mined.n_sets), (9, 4, 3));
        let row = |n_items, n_sets, support, sum_of_supports| SizeRow {
            n_items,
            n_sets,
            least_support: support,
            most_support: support,
            sum_of_supports,
        };
        assert_eq!(mined.sizes, [row(2, 2, 2, 4), row(3, 1, 3, 3)]);
        assert!(mined.is_complete());

        let out = dir.path().join("sets.txt");
        mine_file(&path, &mining, SetsTo::File(&out), &Resources::new()).expect("good lines");
        assert_eq!(fs::read_to_string(out).ok(), Some(written));
        let counted =
            mine_file(&path, &mining, SetsTo::Nowhere, &Resources::new()).expect("good lines");
        assert_eq!(counted.sizes, mined.sizes);
        mining.min_support = MinSupport::Relative(0.34);
        let counted =
            mine_file(&path, &mining, SetsTo::Nowhere, &Resources::new()).expect("good lines");
        assert_eq!((counted.min_support, counted.n_sets), (4, 3), "3.06 of 9 is 4");
    }

    #[test]
    fn names_of_items_are_those_of_the_file() {
        let (_dir, path) = file("90000000000 17\n17 90000000000\n");
        let mut sets = Vec::new();
        let mining = Mining::new(MinSupport::Absolute(2));
        mine_each(&path, &mining, &Resources::new(), &mut |items, support| {
            sets.push((items.to_vec(), support));
            Ok(())
        })
        .expect("good lines");
        assert_eq!(sets, [(vec![17, 90_000_000_000], 2)]);
    }

    #[test]
    fn every_algorithm_finds_the_same_without_the_reduction() {
        let (_dir, path) = file(TABLE);
        for miner in MINERS {
            let written = [Preparation::Reduced, Preparation::Raw].map(|preparation| {
                let mining = Mining::by(miner.spec().name, MinSupport::Absolute(2));
                let mining = Mining { preparation, ..mining };
                let mut written = Vec::new();
                let to = SetsTo::Writer(&mut written);
                mine_file(&path, &mining, to, &Resources::new().threads(1)).expect("good lines");
                let text = String::from_utf8(written).expect("digits");
                sorted(&text).join("\n")
            });
            assert_eq!(written, ["1 2 3 (3)\n1 4 (2)\n3 4 (2)"; 2], "{}", miner.spec().name);
        }
    }

    #[test]
    fn clusters_are_written_by_the_names_of_their_documents() {
        let (dir, path) = file(TABLE);
        let names = dir.path().join("names.txt");
        fs::write(&names, "-\nfirst story\ntab\there\nthird\nd\n").expect("a file for a test");
        let mut mining = Mining::new(MinSupport::Absolute(2));
        mining.names = Some(names.clone());
        let mut written = Vec::new();
        let to = SetsTo::Writer(&mut written);
        mine_file(&path, &mining, to, &Resources::new()).expect("good lines");
        assert_eq!(
            sorted(&String::from_utf8(written).expect("names")),
            ["first story\td\t2", "first story\ttab\\there\tthird\t3", "third\td\t2"]
        );
        fs::write(&names, "-\na\nb\nc\n").expect("a file for a test");
        let failed = mine_file(&path, &mining, SetsTo::Nowhere, &Resources::new()).unwrap_err();
        assert!(failed.to_string().ends_with("there is no document 4, only 4 lines"), "{failed}");
    }

    #[test]
    fn an_error_or_a_wish_to_stop_ends_the_search_and_leaves_no_file() {
        let (dir, path) = file(TABLE);
        let mining = Mining::new(MinSupport::Absolute(1));
        let mut n_calls = 0;
        let failed = mine_each(&path, &mining, &Resources::new(), &mut |_, _| {
            n_calls += 1;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(matches!(failed, Err(Error::Sets(_))), "{failed:?}");
        assert_eq!(n_calls, 1);
        let stop = Stop::new();
        stop.set();
        let (out, stopping) = (dir.path().join("sets.txt"), Resources::new().stop(&stop));
        let stopped = mine_file(&path, &mining, SetsTo::File(&out), &stopping);
        assert!(matches!(stopped, Err(Error::StoppedMining { n_sets: 0 })), "{stopped:?}");
        assert_eq!(fs::read_dir(dir.path()).expect("the folder is there").count(), 1);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let told = |path: &Path, mining: &Mining| {
            let error = mine_file(path, mining, SetsTo::Nowhere, &Resources::new()).unwrap_err();
            error.to_string()
        };
        let (_dir, path) = file("1 2\n1 x\n");
        let mining = Mining::new(MinSupport::Absolute(1));
        assert!(told(&path, &mining).ends_with(
            "table.dat`: line 2: items must be whole numbers separated by blanks, got 'x'"
        ));
        assert!(told(Path::new("no/such/file"), &mining).starts_with("cannot open `no/such/file`"));
        let zero = Mining::new(MinSupport::Absolute(0));
        assert!(told(&path, &zero).starts_with("minimum support must be at least 1"));
        let unknown = Mining { algorithm: "magic".to_owned(), ..mining };
        assert_eq!(told(&path, &unknown), "there is no algorithm `magic`");
    }

    #[test]
    fn an_algorithm_asked_for_too_much_names_those_that_can() {
        for miner in MINERS {
            for target in Target::ALL {
                let algorithm = miner.spec().name.to_owned();
                let mining = Mining { algorithm, target, ..Mining::new(MinSupport::Absolute(1)) };
                match mining.miner() {
                    Ok(_) => assert!(miner.spec().targets.contains(&target)),
                    Err(error) => {
                        let told = error.to_string();
                        assert!(told.contains(target.name()) && told.contains("auto"), "{told}");
                    }
                }
            }
        }
    }
}
