//! Which language a text is in, and the one thing casing must know about it.
//!
//! `whatlang` tells 70 languages and says when it is not sure. `whichlang` is some ten times
//! faster but tells 16 and always answers: a Polish or Azeri text would get the stop words of
//! another language. Detection reads the beginning of a text only, and runs only if a run asks
//! for stop words or stems without naming a language.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use whatlang::Lang;

use super::char_floor;

/// How much of a text is read to tell its language.
const PREFIX_BYTES: usize = 2048;

/// A language by its ISO 639 code, two letters if it has such a code, else three.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Language([u8; 3]);

impl Language {
    /// English.
    pub const ENGLISH: Self = Self(*b"en\0");
    /// Turkish.
    pub const TURKISH: Self = Self(*b"tr\0");
    /// Azerbaijani.
    pub const AZERBAIJANI: Self = Self(*b"az\0");

    /// Reads a code such as `tr`, `tur`, `TR` or `tr-TR`; `None` if it does not begin with two or
    /// three letters.
    ///
    /// ```
    /// use retold_core::clean::language::Language;
    /// let codes = ["tr", "tur", "tr-TR", "TR_tr"].map(|code| Language::parse(code));
    /// assert_eq!(codes, [Some(Language::TURKISH); 4]);
    /// ```
    pub fn parse(code: &str) -> Option<Self> {
        let primary = code.split(['-', '_']).next()?.to_ascii_lowercase();
        if !(2..=3).contains(&primary.len()) || !primary.bytes().all(|b| b.is_ascii_lowercase()) {
            return None;
        }
        let known = CODES.iter().find(|codes| codes.contains(&primary.as_str()));
        let code = known.map_or(primary.as_str(), |codes| codes[0]);
        let mut bytes = [0; 3];
        bytes[..code.len()].copy_from_slice(code.as_bytes());
        Some(Self(bytes))
    }

    /// Returns the code in lower case.
    #[expect(clippy::expect_used, reason = "a language is made of such a code")]
    pub fn code(&self) -> &str {
        let len = if self.0[2] == 0 { 2 } else { 3 };
        std::str::from_utf8(&self.0[..len]).expect("codes are ASCII letters")
    }

    /// Returns whether I is the capital of ı, and İ that of i.
    pub fn has_dotless_i(self) -> bool {
        self == Self::TURKISH || self == Self::AZERBAIJANI
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Language({})", self.code())
    }
}

/// A language code that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("language must be a code such as `tr` or `tr-TR`, got `{0}`")]
pub struct UnknownCode(String);

impl FromStr for Language {
    type Err = UnknownCode;

    fn from_str(code: &str) -> Result<Self, UnknownCode> {
        Self::parse(code).ok_or_else(|| UnknownCode(code.to_owned()))
    }
}

impl TryFrom<String> for Language {
    type Error = UnknownCode;

    fn try_from(code: String) -> Result<Self, UnknownCode> {
        code.parse()
    }
}

impl From<Language> for String {
    fn from(language: Language) -> Self {
        language.code().to_owned()
    }
}

/// Tells the language of a text from its beginning, or `None` if that is too short or unclear.
pub fn detect(text: &str) -> Option<Language> {
    let prefix = &text[..char_floor(text, PREFIX_BYTES)];
    let info = whatlang::detect(prefix).filter(whatlang::Info::is_reliable)?;
    match info.lang() {
        // Bokmål, under the code that word lists are kept by.
        Lang::Nob => Language::parse("no"),
        lang => Language::parse(lang.code()),
    }
}

/// Returns whether the text has a dotless ı or a dotted İ, and so is to be cased as Turkish when
/// nobody says what language it is in.
///
/// Looks at nothing but the lead byte of the two: a text without one costs a `memchr`.
pub fn is_turkic(text: &str) -> bool {
    const LEAD: u8 = 0xC4;
    const CAPITAL_DOTTED: u8 = 0xB0;
    const SMALL_DOTLESS: u8 = 0xB1;
    let bytes = text.as_bytes();
    memchr::memchr_iter(LEAD, bytes)
        .any(|at| matches!(bytes.get(at + 1), Some(&(CAPITAL_DOTTED | SMALL_DOTLESS))))
}

