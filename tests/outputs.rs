//! `save`: what the files hold, that they appear whole or not at all, and that a trace comes back from Parquet
//! as it was.

use crate::support::{Ran, program, ran, run, run_with, same, workspace};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A table with everything that can go wrong in a text file.
const NASTY: &str = "resource,value,start,end,note,weight\n\
    \"a,b\",plain,0.1,1.25,\"say \"\"hi\"\"\",1.5\n\
    c,<&>,1.25,2,,\n\
    d,\"line\ntwo\",2,2.5,tab\there,-0.25\n\
    e,pipe | back\\slash,3.000000001,4,\" blank \",1e300\n";

fn nasty(place: &Path) {
    std::fs::write(place.join("nasty.csv"), NASTY).unwrap();
}

/// Saves the nasty table under a name and gives the text of the file.
fn saved(name: &str, options: &str) -> String {
    let place = workspace();
    nasty(place.path());
    let script = format!(
        "load \"nasty.csv\" unit=s resource=\"resource\" | sort start | select resource, value, start, end, note, weight \
         | save {name:?} {options}"
    );
    assert_eq!(run(&script, place.path()).good(), "");
    std::fs::read_to_string(place.path().join(name)).unwrap()
}

#[test]
fn csv() {
    // Times come out as exact decimals; nulls are empty; an empty or blank-edged text is quoted.
    let expected = "resource,value,start,end,note,weight\n\
        \"a,b\",plain,0.1,1.25,\"say \"\"hi\"\"\",1.5\n\
        c,<&>,1.25,2,,\n\
        d,\"line\ntwo\",2,2.5,tab\there,-0.25\n\
        e,pipe | back\\slash,3.000000001,4,\" blank \",1e300\n";
    same(&saved("out.csv", ""), expected, "csv");
    same(&saved("OUT.CSV", ""), expected, "the extension in capitals");
}

#[test]
fn times_in_another_unit() {
    let in_ms = saved("out.csv", "unit=ms");
    assert!(in_ms.contains("plain,100,1250,"), "{in_ms}");
    assert!(in_ms.contains("slash,3000.000001,4000,"), "{in_ms}");
    let in_min = saved("out.csv", "unit=min");
    assert!(
        in_min.contains("<&>,0.020833333333,0.033333333333,")
            || in_min.contains("<&>,0.0208333333"),
        "{in_min}"
    );
    let in_ps = saved("out.ndjson", "unit=ps");
    assert!(in_ps.contains("\"start\":3000000001000,"), "{in_ps}");
}

#[test]
fn tsv() {
    let expected = "resource\tvalue\tstart\tend\tnote\tweight\n\
        a,b\tplain\t0.1\t1.25\t\"say \"\"hi\"\"\"\t1.5\n\
        c\t<&>\t1.25\t2\t\t\n\
        d\t\"line\ntwo\"\t2\t2.5\t\"tab\there\"\t-0.25\n\
        e\tpipe | back\\slash\t3.000000001\t4\t\" blank \"\t1e300\n";
    same(&saved("out.tsv", ""), expected, "tsv");
}

#[test]
fn json_and_ndjson() {
    let rows = [
        r#"{"resource":"a,b","value":"plain","start":0.1,"end":1.25,"note":"say \"hi\"","weight":1.5}"#,
        r#"{"resource":"c","value":"<&>","start":1.25,"end":2,"note":null,"weight":null}"#,
        r#"{"resource":"d","value":"line\ntwo","start":2,"end":2.5,"note":"tab\there","weight":-0.25}"#,
        r#"{"resource":"e","value":"pipe | back\\slash","start":3.000000001,"end":4,"note":" blank ","weight":1e300}"#,
    ];
    same(
        &saved("out.ndjson", ""),
        &format!("{}\n", rows.join("\n")),
        "ndjson",
    );
    let json = saved("out.json", "");
    let parsed: serde_json::Value = serde_json::from_str(&json).unwrap();
    let expected: Vec<serde_json::Value> = rows
        .iter()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect();
    assert_eq!(parsed, serde_json::Value::from(expected));
    // The digits stand in the text as they are, not as doubles.
    assert!(json.contains("\"start\":3.000000001,"), "{json}");
}

#[test]
fn markdown() {
    let expected = "| resource | value | start | end | note | weight |\n\
        | --- | --- | --: | --: | --- | --: |\n\
        | a,b | plain | 0.1 | 1.25 | say \"hi\" | 1.5 |\n\
        | c | <&> | 1.25 | 2 |  |  |\n\
        | d | line two | 2 | 2.5 | tab\there | -0.25 |\n\
        | e | pipe \\| back\\\\slash | 3.000000001 | 4 |  blank  | 1e300 |\n";
    same(&saved("out.md", ""), expected, "markdown");
}

