//! Reads PDF for another program, within limits: see `PdfHelper`.

fn main() -> std::io::Result<()> {
    retold_read::serve_pdf()
}
