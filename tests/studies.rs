//! Every script of `examples/` and `queries/` runs on a clean clone; the figures are whole pictures of the size they ask
//! for, and the tables agree with what follows from their definitions.

use crate::support::{cells, root, run, run_with, workspace};
use std::path::{Path, PathBuf};

fn scripts(folder: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "marey")
            {
                out.push(path);
            }
        }
    }
    out.sort();
    assert!(!out.is_empty(), "{folder} holds scripts");
    out
}

/// Width and height in the header of a PNG.
fn size(png: &Path) -> (u32, u32) {
    let bytes = std::fs::read(png).expect("a picture");
    assert_eq!(bytes.get(1..4), Some(b"PNG".as_slice()));
    let number = |at: usize| {
        let four: [u8; 4] = bytes[at..at + 4].try_into().expect("four bytes");
        u32::from_be_bytes(four)
    };
    (number(16), number(20))
}

#[test]
fn the_first_command_of_the_readme_writes_svg_and_png_and_prints_the_profile() {
    let folder = workspace();
    let script = root().join("examples/gantt/gantt.marey");
    let out = run_with(["run".as_ref(), script.as_os_str()], folder.path()).good();
    let rows = cells(&out);
    assert_eq!(rows[0], ["value", "duration", "number", "share"]);
    assert_eq!(rows[1][0], "gemm");
    // 20 tiles: n potrf, n(n-1)/2 trsm and syrk each, n(n-1)(n-2)/6 gemm.
    let number = |value: &str| {
        rows.iter()
            .find(|row| row[0] == value)
            .map(|row| row[2].as_str())
    };
    assert_eq!(number("potrf"), Some("20"));
    assert_eq!(number("trsm"), Some("190"));
    assert_eq!(number("syrk"), Some("190"));
    assert_eq!(number("gemm"), Some("1140"));
    let shares: f64 = rows[1..]
        .iter()
        .map(|row| row[3].parse::<f64>().expect("a share"))
        .sum();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
    // 170 mm by 70 mm at 300 dpi.
    assert_eq!(size(&folder.path().join("gantt.png")), (2008, 827));
    let svg = std::fs::read_to_string(folder.path().join("gantt.svg")).expect("a figure");
    let tree = roxmltree::Document::parse(&svg).expect("well-formed XML");
    let text: String = tree.descendants().filter_map(|node| node.text()).collect();
    for wanted in [
        "CPU7",
        "CUDA1_0",
        "gemm",
        "time [s]",
        "threshold 10ms, max 30ms",
    ] {
        assert!(text.contains(wanted), "{wanted} is in the figure");
    }
}

#[test]
fn the_notebook_runs_in_twelve_lines_with_its_thirteen_thresholds() {
    let script = root().join("examples/notebook/notebook.marey");
    let text = std::fs::read_to_string(&script).expect("the script");
    assert!(text.lines().count() <= 12);
    let input = root().join("../shared/traces/pj_dump/native_sample.pj_dump.csv");
    if !input.exists() {
        eprintln!("skipped: the notebook's trace is not here");
        return;
    }
    let folder = workspace();
    let mut profiles = Vec::new();
    for threshold in [
        "1", "10", "50", "100", "150", "200", "250", "300", "350", "400", "450", "500", "1000",
    ] {
        let out = run_with(
            [
                "run".as_ref(),
                script.as_os_str(),
                "--param".as_ref(),
                format!("threshold={threshold}ms").as_ref(),
                "--param".as_ref(),
                format!("input={}", input.display()).as_ref(),
            ],
            folder.path(),
        )
        .good();
        profiles.push(out);
        let name = if threshold == "1000" {
            "1s".to_owned()
        } else {
            format!("{threshold}ms")
        };
        let picture = folder.path().join(format!("notebook-{name}.png"));
        assert_eq!(size(&picture), (1700, 400));
    }
    // The profile comes from the states, not from a view of them.
    assert!(profiles.iter().all(|profile| *profile == profiles[0]));
}

#[test]
fn every_query_says_what_it_answers_and_runs() {
    // What is piped into each verb of the library, and a column of its result (none for a figure).
    let uses: &[(&str, &str, Option<&str>)] = &[
        ("comparison", "changes (run | take 30)", Some("status")),
        (
            "comparison",
            "clear-changes [(run | take 20), (run | take 30)] also=[run]",
            Some("lowest_b"),
        ),
        ("critical", "critical-gantt width=85mm", None),
        ("critical", "on-path epsilon=1ms", Some("states")),
        ("gantt", "gantt height=40mm", None),
        ("longest", "longest count=3", Some("duration")),
        ("longest", "durations", Some("p99")),
        ("utilization", "utilization-of span(run)", Some("share")),
        ("waiting", "waiting", Some("waited")),
        ("waiting", "waits-between count=5", Some("after")),
    ];
    let folder = workspace();
    for script in scripts("queries") {
        let name = script.file_stem().expect("a name").to_string_lossy();
        let text = std::fs::read_to_string(&script).expect("a text");
        for part in ["# Question: ", "# Input: ", "# Reading: "] {
            assert!(
                text.lines().any(|line| line.starts_with(part)),
                "{name}: {part}"
            );
        }
        let defined = text.lines().filter(|line| line.starts_with("def "));
        for line in defined {
            let verb = line.trim_start_matches("def ").split('(').next();
            let used =
                |(of, call, _): &(&str, &str, _)| *of == name && call.split(' ').next() == verb;
            assert!(uses.iter().any(used), "{name}: {verb:?} is tried");
        }
    }
    for (name, call, column) in uses {
        let outcome = match column {
            Some(_) => String::new(),
            None => format!(" | save \"{name}.svg\""),
        };
        let script = format!(
            "use std.{name}\nlet run = generate cholesky tiles=5 | filter value in [\"potrf\", \"trsm\", \"syrk\", \"gemm\"]\nrun | {call}{outcome}"
        );
        let out = run(&script, folder.path()).good();
        match column {
            Some(column) => {
                let rows = cells(&out);
                assert!(rows[0].iter().any(|found| found == column), "{call}: {out}");
                assert!(rows.len() > 1, "{call}: {out}");
            }
            None => {
                let svg = std::fs::read_to_string(folder.path().join(format!("{name}.svg")));
                let svg = svg.expect("a figure");
                roxmltree::Document::parse(&svg).expect("well-formed XML");
            }
        }
    }
}

