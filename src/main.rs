//! The program: arguments to [`marey::cli::main`] to an exit code, nothing else.

use std::process::ExitCode;

/// Deep expressions are walked by recursion; the main thread's stack is whatever the system gives.
const STACK: usize = 64 << 20;

fn main() -> ExitCode {
    // A panic inside the engine is caught and told as a diagnostic; the default message and backtrace would
    // only come on top. Any other one is told below.
    std::panic::set_hook(Box::new(|_| {}));
    let worker = std::thread::Builder::new()
        .name("main".to_owned())
        .stack_size(STACK)
        .spawn(|| marey::cli::main(std::env::args_os()));
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(_)) | Err(_) => {
            marey::cli::crashed();
            ExitCode::from(4)
        }
    }
}
