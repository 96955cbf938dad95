//! Messages and mailboxes.

use retold_core::clean::{Clean, Text};
use retold_core::document::Markup;
use retold_read::{Limits, ReadOptions};

use crate::common::{read_one, read_one_with};

const MESSAGE: &str = "From: Ann Example <ann@example.org>\r\nTo: bob@example.org\r\nSubject: =?utf-8?q?The_f=C3=A4hre?=\r\n\
    Date: Tue, 3 May 2011 10:00:00 +0200\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=\"b\"\r\n\r\n\
    --b\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
    It was late, caf=E9.\r\n\r\nOn 2 May 2011 Bob wrote:\r\n> was it late?\r\n\r\n\
    --b\r\nContent-Type: text/html\r\n\r\n<p>It was late</p>\r\n--b--\r\n";

#[test]
fn a_message_is_what_its_writer_wrote() {
    for name in ["m.eml", "unnamed"] {
        let outcome = read_one(name, MESSAGE);
        assert_eq!(outcome.kinds, ["eml"], "{}", outcome.reasons());
        let document = &outcome.documents[0];
        assert_eq!(document.markup, Markup::Mail);
        assert_eq!(document.title.as_deref(), Some("The fähre"));
        assert_eq!(document.source.as_deref(), Some("ann@example.org"));
        assert_eq!(document.time.as_deref(), Some("2011-05-03T10:00:00+02:00"));
        assert!(document.text.contains("> was it late?"), "{}", document.text);
        assert_eq!(Text::of(document, Clean::default()).as_str().trim(), "It was late, café.");
    }
}

#[test]
fn html_messages_become_text_with_quotations() {
    let html = "Subject: x\nFrom: a@b.c\nContent-Type: text/html; charset=utf-8\n\n<p>Yes.</p><blockquote type=cite><p>So?</p></blockquote>";
    let outcome = read_one("m.eml", html);
    assert_eq!(outcome.texts(), ["Yes.\n> So?"]);
}

#[test]
fn messages_without_text_are_refused() {
    assert!(read_one("m.eml", "").documents.is_empty());
    let picture =
        "From: a@b.c\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw==\n";
    assert!(read_one("m.eml", picture).reasons().contains("no text"));
}

#[test]
fn mailboxes_are_cut_at_their_from_lines() {
    let mbox = "From a@b.c Tue May  3 10:00:00 2011\nFrom: a@b.c\nSubject: one\n\nfirst\n>From the quay\nFrom there.\n\n\
                From a@b.c Tue May  3 10:00:00 2011\nFrom: a@b.c\nSubject: big\n\nBIG\n\n\
                From a@b.c Tue May  3 10:00:00 2011\r\nSubject: two\r\nFrom: a@b.c\r\n\r\nsecond\r\n";
    let outcome = read_one("unnamed", mbox.replace("BIG", "third"));
    assert_eq!(outcome.kinds, ["mbox"], "{}", outcome.reasons());
    assert_eq!(outcome.texts(), ["first\nFrom the quay\nFrom there.", "third", "second"]);
    assert!(outcome.ids()[2].ends_with("unnamed#2"));

    let limits = Limits { document_bytes: 1_000, ..Limits::default() };
    let options = ReadOptions { limits, ..ReadOptions::default() };
    let outcome = read_one_with("x.mbox", mbox.replace("BIG", &"long ".repeat(1_000)), options);
    assert_eq!(outcome.documents.len(), 2);
    assert_eq!(outcome.bad[0].record, Some(1));
    assert!(outcome.reasons().contains("document_bytes"), "{}", outcome.reasons());
    assert!(read_one("x.mbox", "no mail\n").reasons().contains("no mailbox"));
    assert!(read_one("x.mbox", "\n\n").bad.is_empty());
}
