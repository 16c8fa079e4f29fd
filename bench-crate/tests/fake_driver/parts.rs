//! `quadscan artifact` on a driver made of the host's memory.

use crate::fake_cuda::{
    BOTH, FakeCuda, Settings, kernel, ptx, write_artifact, write_manifest, write_module,
};
use quadscan_bench::cli::ArtifactArguments;
use quadscan_bench::{Result, parts};

#[test]
fn the_list_has_a_line_a_part_and_times_of_the_architecture_that_the_device_runs() -> Result<()> {
    let _fake = FakeCuda::new(Settings::default());
    let folder = tempfile::tempdir().expect("a folder");
    let modules = ["sm_75", "sm_90"].map(|arch| {
        let parts = [
            (
                "main",
                ptx(arch, "6.4"),
                [kernel("scale"), kernel("fault")].into(),
            ),
            (
                "extra",
                ".version 6.4\n.entry in_extra\n".to_owned(),
                [kernel("in_extra")].into(),
            ),
        ];
        write_module(folder.path(), (arch, "6.4"), &parts)
    });
    write_manifest(folder.path(), &modules);
    let arguments = ArtifactArguments {
        device: "cuda".into(),
        artifact: Some(folder.path().to_owned()),
        ..ArtifactArguments::default()
    };
    let listing = parts::list(&arguments)?;
    assert_eq!(listing.notice, "device: Fake GPU");
    let cells = |line: &str| -> Vec<String> {
        let cells = line.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    };
    let rows: Vec<Vec<String>> = listing.text.lines().skip(2).map(cells).collect();
    let firsts: Vec<String> = rows.iter().map(|row| row[..3].join(" ")).collect();
    assert_eq!(
        firsts,
        [
            "sm_75 main 2",
            "sm_75 extra 1",
            "sm_90 main 2",
            "sm_90 extra 1"
        ]
    );
    for row in &rows {
        let is_timed = row[4].parse::<f64>().is_ok() && row[5].parse::<f64>().is_ok();
        assert_eq!(is_timed, row[0] == "sm_90", "{row:?}");
    }
    let length = ptx("sm_75", "6.4").len().to_string();
    assert_eq!(rows[0][3], length);

    write_artifact(folder.path(), BOTH);
    let refused = parts::list(&arguments)
        .expect_err("it is refused")
        .to_string();
    assert!(refused.contains("fake.broken.sm_90.ptx"), "{refused}");
    Ok(())
}
