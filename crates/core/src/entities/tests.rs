use proptest::prelude::*;

use super::*;
use crate::clean::language::Language;

/// Rules of the thesis, and the names given here.
fn turkish(names: &[(Category, &str)]) -> Knowledge {
    let rules = Knowledge::bundled(Some(Language::TURKISH)).rules().clone();
    let mut gazetteer = Gazetteer::new(Language::TURKISH);
    for &(category, name) in names {
        gazetteer.add(category, name);
    }
    Knowledge::new(rules, gazetteer)
}

/// Entities as `category text how`, in order.
fn shown(text: &str, knowledge: &Knowledge, options: Options) -> Vec<String> {
    let found = recognise(text, knowledge, options);
    let show = |entity: &Entity| {
        let words = found.cut_form(text, entity.words.clone());
        format!("{} {words} {}", entity.category, entity.how)
    };
    found.entities.iter().map(show).collect()
}

fn english(text: &str) -> Vec<String> {
    shown(text, &Knowledge::bundled(Some(Language::ENGLISH)), Options::default())
}

fn run_forms(text: &str, knowledge: &Knowledge) -> Vec<String> {
    let found = recognise(text, knowledge, Options::default());
    found.runs.iter().map(|run| found.cut_form(text, run.words.clone())).collect()
}

#[test]
fn runs_and_entities_are_those_of_the_specification() {
    // T-NE.
    use Category::{Location, Person};
    let knowledge =
        turkish(&[(Location, "Ankara"), (Location, "Mersin"), (Person, "Elif"), (Person, "Kaya")]);
    let text = "Sayın Elif Kaya dün Ankara'da Demir Bankası önünde konuştu. Mersin \
                Üniversitesi'nde toplantı var. Demir sonra açıklama yaptı.";
    assert_eq!(
        run_forms(text, &knowledge),
        ["Sayın Elif Kaya", "Ankara Demir Bankası", "Mersin Üniversitesi", "Demir"]
    );
    assert_eq!(
        shown(text, &knowledge, Options::default()),
        [
            "person Elif Kaya rule",
            "organisation Ankara Demir Bankası rule",
            "location Ankara gazetteer",
            "organisation Mersin Üniversitesi rule",
            "location Mersin gazetteer",
            "organisation Demir partial",
        ]
    );
    let without = Options { partial: false, ..Options::default() };
    assert_eq!(shown(text, &knowledge, without).len(), 5);
    assert!(!recognise(text, &knowledge, without).runs[3].is_classified());
}

#[test]
fn the_lists_of_the_thesis_are_all_there() {
    // E7: 66 location suffixes are announced, 65 printed, one of them twice; and our alias.
    let knowledge = Knowledge::bundled(Some(Language::TURKISH));
    let n = |list| knowledge.rules().len(list);
    assert_eq!(n(List::PersonPrefix), 16);
    assert_eq!(n(List::PersonSuffix), 5);
    assert_eq!(n(List::LocationSuffix), 64 + 1);
    assert_eq!(n(List::OrganisationSuffix), 39);
    assert_eq!(n(List::Joiner) + n(List::Abbreviation), 0, "runs are those of the thesis");
}

#[test]
fn the_bundled_gazetteers_are_read() {
    for (language, least) in [(Language::TURKISH, 30_000), (Language::ENGLISH, 2_500)] {
        let knowledge = Knowledge::bundled(Some(language));
        assert!(knowledge.gazetteer().len() > least, "{}", knowledge.gazetteer().len());
    }
    let none = Knowledge::bundled(Language::parse("de"));
    assert!(none.gazetteer().is_empty() && none.rules().is_empty());
}

#[test]
fn a_prime_minister_ends_a_place_and_begins_a_person() {
    let text = "dün İngiltere Başbakanı Tony Blair geldi";
    assert_eq!(
        shown(text, &turkish(&[]), Options::default()),
        ["location İngiltere rule", "person Tony Blair rule"]
    );
    // Without a place before it, it is a title like others.
    assert_eq!(shown("Başbakanı Blair", &turkish(&[]), Options::default()), ["person Blair rule"]);
}

#[test]
fn a_centre_is_a_place() {
    let text = "Atatürk Kültür Merkezi";
    assert_eq!(
        shown(text, &turkish(&[]), Options::default()),
        ["location Atatürk Kültür Merkezi rule"]
    );
    for farm in ["Gazi Çiftliği", "Gazi Çifliği"] {
        let found = shown(farm, &turkish(&[]), Options::default());
        assert_eq!(found, [format!("location {farm} rule")]);
    }
}

