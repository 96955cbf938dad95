//! What an index survives: power cuts, failing disks, and being killed.
//!
//! Each test runs in a short form with the others. `RETOLD_LONG=1` makes them long; `bench/faults`
//! runs them so and prints what was done.

mod contents;
mod damage;
mod faults;
mod kill;
mod model;
mod power;
mod readers;
mod script;

/// Whether the long form is wanted.
fn is_long() -> bool {
    std::env::var_os("RETOLD_LONG").is_some_and(|value| value != "0")
}

/// Says what was done, whether or not output is captured.
fn say(line: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Random numbers that a seed repeats (splitmix64).
#[derive(Clone, Debug)]
struct Dice(u64);

impl Dice {
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.number() % n
    }
}
