//! Changes that break parsers: bits, lengths, borders, halves of two files put together.

/// A whole file.
#[derive(Clone, Debug)]
pub(crate) struct Seed {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// Bytes that mean something to some parser.
const TOKENS: [&[u8]; 42] = [
    b"\"",
    b"\\",
    b"\n",
    b"\r\n",
    b"\t",
    b",",
    b"{",
    b"}",
    b"[",
    b"]",
    b"<",
    b">",
    b"</",
    b"<!--",
    b"<![CDATA[",
    b"]]>",
    b"&",
    b"&#x110000;",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"WARC/1.0\r\n",
    b"Content-Length: 99999999999\r\n",
    b"PK\x03\x04",
    b"\x1f\x8b\x08",
    b"PAR1",
    b"{{",
    b"}}",
    b"[[",
    b"]]",
    b"\\begin{",
    b"\\end{",
    b"\\u-9999?",
    b"\\bin99999999 ",
    b"{\\*",
    b"$",
    b"`",
    b"\n\nFrom ",
    b"\n--b\n",
    b"=?utf-8?b?",
    b"<item>",
    b"/>",
];

/// Numbers at which something may tip over.
const NUMBERS: [u64; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];

/// Most changes of an input.
const MOST_CHANGES: u64 = 8;
/// Largest input; repeated pieces grow fast.
const MOST_BYTES: usize = 1 << 20;

/// Makes an input from two numbers.
pub(crate) struct Mutator(u64);

impl Mutator {
    pub(crate) fn new(seed: u64, input: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ input.wrapping_mul(0xd1b5_4a32_d192_ed03))
    }

    /// Returns the name of the file and its bytes.
    pub(crate) fn make(mut self, seeds: &[Seed]) -> (String, Vec<u8>) {
        let Seed { name, mut bytes } = self.pick(seeds).clone();
        for _ in 0..=self.below(MOST_CHANGES) {
            self.change(&mut bytes, seeds);
            bytes.truncate(MOST_BYTES);
        }
        (name, bytes)
    }

    fn change(&mut self, bytes: &mut Vec<u8>, seeds: &[Seed]) {
        let len = bytes.len();
        let at = self.below(len as u64 + 1) as usize;
        let end = at + self.short((len - at) as u64) as usize;
        match self.below(12) {
            0 | 1 if len > 0 => bytes[at.min(len - 1)] ^= 1 << self.below(8),
            2 if len > 0 => bytes[at.min(len - 1)] = self.next() as u8,
            3 => bytes.truncate(at),
            4 => {
                bytes.drain(at..end);
            }
            5 => {
                let piece = bytes[at..end].to_vec();
                let times = 1 + self.short(64) as usize;
                let piece = piece.repeat(times);
                bytes.splice(at..at, piece.into_iter().take(MOST_BYTES));
            }
            6 => {
                let token = *self.pick(&TOKENS);
                let times = 1 + self.short(32) as usize;
                bytes.splice(at..at, token.repeat(times));
            }
            7 => {
                let token = *self.pick(&TOKENS);
                let end = (at + token.len()).min(len);
                bytes.splice(at..end, token.iter().copied());
            }
            8 | 9 => {
                let number = *self.pick(&NUMBERS);
                let width = 1 << self.below(4);
                let mut written = number.to_le_bytes();
                if self.below(4) == 0 {
                    written.reverse();
                    written.rotate_left(8 - width);
                }
                let end = (at + width).min(len);
                bytes.splice(at..end, written[..width].iter().copied());
            }
            10 => {
                let other = &self.pick(seeds).bytes;
                let from = self.below(other.len() as u64 + 1) as usize;
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            _ => {
                let digits = self.pick(&NUMBERS).to_string();
                bytes.splice(at..end.min(at + digits.len()), digits.bytes());
            }
        }
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// Returns a number below `most`, small ones more often.
    fn short(&mut self, most: u64) -> u64 {
        let most = most.max(1);
        let bits = self.below(u64::from(64 - most.leading_zeros()) + 1);
        self.below((1 << bits.min(62)).min(most))
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most.max(1)
    }

    /// `SplitMix64`, after Steele, Lea, Flood 2014.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
