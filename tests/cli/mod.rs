//! The command line from outside: exit codes, streams, formats, pipes, signals (language.md, section 7).

use crate::support::{Ran, program, ran, run, run_with, workspace};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Runs for minutes on any machine, and writes a lot.
const LONG: &str = "generate cholesky tiles=175 | select resource, value, start, end";

/// Feeds a script to standard input.
fn piped(script: &str, arguments: &[&str], folder: &Path) -> Ran {
    let mut child = program(folder)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(script.as_bytes())
        .unwrap();
    ran(child.wait_with_output().unwrap())
}

fn spawn(arguments: &[&str], folder: &Path) -> Child {
    program(folder)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn exit_codes() {
    let folder = workspace();
    let code = |script: &str| run(script, folder.path()).code;
    assert_eq!(code("load \"hand.csv\" unit=ms | profile"), 0);
    assert_eq!(code("assert 1 > 2, \"no\""), 1);
    assert_eq!(code("zebra"), 2);
    assert_eq!(code("let = "), 2);
    assert_eq!(code("load \"missing.csv\""), 3);
    assert_eq!(
        code("load \"hand.csv\" unit=ms | save \"no-such-folder/x.csv\""),
        4
    );
    // A mistake in the script outweighs an input that cannot be read.
    assert_eq!(code("load \"missing.csv\"\nzebra"), 2);
}

#[test]
fn a_wrong_command_line_says_what_to_write() {
    let folder = workspace();
    let wrong = |arguments: &[&str], expected: &str| {
        let ran = run_with(arguments, folder.path());
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert_eq!(ran.stdout, "", "{arguments:?}");
        assert!(
            ran.stderr.contains(expected),
            "{arguments:?}: {}",
            ran.stderr
        );
    };
    wrong(&["--zebra"], "--zebra");
    wrong(&["--format", "cvs", "-c", "1"], "did you mean `csv`?");
    wrong(&["--param", "x", "-c", "1"], "name=value");
    wrong(&["--memory", "4x", "-c", "1"], "512MB");
    wrong(&["--threads", "0", "-c", "1"], "1..=1024");
    wrong(&["run"], "marey run SCRIPT");
    wrong(&["check"], "marey check SCRIPT");
    wrong(&["chekc"], "marey check");
    wrong(&["missing.marey"], "missing.marey");
    wrong(
        &["a.marey", "run", "b.marey"],
        "a script stands before `run`",
    );
    wrong(
        &["--out", "no-such-folder", "-c", "1"],
        "mkdir -p no-such-folder",
    );
}

#[test]
fn results_and_diagnostics_keep_apart() {
    let folder = workspace();
    let ran = run("1 + 1\nload \"missing.csv\"", folder.path());
    // All mistakes come before anything runs.
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 3));
    let ran = run("1 + 1\nassert 1 > 2, \"slower\"\n3", folder.path());
    assert_eq!(ran.stdout, "2\n");
    assert!(ran.stderr.contains("slower"), "{}", ran.stderr);
    assert!(
        ran.stderr.is_ascii() && !ran.stderr.contains('\x1b'),
        "{}",
        ran.stderr
    );
}

