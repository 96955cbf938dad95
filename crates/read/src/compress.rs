//! Compressed streams: gzip, zstd, xz, bzip2 and brotli, opened one inside the other as far as limits
//! allow. Brotli has no mark at its beginning, so only the name of the file tells it.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::GzDecoder;
use liblzma::read::XzDecoder;

use crate::options::Limits;
use crate::stream::{Stream, past};

/// Largest zstd window, as a power of two: 128 MiB.
const ZSTD_WINDOW_LOG: u32 = 27;
/// Memory of an xz decoder: a window of 128 MiB and what goes with it.
const XZ_BYTES: u64 = 192 << 20;
/// Decompressed bytes up to which the ratio is not checked: a small file of zeros does no harm.
const RATIO_FROM: u64 = 1 << 20;

/// How a stream is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Gzip,
    Zstd,
    Xz,
    Bzip2,
    Brotli,
}

impl Compression {
    /// All of them.
    const ALL: [Self; 5] = [Self::Gzip, Self::Zstd, Self::Xz, Self::Bzip2, Self::Brotli];

    /// Returns the ending that the name of a file gets that is written so.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
            Self::Xz => ".xz",
            Self::Bzip2 => ".bz2",
            Self::Brotli => ".br",
        }
    }

    /// Tells compression from the first bytes, and from the name where these cannot say.
    pub(crate) fn shown_by(head: &[u8], name: &str) -> Option<Self> {
        match head {
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            // Frames, and the skippable frames that may stand before them.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            // A block, or the end of a stream without any.
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => {
                Some(Self::Bzip2)
            }
            [_, ..] if name.strip_suffix(".br").is_some() => Some(Self::Brotli),
            _ => None,
        }
    }

    /// Returns the name used in messages and manifests.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Xz => "xz",
            Self::Bzip2 => "bzip2",
            Self::Brotli => "brotli",
        }
    }

    /// Returns the name without the ending that compression added.
    pub(crate) fn inner_name(self, name: &str) -> &str {
        let endings: &[&str] = match self {
            Self::Gzip => &[".gz", ".gzip"],
            Self::Zstd => &[".zst", ".zstd"],
            Self::Xz => &[".xz"],
            Self::Bzip2 => &[".bz2", ".bzip2"],
            Self::Brotli => &[".br"],
        };
        endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
    }

    /// Opens a compressed stream; the ratio can be raised once it is known what it holds.
    pub(crate) fn open(self, stream: Stream, limits: &Limits) -> io::Result<(Stream, Ratio)> {
        let (counted, taken) = Counted::new(stream);
        let decoder: Box<dyn Read + Send> = match self {
            Self::Gzip => Box::new(Members::new(BufReader::with_capacity(64 << 10, counted))),
            Self::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::new(counted)?;
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Box::new(decoder)
            }
            Self::Xz => {
                let flags = liblzma::stream::CONCATENATED;
                let stream = liblzma::stream::Stream::new_stream_decoder(XZ_BYTES, flags)?;
                Box::new(XzDecoder::new_stream(counted, stream))
            }
            Self::Bzip2 => {
                let buffered = BufReader::with_capacity(64 << 10, counted);
                Box::new(bzip2::bufread::MultiBzDecoder::new(buffered))
            }
            // A window has 16 MiB at most; larger ones are an extension that is not asked for.
            Self::Brotli => Box::new(brotli::Decompressor::new(counted, 64 << 10)),
        };
        let ratio = Ratio::new(limits.ratio);
        Ok((Stream::new(Inflated::new(decoder, taken, ratio.clone())), ratio))
    }
}

/// Returns the name of a [copied](crate::copy_kept) file without the ending of its compression.
///
/// ```
/// assert_eq!(retold_read::uncompressed_name("news.jsonl.bz2"), "news.jsonl");
/// assert_eq!(retold_read::uncompressed_name("news.csv"), "news.csv");
/// ```
pub fn uncompressed_name(name: &str) -> &str {
    Compression::ALL
        .into_iter()
        .find_map(|compression| name.strip_suffix(compression.ending()))
        .unwrap_or(name)
}