#[test]
fn a_name_begins_behind_the_last_rule_hit() {
    let text = "Konak Meydanı Ziraat Bankası Şubesi Müdürü Demir";
    assert_eq!(
        shown(text, &turkish(&[]), Options::default()),
        ["location Konak Meydanı rule", "organisation Ziraat Bankası rule", "person Demir rule"]
    );
    let bare = Options { bare_suffixes: true, ..Options::default() };
    assert_eq!(shown(text, &turkish(&[]), bare)[2], "organisation Şubesi rule");
}

#[test]
fn titles_stand_outside_of_names() {
    let none = turkish(&[]);
    for (text, expected) in [
        ("Sayın Başbakan Demir", vec!["person Demir rule"]),
        ("Ahmet Kaya Bey", vec!["person Ahmet Kaya rule"]),
        ("Sayın Ahmet Bey Vali Kaya", vec!["person Ahmet rule", "person Kaya rule"]),
        ("Sayın", vec![]),
        ("Demir Vali Kaya", vec!["person Kaya rule"]),
    ] {
        assert_eq!(shown(text, &none, Options::default()), expected, "{text}");
    }
    // What stands before a title is dropped unless the gazetteer has it.
    let known = turkish(&[(Category::Person, "Demir")]);
    assert_eq!(
        shown("Demir Vali Kaya", &known, Options::default()),
        ["person Demir gazetteer", "person Kaya rule"]
    );
}

#[test]
fn the_longest_name_comes_first_and_neighbours_are_one_person() {
    use Category::{Location, Person};
    let knowledge = turkish(&[
        (Location, "Yeni"),
        (Location, "Yeni Delhi"),
        (Location, "Delhi Caddesi Sonu"),
        (Person, "Elif"),
        (Person, "Kaya"),
    ]);
    let found = |text| shown(text, &knowledge, Options::default());
    assert_eq!(found("Yeni Delhi"), ["location Yeni Delhi gazetteer"]);
    assert_eq!(
        found("Yeni Yeni Delhi"),
        ["location Yeni gazetteer", "location Yeni Delhi gazetteer"]
    );
    assert_eq!(
        found("Yeni Delhi Caddesi Sonu"),
        [
            "location Yeni Delhi Caddesi rule",
            "location Yeni gazetteer",
            "location Delhi Caddesi Sonu gazetteer"
        ]
    );
    assert_eq!(found("Elif Kaya Su Kaya"), ["person Elif Kaya gazetteer", "person Kaya gazetteer"]);
}

#[test]
fn punctuation_and_blank_lines_end_a_run_and_apostrophes_do_not() {
    let none = turkish(&[]);
    assert_eq!(
        run_forms("Ankara'nın Çankaya’da 'Demir Kapı' Ada\nSu, Taş-Kum; bir Ev\n\nHan", &none),
        ["Ankara Çankaya Demir Kapı Ada Su", "Taş", "Kum", "Ev", "Han"]
    );
    assert_eq!(run_forms("küçük harfler 13 var", &none), [""; 0]);
}

#[test]
fn letters_are_cased_as_turkish() {
    let knowledge = turkish(&[(Category::Location, "Iğdır"), (Category::Location, "İzmir")]);
    let found = |text| shown(text, &knowledge, Options::default());
    assert_eq!(found("IĞDIR ve İZMİR"), ["location IĞDIR gazetteer", "location İZMİR gazetteer"]);
    assert!(found("Igdir").is_empty());
}

#[test]
fn the_latest_entity_gives_a_part_its_category() {
    let knowledge = turkish(&[]);
    let text = "Demir Bankası açıldı. Sonra Sayın Ali Demir geldi. Demir konuştu. Ali Kaya gitti.";
    let found = shown(text, &knowledge, Options::default());
    assert_eq!(found[2..], ["person Demir partial"]);
}

#[test]
fn words_in_capitals_are_met_in_capitals_only() {
    assert_eq!(english("Who said that the WHO knew?"), ["organisation WHO gazetteer"]);
    assert_eq!(english("It hurt Us and the US."), ["location US gazetteer"]);
}

#[test]
fn english_runs_know_abbreviations_joiners_and_particles() {
    let knowledge = Knowledge::bundled(Some(Language::ENGLISH));
    assert_eq!(
        run_forms(
            "the U.S. and Mr. O'Neill's Bank of England, AT&T, Charles de Gaulle of the Rolls-Royce - Ltd",
            &knowledge
        ),
        ["U S", "Mr O'Neill Bank of England", "AT T", "Charles de Gaulle", "Rolls Royce", "Ltd"]
    );
}

