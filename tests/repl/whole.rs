//! One session of twenty-odd inputs, as somebody would type them, and the script that is saved of it.

use super::Typist;
use crate::support::run_with;

#[test]
fn a_session_of_twenty_inputs_and_the_script_of_it() {
    let mut typist = Typist::new(&[]);
    let lib = "def busiest(n=1) = profile | sort -duration | take $n\n";
    std::fs::write(typist.folder().join("lib.marey"), lib).unwrap();
    // 1 to 4: a trace, its profile, the result gone on from, a completed verb.
    typist.enters("let run = load \"hand.csv\" unit=ms", "");
    typist.enters("run | profile | select value, duration", "36.000 ms");
    typist.enters("| take 1", "36.000 ms");
    typist.enters("run | summ\t n = count() by reso\t", "CPU0");
    // 5: a pasted block is one input.
    typist.types(
        "\x1b[200~# The longest states.\ndef longest(n=2) =\n    sort -duration, start\n    | take $n\x1b[201~\r",
    );
    typist.sees("marey> ");
    // 6 to 8: the definition used, its help, a file of definitions.
    typist.enters("run | longest n=1 | select value, duration", "40.000 ms");
    typist.enters(":help longest", "The longest states.");
    typist.enters("use \"lib.marey\"", "");
    typist.enters("run | busiest | select value", "A");
    // 9 to 11: mistakes name the nearest thing; nothing of them is kept.
    typist.enters("run | filtr value == \"A\"", "did you mean `filter`?");
    typist.enters("let wrong = 1ms + 1", "unit_mismatch");
    typist.enters("$wrong", "unknown_name");
    // 12: a loop over several lines.
    typist.types("for t in [1ms, 10ms] {\r");
    typist.sees("...  ");
    typist.types("f\"{$t}: {(run | aggregate-by-threshold $t | summarize count())}\"\r");
    typist.sees("...  ");
    typist.enters("}", "10ms: 10");
    // 13, 14: a parameter, and a scalar gone on from.
    typist.enters("param limit = 50ms  # of the run", "");
    typist.enters("span(run)", "100.000 ms");
    typist.enters("$it * 2", "200.000 ms");
    // 15: Ctrl-C stops a long query and keeps everything.
    typist.interrupts("generate cholesky tiles=150 | critical-path | summarize count()");
    typist.enters("$it + 1ms", "201.000 ms");
    // 16: Ctrl-C takes back what is typed and does not leave.
    typist.types("run | garbage");
    typist.session.send_control('c').unwrap();
    typist.sees("marey> ");
    // 17, 18: one file saved twice, and of three statements the third fails.
    typist.enters("run | save \"a.csv\"", "");
    typist.enters("run | take 3 | save \"a.csv\"", "");
    typist.enters(
        "let one = 1; $one + 6; assert $one > 1, \"one is not more\"; let two = 2",
        "one is not more",
    );
    typist.enters("$two", "unknown_name");
    typist.enters("$one * 3", "\n3\r\n");
    // 19: what other programs taught.
    typist.enters("\\d run", "resource");
    typist.enters(".help", "Commands");
    typist.enters("\\?", "Commands");
    typist.enters(":timing on", "timing is on");
    typist.enters("2 + 2", "time: ");
    typist.enters(":timing", "timing is off");
    // 20: the script of it.
    typist.enters(":save session.marey", "saved");
    typist.types("exit\r");
    typist.session.exp_eof().unwrap();

    let folder = typist.folder;
    let saved = std::fs::read_to_string(folder.path().join("a.csv")).unwrap();
    assert_eq!(saved.lines().count(), 4);
    std::fs::remove_file(folder.path().join("a.csv")).unwrap();
    let script = std::fs::read_to_string(folder.path().join("session.marey")).unwrap();
    for gone in ["filtr", "wrong", "cholesky", "two", "garbage"] {
        assert!(!script.contains(gone), "{gone}:\n{script}");
    }
    let ran = run_with(["session.marey"], folder.path());
    // By hand from the ten states: A 30+4+2, P 40-5 (Q runs inside it), C 3+25, B 3+10, Q 5.
    assert_eq!(
        ran.good(),
        "value,duration\nA,36\nP,35\nC,28\nB,13\nQ,5\n\n\
         value,duration\nA,36\n\n\
         resource,n\nCPU0,8\nCPU1,2\n\n\
         value,duration\nP,40\n\n\
         value\nA\n\n\
         1ms: 11\n10ms: 10\n100ms\n200ms\n201ms\n7\n3\n4\n",
        "{script}"
    );
    assert_eq!(
        std::fs::read_to_string(folder.path().join("a.csv")).unwrap(),
        saved
    );
    // It is a script like any other.
    run_with(["check", "session.marey"], folder.path()).good();
    run_with(["fmt", "session.marey"], folder.path()).good();
    let listed = run_with(["session.marey", "--help"], folder.path()).good();
    assert!(listed.contains("limit = 50ms   of the run"), "{listed}");
}

#[test]
fn a_saved_session_in_another_folder_finds_what_it_uses() {
    let mut typist = Typist::new(&[]);
    std::fs::create_dir(typist.folder().join("kept")).unwrap();
    std::fs::write(typist.folder().join("lib.marey"), "def two() = take 2\n").unwrap();
    typist.enters("use \"lib.marey\"", "");
    typist.enters("load \"hand.csv\" unit=ms | two | select value", "A");
    typist.enters("| save \"two.csv\"", "");
    typist.enters(":save kept/session.marey", "saved");
    // A figure or table of a session says how it was made, like that of a script.
    let folder = typist.leaves();
    run_with(["reproduce", "two.csv"], folder.path()).good();
    let out = run_with(["kept/session.marey"], folder.path()).good();
    assert_eq!(out, "value\nA\nP\n");
}

#[test]
fn a_termination_at_the_prompt_gives_the_terminal_back() {
    let mut typist = Typist::new(&[]);
    typist.enters("6 * 7", "\n42\r\n");
    let terminal = typist.session.process().get_file_handle().unwrap();
    let modes = || nix::sys::termios::tcgetattr(&terminal).unwrap().local_flags;
    use nix::sys::termios::LocalFlags;
    assert!(!modes().contains(LocalFlags::ICANON), "a line is edited");
    let signal = rexpect::process::Signal::SIGTERM;
    typist.session.process_mut().signal(signal).unwrap();
    typist.session.exp_eof().unwrap();
    // The terminal of the test does not echo in the first place.
    assert!(modes().contains(LocalFlags::ICANON | LocalFlags::ISIG));
}