#[test]
fn numbers_that_are_none_and_nulls_of_no_type() {
    let place = workspace();
    let script = "load \"hand.csv\" unit=ms | take 1 \
        | derive n = ln(-1.0), i = exp(1000.0), j = -exp(1000.0), q = 1 / 0, z = null, e = \"\" \
        | select n, i, j, q, z, e | save \"n.csv\" | save \"n.ndjson\" | save \"n.parquet\" | save \"n.arrow\"";
    run(script, place.path()).good();
    let text = |name: &str| std::fs::read_to_string(place.path().join(name)).unwrap();
    assert_eq!(text("n.csv"), "n,i,j,q,z,e\nnan,inf,-inf,,,\"\"\n");
    assert_eq!(
        text("n.ndjson"),
        "{\"n\":\"nan\",\"i\":\"inf\",\"j\":\"-inf\",\"q\":null,\"z\":null,\"e\":\"\"}\n"
    );
    let back = run("load \"n.parquet\"", place.path()).good();
    assert_eq!(back, "n,i,j,q,z,e\nnan,inf,-inf,,,\"\"\n");
}

#[test]
fn a_table_without_rows_keeps_its_columns() {
    let place = workspace();
    let script = "load \"hand.csv\" unit=ms | filter value == \"none\" | select value, start \
        | save \"e.csv\" | save \"e.json\" | save \"e.ndjson\" | save \"e.md\" | save \"e.parquet\" | save \"e.arrow\"";
    run(script, place.path()).good();
    let text = |name: &str| std::fs::read_to_string(place.path().join(name)).unwrap();
    assert_eq!(text("e.csv"), "value,start\n");
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&text("e.json")).unwrap(),
        serde_json::json!([])
    );
    assert_eq!(text("e.ndjson"), "");
    assert_eq!(text("e.md"), "| value | start |\n| --- | --: |\n");
    assert_eq!(
        run("load \"e.parquet\"", place.path()).good(),
        "value,start\n"
    );
}

#[test]
fn arrow_holds_ticks_and_says_the_unit() {
    let place = workspace();
    run(
        "load \"hand.csv\" unit=ms | sort start, resource | select value, start | save \"a.arrow\"",
        place.path(),
    )
    .good();
    let file = std::fs::File::open(place.path().join("a.arrow")).unwrap();
    let reader = arrow::ipc::reader::FileReader::try_new(file, None).unwrap();
    let schema = reader.schema();
    let clock =
        marey::model::schema::clock_of(schema.field_with_name("start").unwrap()).expect("a clock");
    assert_eq!(clock.unit, Some(marey::spec::TimeUnit::Millisecond));
    assert_eq!(clock.resolution, marey::spec::TimeUnit::Nanosecond);
    let batches: Vec<_> = reader.map(Result::unwrap).collect();
    let start = batches[0].column_by_name("start").unwrap();
    let ticks = arrow::array::AsArray::as_primitive::<arrow::datatypes::Int64Type>(start.as_ref());
    // The first three starts of hand.csv are 0, 0, 10 ms.
    assert_eq!(&ticks.values()[..3], [0, 0, 10_000_000]);
}

