//! `retold spark`: what spark-submit is told.

use crate::common::run;

#[cfg(unix)]
#[test]
fn spark_submit_gets_its_options_and_a_script_that_gets_the_rest() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = tempfile::tempdir().expect("a folder for a test");
    let submit = home.path().join("bin").join("spark-submit");
    std::fs::create_dir(home.path().join("bin")).expect("it is new");
    let script = "#!/bin/sh\necho \"$1 $2\"; cat \"$3\"; shift 3; echo \"$@\"; exit ${STATUS:-0}\n";
    std::fs::write(&submit, script).expect("a file in a folder");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&submit, executable).expect("our own file");
    let spark = |status: &str| {
        std::process::Command::new(env!("CARGO_BIN_EXE_retold"))
            .args(["spark", "dedup", "in", "--output", "out", "--setting", "keep=newest"])
            .args(["--order", "path,row", "--", "--master", "local[2]"])
            .env("SPARK_HOME", home.path())
            .env("STATUS", status)
            .output()
            .expect("the program starts")
    };
    let ran = spark("0");
    let told = String::from_utf8_lossy(&ran.stdout);
    let expected = "--master local[2]\nfrom retold.spark.__main__ import main\n\nmain()\n\
                    dedup in --output out --order path,row --setting keep=newest\n";
    assert_eq!((&*told, ran.status.code()), (expected, Some(0)));
    assert_eq!(spark("7").status.code(), Some(2));
}

#[test]
fn a_missing_spark_is_named() {
    let ran = run("spark find in -o out");
    if ran.code != Some(0) {
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains("spark-submit"), "{}", ran.stderr);
    }
}
