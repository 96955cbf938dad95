use super::*;

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn write_result(path: &Path, overwrite: bool, mark: &str) -> Result<(), OutputError> {
    let out = OutputDir::create(path, overwrite)?;
    fs::create_dir(out.path().join("kept")).unwrap();
    fs::write(out.path().join("kept").join("mark.txt"), mark).unwrap();
    Manifest::default().write(out.path()).unwrap();
    out.commit()
}

#[test]
fn nothing_is_seen_under_the_name_before_commit() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("found");
    let out = OutputDir::create(&path, false).unwrap();
    fs::write(out.path().join("pairs.jsonl"), "{}").unwrap();
    assert!(!path.exists());
    assert!(names(parent.path())[0].starts_with(".found.retold-tmp-"));
    out.commit().unwrap();
    assert_eq!(names(parent.path()), ["found"]);
    assert_eq!(names(&path), ["pairs.jsonl"]);
}

#[test]
fn a_dropped_output_leaves_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let out = OutputDir::create(&parent.path().join("found"), false).unwrap();
    fs::write(out.path().join("half.jsonl"), "{").unwrap();
    drop(out);
    assert!(names(parent.path()).is_empty());
}

#[test]
fn an_earlier_result_is_replaced_only_on_request() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("found");
    write_result(&path, false, "first").unwrap();
    assert!(matches!(write_result(&path, false, "second"), Err(OutputError::Exists(_))));
    write_result(&path, true, "third").unwrap();
    assert_eq!(fs::read_to_string(path.join("kept/mark.txt")).unwrap(), "third");
    assert_eq!(names(parent.path()), ["found"]);
}

#[test]
fn a_folder_of_someone_else_is_never_replaced() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("home");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("thesis.txt"), "years of work").unwrap();
    assert!(matches!(OutputDir::create(&path, true), Err(OutputError::NotOurs(_))));
    fs::write(path.join("manifest.json"), "{\"name\":\"web app\"}").unwrap();
    let error = OutputDir::create(&path, true).unwrap_err();
    assert!(error.to_string().ends_with("holds no manifest of retold; it is not overwritten"));
    assert_eq!(names(&path), ["manifest.json", "thesis.txt"]);
}

#[test]
fn a_file_in_the_way_is_refused() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("found");
    fs::write(&path, "a file").unwrap();
    assert!(matches!(OutputDir::create(&path, false), Err(OutputError::Exists(_))));
    assert!(matches!(OutputDir::create(&path, true), Err(OutputError::NotOurs(_))));
    assert!(matches!(OutputDir::create(Path::new("/"), true), Err(OutputError::NoName(_))));
}

#[test]
fn a_path_may_end_in_a_dot_or_a_slash() {
    let parent = tempfile::tempdir().unwrap();
    for (path, name) in [("one/.", "one"), ("two/", "two")] {
        write_result(&parent.path().join(path), false, "new").unwrap();
        assert!(parent.path().join(name).join("manifest.json").exists());
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_its_folder_is_replaced() {
    let parent = tempfile::tempdir().unwrap();
    let (real, link) = (parent.path().join("real"), parent.path().join("link"));
    write_result(&real, false, "first").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    write_result(&link, true, "second").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(real.join("kept/mark.txt")).unwrap(), "second");
}

#[test]
fn an_empty_folder_may_stand_there() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("deep").join("found");
    fs::create_dir_all(&path).unwrap();
    write_result(&path, false, "new").unwrap();
    assert_eq!(names(&path), ["kept", "manifest.json"]);
}

#[test]
fn a_finished_result_is_kept_if_its_name_was_taken_meanwhile() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("found");
    let out = OutputDir::create(&path, false).unwrap();
    fs::write(out.path().join("pairs.jsonl"), "{}").unwrap();
    fs::create_dir(&path).unwrap();
    fs::write(path.join("other.txt"), "came in between").unwrap();
    let Err(OutputError::Commit { kept, .. }) = out.commit() else {
        panic!("a taken name is refused");
    };
    assert_eq!(names(&kept), ["pairs.jsonl"]);
    assert_eq!(names(&path), ["other.txt"]);
}

#[cfg(unix)]
#[test]
fn the_result_has_the_usual_mode_of_folders() {
    use std::os::unix::fs::PermissionsExt as _;
    let parent = tempfile::tempdir().unwrap();
    let usual = parent.path().join("usual");
    fs::create_dir(&usual).unwrap();
    let path = parent.path().join("found");
    write_result(&path, false, "new").unwrap();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&path), mode(&usual));
}
