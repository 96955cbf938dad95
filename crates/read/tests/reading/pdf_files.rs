//! PDF files made for tests: sound ones, and ones that mean harm.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::write::{DeflateEncoder, ZlibEncoder};
use flate2::{Compression, FlushCompress, Status};

/// Writes a PDF file object by object.
pub(crate) struct Pdf {
    bytes: Vec<u8>,
    offsets: Vec<usize>,
}

impl Pdf {
    pub(crate) fn new() -> Self {
        Self { bytes: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec(), offsets: Vec::new() }
    }

    /// Adds the next object and returns its number, counted from 1.
    pub(crate) fn object(&mut self, object: impl AsRef<[u8]>) -> usize {
        self.offsets.push(self.bytes.len());
        let number = self.offsets.len();
        self.bytes.extend(format!("{number} 0 obj\n").bytes());
        self.bytes.extend(object.as_ref());
        self.bytes.extend(b"\nendobj\n");
        number
    }

    /// Adds a stream; `entries` are those of its dictionary but for the length.
    pub(crate) fn stream(&mut self, entries: &str, data: impl AsRef<[u8]>) -> usize {
        let data = data.as_ref();
        let mut object = format!("<< {entries} /Length {} >>\nstream\n", data.len()).into_bytes();
        object.extend(data);
        object.extend(b"\nendstream");
        self.object(object)
    }

    /// Ends the file, with object 1 as its root.
    pub(crate) fn end(self, trailer: &str) -> Vec<u8> {
        let Self { mut bytes, offsets } = self;
        let (start, size) = (bytes.len(), offsets.len() + 1);
        let mut table = format!("xref\n0 {size}\n0000000000 65535 f \n");
        for offset in offsets {
            writeln!(table, "{offset:010} 00000 n ").expect("memory");
        }
        write!(
            table,
            "trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n"
        )
        .expect("memory");
        bytes.extend(table.bytes());
        bytes
    }
}

/// Objects 1 to 4: catalogue, pages, one page with content 5, and Helvetica. `more` are further
/// entries of the page's resources.
pub(crate) fn begin(more: &str) -> Pdf {
    let mut pdf = Pdf::new();
    pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
    pdf.object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    pdf.object(format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R \
         /Resources << /Font << /F1 4 0 R >> {more} >> >>"
    ));
    pdf.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
    pdf
}

/// A file of one page that shows `text`.
pub(crate) fn page(text: &str) -> Vec<u8> {
    let mut pdf = begin("");
    pdf.stream("", show(text));
    pdf.end("")
}

/// Operators that show a line of text.
pub(crate) fn show(text: &str) -> String {
    format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET\n")
}

/// Compresses as `FlateDecode` wants it.
pub(crate) fn flate(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).expect("memory");
    encoder.finish().expect("memory")
}

/// Returns `FlateDecode` of `mebibytes` MiB of `unit`, repeated, without making them.
fn bomb(unit: &[u8], mebibytes: usize) -> Vec<u8> {
    let mut block = unit.repeat((1 << 20) / unit.len());
    block.resize(1 << 20, b' ');
    // A full flush ends on a byte and forgets what came before, so the block can be repeated.
    let mut packed = Vec::with_capacity(1 << 16);
    let mut deflate = flate2::Compress::new(Compression::best(), false);
    let status = deflate.compress_vec(&block, &mut packed, FlushCompress::Full).expect("memory");
    assert_eq!(status, Status::Ok);
    let last = DeflateEncoder::new(Vec::new(), Compression::best()).finish().expect("memory");
    [&[0x78, 0xda], packed.repeat(mebibytes).as_slice(), &last, &[0; 4]].concat()
}

/// What reading a file must come to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Comes {
    /// To a document that holds this.
    To(&'static str),
    /// To a refusal that says this.
    Refused(&'static str),
    /// To either.
    ToAnEnd,
}

/// Whether a refusal is one that was expected. On a busy machine time may be over first.
pub(crate) fn is_refusal(reason: &str, why: &str) -> bool {
    reason.contains(why) || reason.contains("takes longer")
}

/// A file and what must come of it.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) comes: Comes,
}