#[test]
fn tables_on_standard_output_have_the_format_asked_for() {
    let place = workspace();
    let show = |format: &str| {
        let script = "load \"hand.csv\" unit=ms | take 2 | select resource, start";
        run_with(["--format", format, "-c", script], place.path()).good()
    };
    assert_eq!(show("csv"), "resource,start\nCPU0,0\nCPU1,0\n");
    assert_eq!(show("tsv"), "resource\tstart\nCPU0\t0\nCPU1\t0\n");
    assert_eq!(
        show("ndjson"),
        "{\"resource\":\"CPU0\",\"start\":0}\n{\"resource\":\"CPU1\",\"start\":0}\n"
    );
    assert!(show("markdown").starts_with("| resource | start |\n| --- | --: |\n| CPU0 | 0 |\n"));
    assert!(show("table").contains("CPU1"));
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[track_caller]
fn fails(ran: &Ran, code: i32, name: &str, says: &str) {
    assert_eq!(
        (ran.code, ran.codes()),
        (code, vec![name]),
        "{}",
        ran.stderr
    );
    let flat = ran.stderr.replace("\n  | ", " ");
    assert!(flat.contains(says), "{says}\n{}", ran.stderr);
}

#[test]
fn a_missing_folder_is_named_and_nothing_is_left() {
    let place = workspace();
    let before = names(place.path());
    let ran = run(
        "load \"hand.csv\" unit=ms | profile | save \"no/where/p.csv\"",
        place.path(),
    );
    fails(&ran, 4, "output", "the folder `no/where` does not exist");
    assert_eq!(names(place.path()), before);
    let ran = run(
        "load \"hand.csv\" unit=ms | profile | save \"aggregation.csv\"\n",
        place.path(),
    );
    assert_eq!(ran.code, 0);
    std::fs::create_dir(place.path().join("folder.csv")).unwrap();
    let ran = run(
        "load \"hand.csv\" unit=ms | profile | save \"folder.csv\"",
        place.path(),
    );
    fails(&ran, 4, "output", "`folder.csv` is a folder");
}

#[test]
fn a_folder_without_rights_is_refused_and_the_old_file_stays() {
    let place = workspace();
    let folder = place.path().join("locked");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("p.csv"), "old").unwrap();
    let rights = |mode| {
        let mut rights = std::fs::metadata(&folder).unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut rights, mode);
        std::fs::set_permissions(&folder, rights).unwrap();
    };
    rights(0o555);
    let writable = std::fs::write(folder.join("probe"), "").is_ok();
    if !writable {
        let ran = run(
            "load \"hand.csv\" unit=ms | profile | save \"locked/p.csv\"",
            place.path(),
        );
        fails(&ran, 4, "output", "locked/p.csv");
    }
    rights(0o755);
    assert_eq!(std::fs::read(folder.join("p.csv")).unwrap(), b"old");
}

#[test]
fn a_run_that_fails_on_the_way_leaves_the_old_file() {
    let place = workspace();
    std::fs::write(place.path().join("p.csv"), "old").unwrap();
    let before = names(place.path());
    let script = "load \"aggregation/bad-order.csv\" unit=ms policy=keep | aggregate-by-threshold 1ms | save \"p.csv\"";
    fails(
        &run(script, place.path()),
        4,
        "bad_state",
        "ends before it starts",
    );
    assert_eq!(std::fs::read(place.path().join("p.csv")).unwrap(), b"old");
    assert_eq!(names(place.path()), before, "a partial file is left");
}