#[test]
fn english_names_are_found() {
    for (text, expected) in [
        ("in the U.S. today", vec!["location U S gazetteer"]),
        (
            "when Treasury Secretary James Baker said",
            vec!["organisation Treasury gazetteer", "person James Baker rule"],
        ),
        (
            "the Bank of Japan Governor Satoshi Sumita",
            vec![
                "organisation Bank of Japan rule",
                "location Japan gazetteer",
                "person Satoshi Sumita rule",
            ],
        ),
        ("that Secretary of State George Shultz met", vec!["person George Shultz gazetteer"]),
        ("at Allied Widgets Inc", vec!["organisation Allied Widgets Inc rule"]),
        ("along the Hudson River", vec!["location Hudson River rule"]),
        ("Showers continued throughout the week", vec![]),
        (
            "The Bank of England acted. The market fell. England won.",
            vec![
                "organisation Bank of England rule",
                "location England gazetteer",
                "location England gazetteer",
            ],
        ),
        ("for the Department of State", vec!["organisation Department of State rule"]),
    ] {
        assert_eq!(english(text), expected, "{text}");
    }
}

/// Entities by the extended rules, in order.
fn extended(text: &str) -> Vec<String> {
    shown(text, &Knowledge::bundled(Some(Language::TURKISH)), Options::default())
}

#[test]
fn what_stands_around_a_name_tells_what_it_is() {
    for (text, expected) in [
        (
            "Toplantıda belediye başkanı Selmun Torkavi ve teknik direktör Bravinko konuştu.",
            vec!["person Selmun Torkavi rule", "person Bravinko rule"],
        ),
        (
            "Sonra Torkav ilçesinde, Bravin gazetesinin haberine göre, kar yağdı.",
            vec!["location Torkav context", "organisation Bravin context"],
        ),
        ("Kazada Selmun Torkavi (34) yaralandı.", vec!["person Selmun Torkavi context"]),
        (
            "Takımda Elif, Bravinka, Ayşe ve Torkina oynadı.",
            vec![
                "person Elif gazetteer",
                "person Bravinka context",
                "person Ayşe gazetteer",
                "person Torkina context",
            ],
        ),
        (
            "Tütün Kurumu (TXKQ) karar aldı.",
            vec!["organisation Tütün Kurumu rule", "organisation TXKQ context"],
        ),
    ] {
        assert_eq!(extended(text), expected, "{text}");
    }
}

#[test]
fn a_name_ends_at_an_apostrophe_and_goes_on_over_small_words_and_numbers() {
    for (text, expected) in [
        (
            "Dün Bursa'nın Orhangazi İlçesi'nde bir toplantı yapıldı.",
            vec![
                "location Bursa gazetteer",
                "location Orhangazi İlçesi rule",
                "location Orhangazi gazetteer",
            ],
        ),
        (
            "Dün Derince Eğitim ve Araştırma Hastanesi önünde toplandılar.",
            vec![
                "organisation Derince Eğitim ve Araştırma Hastanesi rule",
                "location Derince gazetteer",
            ],
        ),
        (
            "Dava Ankara 20. Asliye Hukuk Mahkemesi'nde görüldü.",
            vec!["organisation Ankara 20 Asliye Hukuk Mahkemesi rule", "location Ankara gazetteer"],
        ),
        (
            "Toplantıya Alex de Souza ile Visam el-Hasan katıldı.",
            vec!["person Alex de Souza gazetteer", "person Visam el Hasan gazetteer"],
        ),
        ("Sonra Güneydoğu Anadolu'da kar yağdı.", vec!["location Güneydoğu Anadolu gazetteer"]),
        ("Ekipler Anadolu yolunda bekledi.", vec!["location Anadolu gazetteer"]),
    ] {
        assert_eq!(extended(text), expected, "{text}");
    }
}

#[test]
fn the_full_stop_of_an_initial_belongs_to_a_person() {
    let text = "Kazada Mahmut E. yaralandı. Sonra E.C. gözaltına alındı.";
    let found = recognise(text, &Knowledge::bundled(Some(Language::TURKISH)), Options::default());
    let spans: Vec<&str> = found.entities.iter().filter_map(|e| e.span.of(text)).collect();
    assert_eq!(spans, ["Mahmut E.", "E.C."]);
}

