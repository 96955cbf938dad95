//! Images come back from disks and other processes: bytes that are none are refused, by every
//! method, and never taken for more memory than they could fill.

use retold_core::candidates::Found;
use retold_core::document::{Document, Ordinal};
use retold_core::features::counts::Counts;
use retold_core::features::{Featurizer, TextSettings, Words};
use retold_core::hash::Random;
use retold_core::methods::{Detector, Profile, make, names, text_settings};
use serde_json::Map;

/// Returns a text of so many words in sentences; texts of one seed start alike.
fn text(seed: u64, n_words: usize) -> String {
    let mut random = Random::new(seed);
    let mut out = String::new();
    for i in 0..n_words {
        let number = random.below(400);
        // Some methods look at what stands behind common words.
        if let Some(word) = ["the", "of", "is", "Ankara"].get(number % 12) {
            out.push_str(word);
        } else {
            // In letters: some methods leave out words with digits.
            out.push_str("word");
            out.extend(number.to_string().bytes().map(|digit| char::from(digit + (b'a' - b'0'))));
        }
        out.push_str(if i % 9 == 8 { ". " } else { " " });
    }
    out
}

/// Returns images of texts from a note to an article.
fn images(detector: &dyn Detector, text_settings: TextSettings) -> Vec<Box<[u8]>> {
    let featurizer = Featurizer::new(text_settings, 1);
    let texts = [text(1, 7), text(1, 40), text(1, 300), text(2, 300), text(1, 1500)];
    let documents = texts.map(|text| Document::plain("d", text));
    let (mut words, mut counts) = (Words::default(), Counts::default());
    for document in &documents {
        featurizer.read(document, detector.places(), None, &mut words, |reading, _| {
            let mut features = Vec::new();
            detector.count(reading, &mut |feature| features.push(feature));
            counts.add(features);
        });
    }
    // Some methods leave out what stands in every fifteenth document.
    (0..100).for_each(|_| counts.add([]));
    let image = |document: &Document| {
        featurizer.read(document, detector.places(), Some(&counts), &mut words, |reading, _| {
            detector.image(reading)
        })
    };
    documents.iter().filter_map(image).collect()
}

/// Returns bytes that are no images, or images of something else.
fn damaged(good: &[Box<[u8]>], random: &mut Random) -> Vec<Vec<u8>> {
    let mut out = vec![Vec::new(), vec![0], vec![1], vec![255; 40]];
    // Large numbers where a count may stand.
    for n_before in 0..6 {
        for n_large in 1..=9 {
            let mut bytes = vec![1; 1 + n_before];
            bytes.extend(vec![0xff; n_large]);
            bytes.push(0x7f);
            bytes.extend((0..random.below(30)).map(|_| random.next_u64() as u8));
            out.push(bytes);
        }
    }
    for _ in 0..150 {
        let n = random.below(120);
        let mut bytes = vec![1];
        bytes.extend((0..n).map(|_| random.next_u64() as u8));
        out.push(bytes);
    }
    for image in good {
        let step = image.len() / 40 + 1;
        out.extend((0..image.len()).step_by(step).map(|n| image[..n].to_vec()));
        out.push([image, &[0][..]].concat());
        for _ in 0..60 {
            let mut bytes = image.to_vec();
            for _ in 0..=random.below(3) {
                // The first bytes hold counts and widths.
                let n = if random.below(2) == 0 { bytes.len().min(12) } else { bytes.len() };
                let at = random.below(n);
                bytes[at] = match random.below(3) {
                    0 => 0xff,
                    1 => bytes[at] ^ (1 << random.below(8)),
                    _ => random.next_u64() as u8,
                };
            }
            out.push(bytes);
        }
    }
    out
}

/// Returns the largest size that the address space of the process had, if the system tells.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmPeak:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[test]
fn damaged_images_are_refused_by_every_method() {
    let before = peak_bytes();
    let mut random = Random::new(3);
    for name in names() {
        for profile in Profile::ALL {
            let label = format!("{name}, {}", profile.name());
            let detector = make(name, profile, &Map::new(), 1).expect("defaults are valid");
            let text = text_settings(name, profile).expect("the name is known");
            let good = images(&*detector, text);
            assert!(!good.is_empty(), "{label}");
            let mut window = detector.window();
            for (doc, image) in (0..).zip(&good) {
                assert!(detector.keys(image, &mut |_, _| {}), "{label}");
                window.insert(Ordinal(doc), image).expect("its own image");
            }
            let mut last = Ordinal(good.len() as u32);
            let mut n_refused = 0;
            for bytes in damaged(&good, &mut random) {
                let is_image = detector.keys(&bytes, &mut |_, _| {});
                n_refused += usize::from(!is_image);
                let units = detector.units(&bytes);
                let mut judgements = vec![detector.judge(&bytes, &bytes)];
                for image in &good {
                    judgements.push(detector.judge(image, &bytes));
                    judgements.push(detector.judge(&bytes, image));
                }
                let mut found = Found::default();
                assert_eq!(window.ask(&bytes, last, &mut found).is_ok(), is_image, "{label}");
                assert_eq!(window.insert(last, &bytes).is_ok(), is_image, "{label}");
                if !is_image {
                    assert!(units.is_none() && judgements.iter().all(Option::is_none), "{label}");
                    assert!(found.partners.is_empty(), "{label}");
                    continue;
                }
                // It is the image of another text: everybody may meet it.
                last = Ordinal(last.0 + 1);
                for image in &good {
                    window.ask(image, last, &mut Found::default()).expect("its own image");
                }
                window.remove(Ordinal(last.0 - 1)).expect("it is there");
            }
            assert!(n_refused > 30, "{label}: {n_refused} refused");
        }
    }
    if let (Some(before), Some(after)) = (before, peak_bytes()) {
        assert!(after - before < 512 << 20, "{} MiB more", (after - before) >> 20);
    }
}