#[test]
fn a_killed_save_leaves_the_old_file_or_none() {
    let place = workspace();
    std::fs::write(place.path().join("old.csv"), "old").unwrap();
    for name in ["old.csv", "new.csv"] {
        let script = format!("generate cholesky tiles=200 | save {name:?}");
        let mut child = program(place.path())
            .args(["-c", &script])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Killed once it writes: its temporary file has bytes.
        let start = Instant::now();
        let writes = || {
            names(place.path()).iter().any(|name| {
                let path = place.path().join(name);
                name.starts_with(".marey-")
                    && std::fs::metadata(path).is_ok_and(|data| data.len() > 1 << 20)
            })
        };
        while !writes() {
            assert!(start.elapsed() < Duration::from_secs(120), "it never wrote");
            assert!(
                child.try_wait().unwrap().is_none(),
                "it was done before it could be killed"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        for left in names(place.path())
            .iter()
            .filter(|name| name.starts_with(".marey-"))
        {
            std::fs::remove_file(place.path().join(left)).unwrap();
        }
    }
    assert_eq!(std::fs::read(place.path().join("old.csv")).unwrap(), b"old");
    assert!(!place.path().join("new.csv").exists());
}

#[test]
fn one_path_is_saved_once() {
    let place = workspace();
    let script = "let run = load \"hand.csv\" unit=ms\nrun | profile | save \"p.csv\"\nrun | take 1 | save \"p.csv\"";
    fails(
        &run(script, place.path()),
        2,
        "saved_twice",
        "`p.csv` is written twice",
    );
    assert!(!place.path().join("p.csv").exists());
}

#[test]
fn files_go_to_the_folder_of_out() {
    let place = workspace();
    std::fs::create_dir(place.path().join("figures")).unwrap();
    let script = "load \"hand.csv\" unit=ms | profile | save \"p.csv\"";
    run_with(["-c", script, "--out", "figures"], place.path()).good();
    assert!(place.path().join("figures/p.csv").exists());
    assert!(!place.path().join("p.csv").exists());
}

#[test]
fn what_does_not_fit_a_format_is_refused() {
    let place = workspace();
    for (pipeline, path, says) in [
        ("profile", "p.xls", "a table cannot be saved as xls"),
        ("profile", "p", "`p` has no extension"),
        ("profile", "p.png", "a table cannot be saved as png"),
        (
            "aggregate-by-threshold 1ms | plot-stacked",
            "p.csv",
            "a figure cannot be saved as csv",
        ),
        ("take 1", "p.cvs", "did you mean `.csv`?"),
    ] {
        let ran = run(
            &format!("load \"hand.csv\" unit=ms | {pipeline} | save {path:?}"),
            place.path(),
        );
        fails(&ran, 2, "unknown_format", says);
        assert!(!place.path().join(path).exists());
    }
}

fn sorted_lines(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}

#[test]
fn a_trace_comes_back_from_parquet_as_it_was() {
    let place = workspace();
    let relations = ["states", "events", "links", "variables", "resources"];
    let counts = |source: &str| {
        let mut script = format!("let run = {source}\n");
        for relation in relations {
            script.push_str(&format!("run.{relation}\n"));
        }
        // A relation without rows has no file: its table is not compared.
        run(&script, place.path())
    };
    for (source, several) in [
        ("load \"pj_dump_all_kinds.csv\" unit=s", true),
        ("load \"hand.csv\" unit=ms", false),
        ("load \"aggregation/ties.csv\" unit=ms", false),
        ("load \"starvz_states.csv\" unit=ms", false),
        ("generate cholesky tiles=3", true),
    ] {
        let before = counts(source);
        run(&format!("{source} | save \"t.parquet\""), place.path()).good();
        let after = counts("load \"t.parquet\"");
        assert_eq!(before.code, 0, "{source}\n{}", before.stderr);
        assert_eq!(after.code, 0, "{source}\n{}", after.stderr);
        let tables = |text: &str| -> Vec<String> {
            text.split("\n\n")
                .map(|table| table.trim_end().to_owned())
                .collect()
        };
        let (before, after) = (tables(&before.stdout), tables(&after.stdout));
        assert_eq!(before.len(), after.len(), "{source}");
        for ((relation, before), after) in relations.iter().zip(&before).zip(&after) {
            if before.lines().count() > 1 {
                let about = format!("{source}: {relation}");
                if source.starts_with("load") {
                    same(after, before, &about);
                } else {
                    // A generator gives links in the order of its tasks, the file has them by start.
                    same(&sorted_lines(after), &sorted_lines(before), &about);
                }
            }
        }
        let with_rows = before
            .iter()
            .filter(|table| table.lines().count() > 1)
            .count();
        assert!(
            with_rows > if several { 2 } else { 1 },
            "{source}: {with_rows} relations have rows"
        );
        // What is sorted in the file is not sorted again.
        let plan = run("load \"t.parquet\" | explain", place.path()).good();
        assert!(plan.contains("output_ordering=[start"), "{plan}");
        let sorted = run(
            "load \"t.parquet\" | aggregate-by-threshold 1ms | explain",
            place.path(),
        )
        .good();
        let direct = run(
            &format!("{source} | aggregate-by-threshold 1ms | explain"),
            place.path(),
        )
        .good();
        let sorts = |plan: &str| plan.matches("SortExec").count();
        assert!(sorts(&sorted) <= sorts(&direct), "{sorted}");
        assert!(!plan.contains("SortExec"), "{plan}");
        for name in names(place.path())
            .iter()
            .filter(|name| name.ends_with(".parquet"))
        {
            std::fs::remove_file(place.path().join(name)).unwrap();
        }
    }
}

#[test]
fn a_saved_trace_that_was_filtered_comes_back_filtered() {
    let place = workspace();
    run(
        "load \"hand.csv\" unit=ms | filter value == \"A\" | shift | save \"a.parquet\"",
        place.path(),
    )
    .good();
    let after = run(
        "load \"a.parquet\" | select value, start, end",
        place.path(),
    )
    .good();
    assert_eq!(after, "value,start,end\nA,0,30\nA,34,38\nA,72,74\n");
    // Logical times come back logical, with their digits.
    run("load \"hand.csv\" | save \"l.parquet\"", place.path());
    let ran = run(
        "load \"l.parquet\" | filter duration > 25 | select value, end",
        place.path(),
    );
    assert_eq!(ran.stdout, "value,end\nA,30\nP,40\n", "{}", ran.stderr);
}

#[test]
fn damaged_parquet_is_an_input_that_cannot_be_read() {
    let place = workspace();
    run(
        "load \"hand.csv\" unit=ms | save \"t.parquet\"",
        place.path(),
    )
    .good();
    let path = place.path().join("t.parquet");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let ran = run("load \"t.parquet\" | profile", place.path());
    fails(&ran, 3, "input_unreadable", "t.parquet");
    // Its middle is noise, its ends are right.
    let mut broken = bytes.clone();
    for byte in &mut broken[4..bytes.len() / 3] {
        *byte ^= 0x5a;
    }
    std::fs::write(&path, &broken).unwrap();
    let ran = run("load \"t.parquet\" | profile", place.path());
    assert_ne!(ran.code, 0);
    assert_eq!(ran.codes(), ["input_unreadable"], "{}", ran.stderr);
}

/// The SVG of a trace with these names as values and resources.
fn svg_of(names: &[String]) -> (String, Ran) {
    let place = workspace();
    let mut csv = String::from("resource,value,start,end\n");
    for (at, name) in names.iter().enumerate() {
        let quoted = format!("\"{}\"", name.replace('"', "\"\""));
        csv.push_str(&format!("{quoted},{quoted},{at},{}\n", at + 2));
    }
    std::fs::write(place.path().join("names.csv"), csv).unwrap();
    let script = "load \"names.csv\" unit=s | aggregate-by-threshold 1s | plot-stacked width=170mm height=80mm | save \"n.svg\"";
    let ran = run(script, place.path());
    let svg = std::fs::read_to_string(place.path().join("n.svg"));
    (svg.unwrap_or_else(|_| panic!("{}", ran.stderr)), ran)
}

#[test]
fn figures_of_nasty_names_are_well_formed() {
    let names: Vec<String> = [
        "<&>",
        "\"double\" and 'single'",
        "]]> <!-- --> <![CDATA[",
        "&amp; &#0; &lt;",
        "bell\u{7}escape\u{1b}[31m",
        "\u{1}\u{b}\u{c}\u{1f}\u{7f}",
        "🦀 emoji 👩‍🚀",
        "日本語 العربية",
        "\u{202e}turned",
        "\u{feff}mark",
        "\u{fffe}\u{ffff}",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([format!("long{}", "x".repeat(10_000))])
    .collect();
    let (svg, ran) = svg_of(&names);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let document = roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(document.root_element().tag_name().name(), "svg");
    for name in &names {
        let (svg, _) = svg_of(std::slice::from_ref(name));
        let document =
            roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{name:?}: {error}"));
        let control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
        assert!(!svg.contains(control), "{name:?}");
        assert!(
            document.descendants().any(|node| node.is_text()),
            "{name:?}: nothing is written"
        );
        // A name of 10 kB does not run over the page.
        let longest = document
            .descendants()
            .filter_map(|n| n.text())
            .map(|t| t.chars().count())
            .max();
        if name.len() > 1000 {
            assert!(
                svg.len() < 60_000,
                "{} bytes, longest text {longest:?}",
                svg.len()
            );
        }
    }
}

#[test]
fn a_name_is_drawn_as_it_is() {
    let (svg, _) = svg_of(&["<a & b>".to_owned()]);
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<&str> = document
        .descendants()
        .filter_map(|node| node.text())
        .collect();
    assert!(texts.contains(&"<a & b>"), "{texts:?}");
}

#[test]
fn a_png_has_the_size_asked_for() {
    let place = workspace();
    let figure = "load \"hand.csv\" unit=ms | aggregate-by-threshold 10ms | plot-stacked";
    for (options, save, width, height) in [
        ("width=320px height=200px", "", 320, 200),
        ("width=1in height=2in", "", 300, 600),
        ("width=1in height=2in", "dpi=50", 50, 100),
    ] {
        run(
            &format!("{figure} {options} | save \"a.png\" {save}"),
            place.path(),
        )
        .good();
        let bytes = std::fs::read(place.path().join("a.png")).unwrap();
        assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(
            (number(16), number(20)),
            (width, height),
            "{options} {save}"
        );
    }
}

#[test]
fn a_figure_of_no_states_says_so() {
    let place = workspace();
    let script = "load \"hand.csv\" unit=ms | filter value == \"none\" | aggregate-by-threshold 10ms | plot-stacked | save \"e.svg\"";
    run(script, place.path()).good();
    let svg = std::fs::read_to_string(place.path().join("e.svg")).unwrap();
    assert!(svg.contains("no states"), "{svg}");
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let place = workspace();
    let mut child = program(place.path())
        .args([
            "-c",
            "generate cholesky tiles=60 | select resource, value, start, end",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = ran(child.wait_with_output().unwrap());
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
}