#[test]
fn ordinary_words_in_capitals_were_taken_for_persons() {
    assert!(extended("Nadir görülen bir olay. NADİR bir olay daha oldu.").is_empty());
    assert!(
        extended("Takım, Ziraat Türkiye Kupası'nda Dünya Torkav Kupası'nı kazandı.").is_empty()
    );
    assert_eq!(extended("Haber CİHAN için yazıldı."), ["organisation CİHAN gazetteer"]);
}

#[test]
fn a_family_name_is_known_before_the_full_name() {
    let text = "Torkavi'den iyi haber\nDünkü maçta Kemal Torkavi iki gol attı.";
    assert_eq!(extended(text), ["person Torkavi partial", "person Kemal Torkavi gazetteer"]);
    let thesis = Options { extended: false, ..Options::default() };
    let knowledge = Knowledge::bundled(Some(Language::TURKISH));
    assert_eq!(shown(text, &knowledge, thesis), ["person Kemal gazetteer"]);
}

#[test]
fn an_office_is_no_organisation() {
    let text = "Dışişleri Bakanı Selmun Torkavi ile İçişleri Bakanlığı yetkilileri geldi.";
    assert_eq!(
        extended(text),
        ["person Selmun Torkavi rule", "organisation İçişleri Bakanlığı rule"]
    );
}

#[test]
fn a_larger_size_has_all_names_of_a_smaller_one() {
    let n = |size| Knowledge::of_size(Some(Language::TURKISH), size).gazetteer().len();
    let [small, middle, full] = Size::ALL.map(n);
    assert!(
        small > 32_000 && middle > small + 30_000 && full > middle + 5_000,
        "{small} {middle} {full}"
    );
}

#[test]
fn words_that_are_known_give_the_same_as_those_that_are_found() {
    let text = "Dün Ankara'da Sayın Elif Kaya ile Visam el-Hasan (34), E.C. ve TBMM üyeleri vardı.";
    let mut words = Vec::new();
    let folding = crate::segment::words::Folding::Turkic;
    let each = |_, span| words.push(span);
    crate::segment::words::each_word(text, folding, false, 0, usize::MAX, each);
    let knowledge = Knowledge::bundled(Some(Language::TURKISH));
    for extended in [false, true] {
        let options = Options { extended, ..Options::default() };
        let found = recognise_among(text, &words, &knowledge, options);
        assert_eq!(found, recognise(text, &knowledge, options));
        assert!(!found.entities.is_empty());
    }
}

#[test]
fn a_faulty_table_is_refused_with_its_line() {
    let error = |table| Rules::parse(table, Language::ENGLISH).err().map(|e| e.to_string());
    assert_eq!(error("list\tword\n# comment\n\nperson_prefix\tMr\n"), None);
    assert_eq!(
        error("person_prefix\tMr\nBey").as_deref(),
        Some("line 2: expected `list<TAB>word`, got `Bey`")
    );
    let known = error("title\tMr").unwrap_or_default();
    assert!(known.starts_with("line 1: there is no list `title`; known: person_prefix, "));
    let error = Gazetteer::parse("place\tRome", Language::ENGLISH).err().map(|e| e.to_string());
    assert_eq!(
        error.as_deref(),
        Some("line 1: there is no category `place`; known: location, organisation, person")
    );
}

#[test]
fn a_text_all_in_capitals_is_read_in_linear_time() {
    let text = "Ankara Kaya Demir ".repeat(50_000);
    let found = recognise(&text, &Knowledge::bundled(Some(Language::TURKISH)), Options::default());
    assert_eq!(found.runs.len(), 1);
    assert_eq!(found.words.len(), 150_000);
}

proptest! {
    #[test]
    fn any_text_is_read_and_spans_fit(
        text in "([A-Da-d'. \n&’-]|Bank|of|Bey|Başbakanı|Caddesi|Üniversitesi|\\PC){0,60}"
    ) {
        for language in [Language::TURKISH, Language::ENGLISH] {
            let found = recognise(&text, &Knowledge::bundled(Some(language)), Options::default());
            for run in &found.runs {
                prop_assert!(run.span.of(&text).is_some() && !run.words.is_empty());
            }
            for entity in &found.entities {
                prop_assert!(entity.span.of(&text).is_some_and(|form| !form.is_empty()));
                let run = found.runs.iter().find(|run| run.words.contains(&entity.words.start));
                prop_assert!(run.is_some_and(|run| entity.words.end <= run.words.end));
            }
        }
    }
}