#[test]
fn colours_are_asked_for() {
    let folder = workspace();
    let colored = |arguments: &[&str], variables: &[(&str, &str)]| {
        let output = program(folder.path())
            .args(arguments)
            .args(["-c", "zebra"])
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        ran(output).stderr.contains('\x1b')
    };
    assert!(!colored(&[], &[]));
    assert!(colored(&["--color", "always"], &[]));
    assert!(colored(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!colored(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn tables_are_csv_when_piped_and_stand_apart() {
    let folder = workspace();
    let script =
        "let t = load \"hand.csv\" unit=ms | profile | take 1 | select value, number\nt\nt\n1";
    assert_eq!(
        run(script, folder.path()).good(),
        "value,number\nA,3\n\nvalue,number\nA,3\n\n1\n"
    );
}

#[test]
fn formats() {
    let folder = workspace();
    let shown = |format: &str| {
        let script = "load \"hand.csv\" unit=ms | profile | take 1 | select value, duration";
        run_with(["--format", format, "-c", script], folder.path()).good()
    };
    assert_eq!(shown("csv"), "value,duration\nA,36\n");
    assert_eq!(shown("tsv"), "value\tduration\nA\t36\n");
    assert_eq!(shown("ndjson"), "{\"value\":\"A\",\"duration\":36}\n");
    assert_eq!(shown("json"), "[\n  {\"value\":\"A\",\"duration\":36}\n]\n");
    assert!(shown("table").contains("36.000 ms"));
    assert!(
        shown("markdown").starts_with("| value"),
        "{}",
        shown("markdown")
    );
    let json = run_with(
        ["--format", "json", "-c", "100ms * 2; [1, 2]; \"a\""],
        folder.path(),
    );
    assert_eq!(json.good(), "\"200ms\"\n[1,2]\n\"a\"\n");
}

#[test]
fn a_binary_format_holds_one_table() {
    let folder = workspace();
    let table = "load \"hand.csv\" unit=ms | profile";
    let output = program(folder.path())
        .args(["--format", "parquet", "-c", table])
        .output()
        .unwrap();
    assert!(output.stdout.starts_with(b"PAR1") && output.stdout.ends_with(b"PAR1"));
    let two = run_with(
        ["--format", "arrow", "-c", table, "-c", table],
        folder.path(),
    );
    assert_eq!(two.code, 4);
    assert!(two.stderr.contains("this is the second"), "{}", two.stderr);
}

#[test]
fn a_script_on_standard_input() {
    let folder = workspace();
    assert_eq!(
        piped("#!/usr/bin/env marey\n1 + 1\n", &[], folder.path()).good(),
        "2\n"
    );
    assert_eq!(piped("2 + 1", &["-"], folder.path()).good(), "3\n");
    assert_eq!(
        piped(
            "param n = 1\n$n",
            &["run", "-", "--param", "n=4"],
            folder.path()
        )
        .good(),
        "4\n"
    );
    let wrong = piped("\n\nzebra", &[], folder.path());
    assert!(
        wrong.stderr.contains("standard input:3:1"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn texts_and_files_run_in_order_and_are_checked_together() {
    let folder = workspace();
    std::fs::write(
        folder.path().join("a.marey"),
        "param n = 2\nlet m = $n * 10\n",
    )
    .unwrap();
    let arguments = ["-c", "1", "-f", "a.marey", "-c", "$m", "--param", "n=3"];
    assert_eq!(run_with(arguments, folder.path()).good(), "1\n30\n");
    std::fs::write(folder.path().join("b.marey"), "2\nzebra").unwrap();
    let ran = run_with(
        ["-c", "1", "-f", "b.marey", "-c", "3; giraffe"],
        folder.path(),
    );
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("b.marey:2:1"), "{}", ran.stderr);
    assert!(ran.stderr.contains("-c:1:4"), "{}", ran.stderr);
}

#[test]
fn parameters() {
    let folder = workspace();
    let script = "# what it is for\nparam threshold = 100ms  # shorter states are merged\nparam name = \"x\"\n$threshold\n$name";
    std::fs::write(folder.path().join("p.marey"), script).unwrap();
    let run = |arguments: &[&str]| run_with(arguments, folder.path());
    assert_eq!(run(&["p.marey"]).good(), "100ms\nx\n");
    let set = [
        "run",
        "p.marey",
        "--param",
        "threshold=5us",
        "--param",
        "name=raw text",
    ];
    assert_eq!(run(&set).good(), "5us\nraw text\n");
    for help in [["run", "p.marey", "--help"], ["p.marey", "-h", "--timing"]] {
        let text = run(&help).good();
        assert!(text.contains("what it is for"), "{text}");
        assert!(
            text.contains("threshold = 100ms") && text.contains("shorter states are merged"),
            "{text}"
        );
        assert!(text.contains("name      = \"x\""), "{text}");
    }
    let slip = run(&["p.marey", "--param", "treshold=5ms"]);
    assert_eq!(slip.code, 2);
    assert!(
        slip.stderr.contains("did you mean `threshold`?"),
        "{}",
        slip.stderr
    );
    assert_eq!(run(&["p.marey", "--param", "threshold=5"]).code, 2);
}

#[test]
fn check_runs_nothing() {
    let folder = workspace();
    let script = "1\nload \"hand.csv\" unit=ms | profile | save \"out.csv\"\nassert false";
    std::fs::write(folder.path().join("good.marey"), script).unwrap();
    std::fs::write(folder.path().join("bad.marey"), "zebra\ngiraffe").unwrap();
    let good = run_with(["check", "good.marey"], folder.path());
    assert_eq!(
        (good.code, good.stdout.as_str(), good.stderr.as_str()),
        (0, "", "")
    );
    assert!(!folder.path().join("out.csv").exists());
    let both = run_with(["check", "good.marey", "bad.marey"], folder.path());
    assert_eq!((both.code, both.codes().len()), (2, 2), "{}", both.stderr);
}

#[test]
fn files_go_to_the_folder_of_out() {
    let folder = workspace();
    std::fs::create_dir(folder.path().join("figures")).unwrap();
    let script = "load \"hand.csv\" unit=ms | profile | save \"p.csv\"";
    run_with(["--out", "figures", "-c", script], folder.path()).good();
    assert!(folder.path().join("figures/p.csv").exists());
}

#[test]
fn a_figure_that_is_not_saved_is_mentioned() {
    let folder = workspace();
    let ran = run(
        "load \"hand.csv\" unit=ms | aggregate-by-threshold 10ms | plot-stacked",
        folder.path(),
    );
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.contains("save \"figure.svg\""), "{}", ran.stderr);
}

#[test]
fn timing_goes_to_standard_error() {
    let folder = workspace();
    let ran = run_with(["--timing", "-c", "1"], folder.path());
    assert_eq!(ran.stdout, "1\n");
    assert!(ran.stderr.starts_with("time: "), "{}", ran.stderr);
}

#[test]
fn version_and_help() {
    let folder = workspace();
    let version = run_with(["--version"], folder.path()).good();
    assert_eq!(version, format!("marey {}\n", env!("CARGO_PKG_VERSION")));
    let help = run_with(["--help"], folder.path()).good();
    for word in ["--param", "--format", "check", "130 interrupted"] {
        assert!(help.contains(word), "{help}");
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let folder = workspace();
    let mut child = spawn(&["-c", LONG], folder.path());
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    // The reader is gone by now.
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!(first, "resource,value,start,end\n");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let folder = workspace();
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = program(folder.path())
        .args(["-c", "1"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(ran(output).code, 4);
}

#[test]
fn an_interrupt_ends_the_run() {
    let folder = workspace();
    let script = format!("1\n{LONG} | save \"big.csv\"\n2");
    let child = spawn(&["-c", &script], folder.path());
    wait_for(folder.path(), ".part");
    let start = Instant::now();
    signal(&child, "-INT");
    let ran = ran(child.wait_with_output().unwrap());
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
    assert_eq!((ran.code, ran.stdout.as_str()), (130, "1\n"));
    assert_eq!(ran.stderr, "interrupted\n");
    let left: Vec<_> = names(folder.path())
        .into_iter()
        .filter(|n| n.contains("big") || n.contains(".part"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn a_termination_takes_half_files_back() {
    let folder = workspace();
    let child = spawn(
        &["-c", &format!("{LONG} | save \"big.csv\"")],
        folder.path(),
    );
    wait_for(folder.path(), ".part");
    signal(&child, "-TERM");
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 143, "{}", ran.stderr);
    assert!(
        !names(folder.path())
            .iter()
            .any(|name| name.ends_with(".part"))
    );
}

#[test]
fn a_kill_during_save_leaves_the_old_file() {
    let folder = workspace();
    let file = folder.path().join("big.csv");
    std::fs::write(&file, "old\n").unwrap();
    let mut child = spawn(
        &["-c", &format!("{LONG} | save \"big.csv\"")],
        folder.path(),
    );
    wait_for(folder.path(), ".part");
    std::thread::sleep(Duration::from_millis(300));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "old\n");
}

fn names(folder: &Path) -> Vec<String> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// Waits until a file with this ending is there: the run has begun to write.
fn wait_for(folder: &Path, ending: &str) {
    let start = Instant::now();
    while !names(folder).iter().any(|name| name.ends_with(ending)) {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "nothing is written"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn info_says_what_a_trace_is_and_what_to_write_next() {
    let folder = workspace();
    let ran = run_with(["info", "hand.csv", "machine.etf"], folder.path());
    let out = ran.good();
    for wanted in [
        "hand.csv\nformat: pj_dump, 10 records, 10 kept\n",
        "trace: 10 states, 2 resources, 0 … 100\n",
        // The profile of the worked example.
        "A,36,3,",
        "machine.etf\nformat: etf, 34 records, 29 kept\n",
        "not_read,machine.etf,1,37\n",
        "does not say its unit of time",
    ] {
        assert!(out.contains(wanted), "{wanted}\n{out}");
    }
    // The lines to go on with run as they are.
    let lines = out
        .lines()
        .filter_map(|line| line.strip_prefix("  marey -c '"));
    let scripts: Vec<&str> = lines.map(|line| line.trim_end_matches('\'')).collect();
    assert_eq!(scripts.len(), 4, "{out}");
    for script in scripts {
        assert_eq!(run(script, folder.path()).code, 0, "{script}");
    }
    let missing = run_with(["info", "no.csv"], folder.path());
    assert_eq!((missing.code, missing.codes()), (3, vec!["input_missing"]));
    assert_eq!(run_with(["info"], folder.path()).code, 2);
}

#[test]
fn check_gives_diagnostics_as_json() {
    let folder = workspace();
    let script =
        "let run = load \"hand.csv\"\nlet x = \"é\"; run | fliter value == \"A\"\nrun | take 1ms\n";
    std::fs::write(folder.path().join("bad.marey"), script).expect("a script");
    let ran = run_with(["check", "--format", "json", "bad.marey"], folder.path());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(ran.stderr, "");
    let all: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let codes: Vec<&str> = all
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|diag| diag["code"].as_str())
        .collect();
    for code in [
        "marey::unknown_verb",
        "marey::type_mismatch",
        "marey::no_unit",
    ] {
        assert!(codes.contains(&code), "{code}: {codes:?}");
    }
    let verb = all
        .as_array()
        .and_then(|all| {
            all.iter()
                .find(|diag| diag["code"] == "marey::unknown_verb")
        })
        .expect("the verb");
    let label = &verb["labels"][0];
    assert_eq!(
        (&label["line"], &label["column"]),
        (&2.into(), &20.into()),
        "{verb}"
    );
    assert_eq!(verb["help"], "did you mean `filter`?");
    std::fs::write(folder.path().join("good.marey"), "1 + 1\n").expect("a script");
    let fine = run_with(["check", "--format", "json", "good.marey"], folder.path());
    assert_eq!((fine.code, fine.stdout.as_str()), (0, "[]\n"));
}

#[test]
fn completions_and_the_manual_come_from_the_command_line_itself() {
    let folder = workspace();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let out = run_with(["completions", shell], folder.path()).good();
        for word in ["marey", "info", "param"] {
            assert!(out.contains(word), "{shell}: {word}");
        }
    }
    let manual = run_with(["man"], folder.path()).good();
    assert!(
        manual.contains(".TH marey 1") && manual.contains("temp\\-dir"),
        "{manual}"
    );
    assert_eq!(run_with(["completions", "tcsh"], folder.path()).code, 2);
}

#[test]
fn fmt_writes_one_layout_and_keeps_what_is_said() {
    let folder = workspace();
    let path = folder.path().join("loose.marey");
    let loose = "#!/usr/bin/env marey\nlet run=load \"hand.csv\"   unit = ms;run|filter value==\"A\"   # only A\n| take 2\n";
    std::fs::write(&path, loose).expect("a script");
    let before = run_with(["run", "loose.marey"], folder.path()).good();
    let would = run_with(["fmt", "--check", "loose.marey"], folder.path());
    assert_eq!(would.code, 1);
    assert!(
        would.stderr.contains("loose.marey would change"),
        "{}",
        would.stderr
    );
    assert_eq!(std::fs::read_to_string(&path).expect("the script"), loose);
    run_with(["fmt", "loose.marey"], folder.path()).good();
    let tidy = std::fs::read_to_string(&path).expect("the script");
    assert_ne!(tidy, loose);
    for kept in [
        "#!/usr/bin/env marey\n",
        "# only A",
        "unit=ms",
        "value == \"A\"",
    ] {
        assert!(tidy.contains(kept), "{kept}\n{tidy}");
    }
    assert_eq!(
        run_with(["run", "loose.marey"], folder.path()).good(),
        before
    );
    assert_eq!(
        run_with(["fmt", "--check", "loose.marey"], folder.path()).code,
        0
    );
    // A script with a mistake stays as it is.
    std::fs::write(&path, "let x 5\n").expect("a script");
    let wrong = run_with(["fmt", "loose.marey"], folder.path());
    assert_eq!(
        (wrong.code, wrong.codes()),
        (2, vec!["syntax"]),
        "{}",
        wrong.stderr
    );
    assert_eq!(
        std::fs::read_to_string(&path).expect("the script"),
        "let x 5\n"
    );
    let piped = piped("run|take 1", &["fmt", "-"], folder.path());
    assert_eq!(piped.stdout, "run | take 1\n");
}

#[test]
fn convert_reads_one_format_and_writes_another() {
    let folder = workspace();
    let place = folder.path();
    run_with(["convert", "hand.csv", "hand.parquet", "unit=ms"], place).good();
    let states = "| summarize n = count(), last = max(end)";
    let back = run(&format!("load \"hand.parquet\" {states}"), place).good();
    assert_eq!(back, "n,last\n10,100\n");
    let wrong = run_with(["convert", "hand.csv", "hand.parquet", "unti=ms"], place);
    assert_eq!((wrong.code, wrong.codes()), (2, vec!["unknown_option"]));
    assert_eq!(run_with(["convert", "hand.csv"], place).code, 2);
    let before = std::fs::read(place.join("hand.csv")).unwrap();
    let over = run_with(["convert", "hand.csv", "hand.csv", "unit=ms"], place);
    assert_eq!(over.code, 2);
    assert_eq!(std::fs::read(place.join("hand.csv")).unwrap(), before);
}

#[test]
fn no_clobber_keeps_what_is_there() {
    let folder = workspace();
    let script = "load \"hand.csv\" unit=ms | profile | save \"p.csv\" | save \"p.parquet\"";
    std::fs::write(folder.path().join("p.parquet"), "mine").unwrap();
    let refused = run_with(["--no-clobber", "-c", script], folder.path());
    assert_eq!((refused.code, refused.codes()), (4, vec!["output"]));
    assert!(refused.stderr.contains("`p.parquet` exists already"));
    assert_eq!(
        std::fs::read(folder.path().join("p.parquet")).unwrap(),
        b"mine"
    );
    run_with(["-c", script], folder.path()).good();
    assert_ne!(
        std::fs::read(folder.path().join("p.parquet")).unwrap(),
        b"mine"
    );
}

#[test]
fn a_file_of_defaults_is_for_whoever_asks() {
    let folder = workspace();
    let home = folder.path().join("home/marey");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("config.toml"), "format = \"json\"\n").unwrap();
    let shown = |arguments: &[&str]| {
        let mut command = program(folder.path());
        command.env("XDG_CONFIG_HOME", folder.path().join("home"));
        ran(command.args(arguments).output().unwrap())
    };
    let script = "load \"hand.csv\" unit=ms | summarize n = count()";
    // A script never depends on a home folder.
    assert_eq!(shown(&["-c", script]).good(), "n\n10\n");
    let asked = ["--config", "home/marey/config.toml", "-c", script];
    let json: serde_json::Value = serde_json::from_str(&shown(&asked).good()).unwrap();
    assert_eq!(json[0]["n"], 10);
    let given = [
        "--config",
        "home/marey/config.toml",
        "--format",
        "csv",
        "-c",
        script,
    ];
    assert_eq!(shown(&given).good(), "n\n10\n");
    std::fs::write(home.join("config.toml"), "fromat = \"json\"\n").unwrap();
    let wrong = shown(&asked);
    assert_eq!((wrong.code, wrong.codes()), (2, vec!["bad_command_line"]));
    assert!(
        wrong.stderr.contains("did you mean `format`?"),
        "{}",
        wrong.stderr
    );
    let missing = shown(&["--config", "nothing.toml", "-c", "1"]);
    assert_eq!(
        (missing.code, missing.codes()),
        (2, vec!["bad_command_line"])
    );
    let both = shown(&["--config", "a.toml", "--no-config", "-c", "1"]);
    assert_eq!(both.code, 2);
}

#[test]
fn the_version_tells_the_defaults_when_asked() {
    let folder = workspace();
    let version = env!("CARGO_PKG_VERSION");
    let short = run_with(["--version"], folder.path()).good();
    assert_eq!(short, format!("marey {version}\n"));
    let long = run_with(["--version", "--verbose"], folder.path()).good();
    for line in [
        "DataFusion 55",
        "threads: ",
        "memory: 4096 MiB",
        "temporary folder: ",
    ] {
        assert!(long.contains(line), "{long}");
    }
    assert_eq!(run_with(["--verbose"], folder.path()).code, 2);
}

#[test]
fn an_assertion_shows_what_it_compared() {
    let folder = workspace();
    let script = "let run = load \"hand.csv\" unit=ms\nparam limit = 50ms\nassert span(run) < $limit * 1.5, \"slow\"";
    let failed = run_with(["-c", script], folder.path());
    assert_eq!(failed.code, 1);
    assert!(
        failed
            .stderr
            .contains("this is false: 100.000 ms < 75.000 ms"),
        "{}",
        failed.stderr
    );
}

#[test]
fn a_report_needs_a_known_extension() {
    let folder = workspace();
    assert_eq!(
        run_with(["-c", "1", "--report", "r.txt"], folder.path()).code,
        2
    );
    let script = "for n in [1, 2] { assert $n < 2, f\"{$n} is too much\" }\nassert true, \"never\"";
    let ran = run_with(["-c", script, "--report", "r.json"], folder.path());
    assert_eq!(ran.code, 1);
    let said = std::fs::read_to_string(folder.path().join("r.json")).unwrap();
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    let all: Vec<(&str, &str)> = said["assertions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["message"].as_str().unwrap_or("nothing"),
                one["status"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        all,
        [
            ("1 is too much", "passed"),
            ("2 is too much", "failed"),
            ("nothing", "not_reached")
        ]
    );
}

/// Reads lines until one contains a text.
#[cfg(unix)]
fn until(lines: &mut impl Iterator<Item = std::io::Result<String>>, wanted: &str) -> Vec<String> {
    let mut seen = Vec::new();
    for line in lines {
        seen.push(line.unwrap());
        if seen.last().is_some_and(|line| line.contains(wanted)) {
            return seen;
        }
    }
    panic!("{wanted:?} is not in {seen:?}");
}

#[test]
#[cfg(unix)]
fn watch_runs_again_when_something_changes_and_ends_with_ctrl_c() {
    use std::io::{BufRead, BufReader};
    let folder = workspace();
    let place = folder.path();
    std::fs::write(
        place.join("lib.marey"),
        "def mine() = summarize n = count()\n",
    )
    .unwrap();
    let script = "use \"lib.marey\"\nload \"hand.csv\" unit=ms | mine\n";
    std::fs::write(place.join("s.marey"), script).unwrap();
    let mut child = program(place)
        .args(["watch", "s.marey"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    until(&mut told, "watching s.marey and 2 other files");
    assert_eq!(until(&mut out, "10"), ["n", "10"]);
    // An input.
    let trace = std::fs::read_to_string(place.join("hand.csv")).unwrap();
    let (kept, _) = trace.trim_end().rsplit_once('\n').unwrap();
    std::fs::write(place.join("hand.csv"), format!("{kept}\n")).unwrap();
    until(&mut told, "hand.csv changed");
    until(&mut told, "watching");
    assert_eq!(until(&mut out, "9"), ["", "n", "9"]);
    // What the script uses, by way of a mistake, which does not end the watch.
    std::fs::write(
        place.join("lib.marey"),
        "def mine() = sumarize n = count()\n",
    )
    .unwrap();
    until(&mut told, "lib.marey changed");
    until(&mut told, "unknown_verb");
    until(&mut told, "watching");
    std::fs::write(
        place.join("lib.marey"),
        "def mine() = summarize m = count()\n",
    )
    .unwrap();
    until(&mut told, "watching");
    assert_eq!(until(&mut out, "9"), ["", "m", "9"]);
    // The script itself, replaced as editors do it.
    std::fs::write(place.join("new"), "2 + 3\n").unwrap();
    std::fs::rename(place.join("new"), place.join("s.marey")).unwrap();
    until(&mut told, "s.marey changed");
    assert_eq!(until(&mut out, "5"), ["", "5"]);
    until(&mut told, "watching s.marey; Ctrl-C ends");
    // An input that is not there yet.
    std::fs::write(
        place.join("s.marey"),
        "load \"new.csv\" unit=ms | summarize n = count()\n",
    )
    .unwrap();
    until(&mut told, "`new.csv` does not exist");
    until(&mut told, "watching");
    std::fs::copy(place.join("hand.csv"), place.join("new.csv")).unwrap();
    assert_eq!(until(&mut out, "9"), ["", "n", "9"]);
    until(&mut told, "watching s.marey and 1 other file");
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