/// Files that mean harm, or are broken, each with what must come of it.
pub(crate) fn bad_files() -> Vec<Case> {
    use Comes::{Refused, To, ToAnEnd};
    let case = |name, bytes, comes| Case { name, bytes, comes };
    let (memory, over) = (Refused("more memory"), Refused("over and over"));
    vec![
        case("a form that draws itself", forms_in_a_ring(1), To("shown by form 0")),
        case("two forms that draw each other", forms_in_a_ring(2), To("shown by form 1")),
        case("pages that are their own parents", pages_in_a_ring(), To("found in the ring")),
        case("a page whose parents are a ring", parents_in_a_ring(), To("found below")),
        case("a map of all codes to text", mapped(&UNICODE_RANGES), ToAnEnd),
        case("a map of all codes to glyphs", encoded_by_ranges(), ToAnEnd),
        case("widths of all glyphs", widths_of_all(), ToAnEnd),
        case("widths told ten thousand times", widths_told_often(), Refused("takes longer")),
        case("forms that double", doubling(40, "(twice) Tj"), over),
        case("forms that double and show nothing", doubling(40, ""), Refused("")),
        case("a stream of 2 GiB in 2 KB", bomb_page(b" ", 2 << 10, 0), memory),
        case("a stream of 7.6 GB in 3 MB", bomb_page(b"q ", 7248, 3 << 20), memory),
        case("a stream of 2 GiB of text", bomb_page(b"(ha) Tj ", 2 << 10, 0), memory),
        case("a font of 2 GiB", bomb_font(), memory),
        case("an object stream of 2 GiB", bomb_objects(), ToAnEnd),
        case("4 MB of saved states", saved_states(2 << 20), To("after all states")),
        case("a page a hundred thousand times", one_content_often(), over),
        case("a letter that is a book", long_letters(), Refused("")),
        case("arrays a million deep", deep("[", "]"), ToAnEnd),
        case("dictionaries half a million deep", deep("<</A", ">>"), ToAnEnd),
        case("content a million arrays deep", deep_content(), ToAnEnd),
        case("a table that leads to itself", table_in_a_ring(), ToAnEnd),
        case("a length that is its own", own_length(), ToAnEnd),
        case("rows of two billion columns", wide_rows(), ToAnEnd),
        case("images without an end", endless_images(), ToAnEnd),
        case("a file that asks for a password", encrypted(), Refused("password")),
        case("a file that breaks off", cut(), ToAnEnd),
        case("noise", noise(), Refused("broken PDF")),
        case("a mark and nothing else", b"%PDF-1.4\n".to_vec(), Refused("broken PDF")),
        case("an empty page", page(""), Refused("holds no text")),
    ]
}

fn forms_in_a_ring(n: usize) -> Vec<u8> {
    let mut pdf = begin("/XObject << /X0 6 0 R >>");
    pdf.stream("", "/X0 Do");
    for i in 0..n {
        let next = 6 + (i + 1) % n;
        pdf.stream(
            &format!(
                "/Type /XObject /Subtype /Form /BBox [0 0 99 99] \
                 /Resources << /Font << /F1 4 0 R >> /XObject << /X {next} 0 R >> >>"
            ),
            format!("BT /F1 12 Tf 72 {} Td (shown by form {i}) Tj ET /X Do /X Do", 700 - 20 * i),
        );
    }
    pdf.end("")
}

fn pages_in_a_ring() -> Vec<u8> {
    let mut pdf = Pdf::new();
    pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
    pdf.object("<< /Type /Pages /Kids [3 0 R 2 0 R] /Count 2 /Parent 3 0 R >>");
    pdf.object("<< /Type /Pages /Kids [2 0 R 4 0 R 3 0 R] /Count 2 /Parent 2 0 R >>");
    pdf.object(
        "<< /Type /Page /Parent 3 0 R /MediaBox [0 0 9 9] /Contents 5 0 R \
         /Resources << /Font << /F1 6 0 R >> >> >>",
    );
    pdf.stream("", show("found in the ring"));
    pdf.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
    pdf.end("")
}

fn parents_in_a_ring() -> Vec<u8> {
    let mut pdf = Pdf::new();
    pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
    pdf.object("<< /Type /Pages /Kids [3 0 R] /Count 1 /Parent 6 0 R >>");
    // Nothing of what a page inherits is there, so all parents are asked.
    pdf.object("<< /Type /Page /Parent 6 0 R /Contents 4 0 R >>");
    pdf.stream("", show("found below"));
    pdf.object("null");
    pdf.object("<< /Type /Pages /Kids [3 0 R] /Parent 7 0 R >>");
    pdf.object("<< /Type /Pages /Kids [3 0 R] /Parent 6 0 R >>");
    pdf.end("")
}

const UNICODE_RANGES: [&str; 2] = [
    "2 beginbfrange <0000> <FFFFFFFF> <0041> <00000000> <FFFFFFFF> <D800DC00> endbfrange",
    "1 beginbfrange <00000000> <FFFFFFFF> [<0041>] endbfrange",
];

/// A font of two-byte codes whose text is told by ranges.
fn mapped(ranges: &[&str]) -> Vec<u8> {
    let map = format!(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange \
         <0000> <FFFFFFFF> endcodespacerange {} endcmap end end",
        ranges.join(" ").repeat(50)
    );
    composite("/Identity-H", &map, "/DW 500")
}