/// The members of a gzip stream, one behind the other.
///
/// Zeros after the last member are padding, as tapes and block devices leave it; gzip(1) ignores
/// them too.
struct Members<R> {
    /// The member being read; `None` at the end.
    decoder: Option<GzDecoder<R>>,
}

impl<R: BufRead> Members<R> {
    fn new(inner: R) -> Self {
        Self { decoder: Some(GzDecoder::new(inner)) }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.decoder {
            let n = decoder.read(buffer)?;
            if n > 0 || buffer.is_empty() {
                return Ok(n);
            }
            let Some(decoder) = self.decoder.take() else { break };
            let mut inner = decoder.into_inner();
            let mut is_padded = false;
            loop {
                let ahead = inner.fill_buf()?;
                if ahead.is_empty() {
                    return Ok(0);
                }
                let zeros = ahead.iter().take_while(|&&byte| byte == 0).count();
                if zeros == 0 {
                    break;
                }
                is_padded = true;
                inner.consume(zeros);
            }
            if is_padded {
                let reason = "something follows the zeros after the last gzip member";
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
            self.decoder = Some(GzDecoder::new(inner));
        }
        Ok(0)
    }
}

/// A reader that says how much was taken from it.
pub(crate) struct Counted<R> {
    inner: R,
    taken: Arc<AtomicU64>,
}

impl<R> Counted<R> {
    pub(crate) fn new(inner: R) -> (Self, Arc<AtomicU64>) {
        let taken = Arc::<AtomicU64>::default();
        (Self { inner, taken: Arc::clone(&taken) }, taken)
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.taken.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// How many bytes one compressed byte may become.
#[derive(Clone, Debug)]
pub(crate) struct Ratio(Arc<AtomicU64>);

impl Ratio {
    pub(crate) fn new(ratio: u64) -> Self {
        Self(Arc::new(AtomicU64::new(ratio)))
    }

    /// Allows ten times as much, for collections.
    ///
    /// Versions of one text compress far better than one text does (a set of terms of service:
    /// 153 to 1), and the records of a stream are bounded one by one; what is left to stop is a
    /// stream without end.
    pub(crate) fn raise(&self) {
        let ratio = self.0.load(Ordering::Relaxed);
        self.0.store(ratio.saturating_mul(10), Ordering::Relaxed);
    }
}

/// Decompressed bytes, stopped when they grow out of proportion to what went in.
pub(crate) struct Inflated<R> {
    inner: R,
    taken: Arc<AtomicU64>,
    given: u64,
    ratio: Ratio,
}

impl<R> Inflated<R> {
    pub(crate) fn new(inner: R, taken: Arc<AtomicU64>, ratio: Ratio) -> Self {
        Self { inner, taken, given: 0, ratio }
    }
}

impl<R: Read> Read for Inflated<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.given += n as u64;
        let ratio = self.ratio.0.load(Ordering::Relaxed);
        let most = self.taken.load(Ordering::Relaxed).saturating_mul(ratio);
        if self.given > RATIO_FROM && self.given > most {
            return Err(past(format!(
                "decompresses to more than {ratio} times its size (`ratio`)"
            )));
        }
        Ok(n)
    }
}

/// Bytes of archive members, counted together against one limit.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    used: Arc<AtomicU64>,
    limit: u64,
}

impl Budget {
    pub(crate) fn new(limit: u64) -> Self {
        Self { used: Arc::default(), limit }
    }

    /// Wraps the stream of one member.
    pub(crate) fn bound<R: Read>(&self, inner: R) -> Budgeted<R> {
        Budgeted { inner, budget: self.clone() }
    }
}

/// A member's bytes under the archive's budget.
pub(crate) struct Budgeted<R> {
    inner: R,
    budget: Budget,
}

impl<R: Read> Read for Budgeted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        let used = self.budget.used.fetch_add(n as u64, Ordering::Relaxed) + n as u64;
        if used > self.budget.limit {
            let limit = self.budget.limit;
            return Err(past(format!(
                "the archive holds more than {limit} bytes (`archive_bytes`)"
            )));
        }
        Ok(n)
    }
}