/// Returns whether a language given by its code, such as `tr`, `tur` or `az-Latn`, is cased with
/// I as the capital of ı.
pub fn has_turkic_case(code: &str) -> bool {
    // PERF: asked for every document, and all codes of the two languages begin with these letters.
    let may_have = code.starts_with(['a', 'A', 't', 'T']);
    may_have && Language::parse(code).is_some_and(Language::has_dotless_i)
}

/// ISO 639: the two-letter code, the three-letter one, and the bibliographic one where it differs.
const CODES: &[&[&str]] = &[
    &["af", "afr"],
    &["ak", "aka"],
    &["am", "amh"],
    &["ar", "ara", "arb"],
    &["az", "aze", "azj", "azb"],
    &["be", "bel"],
    &["bg", "bul"],
    &["bn", "ben"],
    &["br", "bre"],
    &["ca", "cat"],
    &["cs", "ces", "cze"],
    &["cy", "cym", "wel"],
    &["da", "dan"],
    &["de", "deu", "ger"],
    &["el", "ell", "gre"],
    &["en", "eng"],
    &["eo", "epo"],
    &["es", "spa"],
    &["et", "est", "ekk"],
    &["eu", "eus", "baq"],
    &["fa", "fas", "per", "pes"],
    &["fi", "fin"],
    &["fr", "fra", "fre"],
    &["ga", "gle"],
    &["gl", "glg"],
    &["gu", "guj"],
    &["ha", "hau"],
    &["he", "heb", "iw"],
    &["hi", "hin"],
    &["hr", "hrv"],
    &["hu", "hun"],
    &["hy", "hye", "arm"],
    &["id", "ind", "in"],
    &["is", "isl", "ice"],
    &["it", "ita"],
    &["ja", "jpn"],
    &["jv", "jav"],
    &["ka", "kat", "geo"],
    &["kk", "kaz"],
    &["km", "khm"],
    &["kn", "kan"],
    &["ko", "kor"],
    &["ku", "kur", "kmr"],
    &["ky", "kir"],
    &["la", "lat"],
    &["lo", "lao"],
    &["lt", "lit"],
    &["lv", "lav", "lvs"],
    &["mk", "mkd", "mac"],
    &["ml", "mal"],
    &["mn", "mon", "khk"],
    &["mr", "mar"],
    &["ms", "msa", "may", "zsm"],
    &["my", "mya", "bur"],
    &["ne", "nep", "npi"],
    &["nl", "nld", "dut"],
    &["no", "nor", "nb", "nob", "nn", "nno"],
    &["or", "ori", "ory"],
    &["pa", "pan"],
    &["pl", "pol"],
    &["pt", "por"],
    &["ro", "ron", "rum"],
    &["ru", "rus"],
    &["si", "sin"],
    &["sk", "slk", "slo"],
    &["sl", "slv"],
    &["sn", "sna"],
    &["so", "som"],
    &["sq", "sqi", "alb"],
    &["sr", "srp"],
    &["st", "sot"],
    &["sv", "swe"],
    &["sw", "swa", "swh"],
    &["ta", "tam"],
    &["te", "tel"],
    &["th", "tha"],
    &["tk", "tuk"],
    &["tl", "tgl", "fil"],
    &["tr", "tur"],
    &["tt", "tat"],
    &["uk", "ukr"],
    &["ur", "urd"],
    &["uz", "uzb"],
    &["vi", "vie"],
    &["yi", "yid", "ydd"],
    &["yo", "yor"],
    &["zh", "zho", "chi", "cmn"],
    &["zu", "zul"],
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_code_is_read_in_all_its_spellings() {
        for (given, code) in [
            ("tr", "tr"),
            ("tur", "tr"),
            ("tr-TR", "tr"),
            ("az-Latn-AZ", "az"),
            ("aze", "az"),
            ("GER", "de"),
            ("zh_Hant", "zh"),
            ("nb", "no"),
            ("grc", "grc"),
            ("xx", "xx"),
        ] {
            assert_eq!(Language::parse(given).map(|l| l.to_string()).as_deref(), Some(code));
        }
        for given in ["", "t", "turkish", "t1", "-tr", "ığ"] {
            assert_eq!(Language::parse(given), None, "{given}");
        }
    }

    #[test]
    fn only_turkish_and_azeri_have_a_dotless_i() {
        let with = ["tr", "az", "tur", "tr-TR"].map(|code| Language::parse(code).expect("a code"));
        assert!(with.into_iter().all(Language::has_dotless_i));
        assert!(has_turkic_case("tr-TR") && !has_turkic_case("en") && !has_turkic_case(""));
        let without = ["en", "kk", "tt", "uz"].map(|code| Language::parse(code).expect("a code"));
        assert!(!without.into_iter().any(Language::has_dotless_i));
    }

    #[test]
    fn the_name_of_a_refused_code_is_told() {
        let error = serde_json::from_str::<Language>("\"turkish\"").expect_err("not a code");
        assert!(error.to_string().contains("got `turkish`"), "{error}");
        let language: Language = serde_json::from_str("\"tur\"").expect("a code");
        assert_eq!(serde_json::to_string(&language).expect("a string"), "\"tr\"");
    }

    #[test]
    fn common_languages_are_told_apart() {
        for (code, text) in [
            ("en", "The council decided on Monday that the old bridge will be closed for repairs."),
            (
                "tr",
                "Belediye, eski köprünün onarım için pazartesi gününden sonra kapatılacağını açıkladı.",
            ),
            (
                "de",
                "Der Rat beschloss am Montag, dass die alte Brücke wegen Reparaturen gesperrt wird.",
            ),
            ("ru", "Городской совет решил в понедельник закрыть старый мост на ремонт до осени."),
            ("th", "สภาเมืองตัดสินใจเมื่อวันจันทร์ว่าจะปิดสะพานเก่าเพื่อซ่อมแซม"),
            ("ja", "市議会は月曜日、古い橋を修理のために閉鎖することを決めました。"),
            ("zh", "市议会星期一决定关闭旧桥进行维修"),
        ] {
            assert_eq!(detect(text).map(|l| l.to_string()).as_deref(), Some(code), "{text}");
        }
        assert_eq!(detect(""), None);
        assert_eq!(detect("12:30 -- 99 %"), None);
    }

    #[test]
    fn every_detectable_language_has_one_code() {
        for lang in Lang::all() {
            let language = Language::parse(lang.code()).expect("a code of three letters");
            assert_eq!(language.code().len(), 2, "{}", lang.code());
        }
    }

    #[test]
    fn letters_beside_the_dotless_i_do_not_make_a_text_turkic() {
        assert!(is_turkic("kapı") && is_turkic("İzmir"));
        // ğ and ą, ę, ċ share the lead byte; C5 B0 and C3 84 B1 look alike further in.
        assert!(!is_turkic("dağ ąęċ Ű Äİ".trim_end_matches('İ')) && !is_turkic("Istanbul i I"));
        assert!(!is_turkic(""));
    }

    proptest! {
        #[test]
        fn a_text_is_turkic_exactly_if_it_has_one_of_the_two_letters(text in "[aIiıİğĀĿ\u{4C4}]{0,5}") {
            prop_assert_eq!(is_turkic(&text), text.contains(['ı', 'İ']));
        }

        #[test]
        fn detection_never_panics(text in any::<String>()) {
            detect(&text);
        }
    }
}