fn encoded_by_ranges() -> Vec<u8> {
    let range = "1 begincidrange <00000000> <FFFFFFFF> 0 endcidrange ";
    let map = format!(
        "begincmap /CMapName /All def 1 begincodespacerange <00000000> <FFFFFFFF> \
         endcodespacerange {} endcmap",
        range.repeat(100)
    );
    composite("9 0 R", &map, "/DW 500")
}

fn widths_of_all() -> Vec<u8> {
    composite("/Identity-H", "begincmap endcmap", "/W [0 4294967295 500]")
}

fn widths_told_often() -> Vec<u8> {
    let widths = "0 60000 500 ".repeat(10_000);
    composite("/Identity-H", "begincmap endcmap", &format!("/W [{widths}]"))
}

/// A page in a font of composite codes; object 9 is the map of its codes.
fn composite(encoding: &str, map: &str, widths: &str) -> Vec<u8> {
    let mut pdf = begin("/Font << /F1 6 0 R >>");
    pdf.stream("", "BT /F1 12 Tf 72 720 Td <00480065006C006C006F0001> Tj ET");
    pdf.object(format!(
        "<< /Type /Font /Subtype /Type0 /BaseFont /Wide /Encoding {encoding} \
         /DescendantFonts [7 0 R] /ToUnicode 9 0 R >>"
    ));
    pdf.object(format!(
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Wide /FontDescriptor 8 0 R {widths} \
         /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>"
    ));
    pdf.object("<< /Type /FontDescriptor /FontName /Wide /Flags 4 >>");
    pdf.stream("/Type /CMap /CMapName /All", map);
    // The later of two entries `Font` of the page's resources may count or not.
    String::from_utf8_lossy(&pdf.end("")).replace("/Font << /F1 4 0 R >> ", "").into_bytes()
}

fn doubling(n: usize, last: &str) -> Vec<u8> {
    let mut pdf = begin("/XObject << /X 6 0 R >>");
    pdf.stream("", "/X Do /X Do");
    for i in 0..n {
        let is_last = i + 1 == n;
        let content =
            if is_last { format!("BT /F1 12 Tf {last} ET") } else { "/X Do /X Do".to_owned() };
        pdf.stream(
            &format!(
                "/Type /XObject /Subtype /Form /BBox [0 0 99 99] \
                 /Resources << /Font << /F1 4 0 R >> /XObject << /X {} 0 R >> >>",
                7 + i
            ),
            content,
        );
    }
    pdf.end("")
}

/// A page whose content is packed twice and becomes MiB after MiB of `unit`.
fn bomb_page(unit: &[u8], mebibytes: usize, n_padding: usize) -> Vec<u8> {
    let mut pdf = begin("");
    pdf.stream("/Filter [/FlateDecode /FlateDecode]", flate(&bomb(unit, mebibytes)));
    pdf.stream("", vec![b'.'; n_padding]);
    pdf.end("")
}

fn bomb_font() -> Vec<u8> {
    let mut pdf = Pdf::new();
    pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
    pdf.object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    pdf.object(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R \
         /Resources << /Font << /F1 4 0 R >> >> >>",
    );
    pdf.object(
        "<< /Type /Font /Subtype /TrueType /BaseFont /Large /FirstChar 32 /LastChar 33 \
         /Widths [500 500] /FontDescriptor 6 0 R >>",
    );
    pdf.stream("", show("in a large font"));
    pdf.object("<< /Type /FontDescriptor /FontName /Large /Flags 4 /FontFile2 7 0 R >>");
    pdf.stream("/Filter [/FlateDecode /FlateDecode]", flate(&bomb(b"glyf", 2 << 10)));
    pdf.end("")
}

/// A file whose table says that the font lies in an object stream, which is a bomb.
fn bomb_objects() -> Vec<u8> {
    let mut pdf = begin("");
    pdf.stream("", show("told by an object"));
    let bomb = bomb(b"0 0 ", 2 << 10);
    pdf.stream(
        "/Type /ObjStm /N 1000000 /First 1 /Filter [/FlateDecode /FlateDecode]",
        flate(&bomb),
    );
    let Pdf { mut bytes, offsets } = pdf;
    let start = bytes.len();
    let mut table = Vec::new();
    let mut row = |kind: u8, offset: usize, third: u8| {
        table.push(kind);
        table.extend((offset as u32).to_be_bytes());
        table.push(third);
    };
    row(0, 0, 255);
    for (i, &offset) in offsets.iter().enumerate() {
        // Object 4, the font, is said to be the first of object 6.
        if i + 1 == 4 { row(2, 6, 0) } else { row(1, offset, 0) }
    }
    row(1, start, 0);
    let mut object = format!(
        "7 0 obj\n<< /Type /XRef /Size 8 /Root 1 0 R /W [1 4 1] /Length {} >>\nstream\n",
        table.len()
    )
    .into_bytes();
    object.extend(table);
    bytes.extend(object);
    bytes.extend(format!("\nendstream\nendobj\nstartxref\n{start}\n%%EOF\n").bytes());
    bytes
}

