//! The program: arguments to [`marey::cli::main`] to an exit code, nothing else.

use std::process::ExitCode;

/// Deep expressions are walked by recursion; the main thread's stack is whatever the system gives.
const STACK: usize = 64 << 20;

fn main() -> ExitCode {
    let worker = std::thread::Builder::new()
        .name("main".to_owned())
        .stack_size(STACK)
        .spawn(|| marey::cli::main(std::env::args_os()));
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => ExitCode::from(code),
        // A panic has said what it had to on standard error; no thread is as bad.
        Ok(Err(_)) | Err(_) => ExitCode::from(4),
    }
}