#[test]
fn the_utilization_query_says_how_busy_resources_were() {
    let folder = workspace();
    let script =
        "use std.utilization\nlet run = load \"hand.csv\" unit=ms\nrun | utilization-of span(run)";
    let out = run(script, folder.path()).good();
    // By hand: CPU0 30+3+4+10+3+2+0+25 = 77 of 100 ms; CPU1 is covered from 0 to 40.
    assert!(out.contains("CPU0,Worker State,77,0.77\n"), "{out}");
    assert!(out.contains("CPU1,Worker State,40,0.4\n"), "{out}");
}

#[test]
fn every_shipped_script_is_in_the_canonical_layout() {
    for script in ["examples", "queries"].into_iter().flat_map(scripts) {
        // That the notebook takes twelve lines is what it is there to show.
        if script.ends_with("notebook/notebook.marey") {
            continue;
        }
        let arguments = ["fmt".as_ref(), "--check".as_ref(), script.as_os_str()];
        let ran = run_with(arguments, root());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
}

#[test]
fn the_guard_of_ci_passes_and_fails_as_it_should() {
    let out = workspace();
    let guard = |more: &[&str], report: &str| {
        let report = out.path().join(report);
        let mut arguments = vec!["run", "examples/ci/guard.marey", "--out"];
        let place = out.path().to_string_lossy().into_owned();
        let report = report.to_string_lossy().into_owned();
        arguments.extend([place.as_str(), "--report", report.as_str()]);
        arguments.extend(more);
        run_with(arguments, root())
    };
    guard(&[], "good.json").good();
    let said = std::fs::read_to_string(out.path().join("good.json")).expect("a report");
    let said: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(said["assertions"][0]["status"], "passed");
    assert_eq!(said["exit_code"], 0);
    std::fs::remove_file(out.path().join("critical.svg")).expect("the figure");
    // Room for two images instead of three: 918.968648 ms instead of 641.128738 ms are 43.3 % more.
    let slow = guard(&["--param", "capacity=60"], "slow.xml");
    assert_eq!((slow.code, slow.codes()), (1, vec!["assertion"]));
    assert!(
        out.path().join("critical.svg").exists(),
        "a figure to look at"
    );
    let said = std::fs::read_to_string(out.path().join("slow.xml")).expect("a report");
    let report = roxmltree::Document::parse(&said).expect("well-formed XML");
    let failure = report
        .descendants()
        .find(|node| node.has_tag_name("failure"))
        .expect("a failure");
    assert_eq!(
        failure.attribute("message"),
        Some("the critical path took 43.3 % longer: 919.0 ms, not 641.1 ms")
    );
    assert_eq!(failure.attribute("type"), Some("marey::assertion"));
    // 5 % is the bound, not more: the same path with 1.43 allowed fails, with 1.44 it holds.
    assert_eq!(
        guard(
            &["--param", "capacity=60", "--param", "allowed=1.43"],
            "a.xml"
        )
        .code,
        1
    );
    assert_eq!(
        guard(
            &["--param", "capacity=60", "--param", "allowed=1.44"],
            "b.xml"
        )
        .code,
        0
    );
    // A broken guard never passes.
    assert_eq!(
        guard(&["--param", "baseline=nothing.parquet"], "c.xml").code,
        3
    );
    let said = std::fs::read_to_string(out.path().join("c.xml")).expect("a report");
    assert!(said.contains("errors=\"1\""), "{said}");
}

#[test]
fn every_example_has_a_readme_and_is_checked() {
    for script in scripts("examples") {
        let readme = script.parent().expect("a folder").join("README.md");
        assert!(
            readme.exists(),
            "{} has a README beside it",
            script.display()
        );
        let ran = run_with(
            ["run".as_ref(), script.as_os_str(), "--help".as_ref()],
            root(),
        );
        assert_eq!(ran.code, 0, "{}: {}", script.display(), ran.stderr);
        assert!(
            ran.stdout.contains("Parameters, with their defaults:"),
            "its parameters are listed"
        );
    }
}