fn saved_states(n: usize) -> Vec<u8> {
    let mut pdf = begin("");
    pdf.stream("", ["q ".repeat(n), show("after all states")].concat());
    pdf.end("")
}

fn one_content_often() -> Vec<u8> {
    let mut pdf = Pdf::new();
    pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
    pdf.object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    pdf.object(format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents [{}] \
         /Resources << /Font << /F1 4 0 R >> >> >>",
        "5 0 R ".repeat(100_000)
    ));
    pdf.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
    let content = show("once more").repeat(1 << 10);
    pdf.stream("/Filter /FlateDecode", flate(content.as_bytes()));
    pdf.end("")
}

/// A font in which a letter stands for 512 letters, and a page of such letters.
fn long_letters() -> Vec<u8> {
    let map = format!(
        "begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <41> <{}> \
         endbfchar endcmap",
        "0041".repeat(512)
    );
    let mut pdf = begin("/Font << /F1 6 0 R >>");
    let content = format!("BT /F1 12 Tf 72 720 Td ({}) Tj ET", "A".repeat(1 << 20));
    pdf.stream("/Filter /FlateDecode", flate(content.as_bytes()));
    pdf.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R >>");
    pdf.stream("", map);
    replaced(pdf.end(""), b"/Font << /F1 4 0 R >> ", b"                      ")
}

fn replaced(mut bytes: Vec<u8>, what: &[u8], with: &[u8]) -> Vec<u8> {
    let at = bytes.windows(what.len()).position(|window| window == what).expect("it is there");
    bytes[at..at + what.len()].copy_from_slice(with);
    bytes
}

fn deep(open: &str, close: &str) -> Vec<u8> {
    let n = 1_000_000 / open.len();
    let mut pdf = begin("/Deep 6 0 R /Properties 6 0 R");
    pdf.stream("", ["/A /B BDC ", &show("above the depths")].concat());
    pdf.object([open.repeat(n), close.repeat(n)].concat());
    pdf.end("")
}

fn deep_content() -> Vec<u8> {
    let mut pdf = begin("");
    let content = [show("before"), "[".repeat(1 << 20), "(".repeat(1 << 20), show("after")];
    pdf.stream("/Filter /FlateDecode", flate(content.concat().as_bytes()));
    pdf.end("")
}

fn table_in_a_ring() -> Vec<u8> {
    let mut pdf = begin("");
    pdf.stream("", show("in spite of the table"));
    let start: usize = pdf.bytes.len();
    pdf.end(&format!("/Prev {start} /XRefStm {start}"))
}

fn own_length() -> Vec<u8> {
    let mut pdf = begin("");
    let content = show("of any length");
    pdf.object(format!(
        "<< /Length 6 0 R /Filter 6 0 R /DecodeParms 5 0 R >>\nstream\n{content}\nendstream"
    ));
    pdf.object("6 0 R");
    pdf.end("")
}

fn wide_rows() -> Vec<u8> {
    let mut pdf = begin("");
    pdf.stream(
        "/Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns 2147483647 /Colors 2147483647 \
         /BitsPerComponent 16 >>",
        flate(show("in one row").as_bytes()),
    );
    pdf.end("")
}

fn endless_images() -> Vec<u8> {
    let mut pdf = begin("");
    pdf.stream("", [show("before"), "BI /W 1 /H 1 ID EI EIx ".repeat(20_000)].concat());
    pdf.end("")
}

fn encrypted() -> Vec<u8> {
    let mut pdf = begin("");
    pdf.stream("", show("behind a password"));
    pdf.object(format!(
        "<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{}> /U <{}> >>",
        "5a".repeat(32),
        "a5".repeat(32)
    ));
    pdf.end("/Encrypt 6 0 R /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]")
}

fn cut() -> Vec<u8> {
    let mut bytes = page("the beginning is here");
    bytes.truncate(bytes.len() / 2);
    bytes
}

fn noise() -> Vec<u8> {
    let mut draw = Draw(7);
    b"%PDF-1.4\n".iter().copied().chain((0..100_000).map(|_| draw.next() as u8)).collect()
}

/// Numbers that look drawn at random, the same for the same seed (splitmix64).
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}
