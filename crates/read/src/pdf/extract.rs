//! The text of a PDF file, in this process.

use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

use super::content::{Content, ContentBudget, Exceeded};
use super::lines::Lines;

/// Takes the text out of a PDF file. The error is the reason, as a lower-case fragment.
pub(super) fn text_of(bytes: Vec<u8>, most_bytes: u64) -> Result<String, String> {
    let n_bytes = bytes.len();
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
            "is PDF that asks for a password".to_owned()
        }
        LoadPdfError::Decryption(_) => "is PDF encrypted in a way that is not read".to_owned(),
        LoadPdfError::Invalid => "is broken PDF: no pages are found".to_owned(),
    })?;
    let mut content = Content::new(ContentBudget::new(n_bytes));
    let mut lines = Lines::new(most_bytes);
    for page in pdf.pages().iter() {
        let shown = content.page(page, &mut lines).and_then(|()| lines.end_page());
        shown.map_err(|exceeded| match exceeded {
            Exceeded::Content => {
                "is PDF whose pages draw the same content over and over".to_owned()
            }
            Exceeded::Text => crate::text::too_large(most_bytes),
        })?;
    }
    Ok(lines.into_text())
}
