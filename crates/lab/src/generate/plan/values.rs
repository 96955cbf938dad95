//! Values of plans: units, places, percentages, ratios and amounts.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::generate::error::GenerateError;

/// Largest part of a containment.
const MOST_RATIO: u32 = 100_000;

/// What a text is taken apart into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Stretches between blank lines.
    #[default]
    Paragraph,
    /// Lines that are not blank.
    Line,
    /// Stretches that end with `.`, `!` or `?` or with their paragraph, by character alone.
    Sentence,
    /// Words as they are compared.
    Word,
    /// Characters; only for counting.
    Character,
}

impl Unit {
    /// Returns the name used in plans, options and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Paragraph => "paragraph",
            Self::Line => "line",
            Self::Sentence => "sentence",
            Self::Word => "word",
            Self::Character => "character",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A place in a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// At its beginning.
    Begin,
    /// In its middle.
    Middle,
    /// At its end.
    End,
    /// Wherever chance will have it.
    #[default]
    Any,
}

impl Place {
    /// Returns the name used in plans, options and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::Middle => "middle",
            Self::End => "end",
            Self::Any => "any",
        }
    }
}

/// A share in hundredths; in files a number or a text such as `25%`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "Number", into = "f64")]
pub struct Percent(f64);

impl Percent {
    /// Makes a percentage; whether it can be used is checked with the plan.
    pub fn new(value: f64) -> Self {
        Self(value)
    }

    /// Returns the number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Returns how many of `n` things it is: rounded half up, at least 1 if both are above 0, and
    /// never more than memory can count.
    ///
    /// ```
    /// use retold_lab::generate::Percent;
    /// assert_eq!(Percent::new(25.0).of(10), 3);
    /// assert_eq!(Percent::new(1.0).of(10), 1);
    /// assert_eq!(Percent::new(0.0).of(10), 0);
    /// ```
    #[expect(clippy::cast_sign_loss, reason = "checked to be at least 0 with the plan")]
    pub fn of(self, n: usize) -> usize {
        if n == 0 || self.0 <= 0.0 {
            return 0;
        }
        // The tiny part makes up for percentages that binary numbers do not hold exactly.
        ((self.0 * n as f64 / 100.0 + 0.5 + 1e-9).floor() as usize).max(1)
    }

    pub(super) fn check(self, name: &str) -> Result<(), GenerateError> {
        self.check_up_to(name, 100.0)
    }

    pub(super) fn check_up_to(self, name: &str, most: f64) -> Result<(), GenerateError> {
        if (0.0..=most).contains(&self.0) {
            return Ok(());
        }
        Err(GenerateError::value(name, &format!("0 to {most} percent"), self.0))
    }
}

impl FromStr for Percent {
    type Err = GenerateError;

    fn from_str(text: &str) -> Result<Self, GenerateError> {
        let number = text.trim().strip_suffix('%').unwrap_or(text).trim();
        let value: f64 = number
            .parse()
            .map_err(|_| GenerateError::value("a percentage", "a number such as 25%", text))?;
        Ok(Self(value))
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.0)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Number(f64),
    Text(String),
}

impl TryFrom<Number> for Percent {
    type Error = GenerateError;

    fn try_from(number: Number) -> Result<Self, GenerateError> {
        match number {
            Number::Number(value) => Ok(Self(value)),
            Number::Text(text) => text.parse(),
        }
    }
}

impl From<Percent> for f64 {
    fn from(percent: Percent) -> Self {
        percent.0
    }
}

/// A ratio of sizes, written `1:10`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Ratio(u32);

impl Ratio {
    /// Makes the ratio of one to `whole`.
    pub fn new(whole: u32) -> Self {
        Self(whole)
    }

    /// Returns how many times the whole is larger than the part.
    pub fn whole(self) -> u32 {
        self.0
    }

    pub(super) fn check(self) -> Result<(), GenerateError> {
        if (1..=MOST_RATIO).contains(&self.0) {
            return Ok(());
        }
        Err(GenerateError::value("a ratio", &format!("1:1 to 1:{MOST_RATIO}"), self))
    }
}

impl FromStr for Ratio {
    type Err = GenerateError;

    fn from_str(text: &str) -> Result<Self, GenerateError> {
        let whole = text.split_once(':').filter(|(part, _)| part.trim() == "1");
        let whole = whole.and_then(|(_, whole)| whole.trim().parse().ok());
        whole.map(Self).ok_or_else(|| GenerateError::value("a ratio", "such as 1:10", text))
    }
}

impl TryFrom<String> for Ratio {
    type Error = GenerateError;

    fn try_from(text: String) -> Result<Self, GenerateError> {
        text.parse()
    }
}

impl From<Ratio> for String {
    fn from(ratio: Ratio) -> Self {
        ratio.to_string()
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1:{}", self.0)
    }
}

/// A number of units between two numbers, both included; in files one number or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Bounds", into = "(u32, u32)")]
pub struct Extent {
    /// At least so many.
    pub least: u32,
    /// At most so many.
    pub most: u32,
}

impl Extent {
    /// Makes an extent of exactly `n`.
    pub fn exactly(n: u32) -> Self {
        Self { least: n, most: n }
    }

    pub(super) fn check(self) -> Result<(), GenerateError> {
        if self.least >= 1 && self.least <= self.most {
            return Ok(());
        }
        Err(GenerateError::value("an amount", "such as 6 or 2-10", self))
    }
}

impl FromStr for Extent {
    type Err = GenerateError;

    fn from_str(text: &str) -> Result<Self, GenerateError> {
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let found = match text.split_once('-') {
            Some((least, most)) => number(least).zip(number(most)),
            None => number(text).map(|n| (n, n)),
        };
        found
            .map(|(least, most)| Self { least, most })
            .ok_or_else(|| GenerateError::value("an amount", "such as 6 or 2-10", text))
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.least == self.most {
            return write!(f, "{}", self.least);
        }
        write!(f, "{}-{}", self.least, self.most)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Bounds {
    One(u32),
    Two(u32, u32),
    Text(String),
}

impl TryFrom<Bounds> for Extent {
    type Error = GenerateError;

    fn try_from(bounds: Bounds) -> Result<Self, GenerateError> {
        match bounds {
            Bounds::One(n) => Ok(Self::exactly(n)),
            Bounds::Two(least, most) => Ok(Self { least, most }),
            Bounds::Text(text) => text.parse(),
        }
    }
}

impl From<Extent> for (u32, u32) {
    fn from(extent: Extent) -> Self {
        (extent.least, extent.most)
    }
}
