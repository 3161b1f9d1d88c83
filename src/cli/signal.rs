//! Signals: Ctrl-C cancels what runs, a second one kills a script; SIGTERM cancels and leaves.
//!
//! The handlers write a byte into a pipe and nothing else; a thread at the other end does the work, so
//! nothing here runs where only async-signal-safe calls may.

use crate::plan::Cancel;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Exit code after Ctrl-C.
pub const INTERRUPTED: u8 = 130;
/// Exit code after SIGTERM, as a shell would report it.
pub const TERMINATED: u8 = 143;

/// What the signal threads and the program tell each other.
#[derive(Debug, Default)]
struct State {
    running: AtomicBool,
    interrupts: AtomicUsize,
    terminated: AtomicBool,
}

/// The installed handlers.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    state: Arc<State>,
}

impl Signals {
    /// Installs the handlers. In the REPL (`interactive`) Ctrl-C never leaves.
    pub fn install(cancel: Cancel, interactive: bool) -> io::Result<Signals> {
        let signals = Signals::default();
        watch(&signals.state, cancel, interactive)?;
        Ok(signals)
    }

    /// A run starts: the next Ctrl-C is its first.
    pub fn begin(&self) {
        self.state.interrupts.store(0, Ordering::SeqCst);
        self.state.running.store(true, Ordering::SeqCst);
    }

    /// The run is over.
    pub fn end(&self) {
        self.state.running.store(false, Ordering::SeqCst);
    }

    /// True after SIGTERM: whatever runs should end the program.
    pub fn is_terminated(&self) -> bool {
        self.state.terminated.load(Ordering::SeqCst)
    }
}

#[cfg(unix)]
fn watch(state: &Arc<State>, cancel: Cancel, interactive: bool) -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::low_level::exit;
    use std::io::Write;
    use std::time::Duration;

    let (seen, stop) = (state.clone(), cancel.clone());
    on(SIGINT, "interrupt", move || {
        let running = seen.running.load(Ordering::SeqCst);
        let count = seen.interrupts.fetch_add(1, Ordering::SeqCst) + 1;
        stop.cancel();
        if !interactive && (count > 1 || !running) {
            exit(i32::from(INTERRUPTED));
        }
        if interactive && running && count == 2 {
            let _ = writeln!(io::stderr(), "still stopping; Ctrl-\\ leaves marey at once");
        }
    })?;
    let seen = state.clone();
    let terminal = Terminal::now();
    on(SIGTERM, "terminate", move || {
        seen.terminated.store(true, Ordering::SeqCst);
        cancel.cancel();
        if seen.running.load(Ordering::SeqCst) {
            // Time to take back files half written; then the wish is an order.
            std::thread::sleep(Duration::from_secs(2));
        }
        if interactive {
            terminal.restore();
        }
        exit(i32::from(TERMINATED));
    })
}

/// How the terminal is set before a line is edited on it.
#[cfg(unix)]
struct Terminal(Option<nix::sys::termios::Termios>);

#[cfg(unix)]
impl Terminal {
    fn now() -> Terminal {
        Terminal(nix::sys::termios::tcgetattr(io::stdin()).ok())
    }

    /// Gives it back as it was found: the shell that comes next would not echo what is typed.
    fn restore(&self) {
        use nix::sys::termios::{SetArg, tcsetattr};
        use std::io::Write;
        let Terminal(Some(settings)) = self else {
            return;
        };
        // The end of bracketed paste and of the line that was being edited.
        let _ = write!(io::stdout(), "\x1b[?2004l\r\n");
        let _ = io::stdout().flush();
        // A terminal that is gone needs nothing.
        let _ = tcsetattr(io::stdin(), SetArg::TCSANOW, settings);
    }
}

/// Calls `act` on a thread of its own for each arrival of a signal.
#[cfg(unix)]
fn on(signal: i32, name: &str, act: impl Fn() + Send + 'static) -> io::Result<()> {
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    let (mut arrivals, sender) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(signal, sender)?;
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || {
            let mut byte = [0];
            while arrivals.read_exact(&mut byte).is_ok() {
                act();
            }
        })?;
    Ok(())
}

/// Elsewhere the system's own Ctrl-C ends the program.
#[cfg(not(unix))]
fn watch(_: &Arc<State>, _: Cancel, _: bool) -> io::Result<()> {
    Ok(())
}
